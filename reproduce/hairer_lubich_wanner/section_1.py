"""Section 1, the formulations of the Störmer/Verlet method: figures 1.1 to 1.3, and the variational principle."""

import mutations
import numpy as np
from item import item

EPS = np.finfo(float).eps


def start(**values):
    """Parameters of a start, with all digits of a double."""
    return {name: repr(float(value)) for name, value in values.items()}


@item("figure-1.1", "Figure 1.1: the two-step formulation, and one-step formulations",
      [mutations.method("verlet-a", "symplectic-euler"), mutations.method("shake-two-step", "midpoint"),
       mutations.datum("force", lambda f: lambda q: 1.001 * f(q), "the force times 1.001")])
def figure_1_1(lab):
    """The two-step method (1.2), the one-step methods (A) and (B), (1.5) and (1.6), and the scheme (1.7) are one
    method; (1.7) is numerically more stable than (1.2). All of them run on the pendulum q'' = -sin q with start and
    step of section 4.2 (-1.2, 1, h = 0.9; figure 1.1 is a sketch): (1.2) as shake-two-step, (A) as verlet-a, (B) as
    verlet-b, (1.7) as shake-leapfrog. (B) starts on the staggered grid, from the values (1.4) of (A). Positions must
    agree to rounding errors. For the last claim, runs with short steps in double precision are compared with the same
    runs in quad."""
    h = 0.9
    force = lab.datum("force", lambda q: -np.sin(q))
    two_step, a, leapfrog = (lab.run("pendulum-angle", record=True, method=key, step=h, steps=20)
                             for key in ("shake-two-step", "verlet-a", "shake-leapfrog"))
    q, t = a["x"], a["t"]
    middle_q, middle_v = (q[1:] + q[:-1]) / 2, (q[1:] - q[:-1]) / h
    b = lab.run("pendulum-angle", record=True, method="verlet-b", step=h, steps=19,
                set=start(x0=middle_q[0], p0=middle_v[0]))

    rounding = 1e-13
    why = "rounding errors of 20 steps"
    second = (two_step["x"][2:] - 2 * two_step["x"][1:-1] + two_step["x"][:-2]) / h**2
    lab.at_most("(1.2): second difference / h^2 against f(q_n)", np.max(np.abs(second - force(two_step["x"][1:-1]))),
                64 * EPS / h**2, "rounding of positions, over h^2")
    lab.at_most("(A) against (1.2), positions", np.max(np.abs(q - two_step["x"])), rounding, why)
    lab.at_most("(1.7) against (1.2), positions", np.max(np.abs(leapfrog["x"] - two_step["x"])), rounding, why)
    lab.at_most("(A): v_n against (q_n+1 - q_n-1)/2h of (1.4)",
                np.max(np.abs(a["p_x"][1:-1] - (q[2:] - q[:-2]) / (2 * h))), rounding, why)
    lab.at_most("(B): q_n+1/2 against (q_n + q_n+1)/2 of (1.4)", np.max(np.abs(b["x"] - middle_q)), rounding, why)
    lab.at_most("(B): v_n+1/2 against (q_n+1 - q_n)/h of (1.4)", np.max(np.abs(b["p_x"] - middle_v)), rounding, why)

    def rounding_error(key):
        ends = [float(lab.run("pendulum-angle", method=key, step="0.001", until=20, precision=precision)["q"]["x"])
                for precision in ("double", "quad")]
        return abs(ends[0] - ends[1])

    lab.at_least("rounding error of (1.2) over that of (1.7), h = 0.001",
                 rounding_error("shake-two-step") / rounding_error("shake-leapfrog"), 20,
                 "(1.2) adds its own rounding errors twice, so they grow like 1/h more; 20 is far below 1/h = 1000")

    lab.table("figure-1.1", {"t": t, "q": q, "v": a["p_x"]})

    def draw(figure):
        left, right = figure.subplots(1, 2)
        first = 1
        for n in range(first, first + 4):
            s = np.linspace(-1.15, 1.15, 40)
            parabola = q[n] + s * (q[n + 1] - q[n - 1]) / 2 + s**2 * (q[n + 1] - 2 * q[n] + q[n - 1]) / 2
            left.plot(t[n] + s * h, parabola, color="0.6", linewidth=0.7)
        left.plot(t[first - 1:first + 5], q[first - 1:first + 5], "o", color="black")
        left.set(title="two-step formulation: parabolas with q'' = f(q_n)", xlabel="t", ylabel="q")
        right.plot(t[first - 1:first + 5], q[first - 1:first + 5], "o-", color="black",
                   label="q_n and v_n+1/2 (slopes)")
        right.plot(b["t"][first - 1:first + 4] + h / 2, b["x"][first - 1:first + 4], "s", mfc="white",
                   label="q_n+1/2 of (B)")
        for n in range(first, first + 4):
            right.plot(t[n] + np.array([-0.4, 0.4]) * h, q[n] + np.array([-0.4, 0.4]) * h * a["p_x"][n], color="C1",
                       label="v_n of (A) (slopes)" if n == first else None)
        right.set(title="one-step formulations", xlabel="t", ylabel="q")
        right.legend(loc="lower right")

    lab.figure("figure-1.1", draw)


