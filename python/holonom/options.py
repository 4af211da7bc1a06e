"""What is given to simulations and ensembles, as texts and numbers that the library reads."""
import difflib
import inspect
import os

from . import _core
from .arguments import formula_text, positive_count, real_number, thread_count, whole_number, word, words
from .model import Model


def run_options(method=None, step=None, *, precision="double", engine="auto", formulation="direct", alpha=None, chart=None,
                projection=None, project_every=1, tolerance=0.0, newton="auto", compensated=None, threads=1, every=None,
                multipliers="exact", watch="all", wedge=False, tangent=(), shadow=0, event=(), observe=(), stop_at=(),
                set=None):  # noqa: A002 (the word of the program)
    """The options of a run that have a value other than usual, as texts and numbers that the library reads."""
    options = {"precision": str(precision), "engine": word(engine, "engine"), "formulation": word(formulation, "formulation"),
               "newton": word(newton, "newton"), "multipliers": word(multipliers, "multipliers"), "watch": word(watch, "watch"),
               "tolerance": real_number(tolerance, "tolerance"), "wedge": bool(wedge),
               "project_every": positive_count(project_every, "project_every"), "threads": thread_count(threads, "threads"),
               "shadow": whole_number(shadow, "shadow", most=2**31 - 1), "event": words(event, "event"),
               "observe": words(observe, "observe"), "stop_at": words(stop_at, "stop_at"),
               "tangent": [t if isinstance(t, str) else ",".join(f"{k}={formula_text(v, 'tangent')}" for k, v in t.items())
                           for t in ([tangent] if isinstance(tangent, str) else tangent)]}
    if method == "auto":
        raise _core.InputError("method = 'auto': take the method and the step that recommend() gives for an accuracy")
    if method is not None:
        options["method"] = word(method, "method")
    if step is not None:
        options["step"] = formula_text(step, "step")
    if alpha is not None:
        options["alpha"] = formula_text(alpha, "alpha")
    for name, value in (("chart", chart), ("projection", projection)):
        if value is not None:
            options[name] = word(value, name)
    if compensated is not None:
        options["compensated"] = bool(compensated)
    if every is not None:
        options["every"] = positive_count(every, "every")
    if set:
        options["set"] = [(str(k), formula_text(v, f"set {k}")) for k, v in dict(set).items()]
    return options


def refuse_unknown(options, caller):
    """TypeError if run_options has not one of these options of the caller."""
    for name in options:
        if name not in run_options.__kwdefaults__:
            near = difflib.get_close_matches(name, [*run_options.__kwdefaults__, *inspect.signature(caller).parameters], n=1)
            raise TypeError(f"there is no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def model_for(model, options):
    """The model of a run: read from a file, or as it is. What options change is read with it."""
    changed = any(options.get(k) for k in ("set", "event", "observe"))
    if isinstance(model, (str, os.PathLike)):
        return _core.read_model(os.fspath(model), options)
    if not isinstance(model, _core.Model):
        raise TypeError(f"a Model or the path of a model file was expected, not {type(model).__name__}")
    if not changed:
        return model
    text, name = _core.model_source(model)
    if not text and options.get("set"):
        raise _core.InputError("set: formulas of a model that was made or changed in Python, or read with other parameters, hold these "
                               "as numbers; make it with all values that you want")
    text = text or Model.of(model).to_toml()
    return _core.read_model_text(text, name, options)


def need_mpmath():
    try:
        import mpmath
    except ImportError:
        raise ImportError("numbers of mpmath need mpmath (Debian: python3-mpmath); text() gives the digits without it") from None
    return mpmath


class Progress:
    """What shows the progress of a run: a function of the steps done, or None."""

    def __init__(self, wanted, first, count):
        self.bar, self.show = None, None
        if wanted is True:
            try:
                import tqdm
            except ImportError:
                raise ImportError("a progress bar needs tqdm (Debian: python3-tqdm); progress may also be a function "
                                  "f(done, steps)") from None
            self.bar = tqdm.tqdm(total=count, unit="step", unit_scale=True, leave=False)
            self.show = lambda done: self.bar.update(done - first - self.bar.n)
        elif callable(wanted):
            self.show = lambda done: wanted(done - first, count)
        elif wanted:
            raise TypeError("progress: True, False or a function f(done, steps) was expected")

    def __enter__(self):
        return self.show

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()
