"""Section 1: the pendulum."""

import numpy as np

import mutations
from item import item


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
