"""Sections 5.1 and 5.3: energy over long times, and time averages."""

import numpy as np

import mutations
from hairer_lubich_wanner.growth import halvings, slope, thin
from item import item


def third_term(x, y, u, v):
    """H_3 = U''(p, p)/12 - |grad U|^2/24 of Hénon and Heiles."""
    second = (1 + 2 * y) * u**2 + 4 * x * u * v + (1 - 2 * y) * v**2
    return second / 12 - ((x + 2 * x * y) ** 2 + (y + x**2 - y**2) ** 2) / 24


@item("theorem-5.1", "Theorem 5.1: conservation of energy over long times",
      [mutations.method("verlet-a", "symplectic-euler"), mutations.method("rk-2", "verlet-a"), mutations.step(1.1)])
def theorem_5_1(lab):
    """|H(p_n, q_n) - H(p_0, q_0)| <= C h^2 + C_N h^N t for t <= h^-N, for any N; and if H is analytic, the second
    term is exponentially small in 1/h. The system of Hénon and Heiles with E = 1/8 is run with h = .2, .1 and .05.
    The largest error must be proportional to h^2, and must not grow when the time is a hundred times as long. The
    second term is seen in the shadow energy, a modified Hamiltonian of high order: its drift over the whole run must
    be round-off. The explicit midpoint rule, of the same order, loses the energy linearly with time."""
    steps, long = [0.2, 0.1, 0.05], 10000 if lab.quick else 100000
    short = [lab.run("henon-heiles", method="verlet-a", step=h, until=1000)["energy"]["max_error"] for h in steps]
    for h, before in zip(steps, short):
        run = lab.run("henon-heiles", method="verlet-a", step=h, until=long, shadow=8)
        lab.between(f"h = {h}: largest error until t = {long}, divided by that until t = 1000",
                    run["energy"]["max_error"] / before, 1, 1.05, "a chaotic orbit comes nearer to the extremes")
        lab.at_most(f"h = {h}: drift of the shadow energy until t = {long}", abs(run["invariants"]["shadow"]["drift"]),
                    5e-17 * np.sqrt(long / h) + 2e-14, "a random walk of rounding errors of 1e-17 a step")
    for order in halvings(short):
        lab.between("order of the largest error in h", order, 1.9, 2.1, "C h^2", "2")
    runge = lab.run("henon-heiles", record=True, method="rk-2", step=0.05, until=1000, every=20)
    verlet = lab.run("henon-heiles", record=True, method="verlet-a", step=0.05, until=1000, every=20)
    expected = 0.05**2 * np.ptp(third_term(*(verlet[name] for name in ("x", "y", "p_x", "p_y"))))
    lab.between("h = 0.05: range of H, divided by that of h^2 H_3", np.ptp(verlet["energy"]) / expected, 0.98, 1.02,
                "H + h^2 H_3 is constant up to O(h^4)")
    t, drift = runge["t"], runge["energy"] - 0.125
    late = t >= 100
    lab.between("explicit midpoint rule, h = 0.05: exponent of t in the error", slope(t[late], np.abs(drift[late])),
                0.8, 1.2, "linear: nothing brings it back")
    lab.at_least("the same at t = 1000, divided by that of Verlet", abs(drift[-1]) / short[2], 20,
                 "h^3 t against h^2")
    lab.table("theorem-5.1", {"t": t, "Verlet": verlet["energy"] - 0.125, "midpoint": drift})

    def draw(figure):
        axes = figure.subplots()
        axes.plot(t, drift, label="explicit midpoint rule, h = 0.05")
        axes.plot(t, verlet["energy"] - 0.125, label="Störmer/Verlet, h = 0.05")
        axes.set_xlabel("t")
        axes.set_ylabel("H - H$_0$")
        axes.set_title("Hénon and Heiles, E = 1/8")
        axes.legend()

    lab.figure("theorem-5.1", draw)


@item("theorem-5.7", "Theorem 5.7: the discrete virial theorem (5.11)",
      [mutations.datum("weight of the ends", lambda weight: 1, "ends with weight 1"),
       mutations.method("verlet-a", "symplectic-euler"), mutations.text("q^4/4", "q^4/3")])
