"""Results as tables: rows as dictionaries, columns as numpy arrays, text as the program prints it, HTML in notebooks."""
import copyreg
import html
import json
import math

import numpy

from . import _core


def flat(row, prefix=""):
    """A row without dictionaries in it: {"error": {"q": 1}} becomes {"error_q": 1}."""
    cells = {}
    for key, value in row.items():
        if isinstance(value, dict):
            cells.update(flat(value, f"{prefix}{key}_"))
        else:
            cells[prefix + key] = value
    return cells


def columns_of(rows):
    """The names of all columns, in the order in which rows have them."""
    names = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    return list(names)


def column(rows, name):
    """A numpy array: of floats with NaN where there is none, of integers, of booleans, or of objects."""
    values = [row.get(name) for row in rows]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        whole = bool
    elif kinds <= {int}:
        whole = int
    elif kinds <= {int, float}:
        whole = float
    else:
        return numpy.array(values, dtype=object)
    if None not in values:
        return numpy.array(values, dtype=whole)
    return numpy.array([math.nan if value is None else value for value in values], dtype=float)


def html_table(head, rows, caption=""):
    """An HTML table. Everything is text: names in a model are no markup."""
    def cells(tag, row):
        styles = ("text-align: left; padding: 2px 12px 2px 0" + ("" if len(str(cell)) > 40 else "; white-space: nowrap") for cell in row)
        return "".join(f"<{tag} style='{style}'>{html.escape(str(cell))}</{tag}>" for style, cell in zip(styles, row))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    title = f"<caption style='text-align: left'>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def digits(x, form=".2e"):
    """A number for a cell of a table; nothing where there is none."""
    return "" if x is None or (isinstance(x, float) and not math.isfinite(x)) else format(x, form)


class Kept:
    """What the library found, as pickles and deep copies have it: without the runs behind it."""

    def __init__(self, json_text, text, warnings):
        self.json, self.text, self.warnings = json_text, text, warnings

    def page(self):
        """Not there any more."""
        raise _core.InputError("this result was pickled or copied: it has its numbers, and not the runs behind them; make it again to see them")

    series = page


for _kind in (_core.Result, _core.CertificateResult, _core.ComparisonResult):
    copyreg.pickle(_kind, lambda found: (Kept, (found.json, found.text, found.warnings)))


class Result:
    """What the library found.

    ``data`` is what the program prints with ``--json``, as dictionaries and lists; ``warnings`` what should be known of
    it. Printed, it is the program's text.
    """

    def __init__(self, found):
        self._found = found
        self.data = json.loads(found.json)
        self.warnings = list(found.warnings)

    def __repr__(self):
        return self._found.text.rstrip("\n")

    def _repr_html_(self):
        return f"<pre>{html.escape(repr(self))}</pre>"


class Table(Result):
    """A result with rows.

    It is a sequence of rows, which are dictionaries; ``table["name"]`` is a column as a numpy array, with NaN where a
    row has no number.
    """

    def __init__(self, found, rows):
        super().__init__(found)
        self.rows = [flat(row) for row in rows(self.data)]

    @property
    def columns(self):
        """The names of the columns."""
        return columns_of(self.rows)

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, key):
        if not isinstance(key, str):
            return self.rows[key]
        if key not in self.columns:
            raise KeyError(f"there is no column {key!r}; there are {', '.join(self.columns)}")
        return column(self.rows, key)

    def to_pandas(self):
        """The rows as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas (Debian: python3-pandas); .rows is the same as dictionaries") from error
        return pandas.DataFrame({name: self[name] for name in self.columns})
