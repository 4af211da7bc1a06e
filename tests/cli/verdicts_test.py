"""The table of verdicts: what `certify` says of every method on every model, and of methods that are broken on purpose.

Everything with HOLONOM_TEST_ALL=1 (make test-full). Else each method has one model and step, by HOLONOM_TEST_SEED.
"""

import json
import os
import random
import sys
import unittest

from support import MODELS, PROGRAM, SOURCE, CliTest

sys.path.insert(0, str(SOURCE / "scripts"))
import verdicts

ALL = os.environ.get("HOLONOM_TEST_ALL", "0") != "0"
SEED = os.environ.get("HOLONOM_TEST_SEED", "")


class Table(unittest.TestCase):
    def test_verdicts_agree_with_theory(self):
        records = verdicts.measure_all(PROGRAM) if ALL else verdicts.measure_rotation(PROGRAM, SEED)
        wrong = list(verdicts.contradictions(records))
        if ALL:
            wrong += verdicts.lacks(records, verdicts.all_methods(PROGRAM))
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertEqual({r["method"] for r in records}, set(verdicts.all_methods(PROGRAM)))


class Broken(CliTest):
    def certify(self, model, method, *arguments, code=0):
        result = self.run_program("certify", MODELS / f"{model}.toml", "--method", method, *arguments, "--json", "--no-advice")
        self.assertEqual(result.returncode, code, result.stderr)
        return {c["property"]: c for c in json.loads(result.stdout)["claims"]}

    def failing(self, claims):
        return {name for name, c in claims.items() if c["verdict"] == "fails"}

    def test_solves_that_end_early(self):
        local = {"symplecticity", "symmetry", "reversibility"}
        for method, model, broken in (("rattle", "pendulum", {"position constraint"}), ("suzuki-4", "double-pendulum", {"position constraint"}),
                                      ("lobatto-3", "double-pendulum", {"position constraint"}), ("rattle", "charged-particle", {"momentum map Lz"}),
                                      ("gauss-2", "kepler", {"momentum map L"})):
            with self.subTest(method, model=model):
                self.assertEqual(self.failing(self.certify(model, method)), set())
                claims = self.certify(model, method, "--tolerance", "1e-6", code=3)
                self.assertLessEqual(broken | local, self.failing(claims))
                if model != "kepler":
                    self.assertEqual(claims["hidden constraint"]["verdict"], "holds", "it is solved directly")

    # On the manifold, accurate, and not symplectic: explicit and projected, dissipative, with a projection of endpoints, and
    # with a chart that is made anew in each step.
    def test_not_symplectic(self):
        models = ["pendulum", "double-pendulum", "spherical-pendulum", "charged-particle"]
        if not ALL:
            models = random.Random(SEED).sample(models, 1)
        for method in ("rk-4", "radau-2a-2", "bdf-2", "gauss-2+jay", "gauss-2@h-m+orthogonal", "gauss-2@state-space:tangent"):
            for model in models:
                with self.subTest(method, model=model):
                    claims = self.certify(model, method, "--step", verdicts.step_of(model, 4), "--no-order")
                    self.assertEqual(claims["position constraint"]["verdict"], "holds")
                    for name in ("symplecticity", "energy drift"):
                        self.assertEqual((claims[name]["verdict"], claims[name].get("within_bound")), ("not claimed", False), claims[name])

    # The triple jump of order 4 with its substeps in another order: order 3, and not symmetric.
    def test_a_composition_in_the_wrong_order(self):
        jump = 'coefficients = ["1/(2 - 2^(1/3))", "1/(2 - 2^(1/3))", "-2^(1/3)/(2 - 2^(1/3))"]\n'
        result = self.run_program("certify", MODELS / "double-pendulum.toml", "--method", "scheme:" + self.write(jump + "order = 4\n"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("is said to have order 4, but the order conditions with the base rattle give 3. At order 4, the word Y3 Y1", result.stderr)
        claims = self.certify("double-pendulum", "scheme:" + self.write(jump), "--step", "0.06")
        for name in ("symmetry", "reversibility"):
            self.assertEqual((claims[name]["verdict"], claims[name]["within_bound"]), ("not claimed", False))
        for name in ("position constraint", "hidden constraint", "symplecticity", "energy drift", "order"):
            self.assertEqual(claims[name]["verdict"], "holds")
        self.assertAlmostEqual(claims["order"]["measured"], 3, delta=0.1)


if __name__ == "__main__":
    unittest.main()