@item("figure-1.2", "Figure 1.2: gravitation acting at mid-point, and Kepler's second law",
      [mutations.method("verlet-b", "rk-2"), mutations.text('"-1/r"', '"-1/r + x/100"')])
def figure_1_2(lab):
    """Newton's proof of Kepler's second law is variant (B): uniform motion over half the interval, a kick towards the
    Sun, and uniform motion over the other half. The kick moves the next point parallel to the ray from the Sun, so
    that all triangles between the Sun and two successive kicks have one area. Kepler's problem with e = 0.6 (proposed
    data: h = 0.15) by verlet-b; the points of the kicks are q_n = q_n-1/2 + h/2 v_n-1/2. Areas must agree to rounding
    errors with h L/2, where L is the angular momentum; those of the explicit midpoint rule, formed in the same way,
    do not."""
    h = 0.15

    def kicks(key):
        run = lab.run("kepler", record=True, method=key, step=h, steps=60)
        at = np.array([run["x"], run["y"]]).T
        return run, at + h / 2 * np.array([run["p_x"], run["p_y"]]).T

    def cross(a, b):
        return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]

    run, q = kicks("verlet-b")
    areas = cross(q[:-1], q[1:]) / 2
    without = 2 * q[1:-1] - q[:-2]
    lab.at_most("areas of triangles against h L/2, L = 0.8", np.max(np.abs(areas - h * 0.8 / 2)), 64 * EPS,
                "rounding errors of 60 steps")
    lab.at_most("areas without the kick against h L/2",
                np.max(np.abs(cross(q[1:-1], without) / 2 - h * 0.8 / 2)), 64 * EPS, "rounding errors")
    lab.at_most("the kick, across the ray from the Sun", np.max(np.abs(cross(q[1:-1], q[2:] - without))), 64 * EPS,
                "rounding errors: the point moves parallel to the ray")
    shift = np.linalg.norm(q[2:] - without, axis=1)
    lab.at_most("length of the kick against h^2/r^2",
                np.max(np.abs(shift - h**2 / np.sum(q[1:-1]**2, axis=1))), 64 * EPS,
                "rounding errors: (1.2) with f = -q/r^3")
    _, other = kicks("rk-2")
    lab.at_least("spread of areas of the explicit midpoint rule, over h L/2",
                 np.ptp(cross(other[:-1], other[1:]) / 2) / (h * 0.8 / 2), 0.01,
                 "a method that does not keep the areas is told from one that does")
    lab.table("figure-1.2", {"n": np.arange(len(areas)), "x": q[:-1, 0], "y": q[:-1, 1], "area": areas})

    def draw(figure):
        one, two = figure.subplots(1, 2, gridspec_kw={"width_ratios": [2, 1]})
        shown = 46
        for k in range(0, shown - 1, 2):
            one.fill([0, q[k, 0], q[k + 1, 0]], [0, q[k, 1], q[k + 1, 1]], color="#1b3a5c", alpha=0.18, linewidth=0)
        one.plot(q[:shown, 0], q[:shown, 1], "o-", color="black", markersize=2)
        one.plot(run["x"][1:shown], run["y"][1:shown], "|", color="C1", markersize=4)
        one.plot(0, 0, "*", color="C3", markersize=9)
        one.set_aspect("equal")
        one.set(title="(B) with h = 0.15: triangles of one area", xlabel="q1", ylabel="q2")
        k = 0
        pieces = [np.zeros(2), q[k], q[k + 1]]
        two.plot(*np.array([pieces[0], q[k], q[k + 1], pieces[0]]).T, color="C0")
        two.plot(*np.array([q[k + 1], without[k], pieces[0]]).T, "--", color="0.5")
        two.plot(*np.array([q[k + 1], q[k + 2], pieces[0]]).T, color="C1")
        two.plot(*np.array([without[k], q[k + 2]]).T, ":", color="black")
        for point, name in zip((pieces[0], q[k], q[k + 1], without[k], q[k + 2]), ("S", "1", "2", "3", "4")):
            two.annotate(name, point, textcoords="offset points", xytext=(3, 3))
        two.set_aspect("equal")
        two.set(title="the kick at 2 leads from 3 to 4", xlabel="q1", ylabel="q2")

    lab.figure("figure-1.2", draw)


