"""Trajectory: the recorded states of a run as numpy arrays."""
import os

import numpy as np

from . import _core
from .attributes import FixedAttributes


class _States(FixedAttributes):
    """Tables of states with names: what trajectories and lists of events have in common."""

    def __init__(self, table, texts, about):
        self._table, self._texts, self._about = table, texts, about

    # ---- tables

    @property
    def t(self):
        """Times."""
        return self._table("t")

    @property
    def q(self):
        """Positions, (rows, n)."""
        return self._table("q")

    @property
    def p(self):
        """Momenta, (rows, n)."""
        return self._table("p")

    @property
    def energy(self):
        """H(q, p), (rows,); None of a field that has no energy."""
        return self._table("energy") if self._about["has_energy"] else None

    @property
    def position_residual(self):
        """The largest |g(q)|, (rows,)."""
        return self._table("position_residual")

    @property
    def hidden_residual(self):
        """The largest |G(q) H_p|, (rows,)."""
        return self._table("hidden_residual")

    @property
    def multipliers(self):
        """λ by constraint, p' = -H_q - G(q)^T λ: {name: (rows,)}, of a stack of constraints (rows, count)."""
        return self._columns("lambda", "constraints", "stacks")

    @property
    def invariants(self):
        """Values of the invariants, {name: (rows,)}."""
        return self._columns("invariants", "invariants")

    @property
    def observables(self):
        """Values of the observables, {name: (rows,)}."""
        return self._columns("observed", "observables")

    def _columns(self, table, names, stacks=None):
        values = self._table(table)
        columns, within = {}, set()
        for name, first, rows in self._about[stacks] if stacks else []:
            if rows:
                columns[name] = values[:, first:first + rows]
                within.update(range(first, first + rows))
        return {**{name: values[:, i] for i, name in enumerate(self._about[names]) if i not in within}, **columns}

    # ---- by name

    def _place(self, name):
        """(table, column) of a name."""
        if name in ("t", "energy", "position_residual", "hidden_residual"):
            return name, 0
        a = self._about
        for table, names, prefix in (("q", "coordinates", ""), ("p", "momenta", ""), ("lambda", "constraints", "lambda_"),
                                     ("invariants", "invariants", ""), ("observed", "observables", "")):
            if name.startswith(prefix) and name[len(prefix):] in a["index"][names]:
                return table, a["index"][names][name[len(prefix):]]
        return None

    def __getitem__(self, name):
        """A column by its name: t, x, p_x, lambda_rod, energy, an invariant, an observable; r and p_r of a vector
        coordinate as (rows, count, dim); lambda_link of a stack of constraints as (rows, count)."""
        if not isinstance(name, str):
            raise TypeError(f"a name was expected, not {name!r}; arrays such as trajectory.q have rows")
        place = self._place(name)
        if place:
            values = self._table(place[0])
            return values if values.ndim == 1 else values[:, place[1]]
        for vector, count, dim, offset in self._about["vectors"]:
            for word, table in ((vector, "q"), ("p_" + vector, "p")):
                if name == word:
                    values = self._table(table)[:, offset:offset + count * dim]
                    return values.reshape(len(values), count, dim)
        for stack, first, rows in self._about["stacks"]:
            if rows and name == "lambda_" + stack:
                return self._table("lambda")[:, first:first + rows]
        import difflib
        near = difflib.get_close_matches(name, self.names, n=1)
        raise KeyError(f"there is no column {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))

    def __getattr__(self, name):
        if not name.startswith("_"):
            try:
                return self[name]
            except KeyError as e:
                raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}, and " + e.args[0]) from None
        raise AttributeError(name)

    def __contains__(self, name):
        try:
            self[name]
        except (KeyError, TypeError):
            return False
        return True

    @property
    def names(self):
        """All columns, in the order of a CSV file."""
        a = self._about
        return (["t"] + a["coordinates"] + a["momenta"] + ["lambda_" + c for c in a["constraints"]]
                + (["energy"] if a["has_energy"] else []) + ["position_residual", "hidden_residual"]
                + a["invariants"] + a["observables"])

    def unit(self, name):
        """The unit of a column, as the model gives it; "" if it gives none."""
        units, place = self._about["units"], self._place(name)
        if place is None:
            return next((self.unit(n) for n in self.names if n.startswith(name + "[")), "")
        if place[0] in ("t", "energy"):
            return units[place[0]]
        table = {"q": "coordinates", "p": "momenta", "lambda": "constraints", "invariants": "invariants",
                 "observed": "observables"}.get(place[0])
        return units[table][place[1]] if table else ""

    def text(self, name):
        """All digits of a column, as texts: in wide precisions arrays are rounded to double."""
        place = self._place(name)
        if place is None:
            self[name]  # raises, with the nearest name
            raise KeyError(f"{name} has more than one column; take one of its parts, such as {name}[0].x")
        return self._texts(*place)

    def mp(self, name):
        """The same as numbers of mpmath, in its present precision."""
        from .options import need_mpmath
        mpf = need_mpmath().mpf
        return [mpf(x) for x in self.text(name)]

    def __len__(self):
        return len(self.t)

    def _frame(self):
        return {name: self[name] for name in self.names}


