"""Section 5.2: integrable systems, the Toda lattice and the growth of errors."""

import numpy as np

import mutations
from hairer_lubich_wanner.growth import distance, halvings, largest_until, slope, states, thin
from item import item

NAMES = ["q1", "q2", "q3", "p_q1", "p_q2", "p_q3"]
LABEL = {"verlet-a": "Störmer/Verlet", "rk-2": "Runge, order 2"}


def half_momentum(p):
    """a_k = -p_k/2 of the Lax matrix, where the paper prints -p_k^2/2."""
    return -p / 2


def eigenvalues(y, diagonal):
    """Of the Lax matrix of example 5.4, in ascending order, for each column (q, p) of y."""
    q, a = y[:3], diagonal(y[3:])
    b = np.exp((q - np.roll(q, -1, axis=0)) / 2) / 2
    L = np.array([[a[0], b[0], b[2]], [b[0], a[1], b[1]], [b[2], b[1], a[2]]])
    return np.linalg.eigvalsh(np.moveaxis(L, -1, 0)).T


def toda(lab, method, h, until, every=1, **options):
    run = lab.run("toda-lattice", record=True, method=method, step=h, until=until, every=every, **options)
    return run["t"], states(run, NAMES)


def exact(lab, until, between, **options):
    """A nearly exact solution at multiples of a time, by the Gauss method of order 16."""
    return toda(lab, "gauss-8", 0.05, until, round(between / 0.05), **options)


@item("example-5.4", "Example 5.4: the eigenvalues of the Toda lattice are first integrals",
      [mutations.datum("a_k", lambda of: lambda p: -(p**2) / 2, "a_k = -p_k^2/2"),
       mutations.text("exp(q3 - q1)", "1.1*exp(q3 - q1)")])
def example_5_4(lab):
    """The eigenvalues of the matrix L are first integrals of the Toda lattice. The paper prints a_k = -p_k^2/2 on its
    diagonal; it must be a_k = -p_k/2. Along a nearly exact solution, by the Gauss method with 8 stages, the
    eigenvalues are then constant to round-off for t <= 50; with the printed a_k they vary by more than their own
    size. Start and eigenvalues are compared with an independent program."""
    diagonal = lab.datum("a_k", half_momentum)
    t, y = exact(lab, 50, 0.1)
    found = eigenvalues(y, diagonal)
    for value, text in zip(found[:, 0], ("-2.62196573", "0.6562618", "1.96570394")):
        lab.reference("eigenvalue at the start", value, text)
    energy = lab.run("toda-lattice", method="gauss-8", step=0.05, until=50)["energy"]["initial"]
    lab.reference("H at the start", energy, "22.338751647596")
    for k, changes in enumerate(np.ptp(found, axis=1), 1):
        lab.at_most(f"eigenvalue {k} along the exact solution, a_k = -p_k/2: range", changes, 7e-12,
                    "round-off, by two programs", "constant")
    printed = np.ptp(eigenvalues(y, lambda p: -(p**2) / 2), axis=1)
    lab.contradicts("ranges of the eigenvalues along the exact solution with a_k as printed", printed.min() > 4.4,
                    ", ".join(f"{changes:.2f}" for changes in printed), "an independent program finds 4.5 to 10",
                    "a_k = -p_k^2/2")


@item("figure-5.2", "Figure 5.2: Toda eigenvalues along the numerical solution",
      [mutations.datum("a_k", lambda of: lambda p: -(p**2) / 2, "a_k = -p_k^2/2"), mutations.method("verlet-a", "rk-4"),
       mutations.method("rk-2", "verlet-a"), mutations.step(1.02)])
