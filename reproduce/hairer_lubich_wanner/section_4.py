"""Section 4.2 and 4.3: the modified equation of the Störmer/Verlet method, and what it keeps."""

import numpy as np

import mutations
from hairer_lubich_wanner.growth import halvings
from item import item

# (4.8) and (4.9) belong to the two versions of the method. H_3 = a U''(p, p) + b |grad U|^2: corrected, and as printed.
VERSIONS = {"A": "verlet-a", "B": "verlet-b"}
EQUATION = {"A": "(4.8)", "B": "(4.9)"}
CORRECTED = {"A": (1 / 12, -1 / 24), "B": (-1 / 24, 1 / 12)}
PRINTED = {"A": (1 / 12, 1 / 24), "B": (-1 / 24, -1 / 6)}


def pendulum(q, p, h, of):
    """H + h^2 H_3 of the pendulum, U = -cos q."""
    return p**2 / 2 - np.cos(q) + h**2 * (of[0] * np.cos(q) * p**2 + of[1] * np.sin(q) ** 2)


def fitted(q, p, h):
    """The a and b with which H + h^2 H_3 varies least along a run."""
    terms = h**2 * np.array([np.cos(q) * p**2, np.sin(q) ** 2])
    return np.linalg.lstsq(np.vstack([terms, np.ones_like(q)]).T, np.cos(q) - p**2 / 2, rcond=None)[0][:2]


def one_step_difference(lab, version, h, terms):
    """Between one step, and the flow of F (one term) or F + h^2 F_3 (three terms) over the time h."""
    step = lab.run("pendulum-angle", method=VERSIONS[version], step=h, steps=1, precision="quad")
    flow = lab.run(f"modified-{version.lower()}", method="gauss-8", step=f"{h}/4", steps=4, precision="quad",
                   set={"h": h if terms == 3 else 0})
    return np.hypot(float(step["q"]["x"]) - float(flow["q"]["q"]), float(step["p"]["x"]) - float(flow["p"]["v"]))


@item("equation-4.8", "Equations (4.8) and (4.9): the modified equations of both versions",
      [mutations.text("f2*v^2)/12", "f2*v^2)/11", "modified-a"), mutations.text("-4*f1*f", "-5*f1*f", "modified-b"),
       mutations.method("verlet-b", "verlet-a")])
def equation_4_8(lab):
    """The modified equation of the Störmer/Verlet method is y' = F + h^2 F_3 + h^4 F_5 + ..., with F_3 of (4.8) for
    version (A) and of (4.9) for (B); F_2 = F_4 = 0 because the method is symmetric. For the pendulum from (p, q) =
    (1, -1.2), one step is compared with the flow of F alone and of F + h^2 F_3, which Gauss methods compute to
    round-off in quadruple precision. The difference must have order 3 without F_3 (F_2 = 0), and order 5 with it (F_3
    is right, and F_4 = 0)."""
    steps = [0.1, 0.05, 0.025, 0.0125]
    rows = {"h": steps}
    for version, reference in (("A", "5.13"), ("B", "5.03")):
        plain = [one_step_difference(lab, version, h, 1) for h in steps]
        three = [one_step_difference(lab, version, h, 3) for h in steps]
        rows[f"{version}, F"], rows[f"{version}, F + h^2 F_3"] = plain, three
        name = f"({version}), {EQUATION[version]}"
        lab.reference(f"{name}: order with F_3, h = .1 and .05", halvings(three)[0], reference)
        lab.between(f"{name}: order with F_3 at the shortest steps", halvings(three)[-1], 4.95, 5.05,
                    "one step of an equation that is right up to h^4 F_5")
        lab.between(f"{name}: order without F_3", halvings(plain)[-1], 2.95, 3.05, "a method of order 2: F_2 = 0")
    lab.table("equation-4.8", rows)


@item("section-4.2", "Section 4.2: the Hamiltonians H_3 of (4.8) and (4.9)",
      [mutations.datum("H_3", lambda of: {"A": (1 / 12, 0), "B": (-1 / 24, 1 / 24)}, "H_3 without half of |grad U|^2"),
       mutations.text("sin(q)^2/24", "sin(q)^2/25", "modified-a"), mutations.method("verlet-b", "rk-2")])
