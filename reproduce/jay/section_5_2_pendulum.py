"""Section 5, example 2: the double pendulum, figures 5.5 to 5.7, and the Gauss method without projection."""

import numpy as np

import mutations
from item import item
from jay.runs import (EXAMPLE_2, H_2, NAMES, compare_energy, compare_state, draw_energies, draw_portraits, history,
                      line, thinned)

LOBATTO = {
    1: {"x1": "4.95531980822454e-01", "z1": "-8.68589693688668e-01", "x2": "8.98266230434582e-04",
        "z2": "-1.73769123458530e+00", "p_x1": "-7.47033201972592e-02", "p_z1": "-4.26183783900968e-02",
        "p_x2": "1.50959880057806e-02", "p_z2": "-9.37260606275928e-02", "lambda_rod1": "1.009940253850",
        "lambda_rod2": "0.2627645640922"},
    100: {"x1": "-1.62965540699030e-01", "z1": "-9.86631761370306e-01", "x2": "-1.39813433648987e-01",
          "z2": "-1.98636371541556e+00", "p_x1": "7.82959604956043e-01", "p_z1": "-1.29324273110716e-01",
          "p_x2": "-3.10122200446199e-01", "p_z2": "-1.54638205380987e-01"},
}
RADAU = {
    "x1": "4.95530805818719e-01", "z1": "-8.68590364029357e-01", "x2": "8.98229890257e-04",
    "z2": "-1.73769255297515e+00", "p_x1": "-7.44737551036614e-02", "p_z1": "-4.26851888478270e-02",
    "p_x2": "1.50005122393136e-02", "p_z2": "-9.38930417262905e-02", "lambda_rod1": "0.9979997914925",
    "lambda_rod2": "0.2542384519132",
}
PROJECTED_GAUSS = {
    "x1": "4.95532003903501e-01", "z1": "-8.68589680520890e-01", "x2": "8.98254603328e-04",
    "z2": "-1.73769120166399e+00", "p_x1": "-7.47029195491287e-02", "p_z1": "-4.26181524507894e-02",
    "p_x2": "1.50957826339986e-02", "p_z2": "-9.37254945305835e-02",
}


@item("figure-5.5", "Figure 5.5: phase portraits of the 3-stage Lobatto IIIA-IIIB method, example 2",
      [mutations.method("lobatto-3", "rattle"), mutations.text("m2 = 1\n", 'm2 = "1.001"\n')])
def figure_5_5(lab):
    """5000 steps with h = 0.12, (x_1, p_x1) and (z_2, p_z2). States at steps 1 and 100 are held against an independent
    program. The portraits must keep within what the exact energy allows, and their extent in the second half of the run
    must be that of the first half, which it is not for the Radau IIA method."""
    states = history(lab, EXAMPLE_2, "lobatto-3")
    lab.reference("lambda_0 of (3.1f), rod 1", states["lambda_rod1"][0], "0.98974332")
    lab.reference("lambda_0 of (3.1f), rod 2", states["lambda_rod2"][0], "0.24743583")
    for step, columns in LOBATTO.items():
        compare_state(lab, states, step, "Lobatto", columns)
    lab.at_most("largest kinetic energy", np.max(states["energy"] - states["z1"] - states["z2"]), H_2 + 3 + 1e-5,
                "H + 3, for z_1 + z_2 >= -3, and the largest error of H, 1e-5")
    radau = history(lab, EXAMPLE_2, "radau-2a-2")
    for column in ("x1", "p_x1", "z2", "p_z2"):
        halves, of_radau = (np.ptp(run[column][2501:]) / np.ptp(run[column][:2501]) for run in (states, radau))
        lab.between(f"extent of {column} in the second half, over that in the first", halves, 0.99, 1.01,
                    f"Radau IIA: {of_radau:.3f}")
        lab.at_most(f"the same of Radau IIA, {column}", of_radau, 0.95, "it shrinks")
    lab.at_most("both constraints", max(np.max(states["position_residual"]), np.max(states["hidden_residual"])), 1e-15,
                "round-off")
    lab.figure("figure-5.5", draw_portraits(states, [("x1", "p_x1"), ("z2", "p_z2")]))
    lab.table("figure-5.5", thinned(states, ("t", "x1", "p_x1", "z2", "p_z2"), 3))


@item("figure-5.6", "Figure 5.6: numerical Hamiltonian of the 3-stage Lobatto IIIA-IIIB method, example 2",
      [mutations.method("lobatto-3", "lobatto-2"), mutations.text("g = 1\n", 'g = "1.001"\n')])
