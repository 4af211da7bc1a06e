"""Section 3.1: methods of order 1 and 2 by the projection (24)."""

import numpy as np

import mutations
from item import item
from reich.pendulum import ROUNDING, claim, distance, elastic_errors, errors_at_2, order, state, worst_residual

# Key of (24) around a map; what the map is; its order; what of the force comes before and after the drift
MAPS = {
    "symplectic-euler": ("symplectic Euler", 1, (1, 0)),
    "rattle": ("Verlet", 2, (0.5, 0.5)),
    "midpoint": ("implicit midpoint", 2, (0.5, 0.5)),
}


@item("theorem-3.2", "Theorem 3.2: (24) is symplectic, keeps both constraints, and has the order of its map",
      [mutations.method("rattle", "rk-2"), mutations.method("midpoint", "symplectic-euler"),
       mutations.datum("exact state", lambda digits: ("-0.2041", *digits[1:]), "a wrong digit in the exact state")])
def theorem_3_2(lab):
    """(24) around a symplectic map of order 1 or 2 for the system without constraints is symplectic, keeps g = 0 and
    f = 0, and has the order of the map. Orders: on the pendulum against the exact state at t = 2; and, since Verlet and
    midpoint rule are the same on it (the force is constant), on a double pendulum with an elastic rod at t = 1. There a
    multiple-time-step method stands for "any other symplectic, second-order method". Symplecticity: the defect of the
    symplectic form under the exact tangent map."""
    for key, (name, expected, _) in MAPS.items():
        steps = (200, 400) if expected == 1 else (100, 200)
        lab.reference(f"(24) with {name}: order on the pendulum, t = 2", order(errors_at_2(lab, key, steps), steps),
                      f"{expected}.00")
    for key, name, expected in (("symplectic-euler", "symplectic Euler", 1), ("rattle", "Verlet", 2),
                                ("midpoint", "implicit midpoint", 2), ("respa-outer-4", "multiple time steps", 2)):
        errors, runs = elastic_errors(lab, key, (100, 200))
        lab.between(f"(24) with {name}: order on the elastic double pendulum, t = 1", order(errors, (100, 200)),
                    expected - 0.05, expected + 0.05)
        lab.at_most(f"(24) with {name}: largest |g| and |f|", max(map(worst_residual, runs)), 1e-14, remark=ROUNDING)
    for model, key in (("pendulum", "rattle"), ("pendulum", "symplectic-euler"),
                       ("elastic-double-pendulum", "midpoint"), ("elastic-double-pendulum", "respa-outer-4")):
        measured = claim(lab.ask("certify", model, method=key, no_advice=True, codes=(0, 3)), "symplecticity")
        lab.at_most(f"{key} on {model}: defect of the symplectic form", measured["measured"], measured["at_most"],
                    remark=ROUNDING)


@item("theorem-3.2-multipliers", "Proof of Theorem 3.2: Lambda_k, Lambda_k+1 and lambda",
      [mutations.method("rattle", "symplectic-euler"), mutations.method("rattle", "lobatto-3"),
       mutations.datum("mean", lambda half: 1, "the sum instead of the mean")])