class Events(_States):
    """The events of a run, in the order of time: t, q, p and all other columns at these moments.

    name, direction: of each event, arrays of texts; direction is "up" or "down". events.of("section"): those of one name.
    """

    def __init__(self, data, about, chosen=None):
        self._data, self._chosen = data, chosen
        super().__init__(self._event_table, self._event_texts, about)

    def _event_table(self, name):
        values = self._data.event_table(name)
        return values if self._chosen is None else values[self._chosen]

    def _event_texts(self, name, column):
        texts = self._data.event_texts(name, column)
        return texts if self._chosen is None else [texts[i] for i in self._chosen]

    def __reduce__(self):
        return Events, (self._data, self._about, self._chosen)

    @property
    def name(self):
        """The name of each event."""
        names = np.array(self._about["event_names"] or [""])
        return names[self._event_table("which")]

    @property
    def direction(self):
        """"up" or "down" for each event."""
        return np.where(self._event_table("up") == 1, "up", "down")

    def of(self, name, direction=None):
        """Those of one name, and of one direction."""
        known = self._about["event_names"]
        if name not in known:
            raise KeyError(f"there is no event {name!r}" + (f"; events: {', '.join(known)}" if known else ""))
        chosen = self.name == name
        if direction is not None:
            chosen &= self.direction == direction
        indices = np.flatnonzero(chosen)
        return Events(self._data, self._about, indices if self._chosen is None else self._chosen[indices])

    def __repr__(self):
        counts = ", ".join(f"{n}: {int(np.sum(self.name == n))}" for n in self._about["event_names"])
        return f"<holonom.Events {counts or 'none'}>"

    def to_pandas(self):
        """A pandas.DataFrame, one row an event."""
        return _pandas().DataFrame({"event": self.name, "direction": self.direction, **self._frame()})


