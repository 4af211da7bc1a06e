"""holonom run: JSON, CSV, options, exit codes, interruption, progress."""

import decimal
import json
import os
import pty
import re
import signal
import subprocess
import time
import unittest

from support import HANGS, MODELS, PROGRAM, CliTest, pendulum

KEYS = ["status", "model", "method", "formulation", "precision", "step", "steps", "t", "q", "p", "lambda", "energy",
        "constraint", "invariants", "newton", "evaluations", "wall_seconds"]


class Json(CliTest):
    def test_keys_and_types(self):
        r = self.run_json(MODELS / "kepler-sphere.toml", "--steps", 10)
        self.assertEqual([k for k in r if k in KEYS], KEYS, "all keys, in the documented order")
        self.assertEqual((r["status"], r["model"], r["method"], r["formulation"]),
                         ("done", "Kepler problem on the sphere", "rattle", "direct"))
        self.assertNotIn("message", r)
        self.assertEqual((r["step"], r["steps"], r["t"]), (0.07, 10, 10 * 0.07))
        self.assertEqual(list(r["q"]), ["x", "y", "z"])
        self.assertEqual(list(r["p"]), ["x", "y", "z"])
        self.assertEqual(list(r["lambda"]), ["sphere"])
        self.assertEqual(list(r["energy"]), ["initial", "final", "max_error"])
        self.assertLessEqual({"position_max", "hidden_max"}, set(r["constraint"]))
        self.assertEqual(list(r["invariants"]), ["La"])
        self.assertEqual(list(r["invariants"]["La"]), ["initial", "max_error"])
        self.assertLessEqual({"iterations_mean", "iterations_max"}, set(r["newton"]))
        for group in ("q", "p", "lambda", "energy", "constraint", "newton", "evaluations"):
            for key, value in r[group].items():
                self.assertIsInstance(value, (int, float), f"{group}.{key}")
        self.assertIsInstance(r["steps"], int)
        self.assertIsInstance(r["newton"]["iterations_max"], int)
        self.assertGreaterEqual(r["wall_seconds"], 0)

    def test_one_line_and_nothing_else(self):
        result = self.run_program("run", MODELS / "pendulum.toml", "--json")
        self.assertEqual(result.stdout.count("\n"), 1)
        self.assertEqual(result.stderr, "")

    def test_numbers_have_seventeen_digits(self):
        text = self.run_program("run", MODELS / "kepler-sphere.toml", "--steps", 10, "--json").stdout
        numbers = re.findall(r"[:\[] (-?[0-9][0-9.e+-]*)", text)
        self.assertGreater(len(numbers), 20)
        for number in numbers:
            self.assertIn(number, (f"{float(number):.17g}", str(int(float(number)))), "written with 17 digits")

    def test_values_are_those_of_the_state(self):
        r = self.run_json(MODELS / "pendulum.toml", "--steps", 7)
        q, p = r["q"], r["p"]
        self.assertAlmostEqual(r["energy"]["final"], (p["x"] ** 2 + p["y"] ** 2) / 2 + q["y"], delta=1e-15)
        self.assertAlmostEqual(r["lambda"]["rod"], p["x"] ** 2 + p["y"] ** 2 - q["y"], delta=1e-14,
                               msg="the exact multiplier: tension of the rod")
        self.assertLess(abs((q["x"] ** 2 + q["y"] ** 2) ** 0.5 - 1), 1e-15)
        self.assertLess(abs(q["x"] * p["x"] + q["y"] * p["y"]), 1e-15)
        self.assertLess(r["constraint"]["position_max"], 1e-15)
        self.assertLess(r["constraint"]["hidden_max"], 1e-15)
        self.assertGreaterEqual(r["energy"]["max_error"], abs(r["energy"]["final"] - r["energy"]["initial"]))
        self.assertLess(r["energy"]["max_error"], 0.05)

    def test_maxima_are_over_all_steps(self):
        """Not of recorded states only: a coarse --every must not change them."""
        fine = self.run_json(MODELS / "pendulum.toml", "--steps", 50, "--every", 1)
        coarse = self.run_json(MODELS / "pendulum.toml", "--steps", 50, "--every", 50)
        for group in ("energy", "constraint"):
            self.assertEqual(fine[group], coarse[group])

    def test_wide_precisions_are_strings_with_all_digits(self):
        residual = {"long": "1e-18", "quad": "1e-33", "100": "1e-98"}
        digits = {"long": 19, "quad": 34, "100": 100}
        for precision, bound in residual.items():
            with self.subTest(precision), decimal.localcontext() as context:
                context.prec = 130
                r = self.run_json(MODELS / "pendulum.toml", "--steps", 5, "--precision", precision)
                self.assertEqual(r["precision"], precision)
                for value in (r["step"], r["t"], *r["q"].values(), *r["p"].values(), *r["lambda"].values(),
                              *r["energy"].values(), r["constraint"]["position_max"]):
                    self.assertIsInstance(value, str)
                for value in (*r["q"].values(), *r["p"].values(), *r["lambda"].values()):
                    mantissa = re.sub(r"[eE].*|[-.]", "", value).lstrip("0")
                    self.assertGreaterEqual(len(mantissa), digits[precision], value)
                x, y = (decimal.Decimal(r["q"][c]) for c in "xy")
                self.assertLess(abs(x * x + y * y - 1), decimal.Decimal(bound), "the digits are true ones")
                self.assertIsInstance(r["steps"], int)
                self.assertIsInstance(r["newton"]["iterations_mean"], (int, float))

    def test_without_constraints(self):
        r = self.run_json(MODELS / "kepler.toml", "--steps", 10)
        self.assertEqual(r["lambda"], {})
        self.assertEqual(r["constraint"]["position_max"], 0)
        self.assertEqual(r["constraint"]["hidden_max"], 0)
        self.assertEqual(list(r["invariants"]), ["L", "A2"])
        self.assertLess(r["invariants"]["L"]["max_error"], 1e-15)

    def test_names_are_quoted(self):
        self.write(pendulum(head='format = 1\nname = "p\\"e\\\\n\\tdule é"\n'))
        self.assertEqual(self.run_json("m.toml", "--steps", 1)["model"], 'p"e\\n\tdule é')


