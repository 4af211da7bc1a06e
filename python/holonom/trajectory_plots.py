"""Pictures of trajectories, by matplotlib, which is imported when this module is."""
import numpy as np

try:
    import matplotlib.pyplot as plt
    from matplotlib.ticker import ScalarFormatter
except ImportError:
    raise ImportError("plots need matplotlib (Debian: python3-matplotlib)") from None

from . import _core

GRID = {"color": "0.9", "linewidth": 0.8}
MOST_LINES = 6
WORDS = {"position_residual": "largest |g(q)|", "hidden_residual": "largest |G(q) H_p|"}


def axes(ax, width=6.4, height=3.8):
    """Those that are given, or new ones; with a light grid."""
    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    ax.grid(True, **GRID)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def label(trajectory, name):
    """x [m]"""
    unit = trajectory.unit(name)
    return WORDS.get(name, name) + (f" [{unit}]" if unit else "")


def title(ax, trajectory, more=""):
    ax.set_title(f"{trajectory.model}, {trajectory.method}, h = {trajectory.h:.4g}{more}", fontsize="medium", loc="left")


def _column(trajectory, name):
    values = trajectory[name]
    if values.ndim != 1:
        raise _core.InputError(f"plot: {name} has {values[0].size} columns; take one of them, such as "
                               f"{next((n for n in trajectory.names if n.startswith(name + '[')), name)!r}")
    return values


def _one_label(trajectory, names):
    units = {trajectory.unit(name) for name in names}
    if len(names) == 1:
        return label(trajectory, names[0])
    unit = units.pop() if len(units) == 1 else ""
    words = [WORDS.get(name, name) for name in names]
    listed = ", ".join(words) if len(words) <= 4 else ", ".join(words[:3]) + ", ..."
    return listed + (f" [{unit}]" if unit else "")


def default_names(trajectory):
    """Coordinates; of a field the variables of both parts."""
    about = trajectory._about
    return about["coordinates"] + (about["momenta"] if about["is_field"] else [])


def powers_of_ten(axis):
    """Small and large numbers share a factor, such as ×10⁻⁸, above the axis."""
    shared = ScalarFormatter(useMathText=True)
    shared.set_powerlimits((-2, 4))
    axis.set_major_formatter(shared)


def columns(trajectory, names, against, ax, style):
    all_names = list(names) or default_names(trajectory)
    names = all_names if names else all_names[:MOST_LINES]
    drawn = [(name, _column(trajectory, name)) for name in names]
    across = _column(trajectory, against)
    ax = axes(ax)
    units = {trajectory.unit(name) for name in names}
    for name, values in drawn:
        shown = label(trajectory, name) if len(units) > 1 or name in WORDS else name
        ax.plot(across, values, **{"linewidth": 1.2, "label": shown, **style})
    ax.set_xlabel(label(trajectory, against))
    ax.set_ylabel(_one_label(trajectory, names))
    if against == "t" and len(across) > 1:
        ax.set_xlim(min(across[0], across[-1]), max(across[0], across[-1]))
    elif len(names) == 1 and trajectory.unit(against) == trajectory.unit(names[0]) and _are_positions(trajectory, against, names):
        ax.set_aspect("equal", adjustable="datalim")
    if len(names) > 1:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    powers_of_ten(ax.yaxis)
    title(ax, trajectory, "" if len(names) == len(all_names) else f" ({len(names)} of {len(all_names)} columns)")
    return ax


def _are_positions(trajectory, against, names):
    return all(n in trajectory._about["index"]["coordinates"] for n in [against, *names])


def energy(trajectory, relative, ax, style):
    values = trajectory.energy
    if values is None:
        raise _core.InputError("plot_energy: this field has no energy")
    if len(values) == 0:
        raise _core.InputError("plot_energy: there are no rows")
    error = values - values[0]
    if relative:
        if values[0] == 0:
            raise _core.InputError("plot_energy: the energy at the start is zero, so that no error is relative to it")
        error = error / abs(values[0])
    ax = axes(ax)
    ax.plot(trajectory.t, error, **{"linewidth": 1.0, **style})
    powers_of_ten(ax.yaxis)
    ax.set_xlabel(label(trajectory, "t"))
    unit = trajectory.unit("energy")
    ax.set_ylabel("(H \N{MINUS SIGN} H₀)/|H₀|" if relative else "H \N{MINUS SIGN} H₀" + (f" [{unit}]" if unit else ""))
    if len(values) > 1:
        ax.set_xlim(min(trajectory.t[0], trajectory.t[-1]), max(trajectory.t[0], trajectory.t[-1]))
    title(ax, trajectory)
    return ax


def section(trajectory, x, y, event, direction, ax, style):
    events = trajectory.events
    if event is not None:
        events = events.of(event, direction)
    elif direction is not None:
        events = _of_direction(events, direction)
    use_events = event is not None or len(events) > 0
    source = events if use_events else trajectory
    if use_events and len(source) == 0:
        raise _core.InputError(f"plot_section: the event {event!r} did not happen")
    x, y = _pair(trajectory, x, y)
    ax = axes(ax, 5.0, 4.6)
    points = {"linestyle": "none", "marker": ".", "markersize": 4, "markeredgewidth": 0}
    ax.plot(_column(source, x), _column(source, y), **{**points, **style})
    ax.set_xlabel(label(trajectory, x))
    ax.set_ylabel(label(trajectory, y))
    title(ax, trajectory)
    if use_events:
        names = [event] if event else list(dict.fromkeys(events.name))
        ax.set_title(f"{trajectory.model}, {trajectory.method}\nat {', '.join(names)} = 0", fontsize="medium", loc="left")
    return ax


def _of_direction(events, direction):
    from .trajectory import Events
    return Events(events._data, events._about, np.flatnonzero(events.direction == direction))


def _pair(trajectory, x, y):
    """The columns of a section: as given, or the last coordinate and its momentum."""
    about = trajectory._about
    if x is None:
        x = (about["coordinates"] or about["momenta"])[-1]
    if y is None:
        y = "p_" + x if "p_" + x in about["index"]["momenta"] else (about["momenta"] or about["coordinates"])[-1]
    return x, y
