"""Sections 2 to 4: Verlet's method without constraints, and what SHAKE and RATTLE make of it."""

import mutations
import numpy as np
from item import item
from leimkuhler_skeel.chains import (half_steps, jacobian, largest, last_state, links, longest, motion, multipliers,
                                     slope, spring_matrix, tangent)

H = 0.01  # the step of figures 2 and 5


def claims(answer):
    """The lines of a certificate, by property."""
    return {line["property"]: line for line in answer["claims"]}


@item("section-2-verlet", "Section 2: Verlet's method in two steps and in velocities",
      [mutations.method("shake-two-step", "rattle"), mutations.method("rattle", "position-verlet"),
       mutations.method("rattle", "symplectic-euler")])
def verlet(lab):
    """(6) and (7)-(9) are mathematically equivalent, and of second order; but (6) has an instability with respect to
    rounding errors, which the velocity formulation does not have. Without constraints `rattle` is (7)-(9), and
    `shake-two-step` is (6). On the Henon-Heiles system their positions agree in quad. In double, the rounding errors of
    both are measured against quad with ever smaller steps: those of (6) grow like 1/h and more, those of (7)-(9) stay
    near rounding."""
    # Enough steps for a rounding error to show, few enough for quad
    steps = (0.01, 0.001) if lab.quick else (0.01, 0.001, 0.0001)

    def positions(key, h, precision=None):
        return last_state(lab.run("henon-heiles", method=key, step=h, until=10, precision=precision))[:2]

    exact = {key: [positions(key, h, "quad") for h in steps] for key in ("rattle", "shake-two-step")}
    lab.at_most("(6) - (7)-(9), positions at t = 10, h = 0.01, in quad",
                largest(exact["rattle"][0] - exact["shake-two-step"][0]), 1e-15,
                "the same map; what is left is that quad numbers are read in double")
    rounding = {key: [largest(positions(key, h) - true) for h, true in zip(steps, of)] for key, of in exact.items()}
    lab.at_least("rounding error of positions with (6), over that with (7)-(9), h = 0.01",
                 rounding["shake-two-step"][0] / rounding["rattle"][0], 10, "1/h = 100, give or take a random walk")
    lab.at_least("the same, the smallest step", rounding["shake-two-step"][-1] / rounding["rattle"][-1], 100,
                 f"1/h = {1 / steps[-1]:g}")
    lab.at_most("rounding error with (7)-(9), the smallest step", rounding["rattle"][-1], 1e-13,
                "rounding, not amplified")
    rows = lab.ask("compare", "henon-heiles", methods="rattle", step="0.1,0.05,0.025", until=10)["rows"]
    lab.between("order of (7)-(9), positions", rows[-1]["order"]["q"], 1.95, 2.05, "second-order accurate")
    lab.between("order of (7)-(9), momenta", rows[-1]["order"]["p"], 1.95, 2.05)
    lab.table("section-2-verlet", {"h": steps, "rounding error of (6)": rounding["shake-two-step"],
                                   "of (7)-(9)": rounding["rattle"]})


@item("section-3-wedge", "Section 3: VS preserves the wedge product, as RATTLE does, and BDF does not",
      [mutations.method("shake", "radau-2a-2"), mutations.method("rattle", "rk-2"), mutations.method("bdf-2", "rattle"),
       mutations.option("tolerance", "1e-6")])
def wedge(lab):
    """(15)-(18) preserve dq ^ dp, and so do (24)-(28), although VS is no symplectic map of the manifold: its momenta
    are not tangent. Two tangent vectors are carried along in exact derivatives from the start of the chain of six
    nodes. In quad the wedge product keeps 1 to what rounding errors become by the growth of the vectors. With BDF,
    which is not symplectic, it decays; the loss is O(h^2), its order."""
    until = 2 if lab.quick else 10
    for name, key in (("VS", "shake"), ("RATTLE", "rattle")):
        run = lab.run("spring-chain", method=key, step=H, until=until, precision="quad", wedge=True)
        lab.at_most(f"{name}, largest |dq ^ dp - 1|, t <= {until}, in quad",
                    float(run["invariants"]["wedge"]["max_error"]), 1e-24,
                    "rounding of quad, 2e-34, times the growth of both vectors; the same growth leaves 5e-9 in double")
        if key == "shake":
            lab.at_least("VS, largest component of g'(q) p", float(run["constraint"]["hidden_max"]), 1e-5,
                         "not tangent: no symplectic map of the manifold in the sense of section 2")
    steps = (0.02, 0.01, 0.005)
    lost = [1 - lab.run("spring-chain", record=True, method="bdf-2", step=h, until=1, every=1, wedge=True)["wedge"][-1]
            for h in steps]
    lab.at_least("BDF-2, 1 - dq ^ dp at t = 1, h = 0.01", lost[1], 1e-4, "not preserved; 2.7e-4 here")
    lab.between("order of this loss in h", slope(steps, lost), 1.9, 2.1, "that of the method")
    lab.table("section-3-wedge", {"h": steps, "BDF-2, 1 - dq ^ dp at t = 1": lost})


@item("section-4-half-steps", "Section 4: VS = VR at half steps",
      [mutations.method("shake", "position-verlet"), mutations.method("shake", "bdf-2"),
       mutations.datum("mean", lambda c: 1.001 * c, "weights 0.5005 for 1/2 in the mean of the multipliers")])