class Options(CliTest):
    def test_end_of_the_run(self):
        for arguments, steps, t in (((), 100, 1), (("--until", 2), 200, 2), (("--steps", 7), 7, 0.07),
                                    (("--steps", 0), 0, 0), (("--until", 0), 0, 0), (("--step", "0.1"), 10, 1),
                                    (("--step", "-0.01", "--until", "-0.5"), 50, -0.5),
                                    (("--step", "-0.01", "--steps", 5), 5, -0.05),
                                    (("--step", "L/20", "--until", "g*2"), 40, 2)):
            with self.subTest(arguments):
                self.write(pendulum())
                r = self.run_json("m.toml", *arguments)
                self.assertEqual(r["steps"], steps)
                self.assertAlmostEqual(r["t"], t, delta=1e-14)

    def test_until_is_no_multiple_of_the_step(self):
        self.write(pendulum())
        result = self.run_program("run", "m.toml", "--step", "0.3", "--json")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"holonom: warning: until = 1 is no multiple of the step: .* t = 0\.9\n")
        self.assertEqual(json.loads(result.stdout)["steps"], 3)

    def test_rounding_errors_are_no_rest(self):
        """600/0.12 and 0.3/0.1 are whole numbers, whatever the quotient of doubles says."""
        self.write(pendulum())
        for step, until, steps in (("0.12", "600", 5000), ("0.1", "0.3", 3), ("1/3", "7", 21), ("0.7", "2.1", 3)):
            result = self.run_program("run", "m.toml", "--step", step, "--until", until, "--set", "g=0", "--json")
            self.assertEqual(json.loads(result.stdout)["steps"], steps, (step, until))
            self.assertEqual(result.stderr, "")

    def test_backwards_returns(self):
        self.write(pendulum())
        r = self.run_json("m.toml", "--steps", 100)
        back = pendulum(initial="q = { x = %r, y = %r }\np = { x = %r, y = %r }" % (r["q"]["x"], r["q"]["y"], r["p"]["x"], r["p"]["y"]))
        self.write(back)
        r = self.run_json("m.toml", "--steps", 100, "--step", "-0.01")
        self.assertAlmostEqual(r["q"]["x"], 1, delta=1e-13)
        self.assertAlmostEqual(r["p"]["y"], 0, delta=1e-13)

    def test_set_recomputes_parameters(self):
        """The period T of pendulum.toml is a formula of g, and the step a formula of T."""
        slow = self.run_json(MODELS / "pendulum.toml", "--steps", 3)
        fast = self.run_json(MODELS / "pendulum.toml", "--steps", 3, "--set", "g=4")
        self.assertAlmostEqual(fast["step"], slow["step"] / 2, delta=1e-15)
        self.assertAlmostEqual(fast["q"]["y"], slow["q"]["y"], delta=1e-14, msg="the same motion, twice as fast")
        both = self.run_json(MODELS / "pendulum.toml", "--steps", 3, "--set", "g=2", "--set", "L=2*g")
        self.assertAlmostEqual(both["q"]["y"], 4 * slow["q"]["y"], delta=1e-13)

    def test_precision(self):
        double = self.run_json(MODELS / "double-pendulum.toml", "--steps", 20)
        for precision in ("long", "quad", "100"):
            wide = self.run_json(MODELS / "double-pendulum.toml", "--steps", 20, "--precision", precision)
            self.assertAlmostEqual(float(wide["q"]["x2"]), double["q"]["x2"], delta=1e-13)
        self.assertLess(float(wide["constraint"]["position_max"]), 1e-98)

    def test_tolerance(self):
        exact = self.run_json(MODELS / "pendulum.toml")
        loose = self.run_json(MODELS / "pendulum.toml", "--tolerance", "1e-4")
        self.assertLess(exact["constraint"]["position_max"], 1e-14)
        self.assertGreater(loose["constraint"]["position_max"], 1e-12)
        self.assertLess(loose["newton"]["iterations_mean"], exact["newton"]["iterations_mean"])

    def test_method(self):
        self.assertEqual(self.run_json(MODELS / "pendulum.toml", "--method", "rattle", "--steps", 1)["method"], "rattle")

    def test_table_for_people(self):
        result = self.run_program("run", MODELS / "kepler-sphere.toml", "--steps", 10)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for part in ("Kepler problem on the sphere: rattle, h = 0.07, 10 steps to t = 0.7", "energy ", "constraints g",
                     "hidden, G H_p", "La ", "Newton", "microseconds a step"):
            self.assertIn(part, result.stdout)

    def test_redundant_constraints_move_like_independent_ones(self):
        twin = self.run_json(MODELS / "four-bar.toml", "--steps", 300)
        result = self.run_program("run", MODELS / "four-bar-redundant.toml", "--steps", 300, "--json")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("warning"), 1)
        self.assertIn("redundant constraints, 4 of rank 3", result.stderr)
        self.assertIn("'crank', 'coupler', 'rocker' and 'freudenstein'", result.stderr)
        r = json.loads(result.stdout)
        for c in twin["q"]:
            self.assertAlmostEqual(r["q"][c], twin["q"][c], delta=1e-10)
            self.assertAlmostEqual(r["p"][c], twin["p"][c], delta=1e-8)
        self.assertLess(r["constraint"]["position_max"], 1e-14)

    def test_projection_is_told(self):
        self.write(pendulum(initial="q = { x = 1.25, y = 0 }\np = { x = 3, y = 1 }\nproject = true"))
        result = self.run_program("run", "m.toml", "--steps", 0, "--json")
        self.assertRegex(result.stderr, r"project = true moved the initial position .* by 0\.25 at most")
        r = json.loads(result.stdout)
        self.assertEqual(r["q"], {"x": 1, "y": 0})
        self.assertEqual(r["p"], {"x": 0, "y": 1})


