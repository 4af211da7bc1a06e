"""A run that was stopped and resumed is the run that was not: the same bits in its files and in its JSON, but for the
time that it took."""

import json
import os
import random
import resource
import signal
import subprocess
import time
import unittest
import zlib

from support import MODELS, PROGRAM, CliTest, pendulum

ALL = os.environ.get("HOLONOM_TEST_ALL", "0") != "0"
SEED = os.environ.get("HOLONOM_TEST_SEED", "")


def has_its_turn(name, every):
    """One of `every` in `make test`, by the commit; all in `make test-full`."""
    return ALL or zlib.crc32((SEED + name).encode()) % every == 0


def same_values(text):
    values = json.loads(text)
    values.pop("wall_seconds")
    return values


class Resume(CliTest):
    def run_ok(self, *arguments):
        result = self.run_program("run", *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return same_values(result.stdout)

    def whole_and_in_parts(self, model, *arguments, steps=100, stop=50, out="csv", events=True):
        """JSON and files of a run at once, and of one that was extended by another process."""
        found = []
        for name, parts in (("whole", [steps]), ("parts", [stop, steps])):
            folder = self.folder / name
            folder.mkdir(exist_ok=True)
            for file in folder.iterdir():
                file.unlink()
            result = None
            for k, n in enumerate(parts):
                result = self.run_ok(model, "--steps", n, *arguments, "--out", folder / f"r.{out}",
                                     *(["--events-out", folder / "e.csv"] if events else []), *(["--extend"] if k else []))
            found.append((result, (folder / "e.csv").read_bytes() if events else b"",
                          (folder / f"r.{out}").read_bytes() if out == "csv" else b""))
        return found

    def test_formulations_and_their_tangents_go_on_bit_for_bit(self):
        for method in ("gauss-2@dirac", "gauss-1@weak+orthogonal:7", "gauss-2@h-m+symplectic", "rattle"):
            whole, parts = self.whole_and_in_parts(MODELS / "charged-particle.toml", "--method", method, "--wedge",
                                                   events=False)
            self.assertEqual(whole, parts, method)
            self.assertIn("wedge", whole[0]["invariants"])

    def test_wedge_products_go_on_bit_for_bit(self):
        """A base method, an implicit one, a composition, one with stages, on a system whose motion is rounded in each step."""
        for method in ("rattle", "symplectic-euler", "kahan-li-8", "lobatto-4", "rattle --compensated on"):
            whole, parts = self.whole_and_in_parts(MODELS / "double-pendulum.toml", "--method", *method.split(), "--wedge",
                                                   steps=410, stop=205, events=False)
            self.assertEqual(whole[0], parts[0], method)
            self.assertEqual(whole[2].splitlines()[-1], parts[2].splitlines()[-1], method)
            self.assertTrue(whole == parts, method)

    def test_every_method_goes_on_bit_for_bit(self):
        listed = json.loads(self.run_program("methods", "--json").stdout)
        # constrained, any H, M(q), redundant, split and stiff, and without constraints
        models = {"double-pendulum": "x1", "charged-particle": "z", "slider-crank": "sin(phi)", "four-bar-redundant": "p_x1",
                  "elastic-double-pendulum": "x1", "kepler": "x"}
        tried = 0
        for model, event in models.items():
            suited = {m["key"] for m in json.loads(
                self.run_program("methods", "--model", MODELS / f"{model}.toml", "--json").stdout) if m["suits_model"]}
            for method in listed:
                key = method["key"]
                if key not in suited or not method["constrained"] and model != "kepler":
                    continue
                for precision in ("double", "quad"):
                    for compensated in ("on", "off"):
                        name = f"{key} on {model} in {precision}, compensated {compensated}"
                        if not has_its_turn(name, 40):
                            continue
                        tried += 1
                        with self.subTest(name):
                            whole, parts = self.whole_and_in_parts(
                                MODELS / f"{model}.toml", "--method", key, "--precision", precision,
                                "--compensated", compensated, "--event", f"at={event}", "--every", 3)
                            self.assertEqual(whole, parts)
        self.assertGreater(tried, 5)

    def test_files_samples_events_and_observables_go_on(self):
        model = MODELS / "double-pendulum.toml"
        every = [("--every", 7), ("--sample", "0.05"), ("--watch", "recorded", "--every", 10)]
        for options in every:
            with self.subTest(options):
                whole, parts = self.whole_and_in_parts(
                    model, *options, "--event", "x1", "--event", "z2+1.9", "--observe", "v_x1^2", "--observe",
                    "T=lambda_rod1*x1", steps=600, stop=230)
                self.assertEqual(whole, parts)
                self.assertGreater(len(whole[1].splitlines()), 5)

    def test_dead_centres_long_steps_and_large_systems_go_on(self):
        for model, *options in ((MODELS / "locomotive.toml", "--method", "yoshida-4", "--step", "0.4"),
                                (MODELS / "rigid-body-heavy.toml", "--method", "lobatto-4", "--step", "0.4"),
                                (MODELS / "hanging-chain.toml", "--set", "N=300"),
                                (MODELS / "stiff-pendulum-chain.toml", "--method", "midpoint"),
                                (MODELS / "double-pendulum.toml", "--method", "lobatto-5", "--multipliers", "stage")):
            with self.subTest(f"{model.stem} {options}"):
                whole, parts = self.whole_and_in_parts(model, *options, steps=120, stop=61, events=False)
                self.assertEqual(whole, parts)

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, "run", *map(str, arguments), "--json", "--checkpoint", "0.05"], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def kill_and_resume(self, arguments, out, signals, chance):
        """Until the run is done; returns its JSON, and how often it was stopped."""
        stopped = 0
        while True:
            process = self.start(*arguments, "--out", out, *(["--resume"] if (self.folder / out).exists() else []))
            try:
                printed, complaints = process.communicate(timeout=chance.uniform(0.02, 0.5) * (1 + stopped / 5))
            except subprocess.TimeoutExpired:
                process.send_signal(chance.choice(signals))
                printed, complaints = process.communicate()
            if process.returncode == 0:
                return same_values(printed), stopped
            if process.returncode == 2 and stopped > 0 and "there is no checkpoint" in complaints:
                (self.folder / out).unlink()  # killed between the making of the file and the first checkpoint
                continue
            # (a signal may come before the program has begun)
            self.assertIn(process.returncode, (130, *(-x for x in signals)), complaints)
            stopped += 1

    def test_killed_at_random_moments(self):
        chance = random.Random(SEED)
        arguments = (MODELS / "double-pendulum.toml", "--steps", 400000, "--every", 500, "--event", "x1")
        whole = self.run_ok(*arguments, "--out", "whole.csv")
        kills = 0
        wanted = 100 if ALL else 4
        while kills < wanted:
            result, stopped = self.kill_and_resume(arguments, "parts.csv", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM],
                                                   chance)
            self.assertEqual(whole, result)
            self.assertEqual((self.folder / "whole.csv").read_bytes(), (self.folder / "parts.csv").read_bytes())
            kills += stopped
            for file in self.folder.glob("parts.csv*"):
                file.unlink()

    def test_a_run_that_is_done_says_so_again(self):
        model = self.write(pendulum())
        first = self.run_ok(model, "--out", "r.csv")
        rows = (self.folder / "r.csv").read_bytes()
        self.assertEqual(first, self.run_ok(model, "--out", "r.csv", "--resume"))
        self.assertEqual(rows, (self.folder / "r.csv").read_bytes())

    def test_without_an_output_to_go_on_with_it_starts(self):
        model = self.write(pendulum())
        result = self.run_program("run", model, "--out", "r.csv", "--resume")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("starts from the beginning", result.stderr)

    def refused(self, *arguments, says):
        result = self.run_program("run", *arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        for text in says:
            self.assertIn(text, result.stderr)
        self.assertNotIn("internal", result.stderr)

    def test_another_run_is_refused_and_the_difference_named(self):
        model = self.write(pendulum())
        self.run_ok(model, "--steps", 40, "--every", 7, "--out", "other.csv")  # whose last row is not one of every 7
        other = (self.folder / "other.csv").read_bytes()
        self.refused(model, "--steps", 20, "--every", 7, "--out", "other.csv", "--extend", says=["has made 40 steps already"])
        self.assertEqual(other, (self.folder / "other.csv").read_bytes())
        self.run_ok(model, "--steps", 40, "--out", "r.csv")
        rows = (self.folder / "r.csv").read_bytes()
        same = (model, "--steps", 40, "--out", "r.csv", "--resume")
        for option, value, says in (("--step", "0.02", "step was '0.01"), ("--method", "yoshida-4", "method was 'rattle'"),
                                    ("--precision", "quad", "precision was 'double'"), ("--set", "g=2", "parameter g"),
                                    ("--tolerance", "1e-9", "tolerance"), ("--compensated", "on", "compensation"),
                                    ("--every", "2", "every was '1'"), ("--event", "x", "events"),
                                    ("--engine", "llvm", "engine was 'interp'"), ("--newton", "full", "Newton matrix")):
            with self.subTest(option):
                self.refused(*same, option, value, says=["r.csv.checkpoint", says])
        self.refused(model, "--steps", 80, "--out", "r.csv", "--resume",
                     says=["its end was '40 steps', this run has '80 steps' (--extend moves the end)"])
        self.refused(model, "--steps", 20, "--out", "r.csv", "--extend", says=["has made 40 steps already"])
        self.write(pendulum(parameters="m = 1\ng = 1\nL = 1 # longer"))
        self.refused(*same, says=["the model text has changed, from line 5 on"])
        self.refused(model, "--resume", says=["--resume: a run is found by its output: give --out"])
        self.assertEqual(rows, (self.folder / "r.csv").read_bytes())

    def test_data_files_are_part_of_a_run(self):
        model = self.write(pendulum(coordinates="r = { count = 2, dim = 2 }", energy='mass = { r = 1 }\npotential = "0"', constraints=None,
                                    initial='q.r = { file = "start.csv" }', parameters=""))
        self.write("x,y\n0,0\n1,0\n", "start.csv")
        self.run_ok(model, "--out", "r.csv")
        self.write("x,y\n0,0\n1,1\n", "start.csv")
        self.refused(model, "--out", "r.csv", "--resume", says=["data file start.csv"])

    def test_damaged_and_foreign_checkpoints_are_refused(self):
        model = self.write(pendulum())
        self.run_ok(model, "--out", "r.csv")
        checkpoint = self.folder / "r.csv.checkpoint"
        good = checkpoint.read_bytes()
        again = (model, "--out", "r.csv", "--resume")
        for bytes_, says in ((b"", "no checkpoint of holonom"), (b"something else entirely", "no checkpoint of holonom"),
                             (good[:-9], "damaged"), (good[:40], "damaged"), (good[:25], "damaged"),
                             (good[:300] + bytes([good[300] ^ 1]) + good[301:], "damaged"),
                             (good.replace(b"checkpoint 1", b"checkpoint 9", 1), "another format")):
            checkpoint.write_bytes(bytes_)
            with self.subTest(says):
                self.refused(*again, says=["r.csv.checkpoint", says])
        checkpoint.unlink()
        self.refused(*again, says=["there is no checkpoint to go on from"])
        checkpoint.write_bytes(good)
        rows = (self.folder / "r.csv").read_bytes()
        (self.folder / "r.csv").write_bytes(rows[: len(rows) // 2])
        self.refused(*again, says=["has lost rows"])
        (self.folder / "r.csv").write_bytes(b"a,b\n" + rows)
        self.refused(*again, says=["its columns are others"])
        (self.folder / "r.csv").unlink()
        self.refused(*again, says=["there is no such file to continue"])

    def test_where_there_is_no_room_the_older_checkpoint_survives(self):
        # A method whose memory is larger than a row
        arguments = (MODELS / "hanging-chain.toml", "--set", "N=200", "--method", "kahan-li-8", "--steps", 3000,
                     "--every", 3000)
        whole = self.run_ok(*arguments, "--out", "whole.csv")
        process = self.start(*arguments, "--out", "r.csv")
        checkpoint = self.folder / "r.csv.checkpoint"
        while not checkpoint.exists() and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate()
        before = checkpoint.read_bytes()

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) - 1, len(before) - 1))

        with_little_room = subprocess.run(
            [PROGRAM, "run", *map(str, arguments), "--out", "r.csv", "--resume", "--json", "--checkpoint", "0.05"],
            cwd=self.folder, capture_output=True, text=True, preexec_fn=no_room)
        self.assertEqual(with_little_room.returncode, 0, with_little_room.stderr)
        self.assertIn("the checkpoint cannot be written", with_little_room.stderr)
        self.assertEqual(before, checkpoint.read_bytes())
        self.assertEqual(whole, same_values(with_little_room.stdout))
        self.assertFalse((self.folder / "r.csv.checkpoint.new").exists())
        self.assertEqual(whole, self.run_ok(*arguments, "--out", "r.csv", "--resume"))

    def test_no_checkpoints_if_none_are_wanted(self):
        model = self.write(pendulum())
        self.run_ok(model, "--out", "r.csv", "--checkpoint", 0)
        self.assertEqual([f.name for f in sorted(self.folder.iterdir())], ["m.toml", "r.csv"])


if __name__ == "__main__":
    unittest.main()
