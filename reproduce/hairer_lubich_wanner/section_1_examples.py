"""Sections 1.7 and 1.8: Kepler's problem, figure 1.4, and the general partitioned equation of figure 1.5."""

import mutations
import numpy as np
from item import item

EPS = np.finfo(float).eps

# x, y, v_x, v_y of Verlet after 100 steps, of an independent program
VERLET_STEP_100 = {
    "0.02": ("-1.3410436650014e+00", "5.4380291058217e-01", "-4.6874715422996e-01", "-4.0646993638500e-01"),
    "0.05": ("-1.0298667342718e+00", "-7.3325567941322e-01", "7.3110177597901e-01", "-2.5626176839366e-01"),
}


def state(answer):
    return np.array([*answer["q"].values(), *answer["p"].values()])


@item("figure-1.4", "Figure 1.4: Kepler's problem by Störmer/Verlet and by the explicit midpoint rule, two step sizes",
      [mutations.method("rattle", "symplectic-euler"), mutations.method("rk-2", "rk-4"),
       mutations.text('e = "0.6"', 'e = "0.61"'), mutations.step(1.001)])
def figure_1_4(lab):
    """The explicit midpoint rule of Runge has the order of Störmer/Verlet and begins like it, "the first step is even
    identical", but deteriorates as the interval increases. The paper does not print its step sizes: the figure has 0.1
    and 0.05 (proposed data), and numbers of an independent program are compared for 0.05 and 0.02. Order and first
    errors are measured against the exact flow. The long-time claim is judged by the largest energy errors within the
    four quarters of 100 time units: they stay the same for Störmer/Verlet, and grow for the explicit midpoint rule."""
    for step, digits in VERLET_STEP_100.items():
        reached = state(lab.run("kepler", method="rattle", step=step, steps=100))
        for name, value, text in zip(("q1", "q2", "v1", "v2"), reached, digits):
            lab.reference(f"Verlet, h = {step}, step 100, {name}", value, text, units=50,
                          remark="the last digits depend on rounding errors")
    around = state(lab.run("kepler", method="kahan-li-8", step="2*pi/400", steps=400))
    lab.at_most("exact solution after 2 pi, distance from its start",
                np.max(np.abs(around - [0.4, 0, 0, 2])), 1e-10, "the period is 2 pi; order 8 with 400 steps",
                printed="2 pi")

    verlet, runge = (state(lab.run("kepler", method=key, step="0.05", steps=1)) for key in ("rattle", "rk-2"))
    lab.at_most("first step, h = 0.05: positions differ by", np.max(np.abs(verlet[:2] - runge[:2])), EPS,
                "both are q + h v + h^2/2 f(q)", printed="identical")
    lab.reference("first step, h = 0.05: velocities differ by", np.linalg.norm(verlet[2:] - runge[2:]), "1.3e-3",
                  remark="what is identical is the position, which is what the figure shows")
    rows = lab.ask("compare", "kepler", methods="rattle,rk-2", step="0.05,0.025,0.0125", until="0.5")["rows"]
    for finest, name in ((rows[2], "Störmer/Verlet"), (rows[5], "explicit midpoint")):
        lab.between(f"order of {name}, of v at t = 0.5", finest["order"]["p"], 1.9, 2.1, "both have order 2")
    lab.between("errors of v at t = 0.5, h = 0.05: midpoint over Verlet",
                rows[3]["error"]["p"] / rows[0]["error"]["p"], 0.5, 2,
                "very similar in the first steps")
    end = lab.run("kepler", method="rk-2", step="0.02", until=50)
    q, p = end["q"], end["p"]
    lab.reference("explicit midpoint, h = 0.02, t = 50: H - H0", end["energy"]["final"] - end["energy"]["initial"],
                  "1.79e-3")
    lab.reference("explicit midpoint, h = 0.02, t = 50: L - L0", q["x"] * p["y"] - q["y"] * p["x"] - 0.8, "-2.8e-4")

    runs = {}
    for key, name in (("rattle", "Störmer/Verlet"), ("rk-2", "explicit midpoint")):
        for step in ("0.1", "0.05"):
            run = runs[key, step] = lab.run("kepler", record=True, method=key, step=step, until=100)
            quarters = [np.max(part) for part in np.array_split(np.abs(run["energy"] + 0.5), 4)]
            growth = quarters[-1] / quarters[0]
            what = f"{name}, h = {step}: energy error in the last quarter over the first"
            if key == "rattle":
                lab.between(what, growth, 0.99, 1.01, "no deterioration: the same band")
            else:
                lab.at_least(what, growth, 2, "it deteriorates significantly")
    thin = {key: slice(None, None, 2) if key[1] == "0.05" else slice(None) for key in runs}
    lab.table("figure-1.4", {"t": runs["rattle", "0.1"]["t"], **{
        f"{name} of {key}, h = {step}": runs[key, step][name][thin[key, step]]
        for key, step in runs for name in ("x", "y")}})

    def draw(figure):
        figure.set_size_inches(6.4, 5.6)
        grid = figure.subplots(2, 2, sharex=True, sharey=True)
        angle = np.linspace(0, 2 * np.pi, 300)
        for column, (key, name) in zip(range(2), (("rattle", "Störmer/Verlet"), ("rk-2", "explicit midpoint rule"))):
            for row, step in zip(range(2), ("0.1", "0.05")):
                axes = grid[row, column]
                half = len(runs[key, step]["x"]) // 2
                axes.plot(runs[key, step]["x"][:half], runs[key, step]["y"][:half], linewidth=0.5)
                axes.plot(np.cos(angle) - 0.6, 0.8 * np.sin(angle), "--", color="black", label="exact")
                axes.plot(0, 0, "+", color="black")
                axes.set_aspect("equal")
                axes.set(title=f"{name}, h = {step}, t < 50", xlabel="q1" if row else "", ylabel="" if column else "q2")
        grid[0, 0].legend(loc="upper left")

    lab.figure("figure-1.4", draw)


