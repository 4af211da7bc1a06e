"""Section 5.2: action-angle variables, theorem 5.5 and the remarks after it."""

import numpy as np

import mutations
from hairer_lubich_wanner.growth import distance, largest_until, slope, states, thin
from hairer_lubich_wanner.section_5_toda import eigenvalues, exact, half_momentum, toda
from item import item


def oscillator(lab, method, h, action):
    """With the frequency 1, from the angle 0."""
    return lab.run("oscillator", record=True, method=method, step=h, until=100,
                   set={"omega": 1, "x0": 0, "p0": f"sqrt(2*{action})"})


@item("figure-5.1", "Figure 5.1: action-angle variables of the harmonic oscillator (example 5.2)",
      [mutations.text("omega^2*x^2/2", "omega^2*x^2/2 + x^4/100"), mutations.method("verlet-a", "rk-2"),
       mutations.method("gauss-8", "verlet-a")])
def figure_5_1(lab):
    """p = sqrt(2a) cos(theta), q = sqrt(2a) sin(theta), with a = H, transforms the harmonic oscillator to a' = 0,
    theta' = 1: circles become lines. Along a nearly exact solution a must be constant, and theta = t. Along the
    Störmer/Verlet method a oscillates by O(h^2) without a drift, and theta grows at the rate w with sin(h w/2) = h/2.
    The transformation is symplectic: its Jacobian determinant is 1."""
    curves = {}
    for a0 in ("0.125", "0.5", "1.125"):
        run = oscillator(lab, "gauss-8", 0.2, a0)
        q, p, t = run["x"], run["p_x"], run["t"]
        a, theta = (p**2 + q**2) / 2, np.unwrap(np.arctan2(q, p))
        curves[a0] = (q, p, theta, a)
        lab.at_most(f"nearly exact, a = {a0}: change of a", np.ptp(a), 1e-13, "round-off")
        lab.at_most(f"nearly exact, a = {a0}: largest |theta - t|", np.abs(theta - t).max(), 1e-11, "round-off times t")
    ranges = []
    for h in (0.2, 0.1):
        run = oscillator(lab, "verlet-a", h, "0.5")
        a, theta = (run["p_x"] ** 2 + run["x"] ** 2) / 2, np.unwrap(np.arctan2(run["x"], run["p_x"]))
        ranges.append(float(np.ptp(a)))
        half = len(a) // 2
        lab.between(f"Verlet, h = {h}: range of a in the second half, divided by that in the first",
                    np.ptp(a[half:]) / np.ptp(a[:half]), 0.98, 1.02, "no drift")
        lab.at_most(f"Verlet, h = {h}: largest |theta - w t|, divided by h^2",
                    np.abs(theta - 2 * np.arcsin(h / 2) / h * run["t"]).max() / h**2, 0.2,
                    "the ellipse p^2 + (1 - h^2/4) q^2 = const is O(h^2) from a circle")
    lab.between("Verlet: order of the range of a", np.log2(ranges[0] / ranges[1]), 1.95, 2.05, "O(h^2)")
    rng, d = np.random.default_rng(1), 1e-6
    worst = 0
    for a, theta in rng.uniform(0.2, 2, (20, 2)):
        image = [np.sqrt(2 * (a + i)) * np.array([np.cos(theta + j), np.sin(theta + j)])
                 for i, j in ((d, 0), (-d, 0), (0, d), (0, -d))]
        worst = max(worst, abs(np.linalg.det([image[2] - image[3], image[0] - image[1]]) / (4 * d**2) + 1))
    lab.at_most("|determinant of (p, q) by (a, theta) - 1|, 20 points", worst, 1e-8, "differences of 1e-6")
    lab.table("figure-5.1", thin(dict(zip(("q", "p", "theta", "a"), curves["0.5"]))))

    def draw(figure):
        left, right = figure.subplots(1, 2)
        for q, p, theta, a in curves.values():
            left.plot(q[:33], p[:33], ".-")
            right.plot(theta[:33], a[:33], ".-")
        left.set_aspect("equal")
        left.set_xlabel("q")
        left.set_ylabel("p")
        right.set_xlabel("θ")
        right.set_ylabel("a")
        right.set_ylim(0, 1.3)

    lab.figure("figure-5.1", draw)


@item("example-5.3", "Example 5.3: actions, frequency and period of Kepler's problem",
      [mutations.datum("exponent", lambda of: 1, "the exponent 1 instead of 3/2"),
       mutations.text("-y/r^3", "-1.01*y/r^3", "modified-kepler")])
