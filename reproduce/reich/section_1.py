"""The equations of motion: as a limit of stiff springs (section 1), and those of the pendulum (section 5)."""

import math

import numpy as np

import mutations
from item import item
from reich.pendulum import EXACT_AT_2, distance, order, state

STIFFNESS = {"0.01": "0.005", "0.001": "0.002", "0.0001": "0.001", "0.00001": "0.0002"}  # eps: a step that resolves it


@item("equation-7", "Equations (7) and (8): the constrained system as a limit of stiff springs",
      [mutations.method("lobatto-3@penalty:0.0001", "lobatto-3@penalty:0.0002"),
       mutations.text('potential = "m*g*y"', 'potential = "1.01*m*g*y"')])
def equation_7(lab):
    """With g.g/(2 eps) as a potential instead of the constraint, and lambda = g/eps, the constrained system (8) is the
    limit for eps to 0. The pendulum of section 5 is run to t = 2 with steps that resolve the springs. Its state must go
    to the exact one, and g/eps to the multiplier (18), both in proportion to eps: the start has lambda = 0, so that no
    vibration is excited."""
    exact = [float(digits) for digits in EXACT_AT_2]
    springs = list(STIFFNESS)[:3] if lab.quick else list(STIFFNESS)
    errors, multipliers = [], []
    for eps in springs:
        run = lab.run("pendulum", record=True, method=f"lobatto-3@penalty:{eps}", step=STIFFNESS[eps], until="2")
        errors.append(distance(state(run), exact))
        multipliers.append(np.abs((np.hypot(run["x"], run["y"]) - 1) / float(eps) - run["lambda_rod"]).max())
    inverse = [1 / float(eps) for eps in springs]
    lab.table("equation-7", {"eps": springs, "error at t = 2": errors, "largest |g/eps - lambda|": multipliers})
    for k in range(1, len(springs)):
        for what, values in (("the error at t = 2", errors), ("|g/eps - lambda|", multipliers)):
            lab.between(f"eps from {springs[k - 1]} to {springs[k]}: power of eps in {what}",
                        order(values[: k + 1], inverse[: k + 1]), 0.95, 1.05,
                        remark="1, up to terms of higher order in eps")


@item("equation-36", "Equations (35) and (36): multiplier and period of the pendulum",
      [mutations.text('rod = "sqrt(x^2 + y^2) - L"', 'rod = "(x^2 + y^2 - L^2)/2"'),
       mutations.text('potential = "m*g*y"', 'potential = "1.01*m*g*y"')])
def equation_36(lab):
    """The hidden constraint is q.p = 0, equation (18) gives lambda = (p.p/m - m g q_y)/L, and the period is
    T = 7.416298709... for m = g = L = 1. The formulas are held against all recorded states of a run with other m, g and
    L; the period is the time between two passages through the lowest point, in a run whose error is at round-off."""
    m, g, length = 2, 9.81, 0.7
    run = lab.run("pendulum", record=True, method="lobatto-6", set={"m": m, "g": g, "L": length}, step="T/50",
                  until="T")
    q, p = np.array([run["x"], run["y"]]), np.array([run["p_x"], run["p_y"]])
    formula = ((p**2).sum(axis=0) / m - m * g * q[1]) / length
    lab.at_most("largest difference of lambda from the formula, relative",
                np.abs(run["lambda_rod"] - formula).max() / np.abs(formula).max(), 1e-13, remark="rounding errors")
    lab.at_most("largest |q.p|", np.abs((q * p).sum(axis=0)).max(), 1e-13, remark="rounding errors")
    passages = lab.run("pendulum", method="lobatto-8", step="T/50", until="1.5*T", event="lowest=x")["events"]
    period = passages[2]["t"] - passages[0]["t"]
    lab.printed("T", period, "7.416298709")
    lab.reference("T", period, "7.41629870921")
    lab.at_most("T against 4 K(1/2)", abs(period - math.gamma(0.25) ** 2 / math.sqrt(math.pi)), 1e-12,
                remark="4 K(1/2) = Gamma(1/4)^2/sqrt(pi)")
