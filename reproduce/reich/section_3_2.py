"""Section 3.2: methods of higher order by composition."""

import math

import mutations
from item import item
from reich.pendulum import ROUNDING, claim, distance, elastic_errors, errors_at_2, order, state

# Key: order; what an independent program measured, with which numbers of steps to t = 2
NESTED = {"yoshida-4": (4, "4.02", (40, 80)), "triple-jump-6": (6, "6.04", (40, 80)),
          "triple-jump-8": (8, "8.39", (20, 40))}
OTHERS = {"yoshida-6": 6, "yoshida-8": 8, "mclachlan-4": 4, "mclachlan-6": 6}


@item("theorem-3.3", "Theorem 3.3: orders of compositions",
      [mutations.method("triple-jump-6", "triple-jump-4"), mutations.method("yoshida-8", "yoshida-6"),
       mutations.datum("c1", lambda c: 1.3512, "c_1 = 1.3512"),
       mutations.datum("exact state", lambda digits: ("-0.2041", *digits[1:]), "a wrong digit in the exact state")])
def theorem_3_3(lab):
    """(27) with 2 c_1 + c_2 = 1 and 2 c_1^(nu+1) + c_2^(nu+1) = 0 raises the order nu of a symmetric method by 2, first
    from 2 to 4; all of Yoshida's and McLachlan's compositions carry over to constraints. Orders are measured on the
    pendulum against the exact state at t = 2, in quad: with the steps of an independent program, and with shorter ones.
    The proof says that a projection onto f = 0 after a substep is undone by the next substep: a step of (27) is
    compared with three steps of RATTLE, each of them projected."""
    for method, (nu, digits, steps) in NESTED.items():
        lab.reference(f"{method}: order from {steps[0]} to {steps[1]} steps",
                      order(errors_at_2(lab, method, steps), steps), digits)
    steps = (100, 200) if lab.quick else (25, 50, 100, 200)
    errors = {}
    for method, nu in [(method, nu) for method, (nu, *_) in NESTED.items()] + list(OTHERS.items()):
        errors[method] = errors_at_2(lab, method, steps)
        lab.between(f"{method}: order from 100 to 200 steps", order(errors[method], steps), nu - 0.05, nu + 0.05,
                    printed=str(nu))
    lab.table("theorem-3.3", {"steps": steps, **errors})
    of_midpoint, _ = elastic_errors(lab, "yoshida-4/midpoint", (100, 200))
    lab.between("(27) with the midpoint rule: order on the elastic double pendulum, t = 1",
                order(of_midpoint, (100, 200)), 3.95, 4.05, printed="4")
    c1 = lab.datum("c1", 1 / (2 - 2 ** (1 / 3)))
    c2 = 1 - 2 * c1
    whole = state(lab.run("pendulum-from", method="yoshida-4", set={"phi": 0.5}, step="0.04*T", steps=1))
    at = {"phi": 0.5}
    for c in (c1, c2, c1):
        x, y, px, py = state(lab.run("pendulum-from", method="rattle", set=at, step=f"{c!r}*(0.04*T)", steps=1))
        at = {"phi": repr(math.atan2(x, -y)), "speed": repr(-y * px + x * py)}
    lab.at_most("(27) against three steps of RATTLE, h = 0.04 T: distance", distance(whole, (x, y, px, py)), 1e-14,
                remark=ROUNDING)
    defect = claim(lab.ask("certify", "pendulum", method="yoshida-4", no_advice=True, codes=(0, 3)), "symplecticity")
    lab.at_most("(27): defect of the symplectic form", defect["measured"], defect["at_most"], remark=ROUNDING)

    def draw(figure):
        axes = figure.subplots()
        for (method, values), mark in zip(errors.items(), "osD^v<>"):
            axes.loglog([2 / n for n in steps], values, mark + ("-" if method in NESTED else "--"), label=method)
        axes.set_xlabel("h")
        axes.set_ylabel("error of (q, p) at t = 2")
        axes.set_xticks([2 / n for n in steps], [f"{2 / n:g}" for n in steps], minor=False)
        axes.minorticks_off()
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))

    lab.figure("theorem-3.3", draw)
