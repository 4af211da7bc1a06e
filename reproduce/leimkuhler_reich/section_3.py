"""Sections 3 to 3.4: linear constraints, multipliers, invariants, and the choices that are left."""

import numpy as np

import mutations
from item import item
from leimkuhler_reich.experiment import EXACT, PENDULUM, distance, state

# A start off the manifold: q.q - 1 = 0.1684, 2 q.p = 0.3168
OFF = {"q10": "1.08", "q20": "0.045", "p10": "0.23", "p20": "-2"}


def residuals(w):
    return w[..., 0]**2 + w[..., 1]**2 - 1, 2 * (w[..., 0] * w[..., 2] + w[..., 1] * w[..., 3])


def extended(lab, method, step, until, **parameters):
    """States of a run of H + S mu g + D eta Gp."""
    run = lab.run("extended-pendulum", record=True, method=method, step=step, until=until, set=parameters)
    return np.column_stack([run[name] for name in ("q1", "q2", "p_q1", "p_q2")])


@item("section-3", "Section 3, beginning: an underlying ODE for linear constraints that is Hamiltonian",
      [mutations.text("-3*f", "-2.9*f", "linear-fields"), mutations.method("gauss-1", "rk-2"),
       mutations.text("0.5*x*z", "0.6*x*z", "linear")])
def section_3_linear(lab):
    """For Gq = 0 the standard underlying ODE q' = p, p' = -(I - H) grad F(q) is not Hamiltonian, and the one with grad
    F((I - H) q) is; both have the constrained motion. Both are linear here (proposed data), and written as fields; six
    runs of the midpoint rule to t = 1, from unit vectors, are the columns of the numerical flow Phi, for which Phi^t J
    Phi - J vanishes if the field is Hamiltonian. From a start with Gq = Gp = 0 both have the states of the program's
    formulations."""
    names = ("x0", "y0", "z0", "px0", "py0", "pz0")
    J = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
    for S, words in ((1, "grad F((I - H) q)"), (0, "grad F(q)")):
        flow = np.column_stack([list(lab.run("linear-fields", method="gauss-1", step="0.1", until=1,
                                             set={"S": S, name: 1})["q"].values())
                                for name in names])
        defect = float(np.max(np.abs(flow.T @ J @ flow - J)))
        if S:
            lab.at_most(f"{words}: largest entry of Phi^t J Phi - J", defect, 1e-14, printed="Hamiltonian",
                        remark="rounding errors")
        else:
            lab.at_least(f"{words}: largest entry of Phi^t J Phi - J", defect, 1e-2, printed="not Hamiltonian")
        start = dict(zip(names, (3, -1, 1, 1.5, -0.5, 0.5)))
        by_hand = list(lab.run("linear-fields", method="gauss-1", step="0.1", until=1,
                               set={"S": S, **start})["q"].values())
        derived = state(lab.run("linear", method=f"gauss-1@{'linear' if S else 'underlying'}", step="0.1", until=1))
        lab.at_most(f"{words}: field against the program's formulation, t = 1", distance(by_hand, derived), 1e-13,
                    remark="rounding errors")


@item("equation-3.10", "Equations (3.2)-(3.3), (3.7)-(3.10) written out for the pendulum, and the sign of mu",
      [mutations.text("(p_q1^2 + p_q2^2 - q2)/(2*qq)", "(p_q1^2 + p_q2^2 + q2)/(2*qq)"),
       mutations.text("D*eta*Gp", "D*eta*Gp/2"), mutations.method("gauss-1@h-m", "gauss-1@dirac"),
       mutations.text("- 2*p1*eta", "- p1*eta", "weak-pendulum"),
       mutations.datum("printed sign", lambda sign: 1, "the other sign of mu for the printed one")])