def half_step_values(lab):
    """Positions at meshpoints and momenta at half steps of VS and VR are the same, with lambda_n = (lambda_n^(r) +
    lambda_n^(v))/2; and (29)-(32): VR is VS with p_n projected by I - H(q_n). Both methods run on the chain of six
    nodes to t = 10 with h = 0.01. Momenta at half steps are (q_(n+1) - q_n)/h by definition, multipliers are found from
    (13), (25) and (27) with the recorded states. What is left are rounding errors, which the chaotic motion
    amplifies."""
    runs = {name: motion(lab.run("spring-chain", record=True, method=key, step=H, until=10, every=1))
            for name, key in (("VS", "shake"), ("VR", "rattle"))}
    (q, p), (Q, P) = runs["VS"], runs["VR"]
    half, Half = half_steps(q, H), half_steps(Q, H)
    lab.at_most("VS - VR, positions at meshpoints", longest(q - Q), 5e-12, "1.8e-12 in an independent program")
    lab.at_most("VS - VR, momenta at half steps", longest(half - Half), 5e-12, "2.8e-12 in an independent program")
    lab.at_least("VS - VR, momenta at meshpoints", longest(p - P), 1e-5, "they differ, by O(h^2) along g'^t")
    lab.at_most("(I - H) p of VS minus p of VR, (32)", longest(tangent(q, p) - P), 1e-11,
                "projection takes VS to VR, up to the differences above")
    # Only every tenth step: the multipliers of a step are a least squares problem of their own
    n = np.arange(1, len(q) - 1, 10)
    K = spring_matrix()
    force = q[n] @ K
    by_shake = multipliers(q[n], (half[n] - half[n - 1]) / H + force)
    of_position = multipliers(Q[n], 2 * (Half[n] - P[n]) / H + Q[n] @ K)
    of_velocity = multipliers(Q[n], 2 * (P[n] - Half[n - 1]) / H + Q[n] @ K)
    mean = lab.datum("mean", 0.5) * (of_position + of_velocity)
    lab.at_most("lambda_n - (lambda_n^(r) + lambda_n^(v))/2", largest(by_shake - mean), 5e-10,
                "what is allowed for momenta, over h")
    lab.at_least("lambda_n^(r) - lambda_n^(v)", largest(of_position - of_velocity), 1e-3, "they differ, by O(h)")


@item("section-4-symplectic", "Section 4: RATTLE is symplectic and time reversible, BDF is neither",
      [mutations.method("rattle", "rk-2"), mutations.option("tolerance", "1e-6"), mutations.method("bdf-2", "rattle"),
       mutations.method("shake", "bdf-2")])
def symplectic(lab):
    """RATTLE maps the manifold into itself, preserves dq ^ dp, and is time reversible; so it is symplectic. VS
    preserves dq ^ dp without being a map of the manifold, and is time reversible too. `certify` measures each property
    on both chains (the quick form on that of six nodes) with the steps of the paper, against bounds for rounding
    errors. That of VS starts with a tangent p, which is not the p of VS there, so reversal does not find it again; its
    reversibility is that of (10)-(11): from the last two positions of a run the same recursion leads back to the first
    ones. BDF keeps neither. All three methods are of order 2."""
    models = {"spring-chain": "0.01"} if lab.quick else {"spring-chain": "0.01", "lj-chain": "0.1"}
    for model, h in models.items():
        for name, key in (("RATTLE", "rattle"), ("VS", "shake"), ("BDF-2", "bdf-2")):
            measured = claims(lab.ask("certify", model, codes=(0, 3), method=key, step=h, no_advice=True))
            form = measured["symplecticity"]
            back = measured["reversibility"]
            tangential = measured["hidden constraint"]
            if key == "bdf-2":
                lab.at_least(f"{model}: {name}, defect of the symplectic form", form["measured"], 1e-5,
                             "not symplectic")
                lab.at_least(f"{model}: {name}, distance after steps forth and back", back["measured"], 1e-5,
                             "not reversible")
            else:
                lab.at_most(f"{model}: {name}, defect of the symplectic form", form["measured"], form["at_most"],
                            "450 eps")
            if key == "rattle":
                lab.at_most(f"{model}: {name}, distance after steps forth and back", back["measured"], back["at_most"],
                            "64 eps, times the growth of a small displacement")
                lab.at_most(f"{model}: {name}, hidden constraint", tangential["measured"], tangential["at_most"],
                            "64 eps")
            if key == "shake":
                lab.at_least(f"{model}: {name}, hidden constraint", tangential["measured"], 1e-5,
                             "the meshpoint velocities are not tangent")
            lab.at_least(f"{model}: {name}, order", measured["order"].get("measured", np.nan), 1.9,
                         "2, to which slopes come slowly")

    q, _ = motion(lab.run("spring-chain", record=True, method="shake", step=H, until=2, every=1))
    now, before, worst = q[-2], q[-1], 0.0
    for n in range(len(q) - 3, 0, -1):
        now, before = step_back(now, before), now
        worst = max(worst, largest(now - q[n]))
    lab.at_most("VS: (10)-(11) backwards from the last two positions, all positions, t <= 2", worst, 1e-11,
                "rounding errors over h, as every two-step form has them")


def step_back(q, before):
    """(10)-(11), which are the same in both directions: the position that follows q, coming from `before`."""
    G, K = jacobian(q), spring_matrix()
    free = 2 * q - before - H**2 * K @ q
    found = free
    for _ in range(8):
        g = (np.sum(links(found)**2, axis=-1) - 1) / 2
        found = found - G.T @ np.linalg.solve(jacobian(found) @ G.T, g)
    return found