def section_4_2(lab):
    """The paper gives the vector fields (4.8) and (4.9) as Hamiltonian, with H_3 = U''(p, p)/12 + |grad U|^2/24 for
    (A) and -U''(p, p)/24 - |grad U|^2/6 for (B). (4.8) and (4.9) are right, but the second coefficients must be -1/24
    and +1/12: then H + h^2 H_3 is constant along the modified equation, and varies by O(h^4) along the numerical
    solution for t <= 40. With the printed coefficients it is not constant, and varies by O(h^2), as H itself does.
    Both coefficients are also fitted to the numerical solution, with h = .1 and .05, and extrapolated."""
    steps = [0.2, 0.1, 0.05]
    corrected, printed = lab.datum("H_3", CORRECTED), PRINTED
    references = {"A": (("8.3e-5", "5.1e-6", "3.2e-7"), ("3.4e-3", "8.4e-4", "2.1e-4")),
                  "B": (("5.2e-5", "3.2e-6", "2.0e-7"), ("1.0e-2",))}
    rows = {"h": steps}
    for version, method in VERSIONS.items():
        spread, fits = {}, []
        for name, of in (("corrected", corrected[version]), ("printed", printed[version])):
            spread[name] = []
            for h in steps:
                run = lab.run("pendulum-angle", record=True, method=method, step=h, until=40)
                spread[name].append(float(np.ptp(pendulum(run["x"], run["p_x"], h, of))))
                if name == "corrected":
                    fits.append(fitted(run["x"], run["p_x"], h))
            rows[f"{version}, {name}"] = spread[name]
        for name, of in zip(("corrected", "printed"), references[version]):
            for h, value, text in zip(steps, spread[name], of):
                lab.reference(f"({version}) range of H + h^2 H_3, {name}, h = {h}", value, text)
        lab.between(f"({version}) order with the corrected H_3", halvings(spread["corrected"])[-1], 3.9, 4.1,
                    "h^4 H_5 is left out")
        lab.between(f"({version}) order with H_3 as printed", halvings(spread["printed"])[-1], 1.9, 2.1,
                    "the order of H itself: H_3 is not that of the method")
        (a, b), (right_a, right_b) = (4 * fits[-1] - fits[-2]) / 3, corrected[version]
        text = {"A": ("1/12", "+1/24"), "B": ("-1/24", "-1/6")}[version]
        lab.between(f"({version}) coefficient of U''(p, p), fitted", a, right_a - 2e-4, right_a + 2e-4,
                    "the extrapolation leaves O(h^4)", text[0])
        lab.contradicts(f"({version}) coefficient of |grad U|^2, fitted", abs(b - right_b) < 2e-4, b,
                        f"it is {right_b:.5f}", text[1])
        flow = lab.run(f"modified-{version.lower()}", method="gauss-4", set={"h": 0.9}, step=0.05, until=36)
        lab.at_most(f"({version}) change of H + h^2 H_3 along the modified equation, h = .9, t <= 36",
                    flow["energy"]["max_error"], 5e-15, "720 steps to round-off")
        lab.at_least(f"({version}) the same with H_3 as printed", flow["invariants"]["printed"]["max_error"], 0.05,
                     "the size of h^2 |grad U|^2 times the wrong coefficient")
    lab.table("section-4.2", rows)


@item("figure-4.1", "Figure 4.1: the pendulum with h = 0.9, and the level curves of H + h^2 H_3",
      [mutations.datum("H_3", lambda of: PRINTED, "H_3 as printed"), mutations.method("verlet-a", "verlet-b"),
       mutations.step(1.05)])
def figure_4_1(lab):
    """Numerical solutions of the pendulum from (p, q) = (1, -1.2) with h = 0.9 lie near closed curves, the level
    curves of H + h^2 H_3, with a "surprisingly good agreement". The states after 10 steps are compared with those of
    an independent program. The distance of 1000 steps from the level curve (with the corrected H_3) must be less than
    a quarter of that from the level curve of H, and the modified equation must return to its start. Points go from
    dark to light with time."""
    h, corrected = 0.9, lab.datum("H_3", CORRECTED)
    after_ten = {"A": (".9049904519555", "1.1980887928575"), "B": (".5694611020589", "1.4601051292140")}
    points, orbits = {}, {}
    for version, method in VERSIONS.items():
        model = f"modified-{version.lower()}"
        run = lab.run("pendulum-angle", record=True, method=method, step=h, steps=1000)
        q, p = run["x"], run["p_x"]
        points[version] = (q[:41], p[:41])
        lab.reference(f"({version}) q after 10 steps", q[10], after_ten[version][0])
        lab.reference(f"({version}) p after 10 steps", p[10], after_ten[version][1])
        a, b = corrected[version]
        modified, plain = (pendulum(q, p, h, of) for of in (corrected[version], (0, 0)))
        gradient = np.hypot(np.sin(q) + h**2 * np.sin(q) * (2 * b * np.cos(q) - a * p**2),
                            p * (1 + 2 * a * h**2 * np.cos(q)))
        off = float(np.max(np.abs(modified - modified[0]) / gradient))
        off_plain = float(np.max(np.abs(plain - plain[0]) / np.hypot(np.sin(q), p)))
        lab.at_most(f"({version}) distance from the level curve of H + h^2 H_3, 1000 steps", off, 0.03,
                    "h^4 H_5 remains; the curve has a diameter of about 3")
        lab.at_most(f"({version}) the same, divided by the distance from the level curve of H", off / off_plain, 0.25)
        period = lab.run(model, method="gauss-4", set={"h": h}, step=0.05, until=10, event="back=q + 1.2")["events"]
        up = [event for event in period if event["direction"] == "up"]
        lab.at_most(f"({version}) the modified equation is periodic: distance from the start after one turn",
                    abs(up[0]["p"]["v"] - 1) if up else np.inf, 1e-10, "events are interpolated with order 6")
        orbit = lab.run(model, record=True, method="gauss-4", set={"h": h}, step=0.05, until=8)
        orbits[version] = (orbit["q"], orbit["v"])
    lab.table("figure-4.1", {f"{name} ({version})": points[version][k] for version in VERSIONS
                             for k, name in enumerate(("q", "p"))})

    def draw(figure):
        grid_q, grid_p = np.meshgrid(np.linspace(-3.4, 3.4, 201), np.linspace(-2.4, 2.4, 161))
        for axes, version in zip(figure.subplots(1, 2, sharey=True), VERSIONS):
            axes.contour(grid_q, grid_p, pendulum(grid_q, grid_p, h, corrected[version]), levels=14, colors="0.75",
                         linewidths=0.5, linestyles="solid")
            axes.plot(*orbits[version], label="modified equation")
            axes.scatter(*points[version], c=np.arange(41), cmap="gray", vmin=0, vmax=50, s=16, edgecolors="0.3",
                         linewidths=0.4, zorder=3, label="numerical solution")
            axes.plot(-1.2, 1, "x", color="#b5402a", markersize=6, zorder=4, label="start")
            axes.set_title(f"version ({version}), h = 0.9")
            axes.set_xlabel("q")
        figure.axes[0].set_ylabel("p")
        figure.axes[0].legend(loc="lower left", frameon=True, facecolor="white", edgecolor="none", framealpha=1)

    lab.figure("figure-4.1", draw)


