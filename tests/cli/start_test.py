"""[initial] project = { keep = [...] }: what is kept stays, the rest follows onto both constraints."""

import decimal
import math
import unittest

from support import MODELS, CliTest, pendulum, place_of


def crank(project, theta=0.7, phi=-0.2, s=0.35, v="theta = 20"):
    """slider-crank.toml with a start from rough values."""
    text = (MODELS / "slider-crank.toml").read_text()
    begin, end = text.index("[initial]"), text.index("[integrate]")
    return text[:begin] + f"[initial]\nq = {{ theta = {theta}, phi = {phi}, s = {s} }}\nv = {{ {v} }}\nproject = {project}\n" + text[end:]


class Keep(CliTest):
    def start(self, text, *options):
        self.write(text)
        return self.run_json("m.toml", "--steps", 0, *options)

    def test_angle_and_speed_of_the_crank(self):
        observe = [a for name in ("theta", "phi", "s") for a in ("--observe", f"w_{name}=v_{name}")]
        for theta, speed in ((0.7, 20), (2.5, -3), (math.pi / 2, 11)):
            r = self.start(crank('{ keep = ["theta", "v_theta"] }', theta=theta, v=f"theta = {speed}, phi = 1, s = 4"), *observe)
            length, radius = 0.3, 0.1
            phi = -math.asin(radius * math.sin(theta) / length)
            rate = -speed * radius * math.cos(theta) / (length * math.cos(phi))
            self.assertEqual(r["q"]["theta"], theta, "to the last bit")
            self.assertAlmostEqual(r["q"]["phi"], phi, delta=1e-15)
            self.assertAlmostEqual(r["q"]["s"], radius * math.cos(theta) + length * math.cos(phi), delta=1e-15)
            v = {name: r["observables"][f"w_{name}"]["initial"] for name in ("theta", "phi", "s")}
            self.assertAlmostEqual(v["theta"], speed, delta=1e-14 * abs(speed))
            self.assertAlmostEqual(v["phi"], rate, delta=1e-13)
            self.assertAlmostEqual(v["s"], -radius * math.sin(theta) * speed - length * math.sin(phi) * rate, delta=1e-13)
            self.assertLess(r["constraint"]["position_max"], 1e-15)
            self.assertLess(r["constraint"]["hidden_relative_max"], 1e-15)

    def test_without_keep_the_crank_is_moved(self):
        r = self.start(crank("true"))
        self.assertGreater(abs(r["q"]["theta"] - 0.7), 1e-4)

    def test_a_position_alone(self):
        r = self.start(crank('{ keep = ["s"] }', theta=0.8, s=0.36))
        self.assertEqual(r["q"]["s"], 0.36)
        self.assertLess(r["constraint"]["position_max"], 1e-15)
        self.assertLess(r["constraint"]["hidden_relative_max"], 1e-15)

    def test_all_digits(self):
        decimal.getcontext().prec = 40
        r = self.start(crank('{ keep = ["theta", "v_theta"] }'), "--precision", "quad")
        self.assertLess(abs(decimal.Decimal(r["q"]["theta"]) - decimal.Decimal("0.7")), decimal.Decimal("1e-34"))
        self.assertLess(decimal.Decimal(r["constraint"]["position_max"]), decimal.Decimal("1e-32"))

    def test_redundant_constraints(self):
        text = (MODELS / "four-bar-redundant.toml").read_text()
        begin, end = text.index("[initial]"), text.index("[integrate]")
        text = (text[:begin] + '[initial]\nq = { x1 = 0, y1 = "a", x2 = 0.45, y2 = 0.4 }\nv = { x1 = "-omega0*a" }\n'
                'project = { keep = ["x1", "v_x1"] }\n' + text[end:])
        r = self.start(text, "--observe", "w=v_x1")
        exact = self.run_json(MODELS / "four-bar-redundant.toml", "--steps", 0)
        for name in r["q"]:
            self.assertAlmostEqual(r["q"][name], exact["q"][name], delta=1e-14)
            self.assertAlmostEqual(r["p"][name], exact["p"][name], delta=1e-12)
        self.assertAlmostEqual(r["observables"]["w"]["initial"], -1.8, delta=1e-14)

    def test_items_of_vectors(self):
        text = (MODELS / "hanging-chain.toml").read_text().replace("N = 100", "N = 12")
        text = text.replace("q.r = [", 'v.r = ["i/10", "0.3"]\nproject = { keep = ["r[11]", "v_r[11].x"] }\nq.r = [').replace(
            '"-(i + 1)*L*cos(tilt)"', '"-0.9*(i + 1)*L*cos(tilt)"')
        r = self.start(text, "--observe", "w=v_r[11].x")
        y = -0.9 * 12 * math.cos(math.pi / 6)
        self.assertAlmostEqual(r["q"]["r"][11][0], 0, delta=1e-15)
        self.assertAlmostEqual(r["q"]["r"][11][1], y, delta=1e-14)
        self.assertAlmostEqual(r["observables"]["w"]["initial"], 1.1, delta=1e-14)
        self.assertLess(r["constraint"]["position_relative_max"], 1e-15)
        self.assertLess(r["constraint"]["hidden_relative_max"], 1e-15)

    def test_it_says_nothing_if_all_is_well(self):
        self.write(crank('{ keep = ["theta", "v_theta"] }'))
        self.assertEqual(self.run_program("run", "m.toml", "--steps", 3).stderr, "")
        self.assertIn("(projected)", self.run_program("check", "m.toml").stdout)

    def refused(self, text, at, *says):
        self.write(text)
        result = self.run_program("run", "m.toml")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(f"m.toml:{place_of(text, at)}: ", result.stderr)
        for part in says:
            self.assertIn(part, result.stderr)

    def test_too_much_is_kept(self):
        at = '{ keep = ["theta", "s"'
        self.refused(crank('{ keep = ["theta", "s"] }'), at, "no position satisfies the constraints with 'theta' and 's' kept as given",
                     "'pin_x'", "Keep fewer coordinates")
        self.refused(crank('{ keep = ["theta", "v_theta", "v_s"] }', v="theta = 20, s = 5"), '{ keep = ["theta", "v_theta", "v_s"',
                     "no motion is tangent to the constraints with 'theta' and 's' kept as given", "Keep fewer velocities")

    def test_out_of_reach(self):
        self.refused(crank('{ keep = ["s"] }', s=0.7), '{ keep = ["s"', "no position satisfies the constraints with 's' kept as given")

    def test_mistakes(self):
        for keep, at, says in (('{ keep = ["teta"] }', '"teta"', "keep takes coordinates and velocities, not 'teta'. Did you mean 'theta'?"),
                               ('{ keep = ["p_theta"] }', '"p_theta"', "keep takes coordinates and velocities, not 'p_theta'"),
                               ('{ keep = "theta" }', '"theta" }', 'project needs keep = ["phi", "v_phi"]'),
                               ('{ hold = ["theta"] }', "hold = ", "unknown key 'hold' in initial.project"),
                               ("3", "3\n[integrate]", "project must be true, false, or { keep")):
            with self.subTest(keep):
                self.refused(crank(keep), at, says)
        text = pendulum(initial='q = { x = 1, y = 0 }\np = { x = 0, y = 1 }\nproject = { keep = ["v_y"] }')
        self.refused(text, '"v_y"', "a velocity can be kept if the motion is given as velocities")


if __name__ == "__main__":
    unittest.main()
