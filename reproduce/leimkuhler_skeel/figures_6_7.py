"""Figures 6 and 7, and what section 7.4 says of steps: seven atoms in a Lennard-Jones potential."""

import mutations
import numpy as np
from item import item
from leimkuhler_skeel.chains import energy_error, every, motion

METHODS = {"RATTLE": "rattle", "BDF-2": "bdf-2"}
FIRST_STEP = {"q": ("-4.986565428882e-01", "8.881915807110e-01"), "p": ("1.89747551677e-03", "2.346828713196e-01")}
MINIMUM = "-1.253171830394"
LOSSES = {10: "-3.530e-2", 50: "-5.890e-2", 100: "-6.071e-2", 150: "-6.105e-2", 200: "-6.114e-2"}


def simulate(lab, name, tolerance=None):
    return lab.run("lj-chain", record=True, method=METHODS[name], step="0.1", until=200, every=1, tolerance=tolerance)


def radius(answer):
    """Distance of the first atom from the centre of mass, which stays in the origin."""
    return np.hypot(answer["x1"], answer["y1"])


@item("figure-6", "Figure 6: BDF2 and RATTLE motion of one atom on the time interval [0, 200]",
      [mutations.method("rattle", "midpoint"), mutations.method("bdf-2", "radau-2a-3"),
       mutations.text('y1 = "0.25", y7 = "-0.25"', 'y1 = "0.25", y7 = "0.25"'), mutations.step(1.05)])
def figure_6(lab):
    """Seven atoms start in the minimum of the potential with opposite velocities of 0.25 at the ends, h = 0.1: the
    centre of mass rests, the structure spins and vibrates. After a very short interval BDF has removed the vibration,
    which RATTLE resolves on the whole interval. The vibration is measured as the standard deviation of the first atom's
    distance from the centre, and held against an independent program; first with equations solved to round-off, then
    with the paper's tolerance of 1e-6. The global minimum was found by an independent search from 1216 folded chains.
    What is on the axes of the figure is not in the text: the path in the plane and the distance over time are drawn."""
    exact = {name: simulate(lab, name) for name in METHODS}
    paper = {name: simulate(lab, name, "1e-6") for name in METHODS}
    one = lab.run("lj-chain", method="rattle", step="0.1", steps=1, observe="V=potential")
    lab.reference("V at the start, the minimum", one["observables"]["V"]["initial"], MINIMUM)
    for part, digits in FIRST_STEP.items():
        for name, text in zip(("x1", "y1"), digits):
            lab.reference(f"RATTLE, {part} of {name} after one step", one[part][name], text,
                          remark="to 13 decimals: those of the start are 14")
    for name, answer in exact.items():
        q, p = motion(answer)
        centre = np.hypot(q[:, 0::2].mean(axis=1), q[:, 1::2].mean(axis=1))
        lab.at_most(f"{name}, largest distance of the centre of mass from the origin", centre.max(), 1e-12,
                    "spins in place: linear momentum is zero, and kept to rounding")
    for solved, runs in (("", exact), (", tolerance 1e-6", paper)):
        vibration = {name: [float(radius(answer)[of].std()) for of in (slice(1, 201), slice(-200, None))]
                     for name, answer in runs.items()}
        if not solved:
            lab.reference("RATTLE, vibration in the last 20 units of time", vibration["RATTLE"][1], "3.3e-2")
            lab.reference("BDF-2, vibration in the last 20 units of time", vibration["BDF-2"][1], "1.5e-3")
        lab.between(f"RATTLE, vibration of the last 20 over the first 20{solved}",
                    vibration["RATTLE"][1] / vibration["RATTLE"][0], 0.5, 2,
                    "well resolved on the entire interval; the motion is chaotic, so no digits with a tolerance")
        lab.at_most(f"BDF-2, the same{solved}", vibration["BDF-2"][1] / vibration["BDF-2"][0], 0.1, "removed")
    lab.table("figure-6", {"t": list(exact["RATTLE"]["t"]),
                           **{f"{c} {name}": list(run[c]) for name, run in paper.items() for c in ("x1", "y1")}})

    def draw(figure):
        grid = figure.add_gridspec(2, 3, width_ratios=(1, 1, 1))
        for k, name in enumerate(("BDF-2", "RATTLE")):
            run, colour = paper[name], f"C{1 - k}"
            path = figure.add_subplot(grid[:, k])
            path.plot(run["x1"], run["y1"], color=colour, linewidth=0.6)
            path.set_aspect("equal")
            path.set_xlim(-1.2, 1.2)
            path.set_ylim(-1.2, 1.2)
            path.set_title(f"{name}: path of atom 1")
            path.set_xlabel("x")
            path.set_ylabel("y" if k == 0 else "")
            time = figure.add_subplot(grid[k, 2])
            time.plot(run["t"], radius(run), color=colour, linewidth=0.6)
            time.set_ylim(0.92, 1.11)
            time.set_title(f"{name}: distance to the centre")
            time.set_xlabel("t" if k == 1 else "")

    lab.figure("figure-6", draw)


