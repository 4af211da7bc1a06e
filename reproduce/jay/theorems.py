"""What sections 1 to 4 say of the methods: constraints, symplecticity, symmetry, Rattle, and what does not work."""

import re
from fractions import Fraction

import numpy as np

import mutations
from item import item
from jay.runs import EXAMPLE_1, EXAMPLE_2, NAMES

EXAMPLES = {"example 1": EXAMPLE_1, "example 2": EXAMPLE_2}


def claims(lab, model, method, step="0.12"):
    """What `certify` measures, by its property. (Exit code 3: a claim fails.)"""
    return {claim["property"]: claim for claim in
            lab.ask("certify", model, codes=(0, 3), method=method, step=step, no_advice=True)["claims"]}


@item("equation-1.11", "(1.5)-(1.11): the pendulum, its constraints and its multiplier",
      [mutations.text("L = 1\n", 'L = "1.1"\n'), mutations.method("lobatto-3", "radau-2a-2")])
def equation_1_11(lab):
    """Differentiating (1.5) once gives x p_x + z p_z = 0, and once more lambda = ((p_x^2 + p_z^2)/m - m g z)/l. Both
    formulas are evaluated along 500 steps, with the program's multipliers; y is the paper's z. Data: m = g = l = 1."""
    states = lab.run("pendulum", record=True, method="lobatto-3", step="0.12", steps=500)
    x, z, p_x, p_z = (states[name] for name in ("x", "y", "p_x", "p_y"))
    lab.at_most("(1.5): largest residual", np.max(np.abs(np.hypot(x, z) - 1)), 1e-15, "round-off")
    lab.at_most("(1.10): largest residual", np.max(np.abs(x * p_x + z * p_z)), 1e-15, "round-off")
    lab.at_most("(1.11): largest difference", np.max(np.abs(p_x**2 + p_z**2 - z - states["lambda_rod"])), 1e-14,
                "round-off of multipliers up to 3")


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
            lab.at_most(f"{name}, {words}: both constraints", worst, 1e-15, "round-off", printed="preserve all constraints")
    for method in ("gauss-2+jay",) if lab.quick else ("gauss-2+jay", "radau-2a-2", "radau-2a-2+jay"):
        of = claims(lab, EXAMPLE_2, method)
        lab.at_least(f"example 2, {NAMES[method]}: defect", of["symplecticity"]["measured"], 1e-4, "no round-off",
                     printed="nonsymplectic")


@item("section-2-symmetry", "Section 2: Lobatto schemes are symmetric",
      [mutations.method("lobatto-3", "gauss-2+jay"), mutations.option("tolerance", "1e-6")])
def symmetry(lab):
    """The paper mentions the symmetry of Lobatto schemes. A symmetric method with -h leads back to where it came from,
    and is reversible where the system is: for the double pendulum with p turned round, for the charged particle with
    y, p_x and p_z turned round, because its H is not even in p. Both are measured over 1 and 10 steps. Projected Gauss
    and Radau IIA methods have neither."""
    for name, model in EXAMPLES.items():
        for stages in (3,) if lab.quick else range(2, 8):
            of = claims(lab, model, f"lobatto-{stages}")
            for what in ("symmetry", "reversibility"):
                lab.at_most(f"{name}, s = {stages}: {what}", of[what]["measured"], 1e-14, "round-off")
    others = {"example 2": EXAMPLE_2} if lab.quick else EXAMPLES
    for name, model in others.items():
        for method in ("gauss-2+jay",) if lab.quick else ("gauss-2+jay", "radau-2a-2+jay"):
            of = claims(lab, model, method)
            lab.at_least(f"{name}, {NAMES[method]}: symmetry", of["symmetry"]["measured"], 1e-5, "no round-off")


@item("theorem-3.2", "Theorem 3.2: no Runge-Kutta scheme is symplectic and stiffly accurate",
      [mutations.method("radau-2a-2", "gauss-2"), mutations.method("gauss-2", "radau-2a-2")])
def theorem_3_2(lab):
    """Of single Runge-Kutta schemes, the Gauss method is symplectic and not stiffly accurate, Radau IIA is stiffly
    accurate and not symplectic. Measured are the defect of the symplectic form without constraints, on the Kepler
    problem, and whether g(q_1) = 0 holds after one step on example 2, for which a_sj = b_j is needed."""
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


def assumptions(lab, pair):
    """The numbers in B(p), C(q), D(r), and the others, as the program finds them."""
    about = lab.ask("methods", words=f"pair:{lab.model(pair)}").json[0]
    found = dict(re.findall(r"(\S+?)\((\d+)\)", about["remark"].partition("fulfils ")[2].partition(" and the")[0]))
    return {name: int(number) for name, number in found.items()}, about


@item("lemma-4.3", "Lemma 4.3: simplifying assumptions of the Lobatto IIIA-IIIB methods",
      [mutations.datum("3 stages", lambda _: "pair-chebyshev-4", "collocation at 0, 1/4, 3/4, 1 for table 2.2"),
       mutations.datum("CC(s)", lambda k: k + 1, "CC(s + 1)")])
