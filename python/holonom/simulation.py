"""Simulation: a run that is taken as far as one wants, with its state in reach."""
import os
import warnings

import numpy as np

from . import _core
from .arguments import formula_text, number_array, positive_count, real_number, whole_number
from .attributes import FixedAttributes
from .model import Model
from .options import Progress, model_for, need_mpmath, refuse_unknown, run_options
from .trajectory import Trajectory


class HolonomWarning(UserWarning):
    """What should be known of a simulation, and does not end it."""


class StepFailed(RuntimeError):
    """A step could not be made. The simulation is at its last good state.

    t, q, p: the last good state. steps: the steps up to it. message: what happened, where, and what to try.
    trajectory: what was recorded up to there. simulation: the simulation itself; ``set_state`` makes it go on.
    """

    def __init__(self, message, simulation, trajectory=None):
        super().__init__(message)
        self.message = message
        self.simulation = simulation
        self.trajectory = trajectory
        self.t, self.q, self.p, self.steps = simulation.t, simulation.q, simulation.p, simulation.steps

    def __reduce__(self):
        return type(self), (self.message, self.simulation, self.trajectory)


class _Enough(Exception):
    """A callback raised StopIteration: what else raises it is an error."""


class Simulation(FixedAttributes):
    """A run of a model with steps of h, t = t0 + k h, without an end of its own.

    Parameters
    ----------
    model : a Model, or the path of a model file.
    method : its key, see ``holonom methods``; None: as the model says.
    step : h, a number, an expression without variables, or a formula of the model's parameters, such as "T/25"; None: as the model
        says. It is fixed: another step is another simulation.
    precision : "double", "long", "quad" or "100" (digits).
    engine : "auto", "interp" or "llvm"; both give the same bits.
    formulation, alpha, chart, projection, project_every : equations without constraints, and how states get back.
    tolerance, newton, compensated, threads : how equations of a step are solved.
    every : rows of trajectories, and of ``out``, are every so many steps; None: as the model says.
    multipliers : "exact", λ(q, p) of the state, or "stage".
    watch : "all" steps, or "recorded" ones: where energy and constraints are looked at.
    wedge, tangent, shadow : what goes along with the run, and is seen as one more invariant.
    event, observe : formulas, "formula" or "name=formula". stop_at : names of events that end a call of run().
    set : parameters to replace, {"L": 2}.
    out, events_out, force, sample, checkpoint, resume : files of states and events, as the program writes them.

    While steps are taken, other threads of Python may run. One simulation serves one thread at a time.
    """

    def __init__(self, model, method=None, step=None, *, out=None, events_out=None, force=False, sample=None, checkpoint=60,
                 resume=False, **options):
        refuse_unknown(options, Simulation.__init__)
        chosen = run_options(method, step, **options)
        if out is not None:
            chosen["out"] = os.fspath(out)
        if events_out is not None:
            chosen["events_out"] = os.fspath(events_out)
        if sample is not None:
            chosen["sample"] = formula_text(sample, "sample")
        chosen.update(force=bool(force), checkpoint=real_number(checkpoint, "checkpoint"), resume=bool(resume))
        self._options = chosen
        self._begin(_core.SimulationCore(model_for(model, chosen), chosen))
        for warning in self._core.warnings:
            warnings.warn(warning, HolonomWarning, stacklevel=2)

    def _begin(self, core):
        self._core = core
        self._warned = set()
        self._names = core.names

    def _why_not(self, name):
        return "the step of a simulation is fixed: make another Simulation(model, step=...)" if name == "step" else None

    # ---- steps

    def step(self, n=1):
        """n steps, (q, p) -> (q, p) after each. Nothing is recorded. Raises StepFailed."""
        n = whole_number(n, "step: n")
        status, message, _ = self._core.advance(n, self._core.every, None, False, None, None, 1)
        if status == "failed":
            raise StepFailed(message, self)

    def run(self, until=None, *, steps=None, every=None, sample=None, record=True, progress=False, callback=None,
            callback_every=1):
        """Goes on to a time, or by a number of steps, and returns the Trajectory of it.

        Parameters
        ----------
        until : a time, a number or a formula of the model's parameters; the last step is not beyond it.
        steps : instead, so many steps.
        every : a row after every step whose number is a multiple of this; the first and the last state are rows too.
        sample : instead, a row at every multiple of this time; between steps by polynomials of degree 5.
        record : False: no rows and no events are kept, and None is returned.
        progress : True: a bar (by tqdm, where it is installed); or a function f(done, steps).
        callback : f(simulation), called after steps whose number is a multiple of callback_every. It may read and set
            the state. What it raises ends the run; the simulation stays usable. StopIteration ends it without an error.

        Called again, it goes on. What a call that was interrupted has recorded is in ``simulation.trajectory``.
        Raises StepFailed, with what was recorded so far.
        """
        if (until is None) == (steps is None):
            raise TypeError("run() goes until a time, or by a number of steps: give one of until and steps")
        if every is not None and sample is not None:
            raise TypeError("every and sample exclude each other")
        if callback is not None and not callable(callback):
            raise TypeError("callback: a function was expected")
        every = self._core.every if every is None else positive_count(every, "every")
        callback_every = positive_count(callback_every, "callback_every")
        sample = None if sample is None else formula_text(sample, "sample")
        if steps is None:
            count = self._core.steps_until(formula_text(until, "until"))
        else:
            count = whole_number(steps, "steps")

        def call():
            try:
                callback(self)
            except StopIteration:
                raise _Enough from None

        with Progress(progress, self.steps, count) as show:
            try:
                status, message, _ = self._core.advance(count, every, sample, bool(record), show, None if callback is None else call,
                                                     callback_every)
            except _Enough:
                status, message = "done", ""
        self._remark()
        if status == "failed":
            raise StepFailed(message, self, self.trajectory if record else None)
        return self.trajectory if record else None

    def _remark(self):
        for remark in self._core.remarks:
            if remark not in self._warned:
                self._warned.add(remark)
                warnings.warn(remark, HolonomWarning, stacklevel=3)

    @property
    def trajectory(self):
        """What the last call of run() has recorded, also if it did not get to its end; None before the first."""
        last = self._core.last
        return None if last is None else Trajectory(last)

    # ---- the state

    @property
    def t(self):
        """The time, t0 + k h."""
        return self._core.values("t")

    @property
    def h(self):
        """The step."""
        return self._core.values("step")

    @property
    def steps(self):
        """k, the number of steps so far."""
        return self._core.steps

    @property
    def q(self):
        """Positions, a copy. Set it to go on from others, consistent with g(q) = 0."""
        return self._core.values("q")

    @q.setter
    def q(self, values):
        self.set_state(q=values)

    @property
    def p(self):
        """Momenta, a copy. Set it to go on with others, consistent with G(q) H_p = 0."""
        return self._core.values("p")

    @p.setter
    def p(self, values):
        self.set_state(p=values)

    def set_state(self, q=None, p=None, *, v=None, project=False):
        """Goes on from another state at the same time.

        It must satisfy g(q) = 0 and G(q) H_p(q, p) = 0 to rounding errors, or be projected onto that. Velocities v may be
        given instead of momenta. The method begins anew, and errors of energy and invariants are those from here on.
        Texts, fractions and numbers of mpmath keep all their digits.
        """
        if p is not None and v is not None:
            raise TypeError("p and v exclude each other")
        given = {name: None if x is None else number_array(x, name) for name, x in (("q", q), ("p", p), ("v", v))}
        for name, x in given.items():
            if isinstance(x, np.ndarray):
                given[name] = np.ravel(self._shaped(x, name))
        self._core.set_state(given["q"], given["p"], given["v"], bool(project))

    def _shaped(self, x, name):
        vectors = self._names["vectors"]
        if x.ndim == 1 or (x.ndim == 2 and len(vectors) == 1 and vectors[0][3] == 0 and x.shape == vectors[0][1:3]):
            return x
        size = len(self._names["momenta" if name == "p" else "coordinates"])
        raise _core.InputError(f"{name}: an array of shape ({size},) was expected, not {x.shape}")

    def _place(self, name):
        """Where a column is: the table, and the index in it, or (start, end, shape) of a vector."""
        if not isinstance(name, str):
            raise TypeError(f"a name was expected, not {type(name).__name__}")
        n = self._names
        for vector, count, dim, offset in n["vectors"]:
            for word, table in ((vector, "q"), ("p_" + vector, "p")):
                if name == word:
                    return table, (offset, offset + count * dim, (count, dim))
        for table, names in (("q", n["coordinates"]), ("p", n["momenta"]), ("lambda", ["lambda_" + c for c in n["constraints"]]),
                             ("invariants", n["invariants"]), ("observed", n["observables"])):
            if name in names:
                return table, names.index(name)
        raise KeyError(name)

    def __getitem__(self, name):
        """A coordinate, a momentum p_x, a multiplier lambda_rod, an invariant or an observable of the present state."""
        table, place = self._place(name)
        values = self._core.values(table)
        if isinstance(place, int):
            return float(values[place])
        start, end, shape = place
        return values[start:end].reshape(shape)

    @property
    def energy(self):
        """H(q, p); None of a field that has no energy."""
        return self._core.values("energy") if self._core.has_energy else None

    @property
    def residuals(self):
        """How far the state is from the constraints: the largest |g(q)| and |G H_p|, and relative to their terms."""
        return self._core.residuals

    def _by_name(self, table, names):
        return dict(zip(self._names[names], self._core.values(table).tolist()))

    @property
    def multipliers(self):
        """λ by constraint, p' = -H_q - G(q)^T λ."""
        return self._by_name("lambda", "constraints")

    @property
    def invariants(self):
        """Values of the invariants by name."""
        return self._by_name("invariants", "invariants")

    @property
    def observables(self):
        """Values of the observables by name."""
        return self._by_name("observed", "observables")

    def text(self, name):
        """All digits of "t", "q", "p", "energy", "lambda" (multipliers), "invariants", "observed", "step", or of a column by its name."""
        if name in ("t", "q", "p", "energy", "lambda", "invariants", "observed", "step"):
            return self._core.texts(name)
        table, place = self._place(name)
        texts = self._core.texts(table)
        return texts[place] if isinstance(place, int) else texts[place[0]:place[1]]

    def mp(self, name):
        """The same as numbers of mpmath, in its present precision."""
        mpmath = need_mpmath()
        text = self.text(name)
        return mpmath.mpf(text) if isinstance(text, str) else [mpmath.mpf(x) for x in text]

    # ---- what it is

    @property
    def model(self):
        """A copy of the model."""
        return Model.of(self._core.model)

    @property
    def method(self):
        """The key of the method."""
        return self._core.method

    @property
    def engine(self):
        """"llvm" or "interp"."""
        return self._core.engine

    @property
    def precision(self):
        """"double", "long", "quad" or "100"."""
        return self._options["precision"]

    @property
    def result(self):
        """What `holonom run --json` says of a run: largest errors of energy, constraints and invariants so far, ..."""
        return self._core.result

    @property
    def remarks(self):
        """What is to be said of the run so far."""
        return self._core.remarks

    def __repr__(self):
        if not self._idle():
            return f"<holonom.Simulation {self.model.name}: {self.method}, taking steps>"
        return f"<holonom.Simulation {self.model.name}: {self.method}, h = {self.h:g}, t = {self.t:g} ({self.steps} steps)>"

    def _idle(self):
        try:
            self._core.steps
        except RuntimeError:
            return False
        return True

    # ---- files, copies

    def save_checkpoint(self, path):
        """All that the run needs to go on bit for bit, in a file."""
        self._core.save(os.fspath(path))

    def load_checkpoint(self, path):
        """Goes on from a checkpoint of a run of the same model, method, step and options, also one of the program."""
        self._core.load(os.fspath(path))

    def close(self):
        """Records the last state in the file and closes it. No further steps."""
        self._core.finish()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __copy__(self):
        made = type(self).__new__(type(self))
        made._options = dict(self._options)
        made._begin(self._core.copy())
        return made

    def __deepcopy__(self, _):
        return self.__copy__()

    def __getstate__(self):
        if self._options.get("out") or self._options.get("events_out"):
            raise _core.InputError("a simulation that writes a file cannot be pickled; save_checkpoint() keeps its state")
        return {"options": self._options, "model": self.model, "memory": self._core.memory()}

    def __setstate__(self, state):
        self._options = state["options"]
        self._begin(_core.SimulationCore(state["model"], self._options))
        self._core.load_memory(state["memory"])
