"""Figures 4.3, 4.4 and 4.5: endpoint and midpoint projection."""

import numpy as np

import mutations
from item import item
from leimkuhler_reich.experiment import QUANTITIES, columns, compare_largest, compare_state, draw, motion
from leimkuhler_reich.section_4 import repetition_defect


@item("figure-4.3", "Figure 4.3: endpoint projection for the Hamiltonian formulation of Dirac",
      [mutations.method("gauss-1@dirac+orthogonal", "gauss-1@dirac+symplectic"),
       mutations.method("gauss-1@dirac+orthogonal", "gauss-1@weak+orthogonal"), mutations.step(0.99),
       mutations.text('potential = "q2"', 'potential = "1.001*q2"')])
def figure_4_3(lab):
    """After every step of the midpoint rule on Dirac's equations, the nearest point with g = 0 and Gp = 0 (in the
    Euclidean norm of (q, p)). The paper shows the effect on the wedge product: it is no longer kept, though the
    constraints are. Numbers of an independent program, also for the simplified and the underlying equations with the
    same projection; and to t = 100, where the wedge product has gone ten times as far."""
    long = 10 if lab.quick else 100
    seen = motion(lab, "dirac+orthogonal", long)
    compare_largest(lab, "Dirac", seen, 1, (None, None, "6.4350e-5", None))
    compare_largest(lab, "Dirac", seen, 10, (2e-15, 5e-15, "1.9684e-4", "2.8876e-4"))
    if not lab.quick:
        compare_largest(lab, "Dirac", seen, 100, (None, None, "1.96e-3", None))
    compare_state(lab, "Dirac", seen, 1, "-0.6837064711277 -0.7297571248972 -1.7050782259723 1.5974808290366")
    others = {"simplified": ("h-m", "8.9509e-5", (2e-15, 5e-15, "2.2467e-4", "2.6657e-4")),
              "underlying": ("underlying", "2.4720e-5", (2e-15, 5e-15, "2.5805e-5", "1.2480e-4"))}
    runs = {"Dirac": seen}
    for name, (key, to_1, to_10) in others.items():
        runs[name] = motion(lab, f"{key}+orthogonal", 10)
        compare_largest(lab, name, runs[name], 1, (None, None, to_1, None))
        compare_largest(lab, name, runs[name], 10, to_10)
    lab.at_least("Dirac: largest |wedge - 1| to t = 10", seen.largest(10)[2], 1e-5,
                 printed="the wedge product is affected",
                 remark="without the projection it is kept to rounding (figure 3.1)")
    lab.table("figure-4.3", columns(seen, 10))
    lab.figure("figure-4.3", lambda figure: draw(figure, {"Dirac, endpoint projection": seen}, 10))


FORMULATIONS = ("dirac", "h-m", "weak", "underlying", "baumgarte", "baumgarte-twice")


@item("figure-4.4", "Figure 4.4: midpoint projection for the Hamiltonian formulation of Dirac",
      [mutations.method("gauss-1@dirac+stage", "gauss-1@dirac+orthogonal"),
       mutations.method("gauss-1@dirac+stage", "gauss-1@dirac"), mutations.step(0.99),
       mutations.text('potential = "q2"', 'potential = "1.001*q2"')])
def figure_4_4(lab):
    """The midpoint of each step is projected onto g = 0 and Gp = 0, the end of the step is not. The figure shows an
    evident instability. Numbers of an independent program: residuals and wedge product to t = 1 and 10, and to t = 100,
    by when the wedge product has gone by 2 per cent. Unlike in figure 3.1, the residuals grow."""
    long = 20 if lab.quick else 100
    seen = motion(lab, "dirac+stage", long)
    compare_largest(lab, "Dirac", seen, 1, ("2.1170e-4", "4.6672e-4", "3.3720e-4", None))
    compare_largest(lab, "Dirac", seen, 10, ("7.6281e-4", "1.5833e-3", "1.3609e-3", "3.8140e-4"))
    if not lab.quick:
        compare_largest(lab, "Dirac", seen, 100, (None, None, "2.0e-2", None))
    compare_state(lab, "Dirac", seen, 1, "-0.6835973329948 -0.7300043730660 -1.7057063032467 1.5969856150959")
    for k, name in enumerate(QUANTITIES[:3]):
        lab.at_least(f"largest {name} to t = 10 over that to t = 1", seen.largest(10)[k] / seen.largest(1)[k], 3,
                     printed="evident instability", remark="a band would give 1 (figure 3.1: 1.00 and 1.02)")
    lab.table("figure-4.4", columns(seen, 10))
    lab.figure("figure-4.4", lambda figure: draw(figure, {"Dirac, midpoint projection": seen}, 10))