def multipliers(lab):
    """In the proof, (Lambda_k + Lambda_k+1)/2 = lambda + O(h) for maps of order 1, and Lambda_k - Lambda_k+1 = O(h)
    and, as printed, Lambda_k + Lambda_k+1 = lambda + O(h^2) for maps of order 2. The last line lacks a factor 1/2: it
    is the mean that goes to lambda; the sum goes to 2 lambda. The program does not print Lambda; it follows from two
    states, as (q_k+1 - q_k)/h is the momentum between the impulses. Differences are the largest ones of the steps to
    t = T on the pendulum; lambda is the mean of (18) at both ends of a step, which is within O(h^2) of that in the
    middle."""
    half = lab.datum("mean", 0.5)
    for key in ("symplectic-euler", "rattle"):
        name, expected, kicks = MAPS[key]
        counts = (100, 200) if lab.quick else (100, 200, 400)
        mean, difference, total, rest = [], [], [], []
        for n in counts:
            run = lab.run("pendulum", record=True, method=key, step=f"T/{n}", until="T")
            h = run["t"][1]
            q, p = np.stack([run["x"], run["y"]], 1), np.stack([run["p_x"], run["p_y"]], 1)
            normal = q / np.linalg.norm(q, axis=1)[:, None]
            between, force = (q[1:] - q[:-1]) / h, h * np.array([0, 1])
            first, second = between - p[:-1] + kicks[0] * force, p[1:] - between + kicks[1] * force
            before = -2 / h * (normal[:-1] * first).sum(axis=1)
            after = -2 / h * (normal[1:] * second).sum(axis=1)
            rest += [np.abs(first + h / 2 * before[:, None] * normal[:-1]).max(),
                     np.abs(second + h / 2 * after[:, None] * normal[1:]).max()]
            exact = (run["lambda_rod"][1:] + run["lambda_rod"][:-1]) / 2
            mean.append(np.abs(half * (before + after) - exact).max())
            difference.append(np.abs(before - after).max())
            total.append(np.abs(before + after - exact).max())
        lab.table(f"multipliers-{key}", {"steps": counts, "mean - lambda": mean, "difference": difference,
                                         "sum - lambda": total})
        lab.at_most(f"{name}: change of momenta that neither force nor impulses explain", max(rest), 1e-13,
                    remark=ROUNDING)
        lab.between(f"{name}: order of (Lambda_k + Lambda_k+1)/2 - lambda", order(mean, counts), expected - 0.1,
                    expected + 0.1, printed="1" if expected == 1 else "")
        if expected == 2:
            lab.between(f"{name}: order of Lambda_k - Lambda_k+1", order(difference, counts), 0.95, 1.05, printed="1")
            lab.contradicts(f"{name}: order of (Lambda_k + Lambda_k+1) - lambda", abs(order(total, counts)) < 0.1,
                            order(total, counts), "a factor 1/2 is missing; the sum goes to 2 lambda", "2")


@item("order-of-the-projection", "Section 3.1: why (24) is for maps of order 1 and 2",
      [mutations.method("rattle", "yoshida-4"), mutations.method("respa-outer-16", "respa-16")])
def order_of_the_projection(lab):
    """The abstract and Theorem 3.2 promise order 1 and 2 only. More accurate maps do not help. On the pendulum this is
    seen at once: without the rod it falls freely, Verlet's map is the exact flow of that, and (24) around it, which is
    RATTLE, has order 2. On the elastic double pendulum the map is a multiple-time-step method with more and more inner
    steps; the error at t = 1 does not go to that of the slow kicks alone, which respa-16, with the constraint in each
    inner step, has. (An independent program found order 1.99 with a map of order 4.)"""
    fall = lab.run("fall", method="rattle", step="T/5", until="T")
    t = fall["t"]
    lab.at_most("Verlet on free fall, h = T/5: distance from the exact flow at T",
                distance(state(fall), [1 + 0.3 * t, -0.2 * t - t * t / 2, 0.3, -0.2 - t]), 1e-12, remark=ROUNDING)
    lab.between("(24) with the exact flow: order on the pendulum, t = 2",
                order(errors_at_2(lab, "rattle", (100, 200)), (100, 200)), 1.95, 2.05)
    inner = (1, 4, 16)
    errors = {n: elastic_errors(lab, f"respa-outer-{n}", (50, 100))[0] for n in inner}
    within = elastic_errors(lab, "respa-16", (50,))[0][0]
    lab.table("order-of-the-projection", {"inner steps": inner, "error, h = 1/50": [errors[n][0] for n in inner],
                                          "error, h = 1/100": [errors[n][1] for n in inner]})
    for n in inner:
        lab.between(f"(24) with {n} inner steps: order", order(errors[n], (50, 100)), 1.95, 2.05)
    lab.between("16 inner steps against 4: ratio of errors", errors[16][0] / errors[4][0], 0.95, 1.05,
                remark="the rest is that of the projection")
    lab.at_least("16 inner steps: error with one projection, over that with projections in inner steps",
                 errors[16][0] / within, 5)