class Models(CliTest):
    def test_every_model_runs(self):
        for path in sorted(MODELS.glob("*.toml")):
            with self.subTest(path.name):
                r = self.run_json(path, "--steps", 3)
                self.assertEqual((r["status"], r["steps"]), ("done", 3))


class Csv(CliTest):
    def test_columns_and_rows(self):
        result = self.run_program("run", MODELS / "kepler-sphere.toml", "--steps", 10, "--out", "a.csv", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        columns, rows = self.read_csv("a.csv")
        self.assertEqual(columns, ["t", "x", "y", "z", "p_x", "p_y", "p_z", "lambda_sphere", "energy",
                                   "position_residual", "hidden_residual", "La"])
        self.assertEqual(len(rows), 11)
        self.assertTrue(all(len(row) == len(columns) for row in rows))
        self.assertEqual([float(row[0]) for row in rows], [k * 0.07 for k in range(11)], "t = k h, not accumulated")
        r = json.loads(result.stdout)
        last = dict(zip(columns, map(float, rows[-1])))
        self.assertEqual([last[c] for c in "xyz"], list(r["q"].values()), "all digits")
        self.assertEqual([last["p_" + c] for c in "xyz"], list(r["p"].values()))
        self.assertEqual(last["lambda_sphere"], r["lambda"]["sphere"])
        self.assertEqual(last["energy"], r["energy"]["final"])
        first = dict(zip(columns, map(float, rows[0])))
        self.assertEqual(first["energy"], r["energy"]["initial"])
        self.assertEqual(first["La"], r["invariants"]["La"]["initial"])

    def test_every(self):
        for every, steps, expected in ((1, 5, [0, 1, 2, 3, 4, 5]), (2, 5, [0, 2, 4, 5]), (5, 5, [0, 5]), (7, 5, [0, 5]),
                                       (3, 9, [0, 3, 6, 9]), (1, 0, [0])):
            self.write(pendulum())
            self.run_program("run", "m.toml", "--steps", steps, "--every", every, "--out", "a.csv", "--force")
            times = [float(row[0]) for row in self.read_csv("a.csv")[1]]
            self.assertEqual(times, [k * 0.01 for k in expected], f"every {every} of {steps}")

    def test_every_of_the_model(self):
        self.write(pendulum(integrate="step = 0.01\nuntil = 0.1\nevery = 5"))
        self.run_program("run", "m.toml", "--out", "a.csv")
        self.assertEqual(len(self.read_csv("a.csv")[1]), 3)

    def test_wide_digits(self):
        self.run_program("run", MODELS / "pendulum.toml", "--steps", 3, "--precision", "100", "--out", "a.csv")
        columns, rows = self.read_csv("a.csv")
        self.assertGreater(len(rows[-1][columns.index("x")]), 100)

    def test_existing_files_are_kept(self):
        self.write(pendulum())
        self.write("precious", "a.csv")
        result = self.run_program("run", "m.toml", "--out", "a.csv")
        self.assertEqual(result.returncode, 2)
        self.assertIn("a.csv: the file exists; use --force to overwrite it, or another name", result.stderr)
        self.assertEqual((self.folder / "a.csv").read_text(), "precious")
        result = self.run_program("run", "m.toml", "--out", "a.csv", "--force")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(self.read_csv("a.csv")[1]), 101)

    def test_a_refused_model_leaves_no_file(self):
        self.write(pendulum(initial="q = { x = 2, y = 0 }"))
        self.assertEqual(self.run_program("run", "m.toml", "--out", "a.csv").returncode, 2)
        self.assertFalse((self.folder / "a.csv").exists())

    def test_unwritable(self):
        self.write(pendulum())
        for name in ("no/such/folder/a.csv", "/proc/a.csv"):
            result = self.run_program("run", "m.toml", "--out", name)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{name}: the file cannot be written", result.stderr)
        (self.folder / "folder.csv").mkdir()
        result = self.run_program("run", "m.toml", "--out", "folder.csv", "--force")
        self.assertEqual(result.returncode, 2)
        self.assertIn("folder.csv", result.stderr)

    def test_endings(self):
        self.write(pendulum())
        result = self.run_program("run", "m.toml", "--out", "a.txt")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--out a.txt", result.stderr)
        self.assertIn(".csv", result.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_noticed(self):
        self.write(pendulum())
        os.symlink("/dev/full", self.folder / "full.csv")
        for steps in (2000, 2):  # while rows are written, and at the last flush
            result = self.run_program("run", "m.toml", "--steps", steps, "--out", "full.csv", "--force")
            self.assertEqual(result.returncode, 1)
            self.assertIn("full.csv: writing failed", result.stderr)
            self.assertIn("The last good state", result.stderr)

    def test_runs_are_reproducible(self):
        for name in ("a.csv", "b.csv"):
            self.run_program("run", MODELS / "lj-chain.toml", "--steps", 200, "--out", name)
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())


