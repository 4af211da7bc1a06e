"""What a model is, which method suits it, and what a method keeps: check, methods, compare, certify, recommend, stability.

A model is a Model or the name of a model file. Steps and times are numbers or formulas of the model's parameters, such as
"T/100". Everything is computed by the library that the program uses, with the same bits. Python goes on while it works;
Ctrl-C ends it between two steps.
"""
from . import _core
from .arguments import formula_text, formula_texts, maybe_formula, maybe_word, positive_count, real_number, warn, whole_number, word, words
from .options import model_for
from .tables import Result, Table, digits, html_table


class Report(Result):
    """What a model is: sizes, form of the energy, start, rank, reversibility, invariants and momentum maps."""


class MethodTable(Table):
    """Methods: what they claim, and with a model whether they suit it (``suits_model``, ``reason``)."""

    def __init__(self, found):
        super().__init__(found, lambda data: data)

    @property
    def suitable(self):
        """The keys of the methods; of a model, of those that suit it."""
        return [row["key"] for row in self.rows if row.get("suits_model", True)]

    def _repr_html_(self):
        def kept(row):
            g, hidden = row["keeps_position_constraint"], row["keeps_hidden_constraint"]
            return "g = 0 and G H_p = 0" if g and hidden else "g = 0" if g else "none"

        return html_table(
            ["method", "order", "symmetric", "symplectic", "constraints kept", "title"],
            [[row["key"], row["order"], "yes" if row["symmetric"] else "no", "yes" if row["symplectic"] else "no", kept(row),
              f"not for this model: {row['reason']}" if row.get("reason") else row["title"]] for row in self.rows])


class MethodInfo(Result):
    """A method: what it claims, what it needs, and where it comes from. ``info["order"]`` is one of ``info.data``."""

    def __init__(self, found):
        super().__init__(found)
        self.data = self.data[0]

    def __getitem__(self, key):
        return self.data[key]


class Comparison(Table):
    """Methods and steps side by side: errors at the same end against the same reference, what is kept, and cost.

    Columns are ``method``, ``step``, ``steps``, ``status``, ``error_q``, ``error_p``, ``error_lambda``, ``order_q``, ...,
    ``energy_max_error``, ``position_max`` (|g|), ``hidden_max`` (|G H_p|), ``invariants_NAME``, ``newton_iterations_mean``,
    ``evaluations_force``, ..., and ``cpu_seconds``.
    """

    def __init__(self, found):
        super().__init__(found, lambda data: data["rows"])

    @property
    def methods(self):
        """The methods, in the order of the rows."""
        return list(dict.fromkeys(row["method"] for row in self.rows))

    def plot(self, x="cpu_seconds", y="error_q", ax=None):
        """Work and precision, both by logarithms, with a line for each method; returns the axes.

        ``x`` and ``y`` are names of columns: ``x="step"`` shows orders, ``y="energy_max_error"`` energies.
        """
        from .plots import plot_comparison
        return plot_comparison(self, x, y, ax)

    def view(self, out=None, force=False):
        """A page in the browser with the table and diagrams; written to a file, or shown in a notebook."""
        from .pages import make_page
        return make_page(self._found.page(), out, force)

    def _repr_html_(self):
        names = [name for name in self.columns if name.startswith("invariants_")]
        constrained = any((row.get("position_max") or 0) > 0 or row.get("error_lambda") is not None for row in self.rows)
        head = ["method", "step", "steps", "error of q", "order", "error of p", "order", "energy"]
        head += ["|g|", "|G H_p|"] if constrained else []
        head += [name[len("invariants_"):] for name in names] + ["CPU s", ""]

        def cells(row):
            step = row["step"]
            yield from (row["method"], step if isinstance(step, str) else digits(step, ".10g"), row["steps"])
            if row["status"] != "done":
                yield from [""] * (len(head) - 4)
                yield f"{row['status']}: {row.get('message', '')}"
                return
            for part in "qp":
                yield from (digits(row[f"error_{part}"]), digits(row[f"order_{part}"], ".2f"))
            yield digits(row["energy_max_error"])
            if constrained:
                yield from (digits(row["position_max"], ".1e"), digits(row["hidden_max"], ".1e"))
            yield from (digits(row[name], ".1e") for name in names)
            yield from (digits(row["cpu_seconds"]), "")

        data = self.data
        caption = f"{data['model']} to t = {digits(float(data['t']), '.10g')} ({data['precision']}); "
        return html_table(head, [list(cells(row)) for row in self.rows], caption + "reference: " + data["reference"]["what"])


