"""Section 4: the formulation H_M without constraints, and its projection (31)."""

import math

import numpy as np

import mutations
from item import item
from reich.pendulum import ROUNDING, claim, errors_at_2, order, worst_residual

# Stages of the Gauss method: numbers of steps to t = 2
STAGES = {1: (50, 100), 2: (20, 40), 3: (24, 48), 4: (24, 48)}


@item("theorem-4.1", "Theorem 4.1: (31) is symplectic, keeps both constraints, and has the order of the method",
      [mutations.method("gauss-2@h-m+symplectic", "gauss-2@h-m+orthogonal"),
       mutations.method("gauss-4@h-m+symplectic", "gauss-3@h-m+symplectic"),
       mutations.datum("exact state", lambda digits: ("-0.2041", *digits[1:]), "a wrong digit in the exact state")])
def theorem_4_1(lab):
    """A symplectic method of order nu on H_M, projected by (31), is symplectic, keeps g = 0 and f = 0, and has the
    order nu, whatever nu is. Gauss methods with 1 to 4 stages, in quad: orders at t = 2 against the exact state of the
    pendulum, residuals of these runs, and the wedge product of two tangent vectors over T; the full form also measures
    the symplectic form on a basis by certify, and in quad. The proof's first lines, g and f are O(h^(nu+1)) after a
    step without projection, are measured on one step from phi = -0.7. Lambda_k of (32) and (33) is not shown by the
    program."""
    for stages, steps in STAGES.items():
        key, nu = f"gauss-{stages}@h-m+symplectic", 2 * stages
        errors = errors_at_2(lab, key, steps)
        if stages == 2:
            lab.reference(f"{key}: order from 20 to 40 steps", order(errors, steps), "4.00")
        lab.between(f"{key}: order at t = 2", order(errors, steps), nu - 0.05, nu + 0.05, printed=str(nu))
        run = lab.run("pendulum", method=key, step=f"2/{steps[-1]}", until="2", precision="quad")
        lab.at_most(f"{key}: largest |g| and |f|", worst_residual(run), 1e-32, remark="rounding errors of quad")
        wedge = lab.run("pendulum", method=key, step="0.04*T", until="T", wedge=True)["invariants"]["wedge"]
        lab.at_most(f"{key}, h = 0.04 T: change of the wedge product in T", wedge["max_error"], 1e-13, remark=ROUNDING)
    for stages in (1, 2, 3):
        counts = (400, 800)
        steps = [lab.run("pendulum-from", method=f"gauss-{stages}@h-m", set={"phi": "-0.7"}, step=f"T/{n}", steps=1,
                         precision="quad")["constraint"] for n in counts]
        for name, text in (("g", "position_max"), ("f", "hidden_max")):
            lab.between(f"gauss-{stages}@h-m, one step: order of {name}",
                        order([float(one[text]) for one in steps], counts), 2 * stages + 0.9, 2 * stages + 1.1,
                        printed=str(2 * stages + 1))
    if not lab.quick:
        for stages, precision in ((1, "double"), (2, "double"), (3, "double"), (4, "double"), (2, "quad")):
            key = f"gauss-{stages}@h-m+symplectic"
            claims = lab.ask("certify", "pendulum", method=key, no_advice=True, precision=precision, codes=(0, 3))
            measured = claim(claims, "symplecticity")
            lab.at_most(f"{key}, {precision}: defect of the symplectic form", float(measured["measured"]),
                        float(measured["at_most"]), remark=ROUNDING)


@item("equation-30", "Section 4: the instability of (30), and that (31) removes it",
      [mutations.method("gauss-2@h-m", "gauss-2@dirac"), mutations.method("gauss-2@h-m+symplectic", "gauss-2@dirac"),
       mutations.option("formulation", "underlying")])
def equation_30(lab):
    """Schemes on (30) do not keep the manifold; "for some formulations an exponential instability with respect to the
    constraints was observed", and the projection (31) is to remove it. Off the manifold of this pendulum g' = f and
    f' = {f, lambda} g = 3 (p.p) g, so that residuals grow at the rate sqrt(3) |p|. `stability` must show this rate, and
    the growth that follows from it in runs which start off the manifold. The 2-stage Gauss method with h = 0.01 T loses
    the constraint within two periods; with (31) both constraints hold at round-off."""
    rows = lab.ask("stability", "pendulum", formulation="h-m", step="0.01", until="3", every=50)["rows"]
    motion = lab.run("pendulum", record=True, method="lobatto-6", step="0.05", until="3", every=10)
    rates = math.sqrt(3) * np.hypot(motion["p_x"], motion["p_y"])
    lab.at_most("frozen eigenvalues at t = 0, 0.5, ..., 3: largest distance from sqrt(3) |p|",
                max(abs(row["fastest"]["real"] - rate) for row, rate in zip(rows, rates, strict=True)), 1e-12,
                remark=ROUNDING)
    lab.between("growth of residuals to t = 3: measured over expected",
                rows[-1]["growth_measured"] / rows[-1]["growth_expected"], 0.999, 1.001,
                remark="expected: by the linear equation")
    lab.at_least("growth of residuals to t = 3", rows[-1]["growth_measured"], 100)
    loses = lab.run("pendulum", record=True, method="gauss-2@h-m", step="0.01*T", until="4*T", codes=(0, 1))
    lab.at_least("gauss-2 on (30), h = 0.01 T: largest |g| before the run ends", loses["constraint"]["position_max"],
                 0.1, remark="then no solution is left")
    lab.at_most("the same: time at which it ends, in periods", loses.json["t"] / 7.416298709, 2)
    periods = 10 if lab.quick else 100
    keeps = lab.run("pendulum", record=True, method="gauss-2@h-m+symplectic", step="0.01*T", until=f"{periods}*T",
                    every=5)
    lab.at_most(f"gauss-2 with (31), h = 0.01 T: largest |g| and |f| in {periods} T", worst_residual(keeps), 1e-14,
                remark=ROUNDING)
    lab.table("equation-30", {"t": loses["t"], "|g|, gauss-2": np.abs(loses["position_residual"]),
                              "|f|, gauss-2": np.abs(loses["hidden_residual"])})

    def draw(figure):
        axes = figure.subplots()
        early = keeps["t"] <= 1.1 * loses["t"][-1]
        for run, part, styles, name in ((loses, slice(None), ("-", "--"), "(30) by gauss-2"),
                                        (keeps, early, (".", "x"), "with (31)")):
            for residual, symbol, style in zip(("position_residual", "hidden_residual"), ("|g|", "|f|"), styles):
                # zeros are drawn at the lower edge
                axes.semilogy(run["t"][part], np.maximum(run[residual][part], 1e-17), style, label=f"{symbol}, {name}")
        axes.set_xlabel("t")
        axes.set_ylabel("residuals (0 is drawn at 1e-17)")
        axes.legend(loc="center right")

    lab.figure("equation-30", draw)
