"""The house: folders that know only those below them, scripts that can be called, and one format everywhere."""

import pathlib
import re
import shutil
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=SOURCE, capture_output=True, text=True)
    if listed.returncode != 0:
        raise unittest.SkipTest("not a git checkout")
    return [SOURCE / name for name in listed.stdout.split() if (SOURCE / name).exists()]


class Folders(unittest.TestCase):
    def order(self):
        """The folders in the order of the table in ARCHITECTURE.md; the headers in no folder come first."""
        table = (SOURCE / "ARCHITECTURE.md").read_text().split("## The folders")[1].split("\n## ")[0]
        return [""] + re.findall(r"^\| `(\w+)/`", table, re.M)

    def folder(self, header):
        return header.split("/")[0] if "/" in header else ""

    def test_a_folder_uses_those_above_it_in_the_table(self):
        order = self.order()
        self.assertIn("analysis", order)
        wrong, seen = [], set()
        for root in ("include/holonom", "src"):
            for file in tracked(f"{root}/*"):
                here = self.folder(str(file.relative_to(SOURCE / root)))
                if here and file.suffix in (".hpp", ".cpp", ".in"):
                    seen.add(here)
                for header in re.findall(r'#include "holonom/([^"]+)"', file.read_text() if file.suffix != ".md" else ""):
                    there = self.folder(header)
                    if order.index(there) > order.index(here):
                        wrong.append(f"{file.relative_to(SOURCE)} includes {header}")
        self.assertEqual(wrong, [])
        self.assertLessEqual(seen, set(order))

    def test_the_program_knows_no_recorder(self):
        for file in tracked("cli/*"):
            known = re.findall(r'#include "holonom/run/((?:csv|hdf5|sampling|dense|events)[^"]*)"', file.read_text())
            self.assertEqual(known, [], file.name)

    def test_the_program_knows_no_engine(self):
        for file in tracked("cli/*"):
            known = re.findall(r"Engine::\w+|use_native|holonom/expr/native", file.read_text())
            self.assertEqual(known, [], file.name)


class Scripts(unittest.TestCase):
    def test_what_names_its_interpreter_can_be_called(self):
        scripts = [file for file in tracked("*.py", "*.sh") if file.read_text().startswith("#!")]
        self.assertTrue(scripts)
        self.assertEqual([file.name for file in scripts if not file.stat().st_mode & 0o111], [])


class Format(unittest.TestCase):
    def test_all_sources_are_formatted(self):
        program = shutil.which("clang-format-14") or shutil.which("clang-format")
        if not program:
            self.skipTest("clang-format is not installed")
        found = subprocess.run([program, "--dry-run", "-Werror", *map(str, tracked("*.hpp", "*.cpp"))], cwd=SOURCE,
                               capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, "run `make format`:\n" + found.stderr[:3000])
        for file in tracked("*.cpp.in"):
            text = file.read_text().replace("@SCALAR@", "SCALAR_")
            formatted = subprocess.run([program, "--assume-filename=x.cpp"], input=text, cwd=SOURCE, capture_output=True,
                                       text=True)
            self.assertEqual(formatted.stdout, text, f"{file.name}: run `make format`")


if __name__ == "__main__":
    unittest.main()