class Certificate(Table):
    """What a method keeps on a model with a step, claim by claim, and what to do about it.

    Rows are claims: ``property``, ``claimed``, ``verdict`` ("holds", "fails", "not claimed", "not measured"), ``measured``,
    ``at_most`` or ``at_least``, ``within_bound``, ``remark``.
    """

    def __init__(self, found):
        super().__init__(found, lambda data: data["claims"])

    @property
    def holds(self):
        """Whether all claims hold, and no step failed."""
        return self.data["all_claims_hold"]

    @property
    def advice(self):
        """What to do: dictionaries with topic, flagged, text, and the numbers behind it."""
        return self.data["advice"]

    def series(self):
        """A short run with the method and the step: t, energy_error, position, hidden, and invariants by name, as arrays."""
        from numpy import array
        found = self._found.series()
        arrays = {name: None if x is None else array(x) for name, x in found.items() if name != "invariants"}
        return {**arrays, "invariants": {name: array(x) for name, x in found["invariants"].items()}}

    def plot(self, figure=None):
        """The verdicts beside what energy and constraints do in a short run; returns the figure."""
        from .plots import plot_certificate
        return plot_certificate(self, figure)

    def view(self, out=None, force=False):
        """A page in the browser with the verdicts and the plots behind them; written to a file, or shown in a notebook."""
        from .pages import make_page
        return make_page(self._found.page(), out, force)

    def _repr_html_(self):
        data = self.data
        rows = []
        for c in self.rows:
            at_least = "at_least" in c
            measured = digits(c.get("measured"), ".3f" if at_least else ".1e")
            bound = digits(c.get("at_least", c.get("at_most")), ".2f" if at_least else ".1e")
            bound = bound and ("≥ " if at_least else "≤ ") + bound
            verdict = {"fails": "FAILS", "not claimed": "not claimed, " + ("holds here" if c.get("within_bound") else "not kept")}
            rows.append([c["property"], measured, bound, verdict.get(c["verdict"], c["verdict"]), c["remark"]])
        title = f"{data['model']}: {data['method']}, h = {digits(float(data['step']), '.10g')} ({data['precision']})"
        text = html_table(["property", "measured", "bound", "verdict", "how"], rows, title)
        if data["advice"]:
            text += html_table(["advice", ""], [[("! " if a["flagged"] else "") + a["topic"], a["text"]] for a in data["advice"]])
        return text


class Recommendation(Table):
    """The cheapest methods and steps for an accuracy, the best first, with the runs that they are known from.

    Rows have ``method``, ``step``, ``step_formula`` (with all digits), ``steps``, ``work``, ``error``, ``cpu_seconds`` and more;
    there are none if the accuracy cannot be reached, and then ``warnings`` says why.
    """

    def __init__(self, found):
        super().__init__(found, lambda data: data["methods"])

    @property
    def reached(self):
        """Whether the accuracy can be reached."""
        return self.data["reached"]

    @property
    def method(self):
        """The key of the best method."""
        return self._best()["method"]

    @property
    def step(self):
        """Its step, as a formula with all digits."""
        return self._best()["step_formula"]

    def _best(self):
        if not self.rows:
            raise _core.InputError(self.data["message"])
        return self.rows[0]

    def plot(self, ax=None):
        """Errors of the runs that were made, over their work; returns the axes."""
        from .plots import plot_recommendation
        return plot_recommendation(self, ax)

    def _repr_html_(self):
        data = self.data
        title = f"{data['model']}: {data['quantity']} to {digits(data['accuracy'], '.10g')} until t = {digits(data['t'], '.10g')}"
        if not self.rows:
            return html_table([title], [[data["message"]]])
        return html_table(["method", "step", "steps", "operations", "error", "CPU s"],
                          [[row["method"], digits(row["step"], ".10g"), row["steps"], digits(row["work"]), digits(row["error"], ".1e"),
                            digits(row["cpu_seconds"], ".1e")] for row in self.rows], title)


class Stability(Table):
    """What residuals (g, G H_p) of a formulation do off the manifold, along a motion.

    Columns are ``t``, ``fastest_real`` and ``fastest_imaginary`` (the frozen eigenvalue with the largest real part),
    ``frequency``, ``growth_expected`` and ``growth_measured``.
    """

    def __init__(self, found):
        super().__init__(found, lambda data: data["rows"])

    def plot(self, ax=None):
        """The growth of residuals over time, expected and measured; returns the axes."""
        from .plots import plot_stability
        return plot_stability(self, ax)


def _model(model, set=None, observe=()):
    """A model itself or from a file, with parameters replaced and observables added."""
    parameters = [(str(name), formula_text(value, f"set {name}")) for name, value in dict(set or {}).items()]
    return model_for(model, {"set": parameters, "observe": words(observe, "observe")})


