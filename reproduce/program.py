"""The program, called as a user would call it: every run of an item is a command line that can be typed again."""

import csv
import json
import pathlib
import shlex
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field, replace

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


@dataclass(frozen=True)
class Command:
    """holonom VERB MODEL --option value ...; `edits` are replacements in the text of the model (of a mutation)."""

    verb: str
    model: pathlib.Path | None
    options: tuple[tuple[str, str], ...] = ()
    edits: tuple[tuple[str, str], ...] = ()

    def option(self, name):
        return next((value for key, value in self.options if key == name), None)

    def with_option(self, name, value):
        kept = tuple((key, old) for key, old in self.options if key != name)
        return replace(self, options=kept + ((name, value),))

    def arguments(self, model):
        words = [self.verb] + ([str(model)] if model is not None else [])
        for name, value in self.options:  # (a word without a name stands alone, a flag has no value)
            words += [f"--{name}"] * (name != "") + [value] * (value != "")
        return words

    def line(self):
        """What the page prints."""
        shown = None if self.model is None else f"{self.model.parent.name}/{self.model.name}"
        return shlex.join(["holonom", *self.arguments(shown)]).replace(f"{HERE}/", "")  # files that keys of methods name


def command(verb, model, **options):
    """Options by name, `_` for `-`: True is a flag, a list repeats its option, a dict is name=value each; `words` stand
    without a name."""
    words = []
    for name, value in options.items():
        name = "" if name == "words" else name.replace("_", "-")
        if value is None or value is False:
            continue
        if isinstance(value, dict):
            value = [f"{key}={of}" for key, of in value.items()]
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words.append((name, "" if one is True else str(one)))
    return Command(verb, model, tuple(words))


class Failed(Exception):
    """The program did not do what an item asked for."""


@dataclass
class Answer:
    """The JSON object of a command (of `check`: its `text`), and the columns of its CSV file if there is one."""

    json: dict | list
    columns: dict = field(default_factory=dict)

    def __getitem__(self, key):
        """A column by name, else a member of the JSON object."""
        return self.columns[key] if key in self.columns else self.json[key]


def read_columns(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows)
        table = [row for row in rows]
    columns = {}
    for k, name in enumerate(names):
        values = [row[k] for row in table]
        try:
            columns[name] = np.array(values, dtype=float)
        except ValueError:
            columns[name] = values
    return columns


class Program:
    """Runs commands, each of them once: items that ask for the same run share it."""

    def __init__(self, path):
        self.path = str(path)
        self._answers = {}
        self._locks = {}
        self._guard = threading.Lock()

    def __call__(self, asked, record=False, codes=(0,)):
        key = (asked, record)
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._answers:
                self._answers[key] = self._run(asked, record)
        code, error, answer = self._answers[key]
        if code not in codes:
            raise Failed(f"{asked.line()}: exit {code}: {error.strip()}")
        return answer

    def _run(self, asked, record):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            model = asked.model
            if asked.edits:
                text = model.read_text(encoding="utf-8")
                for old, new in asked.edits:
                    if old not in text:
                        raise Failed(f"{model.name} does not hold {old!r}, which a mutation replaces")
                    text = text.replace(old, new)
                model = folder / model.name
                model.write_text(text, encoding="utf-8")
            words = [self.path, *asked.arguments(model)] + ["--json"] * (asked.verb != "check")
            table = folder / "run.csv"
            if record:
                words += ["--out", str(table)]
            done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
            try:
                parsed = {"text": done.stdout} if asked.verb == "check" else json.loads(done.stdout or "{}")
            except json.JSONDecodeError as e:
                raise Failed(f"{asked.line()}: {e}") from e
            columns = read_columns(table) if record and table.exists() else {}
            return done.returncode, done.stderr, Answer(parsed, columns)
