"""CONTRIBUTING.md, followed literally: what it says is one row or one file is done in a copy of the sources, what is
concerned is compiled again, and the new program is tried."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["HOLONOM_BUILD"])


def recipes():
    """For each thing in bold, its steps: (file, place, text). The place is ('before' | 'instead of', line) or None."""
    page = (SOURCE / "CONTRIBUTING.md").read_text().split("## What is one row, or one file")[1].split("\n## ")[0]
    found = {}
    for part in re.split(r"\n(?=\*\*A )", page)[1:]:
        steps = []
        for words, text in re.findall(r"\n((?:The file|In) `[^\n]*(?:\n`[^\n]*)?):\n\n```cpp\n(.*?)```", part, re.S):
            file, *place = re.findall(r"`([^`]*)`", words)
            steps.append((file, ("instead of" if "instead of" in words else "before", place[0]) if place else None, text))
        found[re.match(r"\*\*(.*?)\*\*", part).group(1)] = steps
    return found


class Contributing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for part in ("include", "src", "cli"):
            shutil.copytree(SOURCE / part, self.folder / part)
        self.commands = {pathlib.Path(c["file"]): c for c in json.loads((BUILD / "compile_commands.json").read_text())}

    def follow(self, what):
        steps = recipes()[what]
        self.assertTrue(steps)
        for file, place, text in steps:
            path = self.folder / file
            if place is None:
                self.assertFalse(path.exists(), f"{file} is there already")
                path.write_text(text)
                continue
            old = path.read_text()
            how, line = place
            self.assertEqual(old.count("\n" + line), 1, f"'{line}' in {file}")
            path.write_text(old.replace("\n" + line, "\n" + text + (line if how == "before" else "")).replace("\n\n#", "\n#")
                            if how == "instead of" else old.replace("\n" + line, "\n" + text + line))

    def unit_of(self, file):
        """The command that compiles a source of the project, and the text of what it is compiled in together with others."""
        if file in self.commands:
            return self.commands[file], None
        named = {f'#include "{file}"', f'#include "{file.relative_to(SOURCE)}"'}
        groups = ((group.read_text(), c) for group, c in self.commands.items() if BUILD in group.parents)
        return next((c, text) for text, c in groups if not named.isdisjoint(text.splitlines()))

    def compile(self, source, like=None):
        """A source of the copy, with the flags of the build, but quickly."""
        command, group = self.unit_of(like or SOURCE / source)
        unit = self.folder / source
        if group and not like:
            unit = self.folder / (source.replace("/", "-") + "-and-others.cpp")
            unit.write_text(group.replace(f'"{SOURCE}/', f'"{self.folder}/'))
        words = [re.sub(rf"^-I{re.escape(str(SOURCE))}/(include|src|cli|[.])(?![\w-])", rf"-I{self.folder}/\1", w)
                 for w in shlex.split(command["command"])]
        out = self.folder / (source.replace("/", "-") + ".o")
        words[words.index("-o") + 1] = str(out)
        words[words.index("-c") + 1] = str(unit)
        # (without the precompiled header, which clang is told of in other words)
        words = [w for w in words
                 if not re.match(r"-O\d", w) and w not in ("-include", "-include-pch", "-Xclang") and "cmake_pch" not in w]
        done = subprocess.run([*words, "-O0"], cwd=command["directory"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:3000])
        return out

    def link(self, *objects):
        """The program with these objects before those of the library and of the program: what is there twice is taken from them."""
        ninja = subprocess.run(["ninja", "-C", str(BUILD), "-t", "commands", "-s", "bin/holonom"], capture_output=True, text=True,
                               check=True).stdout.strip().splitlines()[-1]
        words = shlex.split(ninja.split("&&")[1] if "&&" in ninja else ninja)
        program = self.folder / "holonom"
        words[words.index("-o") + 1] = str(program)
        done = subprocess.run([words[0], "-Wl,--allow-multiple-definition", *map(str, objects), *words[1:]], cwd=BUILD, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:3000])
        return program

    def run_it(self, program, *arguments):
        done = subprocess.run([program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_base_method(self):
        self.follow("A base method")
        program = self.link(self.compile("src/methods/bases.cpp"))
        model = SOURCE / "models/double-pendulum.toml"
        twice = json.loads(self.run_it(program, "run", model, "--method", "rattle-twice", "--step", "0.1", "--steps", 20,
                                       "--json"))
        once = json.loads(self.run_it(program, "run", model, "--step", "0.05", "--steps", 40, "--json"))
        for name, x in once["q"].items():
            self.assertAlmostEqual(twice["q"][name], x, delta=1e-13)
        self.run_it(program, "run", model, "--method", "yoshida-4/rattle-twice", "--steps", 5)

    def test_a_command(self):
        self.follow("A command")
        program = self.link(self.compile("cli/main.cpp"), self.compile("cli/title.cpp", SOURCE / "cli/main.cpp"))
        self.assertEqual(self.run_it(program, "title", SOURCE / "models/pendulum.toml"), "pendulum\n")

    def test_a_projection(self):
        self.follow("A projection")
        generated = self.folder / "src/runge_kutta_double.cpp"
        generated.write_text((self.folder / "src/methods/runge_kutta_scalar.cpp.in").read_text().replace("@SCALAR@", "double"))
        program = self.link(self.compile("src/run/preparation.cpp"), self.compile("src/methods/runge_kutta.cpp"),
                            self.compile("src/runge_kutta_double.cpp", BUILD / "generated/src/runge_kutta_double.cpp"))
        result = json.loads(self.run_it(program, "run", SOURCE / "models/double-pendulum.toml", "--method", "radau-2a-2",
                                        "--projection", "momenta", "--steps", 50, "--json"))
        self.assertEqual(result["method"], "radau-2a-2+momenta")
        self.assertLess(result["constraint"]["hidden_relative_max"], 1e-14)

    def test_a_file_format(self):
        self.follow("A file format")
        generated = self.folder / "src/run_double.cpp"
        generated.write_text((self.folder / "src/run/run_scalar.cpp.in").read_text().replace("@SCALAR@", "double"))
        program = self.link(self.compile("src/run/run.cpp"),
                            self.compile("src/run_double.cpp", BUILD / "generated/src/run_double.cpp"))
        self.run_it(program, "run", SOURCE / "models/pendulum.toml", "--steps", 5, "--out", "end.last", "--checkpoint", 0)
        self.assertEqual(len((self.folder / "end.last").read_text().split()), 2)


if __name__ == "__main__":
    unittest.main()