def example_5_3(lab):
    """The actions are 1/sqrt(-2H) and L, and both frequencies are 2 pi/T with the period T = 2 pi/(-2H)^(3/2). Three
    orbits are followed by the Gauss method with 6 stages until y = 0 is crossed upwards again: at t = T, with the
    state of the start. H and L must be constant. (The model is that of the modified equation, with h = 0.)"""
    exponent = lab.datum("exponent", 1.5)
    for x0, v0 in ((1, 1), (1, 1.2), (0.5, 1.1)):
        H = v0**2 / 2 - 1 / x0
        period = 2 * np.pi / (-2 * H) ** exponent
        run = lab.run("modified-kepler", method="gauss-6", step=0.01, until=f"{1.02 * period:.4f}", event="axis=y",
                      set={"h": 0, "x0": x0, "y0": 0, "u0": 0, "v0": v0})
        found = [event for event in run["events"] if event["direction"] == "up" and event["t"] > 0.1]
        name = f"x = {x0}, v = {v0}, H = {H:.4g}"
        lab.at_most(f"{name}: |time of the return - T|", abs(found[0]["t"] - period) if found else np.inf, 1e-9,
                    "events are interpolated with order 6")
        lab.at_most(f"{name}: distance from the start then", np.hypot(found[0]["q"]["x"] - x0, found[0]["p"]["v"] - v0)
                    if found else np.inf, 1e-8, "the same")
        lab.at_most(f"{name}: change of H and of L",
                    max(run["energy"]["max_error"], run["invariants"]["L"]["max_error"]), 1e-12, "round-off")


def growth_on_kepler(lab, method, steps, first, last):
    """The exponent of t in the error after 2^first, ..., 2^last periods, when the exact solution is at its start."""
    run = lab.run("kepler", record=True, method=method, step=f"2*pi/{steps}", until=f"2*pi*{2**last}", every=steps)
    y = states(run, ("x", "y", "p_x", "p_y"))
    periods = [2**k for k in range(first, last + 1)]
    return slope(periods, distance(y[:, periods], y[:, :1]))


@item("theorem-5.5", "Theorem 5.5: linear growth of errors, and conservation of actions",
      [mutations.method("verlet-a", "rk-4"), mutations.method("rk-4", "verlet-b"),
       mutations.datum("a_k", lambda of: lambda p: -(p**2) / 2, "a_k = -p_k^2/2")])
def theorem_5_5(lab):
    """For t <= h^-2 the global error of the Störmer/Verlet method on an integrable system is at most C t h^2, and
    actions stay within C h^2. On the Toda lattice, the eigenvalues are functions of the actions: with h = .1, .05 and
    .025, both errors are divided by t h^2 and by h^2, and their largest values for t <= h^-2 must not depend on h. On
    Kepler's problem, to which the theorem extends, the exponent of t in the error is measured after 1, 2, 4, ...
    periods: 1 for Verlet in both versions and for other symplectic methods, 2 for Kutta's method of order 4, where
    actions drift linearly."""
    diagonal = lab.datum("a_k", half_momentum)
    growth, drift = [], []
    steps = (0.1, 0.05) if lab.quick else (0.1, 0.05, 0.025)
    for h in steps:
        until, between = round(h**-2), 0.5
        _, y = exact(lab, until, between)
        t, found = toda(lab, "verlet-a", h, until, round(between / h))
        late = t >= 5
        growth.append(np.max(distance(found, y)[late] / t[late]) / h**2)
        values = eigenvalues(found, diagonal)
        drift.append(np.abs(values - values[:, :1]).max() / h**2)
    for name, values, most in (("error/(t h^2), t >= 5", growth, 1.3), ("change of eigenvalues/h^2", drift, 1.1)):
        lab.at_most(f"Toda, t <= h^-2, h = {', '.join(map(str, steps))}: largest {name}, largest over smallest",
                    max(values) / min(values), most,
                    f"C does not depend on h; it is about {np.mean(values):.2g}", "1")
    rows = [("verlet-a", 2000, 0, 5, 1), ("verlet-b", 2000, 0, 5, 1), ("gauss-2", 300, 0, 5, 1),
            ("rk-4", 800, 7, 9 if lab.quick else 10, 2)]
    if not lab.quick:
        rows += [("suzuki-4", 400, 0, 7, 1), ("radau-2a-2", 1600, 3, 7, 2)]
    for method, steps_a_period, first, last, expected in rows:
        found = growth_on_kepler(lab, method, steps_a_period, first, last)
        within = 0.002 if expected == 1 else 0.05
        lab.between(f"Kepler, {method}: exponent of t in the error, {2**first} to {2**last} periods", found,
                    expected - within, expected + within,
                    "at whole periods nothing oscillates" if expected == 1 else "a linear part, larger by 1/h, fades",
                    {1: "linear", 2: "quadratic"}[expected])
    drifts = [lab.run("kepler", method="rk-4", step="2*pi/800", until=f"2*pi*{periods}")["energy"]["final"] + 0.5
              for periods in (64, 128)]
    lab.between("Kepler, rk-4: error of H after 128 periods, divided by that after 64", drifts[1] / drifts[0], 1.9, 2.1,
                "a linear drift of the first action", "2")


