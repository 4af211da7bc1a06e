"""Figure 5.8: global errors of four methods on example 2, and what section 5 says of their orders and of their work."""

import numpy as np

import mutations
from item import item
from jay.runs import EXAMPLE_1, EXAMPLE_2, NAMES, stage

PARTS = ("q", "p", "lambda")
EXACT = {  # at t = 5, of an independent program
    "q": ("0.29044054395820", "-0.95689304022198", "-0.22354703503284", "-1.81469066707981"),
    "p": ("-0.35725597033712", "-0.10843596305493", "0.16839231981372", "-0.42340150224053"),
    "lambda": ("1.5782289994728", "0.7176748812076"),
}
# Marks of the figure's caption; orders of q, p and lambda in the text; those of an independent program between 800 and
# 1600 steps (400 for Lobatto methods, of which errors with more steps are rounding); its errors with 50 steps, h =
# 0.1.
METHODS = {
    "gauss-2+jay": ("s", (2, 2, 2), ("1.94", "1.98", "1.96"), ("1.5860e-4", "6.9226e-4", "5.7968e-4")),
    "radau-2a-2+jay": ("x", (3, 3, 3), ("3.00", "3.00", "3.00"), ("2.4706e-3", "1.9624e-3", "1.0484e-2")),
    "radau-2a-2": ("+", (3, 2, 1), ("3.00", "1.98", "0.99"), ("1.3552e-3", "1.4960e-3", "1.4588e-1")),
    "lobatto-3": ("D", (4, 4, 4), ("4.00", "4.00", "4.00"), ("8.5355e-6", "1.3049e-5", "4.8404e-5")),
}
OTHERS = {  # not in the figure: Lobatto with 2 and 4 stages
    "lobatto-2": ((2, 2, 2), ("2.00", "2.00", "2.00"), None),
    "lobatto-4": ((6, 6, 6), ("6.00", "6.00", "6.00"), ("1.9953e-8", "3.1816e-8", "1.1531e-7")),
}


def exact(lab):
    """A run of order 14 in quad, with an error below 1e-19."""
    end = lab.run(EXAMPLE_2, method="lobatto-8", step="5/100", until=5, precision="quad")
    return {part: np.array([float(x) for x in end[part].values()]) for part in PARTS}


def errors(lab, method, steps, reference, precision=None, multipliers=None):
    """Euclidean errors of q, p and lambda at t = 5."""
    chosen = {"multipliers": multipliers} if multipliers else stage(method)
    end = lab.run(EXAMPLE_2, method=method, step=f"5/{steps}", until=5, precision=precision, **chosen)
    return np.array([np.linalg.norm(np.array([float(x) for x in end[part].values()]) - reference[part])
                     for part in PARTS])


def compare_orders(lab, name, coarse, fine, orders, digits=None, within=0.08):
    measured = np.log2(coarse / fine)
    for part, order, value, text in zip(PARTS, orders, measured, digits or (None,) * 3):
        lab.printed(f"{name}: order of {part}", value, str(order), text, units=within,
                    remark="the slope of two finite h")


@item("figure-5.8", "Figure 5.8: global errors at t = 5 of four methods, example 2",
      [mutations.method("radau-2a-2+jay", "radau-2a-2"), mutations.method("lobatto-3", "suzuki-4"),
       mutations.option("multipliers", "exact"), mutations.text("m2 = 1\n", 'm2 = "1.000001"\n')])