SHADOWS = {"symplectic-euler": 1, "rattle": 2, "yoshida-4": 4}


@item("backward-error", "Remark after Theorem 3.2: the perturbed Hamiltonian",
      [mutations.method("rattle", "suzuki-4"), mutations.option("tolerance", "1e-4"),
       mutations.step(2)])
def backward_error(lab):
    """The numerical solution is the exact one of a perturbed Hamiltonian that differs from H_M by O(h^nu); so the
    energy error is O(h^nu), and oscillates because the perturbed Hamiltonian is constant. The program computes that one
    from states and actions (`--shadow`), with constraints. On the pendulum over 4 T its largest error must be at
    round-off with 100 steps a period, where the energy error is 3e-2 to 3e-5 (a window of 8 steps leaves about 1e-15
    there, and 5e-11 with 50 steps a period)."""
    for method, nu in SHADOWS.items():
        energy, shadow = [], []
        for n in (50, 100):
            run = lab.run("pendulum", method=method, step=f"T/{n}", until="4*T", shadow=8)
            energy.append(run["energy"]["max_error"])
            shadow.append(run["invariants"]["shadow"]["max_error"])
        slope = order(energy, (50, 100))
        lab.between(f"{method}: order of the energy error", slope, nu - 0.15, nu + 0.15,
                    remark="the largest error of 50 states a period is not that of the motion")
        lab.at_most(f"{method}, h = T/100: largest change of the perturbed Hamiltonian", shadow[1], 1e-14,
                    remark=ROUNDING)
        lab.at_least(f"{method}, h = T/100: energy error over that of the perturbed Hamiltonian", energy[1] / shadow[1],
                     1e9)


@item("stability", "Section 3.1: step-size restrictions in the linear case",
      [mutations.method("rattle", "midpoint"), mutations.method("midpoint", "gauss-2"),
       mutations.option("set", "omega=0.99")])
def stability(lab):
    """Symplectic Euler and Verlet in (24) have, in the linear case, the stability bound of the scheme without
    constraints, h omega = 2; the implicit midpoint rule in (24) has none. Two springs and a linear constraint (proposed
    data), of frequency omega = 1 on the line that is left, are run for 4000 steps just below and above h = 2 and, with
    the midpoint rule, with h up to 1000. In two dimensions without the constraint the faster spring would have the
    bound 2 sqrt(2/3) = 1.63: the bound is that of the system that is left."""
    steps = 4000
    for method, name in (("symplectic-euler", "symplectic Euler"), ("rattle", "Verlet")):
        below = lab.run("springs-on-a-line", method=method, step="1.99", steps=steps)["energy"]["max_error"]
        longer = lab.run("springs-on-a-line", method=method, step="1.99", steps=2 * steps)["energy"]["max_error"]
        above = lab.run("springs-on-a-line", method=method, step="2.01", steps=steps, codes=(0, 1))
        lab.at_most(f"{name}, h = 1.99: energy error in 8000 steps, over that in 4000", longer / below, 1.001,
                    remark="bounded; large, since h is near the bound")
        lab.at_least(f"{name}, h = 2.01: energy error", above["energy"]["max_error"], 1e100,
                     remark="it grows 1.49 times a step")
    for h in (10, 100, 1000):
        run = lab.run("springs-on-a-line", method="midpoint", step=h, steps=steps)
        lab.at_most(f"implicit midpoint, h = {h}: energy error", run["energy"]["max_error"], 1e-12,
                    remark="it keeps a quadratic H; rounding errors of 4000 steps")
        lab.at_most(f"implicit midpoint, h = {h}: largest |g|", run["constraint"]["position_max"], 1e-14)
