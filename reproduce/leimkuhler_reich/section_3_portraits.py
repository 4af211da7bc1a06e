"""Figure 3.3 and the example of section 3.6: residuals near a centre, and near a saddle."""

import numpy as np

import mutations
from item import item

SPEED = 1.5  # of the model: p.p = 2.25 on the circle, so that the rates are 2 |p| = 3
# Starts (rho, sigma) of the picture: for the centre; for the saddle, in four sectors and on both lines between them
STARTS = {1: ("0.004 0", "0.008 0", "0.012 0"),
          0: ("0.012 -0.033", "-0.012 0.033", "0.011 -0.036", "-0.011 0.036", "0.012 -0.036", "-0.012 0.036",
              "0.0006 0.0018", "-0.0006 -0.0018")}


def residuals(run):
    x, y, px, py = (run[name] for name in ("x", "y", "p_x", "p_y"))
    return (x**2 + y**2 - 1) / 2, x * px + y * py


def from_off_the_circle(lab, D, rho, sigma, until):
    return lab.run("circle-dirac", record=True, method="gauss-3", step="0.01", until=until,
                   set={"D": D, "rho0": rho, "sigma0": sigma})


def linear(rho, sigma, t, rate, D):
    """rho' = -+ sigma, sigma' = rate^2 rho: the centre (D = 1) and the saddle (D = 0)."""
    if D:
        c, s = np.cos(rate * t), np.sin(rate * t)
        return rho * c - sigma / rate * s, sigma * c + rate * rho * s
    c, s = np.cosh(rate * t), np.sinh(rate * t)
    return rho * c + sigma / rate * s, sigma * c + rate * rho * s


@item("figure-3.3",
      "Figure 3.3: stability of constraints (a) for the Dirac formulation, and (b) for the reduced formulation",
      [mutations.text("- D*qp^2/qq", "- D*qp^2/qq/2", "circle-dirac"),
       mutations.text("pp/qq*(qq - 1)/2", "0.9*pp/qq*(qq - 1)/2"),
       mutations.text("2*pp*R/(R + 1/2)", "pp*R/(R + 1/2)", "circle-residuals"),
       mutations.method("gauss-3@dirac", "gauss-3@weak"),
       mutations.datum("rate", lambda rate: rate / 2, "|p| as the rate")])
def figure_3_3(lab):
    """Without a potential, with g = (q.q - 1)/2, the printed H_T has the printed q' and p', and residuals rho = g and
    sigma = q.p with rho' = -sigma + sigma rho/(rho + 1/2) and sigma' = 2 p.p rho/(rho + 1/2) - sigma^2/(rho + 1/2).
    Linearised, rho' = -sigma and sigma' = 4 p.p rho: a centre. With the constraint on q alone, rho' = sigma: a saddle.
    Both Hamiltonians are run from starts off the circle (a speed of 1.5 along it is proposed data); the printed
    equations are run as a field, for which a Gauss method keeps the quadratic functions rho - (q.q - 1)/2 and sigma -
    q.p if and only if the printed rates are theirs. Orbits are compared with the linear equations with p.p of the
    start, to the first order in the offset."""
    rate = lab.datum("rate", 2 * SPEED)
    field = lab.run("circle-residuals", method="gauss-3", step="0.01", until=2, set={"sigma0": "0.02"})
    for name, formula in (("of_rho", "rho - (q.q - 1)/2"), ("of_sigma", "sigma - q.p")):
        lab.at_most(f"printed equations: largest {formula}", field["invariants"][name]["max_error"], 1e-14,
                    printed="rates of rho and sigma", remark="rounding errors")
    written = lab.run("circle-dirac", method="gauss-3", step="0.01", until=2, set={"sigma0": "0.02"})
    one = np.array([*written["q"].values(), *written["p"].values()])
    other = np.array(list(field["q"].values())[:4])
    lab.at_most("printed q', p' against the derivatives of the printed H_T: states at t = 2",
                float(np.max(np.abs(one - other))),
                1e-13, printed="q', p' of H_T", remark="rounding errors")
    for D, key in ((1, "dirac"), (0, "h-m")):
        on = lab.run("free-circle", method=f"gauss-3@{key}", step="0.05", until=2)
        same = lab.run("circle-dirac", method="gauss-3", step="0.05", until=2, set={"D": D, "rho0": 0})
        difference = max(abs(on[part][name] - same[part][name]) for part in "qp" for name in "xy")
        lab.at_most(f"{key}: formulation of the program against the Hamiltonian written out, t = 2", difference, 1e-11,
                    remark="rounding errors, which the saddle amplifies by 400")
    for formulation, name in (("dirac", "i 2 |p|"), ("h-m", "2 |p|")):
        for row in lab.ask("stability", "free-circle", formulation=formulation, step="0.01", until=2,
                           every=100)["rows"]:
            seen = row["frequency"] if name.startswith("i") else row["fastest"]["real"]
            lab.reference(f"{formulation}: eigenvalue {name} at t = {row['t']:g}", seen, f"{rate:.9f}",
                          remark="rho' = -+ sigma, sigma' = 4 p.p rho")
    for D, word in ((1, "centre"), (0, "saddle")):
        until = "2.1" if D else "1"  # (the period is 2.094)
        defects = []
        for offset in (0.001, 0.002):
            # for the saddle both starts are near the direction in which residuals grow
            start = (offset, 0.0) if D else (offset, 2 * SPEED * offset)
            run = from_off_the_circle(lab, D, *start, until)
            rho, sigma = residuals(run)
            expected = linear(*start, run["t"], rate, D)
            size = np.max(np.abs(expected[0])) * rate
            defects.append(float(max(np.max(np.abs(rho - expected[0])) * rate,
                                     np.max(np.abs(sigma - expected[1]))) / size))
        lab.at_most(f"{word}: distance from the orbit of the linear equations, offset 0.001", defects[0], 0.05,
                    printed=word,
                    remark="terms of the second order: proportional to the offset, as the next line says")
        lab.between(f"{word}: this for twice the offset, over that", defects[1] / defects[0], 1.7, 2.6,
                    remark="what is left is of the second order")
    pictures = {D: [from_off_the_circle(lab, D, *start.split(), "2.1" if D else "0.98")
                    for start in STARTS[D][:4 if lab.quick else None]] for D in (1, 0)}
    table = {"formulation": [], "t": [], "rho": [], "sigma": []}
    for D, runs in pictures.items():
        for run in runs:
            rho, sigma = residuals(run)
            table["formulation"] += ["Dirac" if D else "reduced"] * len(rho)
            table["t"] += list(run["t"])
            table["rho"] += list(rho)
            table["sigma"] += list(sigma)
    lab.table("figure-3.3", table)

    def paint(figure):
        for axes, (D, runs), title in zip(figure.subplots(1, 2), pictures.items(),
                                          ("(a) Dirac formulation: centre", "(b) reduced formulation: saddle")):
            for run in runs:
                rho, sigma = residuals(run)
                line, = axes.plot(rho, sigma)
                k = len(rho) // (4 if abs(rho[0]) > 0.003 else 2)
                axes.annotate("", (rho[k + 1], sigma[k + 1]), (rho[k], sigma[k]),
                              arrowprops={"arrowstyle": "-|>", "color": line.get_color()})
            axes.plot(0, 0, "k.")
            axes.set_title(title)
            axes.set_xlabel("ρ = (q·q − 1)/2")
            axes.set_ylabel("σ = q·p")

    lab.figure("figure-3.3", paint)
