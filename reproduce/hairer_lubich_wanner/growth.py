"""How quantities grow with steps and times: slopes of logarithms, and errors against another run."""

import numpy as np


def slope(x, y):
    """The exponent e of y = c x^e, by least squares on logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def halvings(values):
    """Orders from values at steps that are halved each time."""
    return [float(np.log2(coarse / fine)) for coarse, fine in zip(values, values[1:])]


def states(answer, names):
    """Recorded states, one row for each name."""
    return np.array([answer[name] for name in names])


def distance(one, other):
    return np.linalg.norm(one - other, axis=0)


def largest_until(times, values, ends):
    """The largest value within (T/2, T] for each T: the envelope of what oscillates and grows."""
    return [float(values[(times > end / 2) & (times <= end * (1 + 1e-9))].max()) for end in ends]


def thin(columns, most=1000):
    """Columns with at most so many rows, evenly spread."""
    rows = min(len(column) for column in columns.values())
    kept = np.unique(np.linspace(0, rows - 1, min(rows, most)).astype(int))
    return {name: np.asarray(column)[kept] for name, column in columns.items()}
