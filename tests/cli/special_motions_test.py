"""holonom certify on motions that are special: in a plane, thrown out of the model by long steps, without bounds, at rest."""

import json
import unittest

from support import MODELS, CliTest

SPHERICAL = """format = 1
name = "spherical pendulum"
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 1, 1]
potential = "z"
[constraints]
rod = "(x^2 + y^2 + z^2 - 1)/2"
[initial]
q = { x = "0.6", y = 0, z = "-0.8" }
[integrate]
step = "0.05"
until = 1
"""

# A stiff spring with a bob of two masses, and a soft one
STIFF = """format = 1
name = "stiff"
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 2, 1]
potential = "100^2*(sqrt(x^2 + y^2) - 1)^2 + 2*y + (z - x)^2/2 + z^4/8"
[initial]
q = { x = 1, y = 0, z = "0.3" }
v = { x = "0.4" }
[integrate]
step = "0.005"
until = 1
"""


class Certificates(CliTest):
    def certify(self, *arguments, code=0):
        result = self.run_program("certify", *arguments, "--json", "--no-advice")
        if code is not None:
            self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        self.made, self.said = json.loads(result.stdout), result.stderr
        self.assertEqual(self.made["all_claims_hold"], result.returncode == 0)
        return {c["property"]: c for c in self.made["claims"]}

    def assert_verdicts(self, claims, **verdicts):
        for name, verdict in verdicts.items():
            self.assertEqual(claims[name.replace("_", " ")]["verdict"], verdict, claims[name.replace("_", " ")])


class WithoutASize(Certificates):
    # In a plane the angular momentum about the vertical is 0 = 0·p at every step.
    def test_a_momentum_map_that_is_zero(self):
        self.write(SPHERICAL)
        for method in ("rattle", "kahan-li-8"):
            claim = self.certify("m.toml", "--method", method)["momentum map J1"]
            self.assertEqual((claim["verdict"], claim["measured"]), ("holds", 0))

    def test_a_mass_that_is_thrown_straight_up(self):
        self.write('format = 1\nname = "throw"\n[coordinates]\nnames = ["x", "z"]\n[energy]\nmass = [1, 1]\npotential = "z"\n'
                   '[initial]\nq = { x = 0, z = 0 }\nv = { z = 10 }\n[integrate]\nstep = "0.05"\nuntil = 1\n')
        claim = self.certify("m.toml", "--method", "rattle")["momentum map J1"]
        self.assertEqual((claim["verdict"], claim["measured"]), ("holds", 0))


class LongSteps(Certificates):
    def setUp(self):
        super().setUp()
        self.write(STIFF)

    # The energy of 0.33 becomes 3e9, in a band as wide: that is no oscillation.
    def test_a_motion_that_explodes_does_not_hold_its_energy(self):
        for method, step in (("rattle", "0.0141421356"), ("position-verlet", "0.0141421356"), ("kahan-li-8", "0.03")):
            with self.subTest(method):
                claims = self.certify("m.toml", "--method", method, "--step", step, code=1)
                self.assertEqual(claims["energy drift"]["verdict"], "not measured")
                self.assertIn("this is not the motion of the model any more", claims["energy drift"]["remark"])
                self.assertNotEqual(claims["shadow energy"]["verdict"], "holds")
                self.assertRegex(self.said, rf"holonom: {method} on stiff: the energy changed by .*any more\. Try a smaller step\n")
                self.assert_verdicts(claims, symplecticity="holds", symmetry="holds")
        claims = self.certify("m.toml", "--method", "rattle", "--step", "0.005")
        self.assert_verdicts(claims, energy_drift="holds")

    # What is not claimed is seen not to be kept, and is no failure.
    def test_an_energy_that_is_lost_and_not_claimed(self):
        claim = self.certify("m.toml", "--method", "rk-4", "--step", "0.02")["energy drift"]
        self.assertEqual((claim["verdict"], claim["within_bound"]), ("not claimed", False), claim)

    def test_states_that_are_not_finite_are_steps_that_fail(self):
        for method, step in (("yoshida-4", "0.012"), ("position-verlet", "0.0142")):
            with self.subTest(method):
                claims = self.certify("m.toml", "--method", method, "--step", step, code=1)
                self.assertRegex(self.said, rf"^holonom: {method} on stiff: .*\. Try a smaller step\n$")
                for claim in claims.values():
                    self.assertNotEqual(claim["verdict"], "fails", claim)
                    self.assertNotIn("nan", claim["remark"])
        self.certify("m.toml", "--method", "yoshida-4", "--step", "0.012", code=1)
        self.assertIn("failed (NaN or infinity)", self.made["message"])


