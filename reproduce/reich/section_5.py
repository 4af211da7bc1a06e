"""The text of section 5: growth of phase errors, bounded energy, the constraint's form, and BDF."""

import math

import numpy as np

import mutations
from item import item
from reich.pendulum import ROUNDING, distance, errors_at_2, order, state

GAUSS, STATE_SPACE = "gauss-2@h-m+symplectic", "gauss-2@state-space:own"
METHODS = {"Yoshida": "yoshida-4", "Gauss-Legendre": GAUSS, "Lobatto": "lobatto-3", "SSF": STATE_SPACE}


@item("section-5-orders", "Section 5: four methods of order 4",
      [mutations.method("lobatto-3", "lobatto-4"), mutations.method("yoshida-4", "rattle"),
       mutations.datum("exact state", lambda digits: ("-0.2041", *digits[1:]), "a wrong digit in the exact state")])
def orders(lab):
    """All methods of the tables have order 4. Errors on the pendulum at t = 2 against the exact state; the steps are
    those of an independent program, which has 4.02, 4.00 and 4.00 for the first three. The state itself, by a method of
    order 20 in quad, agrees with elliptic functions to 20 decimals."""
    measured = {"Yoshida": "4.02", "Gauss-Legendre": "4.00", "Lobatto": "4.00"}
    for name, method in METHODS.items():
        steps = (40, 80) if name == "Yoshida" else (20, 40)
        value = order(errors_at_2(lab, method, steps), steps)
        if name in measured:
            lab.reference(f"{name}: order from {steps[0]} to {steps[1]} steps", value, measured[name])
        lab.between(f"{name}: order", value, 3.95, 4.05, printed="4")
    lab.at_most("lobatto-11, 20 steps: error at t = 2", errors_at_2(lab, "lobatto-11", (20,))[0], 1e-20,
                remark="the exact state has 21 decimals")


@item("phase-and-energy", "Section 5: linear growth of phase errors, and energies that do not grow",
      [mutations.method("yoshida-4", "rk-4"), mutations.method("lobatto-3", "radau-2a-3+jay"),
       mutations.datum("nonsymplectic", lambda key: "suzuki-4", "suzuki-4 as the method that is not symplectic")])
def phase_and_energy(lab):
    """"The phase error in the computed p_y at t = l T ... is linear in l", and "for all symplectic discretizations the
    numerical Hamiltonian remained bounded and did not grow with time". With h = 0.04 T to 400 T (40 T in the quick
    form): the power of l in the phase between l = 1 and the last l at which it is small (p_y = sin of an angle), and
    the largest energy error in the last tenth of the run over that in the first tenth. A Runge-Kutta method that is not
    symplectic, projected, is shown beside them: its phase error grows faster, and so does its energy error."""
    periods = 40 if lab.quick else 400
    tenth = periods // 10 * 25
    curves, growth = {}, {}
    keys = METHODS | {"Runge-Kutta (not symplectic)": lab.datum("nonsymplectic", "rk-4")}
    for name, method in keys.items():
        run = lab.run("pendulum", record=True, method=method, step="0.04*T", until=f"{periods}*T")
        phase, energy = np.abs(run["p_y"][25::25]), np.abs(run["energy"])
        small = int(np.argmax(phase > 0.35)) if (phase > 0.35).any() else len(phase)
        power = math.log(phase[small - 1] / phase[0]) / math.log(small)
        curves[name] = phase[:small]
        growth[name] = energy[-tenth:].max() / energy[:tenth].max()
        if method in METHODS.values():
            lab.between(f"{name}: power of l in |p_y(l T)|, up to l = {small}", power, 0.98, 1.02, printed="1",
                        remark="up to the curvature of p_y as a function of the phase")
            lab.at_most(f"{name}: largest energy error, last tenth of {periods} T over first tenth", growth[name], 1.02,
                        remark="by the phases at which steps meet the motion", printed="bounded")
        else:
            lab.at_least(f"{name}: power of l in |p_y(l T)|, up to l = {small}", power, 1.5,
                         remark="2 in the end; here a linear part of the other sign is in it")
            lab.at_least(f"{name}: largest energy error, last tenth over first tenth", growth[name], 3)
    length = max(len(curve) for curve in curves.values())
    lab.table("phase-and-energy", {"l": range(1, length + 1), **{
        name: [*curve, *[""] * (length - len(curve))] for name, curve in curves.items()}})

    def draw(figure):
        axes = figure.subplots()
        for (name, curve), style in zip(curves.items(), ("-", "-", "-", "-", "--")):
            axes.loglog(range(1, len(curve) + 1), curve, style, label=name)
        axes.set_xlabel("l")
        axes.set_ylabel("|p_y(l T)|, h = 0.04 T")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))

    lab.figure("phase-and-energy", draw)


@item("constraint-form", "Section 5: what depends on the form of the constraint, and what does not",
      [mutations.text('potential = "m*g*y"', 'potential = "1.0001*m*g*y"', "pendulum-quadratic"),
       mutations.method("yoshida-4", GAUSS)])