def figure_5_2(lab):
    """From q = (1, 2, -1) and p = (-1.5, 1, .5) on 0 <= t <= 50, with h = 0.1 and 0.05: all three eigenvalues are
    well approximated by the Störmer/Verlet method, with an error of size O(h^2) that does not grow; with Runge's
    method of second order they drift. The largest deviations, the state after 100 steps and the final eigenvalues of
    Runge's method are compared with an independent program, which finds that Runge's method escapes at t = 14.4 with
    h = 0.1."""
    diagonal = lab.datum("a_k", half_momentum)
    deviations = {"0.1": (".0376", ".0172", ".0318"), "0.05": (".00923", ".00427", ".00778")}
    curves, largest = {}, []
    for h, texts in deviations.items():
        t, y = toda(lab, "verlet-a", h, 50)
        found = eigenvalues(y, diagonal)
        curves["verlet-a", h] = (t, found)
        change = np.abs(found - found[:, :1])
        largest.append(change.max(axis=1))
        for k, text in enumerate(texts):
            lab.reference(f"Verlet, h = {h}: largest deviation of eigenvalue {k + 1}", change[k].max(), text)
        lab.between(f"Verlet, h = {h}: largest deviation for t > 25, divided by that for t <= 25",
                    change[:, t > 25].max() / change[:, t <= 25].max(), 0.8, 1.25, "it does not grow")
        if h == "0.05":
            state = ("-9.7579126451688e-01", "2.7683584249253", "2.0743283959153e-01", "-2.7402715018959",
                     "7.3918202552634e-01", "2.0010894763695")
            for name, value, text in zip(NAMES, y[:, 100], state):
                lab.reference(f"Verlet, h = 0.05: {name} after 100 steps", value, text)
    for k, order in enumerate(np.log2(largest[0] / largest[1]), 1):
        lab.between(f"Verlet: order of the deviation of eigenvalue {k}", order, 1.9, 2.1, "O(h^2)", "2")
    t, y = toda(lab, "rk-2", "0.05", 50)
    found = eigenvalues(y, diagonal)
    curves["rk-2", "0.05"] = (t, found)
    for k, text in enumerate(("-3.154", ".880", "2.274")):
        lab.reference(f"Runge, h = 0.05: eigenvalue {k + 1} at t = 50", found[k, -1], text)
    escaped = lab.run("toda-lattice", record=True, method="rk-2", step="0.1", until=50, codes=(0, 1))
    inside = slice(0, np.count_nonzero(np.abs(states(escaped, NAMES)[:3]).max(axis=0) < 10))
    curves["rk-2", "0.1"] = (escaped["t"][inside], eigenvalues(states(escaped, NAMES)[:, inside], diagonal))
    lab.says("Runge, h = 0.1: escapes, at t = 14.4", escaped["status"] == "failed" and escaped["steps"] == 143,
             f"{escaped['status']} in the step to t = {0.1 * (escaped['steps'] + 1):.1f}")
    for h in deviations:
        t, found = curves["verlet-a", h]
        lab.table(f"figure-5.2-verlet-{h}", thin({"t": t, **{f"eigenvalue {k + 1}": found[k] for k in range(3)}}))

    def draw(figure):
        for axes, h in zip(figure.subplots(1, 2, sharey=True), deviations):
            for method, color in (("rk-2", "#b5402a"), ("verlet-a", "#1b3a5c")):
                t, found = curves[method, h]
                axes.plot(t, found.T, color=color, label=[LABEL[method], None, None])
            axes.set_title(f"h = {h}")
            axes.set_xlabel("t")
            axes.set_ylim(-4, 3)
        figure.axes[0].set_ylabel("eigenvalues of L")
        figure.axes[1].legend(loc="lower left", bbox_to_anchor=(0, 0.25))

    lab.figure("figure-5.2", draw)


@item("figure-5.3", "Figure 5.3: global errors on the Toda lattice",
      [mutations.method("verlet-a", "rk-4"), mutations.method("rk-2", "verlet-a"), mutations.step(1.02)])
def figure_5_3(lab):
    """The global error of the Störmer/Verlet method grows linearly with time, that of Runge's method of second order
    quadratically. Errors at t = 25 and 50 are compared with an independent program. Exponents of t are those of the
    largest error within (T/2, T], for T = 25, 50, ...: about 1 for Verlet, until T = 1600; for Runge's method the
    quadratic part, of size h^3 t^2, has to outgrow a linear one of size h^2 t first, so that the exponent rises
    towards 2 as long as the error is small."""
    t, y = exact(lab, 50, 0.1)
    rows = {"t": t}
    for h, texts in ((0.1, (".573", "1.352")), (0.05, (".134", ".410"))):
        found = distance(toda(lab, "verlet-a", h, 50, round(0.1 / h))[1], y)
        rows[f"Verlet, h = {h}"] = found
        for time, text in zip((25, 50), texts):
            lab.reference(f"Verlet, h = {h}: error at t = {time}", found[round(10 * time)], text)
    for method in LABEL:
        rows[f"{method}, h = 0.02"] = distance(toda(lab, method, 0.02, 50, 5)[1], y)
    lab.table("figure-5.3", rows)
    longest = 400 if lab.quick else 1600
    ends = [longest / 2**k for k in reversed(range(5 if lab.quick else 7))]
    t, y = exact(lab, longest, 0.25)
    curves = {}
    for method, h in (("verlet-a", 0.01), ("rk-2", 0.005 if lab.quick else 0.002)):
        times, of = toda(lab, method, h, longest, round(0.25 / h))
        curves[method, h] = (times, distance(of, y))
        found = largest_until(times, curves[method, h][1], ends)
        if method == "verlet-a":
            lab.between(f"Verlet, h = {h}: exponent of t until t = {longest}", slope(ends, found), 0.95, 1.08,
                        "two frequencies beat; errors stay below 1", "linear")
        else:
            rising = [-order for order in halvings(found)]
            lab.between(f"Runge, h = {h}: exponent of t at t = {longest}", rising[-1], 1.7, 2.1,
                        "the linear part is still there", "quadratic")
            lab.at_most(f"Runge, h = {h}: exponent of t at t = {ends[1]:g}, where the linear part is larger", rising[0],
                        rising[-1] - 0.2)

    def draw(figure):
        left, right = figure.subplots(1, 2)
        for method, label in LABEL.items():
            left.plot(rows["t"], rows[f"{method}, h = 0.02"], label=label)
        left.set_title("h = 0.02")
        left.set_xlabel("t")
        left.set_ylabel("global error")
        left.legend()
        for (method, h), (times, found) in curves.items():
            shown = thin({"t": times[1:], "error": np.maximum.accumulate(found[1:])}, 2000)
            right.loglog(shown["t"], shown["error"], label=f"{LABEL[method]}, h = {h}")
        for power, height in ((1, 3), (2, 0.5)):
            right.loglog([longest / 20, longest], [height / 20**power, height], "k--", linewidth=0.7)
            right.text(longest / 21, height / 20**power, f"t$^{power}$", ha="right", va="center")
        right.set_title("largest error until t")
        right.set_xlabel("t")
        right.legend(loc="lower right")

    lab.figure("figure-5.3", draw)
