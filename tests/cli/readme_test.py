"""Runs what README.md and docs/ show, and compares what they print with what comes out.

A fenced block is known by the word after its fence:
  sh             commands, run in order from a copy of the repository's root; any exit code but 0 fails
  toml           with `format = 1` in it: a model, read by `holonom check`
  cpp            a program, compiled against the installed library and run
  python         run in the same place as the commands; the blocks of a page are one session
  text, console  output. Lines that begin with `$ ` are commands, run in the same place, and what follows each is what it prints;
                 without them it is the output of the sh, python or cpp block right before it. See printed.py for how closely
                 numbers are compared. A block that is neither is an error: name it `plain`
Everything else (plain, csv, cmake, ...) is not run here. Blocks of commands that build or install things are
skipped, and said to be.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest
from dataclasses import dataclass

from printed import altered, difference
from python_session import PythonSession
from support import HANGS, PROGRAM, SOURCE, has_page

BUILD = os.environ["HOLONOM_BUILD"]  # a build tree that can be installed
COMPILER = os.environ["HOLONOM_COMPILER"]
COMPILER_FLAGS = os.environ.get("HOLONOM_COMPILER_FLAGS", "")
PYTHON = os.environ.get("HOLONOM_PYTHON", "")  # one that the package is built for; empty: there is no package
NOT_HERE = re.compile(r"\b(make |git clone|apt)")
OUTPUT = ("text", "console")
MESSAGES = ("docs/model-file.md",)  # its messages are those of many models: see messages_test.py


@dataclass
class Block:
    place: str
    word: str
    text: str
    after: "Block | None"  # the block right before it, with nothing between

    def is_session(self):
        return self.word in OUTPUT and self.text.startswith("$ ")


def pages():
    return [page for page in (SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))) if page.exists()]


def blocks(page):
    """The fenced blocks of a page, in order."""
    place, lines, last = None, [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if place is None and (fence := re.match(r"```(\w*)\s*$", line)):
            place, word, lines = f"{page.relative_to(SOURCE)}:{number}", fence[1], []
        elif place is not None and line.startswith("```"):
            last = Block(place, word, "\n".join(lines) + "\n", last)
            yield last
            place = None
        else:
            lines.append(line)
            if place is None and line.strip():
                last = None


def sessions(text):
    """(command, what it prints) of the text of a session."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def run(*command, **options):
    """The output of a command, or a failure with all of it."""
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HANGS, **options)
    if result.returncode != 0:
        raise AssertionError(f"exit code {result.returncode} from {command[-1]}\n{result.stdout}")
    return result.stdout