def lemma_4_3(lab):
    """The s-stage pairs fulfil B(2s-2), C(s), D(s-2), and their duals C(s-2), D(s); by the lemma also the combined
    CC(s) and DD(s), and by (4.2) the order is 2s - 2. The program finds the largest numbers for which they hold from
    the coefficients, for s = 2, 3 and 4. The remark behind Theorem 2.2 is a case of it: the 2-stage methods fulfil
    B(2), C(2) but not D(1), and B(2), D(2) but not C(1). Without D(s-2) the lemma says nothing: of the collocation at
    0, 1/4, 3/4, 1, where D(1) does not hold, neither CC(2) nor DD(2) does."""
    combined = lab.datum("CC(s)", 0)
    for s, pair in ((2, "pair-table-2.1"), (3, "pair-table-2.2"), (4, "pair-lobatto-3a-4")):
        found, about = assumptions(lab, lab.datum(f"{s} stages", pair))
        expected = {"B": 2 * s - 2, "C": s, "D": s - 2, "Ĉ": s - 2, "D̂": s, "CĈ": s + combined, "DD̂": s}
        words = " ".join(f"{name}({k})" for name, k in expected.items())
        lab.says(f"s = {s}", found == expected, " ".join(f"{name}({k})" for name, k in found.items()), printed=words)
        lab.says(f"s = {s}: order by (4.2)", about["order"] == 2 * s - 2, about["order"], printed=str(2 * s - 2))
    found, about = assumptions(lab, "pair-chebyshev-4")
    lab.says("0, 1/4, 3/4, 1: neither D(1), nor CC(2), DD(2)", (found["D"], found["CĈ"], found["DD̂"]) == (0, 1, 1),
             about["order"], "its order is 2, and not 6")


@item("section-4-rattle", "Section 4: the 2-stage method is the Rattle algorithm",
      [mutations.method("lobatto-2", "lobatto-3"), mutations.method("rattle", "symplectic-euler")])
def rattle(lab):
    """For separable Hamiltonians the 2-stage Lobatto IIIA-IIIB method is equivalent to the Rattle algorithm. The
    program has both, with different solvers; 5000 steps of example 2, and of the pendulum in 100 digits, must agree.
    For a general H the program's rattle is the same map, too."""
    for model, options, bound in (
            (EXAMPLE_2, {"step": "0.12", "steps": 5000}, 1e-10),
            (EXAMPLE_1, {"step": "0.12", "steps": 1000}, 1e-10),
            ("pendulum", {"step": "0.1", "steps": 100, "precision": "100"}, 1e-90)):
        one, other = (lab.run(model, method=method, **options) for method in ("lobatto-2", "rattle"))
        apart = max(abs(difference(one[part][name], other[part][name])) for part in ("q", "p") for name in one[part])
        lab.at_most(f"{model}, {options['steps']} steps: largest difference", apart, bound,
                    "rounding errors, which grow along the motion", printed="equivalent")


def difference(one, other):
    """Of numbers, or of strings with more digits than a double has."""
    if isinstance(one, str):
        return float(Fraction(one) - Fraction(other))
    return one - other


@item("section-4-backward-analysis", "Section 4: the numerical solution is that of a perturbed Hamiltonian system",
      [mutations.option("tolerance", "1e-4"), mutations.option("shadow", "1")])
def backward_analysis(lab):
    """For symplectic methods with constant steps the numerical solution is the exact one of a nearby Hamiltonian
    system; the paper thinks it likely that this extends to holonomic constraints, and points to its figures. The
    program records the energy of that system, the shadow energy, from windows of 16 steps of the 3-stage Lobatto
    IIIA-IIIB method. It must be much more constant than H, and must not drift over 5000 steps."""
    for (name, model), ratio in zip(EXAMPLES.items(), (1e-3, 0.05)):
        run = lab.run(model, method="lobatto-3", step="0.12", until=600, shadow=16)
        shadow, H = run["invariants"]["shadow"], run["energy"]
        lab.at_most(f"{name}: largest change of the shadow energy, over that of H", shadow["max_error"] / H["max_error"],
                    ratio, f"{shadow['max_error']:.1e} of {H['max_error']:.1e}", printed="a nearby perturbed system")
        lab.at_most(f"{name}: drift of the shadow energy in 5000 steps", abs(shadow["drift"]),
                    max(0.05 * shadow["max_error"], 1e-14), "a twentieth of its changes, or rounding errors")


@item("equation-4.25", "(4.25): Lobatto IIIA-IIIB methods are not appropriate for stiff potentials",
      [mutations.method("lobatto-3", "radau-2a-3"), mutations.text('eps = "0.001"', 'eps = "1"')])
def equation_4_25(lab):
    """Because the stage P_s is explicit, the methods are not appropriate for a strong potential V(q)/eps^2, as the
    paper observed on a stiff spring pendulum. The paper gives no data; here it is a mass on a spring of stiffness
    1/eps^2 with eps = 0.001, released from the horizontal (proposed data). Steps that resolve the oscillation of the
    spring (h = eps) are good ones; with h = 10 eps the Lobatto methods fail, where the Radau IIA method with as many
    unknowns does not."""
    for method in ("lobatto-2", "lobatto-3", "lobatto-4"):
        short = lab.run("stiff-spring-pendulum", method=method, step="eps", steps=1000)
        lab.at_most(f"{method}, h = eps: largest error of H in 1000 steps", short["energy"]["max_error"], 1e-3,
                    "stable: omega h = 1")
        long = lab.run("stiff-spring-pendulum", codes=(0, 1), method=method, step="10*eps", steps=100)
        wrong = long["status"] == "failed" or long["energy"]["max_error"] > 1
        lab.says(f"{method}, h = 10 eps", wrong, f"{long['status']} after {long['steps']} steps, "
                 f"error of H {long['energy']['max_error']:.1e}", printed="not appropriate")
    radau = lab.run("stiff-spring-pendulum", method="radau-2a-2", step="10*eps", steps=100)
    lab.at_most("radau-2a-2, h = 10 eps: largest error of H", radau["energy"]["max_error"], 1e-3, "it takes these steps")
