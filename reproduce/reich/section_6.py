"""Section 6: what methods cost, how accurate a step is, and stiff potentials."""

import math

import mutations
from item import item
from reich.pendulum import elastic_errors, euclidean, order, state


def local_errors(lab, method, step, angles):
    """Errors of one step from states of the motion of section 5, and the exact steps by a method of order 20."""
    errors = []
    for k in angles:
        start = {"phi": f"{k}*pi/16"}
        exact = lab.run("pendulum-from", method="lobatto-11", set=start, step=step, steps=1)
        one = lab.run("pendulum-from", method=method, set=start, step=step, steps=1)
        errors.append(euclidean(state(one), state(exact)))
    return errors


def root_mean_square(values):
    return math.sqrt(sum(value * value for value in values) / len(values))


@item("step-three-times-smaller", "Section 6: a step three times smaller for Yoshida's method",
      [mutations.method("yoshida-4", "suzuki-4"), mutations.method("lobatto-3", "gauss-2@h-m+symplectic"),
       mutations.datum("ratio", lambda three: 4, "a step four times smaller")])
def three_times_smaller(lab):
    """"One has to use a step-size about three times smaller for the fourth-order Yoshida method to obtain the same
    local discretization error as for the fourth-order Lobatto method." Local errors of one step are measured from
    states along the motion of the tables (angles of k pi/16), with h = 0.04 T for Lobatto and h/3 for Yoshida: their
    root mean squares must be equal to 20 %, which is 4 % in the step, since the local error is O(h^5). The paper refers
    to its tables: the fifth root of the ratio of the phase errors that are printed there is 3, too. For equal errors
    after a whole period the ratio of steps is somewhat larger."""
    angles = (-6, -4, -2, 0, 2, 4, 6) if lab.quick else range(-7, 8)
    three = lab.datum("ratio", 3)
    lobatto = local_errors(lab, "lobatto-3", "0.04*T", angles)
    yoshida = local_errors(lab, "yoshida-4", f"0.04*T/{three}", angles)
    ratio = root_mean_square(yoshida) / root_mean_square(lobatto)
    lab.between(f"local error of Yoshida with h/{three} over that of Lobatto with h", ratio, 0.8, 1.2)
    lab.between("ratio of steps with the same local error", three * ratio**0.2, 2.8, 3.2, printed="3")
    lab.table("local-errors", {"k of the angle k pi/16": angles, "Lobatto, h = 0.04 T": lobatto,
                               f"Yoshida, h = 0.04 T/{three}": yoshida})
    lab.between("fifth root of .77e-1/.34e-3, the phase errors of table 1", (0.077 / 0.00034) ** 0.2, 2.8, 3.2,
                printed="3")
    # a fourth of the step is near enough to take the rest from the order 4
    end = {key: lab.run("pendulum", method=key, step=step, until="T")
           for key, step in (("lobatto-3", "0.04*T"), ("yoshida-4", "0.01*T"))}
    for name, errors in (("phase error", [abs(run["p"]["y"]) for run in end.values()]),
                         ("largest energy error", [run["energy"]["max_error"] for run in end.values()])):
        lab.between(f"ratio of steps with the same {name} in a period", 4 * (errors[1] / errors[0]) ** 0.25, 3, 4)


@item("costs", "Section 6: evaluations of the force",
      [mutations.method("yoshida-4", "suzuki-4"), mutations.method("lobatto-3", "lobatto-4"),
       mutations.method("rattle", "rk-2")])
