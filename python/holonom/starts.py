"""What model.start accepts: values by name, arrays in the order of q, arrays and formulas of items."""
import numpy as np

from ._core import Expr, InputError
from .arguments import number_array, plain_array
from .vectors import name_of


def by_name(model, values, names, what, missing=None):
    """Values in the order of names, from a dictionary by name or expression, or a sequence."""
    if not isinstance(values, dict):
        values = list(values)
        if len(values) != len(names):
            raise InputError(f"{model.name}: {what} needs {len(names)} values, not {len(values)}")
        return values
    values = {name_of(key): value for key, value in values.items()}
    for name in values:
        if name not in names:
            raise InputError(f"{model.name}: {what} names '{name}'; it takes {', '.join(names)}")
    for name in names:
        if name not in values and missing is None:
            raise InputError(f"{model.name}: {what} has no value for '{name}'")
    return [values.get(name, missing) for name in names]


def split(model, values, what, missing=None):
    """Values for the coordinates with names, and for each vector an array (count, dim), or a function of the item."""
    named, vectors = model.coordinate_names, model.vector_shapes
    if values is None:
        return [0] * len(named), {name: np.empty(0) for name in vectors}
    if not isinstance(values, dict):
        return _split_array(model, values, what)
    values = {name_of(key): value for key, value in values.items()}
    items = {}
    for name, shape in vectors.items():
        if name not in values and missing is None:
            raise InputError(f"{model.name}: {what} has no values for '{name}'")
        items[name] = values.pop(name, np.empty(0))
        if callable(items[name]):
            continue
        items[name] = _numbers(model, items[name], f"{what} of '{name}'")
        if items[name].size and items[name].shape != shape:
            raise InputError(f"{model.name}: {what} of '{name}' needs an array of shape {shape}, not {items[name].shape}")
    return by_name(model, values, named, what, missing), items


def _split_array(model, values, what):
    named, vectors = model.coordinate_names, model.vector_shapes
    values = plain_array(values, f"{model.name}: {what}")
    if not named and len(vectors) == 1 and values.shape == next(iter(vectors.values())):
        values = values.reshape(-1)
    if values.shape != (model.n,):
        raise InputError(f"{model.name}: {what} needs {model.n} numbers, one for each coordinate, not an array of shape "
                         f"{values.shape}")
    at, items = len(named), {}
    for name, (count, dim) in vectors.items():
        items[name] = _numbers(model, values[at:at + count * dim].reshape(count, dim), f"{what} of '{name}'")
        at += count * dim
    return values[:len(named)].tolist(), items


def _numbers(model, values, what):
    """An array of doubles; where one of the numbers has more digits than these, of objects."""
    if isinstance(values, str):
        raise InputError(f"{model.name}: {what} needs an array of numbers, not text")
    values = plain_array(values, f"{model.name}: {what}")
    objects = list(values.flat) if values.dtype.kind == "O" else ()
    if any(isinstance(x, Expr) for x in objects):
        return values
    if values.dtype == np.longdouble or values.dtype.kind in "iuU" or not all(isinstance(x, float) for x in objects):
        exact = number_array(values, f"{model.name}: {what}")
        return exact if isinstance(exact, np.ndarray) else np.array(exact, dtype=object).reshape(values.shape)
    values = values.astype(float)
    if not np.isfinite(values).all():
        item = int(np.argwhere(~np.isfinite(values))[0][0])
        raise InputError(f"{model.name}: {what} is not finite, first in item {item}")
    return values