@item("theorem-5.5-remarks", "After theorem 5.5: perturbed, reversible and dissipative systems",
      [mutations.method("verlet-a", "rk-2"), mutations.method("rk-2", "verlet-b"),
       mutations.text("-sin(x) - a*v^2", "-sin(x) - a*v^2 - v/10000", "reversible-pendulum"),
       mutations.text("eps*(1 - x^2)", "eps*(2 - x^2)", "van-der-pol")])
def remarks_of_theorem_5_5(lab):
    """Linear growth of errors remains for perturbed integrable systems with a perturbation of size h^alpha: the Toda
    lattice with eps exp(2(q_1 - q_2)) added, eps = h = .01. For reversible integrable systems that are not
    Hamiltonian the same holds, and only symmetry counts: on q'' = -sin q - q'^2/5, the system of figure 2.1, the
    error of both versions must grow linearly, and the first integral must stay within its band; Kutta's method has
    quadratic growth. In a dissipatively perturbed integrable system one torus survives and attracts, and the method
    has a torus nearby under weak conditions on h: van der Pol's oscillator with eps = .001 and h = .2 must be
    attracted to a radius of 2 + O(h^2) from both sides by both versions, although h^3 is larger than eps. Runge's
    method, with a growth of its own of h^3/8 a unit of time, goes to the radius 2 sqrt(1 + h^3/(4 eps)) instead."""
    turn = lab.run("reversible-pendulum", method="gauss-8", step=0.02, until=12, event="back=x + 1.8")
    period = next(event["t"] for event in turn["events"] if event["direction"] == "up" and event["t"] > 1)
    rows = [("verlet-a", 1000, 0, 5, 1), ("verlet-b", 1000, 0, 5, 1), ("gauss-2", 100, 0, 5, 1),
            ("rk-4", 100, 7, 10, 2)]
    for method, steps, first, last, expected in rows:
        run = lab.run("reversible-pendulum", record=True, method=method, step=f"{period!r}/{steps}",
                      steps=steps * 2**last, every=steps)
        y, periods = states(run, ("x", "v")), [2**k for k in range(first, last + 1)]
        found, within = slope(periods, distance(y[:, periods], y[:, :1])), 0.002 if expected == 1 else 0.05
        lab.between(f"reversible, {method}: exponent of t in the error, {2**first} to {2**last} periods", found,
                    expected - within, expected + within, "as for Kepler's problem", {1: "linear"}.get(expected, ""))
    band = [lab.run("reversible-pendulum", method="verlet-a", step=0.1, until=time)["energy"]["max_error"]
            for time in (100, 10000)]
    lab.between("reversible, verlet-a: largest error of the first integral until t = 10000, divided by until 100",
                band[1] / band[0], 1, 1.05, "an action: it does not drift")

    perturbation, ends = {"set": {"eps": 0.01}}, [25, 50, 100, 200] if lab.quick else [25, 50, 100, 200, 400, 800]
    _, y = exact(lab, ends[-1], 0.25, **perturbation)
    t, found = toda(lab, "verlet-a", 0.01, ends[-1], 25, **perturbation)
    lab.between(f"perturbed Toda lattice, eps = h = 0.01: exponent of t in the error, t <= {ends[-1]}",
                slope(ends, largest_until(t, distance(found, y), ends)), 0.9, 1.1, "two frequencies beat", "linear")

    h, eps, radii = 0.2, 0.001, {}
    for method in ("verlet-a", "verlet-b", "rk-2"):
        limit = 2 if method != "rk-2" else 2 * np.sqrt(1 + h**3 / (4 * eps))
        for x0 in (1,) if lab.quick and method == "verlet-b" else (1, 5):
            run = lab.run("van-der-pol", record=True, method=method, step=h, until=10000, every=50, set={"x0": x0})
            radius = np.sqrt(2 * run["energy"])
            radii[method, x0] = (run["t"], radius)
            lab.between(f"van der Pol, {method}, from x = {x0}: radius in the end", np.mean(radius[-20:]), 0.98 * limit,
                        1.02 * limit, "h^2/2 is .02")

    def draw(figure):
        axes = figure.subplots()
        for (method, x0), (t, radius) in radii.items():
            color = {"verlet-a": "#1b3a5c", "verlet-b": "#3c7a4b", "rk-2": "#b5402a"}[method]
            label = {"verlet-a": "version (A)", "verlet-b": "version (B)", "rk-2": "Runge, order 2"}[method]
            axes.plot(t, radius, color=color, linestyle="--" if method == "verlet-b" else "-",
                      label=label if x0 == 1 else None)
        axes.set_xlabel("t")
        axes.set_ylabel("sqrt(x² + v²)")
        axes.set_title("van der Pol, ε = 0.001, h = 0.2")
        axes.legend()

    lab.figure("theorem-5.5-remarks", draw)
    t, radius = radii["verlet-a", 1]
    lab.table("theorem-5.5-remarks", {"t": t, "radius, verlet-a": radius, "radius, rk-2": radii["rk-2", 1][1]})