def costs(lab):
    """The modified Verlet scheme needs one evaluation of the force a step, Yoshida's method of order 4 needs three, and
    the 3-stage Lobatto method 2 l, where l is the number of Newton iterations. The program counts evaluations:
    pendulum, h = 0.04 T, 4 T. The conclusion is that composition methods are preferable unless high accuracy is wanted.
    With h for Lobatto and h/3 for Yoshida, where local errors are equal, that is a question of l: Yoshida takes 9
    forces for the 2 l of Lobatto. With h = 0.04 T they are fewer, with h = 0.004 T, where first guesses are good and l
    is about 3, they are more."""
    keys = ("rattle", "yoshida-4", "lobatto-3")
    runs = {key: lab.run("pendulum", method=key, step="0.04*T", until="4*T") for key in keys}
    steps = 100
    forces = {key: run["evaluations"]["force"] / steps for key, run in runs.items()}
    for name, key, number in (("Verlet", "rattle", 1), ("Yoshida", "yoshida-4", 3)):
        lab.between(f"{name}: forces a step", forces[key], number, number + 0.02, printed=str(number),
                    remark="one more at the start of the run")
    newton = runs["lobatto-3"]["newton"]["iterations_mean"]
    lab.between("Lobatto: forces a step over 2 l", forces["lobatto-3"] / (2 * newton), 0.95, 1.15, printed="1",
                remark=f"l = {newton:.2f}; the first guess takes a few more")
    lab.at_least("Lobatto over Yoshida: forces a step", forces["lobatto-3"] / forces["yoshida-4"], 2)
    lab.at_least("Yoshida over Lobatto: energy errors", runs["yoshida-4"]["energy"]["max_error"] /
                 runs["lobatto-3"]["energy"]["max_error"], 100)
    for step, cheaper in (("0.04", "Yoshida"), ("0.004", "Lobatto")):
        yoshida = lab.run("pendulum", method="yoshida-4", step=f"{step}*T/3", until="4*T")["evaluations"]["force"]
        lobatto = lab.run("pendulum", method="lobatto-3", step=f"{step}*T", until="4*T")["evaluations"]["force"]
        lab.says(f"h = {step} T for Lobatto, h/3 for Yoshida: {cheaper} takes fewer forces",
                 (yoshida < lobatto) == (cheaper == "Yoshida"), f"Lobatto {lobatto}, Yoshida {yoshida}",
                 printed="Yoshida" if cheaper == "Yoshida" else "")


@item("stiff-potentials", "Section 6: stiff potentials",
      [mutations.method("verlet-midpoint", "gauss-2"), mutations.method("midpoint", "gauss-2"),
       mutations.option("set", "eps=0.1")])
def stiff_potentials(lab):
    """"None of the methods discussed so far is suited" for V_1 + V_2/eps; multiple time steps, the midpoint rule in
    (24), or midpoint rule for V_2 and kicks of V_1 in (24) are proposed, the last as a second-order method with few
    evaluations of V_1. On a chain of one rigid link and two stiff springs (proposed data; frequencies up to 1.7e3) with
    h = 0.01, RATTLE, Yoshida's and the Lobatto method must fail, and both midpoint methods keep the energy, with one
    evaluation of V_1 a step for the combination. Multiple time steps have their own limit, half a period of the
    springs: h = 0.001 is taken for them. The order of the combination is measured on the elastic double pendulum."""
    steps = 200 if lab.quick else 2000
    for key in ("rattle", "yoshida-4", "lobatto-3"):
        run = lab.run("stiff-pendulum-chain", method=key, step="0.01", steps=steps, codes=(0, 1))
        wrong = run["status"] == "failed" or run["energy"]["max_error"] > 1
        lab.says(f"{key}, h = 0.01: no result", wrong, f"{run['status']} after {run['steps']} steps",
                 printed="not suited")
    for key in ("midpoint", "verlet-midpoint"):
        run = lab.run("stiff-pendulum-chain", method=key, step="0.01", steps=steps)
        lab.at_most(f"{key}, h = 0.01: energy error in {steps} steps", run["energy"]["max_error"], 1e-4,
                    remark="the energy of the swing is of the order of 1")
        if key == "verlet-midpoint":
            lab.between(f"{key}: evaluations of V_1 a step", run["evaluations"]["force_slow"] / steps, 1, 1.02)
    run = lab.run("stiff-pendulum-chain", method="respa-4", step="0.001", steps=steps)
    lab.at_most(f"respa-4, h = 0.001: energy error in {steps} steps", run["energy"]["max_error"], 1e-4)
    lab.between("respa-4: evaluations of V_1 a step", run["evaluations"]["force_slow"] / steps, 1, 1.02)
    errors, _ = elastic_errors(lab, "verlet-midpoint", (100, 200))
    lab.between("verlet-midpoint: order on the elastic double pendulum, t = 1", order(errors, (100, 200)), 1.95, 2.05,
                printed="2")
