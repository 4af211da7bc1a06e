"""[field]: check, run, compare and certify on first-order systems; their names in all outputs; what they cannot do."""

import json
import math
import unittest

from support import MODELS, CliTest, place_of

# Three variables in parts of one and two, with all that a model may have beside a field.
UNEQUAL = """format = 1
name = "two and one"
[parameters]
k = 2
[let]
force = "-k*x + z/10"
[field]
p.v = "force"
p.z = "x*v - z"
q.x = "v"
energy = "v^2/2 + k*x^2/2"
[invariants]
rest = "x - x + 1"
[observables]
speed = "abs(v)"
power = "rate(v^2/2)"
[events]
middle = { zero = "x", direction = "up" }
[reversal]
flip = ["v"]
[units]
v = "m/s"
[initial]
x = 1
v = 0
z = "1/2"
[integrate]
step = 0.01
until = 10
"""


def lotka_volterra(u, v):
    return u - math.log(u) + v - 2 * math.log(v)


class Run(CliTest):
    def test_a_partitioned_field_has_its_names_everywhere(self):
        name = self.write(UNEQUAL)
        got = self.run_json(name, "--out", "x.csv", "--events-out", "e.csv")
        self.assertEqual((list(got["q"]), list(got["p"])), (["x"], ["v", "z"]))
        self.assertEqual(list(got["events"][0]["p"]), ["v", "z"])
        header, rows = self.read_csv("x.csv")
        self.assertEqual(header, ["t", "x", "v", "z", "energy", "position_residual", "hidden_residual", "rest", "speed", "power"])
        self.assertEqual({len(row) for row in rows}, {len(header)})
        self.assertEqual([float(rows[-1][i]) for i in (1, 2, 3)], [got["q"]["x"], got["p"]["v"], got["p"]["z"]])
        self.assertEqual(rows[0][:5], ["0", "1", "0", "0.5", "1"])
        events, _ = self.read_csv("e.csv")
        self.assertEqual(events[:6], ["event", "direction", "t", "x", "v", "z"])
        text = self.run_program("run", name).stdout
        last = text[text.index("last state"):].splitlines()[1:4]
        self.assertEqual([line.split()[0] for line in last], ["x", "v", "z"])

    def test_the_power_is_the_rate_of_the_energy(self):
        name = self.write(UNEQUAL)
        self.run_json(name, "--out", "x.csv", "--steps", "5")
        header, rows = self.read_csv("x.csv")
        for row in rows:
            x, v, z, power = (float(row[header.index(c)]) for c in ("x", "v", "z", "power"))
            self.assertAlmostEqual(power, v * (-2 * x + z / 10), places=14)

    def test_an_odd_number_without_parts(self):
        got = self.run_json(MODELS / "abc-flow.toml", "--steps", "40", "--out", "x.csv")
        self.assertEqual((list(got["q"]), got["p"], got["energy"]), (["x", "y", "z"], {}, None))
        header, _ = self.read_csv("x.csv")
        self.assertEqual(header[:5], ["t", "x", "y", "z", "energy"])
        text = self.run_program("run", MODELS / "abc-flow.toml", "--steps", "40").stdout
        self.assertNotIn("energy", text)
        # Against Kutta's method, written down here
        A, B, C, h = math.sqrt(3), math.sqrt(2), 1, 0.0005
        f = lambda x, y, z: (A * math.sin(z) + C * math.cos(y), B * math.sin(x) + A * math.cos(z), C * math.sin(y) + B * math.cos(x))
        s = (0.3, 0.6, 0.2)
        for _ in range(4000):
            a = f(*s)
            b = f(*(x + h / 2 * d for x, d in zip(s, a)))
            c = f(*(x + h / 2 * d for x, d in zip(s, b)))
            d = f(*(x + h * k for x, k in zip(s, c)))
            s = tuple(x + h / 6 * (i + 2 * j + 2 * k + l) for x, i, j, k, l in zip(s, a, b, c, d))
        got = self.run_json(MODELS / "abc-flow.toml", "--step", "0.01", "--steps", "200")
        for mine, its in zip(s, got["q"].values()):
            self.assertAlmostEqual(mine, its, places=8)

    def test_verlet_stays_and_the_explicit_midpoint_rule_spirals(self):
        def run(method, steps, *options):
            got = self.run_json(MODELS / "lotka-volterra.toml", "--method", method, "--step", "0.1", "--steps", steps, *options)
            self.assertAlmostEqual(got["energy"]["final"], lotka_volterra(got["q"]["u"], got["p"]["v"]), places=12)
            return got["energy"]
        for inside in ([], ["--set", "u0=1.2", "--set", "v0=2"]):
            for method in ("verlet-a", "verlet-b"):
                self.assertLess(run(method, 32000, *inside)["max_error"], 1.001 * run(method, 2000, *inside)["max_error"])
            rule = run("rk-2", 32000, *inside)
            self.assertGreater(rule["max_error"], 2 * run("rk-2", 2000, *inside)["max_error"])
            # To a limit cycle, from outside and from inside.
            self.assertEqual(rule["final"] > rule["initial"], bool(inside))

    def test_precisions_and_engines(self):
        states = {}
        for options in (["--engine", "interp"], ["--engine", "llvm"], ["--precision", "long"], ["--precision", "quad"],
                        ["--precision", "100"]):
            result = self.run_program("run", MODELS / "lotka-volterra.toml", "--steps", "50", "--json", *options)
            if "llvm" in options and result.returncode == 2 and "LLVM" in result.stderr:
                continue  # a build without
            self.assertEqual(result.returncode, 0, result.stderr)
            got = json.loads(result.stdout)
            states[tuple(options)] = (got["q"]["u"], got["p"]["v"])
        exact = states["--precision", "100"]
        for options, state in states.items():
            for x, y in zip(state, exact):
                self.assertLess(abs(float(x) - float(y)), 1e-14, options)
        if ("--engine", "llvm") in states:
            self.assertEqual(states["--engine", "llvm"], states["--engine", "interp"])

    def test_the_volume_splitting_in_all_precisions_and_engines(self):
        # (2.22) of Hairer, Lubich and Wanner, written down here
        A, B, C, h = 0.5, 1, 1, 0.1
        x, y, z = 0.3, 0.6, 0.2
        for _ in range(40):
            x += h / 2 * (A * math.sin(z) + C * math.cos(y))
            y += h / 2 * (B * math.sin(x) + A * math.cos(z))
            z += h * (C * math.sin(y) + B * math.cos(x))
            y += h / 2 * (B * math.sin(x) + A * math.cos(z))
            x += h / 2 * (A * math.sin(z) + C * math.cos(y))
        model = [MODELS / "abc-flow.toml", "--method", "volume-splitting", "--set", "A=0.5", "--set", "B=1", "--step", "0.1", "--steps", "40"]
        for options in (["--engine", "interp"], ["--precision", "long"], ["--precision", "quad"], ["--precision", "100"]):
            got = self.run_json(*model, *options)
            for mine, its in zip((x, y, z), got["q"].values()):
                self.assertAlmostEqual(mine, float(its), places=13, msg=options)
            self.assertEqual(got["evaluations"]["force"], 1 + 40 * 4)
        native = self.run_program("run", *model, "--json", "--engine", "llvm")
        if native.returncode == 0:
            self.assertEqual(json.loads(native.stdout)["q"], self.run_json(*model, "--engine", "interp")["q"])
        else:
            self.assertIn("LLVM", native.stderr)

    def test_the_volume_splitting_says_why_not(self):
        result = self.run_program("run", self.write(UNEQUAL), "--method", "volume-splitting")
        self.assertEqual(result.returncode, 2)
        self.assertIn("the rate of 'z' depends on 'z' itself", result.stderr)
        self.assertIn("Take verlet-a or verlet-b", result.stderr)
        result = self.run_program("run", MODELS / "pendulum.toml", "--method", "volume-splitting@underlying")
        self.assertEqual(result.returncode, 2)
        self.assertIn("take a Runge-Kutta method", result.stderr)

    def test_resuming_has_the_same_bits(self):
        for method in ("volume-splitting", "yoshida-4/volume-splitting", "yoshida-6/volume-splitting"):
            model = MODELS / "abc-flow.toml"
            one = self.run_json(model, "--method", method, "--steps", "100", "--out", "a.csv", "--force")
            self.run_json(model, "--method", method, "--steps", "37", "--out", "b.csv", "--force")
            two = self.run_json(model, "--method", method, "--steps", "100", "--out", "b.csv", "--extend")
            self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes(), method)
            self.assertEqual(one["evaluations"], two["evaluations"], method)
        for method in ("verlet-a", "gauss-2", "bdf-2", "rk-2", "suzuki-4/verlet-b"):
            model = MODELS / "lotka-volterra.toml"
            self.run_json(model, "--method", method, "--steps", "100", "--out", "a.csv", "--force")
            self.run_json(model, "--method", method, "--steps", "37", "--out", "b.csv", "--force")
            self.run_json(model, "--method", method, "--steps", "100", "--out", "b.csv", "--extend")
            self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes(), method)

    def test_set_and_sample(self):
        name = self.write(UNEQUAL)
        self.run_json(name, "--sample", "0.25", "--until", "1", "--out", "x.csv", "--set", "k=0")
        _, rows = self.read_csv("x.csv")
        self.assertEqual([float(row[0]) for row in rows], [0, 0.25, 0.5, 0.75, 1])


