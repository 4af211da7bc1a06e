"""Sections 3.5 and 3.6: linear equations for the residuals of the constraints."""

import numpy as np

import mutations
from item import item

# Of linear.toml
HESSIAN = np.array([[3, 1, 0.5], [1, 2, -0.4], [0.5, -0.4, 1.5]])
G = np.array([[1, 2, -1], [0, 1, 1]])


def stability(lab, model, formulation, step, until, every, **options):
    return lab.ask("stability", model, formulation=formulation, step=step, until=until, every=every, **options)["rows"]


def norm_of_exponential(L, t):
    """|exp(L t)|, by squaring a Taylor series."""
    n = 10
    small = L * t / 2**n
    result, term = np.eye(len(L)), np.eye(len(L))
    for k in range(1, 12):
        term = term @ small / k
        result = result + term
    for _ in range(n):
        result = result @ result
    return float(np.linalg.norm(result, 2))


@item("section-3.5", "Section 3.5: linear constraints and a quadratic Hamiltonian, (3.11)-(3.14)",
      [mutations.text("3*x^2", "3.1*x^2", "linear"), mutations.datum("B", lambda B: 1.05 * B, "another Hessian"),
       mutations.datum("signs", lambda signs: {**signs, "dirac": 1}, "r' = s for Dirac's Hamiltonian")])
def section_3_5(lab):
    """With r = Hq and s = Hp, H the projector onto the complement of the null space of G, and B = H D2F H: the
    simplified Hamiltonian has r' = s, s' = Br, a saddle if D2F is positive definite; Dirac's has r' = -s, s' = Br, a
    stable centre; (3.7)-(3.8) have r' = s' = 0, and the standard underlying ODE r' = s, s' = 0. The program measures
    residuals (Gq, Gp) in runs that start off the manifold by 1e-7, by their growth (largest over all directions) to t =
    1 and 2, and their eigenvalues; both are compared with these equations in the variables Gq, Gp. Proposed data: three
    coordinates, two constraints."""
    N = np.linalg.inv(G @ G.T)
    B = lab.datum("B", G @ HESSIAN @ G.T @ N)  # of (Gq, Gp): G H D2F H = B G
    identity, zero = np.eye(2), np.zeros((2, 2))
    signs = lab.datum("signs", {"h-m": 1, "dirac": -1})
    rates = np.sqrt(np.linalg.eigvals(B))
    systems = {
        "h-m": ("simplified, (3.11)-(3.12)", np.block([[zero, signs["h-m"] * identity], [B, zero]]), "saddle"),
        "dirac": ("Dirac, (3.13)-(3.14)", np.block([[zero, signs["dirac"] * identity], [B, zero]]), "stable centre"),
        "weak": ("(3.7)-(3.8)", np.zeros((4, 4)), "r' = s' = 0"),
        "underlying": ("standard underlying ODE", np.block([[zero, identity], [zero, zero]]), "r' = s, s' = 0"),
    }
    for key, (name, L, printed) in systems.items():
        rows = stability(lab, "linear", key, "0.02", 2, 50)
        for row in rows[1:]:
            expected = norm_of_exponential(L, row["t"])
            lab.between(f"{name}: growth of residuals in runs to t = {row['t']:g}", row["growth_measured"],
                        expected * 0.9999,
                        expected * 1.0001, printed=printed)
        fastest, frequency = rows[-1]["fastest"]["real"], rows[-1]["frequency"]
        real, imaginary = (max(rates), 0) if key == "h-m" else (0, max(rates)) if key == "dirac" else (0, 0)
        lab.between(f"{name}: largest real part", fastest, real - 1e-6, real + 1e-6,
                    remark="double zero eigenvalues are known to the root of rounding errors" if real == 0 else "")
        lab.between(f"{name}: largest imaginary part", frequency, imaginary - 1e-6, imaginary + 1e-6)


def jacobian(q):
    """G of the double pendulum. It is linear in q: G_q(p, p) is jacobian(p) p."""
    x1, z1, x2, z2 = q
    return np.array([[x1, z1, 0 * x1, 0 * x1], [x1 - x2, z1 - z2, x2 - x1, z2 - z1]])


def multipliers(w):
    """mu = {phi, psi}^-1 {psi, H}"""
    J = jacobian(w[:4])
    return np.linalg.solve(J @ J.T, jacobian(w[4:]) @ w[4:] - J @ [0, 1, 0, 1])


def bracket(a_w, b_w):
    """{a, b} of the derivatives by w = (q, p)."""
    n = a_w.shape[1] // 2
    return a_w[:, :n] @ b_w[:, n:].T - a_w[:, n:] @ b_w[:, :n].T