class Trajectory(_States):
    """The recorded states of a run. Arrays show the memory in which the run has put them, and are read-only.

    t (rows,), q and p (rows, n), energy, position_residual, hidden_residual (rows,); multipliers, invariants, observables
    by name; trajectory["x"], trajectory["p_x"], trajectory["lambda_rod"]: single columns; trajectory.r and
    trajectory["p_r"]: vector coordinates, (rows, count, dim); events: an Events.
    """

    def __init__(self, data):
        self._data = data
        about = data.description()
        about["index"] = {k: {name: i for i, name in enumerate(about[k])}
                          for k in ("coordinates", "momenta", "constraints", "invariants", "observables")}
        super().__init__(data.table, data.texts, about)

    def __getstate__(self):
        return self._data

    def __setstate__(self, data):
        self.__init__(data)

    @property
    def step(self):
        """The number of the step of each row; of an interpolated one, that of the step before it."""
        return self._data.table("step")

    @property
    def interpolated(self):
        """Whether a row lies between two steps (with sample=)."""
        return self._data.table("interpolated").astype(bool)

    @property
    def events(self):
        """The events that were found; files of states do not have them."""
        return Events(self._data, self._about)

    @property
    def stopped(self):
        """The name of the event that ended the run (stop_at=), or None."""
        i = self._data.stopped
        return None if i < 0 else str(self.events.name[i])

    @property
    def model(self):
        """The name of the model."""
        return self._about["model"]

    @property
    def method(self):
        """The key of the method."""
        return self._about["method"]

    @property
    def h(self):
        """The step."""
        return float(self._about["step"])

    @property
    def parameters(self):
        """The parameters of the model, by name."""
        return {name: float(value) for name, value in self._about["parameters"].items()}

    @property
    def about(self):
        """What was run: model, method, formulation, engine, precision, step (all digits), sample, parameters."""
        return {k: self._about[k] for k in ("model", "method", "formulation", "engine", "precision", "step", "sample",
                                            "parameters")}

    def __repr__(self):
        rows = len(self)
        span = f", t = {self.t[0]:g} to {self.t[-1]:g}" if rows else ""
        return f"<holonom.Trajectory of {self.model} by {self.method}: {rows} rows{span}>"

    # ---- elsewhere

    def to_pandas(self):
        """A pandas.DataFrame with all columns."""
        return _pandas().DataFrame(self._frame())

    def to_xarray(self):
        """An xarray.Dataset over t, with units as attributes; vector coordinates keep their axes."""
        try:
            import xarray
        except ImportError:
            raise ImportError("to_xarray() needs xarray (Debian: python3-xarray)") from None
        variables = {}
        for vector, _, _, _ in self._about["vectors"]:
            for name in (vector, "p_" + vector):
                variables[name] = (("t", vector + "_item", vector + "_axis"), self[name], {"units": self.unit(name)})
        for name in self.names[1:]:
            if "[" not in name:
                variables[name] = (("t",), self[name], {"units": self.unit(name)})
        for stack, _, rows in self._about["stacks"]:
            if rows:
                name = "lambda_" + stack
                variables[name] = (("t", stack + "_item"), self[name], {"units": self.unit(name)})
        about = {k: str(v) for k, v in self.about.items() if k != "parameters"}
        return xarray.Dataset(variables, coords={"t": ("t", self.t, {"units": self.unit("t")})}, attrs=about)

    def save(self, path, *, force=False):
        """Writes a file as `holonom run --out` does: .h5 (docs/hdf5.md) or .csv. Events are not in it."""
        self._data.save(os.fspath(path), bool(force))

    @classmethod
    def load(cls, path):
        """Reads an HDF5 file of a run, by save() or by the program, with all digits that it has."""
        return cls(_core.TrajectoryData.load(os.fspath(path)))

    # ---- pictures

    def plot(self, *columns, against="t", ax=None, **style):
        """Columns against t; without a choice the coordinates, at most six of them. Returns the axes of matplotlib."""
        from . import trajectory_plots
        return trajectory_plots.columns(self, columns, against, ax, style)

    def plot_energy(self, *, relative=False, ax=None, **style):
        """The error of the energy, H(t) - H(0), against t; relative: divided by |H(0)|."""
        from . import trajectory_plots
        return trajectory_plots.energy(self, relative, ax, style)

    def plot_section(self, x=None, y=None, *, event=None, direction=None, ax=None, **style):
        """Two columns at the moments of events, as points (a Poincare section); without events, at all rows."""
        from . import trajectory_plots
        return trajectory_plots.section(self, x, y, event, direction, ax, style)

    def view(self, out=None, **options):
        """A page that shows the motion and its plots: in a notebook, or written to the file `out`. See `holonom.view`."""
        from .pages import view
        return view(self, out, **options)


def _pandas():
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas() needs pandas (Debian: python3-pandas)") from None
    return pandas