def figure_5_8(lab):
    """Errors of q, p and lambda over h, with logarithmic scales. The orders are s = 2 for the projected Gauss method,
    2s - 1 = 3 for the projected Radau IIA method; 2s - 1 = 3 for q, s = 2 for p and s - 1 = 1 for lambda of the
    unprojected one; and 2s - 2 = 4 for Lobatto IIIA-IIIB, which is also the most accurate. lambda of the unprojected
    Radau IIA method is that of its last stage. Slopes and the errors with h = 0.1 are held against an independent
    program. The orders of the projected Gauss method settle late, so that up to 1600 steps are needed."""
    reference = exact(lab)
    for part, digits in EXACT.items():
        for k, text in enumerate(digits):
            lab.reference(f"exact {part}_{k + 1} at t = 5", reference[part][k], text, units=1)
    counts = (50, 200, 400, 800, 1600) if lab.quick else (50, 100, 200, 400, 800, 1600)
    found = {method: {n: errors(lab, method, n, reference) for n in counts} for method in METHODS}
    for method, (_, orders, digits, at_a_tenth) in METHODS.items():
        finest = 400 if method == "lobatto-3" else 1600
        compare_orders(lab, NAMES[method], found[method][finest // 2], found[method][finest], orders, digits)
        for part, error, text in zip(PARTS, found[method][50], at_a_tenth):
            lab.reference(f"{NAMES[method]}: error of {part}, h = 0.1", error, text)
    best = all(np.all(found["lobatto-3"][n] < found[method][n]) for n in counts for method in METHODS
               if method != "lobatto-3")
    lab.says("Lobatto has the smallest errors of q, p and lambda with every h", best,
             printed="superiority, in accuracy")
    for method, (orders, digits, at_a_tenth) in ({} if lab.quick else OTHERS).items():
        finest = 200 if method == "lobatto-4" else 1600
        coarse, fine = (errors(lab, method, n, reference) for n in (finest // 2, finest))
        compare_orders(lab, f"lobatto, s = {method[-1]}", coarse, fine, orders, digits)
        for part, error, text in zip(PARTS, errors(lab, method, 50, reference), at_a_tenth or ()):
            lab.reference(f"lobatto, s = {method[-1]}: error of {part}, h = 0.1", error, text)
    lab.figure("figure-5.8", draw_errors(found))
    lab.table("figure-5.8", {"h": [5 / n for n in counts]} | {
        f"{method} {part}": [found[method][n][k] for n in counts] for method in METHODS
        for k, part in enumerate(PARTS)})


def draw_errors(found):
    def draw(figure):
        panels = figure.subplots(1, 3, sharey=True)
        for k, (axes, part) in enumerate(zip(panels, ("q", "p", r"$\lambda$"))):
            for method, (mark, orders, *_) in METHODS.items():
                steps = np.array([5 / n for n in found[method]])
                values = np.array([of[k] for of in found[method].values()])
                axes.loglog(steps, values, mark + "-", fillstyle="none", label=NAMES[method])
                axes.annotate(str(orders[k]), (steps[-1], values[-1]), (-9, -2), textcoords="offset points", fontsize=7)
            axes.set_xlabel("h")
            axes.set_title(f"error of {part}")
            axes.set_xlim(left=2e-3)
        figure.get_layout_engine().set(rect=(0, 0.12, 1, 0.88))
        figure.legend(*panels[0].get_legend_handles_labels(), loc="lower center", ncol=2)

    return draw


@item("section-5-orders", "Section 5: orders of projected and unprojected methods with 1 and 3 stages",
      [mutations.method("radau-2a-3", "radau-2a-3+jay"), mutations.method("gauss-3+jay", "gauss-2+jay")], quick=False)
def general_orders(lab):
    """The order of the projected s-stage Gauss method is s, that of the projected s-stage Radau IIA method 2s - 1; of
    the unprojected one it is 2s - 1 for q, s for p and s - 1 for lambda. Figure 5.8 has s = 2; here are s = 1 and s =
    3, in quad, between 400 and 800 steps."""
    reference = exact(lab)
    for method, orders, multipliers in (
            ("gauss-1+jay", (1, 1, 1), None), ("gauss-3+jay", (3, 3, 3), None), ("radau-2a-3+jay", (5, 5, 5), None),
            ("radau-2a-3", (5, 3, 2), "stage")):
        coarse, fine = (errors(lab, method, n, reference, "quad", multipliers) for n in (400, 800))
        compare_orders(lab, method, coarse, fine, orders)


@item("section-5-work", "Section 5: the work of s-stage Lobatto and (s-1)-stage Radau IIA and Gauss methods",
      [mutations.method("lobatto-3", "lobatto-6"), mutations.method("gauss-2+jay", "gauss-4+jay")])
def work(lab):
    """For the solution of (3.11), the s-stage Lobatto IIIA-IIIB method requires a computational work approximately
    equivalent to that of the (s-1)-stage Radau IIA and Gauss methods. Compared are evaluations of constraints, of
    their Jacobians and of forces in 500 steps with s = 3. Forces of a Hamiltonian that is not separable are needed at
    s stages instead of s - 1, which is the largest difference."""
    for name, model, others in (("example 1", EXAMPLE_1, ("radau-2a-2",)),
                                ("example 2", EXAMPLE_2, ("radau-2a-2", "gauss-2+jay"))):
        lobatto, *of = (lab.run(model, method=method, step="0.12", steps=500)["evaluations"]
                        for method in ("lobatto-3", *others))
        for method, other in zip(others, of):
            for what in ("constraint", "jacobian", "force"):
                lab.between(f"{name}, over {NAMES[method]}: {what}s", lobatto[what] / other[what], 0.7, 1.5,
                            f"{lobatto[what]} and {other[what]}", printed="approximately equivalent")
