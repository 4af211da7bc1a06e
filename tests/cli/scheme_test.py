"""Compositions of one's own from the command line: scheme:FILE.toml."""

import json
import unittest

from support import MODELS, CliTest

JUMP = """name = "my jump"
half = ["1/(2 - 2^(1/3))", "-2^(1/3)/(2 - 2^(1/3))"]
"""
ROUNDED = "half = [1.351207191959658, -1.702414383919315]\n"
# McLachlan's five pairs of a method and its adjoint (docs/methods/compositions.md)
PAIRS = """adjoint = true
half = ["(14 - sqrt(19))/108", "(146 + 5*sqrt(19))/540", "(-23 - 20*sqrt(19))/270", "(-2 + 10*sqrt(19))/135", "1/5"]
"""
# No palindrome: its sum is 1, and that of its cubes 0.
ORDER_3 = "coefficients = [2, '(-1 + sqrt(31/3))/2', '(-1 - sqrt(31/3))/2']\n"
PENDULUM, DOUBLE = MODELS / "pendulum.toml", MODELS / "double-pendulum.toml"


class Schemes(CliTest):
    def show(self, key):
        result = self.run_program("methods", key, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)[0]

    def test_the_same_bits_as_the_built_in_one(self):
        (self.folder / "folder").mkdir()
        jump, pairs = self.write(JUMP, "folder/jump.toml"), self.write(PAIRS, "pairs.toml")
        for mine, known in ((f"scheme:{jump}", "yoshida-4"), (f"scheme:{jump}/midpoint", "yoshida-4/midpoint"),
                            (f"scheme:{jump}/rattle", "yoshida-4"), (f"scheme:{pairs}", "mclachlan-4-adjoint/symplectic-euler"),
                            (f"scheme:{pairs}/geodesic-2", "mclachlan-4-adjoint/geodesic-2")):
            for precision in ("double", "quad"):
                with self.subTest(mine, precision=precision):
                    a = self.run_json(DOUBLE, "--method", mine, "--step", "0.02", "--steps", 20, "--precision", precision)
                    b = self.run_json(DOUBLE, "--method", known, "--step", "0.02", "--steps", 20, "--precision", precision)
                    self.assertEqual((a["q"], a["p"], a["newton"]), (b["q"], b["p"], b["newton"]))
        self.assertEqual(self.run_json(DOUBLE, "--method", f"scheme:{jump}/rattle", "--steps", 1)["method"], f"scheme:{jump}")

    def test_methods_reports(self):
        info = self.show("scheme:" + self.write(JUMP + "order = 4\ncitation = 'me'\n"))
        self.assertEqual((info["order"], info["symmetric"], info["symplectic"]), (4, True, True))
        self.assertEqual(info["title"], "my jump, 3 substeps of rattle")
        self.assertTrue(info["citation"].startswith("me; "))
        self.assertIn("order 4 by its order conditions; at order 5, ", info["remark"])
        info = self.show("scheme:" + self.write(ORDER_3))
        self.assertEqual((info["order"], info["symmetric"], info["symplectic"]), (3, False, True))
        info = self.show("scheme:" + self.write(PAIRS))
        self.assertEqual((info["key"], info["order"], info["symmetric"]), ("scheme:m.toml/symplectic-euler", 4, True))
        # an odd number of a base and its adjoint is no palindrome of maps
        info = self.show("scheme:" + self.write("adjoint = true\ncoefficients = ['1/4', '1/2', '1/4']\n"))
        self.assertEqual((info["order"], info["symmetric"]), (1, False))
        self.assertIn("scheme:<file.toml>[/<base>]", self.run_program("methods").stdout)

    def test_compare_measures_the_order(self):
        for text, order in ((JUMP, 4), (ORDER_3, 3), (PAIRS, 4)):
            key = "scheme:" + self.write(text)
            result = self.run_program("compare", DOUBLE, "--methods", f"rattle,{key}", "--step", "0.01,0.005", "--until", "3", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            runs = [r for r in json.loads(result.stdout)["rows"] if r["method"].startswith("scheme:")]
            self.assertAlmostEqual(runs[-1]["order"]["q"], order, delta=0.1, msg=text)

    def test_certify_holds(self):
        for text, order in ((JUMP, 4), (ORDER_3, 3), (PAIRS, 4)):
            result = self.run_program("certify", PENDULUM, "--method", "scheme:" + self.write(text), "--step", "T/200", "--json")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            claims = {c["property"]: c for c in json.loads(result.stdout)["claims"]}
            self.assertEqual(claims["symplecticity"]["verdict"], "holds")
            self.assertEqual(claims["order"]["verdict"], "holds", claims["order"])
            self.assertAlmostEqual(claims["order"]["measured"], order, delta=0.15)
            self.assertEqual(claims["symmetry"]["claimed"], text != ORDER_3)

    def refuse(self, key, *parts, command=("run", PENDULUM, "--steps", 2, "--method")):
        result = self.run_program(*command, key)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_digits_must_do_for_the_precision(self):
        key = "scheme:" + self.write(ROUNDED + "order = 4\n")
        exact = self.run_json(DOUBLE, "--method", "yoshida-4", "--steps", 5, "--step", "0.01")
        mine = self.run_json(DOUBLE, "--method", key, "--steps", 5, "--step", "0.01")
        for name, value in exact["q"].items():
            self.assertAlmostEqual(mine["q"][name], value, delta=1e-13)
        for precision in ("long", "quad", "100"):
            self.refuse(key, "has no order 4 in this precision; give its coefficients as formulas, or with more digits",
                        "the sum of the coefficients must be 1, and is missed by",
                        command=("run", PENDULUM, "--steps", 2, "--precision", precision, "--method"))
        # certify measures orders in quad, which these digits are not for: it says so
        result = self.run_program("certify", PENDULUM, "--method", key, "--step", "T/200", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        order = [c for c in json.loads(result.stdout)["claims"] if c["property"] == "order"][0]
        self.assertEqual(order["verdict"], "not measured")
        self.assertIn("with more digits", order["remark"])

    def test_a_claimed_order_that_does_not_hold(self):
        self.refuse("scheme:" + self.write(JUMP + "order = 6\n"), "m.toml: 'my jump' is said to have order 6, but the order conditions with the base rattle give 4",
                    "At order 5, the sum of the 5th powers of the coefficients must be 0, and is missed by -5.29e+00")
        self.refuse("scheme:" + self.write("half = [0.3, 0.4]\norder = 4\n"), "give 2", "At order 3, the sum of the cubes of the coefficients must be 0, and is missed by 1.18e-01")
        self.refuse("scheme:" + self.write("coefficients = [0.3, 0.4]\n"), "does not converge: the sum of the coefficients must be 1, and is missed by -3.00e-01")
        self.refuse("scheme:" + self.write(PAIRS.replace('"1/5"', '"1/4"')), "does not converge")
        self.refuse("scheme:" + self.write("coefficients = ['1/3', '2/3']\nadjoint = true\norder = 2\n"), "base symplectic-euler give 1",
                    "the sum of the squares of the coefficients, those of the adjoint with a minus, must be 0, and is missed by -3.33e-01")

    def test_mistakes_are_named(self):
        self.refuse("scheme:none.toml", "none.toml: the file cannot be read")
        self.refuse("scheme:none.toml/rattle", "none.toml: the file cannot be read")
        key = "scheme:" + self.write(JUMP)
        self.refuse(key + "/ratle", "unknown base method 'ratle'", "Did you mean 'rattle'?")
        self.refuse(key + "/", "a base method is missing")
        self.refuse(key + "/symplectic-euler", "composes symmetric methods, and symplectic-euler is not one")
        self.refuse("scheme:" + self.write("coefficients = [1, 'two']\n"), "m.toml:1:21: in an entry of coefficients: unknown name 'two'")
        self.refuse("scheme:" + self.write("coefficients = [1, 0]\n"), "m.toml:1:20: entry 2 of coefficients is 0")
        self.refuse("scheme:" + self.write("coeficients = [1]\n"), "m.toml:1:1: unknown key 'coeficients'", "'coefficients'")


if __name__ == "__main__":
    unittest.main()
