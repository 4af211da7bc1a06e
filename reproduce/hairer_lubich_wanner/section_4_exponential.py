"""Section 4.4: modified equations do not converge, and are right up to exponentially small terms."""

from fractions import Fraction
from math import factorial

import numpy as np

import mutations
from hairer_lubich_wanner.growth import slope
from hairer_lubich_wanner.section_4 import one_step_difference
from item import item


def coefficients(last):
    """b_0, b_2, ..., b_last of (4.13): the series of h^2/(e^-h - 2 + e^h)."""
    divisor = [Fraction(2, factorial(2 * k + 2)) for k in range(last // 2 + 1)]
    b = []
    for k in range(len(divisor)):
        b.append(Fraction(k == 0) - sum(b[j] * divisor[k - j] for j in range(k)))
    return [float(value) for value in b]


def second_difference(lab, h, **forcing):
    """q(h) - 2 q(0) + q(-h) of the numerical solution."""
    run = lab.run("forced", record=True, method="verlet-a", step=h, steps=2, set={"start": -h, **forcing})
    q = run["q"]
    return q[2] - 2 * q[1] + q[0]


def pole(derivative, t):
    """Derivatives of 1/(1 + t^2), the imaginary part of 1/(t - i)."""
    return (-1) ** derivative * factorial(derivative) * (1 / (t - 1j) ** (derivative + 1)).imag


def differences(b, h, numerical):
    """Between the second difference of the modified equation, truncated after each term, and the numerical one."""
    integral = h * np.arctan(h) - np.log1p(h**2) / 2  # twice, of the forcing
    found, series = [], 2 * integral
    for k, of in enumerate(b):
        if k > 0:
            series += h ** (2 * k) * of * 2 * (pole(2 * k - 2, h) - pole(2 * k - 2, 0))
        found.append(abs(series - numerical))
    return found


@item("example-4.6", "Example 4.6: the modified equation of q'' = f(t)",
      [mutations.datum("b", lambda b: [b[0], b[1], -b[2], *b[3:]], "b_4 with the wrong sign"),
       mutations.text('q.tau = "1"', 'q.tau = "0"'), mutations.method("verlet-a", "rk-2")])
def example_4_6(lab):
    """The modified equation is q'' = f + h^2 b_2 f'' + h^4 b_4 f^(4) + ..., with the b of (4.13). For f = e^t the
    series converges, and its solution must have the second difference q(h) - 2q(0) + q(-h) of the numerical one. For
    f = 1/(1 + t^2), with poles at distance R = 1 from t = 0, terms fall until 2k is near 2 pi R/h, and grow without
    bound after that; truncated there, the modified equation differs from the numerical solution by about e^(-2 pi
    R/h). The autonomous form needs t' = 1, where the paper prints 0. The coefficients are not Const (2 pi)^-2k, but
    4k - 2 times this, since h^2/(e^-h - 2 + e^h) has double poles."""
    b = lab.datum("b", coefficients(60))
    for k, text in enumerate(("-1/12", "1/240", "-1/6048"), 1):
        lab.at_most(f"b_{2 * k} - ({text})", abs(b[k] - float(Fraction(text))), 1e-17, "the series of (4.13) by hand")
    for h in (0.5, 2.0):
        solution = sum(of * h ** (2 * k) for k, of in enumerate(b)) * (np.exp(h) - 2 + np.exp(-h))
        lab.at_most(f"f = e^t, h = {h}: modified and numerical second difference",
                    abs(solution - second_difference(lab, h, a=1, b=0)), 2e-15 * np.exp(h),
                    "30 terms, (h/2 pi)^60 is left; round-off")
    lab.between("2 pi |b_60|^(1/60)", abs(b[30]) ** (1 / 60) * 2 * np.pi, 0.99, 1.1,
                "the radius of convergence is 2 pi", "1")
    constants = [abs(b[k]) * (2 * np.pi) ** (2 * k) for k in (10, 20, 30)]
    lab.contradicts("|b_2k| (2 pi)^2k for 2k = 20, 40, 60", np.allclose(constants, [38, 78, 118], rtol=1e-5),
                    ", ".join(f"{of:.4g}" for of in constants), "it is (4k - 2) zeta(2k): the poles are double",
                    "Const")

    steps = [1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.25]
    left_over, terms = [], {}
    for h in steps:
        end = 2 * np.pi / h
        terms[h] = [h ** (2 * k) * abs(of) * factorial(2 * k) for k, of in enumerate(b)]
        left_over.append(differences(b, h, second_difference(lab, h, a=0, b=1))[int(end / 2)])
        if h in (0.5, 0.25):
            lab.between(f"f = 1/(1 + t^2), h = {h}: 2k of the smallest term", 2 * int(np.argmin(terms[h])), end - 4,
                        end, "the factor 4k - 2 moves it down a little", f"{end:.1f}")
            lab.at_least("the same: the last of 30 terms, divided by the smallest one", terms[h][-1] / min(terms[h]),
                         1e4, "the series does not converge")
    ratios = np.array(left_over) * np.exp(2 * np.pi / np.array(steps))
    lab.between("difference when truncated at 2k <= 2 pi/h, times e^(2 pi/h): smallest", ratios.min(), 0.5, 10,
                "a low power of h stands before the exponential")
    lab.between("the same: largest, while the difference itself falls to 1e-11", ratios.max(), 0.5, 10)
    orders = [slope(steps[k:k + 2], left_over[k:k + 2]) for k in range(len(steps) - 1)]
    lab.says("the order between successive steps grows: no power of h", all(np.diff(orders) > 0),
             ", ".join(f"{order:.1f}" for order in orders))
    lab.table("example-4.6", {"h": steps, "difference": left_over})

    def draw(figure):
        left, right = figure.subplots(1, 2)
        for h in (1, 0.5, 0.25):
            line, = left.semilogy(np.arange(0, 62, 2), terms[h], ".-", label=f"h = {h}")
            left.axvline(2 * np.pi / h, color=line.get_color(), linewidth=0.6, linestyle=":")
        left.set_ylim(1e-12, 1e8)
        left.set_xlabel("2k (dotted: 2π/h)")
        left.set_ylabel("h$^{2k}$ |b$_{2k}$ f$^{(2k)}$(0)|")
        left.set_title("terms of (4.12), f = 1/(1 + t²)")
        left.legend(loc="upper right")
        right.semilogy(1 / np.array(steps), left_over, "o", label="truncated at 2k ≤ 2π/h")
        right.semilogy(1 / np.array(steps), np.exp(-2 * np.pi / np.array(steps)), "--", label="exp(-2π/h)")
        right.set_xlabel("1/h")
        right.set_title("difference from the numerical solution")
        right.legend()

    lab.figure("example-4.6", draw)


def largest_sine(centre, radius):
    """Of a complex disc: it is on the circle."""
    return np.abs(np.sin(centre + radius * np.exp(1j * np.linspace(0, 2 * np.pi, 2001)))).max()


@item("theorem-4.7", "Theorem 4.7: exponentially small errors",
      [mutations.method("verlet-a", "symplectic-euler"), mutations.text("-2*f1*v)/12", "-2*f1*v)/11", "modified-a"),
       mutations.text("-cos(x)", "-cos(x) + abs(x)^3/100", "pendulum-angle")])
def theorem_4_7(lab):
    """With F analytic, the modified equation truncated after N <= h_0/h terms differs from one step by at most h
    gamma M e^(-h_0/h). The explicit bound is evaluated for the pendulum of figure 4.1 with mu = 1, kappa = 1/2, and h
    = h_0/4, where N = 4. These constants hold for the norm max(|q|, |v|). The scaled norm |q| + h|v| of the paper
    cannot be used: a ball of radius 2R has |v| up to 2R/h in it, so that M >= 2R/h, and neither h M <= R nor h <=
    h_0/4 is ever satisfied. That errors are exponentially small is seen in the shadow energy, which is not truncated:
    what remains of its variation over 400 steps falls like e^(-c/h)."""
    q0, v0 = -1.2, 1
    eta = 2 * max(1 / 2, 1 / (2 * np.log(2) - 1))
    gamma = np.e * (2 + 1.65 * eta + 1)
    radii = np.linspace(0.1, 1.5, 141)
    bounds = np.array([max(v0 + 2 * R, largest_sine(q0, 2 * R)) for R in radii])
    best = int(np.argmax(radii / bounds))
    M, h0 = bounds[best], radii[best] / (np.e * eta * bounds[best])
    h = round(h0 / 4, 6)
    difference = one_step_difference(lab, "A", h, 3)
    lab.at_most(f"one step, N = 4, h = h_0/4 = {h} (R = {radii[best]:.2f}, M = {M:.3g})", difference,
                h * gamma * M * np.exp(-4), "the bound of the theorem", "h gamma M e^-4")
    lab.at_most("the same, divided by h^5", difference / h**5, 1, "what theorem 4.1 says of N = 4")
    scaled = max(radius / (np.e * eta * (v0 + 2 * radius / step)) / (4 * step)
                 for radius in (1e-3, 0.1, 1, 10, 1e3) for step in (1e-4, 1e-2, 1))
    lab.contradicts("the largest h_0/(4h) in the scaled norm |q| + h|v|", scaled < 1, scaled,
                    "at most 1/(8 e eta), since M >= 2R/h; it would have to be 1 for some h", "h <= h_0/4")

    steps = [0.9, 0.6, 0.45, 0.3]
    remains = []
    for step in steps:
        runs = [lab.run("pendulum-angle", method="verlet-a", step=step, steps=400, shadow=window, precision="quad")
                for window in (16, 32)]
        remains.append(min(float(run["invariants"]["shadow"]["max_error"]) for run in runs))
    rate = float(np.polyfit(1 / np.array(steps), np.log(remains), 1)[0])
    lab.between("shadow energy: log of its variation over 1/h", rate, -11.5, -8,
                "-2 pi R as in example 4.6, with poles of the solution at R = 1.8; less for long steps")
    orders = [slope(steps[k:k + 2], remains[k:k + 2]) for k in range(len(steps) - 1)]
    lab.says("the order between successive steps grows: no power of h", all(np.diff(orders) > 2),
             ", ".join(f"{order:.1f}" for order in orders))
    lab.table("theorem-4.7", {"h": steps, "variation of the shadow energy": remains})

    def draw(figure):
        axes = figure.subplots()
        axes.semilogy(1 / np.array(steps), remains, "o-", label="shadow energy")
        axes.semilogy(1 / np.array(steps), np.array(steps) ** 4 * remains[0] / steps[0] ** 4, "--", label="h$^4$")
        axes.set_xlabel("1/h")
        axes.set_ylabel("largest change in 400 steps")
        axes.legend()

    lab.figure("theorem-4.7", draw)
