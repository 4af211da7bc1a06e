"""(3.16): the half-explicit method of order 1, on the double pendulum of example 2."""

import numpy as np

import mutations
from item import item
from jay.runs import EXAMPLE_2, claims
from jay.section_3_2_newton import FORCE, G, g


def half_explicit_step(q, p, h):
    """s = 3, Q_1 = Q_2 = q_0, P_2 = p_1, Q_3 = q_1: p_1 = p_0 - h (H_q + G^T Lambda)(q_0), q_1 = q_0 + h p_1, and
    Lambda such that g(q_1) = 0."""
    direction, multiplier = G(q).T, np.zeros(2)
    for _ in range(50):
        p1 = p - h * (FORCE + direction @ multiplier)
        change = np.linalg.solve(-h * h * G(q + h * p1) @ direction, g(q + h * p1))
        multiplier = multiplier - change
        if np.max(np.abs(change)) < 1e-13:
            break
    p1 = p - h * (FORCE + direction @ multiplier)
    return q + h * p1, p1


@item("equation-3.16", "(3.16): the half-explicit method of order 1 is symplectic for separable Hamiltonians",
      [mutations.method("symplectic-euler", "symplectic-euler-adjoint"), mutations.method("symplectic-euler", "rattle"),
       mutations.text("m2 = 1\n", 'm2 = "1.001"\n')])
def equation_3_16(lab):
    """Of the half-explicit methods with the coefficients (3.16), that of order 1 is symplectic if the Hamiltonian is
    separable. Written out it is the symplectic Euler method with one multiplier. Its positions, computed here, must be
    those of the program's symplectic-euler, which moves momenta along G^T onto the hidden constraint and leaves
    positions as they are; and that must be symplectic, with the order 1."""
    states = lab.run(EXAMPLE_2, record=True, method="symplectic-euler", step="0.03", steps=100)
    q, p = (np.array([states[f"{part}{name}"][0] for name in ("x1", "z1", "x2", "z2")]) for part in ("", "p_"))
    apart = 0
    for k in range(1, 101):
        q, p = half_explicit_step(q, p, 0.03)
        apart = max(apart, np.max(np.abs(q - [states[name][k] for name in ("x1", "z1", "x2", "z2")])))
    lab.at_most("positions of 100 steps, h = 0.03: largest difference", apart, 1e-12, "rounding errors")
    of = claims(lab, EXAMPLE_2, "symplectic-euler", step="0.03")
    lab.at_most("defect of the symplectic form", of["symplecticity"]["measured"], 1e-14, "round-off",
                printed="symplectic")
    lab.between("order", of["order"]["measured"], 0.85, 1.15, "the slope of two finite h", printed="1")