def equation_3_10(lab):
    """The multipliers of the pendulum are eta = -(q.p)/(2 q.q) and mu = (p.p - q2)/(2 q.q), by hand. With them the
    Hamiltonians and fields of section 3 are written as models without constraints, and compared with the formulations
    that the program derives from H and g: 100 steps of the midpoint rule must agree to rounding. Under (3.10) the paper
    prints mu = (GG^t)^-1 (G grad F - G_q(p, p)), which has the other sign: with it g = 0 is no invariant, and an
    independent program has g = 3.99 at t = 1."""
    for name, key, D, printed in (("(3.2)-(3.3), Dirac", "dirac", 1, "(3.2)-(3.3)"),
                                  ("(3.9)-(3.10) but for the sign of mu", "h-m", 0, "")):
        derived = state(lab.run(PENDULUM, method=f"gauss-1@{key}", step="0.01", until=1))
        written = extended(lab, "gauss-1", "0.01", 1, D=D)[-1]
        lab.at_most(f"{name}: written out against derived, t = 1", distance(derived, written), 1e-13, printed=printed,
                    remark="rounding errors")
    derived = state(lab.run(PENDULUM, method="gauss-1@weak", step="0.01", until=1))
    written = list(lab.run("weak-pendulum", method="gauss-1", step="0.01", until=1)["q"].values())
    lab.at_most("(3.7)-(3.8), weak: written out against derived, t = 1", distance(derived, written), 1e-13,
                printed="(3.7)-(3.8)",
                remark="rounding errors")
    exact = [float(text) for text in EXACT.split()]
    good = extended(lab, "gauss-4", "0.01", 1, D=0)[-1]
    lab.at_most("mu = (GG^t)^-1 (G_q(p, p) - G grad F): error at t = 1 by a method of order 8", distance(good, exact),
                2e-12,
                remark="(3.9)-(3.10) then have the constrained motion; 13 decimals are known, and rounding grows by 50")
    printed = extended(lab, "gauss-1", "0.01", 1, D=0, S=lab.datum("printed sign", -1))
    g = float(residuals(printed[-1])[0])
    lab.reference("sign as printed: g at t = 1", g, "3.99", remark="of an independent program")
    lab.contradicts("sign as printed: g = 0 is an invariant", abs(g) > 1, g,
                    "G p' + G_q(p, p) = 0 gives the other sign, that of Lambda in the introduction",
                    printed="M is invariant")


@item("section-3.1", "Sections 3.1 and 3.4: strong and weak invariants",
      [mutations.text("p1 + 2*q1*eta", "p1 + 2.01*q1*eta", "weak-pendulum"), mutations.method("gauss-1", "rk-2"),
       mutations.method("gauss-4", "rk-2"),
       mutations.datum("start off the manifold", lambda start: {}, "a start on the manifold")])
def section_3_1(lab):
    """An invariant phi is strong if {phi, H} vanishes everywhere, weak if only where phi = 0; strong ones are too much
    to ask for with Hamiltonians, as (3.1) is singular along the constraints. The residuals of Dirac's and of the
    simplified Hamiltonian are weak: exact motions (order 8, h = 0.0025) from the manifold keep them to rounding, and
    from a start off it (proposed data) do not. Those of (3.7)-(3.8) are strong: they are kept from any start. Cooper's
    theorem, to which figure 3.2 seems to be a contradiction, is on strong quadratic invariants: the midpoint rule keeps
    those of (3.7)-(3.8) to rounding from off the manifold too, and does not keep those of the Hamiltonians on it. The
    moment about the vertical of a spherical pendulum is a strong quadratic invariant of H + mu g: it is kept to
    rounding while g is not."""
    off = lab.datum("start off the manifold", OFF)
    for name, D in (("Dirac", 1), ("simplified", 0)):
        on = extended(lab, "gauss-4", "0.0025", 1, D=D)
        changed = extended(lab, "gauss-4", "0.0025", 1, D=D, **off)
        for label, values in zip(("g", "Gp"), residuals(on)):
            lab.at_most(f"{name}, from the manifold: largest {label} of the exact motion to t = 1",
                        float(np.max(np.abs(values))), 1e-11,
                        remark="rounding errors; the saddle of (3.9)-(3.10) amplifies them by 50")
        for label, values in zip(("g", "Gp"), residuals(changed)):
            lab.at_least(f"{name}, from off it: largest change of {label}", float(np.max(np.abs(values - values[0]))),
                         0.05,
                         printed="weak invariant", remark="of the size of g and Gp at the start, 0.17 and 0.32")
    for start, where in (({}, "from the manifold"), (off, "from off it")):
        for method in ("gauss-1", "gauss-4"):
            kept = lab.run("weak-pendulum", method=method, step="0.01", until=10, set=start)["invariants"]
            for label in ("g", "Gp"):
                lab.at_most(f"(3.7)-(3.8), {where}, {method}: largest change of {label} to t = 10",
                            kept[label]["max_error"], 1e-13,
                            printed="strong invariant", remark="rounding errors of 1000 steps")
    lab.at_least("(3.9)-(3.10), from the manifold, gauss-1 with h = 0.01: largest |g| to t = 1",
                 float(np.max(np.abs(residuals(extended(lab, "gauss-1", "0.01", 1, D=0))[0]))), 1e-3,
                 printed="weak: not maintained", remark="a quadratic function, and no strong invariant")
    sphere = lab.run("spherical-pendulum", method="gauss-1@h-m", step="0.01", until="0.5")
    lab.at_most("spherical pendulum, H + mu g: largest change of the moment about the vertical",
                sphere["invariants"]["Lz"]["max_error"],
                1e-14, remark="rounding errors: a strong invariant")
    lab.at_least("spherical pendulum, H + mu g: largest |g|", sphere["constraint"]["position_max"], 1e-6,
                 remark="a weak one")


