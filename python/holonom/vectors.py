"""Vector coordinates, and arrays of expressions."""
import numpy as np

from ._core import Expr


class Vector:
    """Items of a vector coordinate, or of its momenta or velocities: r[i] is an array of dim expressions.

    i is a number, -1 for the last item, or a formula of the index variables of a sum or a stack: r[i + 1]. Multipliers
    of a stack of constraints are numbers: the i-th one is one expression.
    """

    def __init__(self, model, name, count, dim):
        self._model, self.name, self.count, self.dim = model, name, count, dim

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if isinstance(index, (slice, np.ndarray, list, tuple)):
            raise TypeError(f"{self.name}[...] takes one index; for many items use a sum or a stack over a table")
        if not isinstance(index, (Expr, str)):
            try:
                index = index.__index__()
            except AttributeError:
                raise TypeError(f"an index of {self.name} must be a whole number or an index variable, "
                                f"not {index!r}") from None
            if not -self.count <= index < self.count:
                raise IndexError(f"{self.name}[{index}]: {self.name} has the items 0 to {self.count - 1}")
            index %= self.count
        components = self._model._builder.gather(self.name, index)
        return components[0] if self.dim == 0 else object_array(components, (self.dim,))

    def __repr__(self):
        return f"<Vector {self.name}: {self.count} items of {max(self.dim, 1)} components>"


def object_array(values, shape):
    """An array of objects, also of such that numpy would take apart."""
    result = np.empty(len(values), dtype=object)
    for i, x in enumerate(values):
        result[i] = x
    return result.reshape(shape)


def words(names):
    """Names from "x y", "x, y" or a list."""
    if isinstance(names, str):
        return names.replace(",", " ").split()
    try:
        return list(names)
    except TypeError:
        raise TypeError(f"names were expected, not {type(names).__name__}") from None


def name_of(x):
    """The name of a variable that is given by itself or by its name."""
    return repr(x) if isinstance(x, Expr) else x.name if isinstance(x, Vector) else str(x)