@unittest.skipUnless((SOURCE / "README.md").exists(), "there is no README.md yet")
class Documentation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.compared = 0

    def compare(self, place, printed, real):
        """Printed output is what comes out, and would not be with any of its numbers changed."""
        self.compared += 1
        self.assertEqual(difference(printed, real), "", f"{place}: correct the page, or the program")
        for wrong in altered(printed):
            self.assertNotEqual(difference(wrong, real), "", f"{place}: a wrong number would pass:\n{wrong}")

    def test_there_is_something_to_run(self):
        words = {block.word for page in pages() for block in blocks(page)}
        self.assertLessEqual({"sh", "toml", "cpp", "text", "console"}, words)

    def test_every_output_belongs_to_something(self):
        for page in pages():
            for block in blocks(page):
                if block.word in OUTPUT and not block.is_session() and block.place.split(":")[0] not in MESSAGES:
                    with self.subTest(block.place):
                        self.assertTrue(block.after and block.after.word in ("sh", "python", "cpp"),
                                        "output of what? Begin it with `$ command`, put it after an sh, python or cpp block, or name the block `plain`")

    def test_commands(self):
        environment = {**os.environ, "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}
        for page in pages():
            # What the commands write stays here; what they read is linked.
            root = self.folder / page.relative_to(SOURCE).with_suffix("").as_posix().replace("/", "-")
            root.mkdir()
            for entry in SOURCE.iterdir():
                if not entry.name.startswith(("build", ".git")) and entry.suffix not in (".csv", ".h5"):
                    (root / entry.name).symlink_to(entry)
            output = {}  # of sh and python blocks
            python = PythonSession(PYTHON, root, pathlib.Path(BUILD) / "python") if PYTHON else None
            for block in blocks(page):
                if block.word == "sh" and NOT_HERE.search(block.text):
                    print(f"{block.place}: skipped, it builds or installs things")
                    continue
                if (block.word == "sh" or block.is_session()) and re.search("holonom view|--live", block.text) and not has_page():
                    print(f"{block.place}: skipped, this program was built without npm")
                    continue
                if block.word == "python" and ".view(" in block.text and not has_page():
                    continue
                with self.subTest(block.place):
                    if block.word == "sh":
                        output[block.place] = run("bash", "-e", "-c", block.text, cwd=root, env=environment)
                    elif block.word == "python" and python:
                        output[block.place] = python.run(block.text, block.place)
                    elif block.is_session():
                        for command, printed in sessions(block.text):
                            done = subprocess.run(["bash", "-c", command], cwd=root, env=environment, capture_output=True, text=True,
                                                  timeout=HANGS)
                            # Which of them comes first is a matter of buffers.
                            reals = done.stdout + done.stderr, done.stderr + done.stdout
                            real = next((r for r in reals if not difference(printed, r)), reals[0])
                            self.compare(f"{block.place}: $ {command}", printed, real)
                    elif block.word in OUTPUT and block.after and block.after.place in output:
                        self.compare(block.place, block.text, output[block.after.place])
            if python:
                python.end()
        self.assertGreater(self.compared, 10)

    def test_the_demo_is_what_the_readme_shows(self):
        demo = (SOURCE / "scripts" / "demo.sh").read_text()
        out = re.search(r"^out=(.*)$", demo, re.MULTILINE)[1]
        shown = [command.replace("$out", out) for command in re.findall(r'^echo "\\\$ (.*)"$', demo, re.MULTILINE)]
        session = next(block for block in blocks(SOURCE / "README.md") if block.is_session())
        self.assertEqual([command for command, _ in sessions(session.text)], shown)

    def test_models(self):
        for page in pages():
            for block in blocks(page):
                if block.word != "toml" or "format = 1" not in block.text:
                    continue
                with self.subTest(block.place):
                    model = self.folder / "model.toml"
                    model.write_text(block.text)
                    run(PROGRAM, "check", model)

    def test_programs(self):
        """All programs in one project, as a reader would write it."""
        everything = [block for page in pages() for block in blocks(page)]
        programs = [(block.place, block.text) for block in everything if block.word == "cpp"]
        printed = {block.after.place: block for block in everything if block.word in OUTPUT and block.after and block.after.word == "cpp"}
        run("cmake", "--install", BUILD, "--prefix", self.folder / "prefix")
        project = ["cmake_minimum_required(VERSION 3.25)", "project(documentation LANGUAGES CXX)", "set(CMAKE_CXX_STANDARD 20)",
                   "find_package(holonom REQUIRED)", "link_libraries(holonom::holonom)"]
        for k, (place, text) in enumerate(programs):
            (self.folder / f"program{k}.cpp").write_text(f'#line 1 "{place}"\n{text}')
            project.append(f"add_executable(program{k} program{k}.cpp)")
        (self.folder / "CMakeLists.txt").write_text("\n".join(project) + "\n")
        (self.folder / "models").symlink_to(SOURCE / "models")
        build = self.folder / "build"
        run("cmake", "-S", self.folder, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.folder / 'prefix'}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_CXX_FLAGS=-O1 {COMPILER_FLAGS}")
        # All of them at once, then one by one for what failed.
        subprocess.run(["cmake", "--build", build, "--", "-k", "0"], capture_output=True, timeout=HANGS)
        for k, (place, _) in enumerate(programs):
            with self.subTest(place):
                run("cmake", "--build", build, "--target", f"program{k}")
                real = run(build / f"program{k}", cwd=self.folder)
                if place in printed:
                    self.compare(printed[place].place, printed[place].text, real)
        self.assertGreaterEqual(self.compared, 7)


if __name__ == "__main__":
    unittest.main()
