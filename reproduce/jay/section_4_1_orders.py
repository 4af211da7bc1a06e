"""Section 4: simplifying assumptions and orders of the Lobatto IIIA-IIIB pairs, and of the multiplier (3.3e)."""

import decimal
import functools
import re
from decimal import Decimal

import numpy as np

import mutations
from item import item

# An independent program: orders of q, p and lambda between 16 and 32 steps to t = 2, and the error of q with 32 steps.
# They were rounded twice, so that their last digit may be off by a little more than a half.
ORDERS = {
    2: ("2.011", "2.009", "2.008", "1.699e-3"),
    3: ("3.999", "3.999", "3.994", "2.467e-7"),
    4: ("6.000", "6.000", "6.003", "4.121e-11"),
    5: ("7.996", "7.996", "7.993", "5.162e-15"),
    6: ("9.998", "9.998", "10.000", "6.846e-19"),
    7: ("11.994", "11.994", "11.994", "7.319e-23"),
    8: ("13.997", "13.997", "13.998", "8.377e-27"),
    9: ("15.993", "15.993", "15.995", "8.285e-31"),
    10: ("17.996", "17.996", "17.995", "8.612e-35"),
    11: ("19.992", "19.992", "19.995", "8.105e-39"),
}
# The same, of the multiplier Lambda_s.
STAGE_ORDERS = {2: "1.04", 3: "2.01", 4: "2.75", 5: "4.04", 7: "6.08", 9: "8.13", 11: "10.2"}


@functools.cache
def exact_pendulum(steps=32, terms=48, digits=70):
    """(x, y), (p_x, p_y) and lambda of the pendulum at t = 2, by Taylor series of s' = c w, c' = -s w, w' = -s for the
    sine, the cosine and the velocity of its angle. Each series has an error of (1/16/1.85)^48 = 1e-70."""
    with decimal.localcontext() as context:
        context.prec = digits
        s, c, w, h = Decimal(1), Decimal(0), Decimal(0), Decimal(2) / steps
        for _ in range(steps):
            S, C, W = [s], [c], [w]
            for k in range(terms):
                S.append(sum(C[i] * W[k - i] for i in range(k + 1)) / (k + 1))
                C.append(-sum(S[i] * W[k - i] for i in range(k + 1)) / (k + 1))
                W.append(-S[k] / (k + 1))
            s, c, w = (sum(x * h**k for k, x in enumerate(series)) for series in (S, C, W))
        return (s, -c), (w * c, w * s), (w * w + c,)


def distance(found, exact):
    """Euclidean."""
    with decimal.localcontext() as context:
        context.prec = 70
        return float(sum((Decimal(x) - y) ** 2 for x, y in zip(found.values(), exact)).sqrt())


def errors(lab, stages, steps, multipliers=None):
    end = lab.run("pendulum", method=f"lobatto-{stages}", step=f"2/{steps}", until=2, precision="100",
                  multipliers=multipliers)
    return np.array([distance(end[part], exact) for part, exact in zip(("q", "p", "lambda"), exact_pendulum())])


def assumptions(lab, pair):
    """The numbers in B(p), C(q), D(r), and the others, as the program finds them."""
    about = lab.ask("methods", words=f"pair:{lab.model(pair)}").json[0]
    found = dict(re.findall(r"(\S+?)\((\d+)\)", about["remark"].partition("fulfils ")[2].partition(" and the")[0]))
    return {name: int(number) for name, number in found.items()}, about


@item("lemma-4.3", "Lemma 4.3: simplifying assumptions of the Lobatto IIIA-IIIB methods",
      [mutations.datum("3 stages", lambda _: "pair-chebyshev-4", "collocation at 0, 1/4, 3/4, 1 for table 2.2"),
       mutations.datum("CC(s)", lambda k: k + 1, "CC(s + 1)")])
def lemma_4_3(lab):
    """The s-stage pairs fulfil B(2s-2), C(s), D(s-2), and their duals C(s-2), D(s); by the lemma also the combined
    CC(s) and DD(s), and by (4.2) the order is 2s - 2. The program finds the largest numbers for which they hold from
    the coefficients, for s = 2, 3 and 4. The remark behind Theorem 2.2 is a case of it: the 2-stage methods fulfil
    B(2), C(2) but not D(1), and B(2), D(2) but not C(1). Without D(s-2) the lemma says nothing: of the collocation at
    0, 1/4, 3/4, 1, where D(1) does not hold, neither CC(2) nor DD(2) does."""
    combined = lab.datum("CC(s)", 0)
    for s, pair in ((2, "pair-table-2.1"), (3, "pair-table-2.2"), (4, "pair-lobatto-3a-4")):
        found, about = assumptions(lab, lab.datum(f"{s} stages", pair))
        expected = {"B": 2 * s - 2, "C": s, "D": s - 2, "Ĉ": s - 2, "D̂": s, "CĈ": s + combined, "DD̂": s}
        words = " ".join(f"{name}({k})" for name, k in expected.items())
        lab.says(f"s = {s}", found == expected, " ".join(f"{name}({k})" for name, k in found.items()), printed=words)
        lab.says(f"s = {s}: order by (4.2)", about["order"] == 2 * s - 2, about["order"], printed=str(2 * s - 2))
    found, about = assumptions(lab, "pair-chebyshev-4")
    lab.says("0, 1/4, 3/4, 1: neither D(1), nor CC(2), DD(2)", (found["D"], found["CĈ"], found["DD̂"]) == (0, 1, 1),
             about["order"], "its order is 2, and not 6")


