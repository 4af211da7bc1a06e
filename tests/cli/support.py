"""What the tests of the program share: running it, and models to spoil."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["HOLONOM_PROGRAM"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MODELS = SOURCE / "models"

# After so many seconds a program hangs. Nothing here takes a tenth of it, but on a busy machine all takes ten times as long.
HANGS = 600


def has_page():
    """Whether the program was built with npm."""
    said = subprocess.run([PROGRAM, "view", "nothing.h5"], capture_output=True, text=True, timeout=HANGS).stderr
    return "built without its page" not in said


# A good model, table by table, in this order.
PENDULUM = {
    "parameters": "m = 1\ng = 1\nL = 1",
    "coordinates": 'names = ["x", "y"]',
    "energy": 'mass = ["m", "m"]\npotential = "m*g*y"',
    "constraints": 'rod = "x^2 + y^2 - L^2"',
    "initial": "q = { x = 1, y = 0 }\np = { x = 0, y = 0 }",
    "integrate": 'step = "0.01"\nuntil = 1',
}


def pendulum(head="format = 1\n", **tables):
    """The good model with tables replaced, added, or (None) left out."""
    merged = {**PENDULUM, **tables}
    return head + "".join(f"[{name}]\n{body}\n" for name, body in merged.items() if body is not None)


def place_of(text, fragment):
    """line:column of the one occurrence of a fragment."""
    assert text.count(fragment) == 1, f"{fragment!r} must occur once"
    before = text[: text.index(fragment)].replace("\r\n", "\n")
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


class CliTest(unittest.TestCase):
    """Every test has a folder of its own, and runs the program in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="m.toml"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def run_program(self, *arguments, timeout=HANGS):
        return subprocess.run(
            [PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=timeout,
            encoding="utf-8", errors="surrogateescape")

    def run_json(self, *arguments, code=0):
        result = self.run_program("run", *arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)

    def read_csv(self, name):
        header, *rows = (self.folder / name).read_text().splitlines()
        return header.split(","), [row.split(",") for row in rows]
