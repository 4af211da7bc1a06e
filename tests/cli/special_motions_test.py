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


if __name__ == "__main__":
    unittest.main()