def constraint_form(lab):
    """The constraint is sqrt(q.q) - L in the paper; (q.q - L^2)/2 vanishes on the same circle. Methods that use g on
    the circle alone (RATTLE, Yoshida (27), Lobatto) must give the same state after 4 T, h = 0.04 T, to round-off; the
    Gauss method on H_M leaves the circle between the impulses of (31), and gives another one (1.3054e-3 and 1.3074e-3
    for p_y(T) in an independent program)."""
    for method in ("rattle", "yoshida-4", "lobatto-3"):
        root, square = (state(lab.run(model, method=method, step="0.04*T", until="4*T"))
                        for model in ("pendulum", "pendulum-quadratic"))
        lab.at_most(f"{method}: distance of the states at 4 T", distance(root, square), 1e-13, remark=ROUNDING)
    for model, digits in (("pendulum", "1.3054e-3"), ("pendulum-quadratic", "1.3074e-3")):
        lab.reference(f"{GAUSS} on {model}: p_y(T)",
                      lab.run(model, method=GAUSS, step="0.04*T", until="T")["p"]["y"], digits)


# H of BDF4 on the index-3 system, from exact starting values, by an independent program: step in T, periods
GAINS = {("0.01", 1): ".00059", ("0.01", 4): ".00234", ("0.01", 40): ".0240", ("0.02", 1): ".018", ("0.02", 20): ".59",
         ("0.04", 1): ".60"}
FORMULATIONS = ("index-2", "underlying", "weak", "baumgarte", "baumgarte-twice", "state-space:own")
BDF = {2: (3 / 2, -2, 1 / 2), 3: (11 / 6, -3, 3 / 2, -1 / 3), 4: (25 / 12, -4, 3, -4 / 3, 1 / 4)}


@item("bdf-4-remark", "Section 5: the remark on BDF4 and damping",
      [mutations.method("bdf-4", "bdf-2"), mutations.step(0.5),
       mutations.datum("bdf", lambda table: table | {4: table[2]}, "coefficients of BDF2 for BDF4")])
def bdf_4_remark(lab):
    """"A nonsymplectic integration ... results in a strongly damped oscillation with its equilibrium at q_y = -1. This
    was observed by applying the fourth-order BDF method." The paper gives neither step nor formulation. BDF4 on (36)
    gains energy with every step that was tried, in agreement with an independent program, and so it does on other
    formulations (h = 0.02 T, 4 T). The only loss that was found, on the underlying equation with h = 0.01 T, is 6e-5 in
    40 T. The reason is linear: on the imaginary axis, at h omega = 0.297 (h = 0.04 T, omega = 1), the principal root of
    BDF4 is larger than 1. BDF1 and BDF2 do what the text describes."""
    for (step, periods), digits in GAINS.items():
        run = lab.run("pendulum", method="bdf-4", step=f"{step}*T", until=f"{periods}*T")
        lab.reference(f"BDF4, h = {step} T: H after {periods} T", run["energy"]["final"], digits)
    motion = {k: lab.run("pendulum", record=True, method=f"bdf-{k}", step="0.02*T", until="20*T") for k in (1, 2, 4)}
    last = {k: run["y"][-50:].max() for k, run in motion.items()}
    lab.contradicts("BDF4, h = 0.02 T: largest q_y in the last of 20 periods", last[4] >= 0, last[4],
                    "the swing has become wider; it started at q_y = 0", "-1")
    ends = {f: lab.run("pendulum", method=f"bdf-4@{f}", step="0.02*T", until="4*T")["energy"]["final"]
            for f in FORMULATIONS}
    lab.says("BDF4 on other formulations, h = 0.02 T: H after 4 T, all positive", min(ends.values()) > 0,
             ", ".join(f"{f} {value:.2g}" for f, value in ends.items()), remark="damping would make it negative")
    slight = lab.run("pendulum", method="bdf-4@underlying", step="0.01*T", until="40*T")["energy"]["final"]
    lab.between("BDF4 on the underlying equation, h = 0.01 T: H after 40 T", slight, -1e-4, 0,
                remark="no strong damping")
    coefficients = lab.datum("bdf", BDF)
    for k, digits in ((2, "-1.6e-3"), (3, "1.8e-3"), (4, "2.2e-4")):
        polynomial = np.array(coefficients[k], dtype=complex)
        polynomial[0] -= 0.297j
        lab.reference(f"BDF{k}: |principal root| - 1 at h omega = 0.297", np.abs(np.roots(polynomial)).max() - 1,
                      digits)
    lab.at_most("BDF1, h = 0.02 T: largest q_y in the last of 20 periods", last[1], -0.999, remark="strongly damped")
    damped = lab.run("pendulum", method="bdf-2", step="0.04*T", until="40*T")["energy"]["final"]
    lab.at_most("BDF2, h = 0.04 T: H after 40 T", damped, -0.99, remark="-1 is the energy at rest, at q_y = -1")
    lab.table("bdf-4-remark", {"t": motion[4]["t"], **{f"q_y, BDF{k}": run["y"] for k, run in motion.items()}})

    def draw(figure):
        upper, lower = figure.subplots(2, 1, sharex=True)
        for k, style in ((4, "-"), (2, "--"), (1, ":")):
            upper.plot(motion[k]["t"], motion[k]["y"], style, label=f"BDF{k}")
            lower.plot(motion[k]["t"], motion[k]["energy"], style)
        upper.set_ylabel("q_y, h = 0.02 T")
        upper.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        lower.set_ylabel("H")
        lower.set_xlabel("t")

    lab.figure("bdf-4-remark", draw)
