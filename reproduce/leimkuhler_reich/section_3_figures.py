"""Figures 3.1 and 3.2: the two Hamiltonian underlying ODEs of the pendulum."""

import numpy as np

import mutations
from item import item
from leimkuhler_reich.experiment import PENDULUM, columns, compare_largest, compare_state, draw, motion, state

ROOT = "sqrt(q1^2 + q2^2) - 1"


@item("figure-3.1",
      "Figure 3.1: the Hamiltonian underlying ODE of Dirac for the pendulum; constraints and wedge product",
      [mutations.method("gauss-1@dirac", "gauss-1@weak"), mutations.method("gauss-1@dirac", "rk-2@dirac"),
       mutations.text("q1^2 + q2^2 - 1", ROOT, PENDULUM), mutations.step(0.99)])
def figure_3_1(lab):
    """Dirac's Hamiltonian, solved with the implicit midpoint rule from (1, 0, 0, -2): the figure shows to what extent
    the constraints are maintained, and that the wedge product is invariant. The paper prints no numbers and no
    interval; h = 0.01 (that of figure 3.2) and [0, 10] are compared with an independent program, and the residuals must
    stay in the same band to t = 100 (quick: 30). With the rod as a root, which is another continuation off the circle,
    the numbers are others."""
    long = 30 if lab.quick else 100
    seen = motion(lab, "dirac", long)
    compare_largest(lab, "Dirac", seen, 1, ("2.3953e-4", "4.4096e-4", 1e-13, None))
    compare_largest(lab, "Dirac", seen, 10, ("2.4029e-4", "4.5185e-4", None, "6.52e-4"))
    compare_state(lab, "Dirac", seen, 1, "-0.6834259170641 -0.7301143252105 -1.7060079240201 1.5966123520452")
    compare_state(lab, "Dirac", seen, 10, "0.9928885734586 -0.1190910112738 -0.2451104714026 -2.0440387469646", 10)
    lab.at_most("largest |wedge - 1| to t = 10", seen.largest(10)[2], 1e-11, printed="invariant",
                remark="rounding errors times the growth of the vectors; an independent program has 1.6e-13")
    for name, early, all_of_it in zip(("|g|", "|Gp|"), seen.largest(10), seen.largest(long)):
        lab.at_most(f"largest {name} to t = {long}, over that to t = 10", all_of_it / early, 1.25,
                    remark="a band, and no growth: the residuals are near a centre, with a frequency that follows |p|")
    lab.at_least("largest |g| to t = 10", seen.largest(10)[0], 1e-5, printed="solution need not stay on M",
                 remark="the wedge product is kept, and the constraints are not")
    root = motion(lab, "dirac", 10, model="rotating-pendulum-root")
    compare_largest(lab, "Dirac, rod as a root", root, 10, ("2.391e-4", "3.903e-4", None, None))
    lab.table("figure-3.1", columns(seen, 10))
    lab.figure("figure-3.1", lambda figure: draw(figure, {"Dirac": seen}, 10))


@item("figure-3.2", "Figure 3.2: constraint residuals and wedge product for the simplified gradient system formulation",
      [mutations.method("gauss-1@h-m", "gauss-1@dirac"), mutations.method("gauss-1@h-m", "rk-2@h-m"),
       mutations.text("q1^2 + q2^2 - 1", ROOT, PENDULUM), mutations.step(0.99)])
def figure_3_2(lab):
    """(3.9)-(3.10) with h = 0.01 on [0, 1]: the wedge product is maintained, and the residuals grow very rapidly. The
    numbers are those of an independent program (with the sign of mu that keeps g = 0, see equation 3.10). Growth is
    compared with the linear equations of section 3.6, which with gravity have the rates ±sqrt(4 p.p - q2): from t = 0.6
    to 1 the residual should grow by their exponential. Once it has grown the linear equations are not enough, so a
    fifth is left."""
    seen = motion(lab, "h-m", 1)
    compare_largest(lab, "(3.9)-(3.10)", seen, 1, ("7.2951e-3", "3.6427e-2", 1e-13, "2.30e-2"))
    compare_state(lab, "(3.9)-(3.10)", seen, 1, "-0.6808709935128 -0.7274060562112 -1.6997637863165 1.6160621180591")
    lab.at_most("largest |wedge - 1| on [0, 1]", seen.largest(1)[2], 1e-13, printed="maintained",
                remark="rounding errors")
    lab.at_least("|g| at t = 1 over |g| at t = 0.2", abs(seen.g[-1] / seen.g[seen.part(0.2, 0.2)][0]), 20,
                 printed="very rapidly growing", remark="the band of figure 3.1 has no such growth")
    late = seen.part(0.6, 1)
    q2, pp = seen.w[late, 1], seen.w[late, 2]**2 + seen.w[late, 3]**2
    rate = np.sqrt(4 * pp - q2)
    expected = float(np.sum((rate[1:] + rate[:-1]) / 2 * np.diff(seen.t[late])))
    lab.between("growth of log |g| from t = 0.6 to 1, over the integral of the frozen rate",
                float(np.log(seen.g[late][-1] / seen.g[late][0])) / expected, 0.8, 1.2,
                remark="the saddle of section 3.6")
    grown = lab.ask("stability", PENDULUM, formulation="h-m", step="0.01", until="1", every="100")["rows"][-1]
    lab.between("growth of residuals of 1e-7 in runs, over that of the linear equations",
                grown["growth_measured"] / grown["growth_expected"], 0.999, 1.001)
    lab.table("figure-3.2", columns(seen, 1))
    lab.figure("figure-3.2", lambda figure: draw(figure, {"(3.9)-(3.10)": seen}, 1))