@item("figure-1.3", "Figure 1.3: the vector field split into two, and (1.8) to (1.13)",
      [mutations.method("symplectic-euler", "symplectic-euler-adjoint"), mutations.method("verlet-b", "rk-2"),
       mutations.text("-second*sin(x)", "-second*sin(x) - first*v/50")])
def figure_1_3(lab):
    """The field (v, f(q)) is split into (v, 0) and (0, f(q)), whose flows (1.10) are exact. Composed over h/2 they
    are the symplectic Euler methods (SE1) and (SE2), (1.11); (A) is (SE2) after (SE1), and (B) is (SE1) after (SE2),
    (1.12) and (1.13). Each flow is a run of its own, of the pendulum with one of its fields switched off, from the
    end of the run before; the methods are runs of symplectic-euler, symplectic-euler-adjoint, verlet-a and verlet-b.
    States must agree to rounding errors over four steps (proposed data: h = 0.5, start -1.2, 1). (SE2) must be the
    adjoint of (SE1)."""
    h = 0.5

    def go(state, key, step, steps=1, **fields):
        answer = lab.run("pendulum-split", method=key, step=repr(step), steps=steps,
                         set={**fields, **start(x0=state[0], v0=state[1])})
        return np.array([answer["q"]["x"], answer["p"]["v"]])

    def flow(number):
        """phi^[1] or phi^[2]: any method is exact."""
        return lambda state, t: go(state, "rk-2", t, **{"second" if number == 1 else "first": 0})

    one, two = flow(1), flow(2)
    euler = lambda state, t: go(state, "symplectic-euler", t)  # noqa: E731
    adjoint = lambda state, t: go(state, "symplectic-euler-adjoint", t)  # noqa: E731
    bound, why = 1e-14, "rounding errors"
    x = np.array([-1.2, 1.0])
    lab.at_most("(1.10): phi^[1] against q + t v, v", np.max(np.abs(one(x, h) - [x[0] + h * x[1], x[1]])), bound, why)
    lab.at_most("(1.10): phi^[2] against q, v + t f(q)",
                np.max(np.abs(two(x, h) - [x[0], x[1] - h * np.sin(x[0])])), bound, why)
    lab.at_most("(1.11): (SE1) against phi^[1] after phi^[2]",
                np.max(np.abs(euler(x, h / 2) - one(two(x, h / 2), h / 2))), bound, why)
    lab.at_most("(1.11): (SE2) against phi^[2] after phi^[1]",
                np.max(np.abs(adjoint(x, h / 2) - two(one(x, h / 2), h / 2))), bound, why)
    lab.at_most("(SE2) with h, then (SE1) with -h", np.max(np.abs(euler(adjoint(x, h / 2), -h / 2) - x)), bound,
                "(SE2) is the adjoint of (SE1): rounding errors")
    lab.at_least("(SE1) with h, then (SE1) with -h", np.max(np.abs(euler(euler(x, h / 2), -h / 2) - x)), 1e-3,
                 "not its own adjoint: an error of order h^2")

    stages = {"A": [x], "B": [x]}
    ends = {"A": x, "B": x}
    composed = {"A": x, "B": x}
    steps = 2 if lab.quick else 4
    for _ in range(steps):
        for part in (lambda s: two(s, h / 2), lambda s: one(s, h), lambda s: two(s, h / 2)):
            stages["A"].append(part(stages["A"][-1]))
        for part in (lambda s: one(s, h / 2), lambda s: two(s, h), lambda s: one(s, h / 2)):
            stages["B"].append(part(stages["B"][-1]))
        composed["A"] = adjoint(euler(composed["A"], h / 2), h / 2)
        composed["B"] = euler(adjoint(composed["B"], h / 2), h / 2)
    for name, key in (("A", "verlet-a"), ("B", "verlet-b")):
        ends[name] = go(x, key, h, steps)
        lab.at_most(f"(1.12): ({name}) against the two Euler methods",
                    np.max(np.abs(ends[name] - composed[name])), bound, why)
        lab.at_most(f"(1.13): ({name}) against three flows", np.max(np.abs(ends[name] - stages[name][-1])), bound, why)
    for name in stages:
        stages[name] = np.array(stages[name])
    lab.table("figure-1.3", {"stage": np.arange(3 * steps + 1), **{
        f"{part} of {name}": stages[name][:, k] for name in "AB" for k, part in enumerate("qv")}})

    def draw(figure):
        q, v = np.meshgrid(np.linspace(-2.4, 2.4, 13), np.linspace(-2, 2, 9))
        fields = {"(v, f(q))": (v, -np.sin(q)), "(v, 0)": (v, 0 * v), "(0, f(q))": (0 * v, -np.sin(q))}
        for axes, (title, (along, across)) in zip(figure.subplots(1, 3, sharey=True), fields.items()):
            axes.quiver(q, v, along, across, color="0.55", angles="xy", scale_units="xy", scale=4, width=0.004)
            axes.set(title=title, xlabel="q", xlim=(-2.5, 2.5), ylim=(-2.1, 2.1))
            if title == "(v, f(q))":
                axes.set_ylabel("v")
                for name, colour in (("A", "C0"), ("B", "C1")):
                    axes.plot(*stages[name][:13].T, color=colour, linewidth=0.7)
                    axes.plot(*stages[name][:13:3].T, "o", color=colour, label=f"({name}), h = 0.5")
                axes.legend(loc="upper left", fontsize=6)

    lab.figure("figure-1.3", draw)


