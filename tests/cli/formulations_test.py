"""Formulations without constraints, projections and the wedge product, from the command line."""

import json
import unittest

from support import MODELS, CliTest


class Formulations(CliTest):
    def json(self, *arguments):
        result = self.run_program("run", *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def refused(self, *arguments, says, command="run", code=2):
        result = self.run_program(command, *arguments)
        self.assertEqual(result.returncode, code, result.stdout)
        self.assertIn(says, result.stderr)

    def test_options_are_the_key(self):
        model = MODELS / "double-pendulum.toml"
        one = self.json(model, "--steps", 20, "--method", "gauss-1", "--formulation", "dirac", "--alpha", "0.5",
                        "--projection", "orthogonal", "--project-every", 3)
        other = self.json(model, "--steps", 20, "--method", "gauss-1@dirac:0.5+orthogonal:3")
        for values in (one, other):
            values.pop("wall_seconds")
        self.assertEqual(one, other)
        self.assertEqual(one["formulation"], "dirac:0.5")
        self.assertEqual(self.json(model, "--steps", 1)["formulation"], "direct")

    def test_residuals_are_those_of_the_model(self):
        model = MODELS / "pendulum-quadratic.toml"
        free = self.json(model, "--steps", 100, "--step", "0.01", "--method", "gauss-1@underlying")
        kept = self.json(model, "--steps", 100, "--step", "0.01", "--method", "gauss-1@underlying+orthogonal")
        self.assertGreater(free["constraint"]["position_max"], 1e-9)
        self.assertLess(kept["constraint"]["position_max"], 1e-15)
        self.assertLess(kept["constraint"]["hidden_max"], 1e-15)

    def test_large_residuals_are_told(self):
        model = MODELS / "spherical-pendulum.toml"
        result = self.run_program("run", model, "--method", "gauss-1@h-m", "--step", "0.02", "--steps", 60)
        self.assertIn("this is not the constrained motion any more", result.stderr)
        result = self.run_program("run", model, "--method", "gauss-1@h-m+orthogonal", "--step", "0.02", "--steps", 60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_wedge(self):
        model = MODELS / "double-pendulum.toml"
        run = lambda *more: self.json(model, "--steps", 200, "--wedge", *more)["invariants"]["wedge"]
        for symplectic in (["--method", "rattle"], ["--method", "gauss-2@dirac"], ["--method", "gauss-2@h-m+symplectic"]):
            seen = run(*symplectic)
            self.assertAlmostEqual(seen["initial"], 1, delta=1e-15)
            self.assertLess(seen["max_error"], 2e-12, symplectic)
        for other in (["--method", "gauss-1@weak"], ["--method", "rk-4"], ["--method", "gauss-1@dirac+orthogonal"]):
            self.assertGreater(run(*other)["max_error"], 1e-6, other)
        # redundant constraints have tangents too
        redundant = MODELS / "four-bar-redundant.toml"
        self.assertLess(self.json(redundant, "--steps", 50, "--wedge")["invariants"]["wedge"]["max_error"], 1e-13)
        self.assertGreater(self.json(redundant, "--steps", 50, "--wedge", "--method", "rk-4")["invariants"]["wedge"]["max_error"],
                           1e-12)
        # a column like an invariant
        self.json(model, "--steps", 5, "--wedge", "--out", self.folder / "w.csv")
        self.assertIn("wedge", (self.folder / "w.csv").read_text().splitlines()[0].split(","))
        # of vectors that are chosen, in both orders
        product = run("--tangent", "x1=1,p_z2=0.5", "--tangent", "p_x1=1")
        other = run("--tangent", "p_x1=1", "--tangent", "x1=1,p_z2=0.5")
        self.assertEqual(product["initial"], -other["initial"])
        self.assertGreater(product["initial"], 0.1)
        self.assertLess(product["max_error"], 2e-12)
        self.refused(model, "--tangent", "x1=1", says="--tangent: the wedge product is one of two vectors; give it twice")
        self.refused(model, "--tangent", "x1=1", "--tangent", "p_xx1=1", says="Did you mean 'p_x1'?")
        self.refused(model, "--tangent", "x1=1", "--tangent", "z1", says="write what each coordinate changes by")
        self.refused(model, "--tangent", "x1=1", "--tangent", "z1=fast", says="'fast' is not a number")
        self.refused(model, "--wedge", "--precision", "long", says="--wedge: tangent vectors are carried along in the "
                     "precisions double and quad")
        self.refused(model, "--wedge", "--sample", "0.1", "--out", self.folder / "s.csv",
                     says="--wedge: tangent vectors are known after steps only")

    def test_charts(self):
        model = MODELS / "pendulum-quadratic.toml"
        self.refused(model, "--method", "gauss-2", "--formulation", "state-space", "--step", "0.01", "--until", "10",
                     says="the chart of the state space form ends here", code=1)
        for chart in ("partition", "every:10", "tangent"):
            result = self.json(model, "--method", "gauss-2", "--formulation", "state-space", "--chart", chart, "--step",
                               "0.01", "--until", "10")
            self.assertLess(result["constraint"]["position_max"], 1e-15)
            self.assertLess(result["energy"]["max_error"], 1e-7)
        self.refused(model, "--method", "gauss-2", "--chart", "tangent", says="--chart tangent")
        self.refused(model, "--method", "gauss-2", "--formulation", "dirac", "--chart", "tangent",
                     says="charts belong to the formulation state-space")

    def test_stability(self):
        result = self.run_program("stability", MODELS / "pendulum-quadratic.toml", "--formulation", "h-m", "--step", "0.01",
                                  "--until", "2", "--every", "100", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual(len(rows), 3)
        self.assertGreater(rows[-1]["growth_expected"], 50)
        for row in rows:
            self.assertAlmostEqual(row["growth_measured"] / row["growth_expected"], 1, delta=1e-3)
        self.refused(MODELS / "pendulum.toml", "--formulation", "direct", command="stability",
                     says="the constrained equations themselves have no residuals")
        self.refused(MODELS / "pendulum.toml", "--formulation", "state-space", command="stability",
                     says="there are no residuals")
        self.refused(MODELS / "pendulum.toml", "--formulation", "index-2", command="stability",
                     says="there are no residuals")
        self.refused(MODELS / "locomotive.toml", "--formulation", "dirac", command="stability",
                     says="the constraints are redundant")

    def test_certify_and_compare_take_them(self):
        model = MODELS / "charged-particle.toml"
        result = self.run_program("certify", model, "--method", "gauss-2", "--formulation", "h-m", "--projection",
                                  "symplectic", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(json.loads(result.stdout)["all_claims_hold"])
        result = self.run_program("compare", model, "--methods", "gauss-2@dirac,gauss-2@weak,lobatto-3", "--step",
                                  "0.1,0.05", "--until", "1", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual([r["status"] for r in rows], ["done"] * 6)
        for row in rows[1::2]:
            self.assertAlmostEqual(row["order"]["q"], 4, delta=0.15)

    def test_compare_sweeps_formulations(self):
        model = MODELS / "double-pendulum.toml"
        arguments = ("--step", "0.02,0.01", "--until", "0.4", "--json")
        result = self.run_program("compare", model, "--methods", "radau-2a-2,rk-4,rattle", "--formulations",
                                  "direct,index-2,weak", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["rows"]
        orders = {row["method"]: (row["order"]["q"], row["order"]["p"]) for row in rows[1::2]}
        self.assertEqual(list(orders), ["radau-2a-2", "radau-2a-2@index-2", "radau-2a-2@weak", "rk-4", "rk-4@weak", "rattle"])
        self.assertAlmostEqual(orders["radau-2a-2"][1], 2, delta=0.1)  # of index 3
        self.assertAlmostEqual(orders["radau-2a-2@index-2"][1], 3, delta=0.1)
        for left_out in ("rk-4@index-2", "rattle@index-2", "rattle@weak"):
            self.assertIn(f"left out: '{left_out}'", result.stderr)
        self.refused(model, "--methods", "rattle", "--formulations", "weak,index-2", *arguments, command="compare",
                     says="--formulations weak,index-2: no method goes together with these")
        self.refused(model, "--methods", "rk-4", "--formulations", "direct,weaks", *arguments, command="compare",
                     says="there is no formulation 'weaks'. Did you mean 'weak'?")

    def test_what_does_not_go_together(self):
        model = MODELS / "pendulum.toml"
        self.refused(model, "--method", "rattle", "--formulation", "weak", says="take a Runge-Kutta method or bdf")
        self.refused(model, "--method", "gauss-2", "--formulation", "dirca", says="Did you mean 'dirac'?")
        self.refused(model, "--method", "gauss-2", "--alpha", "2", says="--alpha 2: this is the number of a formulation")
        self.refused(model, "--method", "gauss-2", "--projection", "orthogonal",
                     says="this projection is for methods on a formulation without constraints: give --formulation")
        self.refused(model, "--method", "gauss-2", "--project-every", "5", says="--project-every")
        self.refused(model, "--method", "gauss-2", "--formulation", "linear", says="its constraints are not linear")
        self.refused(MODELS / "kepler.toml", "--method", "gauss-2", "--formulation", "dirac",
                     says="the formulation dirac does not suit this system: it has no constraints")
        self.refused(MODELS / "four-bar-redundant.toml", "--method", "gauss-2", "--formulation", "dirac",
                     says="the constraints are redundant")
        for projection in "orthogonal", "stage":
            self.refused(MODELS / "locomotive.toml", "--method", "gauss-2", "--formulation", "underlying", "--projection", projection,
                         says=f"and the projection {projection} does not exist there")
        self.refused(MODELS / "pendulum.toml", "--method", "verlet", "--formulation", "dirac", says="method")


if __name__ == "__main__":
    unittest.main()