def extended_field(W):
    """(3.9)-(3.10) of the pendulum: H + mu g = p.p (1 - 1/(2r)) + q2 (1 + 1/r)/2 with r = q.q."""
    q, p = W[:2], W[2:]
    r = q @ q
    return np.concatenate([p * (2 - 1 / r), -(p @ p - q[1]) / r**2 * q - [0, (1 + 1 / r) / 2]])


def derivative(field, W):
    """By differences of the fourth order: the fold below is needed to four digits."""
    d = 1e-4 * np.maximum(np.abs(W), 1e-2)
    return np.column_stack([
        (8 * (field(W + e) - field(W - e)) - field(W + 2 * e) + field(W - 2 * e)) / (12 * e[k])
        for k, e in enumerate(np.diag(d))])


def longest_step(w):
    """Follows the root W of W = w + h/2 f(W) from h = 0 on, by its arc length, until h turns back: the h at which it
    does."""
    scale = np.array([0.01, 0.01, 1, 1, 0.001])
    x = np.append(w, 0)
    tangent = np.array([0, 0, 0, 0, 1.0])
    longest = 0
    for _ in range(400):
        guess = x + 0.3 * tangent * scale
        y = guess
        for _ in range(20):
            residual = y[:4] - w - y[4] / 2 * extended_field(y[:4])
            jacobian = np.column_stack([np.eye(4) - y[4] / 2 * derivative(extended_field, y[:4]),
                                        -extended_field(y[:4]) / 2])
            change = np.linalg.solve(np.vstack([jacobian, tangent / scale]),
                                     np.append(residual, tangent / scale @ (y - guess)))
            y = y - change
            if np.max(np.abs(change / scale)) < 1e-11:
                break
        kernel = np.linalg.svd(jacobian * scale)[2][-1]
        tangent = kernel * np.sign(kernel @ tangent)
        x = y
        if x[4] < longest:
            return longest
        longest = x[4]
    return float("inf")


@item("figure-3.2-end", "Figure 3.2, continued: the end of the run",
      [mutations.method("gauss-1@h-m", "gauss-1@dirac"), mutations.step(0.99),
       mutations.text("S*mu*g", "0.98*S*mu*g", "extended-pendulum"),
       mutations.datum("last state", lambda w: w * [1, 1, 0.9, 0.9], "smaller momenta at the end")])
def figure_3_2_end(lab):
    """Beyond t = 1 the run of figure 3.2 ends at t = 2.19, where an independent program had a blow-up at t = 2.30 (its
    Newton method goes on without a root). By then g is close to -1/2, and p has grown: H + mu g = p.p (1 - 1/(2 q.q)) +
    q2 (1 + 1/q.q)/2 is constant, so that p goes to infinity where q.q goes to 1/2. Step 220 has no root that continues
    the motion: followed from h = 0 on, the root of the midpoint rule turns back at a step that is shorter than 0.01.
    Single steps from the last state, with the Hamiltonian written out, succeed just below that step and fail just above
    it. The equations do have other roots, but far off, inside of q.q = 1/2."""
    end = lab.run(PENDULUM, codes=(0, 1), method="gauss-1@h-m", step="0.01", until=5)
    w = lab.datum("last state", state(end))
    lab.says("step 220, from t = 2.19, fails", end["status"] == "failed" and end["steps"] == 219,
             f"{end['steps']} steps")
    lab.reference("|g| of the last state", end["constraint"]["position_max"], "4.98785883e-1")
    lab.reference("|p| of the last state", float(np.hypot(*w[2:])), "19.979",
                  remark="2 at the start; of a run in 100 digits")
    wide = lab.run(PENDULUM, codes=(0, 1), method="gauss-1@h-m", step="0.01", until=5,
                   precision="quad" if lab.quick else "100")
    lab.says("the same in a wider precision", wide["status"] == "failed" and wide["steps"] == 219,
             f"{wide['steps']} steps")
    full = lab.run(PENDULUM, codes=(0, 1), method="gauss-1@h-m", step="0.01", until=5, newton="full")
    lab.says("the same with the exact matrix in Newton's method", full["status"] == "failed" and full["steps"] == 219,
             f"{full['steps']} steps")
    fold = longest_step(w)
    lab.at_most("step at which the root of step 220 turns back", fold, 0.009, remark="shorter than h = 0.01: no root")
    other = np.array([0.0784, -0.1261, -1.853, 3.489])
    for _ in range(20):
        residual = other - w - 0.005 * extended_field(other)
        other = other - np.linalg.solve(np.eye(4) - 0.005 * derivative(extended_field, other), residual)
    lab.says("another root: residual below 1e-12, q.q",
             np.max(np.abs(residual)) < 1e-12 and other[:2] @ other[:2] < 0.1,
             f"{other[:2] @ other[:2]:.4f}", remark="|q| = 0.15, where the state before has 0.71: not a continuation")
    start = dict(zip(("D", "q10", "q20", "p10", "p20"), (0, *map(repr, map(float, w)))))
    for factor, status in ((0.999, "done"), (1.001, "failed")):
        one = lab.run("extended-pendulum", codes=(0, 1), step=f"{factor * fold:.8f}", steps=1, set=start)
        lab.says(f"one step of {factor} of it from the last state: {status}", one["status"] == status, one["status"])
    shorter = lab.run(PENDULUM, codes=(0, 1), method="gauss-1@h-m", step="0.001", until=5)
    lab.between("|g| where a run with h = 0.001 ends", shorter["constraint"]["position_max"], 0.4999, 0.5,
                remark="with smaller errors later, and for the same reason")