def residual_matrix(w, weight):
    """L of (phi, psi)' = L (phi, psi) for Dirac's Hamiltonian: (3.17)-(3.18) with weight 0, with the terms of {psi,
    psi} with weight 1."""
    q, p = w[:4], w[4:]
    J = jacobian(q)
    phi_w = np.hstack([J, np.zeros_like(J)])
    psi_w = np.hstack([jacobian(p), J])
    step = 1e-30  # complex steps: derivatives to rounding
    mu_w = np.column_stack([multipliers(w + 1j * step * e).imag / step for e in np.eye(8)])
    C = weight * bracket(psi_w, psi_w) @ np.linalg.inv(bracket(phi_w, psi_w))
    return np.block([[bracket(phi_w, mu_w) + C, -np.eye(2)], [bracket(psi_w, mu_w) + C @ C, -C]])


def growth(matrices, h):
    """Norms of the fundamental matrix at every second entry, by the classical Runge-Kutta method with steps of 2h."""
    Y, norms = np.eye(4), [1.0]
    for a, b, c in zip(matrices[:-2:2], matrices[1::2], matrices[2::2]):
        k1 = a @ Y
        k2 = b @ (Y + h * k1)
        k3 = b @ (Y + h * k2)
        k4 = c @ (Y + 2 * h * k3)
        Y = Y + h / 3 * (k1 + 2 * k2 + 2 * k3 + k4)
        norms.append(float(np.linalg.norm(Y, 2)))
    return norms


@item("equation-3.17", "Equations (3.17)-(3.18) for several constraints",
      [mutations.datum("weight", lambda weight: 0.9, "a wrong factor of the missing terms"),
       mutations.datum("printed", lambda weight: 1, "the missing terms in the printed equations"),
       mutations.text("z1 + z2", "z1 + 1.05*z2"), mutations.method("lobatto-5", "radau-2a-1")])
def equation_3_17(lab):
    """Linear equations for the residuals of Dirac's Hamiltonian, phi' = -psi + {phi, mu} phi, psi' = {psi, mu} phi with
    mu = -{psi, phi}^-1 {psi, H}. They lack terms in C = {psi, psi} {phi, psi}^-1, which is zero for one constraint: + C
    phi in phi', and + C^2 phi - C psi in psi'. On a double pendulum (proposed data) the largest growth of residuals to
    t = 3 is measured in runs that start off the manifold by 1e-7; both linear equations are integrated along the motion
    with brackets by hand. With the missing terms they agree with the runs; as printed they do not. Frozen eigenvalues
    have positive real parts, so that there is no centre (an independent program has 0.94 at a state that it does not
    name)."""
    run = lab.run("double-pendulum-quadratic", record=True, method="lobatto-5", step="0.01", until=3)
    names = ("x1", "z1", "x2", "z2")
    states = np.column_stack([run[name] for name in names] + [run[f"p_{name}"] for name in names])
    rows = stability(lab, "double-pendulum-quadratic", "dirac", "0.01", 3, 50)
    weight, printed = lab.datum("weight", 1), lab.datum("printed", 0)
    full = growth([residual_matrix(w, weight) for w in states], 0.01)
    without = growth([residual_matrix(w, printed) for w in states], 0.01)
    for k, row in enumerate(rows):
        if k:
            lab.between(f"growth in runs to t = {row['t']:g}, over that with the terms of {{psi, psi}}",
                        row["growth_measured"] / full[25 * k], 0.9995, 1.0005,
                        remark="terms of the second order, 1e-4 for residuals of 1e-7")
        real = float(np.max(np.linalg.eigvals(residual_matrix(states[50 * k], weight)).real))
        lab.between(f"largest real part of the eigenvalues at t = {row['t']:g}, by the program and by hand",
                    row["fastest"]["real"] - real, -1e-6, 1e-6)
    off = [abs(row["growth_measured"] / without[25 * k] - 1) for k, row in enumerate(rows)]
    lab.contradicts("growth in runs over that of (3.17)-(3.18), largest difference from 1", max(off) > 0.05, max(off),
                    "{psi, psi} does not vanish for two constraints that move", printed="(3.17)-(3.18)")
    lab.at_least("largest real part of the frozen eigenvalues to t = 3", max(row["fastest"]["real"] for row in rows),
                 0.3,
                 remark="no centre: that is for one constraint")
    one = stability(lab, "free-circle", "dirac", "0.01", 2, 50)
    lab.at_most("for comparison, one constraint: largest real part", max(row["fastest"]["real"] for row in one), 1e-12,
                printed="centre", remark="rounding errors")
    times = [0.02 * k for k in range(len(full))]
    lab.table("equation-3.17", {"t": times, "growth, full": full, "growth, as printed": without})

    def paint(figure):
        axes = figure.subplots()
        axes.plot(times, full, label="linear equations with the terms of {ψ, ψ}")
        axes.plot(times, without, "--", label="(3.17)-(3.18) as printed")
        axes.plot([row["t"] for row in rows], [row["growth_measured"] for row in rows], "ko",
                  label="runs from off the manifold")
        axes.set_xlabel("t")
        axes.set_ylabel("largest growth of residuals")
        axes.legend()

    lab.figure("equation-3.17", paint)