class Charts(Certificates):
    # Steps back are in the chart of the steps forth; so are all points of a loop.
    def test_a_fixed_chart_is_symmetric_and_reversible(self):
        for model in ("charged-particle", "kepler-sphere", "slider-crank", "elastic-double-pendulum", "two-body-sphere"):
            for method in ("gauss-1", "gauss-2"):
                with self.subTest(model, method=method):
                    code = 1 if model == "two-body-sphere" else 0  # its chart ends after thousands of steps
                    claims = self.certify(MODELS / f"{model}.toml", "--method", method + "@state-space", code=code)
                    self.assert_verdicts(claims, symmetry="holds", reversibility="holds", symplecticity="holds")

    def test_loops_are_in_one_chart(self):
        claims = self.certify(MODELS / "slider-crank.toml", "--method", "gauss-2@state-space", "--precision", "long")
        self.assert_verdicts(claims, symmetry="holds", reversibility="holds", symplecticity="holds")

    # With an involution that moves positions the chart is mirrored.
    def test_reversal_of_positions(self):
        claims = self.certify(MODELS / "charged-particle.toml", "--method", "gauss-1@state-space")
        self.assert_verdicts(claims, reversibility="holds")

    def test_charts_of_the_state_are_seen_not_to_be_symmetric(self):
        for chart in ("partition", "tangent"):
            claims = self.certify(MODELS / "charged-particle.toml", "--method", f"gauss-1@state-space:{chart}")
            self.assertFalse(claims["symmetry"]["claimed"])

    def test_the_end_of_a_chart_is_not_a_matter_of_the_step(self):
        self.certify(MODELS / "spherical-pendulum.toml", "--method", "gauss-2@state-space", code=1)
        self.assertIn("(the end of a chart). Take the chart partition, every:K or tangent\n", self.said)
        self.assertNotIn("smaller step", self.said)



