"""Section 2.1: symmetry and reversibility."""

import mutations
import numpy as np
from item import item


def claim(lab, model, method, what, **options):
    """One line of `holonom certify`."""
    answer = lab.ask("certify", model, codes=(0, 3), method=method, no_advice=True, **options)
    return next(one for one in answer["claims"] if one["property"] == what)


def number(value):
    return float("nan") if value is None else value


def kept(lab, words, one):
    lab.at_most(words, number(one.get("measured")), number(one.get("at_most")),
                f"bound of certify for round-off: {one['remark']}")


def not_kept(lab, words, one, times=1e6):
    lab.at_least(words, number(one.get("measured")), times * number(one.get("at_most")),
                 "far above the bound for round-off")


@item("figure-2.1", "Figure 2.1: a reversible system, and the symmetric Störmer/Verlet method",
      [mutations.method("verlet-a", "rk-2"), mutations.method("verlet-b", "rk-4"),
       mutations.text("-sin(x) - v^2/5", "-sin(x) - v/5")])
def figure_2_1(lab):
    """With the velocity reversed, the solution of a reversible system runs back the way it came, (2.2), and so does
    one step of Störmer/Verlet, (2.3); the equation is that of figure 1.5, with h = 1.5. From three starts, the first
    of them that of figure 1.5, the others proposed data: exact flow over 1.5 (rkf-78, which is not symmetric, with
    short steps), and one step of verlet-a and verlet-b; then v is reversed and the same is done again. The distance
    from (q, -v) must be that of rounding errors. Symplectic Euler methods do not pass. `certify` measures both
    properties over ten steps of 0.5."""
    starts = ((-1.8, 0.3), (-0.5, 1.4), (0.9, -0.2))
    h = 1.5

    def after(point, method, step=h, steps=1, record=False):
        answer = lab.run("braked-pendulum", record=record, method=method, step=step, steps=steps,
                         set={"x0": repr(float(point[0])), "v0": repr(float(point[1]))})
        return answer, np.array([answer["q"]["x"], answer["p"]["v"]])

    def there_and_back(method, **options):
        worst = 0.0
        for point in starts[:1] if lab.quick else starts:
            _, there = after(point, method, **options)
            _, back = after(there * [1, -1], method, **options)
            worst = max(worst, np.max(np.abs(back - np.array(point) * [1, -1])))
        return worst

    lab.at_most("exact flow: distance from (q, -v)", there_and_back("rkf-78", step="0.05", steps=30), 1e-10,
                "errors of a method of order 8 with steps of 0.05")
    for method, name in (("verlet-a", "(A)"), ("verlet-b", "(B)")):
        lab.at_most(f"{name}: distance from (q, -v)", there_and_back(method), 1e-13,
                    "rounding errors; implicit lines are iterated to round-off")
    for method, name in (("symplectic-euler", "(SE1)"), ("symplectic-euler-adjoint", "(SE2)")):
        lab.at_least(f"{name}, h = 0.5: distance from (q, -v)", there_and_back(method, step="0.5"), 1e-2,
                     "not symmetric: an error of order h^2")
    for method in ("verlet-a", "verlet-b"):
        for what in ("symmetry", "reversibility"):
            kept(lab, f"{method}, h = 0.5: {what}, ten steps",
                 claim(lab, "reversible-pendulum", method, what, step="0.5"))

    there, end = after(starts[0], "rkf-78", step="0.05", steps=30, record=True)
    back, _ = after(end * [1, -1], "rkf-78", step="0.05", steps=30, record=True)
    jumps = [(np.array(point), after(point, "verlet-a")[1]) for point in starts]
    lab.table("figure-2.1", {"t": there["t"], "q there": there["x"], "v there": there["v"], "q back": back["x"],
                             "v back": back["v"]})

    def draw(figure):
        left, right = figure.subplots(1, 2, sharey=True)
        left.plot(there["x"], there["v"], color="C0", label="flow over 1.5")
        left.plot(back["x"], back["v"], color="C1", label="from its end, v reversed")
        for points, colour in (((starts[0], end), "C0"), ((end * [1, -1], np.array(starts[0]) * [1, -1]), "C1")):
            left.plot(*np.array(points).T, "o", color=colour)
        left.set_title("exact flow")
        for point, image in jumps:
            for a, b, colour in ((point, image, "C0"), (image * [1, -1], point * [1, -1], "C1")):
                right.annotate("", b, a, arrowprops={"arrowstyle": "->", "color": colour})
                right.plot(*np.array([a, b]).T, "o", color=colour)
        right.set_title("(A), one step of h = 1.5, three starts")
        for axes in (left, right):
            axes.axhline(0, color="0.7", linewidth=0.6)
            axes.set(xlabel="q", xlim=(-2.2, 2.2), ylim=(-2.2, 2.2))
        left.set_ylabel("v")
        left.legend(loc="upper right")

    lab.figure("figure-2.1", draw)


@item("theorem-2.1", "Theorem 2.1: Störmer/Verlet is symmetric and reversible",
      [mutations.method("verlet-a", "symplectic-euler"), mutations.method("verlet-b", "rk-2"),
       mutations.text("potential = \"-1/", "potential = \"-1/(1 + y/100)/", "kepler-mirrored")])
def theorem_2_1(lab):
    """On second order equations the method satisfies (2.1) and (2.3), and (2.6) for other involutions that act on
    positions and velocities apart: the paper names (q1, q2, v1, v2) -> (q1, -q2, -v1, v2) for Kepler's problem. Such
    relations do not hold for the symplectic Euler methods; (2.4) holds for practically all methods. `certify` measures
    symmetry and reversibility over one and ten steps on Kepler's problem, h = 0.05, with both involutions; (2.4) is
    measured by runs with h from (q, v) and with -h from (q, -v)."""
    for model, involution in (("kepler", "(q, -v)"), ("kepler-mirrored", "(q1, -q2, -v1, v2)")):
        for method in ("verlet-a", "verlet-b"):
            for what in ("symmetry", "reversibility"):
                kept(lab, f"{method}: {what}, {involution}", claim(lab, model, method, what, step="0.05"))
    for method in ("symplectic-euler", "symplectic-euler-adjoint"):
        for what in ("symmetry", "reversibility"):
            not_kept(lab, f"{method}: {what}", claim(lab, "kepler", method, what, step="0.05"))
    point = np.array([0.3, 0.4, -1.2, 0.8])

    def one_step(method, h, state):
        answer = lab.run("kepler-mirrored", method=method, step=h, steps=1,
                         set={name: repr(float(value)) for name, value in zip(("x0", "y0", "u0", "w0"), state)})
        return np.array([*answer["q"].values(), *answer["p"].values()])

    flip = np.array([1, 1, -1, -1])
    for method in ("verlet-a", "verlet-b", "symplectic-euler", "symplectic-euler-adjoint", "rk-2"):
        lab.at_most(f"(2.4): {method}",
                    np.max(np.abs(one_step(method, "0.05", point) * flip - one_step(method, "-0.05", point * flip))),
                    1e-14, "rounding errors of one step")
