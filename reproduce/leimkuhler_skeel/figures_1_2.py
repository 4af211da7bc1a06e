"""Figures 1 and 2: the chain of six nodes, and the velocity residual of SHAKE on it."""

import mutations
import numpy as np
from item import item
from leimkuhler_skeel.chains import (curvature, every, half_steps, hidden, largest, last_state, links, longest, motion,
                                     slope, spring_matrix)

MOMENTA = ("-1.1660212140445e-01 4.3267973381906e-01 8.3206337678858e-02 8.6601330904714e-02 1.6414770227668e-02 "
           "-2.9085057437912e-02 -1.7547256768187e-02 2.9738898846934e-02 -8.6603797300415e-02 -8.9870537949824e-02 "
           "-1.7886793243347e-01 6.9935631817031e-02").split()
STEP_100 = {"q": ("6.6057293193955e-01", "3.1522469233811e-01", "1.5437224518514", "7.8431628838245e-01"),
            "p": ("1.3804832483717", "1.2763906298152e-01", "1.2593166513078", "3.5575703168675e-01")}
NAMES = ("x1", "y1", "x2", "y2")


@item("figure-1", "Figure 1: the test problem, six nodes with rigid links and springs",
      [mutations.text("kappa/2*(", "kappa*("), mutations.text('y1 = "0.5", x6 = "-0.3"', 'y1 = "0.5", x6 = "0.3"'),
       mutations.datum("K", lambda K: 5 * K, "V = 5/2 q^t K q")])
def figure_1(lab):
    """Section 7 prints g and the matrix K, and calls kappa the constant of the springs. Neither kappa nor the start is
    in the text: kappa = 1, a zigzag of +30 and -30 degrees and kicks to both end nodes are proposed data. The model is
    held against the printed K and g, and its start and its 100th step of RATTLE against an independent program. The
    text at hand has V = 5/2 q^t K q; with 1/2 the springs have the constant kappa, as the text says, so 5/2 is taken
    for a misreading."""
    start = lab.run("spring-chain", steps=0, observe="V=potential")
    q = last_state(start)[:12]
    K = lab.datum("K", spring_matrix())
    lab.at_most("V - q^t K q / 2, with K as printed", abs(start["observables"]["V"]["initial"] - q @ K @ q / 2), 1e-14,
                "a few roundings of V = 6")
    lab.at_most("largest |g|, five links of length 1", largest(np.sum(links(q)**2, axis=-1) - 1), 1e-15, "rounding")
    lab.reference("energy at the start", start["energy"]["initial"], "6.13500012331979", units=1,
                  remark="6.135000123319785 in quad")
    for (name, measured), text in zip(start["p"].items(), MOMENTA):
        lab.reference(f"p_{name} at the start", measured, text)
    end = lab.run("spring-chain", method="rattle", step="0.01", steps=100)
    for part, digits in STEP_100.items():
        for name, text in zip(NAMES, digits):
            lab.reference(f"{part} of {name} after 100 steps of RATTLE, h = 0.01", end[part][name], text)

    x, y = q[0::2], q[1::2]
    lab.table("figure-1", {"node": list(range(1, 7)), "x": list(x), "y": list(y)})

    def draw(figure):
        axes = figure.subplots()
        for i in range(4):  # second neighbours, on arcs that do not hide each other
            bend = 0.45 if i % 2 else -0.45
            axes.annotate("", (x[i + 2], y[i + 2]), (x[i], y[i]), arrowprops={
                "arrowstyle": "-", "linestyle": "--", "color": "C1", "linewidth": 0.9,
                "connectionstyle": f"arc3,rad={-bend}"})
        axes.plot([], [], "--", color="C1", label="spring, length 0 at rest")
        axes.plot(x, y, "-", color="C0", linewidth=1.6, label="rigid link, length 1")
        axes.plot(x, y, "o", color="C0", markersize=6)
        for i in range(6):
            axes.annotate(f"{i + 1}", (x[i], y[i]), (0, 8 if i % 2 else -15), textcoords="offset points", ha="center")
        axes.set_aspect("equal")
        axes.set_ylim(-0.6, 1.25)
        axes.set_xlabel("x")
        axes.set_ylabel("y")
        axes.legend(loc="upper right", ncols=2)

    lab.figure("figure-1", draw)


@item("figure-2", "Figure 2: residual of the velocity-level constraint, VS scheme",
      [mutations.method("shake", "rattle"), mutations.step(1.1), mutations.text("kappa = 1", 'kappa = "1.1"')])
