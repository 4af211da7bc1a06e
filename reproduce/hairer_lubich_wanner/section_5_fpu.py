"""Section 5.4: the Fermi-Pasta-Ulam chain, an oscillatory system with several time scales."""

import numpy as np

import mutations
from hairer_lubich_wanner.growth import halvings, slope, states, thin
from item import item


def chain(lab, method="verlet-a", factor=0.5, omega=30, until=200, every=1):
    """A run with h omega = factor. I is the oscillatory energy, J that of the remark after theorem 5.10."""
    run = lab.run("fpu-chain", record=True, method=method, step=f"{factor}/omega", until=until, every=every,
                  set={"omega": omega})
    columns = dict(run.columns)
    columns["I"] = columns["I1"] + columns["I2"] + columns["I3"]
    columns["J"] = columns["I"] + columns["coupling"]
    return columns


@item("figure-5.6", "Figure 5.6: the chain of springs, and its Hamiltonian in the variables of example 5.9",
      [mutations.text("(s0^4 + s1^4 + s2^4 + s3^4)/4", "s0^4/4 + s1^4 + s2^4 + s3^4", "fpu-chain"),
       mutations.datum("1/sqrt(2)", lambda of: 0.7, "a wrong factor of the transformation")])
def figure_5_6(lab):
    """A chain of 2m mass points between two walls, with soft springs (potential d^4) and stiff ones (omega^2 d^2/4)
    in turn. In the variables q_i = (x_2i + x_2i-1)/sqrt(2) and q_m+i = (x_2i - x_2i-1)/sqrt(2) it has the Hamiltonian
    of example 5.9. The formula in the paper has 1/4 before its first quartic term only; it belongs to all of them.
    Both forms are run with m = 3: H must be the same, and states must agree after the transformation to round-off,
    which with the printed formula they do not."""
    root = lab.datum("1/sqrt(2)", np.sqrt(0.5))
    q_names = [f"q{i}" for i in range(1, 7)]
    x_names = [f"x{i}" for i in range(1, 7)]
    chain_run = lab.run("fpu-chain", record=True, method="verlet-a", step="0.5/omega", until=10)
    springs = lab.run("fpu-springs", record=True, method="verlet-a", step="0.5/omega", until=10)
    for prefix, name in (("", "q"), ("p_", "p")):
        x = states(springs, [prefix + of for of in x_names])
        q = np.concatenate([root * (x[1::2] + x[::2]), root * (x[1::2] - x[::2])])
        other = states(chain_run, [prefix + of for of in q_names])
        lab.at_most(f"largest difference of {name}, t <= 10", np.abs(q - other).max(), 1e-11, "round-off of 600 steps")
    H = chain_run["energy"], springs["energy"]
    lab.at_most("largest difference of H", np.abs(H[0] - H[1]).max(), 1e-11, "round-off")
    q = states(chain_run, q_names)
    soft = np.array([q[0] - q[3], q[1] - q[4] - q[0] - q[3], q[2] - q[5] - q[1] - q[4], q[2] + q[5]]) ** 4
    printed = H[0] + 0.75 * soft[1:].sum(axis=0)
    lab.contradicts("H with 1/4 before the first quartic term only: range along the same motion, t <= 10",
                    np.ptp(printed) > 10 * np.ptp(H[0]), np.ptp(printed),
                    f"it is not conserved; H itself varies by {np.ptp(H[0]):.3f}", "H of example 5.9")
    lab.says("four equal soft springs, of the variables q: x_1^4, (x_3 - x_2)^4, (x_5 - x_4)^4, x_6^4",
             np.allclose(soft / 4, [springs["x1"] ** 4, (springs["x3"] - springs["x2"]) ** 4,
                                    (springs["x5"] - springs["x4"]) ** 4, springs["x6"] ** 4], atol=1e-11),
             printed="soft springs")


@item("figure-5.7", "Figure 5.7: time scales of the Fermi-Pasta-Ulam chain, and the Störmer/Verlet method",
      [mutations.method("verlet-a", "rk-4"), mutations.text('q4 = "1/omega"', 'q4 = "1.1/omega"'),
       mutations.method("kahan-li-8", "verlet-a")])
