"""What the program writes, and where: streams that fail, full disks, files that must not be overwritten, two runs and one file."""

import csv
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from support import HANGS, MODELS, PROGRAM, CliTest, pendulum

COMMANDS = {
    "run": ("run", MODELS / "pendulum.toml", "--steps", 3),
    "run --json": ("run", MODELS / "pendulum.toml", "--steps", 3, "--json"),
    "check": ("check", MODELS / "pendulum.toml"),
    "compare": ("compare", MODELS / "pendulum.toml", "--methods", "rattle", "--step", "T/50", "--until", "T"),
    "certify": ("certify", MODELS / "pendulum.toml"),
    "methods": ("methods",),
    "methods --json": ("methods", "--json"),
    "methods KEY": ("methods", "rattle"),
    "help": ("--help",),
    "help of run": ("run", "--help"),
    "version": ("--version",),
}


def with_limit(size):
    """For preexec_fn: no file may become larger, which stands for a full disk. (Python ignores SIGXFSZ; programs do not.)"""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class Streams(CliTest):
    def finished(self, arguments, **streams):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=HANGS, **streams)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_device(self):
        for name, arguments in COMMANDS.items():
            with self.subTest(name), open("/dev/full", "w") as full:
                result = self.finished(arguments, stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertEqual(result.stderr, "holonom: standard output: writing failed (No space left on device)\n")

    def test_a_pipe_that_nobody_reads(self):
        for name, arguments in COMMANDS.items():
            with self.subTest(name):
                read, write = os.pipe()
                os.close(read)
                result = self.finished(arguments, stdout=write, stderr=subprocess.PIPE, text=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN), restore_signals=False)
                os.close(write)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn("standard output: writing failed (Broken pipe)", result.stderr)

    def test_a_pipe_whose_reader_has_gone(self):
        """As a shell starts a program, with the signal that would end it."""
        for arguments in (("methods",), ("run", MODELS / "pendulum.toml", "--steps", 3, "--out", "a.csv", "--force")):
            read, write = os.pipe()
            os.close(read)
            result = self.finished(arguments, stdout=write, stderr=subprocess.PIPE, text=True)
            os.close(write)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("standard output: writing failed (Broken pipe)", result.stderr)
        self.assertEqual(len(self.read_csv("a.csv")[1]), 4)

    def test_closed_streams_do_not_end_in_files(self):
        """The first file that is opened would get the number of standard output."""
        self.write(pendulum())
        for out in ("a.csv", "a.h5"):
            result = subprocess.run(["/bin/sh", "-c", f"'{PROGRAM}' run m.toml --steps 3 --out {out} >&-"], cwd=self.folder, timeout=HANGS,
                                    stderr=subprocess.PIPE, text=True)
            if "HDF5" in result.stderr:
                continue  # a build without
            self.assertEqual(result.returncode, 1)
            self.assertIn("standard output: writing failed", result.stderr)
            if out == "a.csv":
                self.assertEqual(len(self.read_csv(out)[1]), 4)
            else:
                self.assertNotIn(b"largest error", (self.folder / out).read_bytes())
        result = subprocess.run(["/bin/sh", "-c", f"'{PROGRAM}' run '{MODELS / 'pendulum.toml'}' --step 1 --until 30 --out b.csv 2>&-"], cwd=self.folder, timeout=HANGS,
                                stdout=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("holonom:", (self.folder / "b.csv").read_text())

    def test_other_failures_keep_their_code(self):
        with open("/dev/full", "w") as full:
            result = self.finished(("certify", MODELS / "pendulum.toml", "--tolerance", "1e-4"), stdout=full, stderr=subprocess.DEVNULL)
            self.assertEqual(result.returncode, 3)


class Disks(CliTest):
    def limited(self, size, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=HANGS, capture_output=True, text=True,
                              preexec_fn=with_limit(size))

    def test_csv_ends_with_a_whole_row(self):
        for size in (3000, 50000, 50001, 123457):
            result = self.limited(size, "run", MODELS / "double-pendulum.toml", "--steps", 20000, "--out", "a.csv", "--force", "--json")
            self.assertEqual(result.returncode, 1, result.stderr)
            r = json.loads(result.stdout)
            self.assertEqual(r["status"], "failed")
            self.assertRegex(r["message"], r"a\.csv: writing failed \(.*\); the rows written so far are kept\.")
            self.assertIn("The last good state, t = ", result.stderr)
            text = (self.folder / "a.csv").read_text()
            self.assertTrue(text.endswith("\n"))
            columns, rows = self.read_csv("a.csv")
            self.assertEqual({len(row) for row in rows}, {len(columns)})
            self.assertGreater(len(text), size - 300, "as many rows as there is room for")

    def test_rows_that_a_checkpoint_cannot_write_are_a_failure(self):
        """Few rows are in memory until the last checkpoint, or the end, writes them."""
        for size, *more in ((300,), (300, "--checkpoint", 0), (1200, "--every", 3)):
            result = self.limited(size, "run", MODELS / "pendulum.toml", "--steps", 20, "--out", "a.csv", "--force", "--json", *more)
            self.assertEqual(result.returncode, 1, result.stderr)
            r = json.loads(result.stdout)
            self.assertEqual(r["status"], "failed")
            self.assertRegex(r["message"], r"a\.csv: writing failed \(.*\); the rows written so far are kept\.")
            self.assertNotRegex(result.stderr, r"warning: a\.csv: writing failed")
            self.assertTrue((self.folder / "a.csv").read_text().endswith("\n"))
        result = self.limited(300, "run", MODELS / "pendulum.toml", "--until", "3*T", "--event", "x", "--events-out", "e.csv")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("e.csv: writing failed", result.stderr)

    def test_a_disk_that_was_full_for_a_while(self):
        """Later rows are not written behind a gap, and the run does not pretend that they are all there."""
        def full():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))
        process = subprocess.Popen([PROGRAM, "run", str(MODELS / "double-pendulum.toml"), "--steps", "400000", "--every", "4000", "--checkpoint", "0.05",
                                    "--out", "a.csv", "--json"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=full)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        almost_full = None
        while process.poll() is None and time.monotonic() < min(deadline, (almost_full or deadline) + 2):
            if almost_full is None and (self.folder / "a.csv").exists() and (self.folder / "a.csv").stat().st_size > 3600:
                almost_full = time.monotonic()
            time.sleep(0.01)
        if process.poll() is None:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        printed, said = process.communicate(timeout=HANGS)
        text = (self.folder / "a.csv").read_bytes()
        self.assertNotIn(b"\0", text)
        self.assertTrue(text.endswith(b"\n"))
        columns, rows = self.read_csv("a.csv")
        self.assertEqual({len(row) for row in rows}, {len(columns)})
        r = json.loads(printed)
        if len(rows) < 101:
            self.assertEqual((process.returncode, r["status"]), (1, "failed"), said)
            self.assertIn("a.csv: writing failed", said)
        self.assertLess(len(rows), 101, "the disk was full")

    def test_events_end_with_a_whole_row(self):
        result = self.limited(9000, "run", MODELS / "pendulum.toml", "--until", "100*T", "--event", "x", "--events-out", "e.csv")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertTrue((self.folder / "e.csv").read_text().endswith("\n"))
        columns, rows = self.read_csv("e.csv")
        self.assertEqual({len(row) for row in rows}, {len(columns)})

    def test_hdf5_is_a_failure_of_the_run(self):
        result = self.limited(3 << 20, "run", MODELS / "pendulum.toml", "--steps", 10000000, "--out", "a.h5", "--json")
        if "HDF5" in result.stderr:
            self.skipTest("a build without HDF5")
        self.assertEqual(result.returncode, 1, result.stderr)
        r = json.loads(result.stdout)
        self.assertEqual(r["status"], "failed")
        self.assertRegex(r["message"], r"a\.h5: writing failed \(.*\); \d+ rows are kept\.")
        self.assertRegex(result.stderr, r"rows are kept\. The last good state, t = [\d.]+, is kept\.")
        self.assertGreater(r["steps"], 1000)

    def test_rows_of_hdf5_that_a_checkpoint_cannot_write_are_a_failure(self):
        self.run_program("run", MODELS / "pendulum.toml", "--steps", 9000, "--out", "whole.h5")
        if not (self.folder / "whole.h5").exists():
            self.skipTest("a build without HDF5")
        size = (self.folder / "whole.h5").stat().st_size
        result = self.limited(size - 2000, "run", MODELS / "pendulum.toml", "--steps", 9000, "--out", "a.h5", "--json")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(json.loads(result.stdout)["message"], r"a\.h5: writing failed \(.*\); \d+ rows are kept\.")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_hdf5_is_no_device(self):
        self.write(pendulum())
        os.symlink("/dev/full", self.folder / "full.h5")
        result = self.run_program("run", "m.toml", "--out", "full.h5", "--force")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertTrue((self.folder / "full.h5").is_symlink(), "what was there is kept")

    def test_a_comparison_that_cannot_be_written(self):
        result = self.limited(100, "compare", MODELS / "pendulum.toml", "--methods", "rattle", "--step", "T/50", "--until", "T", "--out", "c.csv", "--json")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(json.loads(result.stdout)["rows"][0]["status"], "done", "the result is printed all the same")
        self.assertIn("c.csv: writing failed", result.stderr)


class Inputs(CliTest):
    """What a run reads is not overwritten, whatever the name."""
    pairs = """format = 1
[coordinates]
r = { count = 2, dim = 2 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { file = "rows.csv" }
term = "w*r[i].y"
[initial]
q.r = { file = "start.csv" }
[integrate]
step = 0.01
until = 0.1
"""
    lobatto = 'name = "Lobatto IIIA"\nA = [["0", "0"], ["1/2", "1/2"]]\nb = ["1/2", "1/2"]\n'

    def setUp(self):
        super().setUp()
        self.write(pendulum(events='down = "y"'))
        self.write(self.pairs, "pairs.toml")
        self.write("i,w\n0,1\n1,2\n", "rows.csv")
        self.write("x,y\n0,0\n1,0\n", "start.csv")
        self.write(self.lobatto, "lobatto.toml")
        os.symlink("m.toml", self.folder / "link.csv")
        os.symlink("m.toml", self.folder / "link.h5")
        os.link(self.folder / "m.toml", self.folder / "hard.csv")
        os.link(self.folder / "m.toml", self.folder / "hard.h5")
        os.symlink("lobatto.toml", self.folder / "pair.csv")
        (self.folder / "sub").mkdir()
        os.symlink("../m.toml", self.folder / "sub" / "compare.json")
        self.before = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}

    def kept(self, *arguments):
        result = self.run_program(*arguments, "--force")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("which is read, and is never overwritten; give another name", result.stderr)
        self.assertEqual(self.before, {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()})

    def test_of_a_run(self):
        for name in ("link.csv", "link.h5", "hard.csv", "hard.h5", "./sub/../link.csv"):
            self.kept("run", "m.toml", "--out", name)
        for name in ("link.csv", "hard.csv"):
            self.kept("run", "m.toml", "--events-out", name)
        for name in ("rows.csv", "start.csv", "./rows.csv", self.folder / "rows.csv"):
            self.kept("run", "pairs.toml", "--out", name)
        self.kept("run", "m.toml", "--method", "pair:lobatto.toml", "--out", "pair.csv")

    def test_of_checkpoints(self):
        """They stand beside the output, under names that a user did not choose."""
        for name in ("a.csv.checkpoint", "a.csv.checkpoint.new"):
            (self.folder / name).write_bytes(self.before["m.toml"])
            self.before[name] = self.before["m.toml"]
            self.kept("run", name, "--out", "a.csv")
            self.kept("run", name, "--events-out", "a.csv")
            (self.folder / name).unlink()
            (self.folder / name).symlink_to("m.toml")
            self.kept("run", "m.toml", "--out", "a.csv")
            (self.folder / name).unlink()
            self.before.pop(name)

    def test_files_in_the_way_of_checkpoints(self):
        for name in ("a.csv.checkpoint", "a.csv.checkpoint.new"):
            (self.folder / name).write_text("letters")
            result = self.run_program("run", "m.toml", "--steps", 3, "--out", "a.csv")
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{name}: the file exists; use --force to overwrite it, or another name", result.stderr)
            self.assertEqual((self.folder / name).read_text(), "letters")
            self.assertFalse((self.folder / "a.csv").exists())
            result = self.run_program("run", "m.toml", "--steps", 3, "--out", "a.csv", "--checkpoint", 0)
            self.assertEqual((result.returncode, (self.folder / name).read_text()), (0, "letters"))
            result = self.run_program("run", "m.toml", "--steps", 3, "--out", "a.csv", "--force")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue((self.folder / "a.csv.checkpoint").read_bytes().startswith(b"holonom checkpoint"))
            self.assertFalse((self.folder / "a.csv.checkpoint.new").exists())
            (self.folder / "a.csv").unlink()
            # that of the run whose output is gone, and what is left of one that was killed
            (self.folder / "a.csv.checkpoint.new").write_bytes((self.folder / "a.csv.checkpoint").read_bytes()[:11])
            result = self.run_program("run", "m.toml", "--steps", 3, "--out", "a.csv")
            self.assertEqual(result.returncode, 0, result.stderr)
            for left in ("a.csv", "a.csv.checkpoint"):
                (self.folder / left).unlink()

    def test_of_a_comparison(self):
        self.kept("compare", "m.toml", "--methods", "rattle", "--out", "link.csv")
        self.kept("compare", "m.toml", "--methods", "rattle", "--out", "sub")
        self.kept("compare", "pairs.toml", "--methods", "rattle", "--out", "rows.csv")
        self.kept("compare", "m.toml", "--methods", "rattle,pair:lobatto.toml", "--out", "pair.csv")

    def test_one_file_for_states_and_events(self):
        (self.folder / "a.csv").write_text("")
        os.link(self.folder / "a.csv", self.folder / "b.csv")
        for names in (("a.csv", "a.csv"), ("a.csv", "b.csv"), ("new.csv", "sub/../new.csv")):
            result = self.run_program("run", "m.toml", "--out", names[0], "--events-out", names[1], "--force")
            self.assertEqual(result.returncode, 2)
            self.assertIn("this is the file of --out", result.stderr)

    def test_empty_names(self):
        for arguments in (("run", "m.toml", "--out", ""), ("run", "m.toml", "--events-out", ""), ("methods", "--model", ""),
                          ("compare", "m.toml", "--methods", "rattle", "--out", "")):
            result = self.run_program(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("the name of a file is missing", result.stderr)


class Columns(CliTest):
    def test_names_are_quoted_where_they_have_to_be(self):
        """Those of [names] may be anything."""
        self.write(pendulum(invariants='r = "x^2 + y^2"', observables='o = "x"', events='e = "x"',
                            names='x = "a,b\\"c"\ny = "two\\nlines"\nrod = "the, rod"\nr = "r\\rr"\no = "o, o"'))
        expected = ["t", 'a,b"c', "two\nlines", 'p_a,b"c', "p_two\nlines", "lambda_the, rod", "energy", "position_residual", "hidden_residual",
                    "r\rr", "o, o"]
        for end, how in ((1, "--force"), (3, "--extend")):
            result = self.run_program("run", "m.toml", "--until", end, "--out", "a.csv", "--events-out", "e.csv", how)
            self.assertEqual(result.returncode, 0, result.stderr)
        for name, columns in (("a.csv", expected), ("e.csv", ["event", "direction", *expected])):
            with open(self.folder / name, newline="") as file:
                header, *rows = csv.reader(file)
            self.assertEqual(header, columns)
            self.assertGreater(len(rows), 0)
            self.assertEqual({len(row) for row in rows}, {len(header)})


class TwoRuns(CliTest):
    def long_run(self, out):
        process = subprocess.Popen([PROGRAM, "run", str(MODELS / "double-pendulum.toml"), "--steps", "1000000000", "--out", out, "--json"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 30
        while not ((self.folder / out).exists() and (self.folder / out).stat().st_size > 20000) and time.monotonic() < deadline:
            time.sleep(0.02)
        return process

    def test_the_second_is_refused_while_the_first_writes(self):
        for out in ("a.csv", "a.h5"):
            with self.subTest(out):
                first = self.long_run(out)
                if first.poll() is not None:
                    self.skipTest("a build without HDF5")
                for _ in range(3):
                    second = self.run_program("run", MODELS / "pendulum.toml", "--steps", 3, "--out", out, "--force")
                    self.assertEqual(second.returncode, 2)
                    self.assertIn(f"{out}: another run is writing to this file", second.stderr)
                first.send_signal(signal.SIGINT)
                printed, _ = first.communicate(timeout=HANGS)
                steps = json.loads(printed)["steps"]
                if out == "a.csv":
                    self.assertEqual(len(self.read_csv(out)[1]), steps + 1, "the first was not disturbed")
                second = self.run_program("run", MODELS / "pendulum.toml", "--steps", 3, "--out", out, "--force")
                self.assertEqual(second.returncode, 0, second.stderr)


class Signals(CliTest):
    def test_hangup_keeps_the_state(self):
        for with_signal in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process = TwoRuns.long_run(self, f"{with_signal.name}.csv")
            process.send_signal(with_signal)
            printed, said = process.communicate(timeout=HANGS)
            self.assertEqual(process.returncode, 130)
            r = json.loads(printed)
            self.assertEqual(r["status"], "interrupted")
            self.assertIn("the state is kept", said)
            columns, rows = self.read_csv(f"{with_signal.name}.csv")
            self.assertEqual(float(rows[-1][0]), r["t"])

    def test_nohup(self):
        process = subprocess.Popen(["/bin/sh", "-c", f"trap '' HUP; exec '{PROGRAM}' run '{MODELS / 'pendulum.toml'}' --steps 2000000"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        for _ in range(20):
            time.sleep(0.01)
            process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=HANGS), 0)

    def test_commands_without_a_state(self):
        self.write(pendulum())
        for arguments in (("certify", MODELS / "rigid-body-heavy.toml", "--precision", "100"),
                          ("compare", MODELS / "double-pendulum.toml", "--methods", "rattle", "--step", "0.0001", "--until", "100", "--precision", "100")):
            process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            printed, said = process.communicate(timeout=HANGS)
            self.assertEqual((process.returncode, said.splitlines()[-1:]), (130, ["holonom: interrupted"]))


if __name__ == "__main__":
    unittest.main()
