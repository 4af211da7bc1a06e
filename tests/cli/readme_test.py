"""Runs what README.md and docs/ show.

A fenced block is known by the word after its fence:
  sh    commands, run in order from a copy of the repository's root; any exit code but 0 fails
  toml  with `format = 1` in it: a model, read by `holonom check`
  cpp   a program, compiled against the installed library and run
Everything else (text, console, cmake, ...) is not run. Blocks of commands that build or install things are
skipped, and said to be.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import PROGRAM, SOURCE

BUILD = os.environ["HOLONOM_BUILD"]  # a build tree that can be installed
COMPILER = os.environ["HOLONOM_COMPILER"]
COMPILER_FLAGS = os.environ.get("HOLONOM_COMPILER_FLAGS", "")
NOT_HERE = re.compile(r"\b(make |git clone|apt)")


def pages():
    return [page for page in (SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))) if page.exists()]


def blocks(page, language):
    """(place, text) of the fenced blocks of a language."""
    place, lines = None, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if place is None and (fence := re.match(r"```(\w*)\s*$", line)):
            place, word, lines = f"{page.relative_to(SOURCE)}:{number}", fence[1], []
        elif place is not None and line.startswith("```"):
            if word == language:
                yield place, "\n".join(lines) + "\n"
            place = None
        else:
            lines.append(line)


def run(*command, **options):
    """The output of a command, or a failure with all of it."""
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **options)
    if result.returncode != 0:
        raise AssertionError(f"exit code {result.returncode} from {command[-1]}\n{result.stdout}")
    return result.stdout


@unittest.skipUnless((SOURCE / "README.md").exists(), "there is no README.md yet")
class Documentation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_there_is_something_to_run(self):
        for language in ("sh", "toml", "cpp"):
            self.assertTrue(any(True for page in pages() for _ in blocks(page, language)), f"no block of {language} was found")

    def test_commands(self):
        environment = {**os.environ, "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}
        for page in pages():
            # What the commands write stays here; what they read is linked.
            root = self.folder / page.relative_to(SOURCE).with_suffix("").as_posix().replace("/", "-")
            root.mkdir()
            for entry in SOURCE.iterdir():
                if not entry.name.startswith(("build", ".git")) and entry.suffix not in (".csv", ".h5"):
                    (root / entry.name).symlink_to(entry)
            for place, commands in blocks(page, "sh"):
                if NOT_HERE.search(commands):
                    print(f"{place}: skipped, it builds or installs things")
                    continue
                with self.subTest(place):
                    run("bash", "-e", "-c", commands, cwd=root, env=environment)

    def test_models(self):
        for page in pages():
            for place, text in blocks(page, "toml"):
                if "format = 1" not in text:
                    continue
                with self.subTest(place):
                    model = self.folder / "model.toml"
                    model.write_text(text)
                    run(PROGRAM, "check", model)

    def test_programs(self):
        """All programs in one project, as a reader would write it."""
        programs = [(place, text) for page in pages() for place, text in blocks(page, "cpp")]
        run("cmake", "--install", BUILD, "--prefix", self.folder / "prefix")
        project = ["cmake_minimum_required(VERSION 3.25)", "project(documentation LANGUAGES CXX)", "set(CMAKE_CXX_STANDARD 20)",
                   "find_package(holonom REQUIRED)", "link_libraries(holonom::holonom)"]
        for k, (place, text) in enumerate(programs):
            (self.folder / f"program{k}.cpp").write_text(f'#line 1 "{place}"\n{text}')
            project.append(f"add_executable(program{k} program{k}.cpp)")
        (self.folder / "CMakeLists.txt").write_text("\n".join(project) + "\n")
        build = self.folder / "build"
        run("cmake", "-S", self.folder, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.folder / 'prefix'}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_CXX_FLAGS=-O1 {COMPILER_FLAGS}")
        # All of them at once, then one by one for what failed.
        subprocess.run(["cmake", "--build", build, "--", "-k", "0"], capture_output=True, timeout=300)
        for k, (place, _) in enumerate(programs):
            with self.subTest(place):
                run("cmake", "--build", build, "--target", f"program{k}")
                run(build / f"program{k}", cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
