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



if __name__ == "__main__":
    unittest.main()
