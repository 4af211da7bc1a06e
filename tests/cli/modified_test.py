"""holonom modified: the terms of modified equations as formulas, which other programs can evaluate."""

import json
import math
import random
import unittest

from support import MODELS, CliTest

PENDULUM = """format = 1
name = "pendulum"
[coordinates]
names = ["x"]
[energy]
mass = [1]
potential = "-cos(x)"
[initial]
q = { x = "-1.2" }
p = { x = 1 }
[integrate]
method = "verlet-a"
step = 0.1
until = 1
"""
FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "sqrt", "exp", "log", "cosh", "sinh")}


def evaluate(formula, values):
    return eval(formula.replace("^", "**"), {"__builtins__": {}, **FUNCTIONS}, values)


class Modified(CliTest):
    def modified(self, *arguments):
        result = self.run_program("modified", *arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def values(self, got, at):
        values = dict(at)
        for row in got["let"]:
            values[row["name"]] = evaluate(row["formula"], values)
        return values

    def test_the_pendulum_of_the_survey(self):
        name = self.write(PENDULUM)
        # (4.8) and (4.9), and the modified Hamiltonians with the right factors
        right = {"verlet-a": lambda s, c, p: (c * p / 6, (s * c + s * p * p) / 12, c * p * p / 12 - s * s / 24),
                 "verlet-b": lambda s, c, p: (-c * p / 12, (-4 * s * c - s * p * p) / 24, -c * p * p / 24 + s * s / 12)}
        for method, terms in right.items():
            got = self.modified(name, "--method", method)
            self.assertEqual((got["method"], got["order"], got["variables"]), (method, 2, ["x", "p_x"]))
            self.assertEqual([term["power"] for term in got["terms"]], [0, 1, 2])
            self.assertEqual(got["terms"][1], {"power": 1, "F": {"x": "0", "p_x": "0"}, "H": "0"})
            self.assertEqual(got["terms"][0]["F"], {"x": "p_x", "p_x": "-sin(x)"})
            for _ in range(10):
                x, p = random.uniform(-3, 3), random.uniform(-2, 2)
                values = self.values(got, {"x": x, "p_x": p})
                third = got["terms"][2]
                for mine, its in zip(terms(math.sin(x), math.cos(x), p), (third["F"]["x"], third["F"]["p_x"], third["H"])):
                    self.assertAlmostEqual(mine, evaluate(its, values), places=14)

    def test_for_people(self):
        result = self.run_program("modified", self.write(PENDULUM))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("pendulum: the modified equation of verlet-a, y' = F_1 + h F_2 + h^2 F_3 + ...\n", result.stdout)
        self.assertRegex(result.stdout, r"F_1 +x' +p_x\n +p_x' +-sin\(x\)\n")
        self.assertRegex(result.stdout, r"F_2 +0\n")
        lines = [line.split(None, 1) for line in result.stdout.splitlines() if line.startswith("  H_")]
        self.assertEqual([head for head, _ in lines], ["H_1", "H_2", "H_3"])
        x, p = 0.3, -0.7
        self.assertAlmostEqual(evaluate(lines[2][1], {"x": x, "p_x": p}), math.cos(x) * p * p / 12 - math.sin(x) ** 2 / 24, places=15)

    def test_what_is_printed_is_a_model(self):
        """F + h² F₃ + h⁴ F₅ as a [field] with [let]: its exact flow is the method, to order 7 in one step."""
        name = self.write(PENDULUM)
        got = self.modified(name, "--terms", "5")
        errors = []
        for h in (0.2, 0.1):
            rates = {v: " + ".join(f"{h}^{t['power']}*({t['F'][v]})" for t in got["terms"]) for v in got["variables"]}
            energy = " + ".join(f"{h}^{t['power']}*({t['H']})" for t in got["terms"])
            let = "".join(f'{row["name"]} = "{row["formula"]}"\n' for row in got["let"])
            model = self.write(f'format = 1\n[let]\n{let}[field]\nq.x = "{rates["x"]}"\np.p_x = "{rates["p_x"]}"\nenergy = "{energy}"\n'
                               f'[initial]\nx = "-1.2"\np_x = 1\n', "field.toml")
            flow = self.run_json(model, "--method", "gauss-3", "--step", f"{h}/20", "--steps", "20", "--precision", "quad")
            step = self.run_json(name, "--step", str(h), "--steps", "1", "--precision", "quad")
            errors.append(abs(float(flow["q"]["x"]) - float(step["q"]["x"])))
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 7, delta=0.3)

    def test_fields(self):
        got = self.modified(MODELS / "abc-flow.toml", "--method", "volume-splitting")
        self.assertEqual(got["variables"], ["x", "y", "z"])
        self.assertEqual([term["H"] for term in got["terms"]], [None] * 3)
        self.assertEqual(set(got["terms"][1]["F"].values()), {"0"})
        got = self.modified(MODELS / "lotka-volterra.toml", "--terms", "2", "--method", "symplectic-euler")
        u, v = 1.3, 0.7
        values = self.values(got, {"u": u, "v": v})
        # F_2 of q' = g(q, p₁), p₁ = p + h f(q, p₁)
        f, g = v * (1 - u), u * (v - 2)
        self.assertAlmostEqual(evaluate(got["terms"][1]["F"]["u"], values), u * f - ((v - 2) * g + u * f) / 2, places=14)

    def test_compositions_have_exact_decimals_and_readable_ones(self):
        name = self.write(PENDULUM)
        exact = self.run_program("modified", name, "--method", "suzuki-4/verlet-a", "--terms", "3", "--json").stdout
        shown = self.run_program("modified", name, "--method", "suzuki-4/verlet-a", "--terms", "3").stdout
        self.assertRegex(exact, r"\d{60}")
        self.assertNotRegex(shown, r"\d{20}")

    def test_names_of_abbreviations_are_free(self):
        got = self.modified(self.write("""format = 1
[coordinates]
names = ["s1", "s2"]
[energy]
mass = [1, 1]
potential = "-1/sqrt(s1^2 + s2^2)"
[initial]
q = { s1 = 1, s2 = 0 }
p = { s1 = 0, s2 = 1 }
"""), "--method", "verlet-a")
        names = [row["name"] for row in got["let"]]
        self.assertGreater(len(names), 0)
        self.assertNotIn("s1", names)

    def test_parameters_can_be_set(self):
        got = self.modified(MODELS / "abc-flow.toml", "--method", "rk-2", "--terms", "1", "--set", "A=7", "--set", "C=5")
        self.assertAlmostEqual(evaluate(got["terms"][0]["F"]["x"], {"x": 0, "y": 0.2, "z": 0.4}), 7 * math.sin(0.4) + 5 * math.cos(0.2), places=14)

    def test_what_does_not_suit(self):
        name = self.write(PENDULUM)
        for arguments, says in (((MODELS / "pendulum.toml",), "with constraints, a motion is no field on the graph"),
                                ((MODELS / "kepler.toml", "--method", "bdf-2"), "bdf-2 has no expansion on the graph. There are those of"),
                                ((MODELS / "lotka-volterra.toml", "--method", "rattle"), "take verlet-a"),
                                ((MODELS / "abc-flow.toml", "--method", "verlet-a"), "do not come in two parts"),
                                ((MODELS / "lotka-volterra.toml", "--method", "volume-splitting"), "the rate of 'u' depends on 'u' itself"),
                                ((name, "--method", "volume-splitting"), "is for fields"),
                                ((name, "--method", "verlet"), "Did you mean"),
                                ((name, "--terms", "0"), "at least 1"),
                                ((name, "--terms", "two"), "at least 1")):
            result = self.run_program("modified", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(says, result.stderr)


if __name__ == "__main__":
    unittest.main()