# q' = v, v' = -sin q - v^2/5: lines of (1.24) and (1.25) by the formula for the roots of a quadratic equation
def implicit_rate(q, known, c):
    """v with v = known + c (-sin q - v^2/5): that root which tends to `known` with c."""
    a = c / 5
    return (-1 + np.sqrt(1 + 4 * a * (known - c * np.sin(q)))) / (2 * a)


def variant_a(q, v, h):
    middle = implicit_rate(q, v, h / 2)
    q1 = q + h * middle
    return q1, middle + h / 2 * (-np.sin(q1) - middle**2 / 5), [(q, middle), (q1, middle)]


def variant_b(q, v, h):
    middle = q + h / 2 * v
    v1 = implicit_rate(middle, v + h / 2 * (-np.sin(middle) - v**2 / 5), h / 2)
    return middle + h / 2 * v1, v1, [(middle, v), (middle, v1)]


@item("figure-1.5", "Figure 1.5: Störmer/Verlet methods for q' = v, v' = -sin q - v^2/5",
      [mutations.method("verlet-a", "verlet-b"), mutations.method("symplectic-euler", "symplectic-euler-adjoint"),
       mutations.text("v^2/5", "v^2/4"), mutations.datum("step", lambda _: 1.4, "1.4 for h = 1.5")])
