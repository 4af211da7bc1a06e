"""What model.mass accepts: numbers, formulas, matrices, and masses of many items."""
import numpy as np

from ._core import InputError
from .arguments import plain_array, refuse_masked


def set_mass(model, mass):
    if isinstance(mass, dict):
        return _set_by_name(model, mass)
    if hasattr(mass, "tocoo"):
        return _set_sparse(model, mass.tocoo())
    named, vectors, n = model.coordinate_names, model.vector_shapes, model.n
    mass = plain_array(mass, f"{model.name}: mass")
    if mass.ndim == 0:
        return model._builder.set_mass([mass.item()] * len(named), [mass.item()] * len(vectors))
    if mass.shape not in ((n,), (n, n)):
        raise InputError(f"{model.name}: mass needs one number for each of the {n} coordinates, or a matrix of {n} rows, "
                         f"not an array of shape {mass.shape}")
    if not vectors:
        return model._builder.set_mass(mass.ravel().tolist(), [])
    if mass.ndim == 1:
        return _set_diagonal(model, mass)
    rows, columns = np.nonzero(mass)
    _set_entries(model, rows, columns, mass[rows, columns])


def _set_by_name(model, masses):
    named, vectors = model.coordinate_names, model.vector_shapes
    for name in masses:
        if name not in named and name not in vectors:
            raise InputError(f"{model.name}: mass names '{name}', which is no coordinate")
    for name in [*named, *vectors]:
        if name not in masses:
            raise InputError(f"{model.name}: mass has no entry for '{name}'")
    for name, mass in masses.items():
        refuse_masked(mass, f"{model.name}: the mass of '{name}'")
    masses = {name: mass(model._builder.item_number(name)) if callable(mass) else mass for name, mass in masses.items()}
    if all(np.ndim(masses[name]) == 0 for name in vectors):
        return model._builder.set_mass([masses[name] for name in named], [masses[name] for name in vectors])
    parts = [np.asarray([masses[name] for name in named], dtype=object)] if named else []
    for name, (count, dim) in vectors.items():
        items = plain_array(masses[name], f"{model.name}: the mass of '{name}'")
        if items.ndim and items.shape != (count,):
            raise InputError(f"{model.name}: the mass of '{name}' is one number, or one for each of the {count} items, "
                             f"not an array of shape {items.shape}")
        parts.append(np.repeat(np.broadcast_to(items, (count,)), dim))
    _set_diagonal(model, np.concatenate(parts))


def _set_diagonal(model, mass):
    index = np.arange(mass.size)
    _set_lower_triangle(model, index, index, _numbers(model, mass))


def _set_sparse(model, matrix):
    if matrix.shape != (model.n, model.n):
        raise InputError(f"{model.name}: mass needs a matrix of {model.n} rows, not of shape {matrix.shape}")
    matrix.sum_duplicates()
    _set_entries(model, matrix.row, matrix.col, matrix.data)


def _set_entries(model, rows, columns, values):
    values = _numbers(model, values)
    rows, columns = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    lower, upper = rows >= columns, rows <= columns
    order = np.lexsort((columns[lower], rows[lower]))
    mirrored = np.lexsort((rows[upper], columns[upper]))
    triangle = [x[lower][order] for x in (rows, columns, values)]
    if not all(np.array_equal(a, b[upper][mirrored]) for a, b in zip(triangle, (columns, rows, values))):
        raise InputError(f"{model.name}: the mass matrix is not symmetric")
    _set_lower_triangle(model, *triangle)


def _numbers(model, values):
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{model.name}: these masses must be numbers, not formulas") from None


def _set_lower_triangle(model, rows, columns, values):
    """Entries on and below the diagonal, row by row."""
    diagonal = np.zeros(model.n)
    diagonal[rows[rows == columns]] = values[rows == columns]
    if not np.all(diagonal > 0):
        where = int(np.argmin(diagonal > 0))
        raise InputError(f"{model.name}: the mass of coordinate {where} is {diagonal[where]}; a mass must be a positive "
                         "number")
    model._builder.set_mass_table(rows, columns, values)
