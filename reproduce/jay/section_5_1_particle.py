"""Section 5, example 1: a charged particle on a sphere, figures 5.1 to 5.4."""

import numpy as np

import mutations
from item import item
from jay.runs import (EXAMPLE_1, H_1, compare_energy, compare_state, draw_energies, draw_portraits, history, line,
                      thinned)

PORTRAITS = [("x", "p_x"), ("z", "p_z")]
LOBATTO = {
    1: {"x": "3.20146088392148e-01", "y": "3.75123537141011e-02", "z": "9.46625219084108e-01",
        "p_x": "7.47229050732971e-01", "p_y": "-1.16187482224623e+00", "p_z": "-2.06668694724630e-01",
        "lambda_sphere": "2.793740830698"},
    100: {"x": "-6.82183118895272e-01", "y": "-5.17623387339364e-01", "z": "5.16422521946557e-01",
          "p_x": "-4.85151263791947e-01", "p_y": "2.18232253687436e-01", "p_z": "-4.22134733914140e-01",
          "lambda_sphere": "0.2443095420054"},
}
RADAU = {
    "x": "3.20052213624418e-01", "y": "3.74846000096503e-02", "z": "9.46658061454201e-01",
    "p_x": "7.46603621777095e-01", "p_y": "-1.16167522007514e+00", "p_z": "-2.08168820639200e-01",
    "lambda_sphere": "2.880863529866",
}


def exact_p_z_squared(z):
    """With H and the angular momentum l = -0.4 about z the motion in z is that of one degree of freedom: p_z^2 is a
    function of z."""
    l = -0.4
    return 2 * (H_1 + z) * (1 - z**2) - (l - 1 + z**2) ** 2


def exact_curve():
    """Points of the curve, between the two zeros of p_z^2 that bound the motion in z."""
    p_z_squared = np.polynomial.Polynomial.fit([0, 0.25, 0.5, 0.75, 1], exact_p_z_squared(np.linspace(0, 1, 5)), 4)
    low, high = sorted(root.real for root in p_z_squared.roots() if abs(root.imag) < 1e-9 and 0 < root.real < 1)
    angle = np.linspace(0, 2 * np.pi, 721)
    z = (low + high) / 2 + (high - low) / 2 * np.cos(angle)
    return z, np.sign(np.sin(angle)) * np.sqrt(np.maximum(0, exact_p_z_squared(z)))


def off_curve(states):
    return np.abs(states["p_z"] ** 2 - exact_p_z_squared(states["z"]))


def portrait(lab, name, states):
    lab.figure(name, draw_portraits(states, PORTRAITS, curve=exact_curve()))
    lab.table(name, thinned(states, ("t", "x", "p_x", "z", "p_z"), 3))


@item("figure-5.1", "Figure 5.1: phase portraits of the 3-stage Lobatto IIIA-IIIB method, example 1",
      [mutations.method("lobatto-3", "radau-2a-2+jay"), mutations.text("omega = 1\n", 'omega = "1.001"\n')])
def figure_5_1(lab):
    """5000 steps with h = 0.12, (x, p_x) and (z, p_z). The figure cannot be compared digit by digit; states at steps 1
    and 100 are held against an independent program. By its two first integrals, H and x p_y - y p_x, the exact motion
    lies on the closed curve p_z^2 = 2(H + z)(1 - z^2) - (l - 1 + z^2)^2, which is drawn into the second portrait; all
    5000 points must lie on it to the size of the error of H, and fill the whole curve."""
    states = history(lab, EXAMPLE_1, "lobatto-3")
    lab.reference("lambda_0 of (3.1f)", states["lambda_sphere"][0], "2.8791663")
    for step, columns in LOBATTO.items():
        compare_state(lab, states, step, "Lobatto", columns)
    off = off_curve(states)
    lab.at_most("largest distance from the exact curve, in p_z^2", np.max(off), 1e-5,
                "2(1 - z^2) <= 1.7 times the largest error of H, 4.9e-6")
    z, p_z = exact_curve()
    for what, numerical, exact in (("z", states["z"], z), ("p_z", states["p_z"], p_z)):
        lab.at_most(f"ends of the interval of {what}: distance from the exact ones",
                    max(abs(np.min(numerical) - np.min(exact)), abs(np.max(numerical) - np.max(exact))), 1e-3,
                    "all of the curve is visited; steps end near its ends, and not in them")
    lab.at_most("x^2 + y^2 + z^2 = 1: largest residual of the root", np.max(np.abs(states["position_residual"])), 1e-15,
                "round-off")
    lab.at_most("velocity normal to the sphere", np.max(np.abs(states["hidden_residual"])), 1e-15, "round-off")
    portrait(lab, "figure-5.1", states)


@item("figure-5.2", "Figure 5.2: numerical Hamiltonian of the 3-stage Lobatto IIIA-IIIB method, example 1",
      [mutations.method("lobatto-3", "lobatto-2"), mutations.text("eE = 1", 'eE = "1.001"')])
