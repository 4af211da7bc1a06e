"""The runs of section 5: h = 0.12, 5000 steps, and what is read off them."""

import numpy as np

from item import unit_of_last_digit

EXAMPLE_1 = "charged-particle"
EXAMPLE_2 = "double-pendulum"
EXAMPLES = {"example 1": EXAMPLE_1, "example 2": EXAMPLE_2}
H_1 = 1.44 - np.sqrt(0.92)
H_2 = -3 * np.sqrt(0.75)
# Two programs do not have the same rounding errors. Those of g, 1e-16, appear divided by h in p, by h^2 in multipliers
# of stages, and with factors of the coefficients; a hundred steps have more of them.
ROUNDING = 2e-14
ROUNDING_OF_MULTIPLIERS = 5e-13

# Numbers of an independent program: the range of H over the first 500 steps and over 5000, H at step 5000, and the
# slope of the line of least squares through all of it; slopes at the level of rounding errors are bounds.
ENERGIES = {
    EXAMPLE_1: {
        "lobatto-3": ("0.48082876", "0.48083370", "0.48082876", "0.48083370", "0.48082884", 1e-11),
        "lobatto-2": ("0.48083370", "0.48520821", "0.48083370", "0.48520821", "0.48519423", "7e-9"),
        "radau-2a-2": ("0.33803365", "0.48083370", "-0.41482381", "0.48083370", "-0.41482381", "-1.456e-3"),
        "radau-2a-2+jay": ("0.33507331", "0.48083370", "-0.42874292", "0.48083370", "-0.42874292", "-1.478e-3"),
    },
    EXAMPLE_2: {
        "lobatto-3": ("-2.59808347", "-2.59806660", "-2.59808349", "-2.59806660", "-2.59807628", 1e-11),
        "rattle": ("-2.60498887", "-2.59807621", "-2.60499088", "-2.59807610", "-2.59821970", "-9e-9"),
        "gauss-2+jay": ("-2.60908777", "-2.59807621", "-2.68362967", "-2.59807621", "-2.68306784", "-1.41e-4"),
        "radau-2a-2": ("-2.61934150", "-2.59807621", "-2.75218960", "-2.59807621", "-2.75218960", "-2.53e-4"),
        "radau-2a-2+jay": ("-2.63321324", "-2.59807621", "-2.80948778", "-2.59807621", "-2.80948778", "-3.41e-4"),
    },
}
NAMES = {
    "lobatto-2": "2-stage Lobatto IIIA-IIIB",
    "lobatto-3": "3-stage Lobatto IIIA-IIIB",
    "rattle": "Rattle",
    "gauss-2+jay": "projected 2-stage Gauss",
    "radau-2a-2": "2-stage Radau IIA",
    "radau-2a-2+jay": "projected 2-stage Radau IIA",
}


def claims(lab, model, method, step="0.12"):
    """What `certify` measures, by its property. (Exit code 3: a claim fails.)"""
    return {claim["property"]: claim for claim in
            lab.ask("certify", model, codes=(0, 3), method=method, step=step, no_advice=True)["claims"]}


def history(lab, model, method):
    """All states of the 5000 steps."""
    return lab.run(model, record=True, method=method, step="0.12", until=600, **stage(method))


def stage(method):
    """The multiplier of the unprojected Radau IIA method is that of its last stage."""
    return {"multipliers": "stage"} if method == "radau-2a-2" else {}


def line(states):
    """Slope, and largest distance from the line of least squares through H."""
    t, H = states["t"], states["energy"]
    fit = np.polyfit(t, H, 1)
    return fit[0], np.max(np.abs(H - np.polyval(fit, t)))


def compare_energy(lab, model, method):
    """Holds H against the numbers of the independent program, and returns the states."""
    states = history(lab, model, method)
    H, name = states["energy"], NAMES[method]
    low, high, lowest, highest, last, slope = ENERGIES[model][method]
    lab.reference(f"{name}: lowest H of 500 steps", np.min(H[:501]), low)
    lab.reference(f"{name}: highest H of 500 steps", np.max(H[:501]), high)
    lab.reference(f"{name}: lowest H of 5000 steps", np.min(H), lowest)
    lab.reference(f"{name}: highest H of 5000 steps", np.max(H), highest)
    lab.reference(f"{name}: H at step 5000", H[5000], last)
    if isinstance(slope, str):
        lab.reference(f"{name}: slope of H", line(states)[0], slope)
    else:
        lab.at_most(f"{name}: |slope of H|", abs(line(states)[0]), slope,
                    "no drift: rounding, and where in an oscillation the run ends")
    return states


def compare_state(lab, states, step, name, columns):
    """Holds a recorded state against all digits of the independent program, where these are not rounding errors."""
    for column, digits in columns.items():
        rounding = ROUNDING_OF_MULTIPLIERS if column.startswith("lambda") else ROUNDING
        lab.reference(f"{name}, step {step}: {column}", states[column][step], digits,
                      units=max(0.5, rounding / unit_of_last_digit(digits)))


def thinned(states, columns, every):
    return {column: states[column][::every] for column in columns}


def draw_portraits(states, pairs, every=3, curve=None):
    """Phase portraits side by side, every third of 5000 points, and an exact curve in the second one."""

    def draw(figure):
        panels = figure.subplots(1, len(pairs))
        for axes, (x, y) in zip(panels, pairs):
            axes.plot(states[x][::every], states[y][::every], ".", markersize=1.3)
            axes.set_xlabel(label(x))
            axes.set_ylabel(label(y))
        if curve is not None:
            panels[1].plot(*curve, color="#b5402a", linewidth=0.7, label="exact motion")
            panels[1].legend(loc="lower center", bbox_to_anchor=(0.5, 1))

    return draw


def label(column):
    """p_x1 as p with an index, x1 likewise."""
    letter, _, index = column.rpartition("_")
    return f"${letter}_{{{index}}}$" if letter else f"${column[0]}_{column[1]}$" if column[1:] else f"${column}$"


def draw_energies(runs, exact, both=True):
    """H over time, the first 500 steps, and if both all 5000; dotted: the exact value."""

    def draw(figure):
        panels = np.atleast_1d(figure.subplots(1, 2 if both else 1))
        for axes, last, every in zip(panels, (500, 5000), (1, 5)):
            for method, states in runs.items():
                axes.plot(states["t"][:last + 1:every], states["energy"][:last + 1:every], label=NAMES[method])
            axes.axhline(exact, color="black", linewidth=0.6, linestyle=":", label="exact value")
            axes.set_xlabel("t")
            axes.set_ylabel("H")
            axes.set_title(f"{last} steps")
        panels[-1].legend(loc="best" if both else "lower center", bbox_to_anchor=None if both else (0.85, 1))

    return draw