@item("equation-1.18", "Equation (1.18): the discrete action is stationary",
      [mutations.method("verlet-a", "rk-2"), mutations.datum("half", lambda _: 0.4, "0.4 for 1/2 in (1.17)")])
def equation_1_18(lab):
    """Of all polygons with the same ends, the positions of the Störmer/Verlet method make the sum (1.16) of the
    discrete Lagrangians (1.17) stationary, and over a short time the smallest. Kepler's problem with h = 0.05, first
    20 steps. The gradient of the sum by the inner points, from the derivatives of (1.17), must vanish to rounding
    errors and be h times (1.18); the action must grow when inner points are moved; and the derivatives at the ends
    must be the momenta, (2.15) and (2.16)."""
    h, steps = 0.05, 20
    half = lab.datum("half", 0.5)
    run = lab.run("kepler", record=True, method="verlet-a", step=h, steps=steps)
    q = np.array([run["x"], run["y"]]).T
    p = np.array([run["p_x"], run["p_y"]]).T

    def lagrangian(at, v):
        return np.sum(v**2, axis=-1) / 2 + 1 / np.linalg.norm(at, axis=-1)

    def action(points):
        v = np.diff(points, axis=0) / h
        return np.sum(h * half * lagrangian(points[:-1], v) + h * (1 - half) * lagrangian(points[1:], v))

    def force(at):
        return -at / np.linalg.norm(at, axis=-1)[:, None]**3

    v = np.diff(q, axis=0) / h
    by_first = -v + half * h * force(q[:-1])  # the gradients of (1.17) by its two points
    by_second = v + (1 - half) * h * force(q[1:])
    lab.at_most("gradient of the sum (1.16) by the inner points", np.max(np.abs(by_second[:-1] + by_first[1:])),
                64 * EPS * 2 / h, "rounding of positions, over h")
    lab.at_most("(2.15): -grad_q S(q_n, q_n+1) against p_n", np.max(np.abs(-by_first - p[:-1])), 64 * EPS * 2 / h,
                "rounding of positions, over h")
    lab.at_most("(2.16): grad_Q S(q_n, q_n+1) against p_n+1", np.max(np.abs(by_second - p[1:])), 64 * EPS * 2 / h,
                "rounding of positions, over h")
    directions = np.random.default_rng(1)
    least = action(q)
    growth = []
    for _ in range(50):
        change = np.zeros_like(q)
        change[1:-1] = directions.standard_normal((steps - 1, 2)) * 1e-2
        growth.append(action(q + change) - least)
    lab.at_least("least growth of the action in 50 random changes", min(growth), 1e-6,
                 "a minimum: changes of 0.01 raise the action by about 0.01^2/h for each point")
    lab.table("equation-1.18", {"n": np.arange(1, steps), "gradient 1": (by_second[:-1] + by_first[1:])[:, 0],
                                "gradient 2": (by_second[:-1] + by_first[1:])[:, 1]})
