"""Sections 6 to 8: the work of a step, the tolerance of the solver, and how the methods are used best."""

import mutations
import numpy as np
from item import item
from leimkuhler_skeel.chains import energy_error, every, half_steps, longest, motion


@item("section-6-work", "Section 6: the work of a step, and efficiency",
      [mutations.method("bdf-2", "rattle"), mutations.method("rattle", "lobatto-3"),
       mutations.method("shake", "bdf-2")])
def work(lab):
    """A step of BDF requires substantially more work than one of VS or RATTLE, since it treats g and the gradient of V
    implicitly, and both outperform it in computational efficiency. Evaluations a step are counted on the chain of six
    nodes, and errors at t = 10 are compared at equal numbers of evaluations; CPU times are shown with a wide bound."""
    rows = lab.ask("compare", "spring-chain", methods="rattle,shake,bdf-2", step="0.01,0.005,0.0025", until=10)["rows"]
    vr, vs, bdf = (rows[3 * k:3 * (k + 1)] for k in range(3))
    forces = {name: of[0]["evaluations"]["force"] / of[0]["steps"] for name, of in
              (("RATTLE", vr), ("VS", vs), ("BDF-2", bdf))}
    for name in ("RATTLE", "VS"):
        lab.between(f"{name}, gradients of V a step, h = 0.01", forces[name], 1, 1.01, "explicit in V")
    lab.at_least("BDF-2, gradients of V a step, h = 0.01", forces["BDF-2"], 3,
                 "one in each iteration")
    lab.at_least("CPU time of a BDF-2 step over one of RATTLE, h = 0.01",
                 bdf[0]["cpu_seconds"] / vr[0]["cpu_seconds"], 1.5, "4 to 5 on one machine")
    lab.at_least("CPU time of a BDF-2 step over one of VS, h = 0.01", bdf[0]["cpu_seconds"] / vs[0]["cpu_seconds"], 1.5)
    # A step of RATTLE four times as short needs fewer gradients than one of BDF
    lab.at_most("gradients of V, RATTLE with h/4 over BDF-2 with h = 0.01",
                vr[2]["evaluations"]["force"] / bdf[0]["evaluations"]["force"], 1)
    lab.at_least("error of q, BDF-2 with h = 0.01 over RATTLE with h/4, at fewer gradients",
                 bdf[0]["error"]["q"] / vr[2]["error"]["q"], 50, "9 at equal steps, and 16 for the step")
    lab.at_least("the same for VS", bdf[0]["error"]["q"] / vs[2]["error"]["q"], 50)
    lab.table("section-6-work", {"method": [row["method"] for row in rows], "h": [row["step"] for row in rows],
                                 "error of q": [row["error"]["q"] for row in rows],
                                 "gradients of V": [row["evaluations"]["force"] for row in rows],
                                 "g": [row["evaluations"]["constraint"] for row in rows],
                                 "factorisations": [row["evaluations"]["factorisation"] for row in rows]})


@item("section-7.1-tolerance", "Section 7.1: the tolerance of the solver",
      [mutations.option("tolerance", "1e-6"), mutations.option("tolerance", "0"),
       mutations.method("rattle", "position-verlet"), mutations.method("shake", "bdf-2")])
