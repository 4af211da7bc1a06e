"""What `make` builds and installs, without building or installing anything."""

import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOR_TESTS = {"libgtest-dev", "libbenchmark-dev", "python3-h5py", "python3-mdanalysis"}


class Packages(unittest.TestCase):
    """The script with a dpkg-query that knows no package, and an apt-get that only writes down what it is asked for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, body in (("dpkg-query", "exit 1"), ("apt-get", f'echo "$@" >> {self.folder}/asked'), ("sudo", 'exec "$@"')):
            path = self.folder / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def asked(self, *arguments):
        (self.folder / "asked").unlink(missing_ok=True)
        subprocess.run([SOURCE / "scripts" / "install-packages.sh", *arguments], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        install = [line for line in (self.folder / "asked").read_text().splitlines() if line.startswith("install")]
        self.assertEqual(len(install), 1)
        return {word for word in install[0].split()[1:] if not word.startswith("-")}

    def test_the_program_needs_few(self):
        program, everything = self.asked("--program"), self.asked()
        self.assertLessEqual({"g++", "cmake", "libboost-dev", "libtomlplusplus-dev", "libcli11-dev"}, program)
        self.assertLess(program, everything)
        self.assertLessEqual(FOR_TESTS, everything)
        self.assertFalse(FOR_TESTS & program)
        self.assertFalse([p for p in program if p.startswith("python")])
        self.assertEqual(self.asked("clang"), everything | {"clang"})


class Make(unittest.TestCase):
    def commands(self, target):
        return subprocess.run(["make", "-n", target, "BUILD=no-such-folder"], cwd=SOURCE, check=True, capture_output=True, text=True).stdout

    def test_demo_builds_the_program_alone(self):
        demo = self.commands("demo")
        self.assertIn("install-packages.sh --program", demo)
        self.assertIn("-DHOLONOM_TESTS=OFF", demo)
        self.assertRegex(demo, r"cmake --build no-such-folder --target holonom_cli\n")
        self.assertEqual(demo.count("cmake --build"), 1)
        self.assertNotIn("ctest", demo)

    def test_test_builds_all(self):
        test = self.commands("test")
        self.assertIn("-DHOLONOM_TESTS=ON", test)
        self.assertRegex(test, r"install-packages.sh\n")
        self.assertRegex(test, r"cmake --build no-such-folder\n")
        self.assertIn("ctest", test)


if __name__ == "__main__":
    unittest.main()
