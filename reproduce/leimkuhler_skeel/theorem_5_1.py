"""Section 5 and the appendix: local errors, and theorem 5.1."""

import mutations
import numpy as np
from item import item
from leimkuhler_skeel.chains import (curvature, half_steps, jacobian, largest, last_state, longest, motion, slope,
                                     spring_matrix)

H = 0.01


@item("section-5-local-error", "Section 5: the local error of VS and of RATTLE",
      [mutations.method("rattle", "symplectic-euler"), mutations.method("shake", "rattle"),
       mutations.datum("order", lambda order: order + 1, "one order more")])
def local_error(lab):
    """(15)-(18), with or without the endpoint projection, are said to be locally O(h^3): from the same start on the
    manifold the exact and the approximate solution differ by that after a single step. One step from the start of the
    chain of six nodes is compared, in quad, with one of a composition of order 8. It holds for both methods but for the
    momenta of VS: by the closed form of section 7.2 their part across the manifold is -(h^2/2) g''[p', p], of order 2.
    This part is not passed on to later steps, so that the global order is 2 all the same."""
    steps = (0.01, 0.005, 0.0025)
    order = lab.datum("order", 3)

    def one_step(key, h):
        return last_state(lab.run("spring-chain", method=key, step=h, steps=1, precision="quad"))

    errors = {}
    for name, key in (("RATTLE", "rattle"), ("VS", "shake")):
        off = [one_step(key, h) - one_step("kahan-li-8", h) for h in steps]
        for part, of in (("q", slice(0, 12)), ("p", slice(12, None))):
            errors[f"{name}, {part}"] = [longest(values[of]) for values in off]
    slopes = {what: slope(steps, values) for what, values in errors.items()}
    for what in ("RATTLE, q", "RATTLE, p", "VS, q"):
        lab.at_least(f"local order of {what}", slopes[what], order - 0.05, "O(h^3)", "3")
    lab.contradicts("local order of VS, p", 1.95 <= slopes["VS, p"] <= order - 0.95, slopes["VS, p"],
                    "the hidden constraint is missed by O(h^2) in every step, from the first on", "3")
    lab.table("section-5-local-error", {"h": steps, **errors})


@item("theorem-5.1", "Theorem 5.1: VS and VR are a discretization of the underlying ODE, and of second order",
      [mutations.datum("curvature", lambda c: 1.001 * c, "weight 0.5005 for 1/2 of g'' in (46)"),
       mutations.method("shake", "bdf-2"), mutations.method("rattle", "symplectic-euler"),
       mutations.datum("K", lambda K: 1.001 * K, "springs that are stiffer by 0.1 %")])
def theorem_5_1(lab):
    """Neglecting rounding errors, VR and VS are step by step equivalent to (45)-(46), the scheme (38)-(39) on the
    underlying ODE (33)-(34); hence both converge with order 2. First (46) is evaluated with the positions of a run of
    VS with h = 0.01, all steps to t = 10. Then (45)-(46) itself is solved, by functional iteration, without any
    constraint or multiplier, from the first two positions on; its solution is that of VS and of VR. At last global
    orders are measured with `compare`."""
    K = lab.datum("K", spring_matrix())
    weight = lab.datum("curvature", 0.5)

    def change(q, before, after):
        """The right-hand side of (46), p_(n+1/2) - p_(n-1/2)."""
        G = jacobian(q)
        force = K @ q
        bent = weight * (curvature(after) + curvature(before))
        return -H * force + H * G.T @ np.linalg.solve(G @ G.T, G @ force - bent)

    runs = {name: motion(lab.run("spring-chain", record=True, method=key, step=H, until=10, every=1))[0]
            for name, key in (("VS", "shake"), ("VR", "rattle"))}
    for name, q in runs.items():
        p = half_steps(q, H)
        rest = [p[n] - p[n - 1] - change(q[n], p[n - 1], p[n]) for n in range(1, len(p))]
        lab.at_most(f"{name}: what is left of (46), all steps to t = 10", largest(np.array(rest)), 1e-12,
                    "rounding errors of positions over h, 1e-13")
    count = 200 if lab.quick else 1000
    q, p = runs["VS"][1], half_steps(runs["VS"][:2], H)[0]
    apart = {name: [0.0] for name in runs}
    for n in range(1, count):
        after = p
        for _ in range(12):
            after = p + change(q, p, after)
        q, p = q + H * after, after
        for name, of in runs.items():
            apart[name].append(longest(q - of[n + 1]))
    for name, values in apart.items():
        lab.at_most(f"(45)-(46) minus {name}, positions, t <= {count * H:g}", max(values), 5e-10,
                    "its first momentum, from positions, has a rounding error eps |q|/h, which the motion amplifies; "
                    "the two-step form of SHAKE differs from VS by 6e-11")
    rows = lab.ask("compare", "spring-chain", methods="rattle,shake", step="0.01,0.005,0.0025", until=10)["rows"]
    for row in rows[2::3]:
        for part in ("q", "p"):
            lab.between(f"global order of {part}, {row['method']}", row["order"][part], 1.95, 2.05,
                        "globally second-order convergent", "2")
    lab.table("theorem-5.1", {"t": [H * (n + 1) for n in range(count)],
                              **{f"(45)-(46) minus {name}": values for name, values in apart.items()}})
