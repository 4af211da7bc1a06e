"""Section 2.2: symplecticity, by figure 2.2, certificates, derivatives of the maps, and the generating function
(2.18)."""

import decimal

import mutations
import numpy as np
from hairer_lubich_wanner.neighbours import APART, DIGITS, ROUNDING, end_state, exact, jacobian, symplectic_defect
from hairer_lubich_wanner.section_2 import claim, kept, not_kept
from item import item


def enclosed(q, p):
    """The area inside of a closed curve, by its Fourier series: exact to rounding errors for smooth curves."""
    n = len(q)
    rate = np.fft.ifft(1j * np.fft.fftfreq(n, 1 / n) * np.fft.fft(q)).real
    return -np.mean(p * rate) * 2 * np.pi


@item("figure-2.2", "Figure 2.2: symplecticity of Störmer/Verlet for a separable Hamiltonian",
      [mutations.method("verlet-a", "rk-2"), mutations.method("kahan-li-8", "rk-4"),
       mutations.datum("drift", lambda _: 0.9, "a drift of 0.9 h")])
def figure_2_2(lab):
    """The flow of a Hamiltonian system with one degree of freedom preserves areas, and so do Störmer/Verlet and each
    of the three flows (2.14) of which it is made. 256 pendulums start on a circle (proposed data: centre (0, 1.5),
    radius 0.6, h = 0.5) and are transported by the exact flow (kahan-li-8 with short steps) and by verlet-a. The area
    inside of the curve is the integral of p dq, by a Fourier series. It must stay pi 0.6^2 to rounding errors, also
    after the half kick and the drift, whose curves follow from the states before and after. The explicit midpoint
    rule changes it."""
    area = np.pi * 0.36

    def curves(method, step):
        run = lab.run("pendulums", record=True, method=method, step=step, until=3, every=round(0.5 / step))
        names = [name for name in run.columns if name.startswith("r[")]
        return (np.array([run[name] for name in names]).T, np.array([run["p_" + name] for name in names]).T)

    why = "rounding errors; the series of 256 points resolves the curve"
    flow, verlet, runge = curves("kahan-li-8", 0.05), curves("verlet-a", 0.5), curves("rk-2", 0.5)
    changes = lambda q, p: np.max(np.abs([enclosed(*curve) - area for curve in zip(q, p)]))  # noqa: E731
    lab.at_most("exact flow: change of the area, t <= 3", changes(*flow), 1e-10, why)
    lab.at_most("verlet-a, h = 0.5: change of the area, 6 steps", changes(*verlet), 1e-12, why)
    drift = lab.datum("drift", 1.0)
    middle = (verlet[0][1:] - verlet[0][:-1]) / (drift * 0.5)  # p_n+1/2
    lab.at_most("after the first half kick: change of the area", changes(verlet[0][:-1], middle), 1e-12, why)
    lab.at_most("after the drift: change of the area", changes(verlet[0][1:], middle), 1e-12, why)
    lab.at_least("explicit midpoint rule, h = 0.5: change of the area, over pi 0.6^2",
                 changes(*runge) / area, 0.01, "a method that is not symplectic is told from one that is")
    lab.table("figure-2.2", {"pendulum": np.arange(256), **{
        f"{name} at {t}, {what}": of[part][n] for n, t in ((2, 1), (4, 2)) for what, of in
        (("flow", flow), ("Verlet", verlet)) for part, name in ((0, "q"), (1, "p"))}})

    def draw(figure):
        left, right = figure.subplots(1, 2, sharey=True)
        closed = lambda z: np.append(z, z[0])  # noqa: E731
        for n in (0, 2, 4):
            left.fill(closed(flow[0][n]), closed(flow[1][n]), alpha=0.25, color="C0", linewidth=0)
            left.plot(closed(flow[0][n]), closed(flow[1][n]), color="C0")
            left.annotate(f"t = {n / 2:g}", (np.mean(flow[0][n]), np.mean(flow[1][n])), ha="center", fontsize=7)
        left.set_title("flow of the pendulum: equal areas")
        stages = [("start", verlet[0][0], verlet[1][0]), ("half kick", verlet[0][0], middle[0]),
                  ("drift", verlet[0][1], middle[0]), ("half kick: step 1", verlet[0][1], verlet[1][1]),
                  ("step 4", verlet[0][4], verlet[1][4])]
        for k, (name, q, p) in enumerate(stages):
            right.plot(closed(q), closed(p), color=f"C{k}", label=name, linestyle="-" if k in (0, 3, 4) else "--")
        right.legend(loc="lower left")
        right.set_title("(A), h = 0.5: the flows of U, T and U")
        for axes in (left, right):
            axes.set(xlabel="q", xlim=(-0.8, 3.8), ylim=(-1.9, 2.3))
        left.set_ylabel("p")

    lab.figure("figure-2.2", draw)