def figure_5_7(lab):
    """m = 3, omega = 30. On the time scale 1/omega the stiff springs oscillate nearly harmonically, on the scale 1
    the soft springs move, on the scale omega the stiff springs exchange energy; I = I_1 + I_2 + I_3 stays nearly
    constant. The Störmer/Verlet method with h = 0.5/omega conserves H and I approximately over long times. Ranges and
    means are compared with an independent program; a nearly exact solution shows the time scales. The start is
    proposed data."""
    run = chain(lab)
    references = {"energy": ("1.97181", "2.03712", "2.00439"), "I": (".90214", "1.12652", "1.00245")}
    lab.reference("H at the start", run["energy"][0], "2.003333950617")
    for name, value in zip(("q1", "q4", "p_q1", "p_q4"),
                           ("1.0163879629630", "4.5805545267490e-02", "9.6568022725297e-01", "4.0243220898054e-01")):
        lab.reference(f"{name} after one step", run[name][1], value)
    for name, texts in references.items():
        values = run[name][1:]
        found = (values.min(), values.max(), values.mean())
        for what, value, text in zip(("smallest", "largest", "mean"), found, texts):
            lab.reference(f"{what} {'H' if name == 'energy' else name}, t <= 200", value, text)
    thirds = np.array_split(run["I"][1:], 3)
    for third, text in zip(thirds, ("1.00248", "1.00245", "1.00243")):
        lab.reference("mean of I over a third of the time", third.mean(), text)
    if not lab.quick:
        late, same = (chain(lab, method, until=10000, every=7) for method in ("verlet-a", "kahan-li-8"))
        lab.between("range of H until t = 10000, divided by that until 200",
                    np.ptp(late["energy"]) / np.ptp(run["energy"]), 0.95, 1.1, "conserved over long times")
        lab.between("range of I until t = 10000, divided by that of a nearly exact solution",
                    np.ptp(late["I"]) / np.ptp(same["I"]), 0.9, 1.1, "I itself oscillates by O(1/omega)")
        parts = [part.mean() for part in np.array_split(late["I"], 5)]
        lab.at_most("means of I over five parts of the time until t = 10000: range", np.ptp(parts), 3e-4, "no drift")
    exact, fine = chain(lab, "kahan-li-8"), chain(lab, "kahan-li-8", factor=0.1, until=1)
    t, kinetic = exact["t"], exact["T2"]
    fast = np.count_nonzero(np.diff(np.sign(kinetic - kinetic.mean())) != 0) / (2 * t[-1])
    lab.between("frequency of T_2, divided by omega/pi", fast * np.pi / 30, 0.9, 1.02, "nearly harmonic: scale 1/omega")
    slow = [np.abs(np.diff(np.convolve(exact[f"I{k}"], np.ones(300) / 300, "valid"))).max() * 60 for k in (1, 2, 3)]
    lab.at_most("largest rate of I_k, averaged over 5 time units", max(slow), 0.1,
                "energy is exchanged on the scale omega")
    lab.at_least("smallest range of an I_k, t <= 200", min(np.ptp(exact[f"I{k}"]) for k in (1, 2, 3)), 0.5,
                 "of a sum of 1: the exchange is complete")
    lab.at_most("range of I, nearly exact", np.ptp(exact["I"]), 8 / 30, "O(1/omega)")
    lab.at_most("largest change of H, nearly exact", np.abs(exact["energy"] - exact["energy"][0]).max(), 2e-5,
                "the first three pictures have high accuracy")
    lab.table("figure-5.7", thin({name: run[name] for name in ("t", "energy", "I", "I1", "I2", "I3")}, 2000))

    def draw(figure):
        pictures = figure.subplots(2, 2).ravel()
        for axes, of, end in ((pictures[0], fine, 1), (pictures[1], exact, 20)):
            inside = of["t"] <= end
            for name, label, color in (("T2", "T$_2$", "#d9a79c"), ("T1", "T$_1$", "#1b3a5c"), ("I", "I", "#3c7a4b")):
                axes.plot(of["t"][inside], of[name][inside], label=label, color=color)
            axes.set_title(f"nearly exact, t ≤ {end}")
        for axes, of, what in ((pictures[2], exact, "nearly exact"), (pictures[3], run, "Störmer/Verlet, h = 0.5/ω")):
            shown = thin({**of, "H - 0.8": of["energy"] - 0.8}, 2000)
            for name in ("H - 0.8", "I", "I1", "I2", "I3"):
                label = name if len(name) != 2 else f"I$_{name[1]}$"
                axes.plot(shown["t"], shown[name], linewidth=0.5, label=label)
            axes.set_title(what)
        for axes in pictures:
            axes.set_ylim(0, 1.6)
            axes.set_xlabel("t")
            axes.legend(loc="upper right", ncol=5, columnspacing=0.7, handlelength=1)

    lab.figure("figure-5.7", draw)