def theorem_5_7(lab):
    """The mean of {F, H} over the steps of the numerical solution, with half weights at both ends, is at most 2
    mu/(Nh) + C h^2, where mu bounds |F|. For H = p^2/2 + q^4/4 and F = p q it is compared with an independent program
    at N h = 10^4. Without its first part, (F(y_N) - F(y_0))/(Nh), it must have order 2 in h."""
    steps, time = [0.1, 0.05, 0.025], 10000
    weight = lab.datum("weight of the ends", 1 / 2)
    means, rest, mu = [], [], 0
    for h, text in zip(steps, ("-1.2577e-3", "-3.472e-4", "-1.302e-4")):
        run = lab.run("quartic", method="verlet-a", step=h, until=time)["observables"]
        bracket, F = run["bracket"], run["F"]
        # The program's mean is that of the trapezoidal rule: half weights.
        mean = bracket["mean"] + (weight - 1 / 2) * (bracket["initial"] + bracket["final"]) * h / time
        means.append(mean)
        rest.append(abs(mean - (F["final"] - F["initial"]) / time))
        mu = max(mu, F["max"], -F["min"])
        lab.reference(f"mean, h = {h}, N h = 10000", mean, text)
    for order in halvings(rest):
        lab.between("order of the mean without (F_N - F_0)/(Nh)", order, 1.95, 2.05, "C h^2", "2")
    C = rest[0] / steps[0] ** 2
    for h, mean in zip(steps, means):
        lab.at_most(f"|mean|, h = {h}", abs(mean), 2 * mu / time + 1.05 * C * h**2,
                    f"2 mu/(Nh) + C h^2 with mu = {mu:.3f} and C = {C:.4f}")


@item("example-5.6", "Example 5.6: the virial theorem of Clausius",
      [mutations.method("kahan-li-8", "verlet-a"), mutations.method("verlet-a", "kahan-li-8"),
       mutations.text('bracket = "p_q^2 - q^4"', 'bracket = "p_q^2 - 1.01*q^4"')])
def example_5_6(lab):
    """The time average of twice the kinetic energy and that of the virial function q U'(q) become equal, with a
    difference of (F(T) - F(0))/T for F = p q. This is followed for H = p^2/2 + q^4/4 until t = 1000: along a nearly
    exact solution the difference of the averages must stay below 2 mu/t, where mu bounds |F|. Along that of the
    Störmer/Verlet method it tends to C h^2 instead, with the same C for both steps."""
    rows = {}
    runs = (("nearly exact", "kahan-li-8", 0.05), ("h = 0.2", "verlet-a", 0.2), ("h = 0.1", "verlet-a", 0.1))
    for name, method, h in runs:
        run = lab.run("quartic", record=True, method=method, step=h, until=1000)
        t, bracket = run["t"], run["bracket"]
        mean = np.cumsum(h * (bracket[1:] + bracket[:-1]) / 2) / t[1:]
        mu = np.abs(run["F"]).max()
        rows[name] = (t[1:], mean)
        if method == "kahan-li-8":
            lab.at_most("nearly exact: largest |difference| times t, divided by 2 mu",
                        np.max(np.abs(mean) * t[1:]) / (2 * mu), 1.01,
                        "|F(t) - F(0)| is at most 2 mu; the trapezoidal rule adds O(h^2)")
        else:
            rest = mean[-1] - (run["F"][-1] - run["F"][0]) / t[-1]
            lab.between(f"Verlet, {name}: C from the last time", rest / h**2, -0.128, -0.124, "-.126, from theorem-5.7")
    lab.table("example-5.6", thin({"t": rows["h = 0.1"][0], "difference of the averages, h = 0.1": rows["h = 0.1"][1]}))

    def draw(figure):
        axes = figure.subplots()
        for name, (t, mean) in rows.items():
            kept = np.unique(np.geomspace(1, len(t), 2000).astype(int)) - 1  # even in log t
            label = name if name == "nearly exact" else f"Störmer/Verlet, {name}"
            axes.semilogx(t[kept], mean[kept], label=label, linewidth=0.7)
        t = np.geomspace(10, 1000, 100)
        axes.semilogx(t, 2 * mu / t, "k--", label="±2μ/t", linewidth=0.7)
        axes.semilogx(t, -2 * mu / t, "k--", linewidth=0.7)
        axes.set_xlim(10, 1000)
        axes.set_ylim(-0.03, 0.03)
        axes.set_xlabel("t")
        axes.set_ylabel("difference of the averages until t")
        axes.legend(loc="upper right")

    lab.figure("example-5.6", draw)