class Penalties(Certificates):
    # Against the motion of its own energy, which is not the constrained one
    def test_order(self):
        for method, order in (("rattle", 2), ("gauss-2", 4)):
            claim = self.certify(MODELS / "pendulum-quadratic.toml", "--method", f"{method}@penalty:1e-2", "--step", "0.01")["order"]
            self.assertEqual(claim["verdict"], "holds", claim)
            self.assertAlmostEqual(claim["measured"], order, delta=0.05)

    # Off the manifold by itself: residuals are those of a perturbation, not of the motion.
    def test_stability(self):
        result = self.run_program("stability", MODELS / "pendulum-quadratic.toml", "--formulation", "penalty:0.01", "--step", "0.01",
                                  "--until", "0.5", "--every", "25", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        for row in json.loads(result.stdout)["rows"]:
            self.assertAlmostEqual(row["growth_measured"] / row["growth_expected"], 1, delta=0.1)


SLOPE = """format = 1
name = "slope"
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "9.81*y"
[constraints]
plane = "y + 0.5*x"
[initial]
q = { x = 0, y = 0 }
[integrate]
step = "0.1"
until = 1
"""
STONE = """format = 1
name = "stone"
[coordinates]
names = ["x", "z"]
[energy]
mass = [1, 1]
potential = "9.81*z"
[initial]
q = { x = 0, z = 0 }
v = { x = 1, z = 10 }
[integrate]
step = "0.01"
until = 1
"""
HELIX = """format = 1
name = "helix"
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 1, 1]
potential = "0"
[constraints]
gx = "x - cos(2*z)"
gy = "y - sin(2*z)"
[initial]
q = { x = 1, y = 0, z = 0 }
v = { x = 0, y = 2, z = 1 }
[integrate]
step = "0.05"
until = 1
"""


class WithoutBounds(Certificates):
    # Down a slope the kinetic energy grows to 2e9: its rounding errors are no drift, and truncation grows with it.
    def test_a_fall_has_no_band(self):
        for text, method, more in ((SLOPE, "rattle", ()), (SLOPE, "midpoint", ()), (SLOPE, "gauss-2@h-m+symplectic", ()),
                                   (SLOPE, "rattle", ("--precision", "long")), (STONE, "symplectic-euler", ())):
            with self.subTest(method, more=more):
                self.write(text)
                claims = self.certify("m.toml", "--method", method, *more)
                self.assertEqual(claims["energy drift"]["verdict"], "not measured")
                self.assertIn("the motion has no bounds: its kinetic energy grows from", claims["energy drift"]["remark"])
                self.assertEqual(claims["shadow energy"]["verdict"], "holds")

    # Far out rounding errors of positions are errors of the forces of constraints.
    def test_a_bead_on_a_helix(self):
        self.write(HELIX)
        self.assert_verdicts(self.certify("m.toml", "--method", "rattle"), energy_drift="holds", shadow_energy="holds")

    # The growth is that of the motion: a method that makes the energy grow has no excuse.
    def test_a_gain_of_energy_is_a_drift(self):
        self.write(STIFF.replace("100^2", "2"))
        claims = self.certify("m.toml", "--method", "rattle", "--step", "0.2", "--tolerance", "1e-2", code=None)
        self.assertNotIn("no bounds", claims["energy drift"]["remark"])


class Invariants(Certificates):
    def with_invariant(self, formula):
        self.write(SPHERICAL.replace("[initial]", f'[invariants]\nI = "{formula}"\n[initial]\nv = {{ y = "0.5", z = "0.1", x = "0.4/3" }}'))

    def test_certify_agrees_with_check(self):
        self.with_invariant("x*p_y - (1 + 1/10^12)*y*p_x")
        self.assertIn("NOT conserved", self.run_program("check", "m.toml").stdout)
        claim = self.certify("m.toml", "--method", "rattle")["momentum map I"]
        self.assertEqual((claim["verdict"], claim["remark"]), ("not measured", "the exact flow does not conserve it"))
        self.with_invariant("x*p_y - y*p_x")
        self.assertEqual(self.certify("m.toml", "--method", "rattle")["momentum map I"]["verdict"], "holds")

    # What vanishes on the manifold is not linear in p for that.
    def test_a_square_of_a_constraint_is_no_momentum_map(self):
        self.with_invariant("(x^2 + y^2 + z^2 - 1)^2")
        self.assertNotIn("momentum map I", self.certify("m.toml", "--method", "gauss-2@h-m+symplectic"))

    # A motion off the manifold does not keep what is conserved on it alone.
    def test_weak_invariants_and_formulations(self):
        for formula in ("(x*p_y - y*p_x)/sqrt(x^2 + y^2 + z^2)", "x*p_x + y*p_y + z*p_z"):
            self.with_invariant(formula)
            claim = self.certify("m.toml", "--method", "gauss-2@dirac")["momentum map I"]
            self.assertEqual(claim["verdict"], "not measured")
            self.assertIn("conserves it on the manifold, which steps of the method leave", claim["remark"])
            self.assertEqual(self.certify("m.toml", "--method", "rattle")["momentum map I"]["verdict"], "holds")


class AtRest(Certificates):
    # A pendulum that hangs moves by rounding errors, which are no unit of anything.
    def test_what_moves_is_rounding_errors(self):
        self.write(SPHERICAL.replace('x = "0.6", y = 0, z = "-0.8"', "x = 0, y = 0, z = -1"))
        for method in ("rattle", "bdf-2"):
            claims = self.certify("m.toml", "--method", method)
            self.assertEqual(claims["energy drift"]["remark"], "nothing moves")
            self.assertLess(claims["symmetry"]["at_most"], 1e-10)
            made = json.loads(self.run_program("certify", "m.toml", "--method", method, "--json").stdout)
            self.assertEqual(made["advice"], [])

    def test_what_a_formulation_is_not_is_said_of_the_formulation(self):
        result = self.run_program("run", MODELS / "pendulum.toml", "--method", "variational-midpoint@h-m")
        self.assertEqual(result.returncode, 2)
        self.assertIn("variational-midpoint takes the Lagrangian of a model as formulas, and a formulation has an energy of its own",
                      result.stderr)


class Advice(CliTest):
    # What advice says of energies is what was measured.
    def test_an_energy_that_holds_is_not_said_to_drift(self):
        for method, drifts in (("gauss-1@weak", False), ("rk-4", True)):
            result = self.run_program("certify", MODELS / "pendulum-quadratic.toml", "--method", method, "--json")
            made = json.loads(result.stdout)
            claim = next(c for c in made["claims"] if c["property"] == "energy drift")
            self.assertEqual(claim["within_bound"], not drifts)
            horizon = next(a for a in made["advice"] if a["topic"] == "horizon")
            self.assertEqual("the energy drifts" in horizon["text"], drifts)

    def test_loose_solves_are_not_said_to_keep_averages(self):
        made = json.loads(self.run_program("certify", MODELS / "pendulum.toml", "--tolerance", "1e-4", "--json").stdout)
        horizon = next(a for a in made["advice"] if a["topic"] == "horizon")
        self.assertTrue(horizon["text"].endswith(". Beyond, not even averages: the energy drifts"), horizon["text"])


if __name__ == "__main__":
    unittest.main()