def check(model, *, set=None):
    """What a model is, without a step of it: a Report.

    Sizes, the form of H, sparsity and rank of G, consistency of the start, reversibility, which invariants are conserved (proved
    by brackets, dI/dt = {I, H} + {I, g} λ, or tested in 100 digits), and the momentum maps p·(A q + b) of its symmetries.
    A start at a singular position is a warning.
    """
    report = Report(_core.check(_model(model, set)))
    warn(report.warnings)
    return report


def methods(model=None, *, set=None):
    """All methods, or, with a model, which of them suit it: a MethodTable."""
    return MethodTable(_core.methods("", None if model is None else _model(model, set)))


def method_info(key, model=None, *, set=None):
    """One method by its key, such as "kahan-li-8": a MethodInfo."""
    if not word(key, "key"):
        raise _core.InputError("key: the key of a method is expected, such as rattle")
    return MethodInfo(_core.methods(key, None if model is None else _model(model, set)))


def compare(model, methods, steps=None, until=None, *, reference=None, formulations=(), precision="double", set=None,
            tolerance=0.0, newton="auto", engine="auto", threads=None):
    """Methods and steps side by side on one problem: a Comparison.

    All runs end at ``until``, which each step must divide. Errors there are max |x_i - x_i^exact| / max |x_i| for q, p and λ, against
    the exact motion by extrapolation in a wider precision, or against ``reference="METHOD:STEP"``. ``formulations`` such as
    ["direct", "dirac"] run each method on each of them. Without steps and end, those of the model are taken.
    """
    if isinstance(reference, (tuple, list)) and len(reference) == 2:
        reference = f"{reference[0]}:{formula_text(reference[1], 'reference')}"
    found = _core.compare(_model(model, set), words(methods, "methods"), formula_texts(steps, "steps"), maybe_formula(until, "until"),
                          maybe_word(reference, "reference"), words(formulations, "formulations"), str(precision), word(engine, "engine"),
                          word(newton, "newton"), real_number(tolerance, "tolerance"),
                          None if threads is None else whole_number(threads, "threads", most=2**31 - 1))
    result = Comparison(found)
    warn(result.warnings)
    return result


def certify(model, method=None, step=None, *, advice=True, order=True, formulation="direct", alpha=None, chart=None, projection="",
            project_every=1, precision="double", set=None, tolerance=0.0, newton="auto", engine="auto"):
    """Measures whether a method keeps on this model with this step what it claims: a Certificate.

    Order, symmetry, both constraints, the symplectic form, momentum maps, and an energy without drift, each against a bound; and
    advice about step, tolerance and how long positions can be trusted. Without method and step, those of the model are taken.
    ``advice=False`` and ``order=False`` leave out what takes the longest.
    """
    found = _core.certify(_model(model, set), maybe_word(method, "method"), maybe_formula(step, "step"), bool(advice), bool(order),
                          word(formulation, "formulation"), maybe_formula(alpha, "alpha"), maybe_word(chart, "chart"), word(projection, "projection"),
                          positive_count(project_every, "project_every"), str(precision), word(engine, "engine"), word(newton, "newton"),
                          real_number(tolerance, "tolerance"))
    result = Certificate(found)
    warn(result.warnings)
    return result


def recommend(model, accuracy, until=None, *, quantity="position", observe=(), set=None, engine="auto"):
    """The cheapest methods and steps with which a quantity is right to an accuracy: a Recommendation.

    ``accuracy`` is a relative error such as 1e-6; ``quantity`` is "energy", "position", or the name of a coordinate, an
    invariant or an observable. Work is counted, not timed: the choice is the same on every machine.
    """
    found = _core.recommend(_model(model, set, observe), real_number(accuracy, "accuracy"), maybe_formula(until, "until"),
                            word(quantity, "quantity"), word(engine, "engine"))
    result = Recommendation(found)
    warn(result.warnings)
    return result


def stability(model, formulation, *, alpha=None, step=None, until=None, steps=None, every=None, set=None):
    """What residuals of a formulation do off the manifold, along a motion: a Stability.

    Expected by the frozen eigenvalues of (g, G H_p)' = L(t) (g, G H_p), and measured beside it.
    """
    found = _core.stability(_model(model, set), word(formulation, "formulation"), maybe_formula(alpha, "alpha"), maybe_formula(step, "step"),
                            maybe_formula(until, "until"), None if steps is None else whole_number(steps, "steps"),
                            None if every is None else positive_count(every, "every"))
    result = Stability(found)
    warn(result.warnings)
    return result
