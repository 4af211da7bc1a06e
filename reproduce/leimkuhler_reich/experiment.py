"""The experiment of all figures: the rotating pendulum by the implicit midpoint rule with h = 0.01, with the residuals
of both constraints and the wedge product of two tangent vectors along the way."""

from dataclasses import dataclass

import numpy as np

PENDULUM = "rotating-pendulum"
# Two vectors that are consistent with the constraints (section 3.2) at (1, 0, 0, -2); their wedge product is 1.
TANGENTS = ["q2=1,p_q1=2", "p_q2=1"]
NAMES = ("q1", "q2", "p1", "p2")
EXACT = "-0.6836579365484 -0.7298025937158 -1.7052420024719 1.5974213284031"  # at t = 1, of an independent program


@dataclass
class Motion:
    t: np.ndarray
    w: np.ndarray  # q1, q2, p1, p2 in columns
    wedge: np.ndarray

    @property
    def g(self):
        return self.w[:, 0]**2 + self.w[:, 1]**2 - 1

    @property
    def Gp(self):
        return 2 * (self.w[:, 0] * self.w[:, 2] + self.w[:, 1] * self.w[:, 3])

    @property
    def energy(self):
        """H - H(0)"""
        H = (self.w[:, 2]**2 + self.w[:, 3]**2) / 2 + self.w[:, 1]
        return H - H[0]

    def at(self, t):
        return self.w[int(np.argmin(np.abs(self.t - t)))]

    def part(self, begin, end):
        return (self.t >= begin - 1e-9) & (self.t <= end + 1e-9)

    def largest(self, end, begin=0):
        """Largest |g|, |Gp|, |wedge - 1| and |H - H(0)| between two times."""
        part = self.part(begin, end)
        return [float(np.max(np.abs(values[part]))) for values in (self.g, self.Gp, self.wedge - 1, self.energy)]


def state(end):
    """q1, q2, p1, p2 of the last state of a run."""
    return np.array([*end["q"].values(), *end["p"].values()])


def distance(one, other):
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other))))


def motion(lab, key, until, step="0.01", model=PENDULUM, codes=(0,), **options):
    """A run of the midpoint rule on a formulation, with all its states."""
    run = lab.run(model, record=True, codes=codes, method=f"gauss-1@{key}", step=step, until=until, wedge=True,
                  tangent=TANGENTS, **options)
    return Motion(run["t"], np.column_stack([run["q1"], run["q2"], run["p_q1"], run["p_q2"]]), run["wedge"])


QUANTITIES = ("|g|", "|Gp|", "|wedge - 1|", "|dH|")


def compare_largest(lab, what, seen, end, texts, remark=""):
    """The largest values to t = end with the digits of an independent program; a number is a bound of rounding errors,
    None stands for nothing to compare with."""
    for name, measured, text in zip(QUANTITIES, seen.largest(end), texts):
        if text is None:
            continue
        label = f"{what}, largest {name} to t = {end:g}"
        if isinstance(text, str):
            lab.reference(label, measured, text, remark=remark)
        else:
            lab.at_most(label, measured, text, remark="rounding errors")


def compare_state(lab, what, seen, t, texts, units=2):
    """A state with 13 decimals of an independent program."""
    remark = "" if units <= 2 else f"{units} units of the last digit are left to the rounding errors of 1000 steps"
    for name, measured, text in zip(NAMES, seen.at(t), texts.split()):
        lab.reference(f"{what}, {name} at t = {t:g}", measured, text, units=units, remark=remark)


def columns(seen, end):
    part = seen.part(0, end)
    return {"t": seen.t[part], "g": seen.g[part], "Gp": seen.Gp[part], "wedge - 1": seen.wedge[part] - 1,
            "H - H(0)": seen.energy[part]}


def draw(figure, runs, end):
    """Constraint residuals to the left, the wedge product to the right, as in the paper; `runs`: label and motion."""
    axes = figure.subplot_mosaic([["g", "wedge"], ["Gp", "wedge"]])
    for label, seen in runs.items():
        part = seen.part(0, end)
        for name, values in (("g", seen.g), ("Gp", seen.Gp), ("wedge", seen.wedge - 1)):
            axes[name].plot(seen.t[part], values[part], label=label)
    axes["g"].set_ylabel("g(q)")
    axes["Gp"].set_ylabel("G(q) p")
    axes["wedge"].set_ylabel("wedge product − 1")
    axes["Gp"].set_xlabel("t")
    axes["wedge"].set_xlabel("t")
    for name, one in axes.items():
        one.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3))
        low, high = one.get_ylim()
        if max(abs(low), abs(high)) < 1e-9:  # rounding errors are no curve to look at
            one.set_ylim(-1e-9, 1e-9)
            one.text(0.03, 0.92, "rounding errors", transform=one.transAxes, color="0.4")
    if len(runs) > 1:
        axes["wedge"].legend()
