"""Model: a mechanical system as expressions, from text or from Python."""
import os

import numpy as np

from . import _core
from ._core import Expr, InputError
from .arguments import formula_text, number_table, whole_number, word
from .attributes import FixedAttributes
from .masses import set_mass
from .starts import by_name, split
from .sums import add_term
from .vectors import Vector, name_of, object_array, words


def _overrides(values):
    """The values of `set` as texts; those of a vector in brackets."""
    def text(value, what):
        if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
            return "[" + ", ".join(text(x, what) for x in value) + "]"
        return formula_text(value.item() if isinstance(value, np.ndarray) else value, what)

    return [(str(name), text(value, f"set {name}")) for name, value in dict(values or {}).items()]


class Model(FixedAttributes, _core.Model):
    """A mechanical system with holonomic constraints, q' = H_p, p' = −H_q − Gᵀλ, g(q) = 0, as expressions.

    Coordinates first, then the energy in one of its forms, constraints, and the start:

        model = Model("pendulum")
        x, y = model.coordinates("x y")
        model.mass = [1, 1]
        model.potential = 9.81*y
        model.constrain("rod", x**2 + y**2 - 1)
        model.start({"x": 1, "y": 0})

    Wherever a formula is expected, an expression, a number, or text in the language of model files will do. Mistakes are
    InputErrors that say what to do. `Model.load` and `Model.parse` read model files.
    """

    def __init__(self, name="model"):
        super().__init__(word(name, "name"))
        self._builder = _core.Builder(self)
        self._compiled = None

    @classmethod
    def _made_by(cls, fill):
        model = cls.__new__(cls)
        _core.Model.__init__(model)
        fill(model)
        model._builder = _core.Builder(model)
        model._compiled = None
        return model

    @classmethod
    def load(cls, path, set=None):
        """Reads a model file. `set` replaces parameters: {"N": 100, "L": "1/3"}."""
        overrides = _overrides(set)
        return cls._made_by(lambda model: model._read_file(os.fspath(path), overrides))

    @classmethod
    def parse(cls, text, set=None, name="model.toml"):
        """Reads a model from the text of a model file. `name` is how messages call it, and where its tables are."""
        if not isinstance(text, str):
            raise TypeError(f"the text of a model file was expected, not {type(text).__name__}")
        overrides = _overrides(set)
        return cls._made_by(lambda model: model._read_text(text, word(name, "name"), overrides))

    @classmethod
    def of(cls, model):
        """A copy of any model, such as that of a simulation."""
        if not isinstance(model, _core.Model):
            raise TypeError(f"a Model was expected, not {type(model).__name__}")
        return cls._made_by(lambda made: made._copy_of(model))

    def copy(self):
        """A model of its own: expressions of one do not belong to the other."""
        return self.of(self)

    __copy__ = copy

    def to_toml(self):
        """The text of a model file, with all digits and tables: `Model.parse` makes the same model of it.

        Parameters keep their names and values, but formulas hold numbers: they cannot be set any more.
        """
        return self._to_toml()

    def __reduce__(self):
        return _unpickled, (self._bytes(),)

    def __deepcopy__(self, memo):
        return self.copy()

    # ---- names

    def _name(self, name, what="name"):
        return word(name, f"{self.name}: {what}")

    def _names(self, names):
        return [self._name(name) for name in words(names)]

    def __getitem__(self, name):
        """What has a name: coordinates, momenta p_x, velocities v_x, parameters, vectors, multipliers lambda_rod."""
        size = self._builder.array_size(self._name(name))
        return self._builder.named(name) if size is None else Vector(self, name, *size)

    def parameter(self, name, value):
        """A constant with a name, for formulas as text and for outputs. Returns it as an expression; of a vector an array."""
        if np.ndim(value) == 0:
            return self._builder.parameter(self._name(name), value)
        values = [self._builder.formula(x, f"parameter '{name}'") for x in value]
        self._builder.vector_parameter(self._name(name), values)
        return object_array(values, (len(values),))

    def parameters(self, **values):
        """Several parameters at once; returns them in that order."""
        return tuple(self.parameter(name, value) for name, value in values.items())

    def coordinate(self, name):
        """A coordinate. There are also its momentum p_<name> and its velocity v_<name>."""
        return self._builder.coordinate(self._name(name))

    def coordinates(self, names):
        """Coordinates "x y z", or a list of names, as an array of expressions."""
        names = self._names(names)
        return object_array([self.coordinate(name) for name in names], (len(names),))

    def matrix(self, name, rows, columns):
        """Coordinates R11, R12, ... as an array of shape (rows, columns)."""
        rows, columns = (whole_number(k, f"{self.name}: {what}", 1) for k, what in ((rows, "rows"), (columns, "columns")))
        between = "_" if max(rows, columns) > 9 else ""
        names = [f"{name}{between}{i + 1}{between}{j + 1}" for i in range(rows) for j in range(columns)]
        return self.coordinates(names).reshape(rows, columns)

    def vector(self, name, count, dim):
        """A coordinate with many items, r[0], ..., r[count − 1], each with dim components."""
        count, dim = whole_number(count, f"{self.name}: count"), whole_number(dim, f"{self.name}: dim")
        self._builder.vector(self._name(name), count, dim)
        return Vector(self, name, count, dim)

    def _partner(self, x, prefix, of):
        if isinstance(x, Vector):
            if x._model is not self or x.name.startswith(("p_", "v_")):
                raise InputError(f"{self.name}: '{x.name}' is no vector coordinate of this model")
            return Vector(self, prefix + x.name, x.count, x.dim)
        if isinstance(x, str):
            return self[prefix + x]
        if isinstance(x, Expr):
            return of(x)
        x = np.asarray(x, dtype=object)
        return object_array([of(a) for a in x.flat], x.shape)

    def momentum(self, x):
        """p of a coordinate, of an array of coordinates, of a vector coordinate, or of one of its items."""
        return self._partner(x, "p_", self._builder.momentum)

    def velocity(self, x):
        """v = q' of a coordinate, of an array of coordinates, of a vector coordinate, or of one of its items."""
        return self._partner(x, "v_", self._builder.velocity)

    def rate(self, f):
        """The rate of change of a formula f(q), ∂f/∂q · v, for kinetic energies and observables; of arrays as well."""
        if isinstance(f, (Expr, str)):
            return self._builder.rate(f)
        f = np.asarray(f, dtype=object)
        return self._builder.rate(f.item()) if f.ndim == 0 else object_array([self.rate(x) for x in f.flat], f.shape)

    def multiplier(self, constraint):
        """λ of a constraint, for observables; of a stack, lambda_[i] is that of row i."""
        size = self._builder.array_size("lambda_" + self._name(constraint))
        if size is not None and constraint not in self.constraint_names:
            return Vector(self, f"lambda_{constraint}", *size)
        return self._builder.multiplier(constraint)

    @property
    def kinetic_energy(self):
        """T, for observables."""
        return self._builder.energy_part(True)

    @property
    def potential_energy(self):
        """V, for observables."""
        return self._builder.energy_part(False)

    @property
    def pi(self):
        """π, exact in every precision."""
        return self._builder.pi()

    def formula(self, text):
        """An expression from text in the language of model files: model.formula("m*g*y")."""
        return self._builder.formula(text, "a formula")

    # ---- energy

    @property
    def potential(self):
        """V(q); or {"slow": ..., "fast": ...}, for methods that split the force. Sums are added by `sum`."""
        return self._builder.part("potential")

    @potential.setter
    def potential(self, V):
        if isinstance(V, dict):
            if V.keys() != {"slow", "fast"}:
                raise InputError(f'{self.name}: a split potential is {{"slow": ..., "fast": ...}}')
            self._builder.set_split_potential(V["slow"], V["fast"])
        else:
            self._builder.set_potential(V)

    @property
    def kinetic(self):
        """T(q, v), quadratic in the velocities: ½ vᵀM(q)v."""
        return self._builder.part("kinetic")

    @kinetic.setter
    def kinetic(self, T):
        self._builder.set_kinetic(T)

    @property
    def hamiltonian(self):
        """H(q, p); it contains the potential."""
        return self._builder.part("hamiltonian")

    @hamiltonian.setter
    def hamiltonian(self, H):
        self._builder.set_hamiltonian(H)

    def _set_mass(self, mass):
        """M of ½ vᵀMv: one number for all, one for each coordinate, a matrix (also of scipy.sparse), or by names.

        By names, {"x": 1, "r": m}, a vector coordinate has one mass, or one for each item; as an array, or as a formula of
        the number of the item, lambda i: 1 + i/N.
        """
        set_mass(self, mass)

    def _no_mass(self):
        raise AttributeError("the mass of a model is set, not read: to_toml() shows it, and momenta(q, v) is M v")

    mass = property(_no_mass, _set_mass, None, _set_mass.__doc__)

    # ---- formulas with names

    def constrain(self, name, zero):
        """A constraint g(q) = 0: a formula of the coordinates that is zero along the motion."""
        self._builder.constraint(self._name(name), zero)

    def phase_constrain(self, name, zero):
        """A constraint φ(q, p) = 0 on coordinates and momenta, where {φ, φ} is not singular."""
        self._builder.phase_constraint(self._name(name), zero)

    def invariant(self, name, value):
        """A formula of coordinates and momenta that should be conserved."""
        self._builder.invariant(self._name(name), value)

    def observable(self, name, value):
        """A formula to be recorded and averaged; it may use velocities, rates, multipliers and both energies."""
        self._builder.observable(self._name(name), value)

    def event(self, name, zero, direction="both", stop=False):
        """A formula of coordinates and momenta whose zeros are found; direction is "up", "down" or "both"."""
        self._builder.event(self._name(name), zero, self._name(direction, "direction"), bool(stop))

    # ---- sums and stacks over tables

    def sum(self, table, kernel, part="slow", **columns):
        """Adds Σ_rows kernel(row) to the potential.

        `table` has a row of indices for each term; the kernel is called once, with index variables, and returns the
        formula of a row: model.sum(bonds, lambda i, j, k: k*dot(r[i] - r[j], r[i] - r[j])/2, k=stiffness). Further
        columns of numbers are given by name. part="fast" puts it into the fast part of the potential.
        """
        if part not in ("slow", "fast"):
            raise InputError(f'{self.name}: part must be "slow" or "fast", not {part!r}')
        add_term(self, "energy", "", table, kernel, columns, part == "fast")

    def stack(self, name, table, kernel, **columns):
        """Constraints kernel(row) = 0, one for each row of a table; see `sum`. Their names are name[0], name[1], ..."""
        add_term(self, "constraint", self._name(name), table, kernel, columns)

    def invariant_sum(self, name, table, kernel, **columns):
        """An invariant Σ_rows kernel(row); see `sum`."""
        add_term(self, "invariant", self._name(name), table, kernel, columns)

    def observable_sum(self, name, table, kernel, **columns):
        """An observable Σ_rows kernel(row); see `sum`."""
        add_term(self, "observable", self._name(name), table, kernel, columns)

    # ---- fields

    def variables(self, names, part="q"):
        """Variables of a first-order system; those of the part "p" are kicked by those of "q" in split methods."""
        if part not in ("q", "p"):
            raise InputError(f'{self.name}: part must be "q" or "p", not {part!r}')
        names = self._names(names)
        return object_array([self._builder.variable(name, part == "p") for name in names], (len(names),))

    def field(self, rates, energy=None):
        """The rates y' = f(y) of all variables, in their order or by name; `energy` is a formula to be watched."""
        self._builder.field(by_name(self, rates, self._builder.variable_names(), "the field"), energy)

    # ---- chart, reversal, units

    def chart_coordinates(self, names):
        """The coordinates δ of a parametrisation q = φ(δ)."""
        names = self._names(names)
        return object_array([self._builder.chart_coordinate(name) for name in names], (len(names),))

    def chart(self, position, near=None):
        """φ: each coordinate as a formula of the chart's; `near` says where the δ of a position are searched for."""
        position = by_name(self, position, self.coordinate_names, "the chart")
        self._builder.chart(position, by_name(self, near or {}, self._builder.chart_names(), "near", 0))

    def reverse(self, flip):
        """The involution that reverses the motion: the names of what changes its sign, ["y", "p_x", "p_z"]."""
        self._builder.reversal([name_of(x) for x in words(flip)])

    def set_units(self, **units):
        """Units as text, by name: set_units(x="m", t="s")."""
        for name, text in units.items():
            self._builder.unit(name, self._name(text, f"unit of {name}"))

    # ---- start

    def start(self, q, p=None, v=None, project=False, keep=()):
        """The start: positions q and momenta p or velocities v (zero if nothing is said).

        Each by name, {"x": 1, "r": array of shape (count, dim)}, or as an array in the order of q. Values may be
        expressions without variables, or text: "sqrt(3)/2" is right in every precision; so are formulas of the number of
        an item, {"r": lambda i: [i + 1, 0]}. project=True moves the start onto the constraints, and
        keep=["phi", "v_phi"] names what this must not change. Of a field, q are the variables.
        """
        if p is not None and v is not None:
            raise InputError(f"{self.name}: the start takes momenta p or velocities v, not both")
        variables = self._builder.variable_names()
        if variables:
            return self._start_field(q, variables, p is not None or v is not None or project or bool(keep))
        motion, velocities = (p, False) if v is None else (v, True)
        named_q, items_q = split(self, q, "the start")
        named_motion, items_motion = split(self, motion, "the initial motion", 0)
        items = [(name, position, list(values(self._builder.item_number(name))) if callable(values) else values)
                 for given, position in ((items_q, True), (items_motion, False)) for name, values in given.items()]
        self._builder.start(named_q, named_motion, velocities, bool(project), [name_of(x) for x in words(keep)], items)

    def _start_field(self, values, variables, more):
        if more:
            raise InputError(f"{self.name}: the start of a field has a value for each variable, and nothing else")
        if not self.is_field:
            raise InputError(f"{self.name}: the start of a field comes after its rates")
        values = dict(zip(variables, by_name(self, values, variables, "the start")))
        q = [values.pop(name) for name in self.coordinate_names]
        self._builder.start(q, list(values.values()), False, False, [], [])

    # ---- defaults of a run

    @property
    def method(self):
        """The key of the method that runs use if nothing else is said."""
        return self._builder.part("method")

    @method.setter
    def method(self, key):
        self._builder.method(self._name(key, "method"))

    @property
    def step(self):
        """The step size h of runs, unless they name another."""
        return self._builder.part("step")

    @step.setter
    def step(self, h):
        self._builder.step(h)

    @property
    def until(self):
        """The end of runs, unless they name another."""
        return self._builder.part("until")

    @until.setter
    def until(self, t):
        self._builder.until(t)

    @property
    def every(self):
        """The number of steps between recorded states."""
        return self._builder.part("every")

    @every.setter
    def every(self, steps):
        self._builder.every(whole_number(steps, f"{self.name}: every", 1))

    # ---- evaluation

    def compile(self):
        """The model in double precision, to be evaluated: a System. It is made once, until the model changes."""
        revision = self._builder.revision
        if self._compiled is None or self._compiled[0] != revision:
            self._compiled = revision, _core.System(self, self._builder.started)
        return self._compiled[1]

    def initial(self):
        """(q, p) of the start, checked, and projected if the model says so."""
        return self.compile().initial()

    def energy(self, q, p):
        """H(q, p) at a state, or at each row of arrays of states."""
        return self.compile().energy(number_table(q, "q"), number_table(p, "p"))

    def forces(self, q, p):
        """−∂H/∂q, without the forces of constraints."""
        return self.compile().forces(number_table(q, "q"), number_table(p, "p"))

    def velocities(self, q, p):
        """∂H/∂p"""
        return self.compile().velocities(number_table(q, "q"), number_table(p, "p"))

    def momenta(self, q, v):
        """p with ∂H/∂p(q, p) = v"""
        return self.compile().momenta(number_table(q, "q"), number_table(v, "v"))

    def constraints_at(self, q):
        """g(q)"""
        return self.compile().constraints(number_table(q, "q"))

    def jacobian(self, q, sparse=False):
        """G(q) = ∂g/∂q, of shape (m, n); sparse: (values, columns, row starts) for scipy.sparse.csr_array."""
        return self.compile().jacobian(number_table(q, "q"), sparse)

    def multipliers_at(self, q, p):
        """λ(q, p), so that g(q) stays zero with p' = −∂H/∂q − Gᵀλ; nan where it cannot be known."""
        return self.compile().multipliers(number_table(q, "q"), number_table(p, "p"))

    def observables_at(self, q, p):
        """The observables at a state, in the order of observable_names."""
        return self.compile().observables(number_table(q, "q"), number_table(p, "p"))

    def invariants_at(self, q, p):
        """The invariants at a state, in the order of invariant_names."""
        return self.compile().invariants(number_table(q, "q"), number_table(p, "p"))


def load_model(path, set=None):
    """The model of a file: Model.load."""
    return Model.load(path, set)


def _unpickled(data):
    return Model._made_by(lambda model: model._of_bytes(data))
