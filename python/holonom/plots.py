"""Plots of results by matplotlib, which is imported when one is asked for."""
import math

import numpy

GOOD, BAD, OTHER = "#1a7f4b", "#c0392b", "#8a8a8a"
MARKERS = "osD^vP<>X*h"


def pyplot():
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib)") from error
    return matplotlib.pyplot


def axes(ax, size=(7, 4.6)):
    if ax is not None:
        return ax
    return pyplot().subplots(figsize=size, constrained_layout=True)[1]


def legend(ax, own):
    """Beside the axes if the figure is our own, else where there is room in them."""
    where = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if own else {"loc": "best"}
    ax.legend(frameon=False, fontsize=9, **where)


def short_number(x):
    """2e-05 and 500000 as powers of ten, 0.05 and 20 as they are."""
    if 1e-3 <= x < 1e4:
        return f"{x:g}"
    mantissa, exponent = f"{x:.0e}".split("e")
    return rf"${mantissa}\times10^{{{int(exponent)}}}$"


def number_ticks(axis, values):
    """Numbers on a logarithmic axis that is too short for powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
    if len(values) and max(values) < 100 * min(values):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda x, _: short_number(x)))
        axis.set_minor_formatter(NullFormatter())


def plain(text):
    """Text in which matplotlib finds no mathematics."""
    return text.replace("$", r"\$")


NAMES = {
    "cpu_seconds": "CPU seconds", "step": "step", "steps": "steps", "error_q": "error of q at the end",
    "error_p": "error of p at the end", "error_lambda": "error of λ at the end", "energy_max_error": "largest energy error",
    "position_max": "largest |g|", "hidden_max": "largest |G H_p|", "evaluations_force": "evaluations of the force",
}


def plot_comparison(comparison, x, y, ax):
    across, up = (numpy.abs(numbers(comparison, name)) for name in (x, y))
    own, ax = ax is None, axes(ax, (8.2, 4.6))
    methods = comparison["method"]
    drawn = []
    for k, method in enumerate(comparison.methods):
        mine = (methods == method) & (across > 0) & (up > 0) & numpy.isfinite(across) & numpy.isfinite(up)
        if not mine.any():
            continue
        order = numpy.argsort(across[mine], kind="stable")
        ax.loglog(across[mine][order], up[mine][order], marker=MARKERS[k % len(MARKERS)], markersize=5, linewidth=1.4,
                  label=plain(method))
        drawn.extend(across[mine])
    if not drawn:
        ax.text(0.5, 0.5, "no run succeeded", ha="center", va="center", transform=ax.transAxes)
        ax.set_xticks([])
        ax.set_yticks([])
    ax.set_xlabel(NAMES.get(x, x))
    ax.set_ylabel(NAMES.get(y, y))
    data = comparison.data
    ax.set_title(plain(f"{data['model']} to t = {float(data['t']):.6g} ({data['precision']})"), loc="left", fontsize=11)
    ax.grid(True, which="major", linewidth=0.5, alpha=0.5)
    if drawn:
        number_ticks(ax.xaxis, drawn)
        legend(ax, own)
    return ax


def numbers(comparison, name):
    """A column of numbers, NaN where runs failed; digits of wider precisions are rounded."""
    if any(row["status"] == "done" for row in comparison.rows):
        comparison[name]  # raises KeyError with the names that there are
    return numpy.array([math.nan if row.get(name) is None else float(row[name]) for row in comparison.rows])


def plot_certificate(certificate, figure):
    series = certificate.series()
    panels = [name for name in ("energy_error", "position", "invariants") if (series[name] is not None and len(series[name]))]
    panels = panels if len(series["t"]) else []
    measured = [claim for claim in certificate.rows
                if claim.get("measured") is not None and claim.get("at_least", claim.get("at_most"))]
    if figure is None:
        height = max(3.2, 0.33 * len(measured) + 1.2, 2.0 * len(panels))
        figure = pyplot().figure(figsize=(11 if panels else 6.5, height), constrained_layout=True)
    grid = figure.add_gridspec(max(1, len(panels)), 2 if panels else 1, width_ratios=[1.15, 1] if panels else None)
    data = certificate.data
    figure.suptitle(plain(f"{data['model']}: {data['method']}, h = {float(data['step']):.6g} ({data['precision']})"), fontsize=11)
    verdicts(figure.add_subplot(grid[:, 0]), measured)
    for k, name in enumerate(panels):
        ax = figure.add_subplot(grid[k, 1])
        draw_series(ax, series, name)
        if k == len(panels) - 1:
            ax.set_xlabel("t")
        else:
            ax.tick_params(labelbottom=False)
    return figure


def verdicts(ax, measured):
    """Each claim by how far it is from its bound, which is the line: on the left of it a claim holds."""
    shown = measured[::-1]
    least = 1e-6  # further away is all the same

    def distance(claim):
        value, bound = claim["measured"], claim.get("at_most", claim.get("at_least"))
        ratio = bound / value if "at_least" in claim and value > 0 else math.inf if "at_least" in claim else value / bound
        return min(max(ratio, least), 1 / least)

    for k, claim in enumerate(shown):
        colour, face, _ = LOOKS[look(claim)]
        x = distance(claim)
        ax.plot([1, x], [k, k], color=colour, linewidth=1.5, alpha=0.6)
        marker = ">" if x == 1 / least else "<" if x == least else "o"  # beyond what is shown
        ax.plot([x], [k], marker, color=colour, markersize=6, markerfacecolor=face)
        text = f"{claim['measured']:.3f}" if "at_least" in claim else f"{claim['measured']:.1e}"
        right = x > 1
        ax.annotate(text, (x, k), xytext=(7 if right else -7, 0), textcoords="offset points", va="center",
                    ha="left" if right else "right", fontsize=8, color=colour)
    if not shown:
        ax.text(0.5, 0.5, "nothing was measured: no step succeeded", ha="center", va="center")
        ax.set_axis_off()
        return
    ax.axvline(1, color="black", linewidth=1)
    ax.set_xscale("log")
    worst = max([distance(claim) for claim in shown] + [1])
    ax.set_xlim(least / 30, min(worst, 1 / least) * 100 if worst > 2 else 10)
    ax.set_ylim(-0.7, len(shown) - 0.3)
    ax.set_yticks(range(len(shown)), [plain(claim["property"]) for claim in shown])
    ax.set_xlabel("measured / bound (orders: bound / measured)")
    ax.grid(True, axis="x", linewidth=0.5, alpha=0.5)
    seen = {look(claim) for claim in shown}
    proxies = [ax.plot([], [], "o", color=colour, markerfacecolor=face, label=text)[0]
               for name, (colour, face, text) in LOOKS.items() if name in seen]
    if proxies:
        ax.legend(handles=proxies, frameon=False, fontsize=9, loc="lower left", ncol=len(proxies), bbox_to_anchor=(-0.02, 1.0),
                  borderaxespad=0.2, handletextpad=0.1, columnspacing=1)


LOOKS = {"holds": (GOOD, GOOD, "holds"), "fails": (BAD, BAD, "fails"), "holds here": (OTHER, OTHER, "not claimed, holds here"),
         "not kept": (OTHER, "white", "not claimed, not kept")}


def look(claim):
    if claim["verdict"] in ("holds", "fails"):
        return claim["verdict"]
    return "holds here" if claim["within_bound"] else "not kept"


def draw_series(ax, series, name):
    t = series["t"]
    if name == "energy_error":
        ax.plot(t, series[name], linewidth=0.9, color="#1f5fa8")
        ax.set_ylabel("H − H(0)")
    elif name == "position":
        for part, label in (("position", "|g|"), ("hidden", "|G H_p|")):
            ax.semilogy(t, numpy.where(series[part] > 0, series[part], math.nan), ".", markersize=2, label=label)
        largest = numpy.nanmax([series["position"], series["hidden"]])
        if largest > 0:
            ax.set_ylim(1e-4 * largest, 30 * largest)
        ax.set_ylabel("residuals")
        ax.legend(frameon=False, fontsize=9, markerscale=4, ncol=2, loc="upper right")
    else:
        for label, error in series["invariants"].items():
            ax.plot(t, error, linewidth=0.9, label=plain(label))
        ax.set_ylabel("I − I(0)")
        legend(ax, own=True)
    ax.grid(True, linewidth=0.5, alpha=0.5)
    if name != "position":
        ax.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))


def plot_recommendation(recommendation, ax):
    own, ax = ax is None, axes(ax, (8.2, 4.6))
    works = []
    data = recommendation.data
    for k, row in enumerate(recommendation.rows):
        runs = sorted((r for r in row["runs"] if r["outcome"] == "done" and r["error"]), key=lambda r: r["steps"])
        works += [r["work"] for r in runs]
        ax.loglog([r["work"] for r in runs], [r["error"] for r in runs], marker=MARKERS[k % len(MARKERS)], markersize=5,
                  linewidth=1.2, label=plain(row["method"]))
    ax.axhline(data["accuracy"], color="black", linewidth=1, linestyle="--")
    ax.annotate("accuracy", (1, data["accuracy"]), xycoords=("axes fraction", "data"), xytext=(-4, 3), textcoords="offset points",
                ha="right", fontsize=9)
    ax.set_xlabel(f"operations of a run to t = {data['search']['window']:.6g}")
    ax.set_ylabel(plain(f"error of {data['quantity']}"))
    ax.set_title(plain(f"{data['model']} until t = {data['t']:.6g}"), loc="left", fontsize=11)
    ax.grid(True, which="major", linewidth=0.5, alpha=0.5)
    if recommendation.rows:
        number_ticks(ax.xaxis, works)
        legend(ax, own)
    return ax


def plot_stability(stability, ax):
    ax = axes(ax)
    t = stability["t"]
    ax.semilogy(t, stability["growth_expected"], linewidth=1.4, label="expected")
    ax.semilogy(t, stability["growth_measured"], "o", markersize=4, label="measured")
    ax.set_xlabel("t")
    ax.set_ylabel("growth of residuals")
    data = stability.data
    ax.set_title(plain(f"{data['model']}, formulation {data['formulation']}"), loc="left", fontsize=11)
    ax.grid(True, linewidth=0.5, alpha=0.5)
    ax.legend(frameon=False, fontsize=9)
    return ax
