"""Section 3: symplectic methods, and pairs that have no solution."""

import mutations
from item import item
from jay.runs import EXAMPLE_2, EXAMPLES, NAMES, claims


@item("theorem-3.1", "Theorem 3.1: the Lobatto IIIA-IIIB methods are symplectic, and keep both constraints",
      [mutations.method("lobatto-3", "radau-2a-2"), mutations.option("tolerance", "1e-6")])
def theorem_3_1(lab):
    """If (2.3) holds, the numerical flow on the manifold (3.2) is symplectic, and the projection (3.3d) onto the
    hidden constraint does not destroy that. Measured is the change of the symplectic form under the exact tangent map
    of 1 and 10 steps with h = 0.12 on both examples, and the residuals of both constraints over 300 steps. (2.3) alone
    is enough: a pair that is no Lobatto method, collocation at 0, 1/4, 3/4, 1 with its dual, is symplectic as well.
    The methods for comparison are not; a projection does not make the Gauss method symplectic on the manifold. The
    quick form has s = 3 and the projected Gauss method alone."""
    for name, model in EXAMPLES.items():
        methods = {f"Lobatto, s = {s}": f"lobatto-{s}" for s in ((3,) if lab.quick else range(2, 8))}
        if not lab.quick:
            methods["collocation at 0, 1/4, 3/4, 1"] = f"pair:{lab.model('pair-chebyshev-4')}"
        for words, method in methods.items():
            of = claims(lab, model, method)
            lab.at_most(f"{name}, {words}: defect of the symplectic form", of["symplecticity"]["measured"], 1e-14,
                        "round-off", printed="symplectic")
            worst = max(of[f"{which} constraint"]["measured"] for which in ("position", "hidden"))
            lab.at_most(f"{name}, {words}: both constraints", worst, 1e-15, "round-off",
                        printed="preserve all constraints")
    for method in ("gauss-2+jay",) if lab.quick else ("gauss-2+jay", "radau-2a-2", "radau-2a-2+jay"):
        of = claims(lab, EXAMPLE_2, method)
        lab.at_least(f"example 2, {NAMES[method]}: defect", of["symplecticity"]["measured"], 1e-4, "no round-off",
                     printed="nonsymplectic")


@item("theorem-3.2", "Theorem 3.2: no Runge-Kutta scheme is symplectic and stiffly accurate",
      [mutations.method("radau-2a-2", "gauss-2"), mutations.method("gauss-2", "radau-2a-2")])
def theorem_3_2(lab):
    """Both together would need b_s = 0, by (2.3) with i = j = s. Of single Runge-Kutta schemes, the Gauss method is
    symplectic and not stiffly accurate, Radau IIA is stiffly accurate and not symplectic. Measured are the defect of
    the symplectic form without constraints, on the Kepler problem, and whether g(q_1) = 0 holds after one step on
    example 2, for which a_sj = b_j is needed."""
    for method, symplectic in (("gauss-2", True), ("radau-2a-2", False)):
        defect = claims(lab, "kepler", method, step="0.05")["symplecticity"]["measured"]
        residual = lab.run(EXAMPLE_2, method=method, step="0.12", steps=1)["constraint"]["position_max"]
        kept, lost = ("symplectic", "g(q_1) = 0") if symplectic else ("g(q_1) = 0", "symplectic")
        values = {"symplectic": defect, "g(q_1) = 0": residual}
        lab.at_most(f"{method}, {kept}: defect", values[kept], 1e-14, "round-off")
        lab.at_least(f"{method}, {lost}: defect", values[lost], 1e-7, "no round-off")


@item("equation-3.12", "(3.10) and (3.12): Radau IIA and Lobatto IIIC with their duals have no solution",
      [mutations.datum("Radau IIA", lambda _: "pair-table-2.2", "table 2.2 for Radau IIA"),
       mutations.datum("Lobatto IIIC", lambda _: "pair-table-2.1", "table 2.1 for Lobatto IIIC")])
def equation_3_12(lab):
    """With Radau IIA or Lobatto IIIC and their dual symplectic methods, (3.11) does not possess a solution in general:
    it has s conditions g(Q_i) = 0 and s - 1 multipliers. The assumption a_1j = 0 is needed. The program must refuse
    both pairs (exit code 2), and accept the tables 2.1 and 2.2."""
    for name, pair in (("Radau IIA", "pair-radau-2a-2"), ("Lobatto IIIC", "pair-lobatto-3c-3")):
        answer = lab.ask("methods", codes=(0, 2), words=f"pair:{lab.model(lab.datum(name, pair))}")
        lab.says(f"{name} with its dual is refused", not answer.json, remark="a_11 is not 0",
                 printed="does not possess a solution in general")
    for table in ("table-2.1", "table-2.2"):
        answer = lab.ask("methods", words=f"pair:{lab.model(f'pair-{table}')}").json[0]
        lab.says(f"{table.replace('-', ' ')} is accepted",
                 answer["keeps_position_constraint"] and answer["keeps_hidden_constraint"], remark=answer["remark"])
