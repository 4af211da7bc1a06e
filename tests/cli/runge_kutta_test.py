"""Implicit Runge-Kutta methods from the command line: keys, pairs from files, options, and what is said about mistakes."""

import decimal
import re
import unittest

from support import MODELS, CliTest

LOBATTO = """name = "my pair"
A = [["0", "0", "0"], ["5/24", "1/3", "-1/24"], ["1/6", "2/3", "1/6"]]
b = ["1/6", "2/3", "1/6"]
"""


class Keys(CliTest):
    def test_unknown_ones_are_refused(self):
        for key, remedy in (("lobatto-03", "'lobatto-3'"),
                            ("lobatto-", "'lobatto-2'"), ("lobatto-3+jay", "'lobatto-3'"), ("gauss-0", "'gauss-1'"),
                            ("gauss-2+Jay", "'gauss-2+jay'"), ("radau-2a-0", "'radau-2a-"), ("bdf-0", "'bdf-1'"),
                            ("bdf-2+jay", "holonom methods")):
            with self.subTest(key):
                result = self.run_program("run", MODELS / "pendulum.toml", "--method", key)
                self.assertEqual(result.returncode, 2)
                self.assertIn(f"unknown method '{key}'", result.stderr)
                self.assertIn(remedy, result.stderr)

    def test_numbers_out_of_range_name_the_range(self):
        for key, least, most in (("lobatto-1", 2, 30), ("lobatto-31", 2, 30), ("bdf-7", 1, 6), ("gauss-31", 1, 30)):
            with self.subTest(key):
                result = self.run_program("run", MODELS / "pendulum.toml", "--method", key)
                self.assertEqual(result.returncode, 2)
                self.assertIn(f"'{key}': the number must be one of {least} to {most}", result.stderr)

    def test_first_and_last_of_each_family_run(self):
        """Five steps each, which end near each other; on the manifold where that is promised."""
        exact = self.run_json(MODELS / "pendulum.toml", "--method", "lobatto-8", "--step", "1/100", "--steps", 5)["q"]
        for key in ("lobatto-2", "lobatto-30", "gauss-1+jay", "gauss-30+jay", "radau-2a-1", "radau-2a-30", "bdf-1", "bdf-6"):
            with self.subTest(key):
                r = self.run_json(MODELS / "pendulum.toml", "--method", key, "--step", "1/100", "--steps", 5)
                self.assertLess(r["constraint"]["position_max"], 1e-15)
                for name, value in exact.items():
                    self.assertAlmostEqual(r["q"][name], value, delta=1e-3)


class Pairs(CliTest):
    def test_from_a_file(self):
        pair = "pair:" + self.write(LOBATTO, "my.toml")
        mine = self.run_json(MODELS / "double-pendulum.toml", "--method", pair, "--steps", 20)
        known = self.run_json(MODELS / "double-pendulum.toml", "--method", "lobatto-3", "--steps", 20)
        self.assertEqual(mine["method"], pair)
        self.assertEqual((mine["q"], mine["p"]), (known["q"], known["p"]))

    def refuse(self, text, *parts):
        if text is not None:
            self.write(text, "p.toml")
        result = self.run_program("run", MODELS / "pendulum.toml", "--method", "pair:p.toml")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_mistakes_are_named(self):
        self.refuse(None, "p.toml: the file cannot be read")
        self.refuse("A = [[0, 0], [1]]\nb = [1, 1]\n", "p.toml:1:14: row 2 of A has 1 entries")
        self.refuse("A = [[0, 0]", "p.toml:1:")
        self.refuse('A = [["1/2"]]\nb = [1]\n', "'p' and its dual are no method for constrained systems", "at least 2 stages")
        self.refuse('A = [["5/12", "-1/12"], ["3/4", "1/4"]]\nb = ["3/4", "1/4"]\n', "no method for constrained systems", "a_1j")
        self.refuse(LOBATTO.replace('b = ["1/6"', 'b = ["1/5"'), "no method for constrained systems", "a_sj = b_j is needed")

    def test_digits_must_do_for_the_precision(self):
        third, sixth = "0.6666666666666667", "0.1666666666666667"
        pair = "pair:" + self.write(f"A = [[0, 0, 0], [0.2083333333333333, 0.3333333333333333, -0.0416666666666667], [{sixth}, {third}, {sixth}]]\n"
                                    f"b = [{sixth}, {third}, {sixth}]\nc = [0, 0.5, 1]\n")
        self.run_json(MODELS / "pendulum.toml", "--method", pair, "--steps", 2)
        result = self.run_program("run", MODELS / "pendulum.toml", "--method", pair, "--steps", 2, "--precision", "quad")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no symplectic pair in this precision; give its coefficients as formulas, or with more digits", result.stderr)


