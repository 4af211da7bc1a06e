"""Figures 3 to 5: RATTLE against the backward differentiation formula of order 2, on the chain of six nodes."""

import mutations
import numpy as np
from item import item
from leimkuhler_skeel.chains import energy_error, every, last_state, slope

STEPS = (0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125)
METHODS = {"VR": "rattle", "BDF": "bdf-2"}
# Errors at t = 10 with the first four steps, of an independent program: of the state, and of the energy
ERRORS = {"VR": ("3.2285e-1", "8.2682e-2", "2.0801e-2", "5.2087e-3"),
          "BDF": ("4.2579", "9.2173e-1", "1.9045e-1", "4.4478e-2")}
ENERGIES = {"VR": ("1.5671e-3", "3.6842e-4", "9.1032e-5", "2.2697e-5"),
            "BDF": ("6.0579e-2", "9.2693e-3", "1.6498e-3", "3.2248e-4")}
BASELINE = ("6.1873968148e-01 8.6387648330e-01 1.6092548374 1.0012799979 1.4498719592 1.4063153329e-02 1.2897348069 "
            "1.0011579271 2.1975153798 1.4206033128 2.8252643919 2.1990191256").split()


def end(lab, name, h):
    return lab.run("spring-chain", method=METHODS[name], step=h, until=10)


def log_log(figure, lines, label):
    axes = figure.subplots()
    for (name, values), mark in zip(lines.items(), "os"):
        axes.loglog(STEPS, values, mark + "-", label={"VR": "VR (RATTLE)", "BDF": "BDF(2)"}[name])
    guide = np.array([STEPS[0], STEPS[-1]])
    axes.loglog(guide, 0.35 * lines["VR"][-1] * (guide / STEPS[-1])**2, ":", color="0.5", label="slope 2")
    axes.set_xticks(STEPS, [f"{h:g}" for h in STEPS])
    axes.minorticks_off()
    axes.set_xlabel("step size h")
    axes.set_ylabel(label)
    axes.legend()


@item("figure-3", "Figure 3: comparison of numerical error, VR vs. BDF",
      [mutations.method("rattle", "position-verlet"), mutations.method("bdf-2", "radau-2a-2"), mutations.step(1.25),
       mutations.datum("end of the baseline", lambda T: "9.999", "baseline at t = 9.999")])
def figure_3(lab):
    """The error at t = 10 against the step in log-log scale, relative to a baseline of much higher accuracy: RATTLE is
    clearly superior for a given step, and both are of order 2. The norm is the Euclidean one of (q, p). The baseline, a
    composition of order 8 in extended precision, and the errors are held against an independent program; kappa and the
    start are proposed data, with which RATTLE's errors are smaller by 8 to 13."""
    baseline = last_state(lab.run("spring-chain", method="kahan-li-8", step="0.01",
                                  until=lab.datum("end of the baseline", 10), precision="long"))
    for k, text in enumerate(BASELINE):
        lab.reference(f"baseline, q_{k + 1}(10)", baseline[k], text)
    errors = {}
    for name in METHODS:
        errors[name] = [float(np.linalg.norm(last_state(end(lab, name, h)) - baseline)) for h in STEPS]
        for h, measured, text in zip(STEPS, errors[name], ERRORS[name]):
            lab.reference(f"{name}, error at t = 10, h = {h}", measured, text)
        lab.between(f"{name}, order from the last two steps", slope(STEPS, errors[name]), 1.95, 2.05,
                    "order 2; BDF comes to it from above")
    ratios = [bdf / vr for vr, bdf in zip(errors["VR"], errors["BDF"])]
    lab.at_least("error of BDF over that of VR, least of all steps", min(ratios), 5,
                 "clearly superior; the paper gives no numbers, an independent program has 8.5 to 13")
    lab.table("figure-3", {"h": STEPS, **errors})
    lab.figure("figure-3", lambda figure: log_log(figure, errors, "error of (q, p) at t = 10"))


@item("figure-4", "Figure 4: comparison of absolute energy error, VR vs. BDF",
      [mutations.method("rattle", "midpoint"), mutations.method("bdf-2", "bdf-1"), mutations.step(1.25)])
