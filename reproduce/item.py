"""An item: what a paper says, what is run, and what comes out of it.

    @item("table-1", "Table 1: p_y after 1, 2 and 4 periods", mutations=[mutations.method("yoshida-4", "suzuki-4")])
    def table_1(lab):
        \"""What the paper claims, and how it is judged: this text stands on the page.\"""
        end = lab.run("pendulum", method="yoshida-4", step="0.04*T", until="T")
        lab.printed("Yoshida, p_y(T)", end["p"]["y"], ".77e-1")

A check that does not hold makes the item fail. A printed number that cannot be reproduced is a check as well
(`lab.differs`): it holds as long as the measurement says so."""

import inspect
import math
import pathlib
import re
from dataclasses import dataclass, field

import program as cli

HERE = pathlib.Path(__file__).resolve().parent


@dataclass
class Item:
    paper: str  # the folder
    name: str
    title: str
    measure: callable
    mutations: list
    quick: bool  # part of `reproduce --quick`
    statistical: bool  # a band is compared, never digits

    @property
    def key(self):
        return f"{self.paper}/{self.name}"

    @property
    def claim(self):
        return inspect.getdoc(self.measure) or ""


_items = []


def item(name, title, mutations, quick=True, statistical=False):
    def register(measure):
        paper = pathlib.Path(inspect.getfile(measure)).resolve().parent.name.replace("_", "-")
        _items.append(Item(paper, name, title, measure, list(mutations), quick, statistical))
        return measure

    return register


def all_items():
    return list(_items)


@dataclass
class Check:
    what: str
    printed: str  # in the paper, or nothing
    expected: str  # of an independent program, or the bound
    measured: str
    holds: bool
    differs: bool = False  # the printed value is not reproduced, as was known
    remark: str = ""


def unit_of_last_digit(text):
    """1 in the last printed digit of .77e-1 is 1e-3."""
    mantissa, _, exponent = text.lower().lstrip("+-").partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)


def agrees(measured, text, units=0.5):
    """Whether a number, rounded as the text is, is the text."""
    return math.isfinite(measured) and abs(measured - float(text)) <= units * unit_of_last_digit(text) * (1 + 1e-9)


def shown(value):
    return value if isinstance(value, str) else f"{value:.6g}"


@dataclass
class Result:
    item: Item
    checks: list = field(default_factory=list)
    commands: list = field(default_factory=list)  # lines, in the order of their first use
    tables: dict = field(default_factory=dict)  # name: {column: values}, written as CSV
    figures: list = field(default_factory=list)  # (name, draw)
    drawn: list = field(default_factory=list)  # names of figures that are files
    error: str = ""
    seconds: float = 0

    @property
    def failed(self):
        return bool(self.error) or not self.checks or any(not check.holds for check in self.checks)

    @property
    def verdict(self):
        if self.failed:
            return "FAILS"
        different = [check for check in self.checks if check.differs]
        if not different:
            return "reproduced statistically" if self.item.statistical else "reproduced"
        compared = [check for check in self.checks if check.printed]
        return "not reproduced" if len(different) == len(compared) else "reproduced in part"


class Lab:
    """What an item works with. `quick`: shorter runs, if the item has any."""

    def __init__(self, program, result, quick=False, mutation=None):
        self._program = program
        self._result = result
        self.quick = quick
        self._mutation = mutation
        self._touched = False

    @property
    def was_mutated(self):
        """Whether the mutation has changed any command."""
        return self._touched

    # ---- what is run

    def model(self, name):
        """A model of the paper's folder, or of models/."""
        for folder in (HERE / self._result.item.paper.replace("-", "_"), HERE.parent / "models"):
            path = folder / f"{name}.toml"
            if path.exists():
                return path
        raise cli.Failed(f"there is no model {name}")

    def ask(self, verb, model=None, record=False, codes=(0,), **options):
        asked = cli.command(verb, None if model is None else self.model(model), **options)
        if self._mutation is not None:
            changed = self._mutation.apply(asked)
            self._touched = self._touched or changed != asked
            asked = changed
        if asked.line() not in self._result.commands:
            self._result.commands.append(asked.line())
        return self._program(asked, record, codes)

    def run(self, model, record=False, codes=(0,), **options):
        """holonom run; with record=True the columns of all recorded states."""
        return self.ask("run", model, record=record, codes=codes, **options)

    def datum(self, name, value):
        """A number or a list that is no part of a command (a coefficient, a formula as a function): mutations change it
        by its name."""
        if self._mutation is None:
            return value
        changed = self._mutation.apply_to_datum(name, value)
        if changed is not value:
            self._touched = True
        return changed

    # ---- what is compared

    def _add(self, *arguments, **named):
        check = Check(*arguments, **named)
        self._result.checks.append(check)
        return check.holds

    def printed(self, what, measured, text, reference=None, units=0.5, remark=""):
        """A number of the paper: rounded as it is printed there. `reference`: the digits of an independent program, which
        must agree too."""
        holds = agrees(measured, text, units) and (reference is None or agrees(measured, reference))
        return self._add(what, text, reference or "", shown(measured), holds, remark=remark)

    def reference(self, what, measured, text, units=0.5, remark=""):
        """A number of an independent program, to the digits given (units=1: its last digit is not certain)."""
        return self._add(what, "", text, f"{measured:.12g}", agrees(measured, text, units), remark=remark)

    def differs(self, what, measured, text, because, reference=None):
        """A printed number that is not reproduced. The check fails if it is, after all."""
        holds = not agrees(measured, text, 1) and (reference is None or agrees(measured, reference))
        return self._add(what, text, reference or "", shown(measured), holds, differs=True, remark=because)

    def at_most(self, what, measured, bound, remark="", printed=""):
        return self._add(what, printed, f"<= {shown(bound)}", shown(measured),
                         math.isfinite(measured) and measured <= bound, remark=remark)

    def at_least(self, what, measured, bound, remark="", printed=""):
        return self._add(what, printed, f">= {shown(bound)}", shown(measured),
                         math.isfinite(measured) and measured >= bound, remark=remark)

    def between(self, what, measured, low, high, remark="", printed=""):
        return self._add(what, printed, f"{shown(low)} to {shown(high)}", shown(measured),
                         math.isfinite(measured) and low <= measured <= high, remark=remark)

    def says(self, what, holds, measured="", remark="", printed=""):
        """A statement in words."""
        return self._add(what, printed, "", shown(measured), bool(holds), remark=remark)

    def contradicts(self, what, holds, measured, because, printed):
        """A statement of the paper that is not true of the measurement."""
        return self._add(what, printed, "", shown(measured), bool(holds), differs=True, remark=because)

    # ---- what is kept

    def table(self, name, columns):
        """Data behind a figure or a table, written as CSV."""
        self._result.tables[name] = columns

    def figure(self, name, draw):
        """draw(figure) is called with an empty matplotlib figure, if figures are asked for."""
        self._result.figures.append((name, draw))


def is_name(text):
    return re.fullmatch(r"[a-z0-9.-]+", text) is not None