@item("section-4-midpoint", "Section 4: with midpoint projection all formulations coincide",
      [mutations.method("gauss-1@weak+stage", "gauss-1@weak"),
       mutations.method("gauss-1@h-m+stage", "gauss-1@h-m+orthogonal"),
       mutations.method("gauss-1@underlying+stage", "gauss-2@underlying+stage")])
def midpoint_projection(lab):
    """Any underlying ODE has the same right-hand side on the constraint manifold (section 3.3). The midpoint of a step
    with midpoint projection lies on it, so that the step must be the same for all formulations, Hamiltonian or not, and
    to rounding. Six formulations (quick: four) on [0, 10] against each other, and against an independent program;
    without projection they differ by more than 1e-5 at t = 1."""
    runs = {key: motion(lab, f"{key}+stage", 10) for key in FORMULATIONS[:4 if lab.quick else None]}
    for key, seen in runs.items():
        compare_state(lab, key, seen, 1, "-0.6835973329948 -0.7300043730660 -1.7057063032467 1.5969856150959")
        compare_largest(lab, key, seen, 10, ("7.6281e-4", "1.5833e-3", "1.3609e-3", "3.8140e-4"))
        if key != "dirac":
            lab.at_most(f"{key} against Dirac: largest difference of states to t = 10",
                        float(np.max(np.abs(seen.w - runs["dirac"].w))), 1e-11,
                        remark="rounding errors, which the instability amplifies")
    free = {key: motion(lab, key, 1).at(1) for key in FORMULATIONS[:4]}
    least = min(np.max(np.abs(free[a] - free[b])) for a in free for b in free if a < b)
    lab.at_least("without projection: least difference of two formulations at t = 1", float(least), 1e-5)


@item("figure-4.5", "Figure 4.5: infrequent endpoint projection of the weakly Hamiltonian Dirac formulation",
      [mutations.method("gauss-1@weak+orthogonal:20", "gauss-1@dirac+orthogonal:20"),
       mutations.method("gauss-1@dirac+orthogonal:20", "gauss-1@dirac+orthogonal:10"), mutations.step(0.99)])
def figure_4_5(lab):
    """(3.7)-(3.8) on [0, 10] with endpoint projection after every 20th step. The text sees a loss of regular structure,
    because the projections are not in phase with the motion. With implicit equations that are solved to rounding there
    is nothing to project: g and Gp are kept (figure 4.2), and the wedge product is the same periodic function as
    without the projection. The statement itself is right for a formulation that leaves the constraints: with Dirac's
    Hamiltonian, projected every 20 steps, energy and wedge product lose what they had. Regularity is measured by how
    far a quantity of one rotation is from that of the others, to t = 30, in units of its range in the first one."""
    seen, free = motion(lab, "weak+orthogonal:20", 30), motion(lab, "weak", 30)
    compare_largest(lab, "weak, every 20 steps", seen, 10, (1e-14, 2e-14, "2.4999e-5", 2e-14))
    defect = repetition_defect(seen, seen.wedge, 30)
    lab.contradicts("weak: wedge product of one rotation against the others", defect < 1e-3, defect,
                    "the projections move nothing, as g and Gp are kept to rounding",
                    printed="loss of regular structure")
    lab.at_most("weak: difference of states with and without the projection, to t = 10",
                float(np.max(np.abs((seen.w - free.w)[seen.part(0, 10)]))), 1e-12, remark="rounding errors")
    dirac, unprojected = motion(lab, "dirac+orthogonal:20", 30), motion(lab, "dirac", 30)
    compare_largest(lab, "Dirac, every 20 steps", dirac, 1, (None, None, "6.1516e-4", None))
    compare_largest(lab, "Dirac, every 20 steps", dirac, 10, ("6.5072e-5", "6.0336e-4", "3.5123e-3", "3.2067e-3"))
    lab.at_most("Dirac without projection: energy of one rotation against the others",
                repetition_defect(unprojected, unprojected.energy, 30), 1,
                remark="quasiperiodic, within its range in the first one")
    lab.at_least("Dirac, every 20 steps: energy of one rotation against the others",
                 repetition_defect(dirac, dirac.energy, 30), 3, printed="loss of regular structure",
                 remark="what the text says of infrequent projections, where they move something")
    lab.table("figure-4.5", {**columns(seen, 10), "Dirac: g": dirac.g[dirac.part(0, 10)],
                             "Dirac: Gp": dirac.Gp[dirac.part(0, 10)],
                             "Dirac: wedge - 1": dirac.wedge[dirac.part(0, 10)] - 1})
    lab.figure("figure-4.5",
               lambda figure: draw(figure, {"weakly Hamiltonian, every 20": seen, "Dirac, every 20": dirac}, 10))