@item("theorem-2.2", "Theorem 2.2: Störmer/Verlet is symplectic",
      [mutations.method("verlet-a", "rk-2"), mutations.method("symplectic-euler-adjoint", "rk-4")])
def theorem_2_2(lab):
    """Applied to any Hamiltonian system, separable or not, the method satisfies (2.11), as do the symplectic Euler
    methods of which it is composed. `certify` measures the change of the symplectic form under the exact tangent map
    of one and ten steps: on Kepler's problem, and on two Hamiltonians that mix positions and momenta. Independently,
    the derivative of ten steps by the start is formed from neighbouring runs in quad precision. The explicit midpoint
    rule does not pass."""
    methods = ("verlet-a", "verlet-b", "symplectic-euler", "symplectic-euler-adjoint")
    for model, step in (("kepler", "0.05"), ("rotating-bead", "0.1"), ("general-hamiltonian", "0.1")):
        for method in methods:
            kept(lab, f"{method} on {model}", claim(lab, model, method, "symplecticity", step=step))
        not_kept(lab, f"rk-2 on {model}", claim(lab, model, "rk-2", "symplecticity", step=step), 1e3)
    start = {"x0": "0.8", "y0": "-0.3", "u0": "0.2", "w0": "0.9"}
    for method in ("verlet-a",) if lab.quick else (*methods, "rk-2"):
        matrix = jacobian(lab, "rotating-bead", start, method=method, step="0.1", steps=10)
        what = f"{method} on rotating-bead: largest entry of M^T J M - J, ten steps"
        if method == "rk-2":
            lab.at_least(what, symplectic_defect(matrix), 1e-6, "far above what the differences can miss")
        else:
            lab.at_most(what, symplectic_defect(matrix), 1e-18, ROUNDING)


def polynomial(x, p):
    """H of general-hamiltonian.toml and its derivatives, with the numbers that come in."""
    half, fifth = exact("0.5"), exact("0.2")
    return {"H": (1 + x**2) * p**2 * half + x * p * fifth + x**4 / 4, "q": x * p**2 + p * fifth + x**3,
            "p": (1 + x**2) * p + x * fifth, "qq": p**2 + 3 * x**2, "qp": 2 * x * p + fifth, "pp": 1 + x**2}


@item("equation-2.12", "Equation (2.12): derivatives of the maps in the proofs of theorem 2.2",
      [mutations.method("symplectic-euler", "symplectic-euler-adjoint"),
       mutations.text("x*p_x/5", "x*p_x/4"), mutations.method("verlet-a", "verlet-b")])
