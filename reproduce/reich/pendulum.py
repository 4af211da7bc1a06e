"""What the items share: the exact state at t = 2, states of answers, and slopes."""

import math
from decimal import Decimal

# x, y, p_x, p_y of the pendulum of section 5 at t = 2, by elliptic functions (an independent program)
EXACT_AT_2 = ("-0.204193214788280422521", "-0.978930605831908382143", "-1.369754885003414137283",
              "0.285714484534999514681")
ROUNDING = "rounding errors"


def state(answer, exact=False):
    """All q, then all p; as decimal numbers of all digits, if they are needed."""
    values = [*answer["q"].values(), *answer["p"].values()]
    return [Decimal(value) if exact else float(value) for value in values]


def distance(one, other):
    """The largest difference of two states."""
    return float(max(abs(a - b) for a, b in zip(one, other, strict=True)))


def euclidean(one, other):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)))


def order(errors, steps):
    """The slope of log(error) over log(h), of the last two numbers of steps."""
    return math.log(errors[-2] / errors[-1]) / math.log(steps[-1] / steps[-2])


def errors_at_2(lab, method, steps):
    """Errors of the pendulum at t = 2 with these numbers of steps, in quad, as Euclidean norms of (q, p)."""
    exact = [Decimal(digits) for digits in lab.datum("exact state", EXACT_AT_2)]
    runs = [lab.run("pendulum", method=method, step=f"2/{n}", until="2", precision="quad") for n in steps]
    return [euclidean(state(run, exact=True), exact) for run in runs]


def elastic_errors(lab, method, steps):
    """Errors of the elastic double pendulum at t = 1 with these numbers of steps, and the runs. Of positions only: at
    t = 1 the part of order 1 in the momenta of symplectic Euler is small."""
    model = "elastic-double-pendulum"
    exact = state(lab.run(model, method="lobatto-8", step="0.02", until="1"))
    runs = [lab.run(model, method=method, step=f"1/{n}", until="1") for n in steps]
    return [distance(state(run)[:4], exact[:4]) for run in runs], runs


def worst_residual(answer):
    """The larger one of |g| and |G H_p|, over all steps of a run."""
    return max(float(answer["constraint"]["position_max"]), float(answer["constraint"]["hidden_max"]))


def claim(certificate, name):
    """A line of what certify measures."""
    return next(one for one in certificate["claims"] if one["property"] == name)