class Check(CliTest):
    def test_it_says_what_it_is(self):
        text = self.run_program("check", self.write(UNEQUAL)).stdout
        self.assertIn("variables        3, 1 in q and 2 in p\n", text)
        self.assertIn("motion           a field, q' = g(q, p), p' = f(q, p)\n", text)
        self.assertIn("energy at start  1\n", text)
        self.assertIn("NOT reversible with this involution", text)
        text = self.run_program("check", MODELS / "abc-flow.toml").stdout
        self.assertIn("variables        3\n  motion           a field, y' = f(y)\n", text)
        self.assertNotIn("energy", text)
        self.assertIn("none is known: no [reversal] is given", text)
        text = self.run_program("check", MODELS / "rigid-body-euler.toml").stdout
        self.assertIn("the flow is reversible with the model's involution", text)
        self.assertRegex(text, r"invariant square +conserved by the exact flow")

    def test_methods_for_it(self):
        found = self.run_program("methods", "--model", MODELS / "abc-flow.toml", "--json")
        suited = {m["key"] for m in json.loads(found.stdout) if m["suits_model"]}
        self.assertTrue({"rk-2", "rk-4", "gauss-2", "radau-2a-3", "bdf-2", "lobatto-3"} <= suited, suited)
        self.assertFalse({"verlet-a", "rattle", "symplectic-euler"} & suited)
        found = self.run_program("methods", "--model", MODELS / "lotka-volterra.toml", "--json")
        suited = {m["key"] for m in json.loads(found.stdout) if m["suits_model"]}
        self.assertTrue({"verlet-a", "verlet-b", "symplectic-euler", "yoshida-4/verlet-a"} <= suited, suited)
        self.assertFalse({"rattle", "shake", "midpoint", "yoshida-4"} & suited)
        text = self.run_program("methods", "verlet-a").stdout
        self.assertIn("fields y' = f(y)    in two parts", text)


