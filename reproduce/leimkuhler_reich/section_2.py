"""State space forms: the introduction, proposition 2.1 and algorithm 2.1."""

import numpy as np

import mutations
from item import item
from leimkuhler_reich.experiment import EXACT, NAMES, PENDULUM, TANGENTS, distance, motion, state

EXACT_STATE = np.array([float(text) for text in EXACT.split()])


@item("section-1", "Introduction: the state space form with velocities is not Hamiltonian",
      [mutations.text("S*delta*theta^2", "0.99*S*delta*theta^2", "velocity-form"),
       mutations.method("gauss-1@state-space:own-velocity", "gauss-1@state-space:own"),
       mutations.datum("printed sign", lambda sign: 1, "the other sign for the printed one")])
def section_1(lab):
    """q = phi(delta) and p = phi'(delta) theta give delta' = theta and, as printed, theta' = -(phi'^t phi')^-1 phi'^t
    (grad F - phi''(theta, theta)), which will rarely be Hamiltonian. The sign of phi'' is wrong: it is + if it follows
    from the line before. For the pendulum with its height as delta both are run as fields: with + it is the program's
    own form with velocities, to rounding, and has the exact state at t = 0.4 with a method of order 8. Along the
    midpoint rule the wedge product is not kept, with the canonical form (proposition 2.1) it is. With the angle as
    delta the metric phi'^t phi' is 1, and the form is Hamiltonian: that is the rare case."""
    derived = lab.run("height-chart", method="gauss-1@state-space:own-velocity", step="0.01", until="0.4")
    by_hand = lab.run("velocity-form", method="gauss-1", step="0.01", until="0.4")
    lab.at_most("sign +: field by hand against the program's form with velocities, t = 0.4",
                distance([derived["q"]["q2"], derived["p"]["q2"]], list(by_hand["q"].values())), 1e-13,
                remark="rounding errors")
    exact = lab.run(PENDULUM, method="gauss-4@state-space:own", step="0.01", until="0.4")
    q2, p2 = exact["q"]["q2"], exact["p"]["q2"]
    good = lab.run("velocity-form", method="gauss-4", step="0.01", until="0.4")
    lab.at_most("sign +: error at t = 0.4 by a method of order 8", distance([q2, p2], list(good["q"].values())), 1e-12,
                remark="rounding errors, and errors of order 8")
    sign = lab.datum("printed sign", -1)
    plus, printed = (lab.run("velocity-form", method="gauss-4", step="0.01", until="0.3", set={"S": S}) for S in (1,
                                                                                                                  sign))
    error = distance(list(plus["q"].values()), list(printed["q"].values()))
    lab.contradicts("sign as printed: error at t = 0.3", error > 0.1, error, "theta' has + phi''(theta, theta)",
                    printed="- phi''(theta, theta)")
    wedge = {}
    for key, model in (("own-velocity", "height-chart"), ("own", "height-chart"), ("own-velocity", PENDULUM)):
        wedge[key, model] = motion(lab, f"state-space:{key}", 0.4, model=model).largest(0.4)[2]
    lab.at_least("height, velocities: largest |wedge - 1| to t = 0.4", wedge["own-velocity", "height-chart"], 1e-5,
                 printed="rarely Hamiltonian")
    lab.at_most("height, canonical: largest |wedge - 1| to t = 0.4", wedge["own", "height-chart"], 1e-13,
                remark="rounding errors")
    lab.at_most("angle, velocities: largest |wedge - 1| to t = 0.4", wedge["own-velocity", PENDULUM], 1e-13,
                remark="rounding errors: the metric is constant")


@item("proposition-2.1", "Proposition 2.1: a parametrisation gives a canonical map",
      [mutations.text("p_delta^2*(1 - delta^2)/2", "p_delta^2*(1 - 0.99*delta^2)/2", "height-form"),
       mutations.method("gauss-1@state-space:own", "gauss-1@state-space:own-velocity"),
       mutations.method("gauss-2@state-space:own", "rk-2@state-space:own")])
