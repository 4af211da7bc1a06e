"""Section 2: symmetry."""

import mutations
from item import item
from jay.runs import EXAMPLE_2, EXAMPLES, NAMES, claims


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