@item("example-5.9", "Example 5.9: sizes of the oscillations of H and I",
      [mutations.method("verlet-a", "lobatto-3"), mutations.method("kahan-li-8", "verlet-a"),
       mutations.text("p_q4^2/2 + omega^2*q4^2/2", "p_q4^2/2 + 1.01*omega^2*q4^2/2"),
       mutations.text("-q4*(s0^3 + s1^3)", "q4*(s0^3 + s1^3)")])
def example_5_9(lab):
    """For fixed omega, the oscillations of H are proportional to h^2; with h omega fixed they remain of the same
    size. Those of I are of size O(1/omega), uniformly for h -> 0. Ranges for t <= 50 are measured: for omega = 30 and
    h omega = .5, .25, .125; for omega = 15 to 120 with h omega = 0.5; and those of I along a nearly exact solution. J
    = I + q^T(0 0; 0 I)grad U is conserved up to O(1/omega^2), as is said after theorem 5.10. The start is proposed
    data."""
    factors = [0.5, 0.25, 0.125]
    until = 20 if lab.quick else 50
    H = [float(np.ptp(chain(lab, factor=factor, until=until)["energy"])) for factor in factors]
    for order in halvings(H):
        lab.between("omega = 30: order of the range of H in h", order, 1.95, 2.1, "O(h^2)", "2")
    omegas = [15, 30, 60] if lab.quick else [15, 30, 60, 120, 240]
    fixed = [float(np.ptp(chain(lab, omega=omega, until=until)["energy"])) for omega in omegas]
    lab.at_most(f"h omega = 0.5, omega = {omegas[0]} to {omegas[-1]}: range of H, largest over smallest",
                max(fixed) / min(fixed), 1.05, "remains of the same size", "1")
    omegas = [15, 30, 60] if lab.quick else [15, 30, 60, 120]
    exact = [chain(lab, "kahan-li-8", omega=omega, until=20) for omega in omegas]
    ranges = {name: [float(np.ptp(of[name])) for of in exact] for name in ("I", "J")}
    for order in halvings(ranges["I"]):
        lab.between("nearly exact: order of the range of I in 1/omega", order, 0.9, 1.1, "O(1/omega)", "1")
    for order in halvings(ranges["J"]):
        lab.between("nearly exact: order of the range of J in 1/omega", order, 1.8, 2.3, "O(1/omega^2)", "2")
    lab.table("example-5.9", {"omega": omegas, "range of I": ranges["I"], "range of J": ranges["J"]})


def window(values, count):
    """The mean over |j h| <= T/2, with T = count h, at each time."""
    return np.convolve(values, np.ones(count + 1), "valid") / count


def smooth_window(values, count):
    """The same with a smooth weight that vanishes at both ends."""
    s = np.linspace(-1, 1, count + 1)[1:-1]
    weight = np.exp(-1 / (1 - s**2))
    return np.convolve(values, weight / weight.sum(), "valid")


@item("theorem-5.10", "Theorem 5.10: time averages of H and I for large h omega",
      [mutations.method("verlet-a", "rk-4"),
       mutations.datum("smooth", lambda of: window, "averages without a smooth window"),
       mutations.text("p_q4^2/2 + omega^2*q4^2/2", "p_q4^2/2 + 1.01*omega^2*q4^2/2")])