def proposition_2_1(lab):
    """q = phi(delta), phi'^t p = theta is a canonical map between M and R^(2n-2m), with the Hamiltonian theta^t (phi'^t
    phi')^-1 theta/2 + F(phi(delta)). With the height of the pendulum as delta that is theta^2 (1 - delta^2)/2 + delta:
    written out, and run with the midpoint rule, it must agree to rounding with the program's state space form, which
    derives it from phi; with (2.1)-(2.5) and the fixed matrix A = (0, 1) too. With the angle the same motion goes on
    for ever. Canonical: the wedge product in (q, p) is kept to rounding on [0, 1], and certify finds the symplectic
    form kept on the torus, whose metric is not constant, with no drift of the energy."""
    form = lab.run("height-form", method="gauss-1", step="0.01", until="0.4")
    delta, theta = form["q"]["delta"], form["p"]["delta"]
    q1 = np.sqrt(1 - delta**2)
    by_hand = [q1, delta, -delta * q1 * theta, (1 - delta**2) * theta]  # p = phi' (phi'^t phi')^-1 theta
    for chart, words in (("own", "phi given"), ("fixed", "(2.1)-(2.5), A = (0, 1)")):
        end = lab.run("height-chart", method=f"gauss-1@state-space:{chart}", step="0.01", until="0.4")
        lab.at_most(f"{words}: against the Hamiltonian written out, t = 0.4", distance(state(end), by_hand), 1e-13,
                    printed="H in (delta, theta)", remark="rounding errors")
    angle = motion(lab, "state-space:own", 10)
    lab.at_most("angle: largest of |g| and |Gp| to t = 10", max(angle.largest(10)[:2]), 5e-15, remark="rounding errors")
    lab.at_most("angle: largest |wedge - 1| to t = 1", angle.largest(1)[2], 1e-13, printed="canonical",
                remark="rounding errors")
    high = state(lab.run(PENDULUM, method="gauss-4@state-space:own", step="0.01", until=1))
    for name, measured, text in zip(NAMES, high, EXACT.split()):
        lab.reference(f"order 8: {name} at t = 1", measured, text, units=1)
    claims = lab.ask("certify", "geodesic-torus", method="gauss-2@state-space:own", no_advice=True,
                     codes=(0, 3))["claims"]
    for claim in claims:
        if claim["property"] in ("symplecticity", "energy drift"):
            lab.at_most(f"torus: {claim['property']}", claim["measured"], claim["at_most"], printed="canonical",
                        remark=claim["remark"])


def orders(lab, key, counts):
    errors = [float(np.linalg.norm(state(lab.run(PENDULUM, method=key, step=f"1/{n}",
                                                 until=1)) - EXACT_STATE)) for n in counts]
    return errors, float(np.log2(errors[-2] / errors[-1]))


def area_defect(lab, key):
    """Wedge product - 1 after 10 steps of h = 0.1 from the angle 1 with the speed 0.3, of tangents that change the
    angle and the speed."""
    s, c, w = np.sin(1.0), np.cos(1.0), 0.3
    tangents = [f"q1={c!r},q2={s!r},p_q1={-w * s!r},p_q2={w * c!r}", f"p_q1={c!r},p_q2={s!r}"]
    run = lab.run(PENDULUM, record=True, method=key, step="0.1", steps=10, wedge=True, tangent=tangents,
                  set={"q10": "sin(1)", "q20": "-cos(1)", "p10": "0.3*cos(1)", "p20": "0.3*sin(1)"})
    return float(run["wedge"][-1] / run["wedge"][0] - 1)


@item("algorithm-2.1", "Algorithm 2.1: states, orders and symplecticity of the canonical state space form",
      [mutations.method("gauss-1@state-space:partition:1", "gauss-1@state-space:partition"),
       mutations.method("gauss-2@state-space:tangent", "gauss-1@state-space:tangent"),
       mutations.method("gauss-1@state-space:fixed", "gauss-1@state-space:tangent"), mutations.step(0.99)])
def algorithm_2_1(lab):
    """(2.1)-(2.9), with (2.6)-(2.7) read as sums over the rates and step 2c as an equation for the rate of Theta:
    states at t = 1 with A by coordinate partitioning and with the unit tangent of every step, orders, and the area
    after 10 steps of h = 0.1 from the angle 1 with the speed 0.3, against an independent program. The map is symplectic
    if A is fixed (or one of a finite set, as long as it is not changed). The text also considers A made anew at the
    beginning of each step: then A depends on the state, and the map is not symplectic. Functional iterations must be
    carried to rounding: with a tolerance of 1e-3 the wedge product is lost with a fixed A too."""
    cases = {
        "partition, midpoint": ("gauss-1@state-space:partition:1",
                                "-0.6838525503031 -0.7296202364545 -1.7046091995759 1.5976823149323"),
        "partition, Gauss of order 4": ("gauss-2@state-space:partition:1",
                                        "-0.6836579417874 -0.7298025888081 -1.7052419847922 1.5974213348247"),
        "tangent of each step, midpoint": ("gauss-1@state-space:tangent",
                                           "-0.6837736870182 -0.7296941447905 -1.7049217264506 1.5976291207700"),
    }
    for name, (key, texts) in cases.items():
        seen = motion(lab, key.partition("@")[2], 1) if key.startswith("gauss-1") else None
        values = seen.at(1) if seen else state(lab.run(PENDULUM, method=key, step="0.01", until=1))
        for coordinate, measured, text in zip(NAMES, values, texts.split()):
            lab.reference(f"{name}: {coordinate} at t = 1", measured, text, units=2)
        if seen:
            lab.at_most(f"{name}: largest of |g| and |Gp| to t = 1", max(seen.largest(1)[:2]), 2e-15,
                        remark="rounding errors")
    errors, order = orders(lab, "gauss-1@state-space:tangent", (50, 100, 200))
    lab.between("tangent of each step, midpoint: order between h = 0.01 and 0.005", order, 1.985, 1.995,
                remark="1.99 of an independent program")
    errors, order = orders(lab, "gauss-2@state-space:tangent", (50, 100, 200))
    lab.reference("tangent of each step, Gauss of order 4: error at t = 1", errors[1], "1.64e-8")
    lab.between("tangent of each step, Gauss of order 4: order between h = 0.01 and 0.005", order, 3.99, 4.01)
    for stages in (1, 2):
        for chart in ("fixed", "partition"):
            lab.at_most(f"{chart}, gauss-{stages}: |area - 1| after 10 steps",
                        abs(area_defect(lab, f"gauss-{stages}@state-space:{chart}")), 1e-13,
                        printed="canonical map", remark="rounding errors; no change of the partition on the way")
    for stages, text in ((1, "-2.6e-4"), (2, "-6.9e-8")):
        defect = area_defect(lab, f"gauss-{stages}@state-space:tangent")
        lab.reference(f"tangent of each step, gauss-{stages}: area - 1 after 10 steps", defect, text,
                      remark="not symplectic, which the text does not say: A depends on the state")
    loose = lab.run(PENDULUM, record=True, method="gauss-1@state-space:fixed", step="0.01", until="0.4", wedge=True,
                    tangent=TANGENTS,
                    tolerance="1e-3")
    tight = motion(lab, "state-space:fixed", 0.4)
    lab.at_most("fixed, solved to rounding: largest |wedge - 1| to t = 0.4", tight.largest(0.4)[2], 1e-13,
                remark="rounding errors")
    lab.at_least("fixed, tolerance 1e-3: largest |wedge - 1| to t = 0.4", float(np.max(np.abs(loose["wedge"] - 1))),
                 1e-6,
                 printed="must be iterated to convergence")


