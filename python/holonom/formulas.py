"""Formulas of expressions, numbers and arrays of both: choices, and vectors."""
import numpy as np

from . import _core, numpy_functions  # noqa: F401 (what numpy's functions do with expressions)
from ._core import Expr
from .arguments import whole_number


def _by_elements(function, plain, *values):
    """function of expressions, plain of numbers; for arrays element by element."""
    arrays = [np.asarray(x) for x in values]
    if all(x.dtype != object for x in arrays):
        return plain(*values)
    if all(x.ndim == 0 for x in arrays):
        return function(*values) if any(isinstance(x, Expr) for x in values) else plain(*values)
    return np.frompyfunc(lambda *x: _by_elements(function, plain, *x), len(values), 1)(*values)


def where(condition, yes, no):
    """`yes` where the condition holds (is not zero), otherwise `no`; for arrays element by element."""
    return _by_elements(_core.where, np.where, condition, yes, no)


def minimum(a, b):
    """The smaller of a and b; for arrays element by element."""
    return _by_elements(_core.minimum, np.minimum, a, b)


def maximum(a, b):
    """The larger of a and b; for arrays element by element."""
    return _by_elements(_core.maximum, np.maximum, a, b)


def _vectors(function, *vectors):
    arrays = [np.asarray(u) for u in vectors]
    if any(u.ndim != 1 or u.shape != arrays[0].shape or u.size == 0 for u in arrays):
        shapes = " and ".join(str(u.shape) for u in arrays)
        raise _core.InputError(f"{function} needs vectors of one size, not shapes {shapes}")
    # Squares of narrow numbers overflow
    return [u.astype(np.result_type(u, np.float64)) if u.dtype.kind in "biuf" else u for u in arrays]


def dot(u, v):
    """u·v = Σ u_i v_i of two vectors of one size."""
    u, v = _vectors("dot", u, v)
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:]):
        total = total + a * b
    return total


def norm(u):
    """|u| = sqrt(u·u) of a vector."""
    return np.sqrt(dot(u, u))


def cross(u, v):
    """u × v of two vectors with three components."""
    u, v = _vectors("cross", u, v)
    if u.size != 3:
        raise _core.InputError(f"cross needs vectors of three components, not {u.size}")
    return np.array([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])


def pairs(count, beyond=0):
    """All pairs i < j of `count` items with j − i > beyond, an array of shape (rows, 2): a table for sums."""
    i, j = np.triu_indices(whole_number(count, "count"), 1 + whole_number(beyond, "beyond"))
    return np.stack([i, j], axis=1)
