"""Shadow energies from the command line: run --shadow."""

import csv
import json
import unittest

from support import MODELS, CliTest, pendulum

DOUBLE = MODELS / "double-pendulum.toml"


class ShadowEnergy(CliTest):
    def json(self, *arguments, code=0):
        result = self.run_program("run", *arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)

    def refused(self, *arguments, says):
        result = self.run_program("run", *arguments)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(says, result.stderr)

    def column(self, path):
        with open(path, encoding="utf-8") as file:
            return [float(row["shadow"]) for row in csv.DictReader(file)]

    def test_numbers(self):
        run = lambda *more: self.json(DOUBLE, "--step", "0.06", "--steps", 10000, "--shadow", 12, *more)
        whole = run()
        shadow = whole["invariants"]["shadow"]
        self.assertAlmostEqual(shadow["initial"], -2.598247676922, delta=1e-11)
        self.assertLess(shadow["max_error"], 5e-12)
        self.assertLess(abs(shadow["drift"]), 1e-13)
        self.assertAlmostEqual(shadow["rms"] * 1e13, 8.6, delta=0.1)
        self.assertGreater(whole["energy"]["max_error"], 1.7e-3)
        # Loose solves are seen in it, and not in the energy.
        loose = run("--tolerance", "1e-8")
        self.assertGreater(abs(loose["invariants"]["shadow"]["drift"]), 1e-7)
        self.assertAlmostEqual(loose["energy"]["max_error"], whole["energy"]["max_error"], delta=1e-5)
        # States are those of a run that does not look.
        plain = self.json(DOUBLE, "--step", "0.06", "--steps", 10000)
        self.assertEqual(plain["q"], whole["q"])
        self.assertEqual(plain["p"], whole["p"])
        self.assertEqual(plain["evaluations"], whole["evaluations"])

    def test_rows(self):
        self.json(DOUBLE, "--steps", 30, "--shadow", 6, "--out", "all.csv")
        rows = self.column(self.folder / "all.csv")
        self.assertEqual(len(rows), 31)
        self.assertEqual(len(set(rows[:7])), 1)  # the first window
        self.assertEqual(len(set(rows[6:])), 25)
        for every in (4, 7, 10):
            self.json(DOUBLE, "--steps", 30, "--shadow", 6, "--out", f"{every}.csv", "--every", every)
            self.json(DOUBLE, "--steps", 30, "--shadow", 6, "--out", f"{every}r.csv", "--every", every, "--watch", "recorded")
            self.assertEqual(self.column(self.folder / f"{every}.csv")[:-1], rows[:-1:every][:len(range(0, 30, every))])
            for a, b in zip(self.column(self.folder / f"{every}.csv"), self.column(self.folder / f"{every}r.csv"), strict=True):
                self.assertAlmostEqual(a, b, delta=1e-13)

    def test_precisions_and_wedge(self):
        for precision in ("long", "quad", "100"):
            found = self.json(DOUBLE, "--step", "0.03", "--steps", 60, "--shadow", 8, "--precision", precision)
            self.assertLess(float(found["invariants"]["shadow"]["max_error"]), 1e-14, precision)
        both = self.json(DOUBLE, "--steps", 40, "--wedge", "--shadow", 4)["invariants"]
        self.assertEqual(list(both), ["wedge", "shadow"])
        self.assertAlmostEqual(both["wedge"]["initial"], 1)
        self.assertNotIn("drift", both["wedge"])
        self.assertNotIn("resolved", both["wedge"])

    def test_resumed_runs_have_the_same_bits(self):
        for model, more in ((DOUBLE, []), (DOUBLE, ["--watch", "recorded", "--every", "25"]),
                            (MODELS / "charged-particle.toml", ["--method", "gauss-2@h-m+symplectic"]),
                            (DOUBLE, ["--method", "lobatto-3", "--wedge"]), (DOUBLE, ["--method", "shake", "--precision", "quad"]),
                            (MODELS / "four-bar-redundant.toml", ["--step", "0.005"])):
            found = []
            for name, parts in (("whole", [100]), ("parts", [50, 100])):
                out = self.folder / f"{name}.csv"
                for k, steps in enumerate(parts):
                    result = self.json(model, "--steps", steps, "--shadow", 8, "--out", out, *more, *(["--extend"] if k else ["--force"]))
                result.pop("wall_seconds")
                found.append((result, out.read_bytes()))
            self.assertEqual(found[0], found[1], f"{model.name} {more}")
        self.refused(model, "--steps", 100, "--shadow", 9, "--out", "parts.csv", "--extend", *more, says="shadow")

    def test_windows_that_do_not_resolve_the_motion(self):
        long_steps = (DOUBLE, "--method", "kahan-li-8", "--step", "0.12", "--steps", 2000, "--shadow", 12)
        shadow = self.json(*long_steps)["invariants"]["shadow"]
        self.assertFalse(shadow["resolved"])
        self.assertRegex(shadow["remark"], r"^the window does not resolve the motion: the shadow energy varies by \d\.\de-07, the energy by \d\.\de-09")
        self.assertIn(shadow["remark"] + "\n", self.run_program("run", *long_steps).stdout)
        # Where the range is below that of the energy, or both are rounding errors, there is nothing to say.
        for method, step, window in (("rattle", "0.06", 8), ("kahan-li-8", "0.02", 12), ("lobatto-8", "0.02", 12)):
            given = (DOUBLE, "--method", method, "--step", step, "--steps", 2000, "--shadow", window)
            shadow = self.json(*given)["invariants"]["shadow"]
            self.assertTrue(shadow["resolved"], shadow)
            self.assertNotIn("remark", shadow)
            self.assertNotIn("resolve", self.run_program("run", *given).stdout)

    def test_refusals(self):
        self.refused(DOUBLE, "--method", "rk-4", "--shadow", 8, says="--shadow 8: rk-4 is not symplectic")
        self.refused(DOUBLE, "--method", "gauss-2", "--shadow", 8, says="--shadow 8: gauss-2 is not symplectic with constraints")
        self.refused(MODELS / "lotka-volterra.toml", "--shadow", 8, says="--shadow 8: a field y' = f(y) has no symplectic form")
        self.refused(DOUBLE, "--steps", 5, "--shadow", 8, says="--shadow 8: the run has 5 steps, fewer than the window")
        self.refused(DOUBLE, "--shadow", 8, "--sample", "0.1", "--out", "s.csv", says="known after steps only")
        self.refused(self.write(pendulum(invariants='shadow = "p_x"')), "--shadow", 8, says="the model has an invariant of the name 'shadow'")
        for wrong in ("0", "33", "x"):
            result = self.run_program("run", DOUBLE, "--shadow", wrong)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("--shadow", result.stderr)

    def test_a_run_that_fails_within_the_first_window(self):
        # Steps that are taken ahead fail as well; the run tells at which step, and keeps what it has.
        result = self.run_program("run", MODELS / "two-body-sphere.toml", "--step", "0.07", "--steps", 100, "--shadow", 8)
        self.assertEqual(result.returncode, 1)
        self.assertIn("step 56 ", result.stderr)
        result = self.run_program("run", MODELS / "two-body-sphere.toml", "--step", "3", "--steps", 100, "--shadow", 8)
        alone = self.run_program("run", MODELS / "two-body-sphere.toml", "--step", "3", "--steps", 100)
        self.assertEqual(result.returncode, alone.returncode)
        self.assertIn(alone.stderr.splitlines()[-1], result.stderr)


if __name__ == "__main__":
    unittest.main()