@item("corollary-4.4", "Corollary 4.4: order 2s - 2 of the s-stage Lobatto IIIA-IIIB methods",
      [mutations.method("lobatto-4", "lobatto-3"), mutations.text("g = 1", 'g = "1.000001"'),
       mutations.option("tolerance", "1e-8")])
def corollary_4_4(lab):
    """The global errors of q, p and lambda are O(h^(2s-2)). They are measured on the pendulum at t = 2 in 100 digits,
    for s = 2 to 11 (2 to 5 in the quick form) with 16 and 32 steps, against Taylor series of 70 digits; an error of
    8e-39 is the smallest. The orders must be 2s - 2 to 0.02, and they and the errors of q those of an independent
    program."""
    names = ("s", "order q", "order p", "order lambda", "error q, 16 steps", "error q, 32 steps")
    columns = {name: [] for name in names}
    for stages in range(2, 6 if lab.quick else 12):
        coarse, fine = (errors(lab, stages, steps) for steps in (16, 32))
        orders = np.log2(coarse / fine)
        *digits, error = ORDERS[stages]
        lab.at_most(f"s = {stages}: distance of the orders of q, p and lambda from {2 * stages - 2}",
                    np.max(np.abs(orders - (2 * stages - 2))), 0.02, "they are not limits yet",
                    printed=f"{2 * stages - 2}")
        for name, order, text in zip(("q", "p", "lambda"), orders, digits):
            lab.reference(f"s = {stages}, order of {name}", order, text, units=0.55)
        lab.reference(f"s = {stages}, error of q, 32 steps", fine[0], error, units=0.55)
        for column, value in zip(columns.values(), (stages, *orders, coarse[0], fine[0])):
            column.append(value)
    lab.table("corollary-4.4", columns)
    lab.figure("corollary-4.4", draw_errors(columns))


def draw_errors(columns):
    def draw(figure):
        axes = figure.subplots()
        for s, coarse, fine in zip(columns["s"], columns["error q, 16 steps"], columns["error q, 32 steps"]):
            axes.loglog([2 / 16, 2 / 32], [coarse, fine], "o-", color="#1b3a5c")
            axes.annotate(f"s = {s}, order {2 * s - 2}", (2 / 16, coarse), (5, -3), textcoords="offset points",
                          fontsize=7)
        axes.set_xticks([2 / 32, 2 / 16], ["1/16", "1/8"])
        axes.set_xticks([], minor=True)
        axes.set_xlim(0.058, 0.17)
        axes.set_xlabel("h")
        axes.set_ylabel("error of q at t = 2")

    return draw


@item("equation-3.3e", "(3.3e) and the choice of the multiplier: lambda_1 = Lambda_s has order s - 1",
      [mutations.option("multipliers", "exact"), mutations.method("lobatto-3", "lobatto-4")])
def equation_3_3e(lab):
    """lambda_1 by (3.3e), from q_1 and p_1, has the order 2s - 2 of these. The paper calls lambda_1 := Lambda_s, the
    multiplier of the last stage, a fairly good choice where a very accurate value is unnecessary. It has the order s -
    1 only: on the pendulum, in 100 digits, the orders between 16 and 32 steps are those of an independent program, and
    the full form shows the limit between 128 and 256 steps."""
    names = ("s", "order, 16 to 32 steps", "error of Lambda_s, 32 steps", "error of lambda_1, 32 steps")
    columns = {name: [] for name in names}
    for stages in (2, 3, 5) if lab.quick else range(2, 12):
        coarse, fine = (errors(lab, stages, steps, "stage")[2] for steps in (16, 32))
        exact = errors(lab, stages, 32)[2]
        order = np.log2(coarse / fine)
        if stages in STAGE_ORDERS:
            lab.reference(f"s = {stages}, order of Lambda_s, 16 to 32 steps", order, STAGE_ORDERS[stages])
        lab.at_most(f"s = {stages}, error of (3.3e) over that of Lambda_s, 32 steps", exact / fine, 0.5,
                    "(3.3e) is the better one")
        for column, value in zip(columns.values(), (stages, order, fine, exact)):
            column.append(value)
    for stages in (2,) if lab.quick else range(2, 12):
        coarse, fine = (errors(lab, stages, steps, "stage")[2] for steps in (128, 256))
        lab.between(f"s = {stages}, order of Lambda_s, 128 to 256 steps", np.log2(coarse / fine), stages - 1.06,
                    stages - 0.94, "s - 1; for even s it settles late")
    lab.table("equation-3.3e", columns)