class Refused(CliTest):
    def refused(self, *arguments, words, code=2):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_methods_for_hamiltonian_systems(self):
        model = MODELS / "lotka-volterra.toml"
        self.refused("run", model, "--method", "rattle", words=["is a field y' = f(y)", "take verlet-a"])
        self.refused("run", model, "--method", "kahan-li-8", words=["take kahan-li-8/verlet-a"])
        self.refused("certify", model, "--method", "rattle", words=["take verlet-a"])
        self.refused("run", MODELS / "abc-flow.toml", "--method", "verlet-a", words=["do not come in two parts", "gauss-2"])
        self.refused("run", MODELS / "pendulum.toml", "--method", "verlet-a", words=["without constraints: rattle"])

    def test_what_needs_a_hamiltonian(self):
        model = MODELS / "lotka-volterra.toml"
        self.refused("run", model, "--wedge", words=["--wedge: a field y' = f(y) has no symplectic form"])
        self.refused("run", model, "--method", "gauss-2", "--formulation", "dirac", words=["is a field y' = f(y)", "leave the formulation out"])

    def test_a_solution_that_ends(self):
        name = self.write('format = 1\n[field]\nx = "x^2"\n[initial]\nx = 1\n[integrate]\nstep = 0.1\nuntil = 2\nmethod = "rk-4"\n')
        result = self.run_program("run", name)
        self.assertEqual(result.returncode, 1)
        self.assertIn("'x'", result.stderr)

    def test_mistakes(self):
        text = UNEQUAL.replace("force\"", "forse\"")
        self.refused("check", self.write(text), words=[f"m.toml:{place_of(text, 'forse')}: in the rate of 'v': unknown name 'forse'. Did you mean 'force'?"])


