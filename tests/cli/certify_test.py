"""holonom certify."""

import csv
import json
import unittest

from support import MODELS, CliTest, pendulum

PENDULUM = MODELS / "pendulum.toml"
CHARGED = MODELS / "charged-particle.toml"


class Certify(CliTest):
    def certify(self, *arguments, code=0):
        result = self.run_program("certify", *arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        r = json.loads(result.stdout)
        self.assertEqual(r["all_claims_hold"], code == 0)
        return r, {c["property"]: c for c in r["claims"]}

    def test_rattle_keeps_all(self):
        for model, more in ((PENDULUM, []), (CHARGED, ["momentum map Lz"]), (MODELS / "slider-crank.toml", []),
                            (MODELS / "four-bar-redundant.toml", [])):
            _, claims = self.certify(model, "--method", "rattle")
            self.assertEqual(set(claims), {"position constraint", "hidden constraint", "symplecticity", "symmetry", "reversibility",
                                           "energy drift", "shadow energy", "order", *more})
            for claim in claims.values():
                self.assertEqual((claim["claimed"], claim["verdict"]), (True, "holds"), claim)
            self.assertAlmostEqual(claims["order"]["measured"], 2, delta=0.05)

    def test_what_is_not_claimed_is_shown(self):
        _, claims = self.certify(PENDULUM, "--method", "rk-4", "--step", "T/50")
        for name in ("symplecticity", "symmetry", "reversibility", "energy drift"):
            claim = claims[name]
            self.assertEqual((claim["claimed"], claim["verdict"], claim["within_bound"]), (False, "not claimed", False), claim)
        self.assertGreater(claims["symplecticity"]["measured"], 1e-7)
        self.assertLess(claims["symplecticity"]["measured"], 1e-2)
        for name in ("position constraint", "hidden constraint", "order"):
            self.assertEqual(claims[name]["verdict"], "holds")
        out = self.run_program("certify", PENDULUM, "--method", "rk-4", "--step", "T/50").stdout
        self.assertRegex(out, r"symplecticity +\d\.\de-0\d <= +1\.0e-13  not claimed, not kept")

    def test_parts_that_are_left_out(self):
        whole, claims = self.certify(PENDULUM, "--method", "rattle")
        part, others = self.certify(PENDULUM, "--method", "rattle", "--no-advice", "--no-order")
        self.assertTrue(whole["advice"])
        self.assertEqual(part["advice"], [])
        order = others.pop("order")
        self.assertEqual((order["claimed"], order["verdict"], order["remark"]), (True, "not measured", "left out"))
        self.assertEqual(others, {name: claim for name, claim in claims.items() if name != "order"})

    def test_files(self):
        given = ("certify", PENDULUM, "--method", "lobatto-3", "--newton", "full")
        self.assertEqual(self.run_program(*given, "--out", "folder").returncode, 0)
        self.assertEqual(sorted(p.name for p in (self.folder / "folder").iterdir()), ["certify.csv", "certify.json"])
        claims = json.loads((self.folder / "folder/certify.json").read_text())["claims"]
        with open(self.folder / "folder/certify.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([r["property"] for r in rows], [c["property"] for c in claims])
        self.assertEqual(float(rows[0]["measured"]), claims[0]["measured"])
        again = self.run_program(*given, "--out", "folder")
        self.assertEqual((again.returncode, again.stdout), (2, ""))
        self.assertIn("certify.csv: the file exists; use --force", again.stderr)

    def test_shake_leaves_the_hidden_constraint(self):
        _, claims = self.certify(PENDULUM, "--method", "shake", "--step", "T/100")
        self.assertEqual(claims["hidden constraint"]["verdict"], "not claimed")
        self.assertGreater(claims["hidden constraint"]["measured"], 1e-6)
        self.assertEqual(claims["position constraint"]["verdict"], "holds")

    def test_a_loose_tolerance_fails(self):
        for model, broken in ((PENDULUM, {"position constraint", "symplecticity", "symmetry", "reversibility"}),
                              (CHARGED, {"symplecticity", "symmetry", "reversibility"})):
            result = self.run_program("certify", model, "--method", "rattle", "--tolerance", "1e-4")
            self.assertEqual(result.returncode, 3)
            self.assertIn("FAILS", result.stdout)
            self.assertIn("claims of rattle that fail on this model with this step: ", result.stderr)
            _, claims = self.certify(model, "--method", "rattle", "--tolerance", "1e-4", code=3)
            self.assertLessEqual(broken, {name for name, c in claims.items() if c["verdict"] == "fails"})
        _, claims = self.certify(PENDULUM, "--tolerance", "1e-4", code=3)
        self.assertEqual(claims["hidden constraint"]["verdict"], "holds", "it is solved directly")

    def advice(self, *arguments, code=0):
        r, _ = self.certify(*arguments, code=code)
        return {a["topic"]: a for a in r["advice"]}

    def test_advice_on_a_loose_tolerance(self):
        model = MODELS / "double-pendulum.toml"
        r, claims = self.certify(model, "--step", "0.06", "--tolerance", "1e-6", code=3)
        self.assertEqual(claims["shadow energy"]["verdict"], "fails")
        self.assertIn("solves end too early", claims["shadow energy"]["remark"])
        advice = self.advice(model, "--step", "0.06", "--tolerance", "1e-6", code=3)
        self.assertTrue(advice["tolerance"]["flagged"])
        self.assertIn("give no tolerance", advice["tolerance"]["text"])
        advice = self.advice(model, "--step", "0.06")
        self.assertNotIn("tolerance", advice)
        self.assertFalse(any(a["flagged"] for a in advice.values()))
        out = self.run_program("certify", model, "--step", "0.06", "--tolerance", "1e-6").stdout
        self.assertRegex(out, r"\nadvice\n(.*\n)+! tolerance    too loose: the shadow energy drifts")

    def test_advice_on_horizons(self):
        # Regular: errors of symplectic methods grow linearly, those of others faster.
        advice = self.advice(MODELS / "kepler.toml")
        self.assertAlmostEqual(advice["horizon"]["growth_power"], 1, delta=0.1)
        self.assertIn("Beyond, averages can be trusted", advice["horizon"]["text"])
        advice = self.advice(MODELS / "kepler.toml", "--step", "0.01", "--method", "rk-4")
        self.assertGreater(advice["horizon"]["growth_power"], 1.6)
        self.assertIn("not even averages", advice["horizon"]["text"])
        # Chaotic
        horizon = self.advice(MODELS / "rigid-body-heavy.toml", "--method", "yoshida-6", "--step", "0.02")["horizon"]
        self.assertGreater(horizon["growth_rate"], 0.05)
        self.assertLess(horizon["until_1e-6"], horizon["until_1e-3"])

    def test_advice_on_steps(self):
        advice = self.advice(MODELS / "double-pendulum.toml", "--step", "0.03")
        largest = advice["step"]["largest_step"]
        self.assertGreater(largest, 0.2)
        self.assertLess(largest, 0.5)

    def test_advice_on_steps_looks_at_the_whole_motion(self):
        """A comet is slow where it starts: 2000 steps end before its perihelion, at t = pi, which is what steps are too long for."""
        self.write("""format = 1
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "-1/sqrt(x^2 + y^2)"
[initial]
q = { x = "1.97", y = 0 }
v = { x = 0, y = "sqrt(0.03/1.97)" }
""", "comet.toml")
        for step in ("0.001", "0.0005"):
            result = self.run_program("certify", "comet.toml", "--method", "rattle", "--step", step, "--json")
            advice = next(a for a in json.loads(result.stdout)["advice"] if a["topic"] == "step")
            h = advice["largest_step"]
            run = self.run_json("comet.toml", "--method", "rattle", "--step", h, "--until", 7)
            self.assertLess(run["energy"]["max_error"], 0.21 * 0.52, advice["text"])
            longer = self.run_json("comet.toml", "--method", "rattle", "--step", 1.5 * h, "--until", 7)
            self.assertGreater(longer["energy"]["max_error"], 0.15 * 0.52, advice["text"])

    def test_advice_on_resonances_and_fast_motion(self):
        self.write('''format = 1
name = "stiff"
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "5000*(y^2 + y^3 + y^4) + x^2/2 + x*y/2 + (x - y)^4/4"
[initial]
q = { x = 1, y = "0.01" }
p = { x = "0.5", y = 1 }
[integrate]
method = "rattle"
step = "0.01"
until = 1
''')
        advice = self.advice("m.toml", "--step", "0.0138")
        self.assertTrue(advice["resonance"]["flagged"])
        self.assertEqual(advice["resonance"]["k"], 4)
        self.assertIn("must be followed", advice["fast motion"]["text"])
        self.assertNotIn("resonance", self.advice("m.toml", "--step", "0.01"))
        advice = self.advice(MODELS / "stiff-pendulum-chain.toml")
        self.assertIn("verlet-midpoint steps over them", advice["fast motion"]["text"])

    def test_precisions(self):
        for precision, epsilon in (("long", 1.1e-19), ("quad", 2e-34), ("100", 1e-100)):
            r, claims = self.certify(CHARGED, "--method", "rattle", "--precision", precision)
            self.assertEqual(r["precision"], precision)
            self.assertLess(claims["symmetry"]["at_most"], 500 * epsilon)
            loop = precision != "quad"
            self.assertEqual("tangent maps exist in double and quad only" in claims["symplecticity"]["remark"], loop)
            self.assertEqual("exact tangent map" in claims["symplecticity"]["remark"], not loop)
        _, claims = self.certify(CHARGED, "--method", "rk-4", "--precision", "long")
        self.assertFalse(claims["symplecticity"]["within_bound"], "loops see it too")

    def test_every_engine(self):
        r, claims = self.certify(PENDULUM, "--engine", "interp")
        self.assertEqual(r["engine"], "interp")
        result = self.run_program("certify", PENDULUM, "--engine", "llvm", "--json")
        if "native code" in result.stderr:
            self.skipTest(result.stderr)
        native = json.loads(result.stdout)
        self.assertEqual(native["engine"], "llvm")
        self.assertEqual(native["claims"], r["claims"], "to the last bit")
        result = self.run_program("certify", PENDULUM, "--engine", "llvm", "--precision", "quad")
        self.assertEqual(result.returncode, 2)
        self.assertIn("double precision only", result.stderr)

    def test_high_orders_are_measured_in_quad(self):
        _, claims = self.certify(MODELS / "double-pendulum.toml", "--method", "kahan-li-8", "--step", "0.05")
        self.assertAlmostEqual(claims["order"]["measured"], 8, delta=0.05)
        self.assertIn("(quad)", claims["order"]["remark"])

    def test_models_without_symmetries(self):
        self.write(pendulum(invariants='half = "p_x"', energy='hamiltonian = "((p_x + y)^2 + (p_y - x)^2)/2 + y"',
                            initial="q = { x = 1, y = 0 }\np = { x = 0, y = 2 }"))
        _, claims = self.certify("m.toml", "--method", "rattle")
        self.assertEqual((claims["reversibility"]["verdict"], claims["momentum map half"]["verdict"]), ("not measured", "not measured"))
        self.assertIn("not reversible", claims["reversibility"]["remark"])
        self.assertIn("the exact flow does not conserve it", claims["momentum map half"]["remark"])
        _, claims = self.certify(MODELS / "kepler.toml")
        self.assertEqual(claims["position constraint"]["verdict"], "not measured")
        self.assertEqual(claims["momentum map L"]["verdict"], "holds")

    def test_momentum_maps_that_nobody_named(self):
        text = (MODELS / "rigid-body-heavy.toml").read_text()
        self.write("\n".join(line for line in text.splitlines() if not line.startswith("Lz = ")))
        for method, verdict in (("rattle", "holds"), ("lobatto-3", "holds"), ("rk-4", "not claimed")):
            _, claims = self.certify("m.toml", "--method", method, "--set", "I1=0.8", "--step", "0.05")
            for name, formula in (("J1", "Q11*p_Q21 - Q21*p_Q11"), ("J2", "Q11*p_Q12 - Q12*p_Q11")):
                claim = claims["momentum map " + name]
                self.assertEqual(claim["verdict"], verdict)
                self.assertIn(f"; {name} = {formula}", claim["remark"])
                self.assertEqual(claim["within_bound"], verdict == "holds")
        # Off the manifold the second one is not conserved: a formulation without constraints does not claim it.
        result = self.run_program("certify", "m.toml", "--method", "gauss-2@dirac", "--set", "I1=0.8", "--step", "0.02", "--json")
        claims = {c["property"]: c["verdict"] for c in json.loads(result.stdout)["claims"]}
        self.assertEqual(claims["momentum map J1"], "holds")
        self.assertNotIn("momentum map J2", claims)

    def test_steps_that_fail(self):
        result = self.run_program("certify", MODELS / "double-pendulum.toml", "--method", "rattle", "--step", "1.5")
        self.assertEqual(result.returncode, 1)
        self.assertIn("step 1 failed (a wrong root, constraint 'rod", result.stderr)

    def test_bad_input(self):
        for arguments, says in ((("--method", "ratle"), "Did you mean 'rattle'?"), (("--method", "shake"), "shake does not suit this system"),
                                (("--step", "0"), "other than zero"), (("--step", "S"), "unknown name 'S'"), (("--tolerance", "2"), "from 0 to 1")):
            result = self.run_program("certify", CHARGED, *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(says, result.stderr)
            self.assertNotIn("internal error", result.stderr)
        self.write(pendulum(integrate=None))
        self.assertIn("no step size", self.run_program("certify", "m.toml").stderr)


if __name__ == "__main__":
    unittest.main()
