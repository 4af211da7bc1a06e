"""Section 5.3: the argon crystal."""

import numpy as np

import mutations
from hairer_lubich_wanner.growth import halvings, thin
from item import item

STEP = "40e-6"  # ns


def copies(lab, count):
    """Means of twice the kinetic energy and of the virial function over 10 000 steps of 40 fs; the first atom is
    moved by 1e-13 nm from one copy to the next."""
    means = []
    for k in range(count):
        run = lab.run("argon", method="verlet-a", step=STEP, until=0.4, set={"dx": f"{k}e-13"})["observables"]
        means.append((run["twice_kinetic"]["mean"], run["virial"]["mean"]))
    return np.array(means).T


@item("example-5.8", "Example 5.8: averages of the argon crystal after 10 000 steps",
      [mutations.text("2*s^2 - s)", "2*s^2 - 0.99*s)"),
       mutations.text("sigma = 0.341", "sigma = 0.345"), mutations.text("eps = 119.8", "eps = 123"),
       mutations.step(1.3)], statistical=True)
def example_5_8(lab):
    """Seven argon atoms, 10 000 steps of 40 fs: the averages of twice the kinetic energy and of the virial function
    are printed as 217.1 and 217.8 (K). The motion is chaotic, so that averages of this length scatter: copies of the
    run whose start differs by 1e-13 nm are compared instead of digits. An independent program with 56 copies has
    217.20 +- .63 and 218.61 +- 1.11. The means of the copies must agree with these within four standard errors, the
    printed numbers must lie within three standard deviations, and every copy within the bands. Before chaos, after
    100 steps, digits are compared."""
    early = lab.run("argon", method="verlet-a", step=STEP, steps=100)
    start = early["observables"]
    lab.reference("H at the start", early["energy"]["initial"], "-1260.2066")
    lab.reference("twice the kinetic energy at the start", start["twice_kinetic"]["initial"], "318.088")
    lab.reference("virial function at the start", start["virial"]["initial"], "1064.196")
    places = (("8.6202543181e-03", "-8.9603011533e-03"), ("7.1376906221e-03", "4.2571464718e-01"))
    for atom, texts in enumerate(places):
        for axis, text in enumerate(texts):
            lab.reference(f"{'xy'[axis]} of atom {atom + 1} after 100 steps", early["q"]["r"][atom][axis], text)
    count = 6 if lab.quick else 24
    means = copies(lab, count)
    rows = (("twice the kinetic energy", "217.1", 217.20, 0.63), ("virial function", "217.8", 218.61, 1.11))
    for k, (name, printed, mean, deviation) in enumerate(rows):
        error = deviation * np.sqrt(1 / count + 1 / 56)
        lab.between(f"{name}: mean of {count} copies", means[k].mean(), mean - 4 * error, mean + 4 * error,
                    "four standard errors of both")
        lab.at_most(f"{name}: |printed - mean|, in standard deviations of a copy",
                    abs(float(printed) - means[k].mean()) / deviation, 3, "one run of the same kind", printed)
        lab.at_most(f"{name}: farthest copy, in standard deviations", np.abs(means[k] - mean).max() / deviation, 5,
                    f"the farthest of {count} copies")
    difference = means[0] - means[1]
    error = 0.84 * np.sqrt(1 / count + 1 / 56)
    lab.between("difference of the two, mean of the copies", difference.mean(), -1.42 - 4 * error, -1.42 + 4 * error,
                "-1.42 +- .84 of the independent program; O(h^2) and O(1/t), theorem 5.7")
    lab.table("example-5.8", {"copy": range(count), "twice the kinetic energy": means[0], "virial function": means[1]})

    def draw(figure):
        axes = figure.subplots()
        axes.plot(means[0], means[1], "o", label=f"{count} copies")
        axes.plot(217.1, 217.8, "x", color="#b5402a", markersize=8, label="printed")
        axes.errorbar(217.20, 218.61, 1.11, 0.63, color="0.5", capsize=3, label="independent program, 56 copies")
        axes.set_xlabel("average of twice the kinetic energy [K]")
        axes.set_ylabel("average of the virial function [K]")
        axes.legend()

    lab.figure("example-5.8", draw)