def figure_2(lab):
    """Graphs of |g'(q) p| for VS with h = 0.01: errors are introduced on the velocity level, but they are not amplified
    from step to step, and RATTLE satisfies the constraint to rounding error. The Euclidean norm is compared with an
    independent program on [0, 10]. That nothing accumulates is seen on [0, 100]: the largest residual of each tenth is
    (h^2/2) |g''[p', p]| in the same tenth, a function of the state alone. Start and kappa are proposed
    data."""
    h = 0.01
    shake = lab.run("spring-chain", record=True, method="shake", step=h, until=100, every=1)
    q, p = motion(shake)
    residual = np.linalg.norm(hidden(q, p), axis=1)
    lab.reference("VS: largest residual, t <= 10", residual[:1001].max(), "3.93e-4")
    lab.reference("VS: largest residual, first 100 steps", residual[1:101].max(), "9.0e-5")
    lab.reference("VS: largest residual, last 100 steps to t = 10", residual[901:1001].max(), "2.7e-4")
    p_half = half_steps(q, h)
    acceleration = np.diff(p_half, axis=0) / h
    local = h**2 / 2 * np.linalg.norm(np.sum(links(acceleration) * links(p[1:-1]), axis=-1), axis=1)
    tenths = [slice(1000 * k, 1000 * (k + 1)) for k in range(10)]
    ratios = [residual[1:-1][of].max() / local[of].max() for of in tenths]
    lab.between("residual over (h^2/2) |g''[p', p]|, all tenths of [0, 100]: least", min(ratios), 0.99, 1.01,
                "one, if nothing is carried on from earlier steps")
    lab.between("the same: largest", max(ratios), 0.99, 1.01)
    rattle = lab.run("spring-chain", record=True, method="rattle", step=h, until=10, every=1)
    Q, P = motion(rattle)
    rounding = np.linalg.norm(hidden(Q, P), axis=1)
    lab.at_most("RATTLE: largest residual, t <= 10", rounding.max(), 1e-14, "rounding of momenta of size 1")

    t = shake["t"]
    lab.table("figure-2", {"t": list(t[:1001]), "VS": list(residual[:1001]), "RATTLE": list(rounding)})

    def draw(figure):
        short, long = figure.subplots(1, 2, width_ratios=(3, 2))
        components = np.abs(hidden(q, p))[:1001]
        for k in range(components.shape[1]):
            short.plot(t[:1001], components[:, k], color="0.75", linewidth=0.6,
                       label="components of g'(q) p" if k == 0 else None)
        short.plot(t[:1001], residual[:1001], color="C0", label="|g'(q) p|")
        short.set_title("VS, h = 0.01")
        short.set_xlabel("t")
        short.set_ylabel("velocity residual")
        short.set_ylim(0, 5.2e-4)
        short.legend(loc="upper left")
        long.semilogy(every(t[1:]), every(residual[1:]), color="C0", linewidth=0.7, label="VS")
        long.semilogy(t[1:1001], np.maximum(rounding[1:], 1e-17), color="C1", linewidth=0.7, label="RATTLE, to t = 10")
        long.set_title("on [0, 100]")
        long.set_xlabel("t")
        long.legend(loc="center right")

    lab.figure("figure-2", draw)


@item("section-7.2-residual", "Section 7.2: the velocity residual of VS in closed form",
      [mutations.datum("weight", lambda c: c * 1.001, "weight 0.25025 for 1/4"), mutations.method("shake", "bdf-2"),
       mutations.method("shake", "rattle")])
def closed_form(lab):
    """That errors on the velocity level are not amplified "can also be demonstrated analytically". For quadratic g the
    expansion (40) gives g'(q_n) p_n = (h/4) (g''[p_-, p_-] - g''[p_+, p_+]) with p_-, p_+ at the half steps before and
    after t_n: nothing is carried on, and it is O(h^2). All steps to t = 10 are held against the formula, with p_+ and
    p_- from the positions, and the largest residuals to t = 2 against h^2."""
    h = 0.01
    q, p = motion(lab.run("spring-chain", record=True, method="shake", step=h, until=10, every=1))
    p_half = half_steps(q, h)
    weight = lab.datum("weight", 0.25)
    formula = weight * h * (curvature(p_half[:-1]) - curvature(p_half[1:]))
    lab.at_most("g'(q_n) p_n minus the formula, h = 0.01, t <= 10", largest(hidden(q, p)[1:-1] - formula), 3e-13,
                "rounding of positions over h: eps |q|^2/h, 1.7e-13 in an independent program")
    lab.at_most("p_n - (p_- + p_+)/2", largest(p[1:-1] - (p_half[:-1] + p_half[1:]) / 2), 3e-13, "VS by its definition")
    steps = [0.04, 0.02, 0.01, 0.005]
    sizes = [longest(hidden(*motion(lab.run("spring-chain", record=True, method="shake", step=h, until=2, every=1))))
             for h in steps]
    lab.between("order of the largest residual in h", slope(steps, sizes), 1.95, 2.05,
                "O(h^2); slope between h = 0.01 and 0.005")
    lab.table("section-7.2-residual", {"h": steps, "largest |g'(q) p|, t <= 2": sizes})
