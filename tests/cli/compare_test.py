"""holonom compare."""

import csv
import json
import math
import unittest

from support import MODELS, CliTest, pendulum, has_page

PENDULUM = MODELS / "pendulum.toml"
CHARGED = MODELS / "charged-particle.toml"


class Compare(CliTest):
    def compare(self, *arguments, code=0):
        result = self.run_program("compare", *arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)

    def refused(self, *arguments, says):
        result = self.run_program("compare", *arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertTrue(result.stderr.startswith("holonom: "), result.stderr)
        self.assertNotIn("internal error", result.stderr)
        for part in says:
            self.assertIn(part, result.stderr)


class Orders(Compare):
    def near(self, row, order):
        for part in ("q", "p"):
            self.assertAlmostEqual(row["order"][part], order, delta=0.1, msg=f"{row['method']} {row['step']} {part}")

    def test_two_and_four(self):
        """The end is no turning point: there orders of q are doubled."""
        for model, until, steps in ((PENDULUM, "2", "2/40,2/80,2/160"), (CHARGED, "2.4", "0.03,0.015,0.0075")):
            r = self.compare(model, "--methods", "rattle,suzuki-4", "--step", steps, "--until", until)
            self.assertEqual([row["method"] for row in r["rows"]], ["rattle"] * 3 + ["suzuki-4"] * 3, "as given")
            for row, order in zip(r["rows"], [2] * 3 + [4] * 3):
                self.assertEqual(row["status"], "done")
                if row is r["rows"][0] or row is r["rows"][3]:
                    self.assertEqual(row["order"], {"q": None, "p": None, "lambda": None}, "nothing to compare with")
                else:
                    self.near(row, order)
                for part in ("q", "p"):
                    self.assertLess(r["reference"]["accuracy"][part], 1e-2 * row["error"][part])

    def test_in_wide_precisions(self):
        for precision, bound in (("long", 1e-17), ("quad", 1e-32), ("100", 1e-98)):
            r = self.compare(CHARGED, "--methods", "rattle,suzuki-4", "--step", "0.04,0.02", "--until", "1.2", "--precision", precision)
            self.assertEqual(r["precision"], precision)
            self.assertIsInstance(r["rows"][0]["step"], str)
            self.near(r["rows"][1], 2)
            self.near(r["rows"][3], 4)
            for row in r["rows"]:
                self.assertLess(row["hidden_max"], bound)
                self.assertLess(row["invariants"]["Lz"], bound)

    def test_errors_are_true_ones(self):
        """Against a run that has nothing to do with the comparison: at its end the pendulum is where it started."""
        r = self.compare(PENDULUM, "--methods", "rattle", "--step", "T/100", "--until", "T")
        run = self.run_json(PENDULUM, "--step", "T/100", "--until", "T")
        row = r["rows"][0]
        self.assertAlmostEqual(row["error"]["q"], max(abs(run["q"]["x"] - 1), abs(run["q"]["y"])), delta=2e-2 * row["error"]["q"])
        self.assertAlmostEqual(row["error"]["p"], abs(run["p"]["y"]) / math.sqrt(2), delta=2e-2 * row["error"]["p"], msg="the largest |p_x| is sqrt(2)")
        self.assertAlmostEqual(row["error"]["lambda"], abs(run["lambda"]["rod"]) / 3, delta=2e-2 * row["error"]["lambda"])
        for ours, its in (("energy_max_error", run["energy"]["max_error"]), ("position_max", run["constraint"]["position_max"])):
            self.assertAlmostEqual(row[ours], its, delta=1e-15)

    def test_rounding_errors_have_no_order(self):
        r = self.compare(PENDULUM, "--methods", "kahan-li-8", "--step", "2/200,2/400", "--until", "2")
        self.assertLess(r["rows"][1]["error"]["q"], 1e-14)
        self.assertIsNone(r["rows"][1]["order"]["q"])

    def test_cost(self):
        r = self.compare(PENDULUM, "--methods", "rattle,suzuki-4", "--step", "0.1,0.05", "--until", "2")
        forces = [row["evaluations"]["force"] for row in r["rows"]]
        self.assertEqual(forces, [21, 41, 101, 201])
        for row in r["rows"]:
            self.assertGreaterEqual(row["cpu_seconds"], 0)
            self.assertGreater(row["newton"]["iterations_mean"], 0)
            self.assertGreaterEqual(row["newton"]["iterations_max"], row["newton"]["iterations_mean"])


class Threads(Compare):
    def test_results_do_not_depend_on_their_number(self):
        """Rows with failures, unsuitable methods and iterations among them; only times may differ."""
        given = (MODELS / "double-pendulum.toml", "--methods", "kahan-li-8,lobatto-4,rattle,shake,verlet-midpoint,rk-4",
                 "--step", "1.5,0.12,0.06", "--until", "6")
        for engine in ("auto", "interp"):  # an interpreter has memory, machine code has none
            seen = []
            for threads in ("1", "2", "5"):
                r = self.compare(*given, "--engine", engine, "--threads", threads)
                for row in r["rows"]:
                    row.pop("cpu_seconds", None)
                seen.append(r)
            self.assertEqual([row["status"] for row in seen[0]["rows"]][6:9], ["failed", "done", "done"])
            self.assertEqual(seen[0], seen[1])
            self.assertEqual(seen[0], seen[2])
        self.refused(PENDULUM, "--methods", "rattle", "--threads", "0", says=["--threads"])

    def test_times_of_short_runs(self):
        """A run of 20 steps takes microseconds, and twice as many steps twice the time. (Least times: nobody's load is in them for long.)"""
        r = self.compare(PENDULUM, "--methods", "kahan-li-8", "--step", "2/20,2/80", "--until", "2", "--engine", "interp")
        short, long = (row["cpu_seconds"] for row in r["rows"])
        self.assertGreater(short, 1e-6)
        self.assertLess(short, 1e-2)
        self.assertGreater(long, 1.5 * short)


class Newton(Compare):
    def test_matrices(self):
        given = (CHARGED, "--methods", "lobatto-3", "--step", "0.12", "--until", "1.2")
        auto, start, full = (self.compare(*given, "--newton", word)["rows"][0] for word in ("auto", "start", "full"))
        self.assertGreater(start["newton"]["iterations_mean"], full["newton"]["iterations_mean"] + 1)
        self.assertAlmostEqual(start["error"]["q"], full["error"]["q"], delta=1e-6 * full["error"]["q"])
        self.assertIsNotNone(auto["error"]["q"])
        result = self.run_program("compare", CHARGED, "--methods", "rattle", "--step", "0.12", "--until", "1.2", "--newton", "full")
        self.assertIn("warning: --newton: none of these methods has implicit stages", result.stderr)


class References(Compare):
    def test_the_exact_flow(self):
        r = self.compare(PENDULUM, "--methods", "rattle", "--step", "0.1", "--until", "2")
        self.assertIn("extrapolation", r["reference"]["what"])
        self.assertIn("(long)", r["reference"]["what"])

    def test_a_method(self):
        given = ("--methods", "rattle", "--step", "0.1", "--until", "2")
        own = self.compare(PENDULUM, *given)
        r = self.compare(PENDULUM, *given, "--reference", "kahan-li-8:0.02")
        self.assertIn("kahan-li-8 with h = 0.02, 100 steps", r["reference"]["what"])
        self.assertLess(r["reference"]["accuracy"]["q"], 1e-10)
        for part in ("q", "p", "lambda"):
            error = own["rows"][0]["error"][part]
            self.assertAlmostEqual(r["rows"][0]["error"][part], error, delta=1e-2 * error)

    def test_an_inaccurate_one_is_warned_of(self):
        result = self.run_program("compare", PENDULUM, "--methods", "kahan-li-8", "--step", "0.1", "--until", "2", "--reference", "rattle:0.1")
        self.assertEqual(result.returncode, 0)
        self.assertIn("holonom: warning: the reference has an error of", result.stderr)

    def test_without_constraints(self):
        r = self.compare(MODELS / "kepler.toml", "--methods", "rattle", "--step", "0.01,0.005", "--until", "1")
        self.assertAlmostEqual(r["rows"][1]["order"]["q"], 2, delta=0.1)
        self.assertEqual(r["rows"][1]["error"]["lambda"], 0)

    def test_backwards(self):
        r = self.compare(PENDULUM, "--methods", "rattle", "--step=-0.1,-0.05", "--until=-2")
        self.assertAlmostEqual(r["rows"][1]["order"]["p"], 2, delta=0.1)


class Rows(Compare):
    def test_unsuitable_and_failed(self):
        r = self.compare(CHARGED, "--methods", "rattle,shake", "--step", "0.12", "--until", "1.2")
        self.assertEqual([row["status"] for row in r["rows"]], ["done", "unsuitable"])
        self.assertIn("shake does not suit this system", r["rows"][1]["message"])
        r = self.compare(MODELS / "double-pendulum.toml", "--methods", "rattle", "--step", "1.5,0.12", "--until", "6")
        self.assertEqual([row["status"] for row in r["rows"]], ["failed", "done"])
        self.assertIn("step 1 (from t = 0) failed", r["rows"][0]["message"])
        self.assertIsNone(r["rows"][1]["order"]["q"])
        result = self.run_program("compare", MODELS / "double-pendulum.toml", "--methods", "rattle", "--step", "1.5", "--until", "6")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no run succeeded", result.stderr)

    def test_table(self):
        out = self.run_program("compare", CHARGED, "--methods", "rattle,shake", "--step", "0.12", "--until", "1.2").stdout
        self.assertRegex(out, r"reference: the exact flow by extrapolation, \d+ steps of order 16 \(long\)\n +its own error: q \d")
        self.assertRegex(out, r"(?m)^rattle +0.12 +10 +\d.\d\de-0\d +- ")
        self.assertRegex(out, r"(?m)^shake +0.12 +10  unsuitable$")
        self.assertIn("shake does not suit this system: ", out)
        self.assertIn("Lz", out)

    def test_files(self):
        given = (CHARGED, "--methods", "rattle,shake", "--step", "0.12,0.06", "--until", "1.2")
        self.assertEqual(self.run_program("compare", *given, "--out", "rows.csv").returncode, 0)
        with open(self.folder / "rows.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["method"], r["steps"], r["status"]) for r in rows],
                         [("rattle", "10", "done"), ("rattle", "20", "done"), ("shake", "10", "unsuitable"), ("shake", "20", "unsuitable")])
        self.assertAlmostEqual(float(rows[1]["order_q"]), 2, delta=0.1)
        self.assertEqual((rows[0]["order_q"], rows[2]["error_q"]), ("", ""))
        self.assertIn("shake does not suit", rows[2]["message"])
        self.assertLess(float(rows[0]["max_error_Lz"]), 1e-14)
        before = (self.folder / "rows.csv").read_bytes()
        self.refused(*given, "--out", "rows.csv", says=["rows.csv: the file exists; use --force"])
        self.assertEqual((self.folder / "rows.csv").read_bytes(), before)
        self.assertEqual(self.run_program("compare", *given, "--out", "rows.csv", "--force").returncode, 0)
        self.assertEqual(self.run_program("compare", *given, "--out", "folder").returncode, 0)
        self.assertEqual({p.name for p in (self.folder / "folder").iterdir()}, {"compare.csv", "compare.json"} | ({"compare.html"} if has_page() else set()))
        self.assertEqual(len(json.loads((self.folder / "folder/compare.json").read_text())["rows"]), 4)
        self.refused(*given, "--out", "rows.h5", says=["a file that ends in .csv, or a folder"])


class BadInput(Compare):
    def test_steps_that_do_not_divide(self):
        self.refused(PENDULUM, "--methods", "rattle", "--step", "0.1,0.3", "--until", "2",
                     says=["--step 0.3: the step does not divide until = 2", "cannot be compared", "such as (2)/7 = 0.2857142857"])
        for remedy in ("(2)/7", "0.2857142857", "0.6666666667"):
            r = self.compare(PENDULUM, "--methods", "rattle", "--step", remedy, "--until", "2")
            self.assertEqual(r["rows"][0]["step"], 2 / r["rows"][0]["steps"])
        self.refused(PENDULUM, "--methods", "rattle", "--step", "0.1", "--until", "2", "--reference", "rattle:0.3", says=["--reference rattle:0.3: the step does not"])
        self.refused(PENDULUM, "--methods", "rattle", "--step", "5", "--until", "2", says=["such as (2)/1 = 2"])

    def test_an_old_table_stays_until_there_is_a_new_one(self):
        (self.folder / "old.csv").write_text("mine")
        good = ("--methods", "rattle", "--step", "0.1", "--until", "2", "--out", "old.csv")
        self.refused(PENDULUM, *good, says=["the file exists"])
        failing = ("--methods", "rattle", "--step", "0.1", "--until", "2", "--reference", "rattle:2")
        self.assertNotEqual(self.run_program("compare", PENDULUM, *failing, "--out", "old.csv", "--force").returncode, 0)
        self.assertEqual((self.folder / "old.csv").read_text(), "mine")
        self.assertNotEqual(self.run_program("compare", PENDULUM, *failing, "--out", "new.csv").returncode, 0)
        self.assertFalse((self.folder / "new.csv").exists())
        self.assertEqual(self.run_program("compare", PENDULUM, *good, "--force").returncode, 0)
        self.assertTrue((self.folder / "old.csv").read_text().startswith("method,"))

    def test_a_pair_as_reference(self):
        self.write('A = [["0", "0", "0"], ["5/24", "1/3", "-1/24"], ["1/6", "2/3", "1/6"]]\nb = ["1/6", "2/3", "1/6"]\n', "p.toml")
        r = self.compare(PENDULUM, "--methods", "lobatto-3", "--step", "0.1", "--until", "2", "--reference", "pair:p.toml:0.01")
        self.assertTrue(r["reference"]["what"].startswith("pair:p.toml with h = 0.01"), r["reference"])

    def test_lists(self):
        good = ("--methods", "rattle", "--step", "0.1", "--until", "2")
        self.refused(PENDULUM, "--methods", "rattle,ratle", *good[2:], says=["unknown method 'ratle'. Did you mean 'rattle'?"])
        self.refused(PENDULUM, *good[:2], "--step", "0.1,", *good[4:], says=["an entry of the list is empty"])
        self.refused(PENDULUM, *good[:2], "--step", "0.1,S/2", *good[4:], says=["--step", "unknown name 'S'"])
        self.refused(PENDULUM, *good[:2], "--step", "0", *good[4:], says=["a finite number other than zero"])
        self.refused(PENDULUM, *good[:2], "--step", "-0.1", *good[4:], says=["never reached"])
        self.refused(PENDULUM, *good[:4], "--until", "0", says=["nothing to compare"])
        self.refused(PENDULUM, *good, "--reference", "rattle", says=["write it as METHOD:STEP"])
        self.refused(PENDULUM, *good, "--reference", "ratle:0.1", says=["Did you mean 'rattle'?"])
        self.refused(PENDULUM, *good[2:], says=["--methods is required"])
        self.refused(PENDULUM, *good, "--precision", "half", says=["--precision"])

    def test_without_defaults(self):
        self.write(pendulum(integrate=None))
        self.refused("m.toml", "--methods", "rattle", says=["no step sizes"])
        self.refused("m.toml", "--methods", "rattle", "--step", "0.1", says=["no end of the runs"])
        self.write(pendulum())
        self.assertEqual(self.compare("m.toml", "--methods", "rattle")["rows"][0]["steps"], 100, "those of the model")


if __name__ == "__main__":
    unittest.main()
