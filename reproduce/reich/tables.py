"""Tables 1 and 2 of section 5: four methods of order 4 on the pendulum."""

import numpy as np

import mutations
from item import item

PERIODS = (1, 2, 4)
GAUSS = "gauss-2@h-m+symplectic"
# Rows: key of the method; |p_y| after 1, 2 and 4 periods with h = 0.04 T, as printed and of an independent program; the
# largest error of H with h = 0.04 T and 0.004 T, in the same way.
ROWS = {
    "Yoshida": ("yoshida-4", (".77e-1", ".15", ".31"), ("7.74456e-2", "1.54879e-1", "3.09357e-1"),
                (".15e-1", ".86e-6"), ("1.49740e-2", "8.59703e-7")),
    "Gauss-Legendre": (GAUSS, (".71e-3", ".14e-2", ".28e-2"), ("1.30538e-3", "2.61076e-3", "5.22151e-3"),
                       (".97e-4", ".10e-7"), ("1.56231e-4", "1.61289e-8")),
    "Lobatto": ("lobatto-3", (".34e-3", ".68e-3", ".14e-2"), ("3.39585e-4", "6.79171e-4", "1.35834e-3"),
                (".47e-4", ".47e-8"), ("4.74607e-5", "4.65725e-9")),
    "SSF": ("gauss-2@state-space:own", (".26e-4", ".52e-4", ".10e-3"), ("2.6327e-5", "5.2654e-5", "1.0531e-4"),
            (".11e-4", ".11e-8"), ("1.1308e-5", "1.1117e-9")),
}
NOT_H_M = "H_M = H + g lambda by gauss-2 with (31) gives another number; see the text"
# States after one period, h = 0.04 T, of an independent program
AFTER_T = {
    "yoshida-4": (9.999955027664023e-01, -2.999074352295988e-03, 2.322662541600073e-04, 7.744563232538497e-02),
    "lobatto-3": (9.999999999999984e-01, -5.766606000200e-08, -1.958254641343e-11, -3.395853034963e-04),
    GAUSS: (9.999999999996373e-01, -8.518003948e-07, 1.111922041e-09, 1.305378640467e-03),
}


@item("table-1", "Table 1: phase errors after 1, 2 and 4 periods",
      [mutations.method("yoshida-4", "suzuki-4"), mutations.method(GAUSS, "gauss-2@dirac+symplectic"),
       mutations.text('potential = "m*g*y"', 'potential = "1.0001*m*g*y"'), mutations.option("set", "T=7.4163")])
def table_1(lab):
    """The exact p_y is zero at multiples of the period T; what a method has there is its phase error. Each printed
    number is compared to its digits, and to those of an independent program.

    The row Gauss-Legendre is not reproduced. By section 4 it is (31) with the 2-stage Gauss method on the Hamiltonian
    H_M = H + g lambda; that gives about 1.85 times the printed numbers, here and in the independent program. A search
    through about 300 variants, made after the fact, found one that has all five printed numbers of both tables:
    g = (q.q - 1)/2, lambda = p.p - q_y, and the terms g lambda_p and g lambda_q of the equations of motion halved
    (7.10157e-4, 1.42031e-3, 2.84063e-3). These equations are not Hamiltonian. That the author used them is a guess; the
    program cannot run them with (31), and nothing here depends on it.

    In the row SSF .52e-4 and .10e-3 are twice and four times the rounded .26e-4."""
    for name, (method, printed, reference, _, _) in ROWS.items():
        run = lab.run("pendulum", record=True, method=method, step="0.04*T", until="4*T", every=25)
        for periods, text, digits in zip(PERIODS, printed, reference):
            what, value = f"{name}, |p_y({periods} T)|", abs(run["p_y"][periods])
            if name == "Gauss-Legendre":
                lab.differs(what, value, text, NOT_H_M, digits)
            elif name == "SSF" and periods > 1:
                lab.printed(what, value, text, digits, units=1, remark="printed: a multiple of the rounded .26e-4")
            else:
                lab.printed(what, value, text, digits)
        if method in AFTER_T:
            reached = [run[column][1] for column in ("x", "y", "p_x", "p_y")]
            lab.at_most(f"{name}, state at T against an independent program",
                        max(abs(a - b) for a, b in zip(reached, AFTER_T[method])), 2e-14,
                        remark="rounding errors of 25 steps")


@item("table-2", "Table 2: largest errors of the Hamiltonian",
      [mutations.method("yoshida-4", "suzuki-4"), mutations.method("lobatto-3", GAUSS), mutations.step(1.25),
       mutations.text('potential = "m*g*y"', 'potential = "1.001*m*g*y"')])
