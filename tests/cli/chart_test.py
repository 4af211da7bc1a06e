"""State space forms by a chart of the model's own, [chart], from the command line: runs, and what is said of mistakes."""

import json
import unittest

from support import MODELS, CliTest, pendulum, place_of

CHART = 'names = ["angle"]\nq = { x = "L*sin(angle)", y = "-L*cos(angle)" }'


class Charts(CliTest):
    def json(self, *arguments):
        result = self.run_program("run", *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def complaint(self, chart, command="check", **tables):
        """What is said of a model with this chart, and its text."""
        text = pendulum(chart=chart, **tables)
        result = self.run_program(command, self.write(text))
        self.assertEqual(result.returncode, 2, result.stdout)
        return result.stderr, text

    def test_runs(self):
        model = self.write(pendulum(chart=CHART))
        for method in ("gauss-2", "rattle", "kahan-li-8", "lobatto-3", "rk-4", "radau-2a-2", "bdf-3"):
            one = self.json(model, "--method", method, "--formulation", "state-space", "--chart", "own")
            self.assertEqual(one["formulation"], "state-space:own")
            self.assertLess(one["constraint"]["position_max"], 1e-15)
            self.assertLess(one["constraint"]["hidden_max"], 1e-15)
            self.assertLess(one["energy"]["max_error"], 2e-5, method)
        other = self.json(model, "--method", "bdf-3@state-space:own")
        for values in (one, other):
            values.pop("wall_seconds")
        self.assertEqual(one, other)

    def test_precisions_and_wedge(self):
        model = MODELS / "geodesic-torus.toml"
        for precision, bound in (("long", 1e-17), ("quad", 1e-31), ("100", 1e-95)):
            seen = self.json(model, "--method", "gauss-2@state-space:own", "--steps", 3, "--precision", precision)
            self.assertLess(float(seen["constraint"]["position_max"]), bound)
        run = lambda form: self.json(model, "--method", "gauss-2@state-space:" + form, "--steps", 100,
                                     "--wedge")["invariants"]["wedge"]["max_error"]
        self.assertLess(run("own"), 1e-12)
        self.assertGreater(run("own-velocity"), 1e-9)

    def test_resumed_runs_are_the_same(self):
        model = MODELS / "slider-crank.toml"
        arguments = ["--method", "gauss-2@state-space:own", "--step", "0.001"]
        self.json(model, *arguments, "--steps", 800, "--out", self.folder / "whole.csv")
        self.json(model, *arguments, "--steps", 300, "--out", self.folder / "parts.csv")
        self.json(model, *arguments, "--steps", 800, "--out", self.folder / "parts.csv", "--extend")
        self.assertEqual((self.folder / "whole.csv").read_text(), (self.folder / "parts.csv").read_text())

    def test_check_and_methods(self):
        result = self.run_program("check", MODELS / "geodesic-torus.toml")
        self.assertIn("  chart            u = 0.3 at the start\n                   w = 0.5 at the start\n", result.stdout)
        self.assertNotIn("chart", self.run_program("check", MODELS / "kepler-sphere.toml").stdout)
        self.assertIn("symplectic if the method is",
                      self.run_program("methods", "gauss-2@state-space:own").stdout)
        self.assertIn("not symplectic", self.run_program("methods", "gauss-2@state-space:own-velocity").stdout)

    def test_what_the_model_lacks(self):
        result = self.run_program("run", MODELS / "kepler-sphere.toml", "--method", "gauss-2@state-space:own")
        self.assertEqual(result.returncode, 2)
        self.assertIn("it has no parametrisation of its own: give one in [chart] of the model file", result.stderr)
        result = self.run_program("run", MODELS / "pendulum.toml", "--method", "gauss-2@state-space:mine")
        self.assertEqual(result.returncode, 2)
        self.assertIn("Charts are fixed, partition, every:K, tangent, own and own-velocity", result.stderr)
        result = self.run_program("run", MODELS / "pendulum.toml", "--method", "rattle@state-space:own-velocity")
        self.assertEqual(result.returncode, 2)
        self.assertIn("state-space:own-velocity is a field y' = f(y)", result.stderr)

    def test_mistakes_in_the_table(self):
        for chart, at, says in (
            (CHART.replace("names", "nams"), "nams", "unknown key 'nams' in [chart]. Did you mean 'names'?"),
            ('q = { x = "1", y = "2" }', "[chart]", 'needs names = ["theta", ...], one for each degree of freedom'),
            ('names = ["angle"]', "[chart]", "[chart] needs q = { ... } with a formula of angle for every coordinate"),
            (CHART.replace(', y = "-L*cos(angle)"', ""), '{ x = "L*sin', "chart.q has no formula for the coordinate 'y'"),
            (CHART.replace("y =", "z ="), "z = ", "unknown key 'z' in chart.q"),
            (CHART.replace("cos(angle)", "cos(angel)"), "angel", "unknown name 'angel'. Did you mean 'angle'?"),
            (CHART.replace("cos(angle)", "cos(angle)*x"), '"-L*cos', "'y' uses x: it must be a formula of the chart's own"),
            (CHART.replace("cos(angle)", "cos(p_x)"), '"-L*cos', "'y' uses p_x: it must be a formula of the chart's own"),
            (CHART.replace('"angle"', '"x"'), '"x"]', "the name 'x' is used twice"),
            (CHART.replace('"angle"]', '"angle", "idle"]'), '"idle"', "no formula of chart.q depends on 'idle'"),
            (CHART + "\nnear = { angel = 1 }", "angel", "unknown key 'angel' in chart.near. Did you mean 'angle'?"),
            (CHART + '\nnear = { angle = "y*2" }', '"y*2"', "chart.near.angle must not depend on coordinates"),
        ):
            with self.subTest(says):
                message, text = self.complaint(chart)
                self.assertIn(says, message)
                self.assertIn(f"m.toml:{place_of(text, at)}: ", message)
        self.assertIn("[chart] is for models with constraints", self.complaint(CHART, constraints=None)[0])
        vectors = self.complaint('names = ["s"]\nq = { x = "s" }', coordinates="r = { count = 1, dim = 2 }",
                                 energy="mass = { r = 1 }\npotential = \"0\"", constraints='rod = "dot(r[0], r[0]) - 1"',
                                 initial='q.r = ["1", "0"]')[0]
        self.assertIn("'r' is a vector", vectors)

    def test_charts_that_are_none(self):
        for command in ("check", "run"):
            message, text = self.complaint(CHART.replace("-L*cos", "-L/2*cos"), command)
            self.assertIn("the chart's positions do not satisfy constraint 'rod': where angle = 0, it is -0.75", message)
            self.assertIn(f"m.toml:{place_of(text, '{ x = ' + chr(34) + 'L*sin')}: ", message)
        # right at angle = 0, and wrong elsewhere
        message, _ = self.complaint(CHART.replace("-L*cos(angle)", "-L*cos(2*angle)"))
        self.assertIn("do not satisfy constraint 'rod'", message)
        message, text = self.complaint('names = ["a", "b"]\nq = { x = "sin(a + b)", y = "-cos(a + b)" }')
        self.assertIn("the chart has 2 coordinates, and the system 1 degree of freedom", message)
        self.assertIn(f"m.toml:{place_of(text, '[' + chr(34) + 'a')}: ", message)
        # half of the circle, and a start on the other one
        half = 'names = ["s"]\nq = { x = "-1/cosh(s)", y = "tanh(s)" }'
        message, _ = self.complaint(half)
        self.assertIn("no values of the chart's coordinates were found that give the initial position", message)
        message, _ = self.complaint('names = ["s"]\nq = { x = "sqrt(1 - (s - 50)^2)", y = "s - 50" }')
        self.assertIn("are not finite where s = 0, nor around there. Say with near = { s = ... }", message)
        model = self.write(pendulum(chart='names = ["s"]\nq = { x = "sqrt(1 - (s - 50)^2)", y = "s - 50" }\n'
                                    "near = { s = 50.1 }"))
        self.assertEqual(self.run_program("check", model).returncode, 0)

    def test_poles(self):
        sphere = {
            "coordinates": 'names = ["x", "y", "z"]', "energy": 'mass = [1, 1, 1]\npotential = "z"',
            "constraints": 'sphere = "x^2 + y^2 + z^2 - 1"',
        }
        chart = 'names = ["a", "b"]\nq = { x = "sin(a)*cos(b)", y = "sin(a)*sin(b)", z = "cos(a)" }'
        start = "q = { x = 0, y = 0, z = -1 }\nv = { x = 0.1 }"
        message, _ = self.complaint(chart, **sphere, initial=start)
        self.assertIn("pole of the chart", message)
        model = self.write(pendulum(chart=chart, **sphere, initial="q = { x = 1, y = 0, z = 0 }\nv = { y = 0.1 }"))
        self.assertEqual(self.run_program("check", model).returncode, 0)


if __name__ == "__main__":
    unittest.main()