class Options(CliTest):
    def test_projection(self):
        model = MODELS / "double-pendulum.toml"
        for key in ("radau-2a-2", "gauss-2"):
            by_option = self.run_json(model, "--method", key, "--projection", "jay", "--steps", 20)
            by_key = self.run_json(model, "--method", key + "+jay", "--steps", 20)
            self.assertEqual(by_option["method"], key + "+jay")
            self.assertEqual((by_option["q"], by_option["p"]), (by_key["q"], by_key["p"]))
            self.assertLess(by_option["constraint"]["hidden_max"], 1e-14)
        self.assertGreater(self.run_json(model, "--method", "radau-2a-2", "--steps", 20)["constraint"]["hidden_max"], 1e-6)

    def test_projection_of_others_is_refused(self):
        for key, reason in (("rattle", "which keeps both constraints without"), ("lobatto-3", "which keeps both"),
                            ("bdf-2", "there is no projected form of 'bdf-2'"), ("radau-2a-2+jay", "is projected already")):
            result = self.run_program("run", MODELS / "pendulum.toml", "--method", key, "--projection", "jay")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("--projection jay: ", result.stderr)
            self.assertIn(reason, result.stderr)
        result = self.run_program("run", MODELS / "pendulum.toml", "--method", "gauss-2", "--projection", "standard")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--projection", result.stderr)

    def test_newton_matrices_agree(self):
        model = MODELS / "charged-particle.toml"
        runs = {name: self.run_json(model, "--method", "lobatto-4", "--newton", name, "--steps", 50) for name in ("auto", "start", "stages", "full")}
        for name, r in runs.items():
            for i in r["q"]:
                self.assertAlmostEqual(r["q"][i], runs["full"]["q"][i], delta=1e-12, msg=name)
        self.assertLess(runs["full"]["newton"]["iterations_mean"], runs["start"]["newton"]["iterations_mean"])
        self.assertEqual(runs["start"]["evaluations"]["factorisation"], 50)

    def test_a_full_matrix_of_too_many_unknowns_is_refused(self):
        result = self.run_program("run", MODELS / "hanging-chain.toml", "--method", "lobatto-3", "--newton", "full")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"lobatto-3 with the full Newton matrix: \d+ unknowns are too many for it \(at most \d+\)")
        self.run_json(MODELS / "hanging-chain.toml", "--method", "lobatto-3", "--steps", 2)
        result = self.run_program("run", MODELS / "pendulum.toml", "--method", "lobatto-3", "--newton", "fast")
        self.assertEqual(result.returncode, 2)
        self.assertIn("{auto,start,stages,full}", result.stderr)

    def test_threads(self):
        runs = [self.run_json(MODELS / "hanging-chain.toml", "--method", "lobatto-3", "--steps", 5, "--threads", n) for n in (1, 2, 3)]
        for r in runs[1:]:
            self.assertEqual((r["q"], r["p"], r["evaluations"]), (runs[0]["q"], runs[0]["p"], runs[0]["evaluations"]))
        for n in ("0", "-1", "65", "two"):
            result = self.run_program("run", MODELS / "pendulum.toml", "--method", "lobatto-3", "--threads", n)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("--threads", result.stderr)

    def test_multipliers(self):
        def rod(*more):
            return self.run_json(MODELS / "pendulum.toml", "--method", "lobatto-3", "--steps", 10, *more)["lambda"]["rod"]
        exact, of_stage = rod("--multipliers", "exact"), rod("--multipliers", "stage")
        self.assertEqual(exact, rod())
        self.assertNotEqual(exact, of_stage)
        self.assertAlmostEqual(exact, of_stage, delta=0.05)  # Λ_s is of order 2 here, and h = 0.3
        self.assertEqual(rod("--multipliers", "stage", "--every", 10), of_stage)
        result = self.run_program("run", MODELS / "pendulum.toml", "--multipliers", "none")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--multipliers", result.stderr)

    def test_multipliers_of_the_last_good_state(self):
        """A step that fails has multipliers too: they are not those of the state that is kept."""
        model = MODELS / "double-pendulum.toml"
        failed = self.run_json(model, "--method", "gauss-2", "--multipliers", "stage", "--every", 1000, code=1)
        good = self.run_json(model, "--method", "gauss-2", "--multipliers", "stage", "--steps", failed["steps"])
        self.assertEqual(failed["q"], good["q"])
        self.assertEqual(failed["lambda"], good["lambda"])