def figure_1_5(lab):
    """The extension of (A) and (B) to q' = g(q, v), v' = f(q, v), (1.24) and (1.25), is implicit. Start (-1.8, 0.3)
    and step h = 1.5 are those of the paper. Four steps of verlet-a and verlet-b are compared with the formulas, whose
    implicit lines are quadratic equations here, solved in closed form; and with compositions of symplectic-euler,
    (1.22), and symplectic-euler-adjoint, (1.23), each over h/2. With this long step (A) ends after five steps,
    because the equation for v_n+1/2 has no real root: the program must say so."""
    h = lab.datum("step", 1.5)
    shown = {}
    why = "rounding errors; the implicit lines are iterated to round-off"
    for key, name, formula in (("verlet-a", "(A), (1.24)", variant_a), ("verlet-b", "(B), (1.25)", variant_b)):
        run = lab.run("braked-pendulum", record=True, method=key, step="1.5", steps=4)
        q, v = -1.8, 0.3
        points, path, largest = [], [(q, v)], 0.0
        for n in range(1, 5):
            q, v, evaluated = formula(q, v, h)
            points += evaluated
            path += evaluated + [(q, v)]
            largest = max(largest, abs(q - run["x"][n]), abs(v - run["v"][n]))
        lab.at_most(f"{name} against its formula, 4 steps", largest, 1e-12, why)
        shown[key] = (run, np.array(points), np.array(path))

    def half(point, key):
        answer = lab.run("braked-pendulum", method=key, step="0.75", steps=1,
                         set={"x0": repr(point[0]), "v0": repr(point[1])})
        return answer["q"]["x"], answer["p"]["v"]

    for key, name, order in (("verlet-a", "(A) = (SE2) after (SE1)", ("symplectic-euler", "symplectic-euler-adjoint")),
                             ("verlet-b", "(B) = (SE1) after (SE2)", ("symplectic-euler-adjoint", "symplectic-euler"))):
        point, largest = (-1.8, 0.3), 0.0
        for n in range(1, 5):
            for euler in order:
                point = half(point, euler)
            largest = max(largest, abs(point[0] - shown[key][0]["x"][n]), abs(point[1] - shown[key][0]["v"][n]))
        lab.at_most(f"{name}, 4 steps", largest, 1e-12, why)

    long = lab.run("braked-pendulum", method="verlet-a", step="1.5", steps=10, codes=(0, 1))
    q, v = long["q"]["x"], long["p"]["v"]
    discriminant = 1 + 4 * (h / 10) * (v - h / 2 * np.sin(q))
    lab.says("(A) with h = 1.5 ends after step 5", long["status"] == "failed" and long["steps"] == 5, long["steps"],
             "the figure needs fewer steps")
    lab.at_most("discriminant of the equation for v_n+1/2 there", discriminant, 0, "there is no real v_n+1/2")

    exact = lab.run("braked-pendulum", record=True, method="gauss-3", step="0.02", until=6)
    lab.table("figure-1.5", {"t": shown["verlet-a"][0]["t"], "q of A": shown["verlet-a"][0]["x"],
                             "v of A": shown["verlet-a"][0]["v"], "q of B": shown["verlet-b"][0]["x"],
                             "v of B": shown["verlet-b"][0]["v"]})

    def draw(figure):
        q, v = np.meshgrid(np.linspace(-3.2, 2, 16), np.linspace(-2.6, 2.4, 14))
        size = np.hypot(v, np.sin(q) + v**2 / 5)
        for axes, key, name in zip(figure.subplots(1, 2, sharey=True), ("verlet-a", "verlet-b"), "AB"):
            run, points, path = shown[key]
            axes.quiver(q, v, v / size, (-np.sin(q) - v**2 / 5) / size, color="0.8", angles="xy", scale=30, width=0.003)
            axes.plot(exact["x"], exact["v"], "--", color="0.5", label="exact")
            axes.plot(*path.T, color="C0", linewidth=0.7)
            axes.plot(run["x"], run["v"], "o", color="C0", mfc="white", label="numerical solution")
            axes.plot(*points.T, "o", color="black", markersize=2.5, label="field evaluated")
            axes.set(title=f"({name}), h = 1.5", xlabel="q", xlim=(-3.3, 2.1), ylim=(-2.7, 2.5))
            if name == "A":
                axes.set_ylabel("v")
                axes.legend(loc="upper left", fontsize=6)

    lab.figure("figure-1.5", draw)