def figure_4(lab):
    """The absolute energy error at t = 10 against the step, with an even greater spread between the symplectic and the
    nonsymplectic method than that of the solutions. The errors of figure 3 are measured as well, and the two spreads
    compared for each step. kappa and the start are proposed data."""
    baseline = last_state(lab.run("spring-chain", method="kahan-li-8", step="0.01", until=10, precision="long"))
    energies, errors = {}, {}
    for name in METHODS:
        ends = [end(lab, name, h) for h in STEPS]
        energies[name] = [abs(of["energy"]["final"] - of["energy"]["initial"]) for of in ends]
        errors[name] = [float(np.linalg.norm(last_state(of) - baseline)) for of in ends]
        for h, measured, text in zip(STEPS, energies[name], ENERGIES[name]):
            lab.reference(f"{name}, |H(10) - H(0)|, h = {h}", measured, text)
    lab.between("VR, order from the last two steps", slope(STEPS, energies["VR"]), 1.95, 2.05, "order 2")
    lab.between("BDF, order from the last two steps", slope(STEPS, energies["BDF"]), 1.95, 2.2,
                "order 2, to which it comes from above: 2.35, 2.24, 2.14 with these steps")
    spread = [energies["BDF"][k] / energies["VR"][k] for k in range(len(STEPS))]
    of_states = [errors["BDF"][k] / errors["VR"][k] for k in range(len(STEPS))]
    lab.at_least("spread of energies over the spread of errors, least of all steps",
                 min(a / b for a, b in zip(spread, of_states)), 1.2, "an even greater spread: the ratio is above 1")
    lab.table("figure-4", {"h": STEPS, **energies, "spread": spread, "spread of errors": of_states})
    lab.figure("figure-4", lambda figure: log_log(figure, energies, "|H(10) - H(0)|"))


@item("figure-5", "Figure 5: conservation of energy over time, VR vs. BDF",
      [mutations.method("rattle", "rk-2"), mutations.method("bdf-2", "rattle"), mutations.step(1.1),
       mutations.option("tolerance", "1e-5")])
def figure_5(lab):
    """On [0, 100] with h = 0.01 the energy of RATTLE is approximately conserved in comparison with BDF. The motion is
    chaotic: in double, energies beyond t = 50 or so depend on rounding errors, and the full form runs in quad, whose
    numbers are those of the methods (a run with 100 digits has the same ones). Where an independent program in double
    has digits that do not depend on rounding, they are compared. kappa and the start are proposed data."""
    precision = None if lab.quick else "quad"
    runs = {name: lab.run("spring-chain", record=True, method=key, step="0.01", until=100, every=1, precision=precision)
            for name, key in METHODS.items()}
    t = runs["VR"]["t"]
    error = {name: energy_error(run) for name, run in runs.items()}
    lab.reference("VR, least H - H(0) on [0, 100]", error["VR"].min(), "-1.164e-3", units=1,
                  remark="rounding is in its last digit: -1.1632e-3 in quad")
    lab.reference("VR, largest H - H(0) on [0, 50]", error["VR"][t <= 50].max(), "2.6e-6")
    lab.at_most("VR, largest H - H(0) on [0, 100]", error["VR"].max(), 5e-5,
                "depends on rounding: 2.6e-6 to 2.5e-5 were seen in double, 1.05e-5 in quad")
    lab.reference("BDF, H(25) - H(0)", error["BDF"][2500], "-2.20e-3")
    lab.between("BDF, H(50) - H(0)", error["BDF"][5000], -1.0e-2, -6e-3,
                "-6.5e-3 in an independent program in double, -8.9e-3 in quad")
    lab.between("BDF, H(75) - H(0)", error["BDF"][7500], -2.5e-2, -8e-3,
                "depends on rounding: -1.47e-2 in an independent program in double, -1.07e-2 in quad")
    lab.between("BDF, H(100) - H(0)", error["BDF"][10000], -3.5e-2, -1.2e-2,
                "depends on rounding: -1.7e-2 to -2.3e-2 were seen in double, -1.84e-2 in quad, with dips of 1e-2")
    halves = [float(np.mean(error["VR"][of])) for of in (slice(0, 5000), slice(5000, 10001))]
    lab.at_most("VR, mean of the second half minus that of the first", abs(halves[1] - halves[0]), 1.2e-4,
                "no drift: a tenth of the band in which the energy oscillates")
    lab.at_least("energy lost by BDF at t = 100, over the largest error of VR",
                 -error["BDF"][-1] / np.max(np.abs(error["VR"])), 10, "approximately conserved in comparison with BDF")
    keep = {"t": every(t), **{name: every(values) for name, values in error.items()}}
    lab.table("figure-5", {name: list(values) for name, values in keep.items()})

    def draw(figure):
        axes = figure.subplots()
        axes.plot(keep["t"], keep["VR"], label="VR (RATTLE)")
        axes.plot(keep["t"], keep["BDF"], label="BDF(2)")
        axes.set_xlabel("t")
        axes.set_ylabel("H - H(0)")
        axes.set_title("h = 0.01")
        axes.legend(loc="lower left")

    lab.figure("figure-5", draw)