class Measured(CliTest):
    def test_orders(self):
        result = self.run_program("compare", MODELS / "lotka-volterra.toml", "--methods", "verlet-a,verlet-b,rk-2,gauss-2", "--step",
                                  "0.05,0.025", "--until", "2", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["rows"]
        for row in rows[1::2]:
            order = 4 if row["method"] == "gauss-2" else 2
            self.assertAlmostEqual(row["order"]["q"], order, delta=0.15, msg=row["method"])
            self.assertAlmostEqual(row["order"]["p"], order, delta=0.15, msg=row["method"])

    def test_orders_without_parts_and_energy(self):
        result = self.run_program("compare", MODELS / "abc-flow.toml", "--methods", "rk-4,gauss-1", "--step", "0.05,0.025", "--until",
                                  "1", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["rows"]
        self.assertAlmostEqual(rows[1]["order"]["q"], 4, delta=0.2)
        self.assertAlmostEqual(rows[3]["order"]["q"], 2, delta=0.1)
        for row in rows:
            self.assertIsNone(row["energy_max_error"])
            self.assertIsNone(row["error"]["p"])

    def claims(self, *arguments):
        result = self.run_program("certify", *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return {claim["property"]: claim for claim in json.loads(result.stdout)["claims"]}

    def test_certificates(self):
        claims = self.claims(MODELS / "rigid-body-euler.toml", "--method", "gauss-2")
        for name in ("symmetry", "reversibility", "invariant square", "order"):
            self.assertEqual(claims[name]["verdict"], "holds", name)
        self.assertEqual(claims["symplecticity"]["verdict"], "not measured")
        self.assertIn("no symplectic form", claims["symplecticity"]["remark"])
        claims = self.claims(MODELS / "rigid-body-euler.toml", "--method", "rk-4")
        self.assertFalse(claims["invariant square"]["claimed"])
        self.assertGreater(claims["invariant square"]["measured"], 1e-9)
        claims = self.claims(MODELS / "lotka-volterra.toml", "--method", "verlet-b")
        self.assertEqual([claims[name]["verdict"] for name in ("symmetry", "order")], ["holds", "holds"])
        self.assertIn("not reversible", claims["reversibility"]["remark"])
        self.assertLess(claims["energy drift"]["measured"], claims["energy drift"]["at_most"])
        claims = self.claims(MODELS / "lotka-volterra.toml", "--method", "rk-2")
        self.assertGreater(claims["energy drift"]["measured"], claims["energy drift"]["at_most"])
        claims = self.claims(MODELS / "abc-flow.toml")
        self.assertEqual(claims["order"]["verdict"], "holds")
        self.assertIn("no energy", claims["energy drift"]["remark"])


if __name__ == "__main__":
    unittest.main()
