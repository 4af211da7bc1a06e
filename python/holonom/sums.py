"""Sums and stacks: a kernel, traced once, over the rows of a table."""
import inspect

import numpy as np

from ._core import InputError
from .arguments import refuse_masked
from .vectors import object_array


def add_term(model, role, name, table, kernel, columns, fast=False):
    """Calls the kernel with index variables, and with variables for the columns by name, and adds the formula."""
    table = _index_table(model, table)
    rows = table.shape[0]
    variables = [model._builder.row_variable(argument) for argument in _argument_names(kernel, table.shape[1])]
    data = list(table.T)
    indices, values = list(variables), {}
    for column_name, column in columns.items():
        parts = _column(model, column_name, column, rows)
        own = [model._builder.row_variable(column_name if parts.ndim == 1 else f"{column_name}{k}")
               for k in range(1 if parts.ndim == 1 else parts.shape[1])]
        values[column_name] = own[0] if parts.ndim == 1 else object_array(own, (len(own),))
        variables += own
        data += [parts] if parts.ndim == 1 else list(parts.T)
    for variable, column in zip(variables, data):
        _refuse_wrapping(model, repr(variable), column)
    result = kernel(*indices, **values)
    if isinstance(result, np.ndarray) and result.ndim == 0:
        result = result.item()
    model._builder.term(role, name, fast, rows, variables, data, result)


def _index_table(model, table):
    refuse_masked(table, f"{model.name}: the table")
    table = np.asarray(table)
    if table.ndim == 1:
        table = table[:, np.newaxis]
    if table.ndim != 2 or (table.size and table.dtype.kind not in "iu"):
        raise InputError(f"{model.name}: a table is an array of whole numbers of shape (rows,) or (rows, columns), not "
                         f"{table.dtype} of shape {table.shape}; per-row numbers are given by name, as in "
                         "sum(table, kernel, k=values)")
    return table


def _column(model, name, column, rows):
    refuse_masked(column, f"{model.name}: the column '{name}'")
    column = np.asarray(column)
    if column.dtype.kind not in "iuf":
        raise InputError(f"{model.name}: the column '{name}' needs numbers, not {column.dtype}")
    if column.ndim not in (1, 2) or column.shape[0] != rows:
        raise InputError(f"{model.name}: the column '{name}' needs one value for each of the {rows} rows, not an array of "
                         f"shape {column.shape}")
    return column


def _refuse_wrapping(model, name, column):
    """Numbers without a sign that numpy would make negative ones of."""
    if column.dtype.kind == "u" and column.size and column.max() > np.iinfo(np.int64).max:
        row = int(np.argmax(column > np.iinfo(np.int64).max))
        raise InputError(f"{model.name}: row {row} of the column '{name}' is {column[row]}, beyond the range of an index")


def _argument_names(kernel, count):
    """What the index variables are called in messages: as the kernel calls them."""
    try:
        names = list(inspect.signature(kernel).parameters)[:count]
    except (TypeError, ValueError):
        names = []
    return names if len(names) == count else [f"column{k}" for k in range(count)]