@item("figure-5.5", "Figure 5.5: energy, temperature and virial function of the argon crystal",
      [mutations.method("verlet-a", "rk-2"), mutations.text("kinetic/7", "kinetic/14"),
       mutations.text("sigma = 0.341", "sigma = 0.37")], statistical=True)
def figure_5_5(lab):
    """H, the temperature T and the virial function C of the argon crystal over 10 000 steps of 40 fs. The size of the
    oscillations of H is proportional to h^2, that of T and C does not depend on h: standard deviations of runs with h
    = 40, 20 and 10 fs are compared. H must not drift. T is the kinetic energy of one atom, so that 14 T is twice the
    kinetic energy of all: T is about 15.5 K."""
    steps = ["40e-6", "20e-6", "10e-6"]
    bands = {"40e-6": (1.5, 8), "20e-6": (0.5, 1.5), "10e-6": (0.15, 0.4)}
    spread, curves = {"energy": [], "temperature": [], "virial": []}, {}
    for k, h in enumerate(steps):
        run = lab.run("argon", record=True, method="verlet-a", step=h, until=0.4, every=2**k * (4 if lab.quick else 1))
        low, high = bands[h]
        lab.between(f"largest |H - H_0|, h = {float(h) * 1e6:.0f} fs", run.json["energy"]["max_error"], low, high,
                    "2.6, .78, .19 of an independent program; it scatters as near encounters do")
        for name in spread:
            spread[name].append(float(np.std(run[name])))
        if k == 0:
            curves = {name: run[name] for name in ("t", *spread)}
    for order in halvings(spread["energy"]):
        lab.between("order of the standard deviation of H", order, 1.75, 2.25,
                    "chaotic runs: deviations of .50, .123 and .031 scatter by 3 % each", "2")
    lab.between("standard deviation of H, h = 40 fs", spread["energy"][0], 0.42, 0.6,
                "copies of the run have .48 to .51")
    for name in ("temperature", "virial"):
        lab.at_most(f"standard deviation of the {name}: largest over smallest of three h",
                    max(spread[name]) / min(spread[name]), 1.25, "independent of h, but for the scatter of runs", "1")
    t, H = curves["t"], curves["energy"]
    drift = np.polyfit(t, H, 1)[0] * t[-1]
    lab.at_most("drift of H over the run, divided by its standard deviation", abs(drift) / spread["energy"][0], 0.5,
                "a straight line through an oscillation")
    lab.between("average temperature", np.mean(curves["temperature"]), (217.20 - 4 * 0.63) / 14,
                (217.20 + 4 * 0.63) / 14, "217.20 +- .63 divided by 14, four standard deviations")
    lab.table("figure-5.5", thin({name: curves[name] for name in curves}, 2000))

    def draw(figure):
        shown = thin(curves, 2000)
        labels = {"energy": "H - H$_0$ [K]", "temperature": "T [K]", "virial": "C [K]"}
        for axes, (name, label) in zip(figure.subplots(3, 1, sharex=True), labels.items()):
            axes.plot(shown["t"] * 1e6, shown[name] - (H[0] if name == "energy" else 0), linewidth=0.4)
            axes.set_ylabel(label)
            if name != "energy":
                mean = np.cumsum(curves[name]) / np.arange(1, len(t) + 1)
                axes.plot(shown["t"] * 1e6, thin({"mean": mean}, 2000)["mean"], label="average until t")
                axes.legend(loc="upper right", frameon=True, edgecolor="none", framealpha=0.9)
        figure.axes[-1].set_xlabel("t [fs]")

    lab.figure("figure-5.5", draw)