def derivative(lab, model, names, start, until):
    """The Jacobian matrix of the flow over a time, by central differences."""
    columns = []
    for name in names:
        ends = []
        for sign in (1, -1):
            moved = {**start, name: start[name] + sign * 1e-5}
            end = lab.run(model, method="gauss-6", step=0.05, until=until, set={f"{key}0": moved[key] for key in names})
            ends.append([{**end["q"], **end["p"]}[key] for key in names])
        columns.append((np.array(ends[0]) - np.array(ends[1])) / 2e-5)
    return np.array(columns).T


@item("theorems-4.2-4.5", "Theorems 4.2 to 4.5: what the modified equation inherits",
      [mutations.text("(-2*Dx)", "(-1*Dx)"), mutations.text("- 15*x*qv^2", "- 14*x*qv^2"),
       mutations.text("h^2*(f1*f + f2*v^2)/12", "h^2*(f1*f + f2*v^2)/12 - h^2*v/100")])
def theorems_4_2_to_4_5(lab):
    """Every truncation of the modified equation is reversible, Hamiltonian, divergence-free, or has v^T(Cq + c) as a
    first integral, if the original equation is, or has. The truncation after F_3 is integrated nearly exactly with h
    = 0.1, written out by components. Reversible: the pendulum runs back after v is turned round. Hamiltonian: for
    Kepler's problem the Jacobian matrix M of the flow satisfies M^T J M = J, and H + h^2 H_3 is constant.
    Divergence-free: for a force without a potential det M = 1 where M^T J M is not J. First integral: Kepler's
    angular momentum is constant."""
    there = lab.run("modified-a", method="gauss-6", step=0.05, until=10)
    back = lab.run("modified-a", method="gauss-6", step=0.05, until=10,
                   set={"q0": repr(there["q"]["q"]), "v0": repr(-there["p"]["v"])})
    lab.at_most("theorem 4.2, pendulum: distance from the start after 10 time units and 10 back",
                np.hypot(back["q"]["q"] + 1.2, back["p"]["v"] + 1), 1e-12, "round-off of 400 steps")
    names = ["x", "y", "u", "v"]
    J = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    numerical = "central differences with 1e-5"
    M = derivative(lab, "modified-kepler", names, {"x": 1.6, "y": 0, "u": 0, "v": 0.5}, 2)
    lab.at_most("theorem 4.3, Kepler: largest entry of M^T J M - J", np.abs(M.T @ J @ M - J).max(), 1e-8, numerical)
    kepler = lab.run("modified-kepler", method="gauss-6", step=0.02, until=10)
    lab.at_most("theorem 4.3, Kepler: change of H + h^2 H_3, t <= 10", kepler["energy"]["max_error"], 1e-12,
                "round-off")
    M = derivative(lab, "modified-swirl", names, {"x": 0.7, "y": -0.4, "u": 0.3, "v": 0.5}, 2)
    lab.at_most("theorem 4.4, force without a potential: |det M - 1|", abs(np.linalg.det(M) - 1), 1e-8, numerical)
    lab.at_least("the same: largest entry of M^T J M - J", np.abs(M.T @ J @ M - J).max(), 0.1, "it is not Hamiltonian")
    lab.at_most("theorem 4.5, Kepler: change of the angular momentum, t <= 10", kepler["invariants"]["L"]["max_error"],
                1e-13, "round-off")
