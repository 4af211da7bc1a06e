"""Ensembles: one model from many starts, on threads."""
import os
import warnings

import numpy as np

from . import _core
from .arguments import formula_text, number_table, positive_count, thread_count, whole_number
from .attributes import FixedAttributes
from .options import Progress, model_for, refuse_unknown, run_options
from .simulation import HolonomWarning
from .trajectory import Trajectory


class Ensemble(FixedAttributes):
    """What became of the members, one row each.

    q, p (members, n): the last states. t, steps, energy_initial, energy_final; energy_error, position_residual,
    hidden_residual: the largest ones over all steps. status: "done", "stopped" (by an event), "failed", "interrupted",
    "invalid" (the start was not consistent) or "not run"; message: why. NaN where there is no state.
    trajectories: a Trajectory for each member, if they were recorded, else None.
    """

    def __init__(self, result, recorded):
        names = ("q", "p", "t", "steps", "energy_initial", "energy_final", "energy_error", "position_residual", "hidden_residual", "message")
        trajectories = [None if x is None else Trajectory(x) for x in result["trajectories"]] if recorded else None
        self.__dict__.update({name: result[name] for name in names}, status=np.array(result["status"], dtype=str), trajectories=trajectories)

    @property
    def ok(self):
        """Whether each member got to its end, or to the event that ends it."""
        return np.isin(self.status, ("done", "stopped"))

    def __len__(self):
        return len(self.status)

    def __repr__(self):
        words, counts = np.unique(self.status, return_counts=True)
        return f"<holonom.Ensemble of {len(self)}: " + ", ".join(f"{n} {w}" for w, n in zip(words, counts)) + ">"


def _starts(values, columns, what, vectors):
    x = np.array(number_table(values, what))  # a copy: the caller may change his own while members run
    if x.ndim == 3 and len(vectors) == 1 and vectors[0][3] == 0 and x.shape[1:] == tuple(vectors[0][1:3]):
        x = x.reshape(len(x), -1)
    if x.ndim != 2 or x.shape[1] != columns:
        raise _core.InputError(f"{what}: an array of shape (members, {columns}) was expected, not {x.shape}")
    return x


def ensemble(model, starts=None, *, q=None, p=None, v=None, until=None, steps=None, project=False, record=False, every=None,
             threads=None, stage_threads=1, progress=False, method=None, step=None, **options):
    """Runs a model from many starts and returns an Ensemble. The result has the same bits for any number of threads.

    Parameters
    ----------
    model : a Model, or the path of a model file. Its own start is not used, but must be consistent.
    starts : (members, 2 n), positions and momenta side by side; or q with p, q with v (velocities), or q alone, at rest:
        arrays of shape (members, n).
    until, steps : the end of each run, as in Simulation.run.
    project : whether starts are projected onto the constraints; if not, one that is not on them is "invalid".
    record : whether trajectories are kept, with a row every so many steps.
    threads : how many; None: one for each processor. stage_threads : those of implicit methods, within a step.
    method, step and further options : as in Simulation.
    """
    if (until is None) == (steps is None):
        raise TypeError("an ensemble goes until a time, or by a number of steps: give one of until and steps")
    if (starts is None) == (q is None):
        raise TypeError("give starts, or q with p or v")
    if p is not None and v is not None:
        raise TypeError("p and v exclude each other")
    refuse_unknown(options, ensemble)
    chosen = run_options(method, step, threads=thread_count(stage_threads, "stage_threads"), **options)
    built = model_for(model, chosen)
    core = _core.SimulationCore(built, chosen)
    names = core.names
    n, m = len(names["coordinates"]), len(names["momenta"])
    if starts is not None:
        if p is not None or v is not None:
            raise TypeError("starts has positions and momenta: p and v go with q")
        both = _starts(starts, n + m, "starts", [])
        q, motion, velocities = both[:, :n].copy(), both[:, n:].copy(), False
    else:
        q = _starts(q, n, "q", names["vectors"])
        velocities = v is not None
        motion = v if velocities else p
        motion = np.zeros((len(q), m)) if motion is None else _starts(motion, n if velocities else m, "v" if velocities else "p",
                                                                      names["vectors"])
    if len(q) != len(motion):
        raise _core.InputError(f"there are {len(q)} positions and {len(motion)} {'velocities' if velocities else 'momenta'}")
    workers = min(os.cpu_count() or 1, _core.most_threads) if threads is None else thread_count(threads, "threads")
    count = core.steps_until(formula_text(until, "until")) if steps is None else whole_number(steps, "steps")
    every = core.every if every is None else positive_count(every, "every")
    rows = len(q) * (count / every + 2)
    if record and rows > 1e9:
        raise _core.InputError(f"these are {rows:.3g} rows, more than anyone can keep; record fewer (every=), or none (record=False)")
    with Progress(progress, 0, len(q)) as show:
        result = _core.run_ensemble(built, chosen, q, motion, velocities, bool(project), count, every, bool(record), workers, show)
    for warning in result["warnings"]:
        warnings.warn(warning, HolonomWarning, stacklevel=2)
    return Ensemble(result, bool(record))
