"""Section 4: Rattle, backward analysis, stiff potentials."""

from fractions import Fraction

import mutations
from item import item
from jay.runs import EXAMPLE_1, EXAMPLE_2, EXAMPLES


def difference(one, other):
    """Of numbers, or of strings with more digits than a double has."""
    if isinstance(one, str):
        return float(Fraction(one) - Fraction(other))
    return one - other


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
        lab.at_most(f"{name}: largest change of the shadow energy, over that of H",
                    shadow["max_error"] / H["max_error"], ratio,
                    f"{shadow['max_error']:.1e} of {H['max_error']:.1e}", printed="a nearby perturbed system")
        lab.at_most(f"{name}: drift of the shadow energy in 5000 steps", abs(shadow["drift"]),
                    max(0.05 * shadow["max_error"], 1e-14), "a twentieth of its changes, or rounding errors")


@item("equation-4.25", "(4.25): Lobatto IIIA-IIIB methods are not appropriate for stiff potentials",
      [mutations.method("lobatto-3", "radau-2a-3"), mutations.text("(2*eps^2)", "2")])
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
    lab.at_most("radau-2a-2, h = 10 eps: largest error of H", radau["energy"]["max_error"], 1e-3,
                "it takes these steps")