def figure_5_6(lab):
    """The first 500 steps of H are drawn in the paper. Ranges over 500 and 5000 steps are held against an independent
    program, and so are those of Rattle."""
    states = compare_energy(lab, EXAMPLE_2, "lobatto-3")
    compare_energy(lab, EXAMPLE_2, "rattle")
    H = states["energy"]
    lab.printed("-3 sqrt(0.75)", H[0], "-2.5980762113", "-2.59807621135332", units=1,
                remark="it ends in 3532: the paper cuts digits off")
    widths = [np.ptp(H[k:k + 501]) for k in range(0, 5000, 500)]
    lab.between("width of H in the ten windows of 500 steps, smallest to largest", min(widths) / max(widths), 0.97, 1,
                "the same oscillation all the time")
    lab.figure("figure-5.6", draw_energies({"lobatto-3": states}, H_2, both=False))
    lab.table("figure-5.6", {column: states[column][:501] for column in ("t", "energy")})


@item("figure-5.7", "Figure 5.7: numerical Hamiltonians of projected Gauss and of Radau IIA methods, example 2",
      [mutations.method("gauss-2+jay", "gauss-3+jay"), mutations.method("radau-2a-2", "radau-2a-2+jay"),
       mutations.text("l2 = 1\n", 'l2 = "1.001"\n')])
def figure_5_7(lab):
    """H drifts off the exact value with the projected 2-stage Gauss method and with the unprojected and projected
    2-stage Radau IIA methods. The drift of the projected Gauss method is less drastic than that of the unprojected
    Radau IIA method, which in turn is less severe than that of the projected one. Ranges and slopes are held against
    an independent program, as are the first steps. Both 500 and 5000 steps are drawn."""
    methods = ("gauss-2+jay", "radau-2a-2", "radau-2a-2+jay")
    runs = {method: compare_energy(lab, EXAMPLE_2, method) for method in methods}
    compare_state(lab, runs["radau-2a-2"], 1, "Radau IIA", RADAU)
    compare_state(lab, runs["gauss-2+jay"], 1, "projected Gauss", PROJECTED_GAUSS)
    for method, states in runs.items():
        windows = states["energy"][::500]
        lab.says(f"{NAMES[method]}: H is lower at the end of each 500 steps", bool(np.all(np.diff(windows) < 0)),
                 f"{windows[0]:.3f} ... {windows[-1]:.3f}", printed="drifts off the exact value")
    slopes = [line(states)[0] for states in runs.values()]
    lab.says("order of the drifts: projected Gauss, Radau IIA, projected Radau IIA", slopes[0] > slopes[1] > slopes[2],
             " ".join(f"{slope:.2e}" for slope in slopes), printed="less drastic, less severe")
    lab.figure("figure-5.7", draw_energies(runs, H_2))
    energies = {method: states["energy"][::5] for method, states in runs.items()}
    lab.table("figure-5.7", {"t": runs["radau-2a-2"]["t"][::5]} | energies)


@item("section-5-gauss", "Section 5: the unprojected 2-stage Gauss method diverges, example 2",
      [mutations.method("gauss-2", "gauss-2+jay"), mutations.text("m1 = 1\n", 'm1 = "1.01"\n')])
def unprojected_gauss(lab):
    """The unprojected 2-stage Gauss method generally diverges on systems with holonomic constraints, and did so here.
    The multiplier of its last stage grows from 1 to hundreds, until the equations of a step have no solution. Its size
    at steps 10 and 41, and the step that fails, are held against an independent program. A smaller step does not
    help."""
    run = lab.run(EXAMPLE_2, record=True, codes=(0, 1), method="gauss-2", step="0.12", until=600, multipliers="stage")
    rod = run["lambda_rod1"]
    lab.says("the run ends with a step that fails", run["status"] == "failed", run["status"],
             printed="diverges")
    lab.says("steps that were done", run["steps"] == 43, run["steps"], remark="no solution at step 44")
    lab.reference("last stage's multiplier of rod 1, step 10", rod[10], "-11.8")
    lab.reference("last stage's multiplier of rod 1, step 41", rod[41], "-661")
    lab.at_least("largest residual of the rods' lengths", np.max(np.abs(run["position_residual"])), 0.1,
                 "g(Q_i) = 0 holds at the stages, and not at q_1")
    finer = lab.run(EXAMPLE_2, codes=(0, 1), method="gauss-2", step="0.01", until=600, multipliers="stage")
    lab.at_most("time at which it fails with h = 0.01", float(finer["t"]), 20, "of 600")
    lab.figure("section-5-gauss", draw_growth(run))
    lab.table("section-5-gauss", {column: run[column] for column in ("t", "lambda_rod1", "lambda_rod2", "energy")})


def draw_growth(run):
    def draw(figure):
        axes = figure.subplots()
        axes.semilogy(run["t"], np.abs(run["lambda_rod1"]), ".-", label="|multiplier of rod 1|, last stage")
        axes.semilogy(run["t"][1:], np.abs(run["energy"] - H_2)[1:], ".-", label="|H - exact value|")
        axes.set_xlabel("t")
        axes.set_ylabel("size")
        axes.legend()

    return draw