def equation_2_12(lab):
    """The first proof differentiates the symplectic Euler method (2.12). As printed, the matrices of the resulting
    linear system have h where h/2 must stand. The third proof differentiates -grad_q S(q, Q) = p, and prints S_qQ Q_p
    = I where -I must stand. Derivatives by the start are formed from neighbouring runs in quad precision: of half a
    step of symplectic-euler on a Hamiltonian that mixes position and momentum (proposed data), h = 0.3, and of a step
    of verlet-a on the pendulum, where S_qQ = -1/h. Both the corrected and the printed form are evaluated."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        start = {"x0": "0.7", "p0": "0.4"}
        h = exact("0.3")
        half_step = {"method": "symplectic-euler", "step": "0.15", "steps": 1}
        (q_q, q_p), (p_q, p_p) = jacobian(lab, "general-hamiltonian", start, **half_step)
        D = np.array([[p_p, p_q], [q_p, q_q]])  # of (p, q) by (p, q), as in the paper
        _, middle = end_state(lab, "general-hamiltonian", start, **half_step)
        of = polynomial(exact("0.7"), middle)

        def residual(c):
            left = np.array([[1 + c * of["qp"], exact(0)], [-c * of["pp"], exact(1)]])
            right = np.array([[exact(1), -c * of["qq"]], [exact(0), 1 + c * of["qp"]]])
            return float(np.max(np.abs(left.dot(D) - right)))

        lab.at_most("half a step is symplectic: |M^T J M - J|",
                    symplectic_defect(np.array([[q_q, q_p], [p_q, p_p]])), 1e-18,
                    "what the proof concludes is true", printed="J")
        lab.at_most("linear system with h/2: residual", residual(h / 2), 1e-18, ROUNDING)
        lab.contradicts("linear system with h: residual", residual(h) > 1e-2, residual(h),
                        "the steps of (2.12) are h/2", "h")
        (_, Q_p), _ = jacobian(lab, "pendulum-angle", {"x0": "-1.2", "p0": "1"}, method="verlet-a", step="0.3", steps=1)
        S_qQ = -1 / h
        lab.at_most("third proof: S_qQ Q_p + I", abs(float(S_qQ * Q_p + 1)), 1e-18, ROUNDING)
        lab.contradicts("third proof: S_qQ Q_p", abs(float(S_qQ * Q_p - 1)) > 1, float(S_qQ * Q_p),
                        "p = -grad_q S, so that I = -S_qQ Q_p", "I")


@item("equation-2.18", "Equation (2.18): the generating function of Störmer/Verlet",
      [mutations.method("verlet-a", "verlet-b"), mutations.text("x^4/4", "x^4/5"),
       mutations.datum("second term", lambda c: c / 2, "h^2/8 in the second term")])
def equation_2_18(lab):
    """One step is generated by a function of (p_1, q_0): p_1 = p_0 - grad_q S and q_1 = q_0 + grad_p S, (2.17), with
    S of (2.18); for the symplectic Euler method S = h H. That is the same as dS = (p_0 - p_1) dq_0 + (q_1 - q_0) dp_1
    for all changes of the start. The step is one of verlet-a, h = 0.3, on a Hamiltonian that mixes position and
    momentum (proposed data), p_1/2 the momentum after half a step of symplectic-euler, and S is formed from these
    numbers by (2.18); its derivatives by q_0 and p_0 are differences of runs in quad precision."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        h = exact("0.3")
        second = lab.datum("second term", h * h / 4)

        def verlet(q0, p0):
            start = {"x0": q0, "p0": p0}
            q1, p1 = end_state(lab, "general-hamiltonian", start, method="verlet-a", step="0.3", steps=1)
            _, middle = end_state(lab, "general-hamiltonian", start, method="symplectic-euler", step="0.15", steps=1)
            a, b = polynomial(q0, middle), polynomial(q1, middle)
            return q1, p1, h / 2 * (a["H"] + b["H"]) - second * b["q"] * (a["p"] + b["p"])

        def euler(q0, p0):
            q1, p1 = end_state(lab, "general-hamiltonian", {"x0": q0, "p0": p0}, method="symplectic-euler", step="0.3",
                               steps=1)
            return q1, p1, h * polynomial(q0, p1)["H"]

        q0, p0 = exact("0.7"), exact("0.4")
        for name, step in (("Störmer/Verlet, (2.18)", verlet), ("symplectic Euler, S = h H", euler)):
            q1, p1, _ = step(q0, p0)
            for of, dq, dp in (("q_0", APART, 0), ("p_0", 0, APART)):
                (_, after, S_after), (_, before, S_before) = step(q0 + dq, p0 + dp), step(q0 - dq, p0 - dp)
                dS, dp1 = (S_after - S_before) / (2 * APART), (after - before) / (2 * APART)
                expected = (p0 - p1) * (1 if dq else 0) + (q1 - q0) * dp1
                lab.at_most(f"{name}: dS/d{of} against (2.17)", abs(float(dS - expected)), 1e-18, ROUNDING)