class Failures(CliTest):
    """A step that is too large: exit 1, and the last good state is kept."""

    def test_the_last_good_state_is_kept(self):
        arguments = ("run", MODELS / "pendulum.toml", "--step", 1, "--until", 30)
        result = self.run_program(*arguments, "--every", 10, "--out", "a.csv", "--json")
        self.assertEqual(result.returncode, 1)
        r = json.loads(result.stdout)
        self.assertEqual((r["status"], r["steps"], r["t"]), ("failed", 1, 1))
        for text in (result.stderr, r["message"]):
            self.assertIn("step 2 (from t = 1) failed: what was found does not continue the motion: the step is too long", text)
            self.assertIn("Try a smaller step", text)
        self.assertIn("The last good state, t = 1, is kept", result.stderr)
        columns, rows = self.read_csv("a.csv")
        self.assertEqual([float(row[0]) for row in rows], [0, 1])
        last = dict(zip(columns, map(float, rows[-1])))
        self.assertEqual((last["x"], last["p_y"]), (r["q"]["x"], r["p"]["y"]))
        self.assertLess(abs(last["x"] ** 2 + last["y"] ** 2 - 1), 1e-15)

    def test_also_in_the_table(self):
        result = self.run_program("run", MODELS / "pendulum.toml", "--step", 1, "--until", 30)
        self.assertEqual(result.returncode, 1)
        self.assertIn("1 steps to t = 1", result.stdout)

    def test_mass_matrices_and_wide_precisions(self):
        for arguments in ((MODELS / "slider-crank.toml", "--step", "0.1"),
                          (MODELS / "pendulum.toml", "--step", 1, "--until", 30, "--precision", "quad")):
            result = self.run_program("run", *arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn("Try a smaller step", result.stderr)

    def test_an_unknown_method_is_blamed_on_who_named_it(self):
        result = self.run_program("run", MODELS / "kepler.toml", "--method", "nosuch")
        self.assertEqual(result.returncode, 2)
        self.assertIn("holonom: --method nosuch: unknown method 'nosuch'", result.stderr)
        name = self.write((MODELS / "kepler.toml").read_text().replace('method = "rattle"', 'method = "nosuch"'))
        self.assertRegex(self.run_program("run", name).stderr, r"m\.toml:\d+:\d+: unknown method 'nosuch'")

    def test_a_loose_tolerance_is_named_where_a_step_fails(self):
        result = self.run_program(
            "run", MODELS / "spring-chain.toml", "--method", "shake", "--step", "0.01", "--until", "10", "--tolerance", "1e-4")
        self.assertEqual(result.returncode, 1)
        self.assertIn("Try a smaller tolerance, or none", result.stderr)

    def test_a_motion_that_is_none_any_more_is_told(self):
        """Constraints hold, or there are none, and the energy is lost."""
        lost = "the energy changed by .*, and the largest kinetic energy was .*: this is not the motion of the model any more"
        for model, *arguments in (("kepler", "--step", 2, "--steps", 50), ("kepler", "--step", 2, "--steps", 50, "--method", "bdf-2"),
                                  ("kepler", "--step", 2, "--steps", 50, "--precision", "quad", "--json"),
                                  ("henon-heiles", "--step", 20, "--steps", 2)):
            result = self.run_program("run", MODELS / f"{model}.toml", *arguments)
            self.assertRegex(result.stderr, lost, (model, arguments))
        for model in sorted(MODELS.glob("*.toml")):
            result = self.run_program("run", model, "--steps", 20)
            self.assertNotRegex(result.stderr, lost, model)

    def test_rest_is_a_motion(self):
        """Energies of a pendulum that hangs still are rounding errors, and so is its motion."""
        self.write("""format = 1
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "9.81*y"
[constraints]
rod = "sqrt(x^2 + y^2) - 0.7"
[initial]
q = { x = "0.7*sin(1e-9)", y = "-0.7*cos(1e-9)" }
""")
        result = self.run_program("run", "m.toml", "--step", "0.01", "--steps", 1000)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_few_states_that_are_watched(self):
        """Start and end level with the pivot: no motion, no energy, and no term of it there, wherever the pivot is."""
        lost = "this is not the motion of the model any more"
        few = ("--step", "T/200", "--until", "T", "--watch", "recorded", "--every", 1000, "--method", "kahan-li-8")
        result = self.run_program("run", MODELS / "pendulum.toml", *few)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.write(pendulum(parameters='m = 1\ng = 1\nL = 1\nT = "2*pi*1.18034059901609623"',
                            constraints='rod = "(x + L)^2 + y^2 - L^2"', initial="q = { x = 0, y = 0 }\np = { x = 0, y = 0 }"))
        result = self.run_program("run", "m.toml", *few)
        self.assertEqual(result.returncode, 0)
        self.assertNotIn(lost, result.stderr)
        result = self.run_program("run", MODELS / "kepler.toml", "--step", 2, "--steps", 50, "--watch", "recorded", "--every", 50)
        self.assertIn(lost, result.stderr)

    def test_what_to_try_where_the_energy_is_lost(self):
        for arguments, advice in ((("pendulum", "--method", "gauss-2", "--until", 500), "a smaller step does not help: take lobatto-3"),
                                  (("kepler", "--step", 2, "--steps", 50), "Try a smaller step.")):
            result = self.run_program("run", MODELS / f"{arguments[0]}.toml", *arguments[1:])
            said = result.stderr
            (line,) = [line for line in said.splitlines() if "this is not the motion of the model any more." in line]
            self.assertEqual(said.count(advice), 1, said)
            self.assertEqual(advice in line, result.returncode == 0, "a failure brings the advice itself")
            self.assertNotIn("horter step", said)

    def test_contradictions_are_refused(self):
        model = MODELS / "pendulum.toml"
        for arguments, says in ((("--checkpoint", "nan", "--out", "a.csv"), "nan is not a number of seconds, at least 0"),
                                (("--checkpoint", "-1", "--out", "a.csv"), "-1 is not a number of seconds, at least 0"),
                                (("--checkpoint", 5), "--checkpoint: there is no --out, nor --events-out, beside which checkpoints are kept"),
                                (("--set", "m=2", "--set", "g=1", "--set", "m=3"), "--set m=3: m is set already, to 2")):
            result = self.run_program("run", model, "--steps", 2, *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(says, result.stderr)
        for arguments in (("--checkpoint", 0), ("--checkpoint", 0.5, "--out", "a.csv"), ("--set", "m=2", "--set", "g=1")):
            result = self.run_program("run", model, "--steps", 2, *arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        self.assertEqual(self.run_program("check", model, "--set", "m=2", "--set", "m=2").returncode, 2)

    def test_an_end_within_the_first_step_is_told(self):
        for until in ("1e-7", "0.05"):
            result = self.run_program("run", MODELS / "pendulum.toml", "--step", "0.1", "--until", until)
            self.assertEqual(result.returncode, 0)
            self.assertRegex(result.stderr, r"until = [\d.e-]+ is no multiple of the step: the run ends at t = 0")
        for until in ("0", "0.3", "0.1"):
            result = self.run_program("run", MODELS / "pendulum.toml", "--step", "0.1", "--until", until)
            self.assertEqual((result.returncode, result.stderr), (0, ""), until)

    def test_threads_without_a_use_are_told(self):
        for method in ("rattle", "gauss-2@state-space:partition"):
            result = self.run_program("run", MODELS / "double-pendulum.toml", "--method", method, "--steps", 2, "--threads", 2)
            self.assertIn("has no stages to share and makes no use of it", result.stderr)

    def test_a_motion_out_of_the_domain(self):
        """A particle falls into the singularity of its potential."""
        self.write("""format = 1
[coordinates]
names = ["x"]
[energy]
mass = [1]
potential = "-sqrt(x)*5"
[initial]
q = { x = 1 }
p = { x = -4 }
[integrate]
step = 0.1
until = 10
""")
        result = self.run_program("run", "m.toml", "--json")
        self.assertEqual(result.returncode, 1)
        r = json.loads(result.stdout)
        self.assertGreater(r["q"]["x"], 0)
        self.assertIn("NaN or infinity", r["message"])

    def test_an_energy_that_is_no_number_stops_the_run(self):
        """log(x - 1/2) has no value left of 1/2; its derivative has, so that the motion could go on."""
        self.write(pendulum(energy='mass = ["m", "m"]\npotential = "9.81*y + log(x - 0.5)"'))
        for watch in ("all", "recorded"):
            result = self.run_program("run", "m.toml", "--step", "0.05", "--steps", 100, "--every", 100, "--watch", watch, "--json")
            self.assertEqual(result.returncode, 1)
            r = json.loads(result.stdout)
            self.assertEqual(r["status"], "failed")
            self.assertLess(r["steps"], 100)
            self.assertGreater(r["q"]["x"], 0.5, "the last good state")
            self.assertIsNotNone(r["energy"]["max_error"])

    def test_a_motion_that_is_projected_is_told(self):
        self.write(pendulum(initial="project = true\nq = { x = 1, y = 0 }\np = { x = 10, y = 1 }"))
        self.assertIn("made the initial motion tangent to the constraints, which took 50 of its energy", self.run_program("run", "m.toml").stderr)
        self.assertIn("projection of the motion took 5.0e+01 of the energy", self.run_program("check", "m.toml").stdout)
        self.write(pendulum(initial="project = true\nq = { x = 1, y = 0 }\np = { x = 1e-7, y = 1 }"))
        self.assertEqual(self.run_program("run", "m.toml").stderr, "", "digits that were not written are none")

    def test_a_guess_that_leads_astray_is_not_the_end(self):
        """Impulses of the last steps lead to roots on the other side here; the step from a new start does not."""
        for model, method, step in (("pendulum", "position-verlet", "0.89"), ("charged-particle", "kahan-li-8", "0.96")):
            r = self.run_json(MODELS / f"{model}.toml", "--method", method, "--step", step, "--steps", 300)
            self.assertEqual(r["steps"], 300)
            self.assertLess(r["energy"]["max_error"], 0.2)

    def test_far_from_the_origin(self):
        """Constraints are as good as the coordinates are, which have an epsilon of 1e-13 there, or of 1e-10."""
        for X, bound in ((10**3, 5e-13), (10**6, 5e-10)):
            self.write(pendulum(constraints=f'rod = "((x - {X})^2 + (y + {X})^2 - L^2)/2"', initial=f"q = {{ x = {X + 1}, y = {-X} }}"))
            for method in ("rattle", "kahan-li-8", "gauss-2+jay", "lobatto-4"):
                r = self.run_json("m.toml", "--method", method, "--step", "0.1", "--steps", 100)
                self.assertLess(r["constraint"]["position_max"], bound, method)


class Interruption(CliTest):
    def interrupted(self, with_signal):
        process = subprocess.Popen(
            [PROGRAM, "run", str(MODELS / "pendulum.toml"), "--steps", "1000000000", "--out", "a.csv", "--json"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        file = self.folder / "a.csv"
        for _ in range(600):  # rows on the disk: the run is under way
            if file.exists() and file.stat().st_size > 20000:
                break
            time.sleep(0.05)
        process.send_signal(with_signal)
        out, err = process.communicate(timeout=HANGS)
        return process.returncode, json.loads(out), err

    def test_ctrl_c_keeps_the_state(self):
        for with_signal in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(with_signal):
                code, r, err = self.interrupted(with_signal)
                self.assertEqual(code, 130)
                self.assertEqual(r["status"], "interrupted")
                self.assertGreater(r["steps"], 0)
                self.assertLess(r["steps"], 1000000000)
                self.assertIn(f"interrupted after {r['steps']} of 1000000000 steps", r["message"])
                self.assertIn("interrupted after", err)
                columns, rows = self.read_csv("a.csv")
                self.assertTrue(all(len(row) == len(columns) for row in rows), "no row is torn")
                self.assertEqual(len(rows), r["steps"] + 1)
                self.assertEqual(float(rows[-1][0]), r["t"])
                self.assertEqual(float(rows[-1][columns.index("x")]), r["q"]["x"])
                (self.folder / "a.csv").unlink()


    def test_ctrl_c_between_samples(self):
        """A step of many samples does not wait for the last of them."""
        process = subprocess.Popen(
            [PROGRAM, "run", str(MODELS / "pendulum.toml"), "--step", "0.01", "--until", "0.5", "--sample", "1e-9", "--out", "a.csv", "--json"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        file = self.folder / "a.csv"
        for _ in range(600):
            if file.exists() and file.stat().st_size > 20000:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANGS)
        self.assertEqual(process.returncode, 130)

    def test_too_many_samples_are_refused(self):
        result = self.run_program("run", MODELS / "pendulum.toml", "--sample", "1e-12", "--out", "a.csv")
        self.assertEqual(result.returncode, 2)
        self.assertIn("rows, more than anyone can keep; take a longer interval", result.stderr)
        self.assertFalse((self.folder / "a.csv").exists())


class Progress(CliTest):
    arguments = ["run", str(MODELS / "pendulum.toml"), "--json", "--steps"]

    def test_none_unless_on_a_terminal(self):
        steps, seconds = 400000, 0
        while seconds < 0.3:  # long enough for a bar
            result = self.run_program(*self.arguments, steps)
            self.assertEqual(result.stderr, "")
            seconds = json.loads(result.stdout)["wall_seconds"]
            steps *= 4

    def test_a_bar_on_a_terminal(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        process = subprocess.Popen([PROGRAM, *self.arguments, "50000000"], cwd=self.folder, stdout=subprocess.PIPE, stderr=slave)
        self.addCleanup(process.kill)
        os.close(slave)
        seen = b""
        deadline = time.monotonic() + 30
        while seen.count(b"%") < 2 and time.monotonic() < deadline:
            seen += os.read(master, 1024)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=HANGS)
        self.assertRegex(seen.decode(), r"\r *\[#* *\] +\d+\.\d %")
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(out)["status"], "interrupted", "standard output has the JSON object only")


class Engines(CliTest):
    def has_native_code(self):
        return self.run_program("run", MODELS / "pendulum.toml", "--steps", 1, "--engine", "llvm").returncode == 0

    def test_a_state_does_not_depend_on_the_length_of_the_run(self):
        if not self.has_native_code():
            self.skipTest("no native code")
        model = MODELS / "double-pendulum.toml"
        short = self.run_json(model, "--steps", 1000, "--out", "short.csv")
        long = self.run_json(model, "--steps", 400000, "--watch", "recorded", "--every", 1000, "--out", "long.csv")
        self.assertEqual((short["engine"], long["engine"]), ("interp", "llvm"), "auto takes native code where it pays")
        # Here every state is wanted: projections in between are not left out.
        whole = self.run_json(model, "--steps", 1000, "--engine", "llvm", "--out", "whole.csv")
        self.assertEqual(whole["q"], short["q"])
        self.assertEqual(self.read_csv("short.csv"), self.read_csv("whole.csv"))
        sparse = self.run_json(model, "--steps", 1000, "--watch", "recorded", "--every", 1000, "--engine", "interp",
                               "--out", "sparse.csv")
        self.assertEqual(sparse["engine"], "interp")
        self.assertEqual(self.read_csv("long.csv")[1][:2], self.read_csv("sparse.csv")[1])


class Paths(CliTest):
    def test_names_with_spaces_and_accents(self):
        self.write(pendulum(), "my pendulum é.toml")
        self.assertEqual(self.run_json("my pendulum é.toml", "--steps", 1)["model"], "my pendulum é")

    def test_line_ends_of_windows(self):
        self.write(pendulum(), "unix.toml")
        self.write(pendulum().replace("\n", "\r\n"), "windows.toml")
        self.assertEqual(self.run_json("unix.toml")["q"], self.run_json("windows.toml")["q"])

    def test_a_split_potential_is_their_sum(self):
        self.write(pendulum(), "whole.toml")
        self.write(pendulum(energy='mass = ["m", "m"]\npotential = { slow = "m*g*y - x", fast = "x" }'), "split.toml")
        whole, split = self.run_json("whole.toml")["q"], self.run_json("split.toml")["q"]
        for c in whole:
            self.assertAlmostEqual(whole[c], split[c], delta=1e-13)


if __name__ == "__main__":
    unittest.main()