def figure_5_2(lab):
    """The first 500 steps are drawn in the paper; the other 4500 are said to show the same periodic behaviour, and on
    the scale of figure 5.4 H would appear nearly equal to the exact value. Ranges are held against an independent
    program. Of the printed value of H the last digit is not right."""
    states = compare_energy(lab, EXAMPLE_1, "lobatto-3")
    compare_energy(lab, EXAMPLE_1, "lobatto-2")
    H = states["energy"]
    lab.reference("H at the start", H[0], "0.480833695337")
    lab.differs("1.2^2 - sqrt(0.92)", H_1, "0.4808336955", "it is 0.48083369534; the last printed digit is off by 2",
                "0.480833695337")
    widths = [np.ptp(H[k:k + 501]) for k in range(0, 5000, 500)]
    lab.between("width of H in the ten windows of 500 steps, smallest to largest", min(widths) / max(widths), 0.98, 1,
                "the same oscillation all the time", printed="the same periodic behavior")
    radau = history(lab, EXAMPLE_1, "radau-2a-2")
    lab.at_most("width of H, over that of figure 5.4", np.ptp(H) / np.ptp(radau["energy"]), 1e-4,
                "less than the width of a line there", printed="nearly equal to the exact value")
    lab.figure("figure-5.2", draw_energies({"lobatto-3": states}, H_1, both=False))
    lab.table("figure-5.2", {column: states[column][:501] for column in ("t", "energy")})


@item("figure-5.3", "Figure 5.3: phase portraits of the 2-stage Radau IIA method, example 1",
      [mutations.method("radau-2a-2", "radau-2a-2+jay"), mutations.method("radau-2a-2", "lobatto-3"),
       mutations.text("R = 1\n", 'R = "1.001"\n')])
def figure_5_3(lab):
    """The same portraits of a method that is not symplectic. The first step is held against an independent program, and
    the points leave the exact closed curve, which the Lobatto method stays on, and spiral inwards."""
    states = history(lab, EXAMPLE_1, "radau-2a-2")
    compare_state(lab, states, 1, "Radau IIA", RADAU)
    off = off_curve(states)
    lab.at_least("largest distance from the exact curve, in p_z^2", np.max(off), 0.1,
                 "10^4 times that of the Lobatto method")
    first, last = np.ptp(states["p_z"][:501]), np.ptp(states["p_z"][-501:])
    lab.at_most("width of p_z in the last 500 steps, over that in the first", last / first, 0.7, "it spirals inwards")
    lab.at_most("position constraint", np.max(np.abs(states["position_residual"])), 1e-15, "kept: a_sj = b_j")
    lab.at_least("velocity normal to the sphere", np.max(np.abs(states["hidden_residual"])), 1e-3,
                 "not round-off", printed="does not satisfy all underlying constraints")
    portrait(lab, "figure-5.3", states)


@item("figure-5.4", "Figure 5.4: numerical Hamiltonian of the 2-stage Radau IIA method, example 1",
      [mutations.method("radau-2a-2", "radau-2a-3"), mutations.text("omega = 1\n", 'omega = "1.001"\n')])
def figure_5_4(lab):
    """H drifts away from the exact value, roughly linearly with time, where that of the Lobatto method remains in
    bounds. Ranges and the slope are held against an independent program. The paper does not say how many steps the
    figure has; both 500 and 5000 are drawn."""
    states = compare_energy(lab, EXAMPLE_1, "radau-2a-2")
    H = states["energy"]
    windows = H[::500]
    lab.says("H is lower at the end of each 500 steps", bool(np.all(np.diff(windows) < 0)),
             " ".join(f"{x:.3f}" for x in windows), printed="drifts away from the exact value")
    lab.at_most("largest distance from a line, over the whole drift", line(states)[1] / abs(H[-1] - H[0]), 0.15,
                "the rate falls to a third within 5000 steps", printed="roughly linearly with time")
    lab.figure("figure-5.4", draw_energies({"radau-2a-2": states}, H_1))
    lab.table("figure-5.4", thinned(states, ("t", "energy"), 5))


@item("section-5-projected-radau", "Section 5: the projected Radau IIA method, example 1",
      [mutations.method("radau-2a-2+jay", "gauss-2+jay"), mutations.text("eE = 1", 'eE = "1.001"')])
def projected_radau(lab):
    """With projections onto the constraints after every step, the results did not exhibit any visible difference with
    regards to figures 5.3 and 5.4, although the order is higher; both drift. Here H of both is compared step by step,
    on the scale of figure 5.4, and the range and the slope are held against an independent program. The paper gives no
    formula for the projection; that of the independent program moves q along G^T(q) of the point that is projected,
    and then p along G^T."""
    projected = compare_energy(lab, EXAMPLE_1, "radau-2a-2+jay")
    plain = history(lab, EXAMPLE_1, "radau-2a-2")
    scale = np.ptp(plain["energy"])
    apart = np.max(np.abs(projected["energy"] - plain["energy"])) / scale
    lab.at_most("largest difference of H, over the height of figure 5.4", apart, 0.02,
                "0.6 mm in a figure that is 4 cm high", printed="no visible difference")
    lab.at_most("hidden constraint", np.max(np.abs(projected["hidden_residual"])), 1e-15, "round-off")
    first, last = np.ptp(projected["p_z"][:501]), np.ptp(projected["p_z"][-501:])
    lab.at_most("width of p_z in the last 500 steps, over that in the first", last / first, 0.7, "as in figure 5.3")
    lab.figure("section-5-projected-radau", draw_energies({"radau-2a-2": plain, "radau-2a-2+jay": projected}, H_1))
    lab.table("section-5-projected-radau", {"t": plain["t"][::5], "unprojected": plain["energy"][::5],
                                            "projected": projected["energy"][::5]})
