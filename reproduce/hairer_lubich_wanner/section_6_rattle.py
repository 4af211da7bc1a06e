"""Section 6: the rigid body, SHAKE and RATTLE, and theorems 6.5 and 6.6."""

import mutations
import numpy as np
from hairer_lubich_wanner.section_2 import claim, kept, not_kept
from item import item

ENTRIES = [f"Q{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]


def matrices(run):
    Q = np.array([run[name] for name in ENTRIES]).T.reshape(-1, 3, 3)
    P = np.array([run["p_" + name] for name in ENTRIES]).T.reshape(-1, 3, 3)
    return Q, P


def hats(Q, P, D):
    """Omega^ = Q^T P D^-1."""
    return np.einsum("nji,njk->nik", Q, P / D)


def vector(hat):
    return np.array([hat[..., 2, 1], hat[..., 0, 2], hat[..., 1, 0]]).T


@item("example-6.4", "Examples 6.2 and 6.4: the rigid body, (6.14)",
      [mutations.method("rattle", "geodesic-2"), mutations.text('I2 = "0.8"', 'I2 = "0.81"'),
       mutations.datum("sign", lambda s: -s, "+(Omega_1/2 + Omega_1/2^T) in the step")])
def example_6_4(lab):
    """RATTLE for the rigid body as an orthogonal matrix Q, (6.14), and the same as an integrator for the angular
    velocity Omega, with I + h Omega^_1/2 orthogonal and symmetric multipliers Lambda_1 and Lambda_2. The paper gives
    no data: moments of inertia 0.6, 0.8, 1, Omega_0 = (1, 0.5, -0.3) and, for the heavy body, V = Q_33 are proposed.
    Angular velocities and energy errors are compared with an independent program. Each step must have the form of the
    integrator, formed from states before and after. Without forces RATTLE keeps even the energy to rounding
    errors."""
    D = np.array([0.6, 0.4, 0.2])  # from the moments of inertia, by I1 = d2 + d3, ...
    digits = {"rigid-body-free": {1: ("1.0050214693598", "4.8466253124079e-01", "-3.0990465037574e-01"),
                                  100: ("1.0046584882037", "-4.8579006074677e-01", "3.0919768231968e-01")},
              "rigid-body-heavy": {100: ("1.2831368029964", "1.5625005699629", "-4.6431708615219e-02")}}
    sign = lab.datum("sign", -1.0)
    h = 0.1
    shown = {}
    for model, name in (("rigid-body-free", "free"), ("rigid-body-heavy", "heavy")):
        run = lab.run(model, record=True, method="rattle", step="0.1", until=100)
        Q, P = matrices(run)
        hat = hats(Q, P, D)
        omega = vector(hat)
        shown[name] = (run["t"], omega)
        for step, texts in digits[model].items():
            for k, text in enumerate(texts):
                lab.reference(f"{name}, step {step}, Omega_{k + 1}", omega[step, k], text,
                              units=5 if step == 1 else 200, remark="the last digits depend on rounding errors")
        lab.at_most(f"{name}: Q^T Q = I", np.max(np.abs(np.einsum("nji,njk->nik", Q, Q) - np.eye(3))), 1e-14,
                    "rounding errors")
        lab.at_most(f"{name}: Omega^ is skew-symmetric", np.max(np.abs(hat + np.swapaxes(hat, 1, 2))), 1e-13,
                    "rounding errors")
        force = np.zeros((3, 3))
        force[2, 2] = 1 if name == "heavy" else 0
        half = np.einsum("nji,njk->nik", Q[:-1], Q[1:] - Q[:-1]) / h  # Omega^_1/2
        lab.at_most(f"{name}: I + h Omega^_1/2 is orthogonal",
                    np.max(np.abs(np.einsum("nji,njk->nik", np.eye(3) + h * half, np.eye(3) + h * half) - np.eye(3))),
                    1e-13, "rounding errors")
        pull = lambda q: np.einsum("nji,jk->nik", q, force) / D  # noqa: E731  Q^T grad V D^-1
        first = (2 / h) * (hat[:-1] - h / 2 * pull(Q[:-1]) - half) * D
        second = (2 / h) * (half - h / 2 * pull(Q[1:]) + sign * (half + np.swapaxes(half, 1, 2)) - hat[1:]) * D
        for number, Lambda in ((1, first), (2, second)):
            lab.at_most(f"{name}: Lambda_{number} is symmetric",
                        np.max(np.abs(Lambda - np.swapaxes(Lambda, 1, 2))), 1e-12,
                        "rounding errors, over h^2: the step has the form of the integrator")
        momentum = [column for column in ("Lx", "Ly", "Lz") if column in run.columns]
        lab.at_most(f"{name}: largest change of the angular momentum ({', '.join(momentum)})",
                    max(np.max(np.abs(run[column] - run[column][0])) for column in momentum), 2e-14,
                    "rounding errors of 1000 steps; the independent program has 3e-15 and 4e-15")
        if name == "free":
            lab.at_most("free: largest error of H, t <= 100", np.max(np.abs(run["energy"] - run["energy"][0])), 2e-14,
                        "rounding errors of 1000 steps; the independent program has 1e-15")
        else:
            lab.reference("heavy, h = 0.1: largest error of H, t <= 100",
                          np.max(np.abs(run["energy"] - run["energy"][0])), "2.3564e-2")
            finer = lab.run(model, method="rattle", step="0.05", until=100)["energy"]["max_error"]
            lab.reference("heavy, h = 0.05: largest error of H, t <= 100", finer, "5.8955e-3")
    lab.table("example-6.4", {"t": shown["free"][0], **{
        f"Omega_{k + 1}, {name}": omega[:, k] for name, (_, omega) in shown.items() for k in range(3)}})

    def draw(figure):
        for axes, (name, (t, omega)) in zip(figure.subplots(2, 1, sharex=True), shown.items()):
            for k in range(3):
                axes.plot(t, omega[:, k], label=f"Omega_{k + 1}")
            axes.set(ylabel="Omega", title=f"{name} rigid body, RATTLE, h = 0.1")
        axes.set_xlabel("t")
        axes.legend(loc="lower right", ncol=3)

    lab.figure("example-6.4", draw)


@item("equation-6.10", "Equations (6.10) to (6.12): SHAKE, and RATTLE",
      [mutations.method("rattle", "geodesic-2"), mutations.method("shake-two-step", "rattle"),
       mutations.datum("centred", lambda _: 1, "(q_n+1 - q_n)/h for p_n")])
def equation_6_10(lab):
    """SHAKE in its two-step form (6.10), with p_n = M (q_n+1 - q_n-1)/2h, and its one-step form (6.11) have the same
    positions as RATTLE, (6.11) with (6.12). RATTLE's states lie on the manifold (6.6); momenta of SHAKE do not, by an
    error of order h^2. Kepler's problem on the sphere, h = 0.02 and 0.01, t <= 2, by shake-two-step, shake and
    rattle."""
    centred = lab.datum("centred", 2)
    hidden = {}
    for step in (0.02, 0.01):
        steps = round(2 / step)
        two_step, one_step, rattle = (lab.run("kepler-sphere", record=True, method=key, step=step, steps=steps)
                                      for key in ("shake-two-step", "shake", "rattle"))
        q = {name: np.array([run[c] for c in "xyz"]).T
             for name, run in (("(6.10)", two_step), ("(6.11)", one_step), ("(6.12)", rattle))}
        for name in ("(6.11)", "(6.12)"):
            lab.at_most(f"h = {step}: positions of {name} against (6.10)", np.max(np.abs(q[name] - q["(6.10)"])), 1e-11,
                        "rounding errors, which (6.10) makes larger by 1/h")
        p, at = np.array([two_step["p_" + c] for c in "xyz"]).T, q["(6.10)"]
        lab.at_most(f"h = {step}: p_n of (6.10) against (q_n+1 - q_n-1)/2h",
                    np.max(np.abs(p[1:-1] - (at[2:] - at[2 - centred:-centred]) / (centred * step))), 1e-11,
                    "rounding errors, over h")
        hidden[step] = np.max(one_step["hidden_residual"])
        lab.at_most(f"h = {step}: RATTLE, largest |G p| and |g|",
                    max(np.max(rattle["hidden_residual"]), np.max(rattle["position_residual"])), 1e-14,
                    "rounding errors")
        lab.at_most(f"h = {step}: SHAKE, largest |g|", np.max(two_step["position_residual"]), 1e-14, "rounding errors")
    lab.between("SHAKE, largest |G p|: h = 0.02 over h = 0.01", hidden[0.02] / hidden[0.01], 3.5, 4.5,
                "momenta of SHAKE leave the manifold by an error of order h^2")


@item("equation-6.5", "Equations (6.5) to (6.7): the flow on the manifold",
      [mutations.method("gauss-3@h-m", "gauss-1@h-m"),
       mutations.method("gauss-3@underlying", "gauss-1@underlying")])
def equation_6_5(lab):
    """With lambda as a function of (p, q), (6.1) becomes the ordinary differential equation (6.5), whose solutions
    stay on the manifold; the unconstrained Hamiltonian K = H + g^T lambda has the same flow there, which makes it
    symplectic. Kepler's problem on the sphere to t = 2: gauss-3 on (6.5) (underlying) and on K (h-m), without any
    projection, against kahan-li-8 with constraints. Ends must agree to the errors of the methods."""
    ends = {}
    for key, method, step in (("constraints", "kahan-li-8", "0.01"), ("(6.5)", "gauss-3@underlying", "0.005"),
                              ("K", "gauss-3@h-m", "0.005")):
        run = lab.run("kepler-sphere", method=method, step=step, until=2)
        ends[key] = np.array([*run["q"].values(), *run["p"].values()])
        if key != "constraints":
            lab.at_most(f"{key}: largest |g| without a projection", run["constraint"]["position_max"], 1e-9,
                        "solutions stay on the manifold, to the errors of the method")
            lab.at_most(f"{key}: largest |G H_p| without a projection", run["constraint"]["hidden_max"], 1e-9,
                        "solutions stay on the manifold, to the errors of the method")
            lab.at_most(f"{key}: end against that with constraints",
                        np.max(np.abs(ends[key] - ends["constraints"])), 1e-9, "errors of Gauss methods of order 6")


@item("theorem-6.5", "Theorem 6.5: RATTLE is symmetric and reversible",
      [mutations.method("rattle", "symplectic-euler"), mutations.method("symplectic-euler", "rattle")])
def theorem_6_5(lab):
    """RATTLE is symmetric, and reversible for H(-p, q) = H(p, q). `certify` measures both over one and ten steps: on
    Kepler's problem and two bodies on the sphere, on both rigid bodies, and, for a general H, on the charged particle
    of Jay (1996), whose involution is another one. Symplectic Euler, projected, has neither."""
    for model, step in (("kepler-sphere", "0.02"), ("two-body-sphere", "0.001"), ("rigid-body-free", "0.1"),
                        ("rigid-body-heavy", "0.1"), ("charged-particle", "0.12")):
        for what in ("symmetry", "reversibility", "position constraint", "hidden constraint"):
            kept(lab, f"{model}: {what}", claim(lab, model, "rattle", what, step=step))
    for what in ("symmetry", "reversibility"):
        not_kept(lab, f"symplectic-euler, kepler-sphere: {what}",
                 claim(lab, "kepler-sphere", "symplectic-euler", what, step="0.02"))


@item("theorem-6.6", "Theorem 6.6: RATTLE is symplectic",
      [mutations.method("rattle", "rk-4"), mutations.method("rk-4", "rattle")])
def theorem_6_6(lab):
    """RATTLE is symplectic on the manifold, (6.15), for separable and for general Hamiltonians. `certify` measures
    the change of the symplectic form under the exact tangent map of one and ten steps, over a basis of the tangent
    space, at four states. A Runge-Kutta method of order 4 that is projected onto the manifold keeps the constraints
    and not the form."""
    for model, step in (("kepler-sphere", "0.02"), ("two-body-sphere", "0.001"), ("rigid-body-free", "0.1"),
                        ("rigid-body-heavy", "0.1"), ("charged-particle", "0.12")):
        kept(lab, f"rattle, {model}", claim(lab, model, "rattle", "symplecticity", step=step))
    for model, step in (("kepler-sphere", "0.02"), ("rigid-body-heavy", "0.1"), ("charged-particle", "0.12")):
        not_kept(lab, f"rk-4, {model}", claim(lab, model, "rk-4", "symplecticity", step=step), 1e3)
        kept(lab, f"rk-4, {model}: position constraint", claim(lab, model, "rk-4", "position constraint", step=step))