class Failures(CliTest):
    def test_gauss_with_constraints_warns_and_diverges(self):
        model = MODELS / "double-pendulum.toml"
        result = self.run_program("run", model, "--method", "gauss-2", "--json", "--out", "o.csv", "--every", 1)
        self.assertEqual(result.returncode, 1)
        self.assertIn("warning: gauss-2 is for systems without constraints", result.stderr)
        self.assertIn("Try --projection jay, or a lobatto method", result.stderr)
        self.assertRegex(result.stderr, r"step \d+ \(from t = .*\) failed: .* The last good state, t = .*, is kept")
        failed = self.run_json(model, "--method", "gauss-2", code=1)
        self.assertEqual(failed["status"], "failed")
        self.assertIn("failed", failed["message"])
        good = self.run_json(model, "--method", "gauss-2", "--steps", failed["steps"])
        self.assertEqual((failed["t"], failed["q"], failed["p"]), (good["t"], good["q"], good["p"]))
        _, rows = self.read_csv("o.csv")
        self.assertEqual(len(rows), failed["steps"] + 1)
        self.assertEqual([float(x) for x in rows[-1][1:5]], list(good["q"].values()))

    def test_gauss_without_constraints_does_not_warn(self):
        result = self.run_program("run", MODELS / "henon-heiles.toml", "--method", "gauss-2", "--steps", 5, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_too_long_a_step(self):
        r = self.run_json(MODELS / "double-pendulum.toml", "--method", "lobatto-3", "--step", 3, "--steps", 2, code=1)
        self.assertEqual((r["status"], r["steps"], r["t"]), ("failed", 0, 0))
        self.assertIn("Try a smaller step", r["message"])


class HundredDigits(CliTest):
    def test_none_is_lost(self):
        """States in the file and in JSON are on the manifold to the last digit, and the energy is that of the order."""
        with decimal.localcontext() as context:
            context.prec = 130
            r = self.run_json(MODELS / "pendulum.toml", "--method", "lobatto-8", "--precision", "100", "--steps", 3,
                              "--every", 1, "--out", "o.csv")
            header, rows = self.read_csv("o.csv")
            self.assertEqual(rows[-1][1:5], [*r["q"].values(), *r["p"].values()])
            for row in rows:
                x, y, p, w = map(decimal.Decimal, row[1:5])
                self.assertLess(abs((x * x + y * y).sqrt() - 1), decimal.Decimal("1e-98"))
                self.assertLess(abs(x * p + y * w), decimal.Decimal("1e-98"))
                self.assertLess(abs((p * p + w * w) / 2 + y), decimal.Decimal("1e-14"))
            self.assertEqual(header[1:5], ["x", "y", "p_x", "p_y"])
            for number in (*r["q"].values(), *r["p"].values(), r["lambda"]["rod"]):
                self.assertGreaterEqual(len(re.sub(r"e.*|[^0-9]", "", number)), 100)


class NoMethodForConstraints(CliTest):
    def test_a_smaller_step_is_not_advised(self):
        """Gauss methods without projection leave the constraints; what to take instead is said."""
        for method, instead in (("gauss-2", "take lobatto-3, or gauss-2+jay (--projection jay)"), ("gauss-3", "take lobatto-4, or gauss-3+jay")):
            result = self.run_program("run", MODELS / "double-pendulum.toml", "--method", method, "--until", 2000)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("failed", result.stderr)
            self.assertNotIn("Try a smaller step", result.stderr)
            self.assertIn(f"{method} is no method for systems with constraints, and a smaller step does not help: {instead}", result.stderr)
            self.assertEqual(result.stderr.count("does not help"), 1, result.stderr)
        result = self.run_program("run", MODELS / "double-pendulum.toml", "--step", "1.5")
        self.assertIn("Try a smaller step", result.stderr, "for methods that are")


if __name__ == "__main__":
    unittest.main()