@item("algorithm-2.1-drift", "Algorithm 2.1: energy and changes of the partition",
      [mutations.method("gauss-1@state-space:partition:1", "gauss-1@state-space:own"),
       mutations.method("gauss-1@state-space:own", "gauss-1@state-space:tangent"), mutations.step(0.9)])
def algorithm_2_1_drift(lab):
    """The matrix A is typically updated from time to time; with coordinate partitioning it is one of two here, by the
    larger of |q1| and |q2|. Each has its own modified Hamiltonian, so that the energy is no longer bounded: it drifts
    with the number of changes. Energy errors at t = 10, 100 and 1000 (quick: 100) are those of an independent program;
    the loss for each change is the same early and late. With one chart for all the motion (an angle) there is no
    drift."""
    ends = {"10": "-2.8e-4", "100": "-2.5e-3"} | ({} if lab.quick else {"1000": "-2.3e-2"})
    run = lab.run(PENDULUM, record=True, method="gauss-1@state-space:partition:1", step="0.01", until=list(ends)[-1],
                  every=5 if lab.quick else 20)
    own = lab.run(PENDULUM, record=True, method="gauss-1@state-space:own", step="0.01", until=list(ends)[-1],
                  every=5 if lab.quick else 20)
    t, error = run["t"], run["energy"] - 2
    changes = np.concatenate([[0], np.cumsum(np.diff(np.abs(run["q1"]) > np.abs(run["q2"])) != 0)])
    per_change = []
    for end, text in ends.items():
        k = int(np.argmin(np.abs(t - float(end))))
        lab.reference(f"H - 2 at t = {end}", float(error[k]), text,
                      remark=f"after {changes[k]} changes of the partition")
        per_change.append(float(error[k] / changes[k]))
    # four changes to a rotation do not lose the same, so that few rotations leave a rest
    lab.between(f"loss for each change to t = {list(ends)[-1]}, over that to t = {list(ends)[-2]}",
                per_change[-1] / per_change[-2], 0.8, 1.2,
                remark="proportional to the number of changes")
    largest = float(np.max(np.abs(own["energy"] - 2)))
    lab.at_most("one chart, the angle: largest |H - 2|", largest, 5e-5, remark="of order h^2, and bounded")
    early = own["t"] <= 10
    lab.between("one chart: largest |H - 2| over that to t = 10",
                largest / float(np.max(np.abs(own["energy"][early] - 2))), 1, 1.05,
                remark="no drift")
    thin = slice(None, None, max(1, len(t) // 1500))
    lab.table("algorithm-2.1",
              {"t": t[thin], "changes": changes[thin], "H - 2, partition": error[thin],
               "H - 2, angle": own["energy"][thin] - 2})

    def paint(figure):
        axes = figure.subplots()
        axes.plot(t[thin], error[thin], label=f"coordinate partitioning, {changes[-1]} changes")
        axes.plot(t[thin], own["energy"][thin] - 2, label="one chart (the angle)")
        axes.set_xlabel("t")
        axes.set_ylabel("H − 2")
        axes.legend()

    lab.figure("algorithm-2.1-drift", paint)