@item("section-3.1-phase", "Section 3.1: Dirac's Hamiltonian where constraints depend on momenta too",
      [mutations.text("x^4/4", "x^4/5", "guiding-centre"), mutations.text("-2*y/B", "-y/B", "guiding-field")])
def section_3_1_phase(lab):
    """If the matrix R of the brackets of all constraints is not singular, mu with R mu = -{phi, H} makes all of them
    weak invariants of H + mu phi. Example (proposed data): a charge without inertia in a strong magnetic field, phi =
    (p_x + B y/2, p_y - B x/2), where R = [0, B; -B, 0]. Its motion, eliminated by hand, is x' = -V_y/B, y' = V_x/B:
    both are run with order 8 and must agree. From the manifold phi stays zero."""
    dirac = lab.run("guiding-centre", record=True, method="gauss-4", step="0.02", until=5)
    by_hand = lab.run("guiding-field", record=True, method="gauss-4", step="0.02", until=5)
    for name in ("x", "y"):
        lab.at_most(f"largest difference of {name} to t = 5", distance(dirac[name], by_hand[name]), 1e-12,
                    remark="errors of order 8, and rounding")
    for name in ("along_x", "along_y"):
        lab.at_most(f"largest phi, {name}", float(np.max(np.abs(dirac[name]))), 1e-12, printed="phi invariant",
                    remark="the same")


ALPHAS = ("0", "1", "2", "2.9", "3.5", "5")


@item("section-3.4", "Section 3.4: alpha, a choice that changes the flow off the manifold only",
      [mutations.datum("p.p", lambda pp: 2 * pp, "the energy of another speed"),
       mutations.method("gauss-1@dirac:1", "gauss-1@dirac"),
       mutations.text("alpha*g - Gp", "2*alpha*g - Gp")])
def section_3_4(lab):
    """-{g, H} + alpha g = GG^t eta does not cause g = 0 to cease to be an invariant, and may change the flow near M.
    (The text calls what this determines mu; it is eta.) On the pendulum runs of order 8 have the same state at t = 1
    with alpha = 0, 1 and 3, that of the constrained motion. Near M: for the free particle on a circle the residuals
    have eigenvalues with lambda^2 = alpha^2 - 4 p.p (by hand): alpha does not damp, it slows the rotation about the
    centre, which is a saddle from |alpha| = 2 |p| on. In (3.7)-(3.8) residuals have g' = alpha g. p.p = 2.25 is
    proposed data."""
    exact = [float(text) for text in EXACT.split()]
    for alpha in (0, 1, 3):
        end = extended(lab, "gauss-4", "0.01", 1, D=1, alpha=alpha)[-1]
        lab.at_most(f"alpha = {alpha}: error at t = 1", distance(end, exact), 1e-12, printed="g = 0 is still invariant",
                    remark="13 decimals are known")
    derived = state(lab.run(PENDULUM, method="gauss-1@dirac:1", step="0.01", until=1))
    lab.at_most("alpha = 1: H_T written out against the formulation of the program, t = 1",
                distance(derived, extended(lab, "gauss-1", "0.01", 1, D=1, alpha=1)[-1]), 1e-13,
                remark="rounding errors")
    pp = lab.datum("p.p", 2.25)
    squares = []
    for alpha in ALPHAS:
        row = lab.ask("stability", "free-circle", formulation="dirac", alpha=alpha, step="0.01", until=1,
                      every=100)["rows"][-1]
        square = row["fastest"]["real"]**2 - row["frequency"]**2
        squares.append(square)
        lab.reference(f"alpha = {alpha}: lambda^2", square, f"{float(alpha)**2 - 4 * pp:.6f}")
        lab.between(f"alpha = {alpha}: growth of residuals in runs over that of the linear equations",
                    row["growth_measured"] / row["growth_expected"], 0.999, 1.001)
    for alpha, growth in (("-1", 1), ("1", np.e)):
        row = lab.ask("stability", "free-circle", formulation="weak", alpha=alpha, step="0.01", until=1,
                      every=100)["rows"][-1]
        lab.between(f"(3.7)-(3.8), alpha = {alpha}: growth of residuals to t = 1", row["growth_measured"],
                    growth * 0.999, growth * 1.001,
                    remark="g' = alpha g, (Gp)' = 0: the larger of exp(alpha t) and 1")
    lab.table("section-3.4", {"alpha": ALPHAS, "lambda^2": squares})