@item("figure-7", "Figure 7: energy for BDF-2 and RATTLE solutions",
      [mutations.method("rattle", "midpoint"), mutations.method("bdf-2", "rattle"),
       mutations.text('eps = "0.1"', 'eps = "0.11"'), mutations.step(1.05)])
def figure_7(lab):
    """Energies of the runs of figure 6: BDF dissipates, RATTLE does not. With equations solved to round-off the
    energies are held against an independent program. What BDF leaves of the 0.0625 that were put in is the energy of a
    rigid rotation, L^2/(2 I). With the paper's tolerance of 1e-6 BDF has the same energies to 1e-3 of its loss, and
    RATTLE the same band."""
    exact = {name: simulate(lab, name) for name in METHODS}
    paper = {name: simulate(lab, name, "1e-6") for name in METHODS}
    error = {name: energy_error(run) for name, run in exact.items()}
    loose = {name: energy_error(run) for name, run in paper.items()}
    t = exact["RATTLE"]["t"]
    lab.reference("energy at the start", exact["RATTLE"]["energy"][0], "-1.190671893401")
    lab.reference("RATTLE, least H - H(0)", error["RATTLE"].min(), "-4.45e-4")
    lab.reference("RATTLE, largest H - H(0)", error["RATTLE"].max(), "3.78e-3")
    lab.reference("RATTLE, H(200) - H(0)", error["RATTLE"][-1], "1.37e-3")
    for when, text in LOSSES.items():
        lab.reference(f"BDF-2, H({when}) - H(0)", error["BDF-2"][10 * when], text)
    half = float(np.min(t[error["BDF-2"] < -0.0625 / 2], initial=np.inf))
    lab.at_most("BDF-2, time at which half of the 0.0625 is lost", half, 10,
                "a very short interval: 1/20 of the whole one")
    q, p = (part[-1].reshape(-1, 2) for part in motion(exact["BDF-2"]))
    momentum = np.sum(q[:, 0] * p[:, 1] - q[:, 1] * p[:, 0])
    left = exact["BDF-2"]["energy"][-1] - float(MINIMUM)
    rotation = momentum**2 / (2 * np.sum(q**2))
    lab.between("BDF-2, energy above the minimum at t = 200, over L^2/(2 I)", left / rotation, 1, 1.1,
                "a rigid rotation, and 3 % in what is left of the vibration")
    lab.at_most("BDF-2, difference that the tolerance makes, relative to the loss at t = 200",
                np.max(np.abs(loose["BDF-2"] - error["BDF-2"])) / -error["BDF-2"][-1], 1e-3, "not seen in a figure")
    lab.at_least("RATTLE with tolerance 1e-6, least H - H(0)", loose["RATTLE"].min(), -5e-4,
                 "the band of round-off is -4.45e-4 to 3.78e-3")
    lab.at_most("RATTLE with tolerance 1e-6, largest H - H(0)", loose["RATTLE"].max(), 4.2e-3,
                "the motion is chaotic, so the band has no digits")
    lab.table("figure-7", {"t": list(t), **{name: list(run["energy"]) for name, run in paper.items()},
                           **{f"{name}, round-off": list(run["energy"]) for name, run in exact.items()}})

    def draw(figure):
        axes = figure.subplots()
        for name, run in paper.items():
            axes.plot(every(t), every(run["energy"]), label=name)
        axes.axhline(float(MINIMUM), color="0.5", linestyle=":", label="least potential energy")
        axes.set_title("h = 0.1, tolerance 1e-6")
        axes.set_xlabel("t")
        axes.set_ylabel("energy")
        axes.legend(loc="center right")

    lab.figure("figure-7", draw)