def tolerance(lab):
    """In order for VR or VS to be symplectic the nonlinear equations must be solved accurately (section 7.1), and only
    if gtol is sufficiently small do VS and VR produce equivalent results (section 8). The chain of six nodes runs with
    h = 0.01 and relative tolerances from round-off to 1e-6. VS and VR then differ by what the solves leave; RATTLE
    loses symplecticity and reversibility in proportion to the tolerance; its shadow energy, which a symplectic method
    keeps, drifts, and in the end the energy as well."""
    tolerances = ("0", "1e-8", "1e-6") if lab.quick else ("0", "1e-10", "1e-8", "1e-6")
    chain = {"step": "0.01"}
    form, back, distance, drift = [], [], [], []
    for of in tolerances:
        q, Q = (motion(lab.run("spring-chain", record=True, method=key, until=10, every=1, tolerance=of, **chain))[0]
                for key in ("shake", "rattle"))
        distance.append(longest(half_steps(q, 0.01) - half_steps(Q, 0.01)))
        answer = lab.ask("certify", "spring-chain", codes=(0, 3), method="rattle", tolerance=of, no_advice=True,
                         **chain)
        claims = {line["property"]: line for line in answer["claims"]}
        form.append(claims["symplecticity"]["measured"])
        back.append(claims["reversibility"]["measured"])
        shadow = lab.run("spring-chain", method="rattle", until=100, tolerance=of, shadow=8, **chain)
        drift.append(abs(shadow["invariants"]["shadow"]["drift"]))
    lab.at_most("VS - VR at half steps, t <= 10, solved to round-off", distance[0], 5e-12, "equivalent")
    for k in range(1, len(tolerances)):
        lab.at_least(f"VS - VR, tolerance {tolerances[k]}, over that of the tolerance before",
                     distance[k] / distance[k - 1], 5, "not equivalent: the tolerance is seen")
    lab.at_most("RATTLE to round-off, defect of the symplectic form", form[0], 1e-13, "symplectic: 450 eps")
    lab.between("RATTLE with tolerance 1e-8, defect of the symplectic form", form[-2], 1e-9, 1e-7,
                "of the size of the tolerance")
    lab.between("RATTLE with tolerance 1e-6, defect of the symplectic form", form[-1], 1e-7, 1e-5,
                "of the size of the tolerance")
    lab.at_most("RATTLE to round-off, distance after steps forth and back", back[0], 2e-14, "reversible")
    lab.between("RATTLE with tolerance 1e-6, distance after steps forth and back", back[-1], 1e-7, 1e-5,
                "of the size of the tolerance")
    lab.at_most("RATTLE to round-off, drift of the shadow energy to t = 100", drift[0], 1e-11, "none but rounding")
    lab.at_least("RATTLE with tolerance 1e-6, drift of the shadow energy to t = 100", drift[-1], 1e-5,
                 "not symplectic: 8e-4 here")
    lab.table("section-7.1-tolerance", {"tolerance": tolerances, "VS - VR": distance, "symplecticity": form,
                                        "reversibility": back, "drift of the shadow energy": drift})
    if lab.quick:
        return
    energy = {of: lab.run("spring-chain", record=True, method="rattle", until=1000, every=50, tolerance=of, **chain)
              for of in ("0", "1e-8", "1e-6")}
    errors = {of: energy_error(run) for of, run in energy.items()}
    lab.at_most("RATTLE to round-off, largest energy error to t = 1000", float(np.max(np.abs(errors["0"]))), 4e-3,
                "a band: 1.2e-3 to t = 100, 2.0e-3 to t = 1000 if all steps are looked at")
    lab.at_least("RATTLE with tolerance 1e-6, largest energy error to t = 1000",
                 float(np.max(np.abs(errors["1e-6"]))), 2e-2, "the energy drifts: by 0.12 here")

    def draw(figure):
        axes = figure.subplots()
        for of, run in energy.items():
            axes.plot(every(run["t"]), every(errors[of]), label="round-off" if of == "0" else f"tolerance {of}")
        axes.set_title("RATTLE, h = 0.01")
        axes.set_xlabel("t")
        axes.set_ylabel("H - H(0)")
        axes.legend(loc="upper left")

    lab.figure("section-7.1-tolerance", draw)


@item("section-8-economical", "Section 8: VS steps, and a VR step only when output is desired",
      [mutations.option("watch", "all"), mutations.method("rattle", "shake"), mutations.method("rattle", "bdf-2")])
def economical(lab):
    """The ideal method consists of a sequence of VS steps followed by a VR step only when output is desired. With
    `--watch recorded` RATTLE does that. Every 100th state of a run to t = 10 is compared with that of a run whose
    momenta are projected in every step: they are the same to what rounding errors become, tangent, and need few
    projections."""
    options = {"record": True, "method": "rattle", "step": "0.01", "until": 10, "every": 100}
    each, few = lab.run("spring-chain", watch="all", **options), lab.run("spring-chain", watch="recorded", **options)
    (q, p), (Q, P) = motion(each), motion(few)
    lab.at_most("difference of positions", longest(q - Q), 5e-12, "rounding errors, amplified as those of VS - VR")
    lab.at_most("difference of momenta", longest(p - P), 5e-12)
    lab.at_most("hidden constraint of the recorded states", few["constraint"]["hidden_max"], 1e-14, "rounding")
    lab.at_most("factorisations, over those of a run with all projections",
                few["evaluations"]["factorisation"] / each["evaluations"]["factorisation"], 0.1,
                "10 projections instead of 1000, and some for steps whose predictions are in doubt")
    lab.at_most("gradients of V, over those of a run with all projections",
                few["evaluations"]["force"] / each["evaluations"]["force"], 1.01, "the same")