def table_2(lab):
    """The largest error of H for h = 0.04 T and h = 0.004 T. The paper does not say over which time; 4 T is taken, as
    in table 1, and for h = 0.04 T it is shown that T and 2 T give the same two digits. Longer times change little:
    steps that meet the motion at other phases come nearer to the largest error, by less than 1 % in 40 T, which takes
    Lobatto's .47e-4 to .48e-4 after 10 T. The row Gauss-Legendre is not reproduced, for the reasons that stand at table
    1; the variant found by the search has 9.67657e-5 and 1.00172e-8."""
    for name, (method, _, _, printed, reference) in ROWS.items():
        for step, text, digits in zip(("0.04", "0.004"), printed, reference):
            run = lab.run("pendulum", method=method, step=f"{step}*T", until="4*T")
            what, value = f"{name}, h = {step} T", run["energy"]["max_error"]
            if name == "Gauss-Legendre":
                lab.differs(what, value, text, NOT_H_M, digits)
            else:
                lab.printed(what, value, text, digits)
    windows = {"Yoshida": ("1.4974e-2", "1.4974e-2", "1.4974e-2", "1.4988e-2", "1.4988e-2"),
               "Lobatto": ("4.744e-5", None, None, None, "4.771e-5"),
               "Gauss-Legendre": ("1.5623e-4", None, None, None, "1.5626e-4")}
    for name, (method, *_) in ROWS.items():
        energy = np.abs(lab.run("pendulum", record=True, method=method, step="0.04*T", until="40*T")["energy"])
        largest = [energy[: 25 * periods + 1].max() for periods in (1, 2, 4, 10, 40)]
        for periods, value, digits in zip((1, 2, 4, 10, 40), largest, windows.get(name, ())):
            if digits is not None:
                lab.reference(f"{name}, largest error in {periods} T", value, digits)
        texts = {f"{value:.1e}" for value in largest[:3]}
        lab.says(f"{name}, h = 0.04 T: T, 2 T and 4 T have the same two digits", len(texts) == 1,
                 " ".join(sorted(texts)))
        lab.at_most(f"{name}, h = 0.04 T: largest error in 40 T, over that in T", largest[-1] / largest[0], 1.01,
                    remark="bounded; phases of the steps come nearer to the maximum")


VARIANTS = {  # of the Gauss-Legendre row: constraint sqrt(q.q) - 1 and (q.q - 1)/2; |p_y(T)| of an independent program
    ("pendulum", GAUSS): "1.3054e-3",
    ("pendulum-quadratic", GAUSS): "1.3074e-3",
    ("pendulum", "gauss-2@dirac+symplectic"): "1.309e-3",
    ("pendulum-quadratic", "gauss-2@dirac+symplectic"): None,
    ("pendulum", "gauss-2@h-m+orthogonal"): None,
    ("pendulum", "gauss-2@dirac+orthogonal"): None,
    ("pendulum", "gauss-2@underlying+orthogonal"): None,
    ("pendulum", "gauss-2@weak+orthogonal"): None,
    ("pendulum", "gauss-2@dirac"): None,
    ("pendulum", "gauss-2@underlying"): None,
    ("pendulum", "gauss-2+jay"): None,
}


@item("gauss-legendre-row", "Tables 1 and 2: other ways to the Gauss-Legendre row",
      [mutations.method("gauss-2@dirac+symplectic", "gauss-2@dirac+orthogonal"),
       mutations.datum("printed", lambda texts: ("1.3e-3", "1.6e-4"), "1.3e-3 and 1.6e-4 as the printed numbers")])
def gauss_legendre_row(lab):
    """The paper says of this row: "the stabilized fourth-order 2-stage Gauss-Legendre method applied to the
    unconstrained reformulation". Every reformulation and projection of the program that fits these words is run with
    h = 0.04 T. None of them has both printed numbers, |p_y(T)| = .71e-3 and an energy error of .97e-4. The form of the
    constraint, which changes H_M off the manifold, changes the third digit only."""
    phase, energy = (float(text) for text in lab.datum("printed", (".71e-3", ".97e-4")))
    found = {}
    for (model, method), digits in VARIANTS.items():
        run = lab.run(model, method=method, step="0.04*T", until="T")
        key = f"{method}, {'sqrt(q.q) - 1' if model == 'pendulum' else '(q.q - 1)/2'}"
        found[key] = (abs(run["p"]["y"]), run["energy"]["max_error"])
        if digits is not None:
            lab.reference(f"{key}: p_y(T)", found[key][0], digits)
    lab.table("gauss-legendre-row", {"method and constraint": list(found), "p_y(T)": [a for a, _ in found.values()],
                                     "largest energy error in T": [b for _, b in found.values()]})
    # how far off: the larger one of the two factors, so that 1 is agreement
    off = {key: max(max(a / phase, phase / a), max(b / energy, energy / b)) for key, (a, b) in found.items()}
    nearest = min(off, key=off.get)
    lab.contradicts("the variant that is nearest to both printed numbers", off[nearest] > 1.05,
                    f"{nearest}: {found[nearest][0]:.2e}, {found[nearest][1]:.2e}",
                    "no reformulation has both; 5 % off would be seen in their two digits", ".71e-3, .97e-4")