@item("section-7.4-steps", "Section 7.4: RATTLE converged for larger steps than BDF",
      [mutations.method("bdf-2", "rattle"), mutations.method("rattle", "bdf-2"), mutations.step(0.4)])
def larger_steps(lab):
    """The text says of the chain of seven atoms that RATTLE converged for larger steps than BDF. With the program's
    solvers it is the other way round: from h = 0.25 on RATTLE throws atoms out of their places until a step has no
    solution, while BDF-2, which damps the motion, comes to t = 200 with steps up to 0.4. This holds with solves to
    round-off, with the paper's tolerance of 1e-6, and with an approximate Newton method for BDF (the matrix of the
    start of a step). How the paper solved the equations of BDF is not in the text; a simpler iteration may well end
    earlier."""
    steps = (0.15, 0.2, 0.25, 0.4) if lab.quick else (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
    rows = {"method": [], "tolerance": [], "h": [], "steps done": [], "end": [], "largest energy error": []}

    def longest_step(key, tolerance, newton=None):
        done = []
        for h in steps:
            run = lab.run("lj-chain", codes=(0, 1), method=key, step=h, until=200, tolerance=tolerance, newton=newton)
            done.append(run["status"] == "done")
            of = key if newton is None else f"{key}, --newton {newton}"
            row = of, tolerance or "round-off", h, run["steps"], run["status"], run["energy"]["max_error"]
            for name, value in zip(rows, row):
                rows[name].append(value)
        reached = [h for h, ok in zip(steps, done) if ok]
        return max(reached) if done == sorted(done, reverse=True) else reached

    rattle = longest_step("rattle", None)
    bdf = longest_step("bdf-2", None)
    tried = ", ".join(map(str, steps))
    lab.says(f"RATTLE, longest of the steps {tried} that comes to t = 200", rattle in (0.15, 0.2), str(rattle),
             "0.2 in an independent program too; the motion is chaotic there")
    unresolved = rows["largest energy error"][steps.index(0.2)]
    lab.at_least("RATTLE, largest energy error with h = 0.2", unresolved, 0.0625 / 2,
                 "of the size of the 0.0625 that were put in: nothing is resolved; 9e-2 in an independent program")
    lab.says("BDF-2, the same", bdf == 0.4, str(bdf), "an independent program: 0.4 too")
    loose = longest_step("rattle", "1e-6"), longest_step("bdf-2", "1e-6")
    lab.says("RATTLE and BDF-2 with tolerance 1e-6", loose[0] in (0.15, 0.2) and loose[1] == 0.4,
             f"{loose[0]} and {loose[1]}")
    simple = longest_step("bdf-2", "1e-6", "start")
    lab.at_least("BDF-2 with tolerance 1e-6 and one matrix a step", simple, 0.25, "still beyond RATTLE")
    reversed_order = bdf > rattle and loose[1] > loose[0] and simple > loose[0]
    lab.contradicts("largest step for which a method converges", reversed_order, f"RATTLE {rattle}, BDF-2 {bdf}",
                    "it depends on the solver, and the paper's is not known",
                    "RATTLE above BDF")
    lab.table("section-7.4-steps", rows)