def theorem_5_10(lab):
    """For h omega bounded away from 0 and below 2, averages of H and I over a fixed time T remain constant up to O(h)
    over long times, although H and I oscillate by an amount that does not become smaller; with a smooth window, those
    of H and J up to O(h^2). They need not be near the initial values. The chain is run until t = 200 with T = 1 and h
    omega = 1 and 0.5, for omega = 15, 30, ...: ranges of averages times omega must be bounded, and those of smooth
    ones must have order 2 by least squares. With h omega = 1 the order is 1 from each omega to the next; with 0.5,
    the value of figure 5.7, averages of H vary less, and irregularly with omega. Smooth averages of I have order 2
    here as well. |sin(k h w/2)|, with sin(h w/2) = h omega/2, is .25 or more for k up to 5. The start is proposed
    data."""
    smooth = lab.datum("smooth", smooth_window)
    names, found = {"energy": "H", "I": "I", "J": "J"}, {}
    for factor in (1.0, 0.5):
        omegas = [15, 30, 60] if lab.quick else [15, 30, 60, 120]
        h, where = factor / np.array(omegas), f"h omega = {factor:g}"
        lab.at_least(f"{where}: smallest |sin(k h w/2)|, k = 1 to 5",
                     min(abs(np.sin(k * np.arcsin(factor / 2))) for k in range(1, 6)), 0.249, "N = 5: for t <= h^-4")
        plain, shift = [], []
        means, smooths = {"energy": [], "I": []}, {"energy": [], "I": [], "J": []}
        for omega in omegas:
            run = chain(lab, factor=factor, omega=omega, until=100 if lab.quick else 200)
            count = 2 * round(omega / factor / 2)
            plain.append(float(np.ptp(run["energy"])))
            for name, of in means.items():
                of.append(float(np.ptp(window(run[name], count))))
            for name, of in smooths.items():
                of.append(float(np.ptp(smooth(run[name], count))))
            shift.append(float(smooth(run["energy"], count).mean() - run["energy"][0]))
        found[factor] = (h, plain, means, smooths)
        lab.between(f"{where}: range of H itself, smallest omega over largest", plain[0] / plain[-1], 0.8, 1.25,
                    "it does not become smaller")
        for name, of in means.items():
            lab.at_most(f"{where}: averages of {names[name]}: largest range times omega", max(np.array(of) * omegas),
                        0.7, "O(h) at a fixed h omega; the constant is measured", "O(h)")
            if factor == 1:
                for order in halvings(of):
                    lab.at_least(f"{where}: averages of {names[name]}: order of their range", order, 0.85, "O(h)", "1")
        for name, of in smooths.items():
            lab.at_least(f"{where}: smooth averages of {names[name]}: order of their range", slope(h, of), 1.8,
                         "O(h^2)" if name != "I" else "the paper claims it for J only", "" if name == "I" else "2")
        if factor == 1:
            lab.at_least(f"{where}: average of H minus its initial value, largest omega", shift[-1], 0.015,
                         "(h omega)^2 does not vanish: averages are constant, and not near H_0")
            lab.at_most(f"{where}: the same, smallest omega over largest", shift[0] / shift[-1], 2,
                        "it does not fall like h")
    if not lab.quick:
        run = chain(lab, factor=1.0, omega=30, until=5000)
        for name, of in found[1.0][2].items():
            lab.at_most(f"omega = 30: range of averages of {names[name]} until t = 5000, divided by that until 200",
                        np.ptp(window(run[name], 30)) / of[1], 1.3, "constant over long times")
    for factor, (h, plain, means, smooths) in found.items():
        lab.table(f"theorem-5.10-{factor:g}", {"h": h, "range of H": plain,
                                               **{f"averages of {names[name]}": of for name, of in means.items()},
                                               **{f"smooth averages of {names[name]}": of
                                                  for name, of in smooths.items()}})

    def draw(figure):
        for axes, (factor, (h, plain, means, smooths)) in zip(figure.subplots(1, 2, sharey=True), found.items()):
            axes.loglog(h, plain, "o-", label="H")
            for name, of in means.items():
                axes.loglog(h, of, "s-", label=f"averages of {names[name]}")
            for name, of in smooths.items():
                axes.loglog(h, of, "^--", label=f"smooth averages of {names[name]}")
            axes.set_title(f"hω = {factor:g}")
            axes.set_xlabel("h")
            axes.tick_params(axis="x", which="minor", labelbottom=False)
        figure.axes[0].set_ylabel(f"range until t = {100 if lab.quick else 200}")
        figure.axes[0].legend(loc="lower right")

    lab.figure("theorem-5.10", draw)
