"""holonom recommend, and run --method auto."""

import csv
import json
import math
import os
import re
import unittest

from support import MODELS, CliTest, pendulum

PENDULUM = MODELS / "pendulum.toml"
CHARGED = MODELS / "charged-particle.toml"


def without_times(r):
    """What must be the same in every call: all but the seconds of this machine."""
    for m in r["methods"]:
        m.pop("cpu_seconds")
    return r


class Recommend(CliTest):
    def recommend(self, *arguments, code=0):
        result = self.run_program("recommend", *arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)

    def error_at_the_end(self, model, until, method, steps):
        """By another program: compare has a reference of its own, and looks at the end."""
        result = self.run_program("compare", model, "--methods", method, "--step", f"({until})/{steps}", "--until", until, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["rows"][0]


class Accuracy(Recommend):
    def test_positions(self):
        """With constraints, with a general H, with M(q), without constraints, and a field."""
        for name, until, accuracy in (("double-pendulum", 20, 1e-6), ("charged-particle", 12, 1e-8), ("slider-crank", 1, 1e-5),
                                      ("kepler", 15, 1e-7), ("lotka-volterra", 30, 1e-6)):
            model = MODELS / f"{name}.toml"
            r = self.recommend(model, "--until", until, "--accuracy", accuracy)
            self.assertTrue(r["reached"])
            self.assertEqual(len({m["method"] for m in r["methods"]}), len(r["methods"]))
            works = [m["work"] for m in r["methods"]]
            self.assertEqual(works, sorted(works))
            for m in r["methods"]:
                self.assertTrue(m["measured"])
                row = self.error_at_the_end(model, until, m["method"], m["steps"])
                self.assertLessEqual(row["error"]["q"], 1.01 * accuracy, f"{name} {m['method']}")
                self.assertLessEqual(m["error"], accuracy)
            # Not by taking tiny steps: with steps twice as long none of it is right.
            best = r["methods"][0]
            longer = next((run["error"] for run in best["runs"] if run["steps"] < best["steps"] and run["error"] > accuracy), None)
            self.assertIsNotNone(longer, name)

    def test_energy(self):
        """Relative to the largest kinetic energy, which is that of the fall from the horizontal."""
        for accuracy in (1e-4, 1e-9):
            r = self.recommend(PENDULUM, "--accuracy", accuracy, "--quantity", "energy")
            for m in r["methods"]:
                run = self.run_json(PENDULUM, "--method", m["method"], "--step", m["step_formula"])
                self.assertLessEqual(run["energy"]["max_error"], 1.01 * accuracy)
                self.assertGreater(run["energy"]["max_error"], 0.05 * accuracy, m["method"])

    def test_names(self):
        for name in ("z1", "x2"):
            r = self.recommend(MODELS / "double-pendulum.toml", "--until", 5, "--accuracy", 1e-5, "--quantity", name)
            self.assertTrue(r["reached"])
        r = self.recommend(PENDULUM, "--until", 5, "--accuracy", 1e-5, "--observe", "speed=p_x^2 + p_y^2", "--quantity", "speed")
        self.assertTrue(r["reached"])
        # A momentum map, which symplectic methods keep whatever their step
        r = self.recommend(CHARGED, "--until", 5, "--accuracy", 1e-5, "--quantity", "Lz")
        self.assertLess(r["methods"][0]["error"], 1e-5)

    @unittest.skipUnless(os.environ.get("HOLONOM_TEST_ALL"), "for make test-full: ten seconds")
    def test_a_long_run_is_extrapolated(self):
        """Most of it is never run, and the energy is as it was said to be. (The largest kinetic energy is 1.)"""
        r = self.recommend(PENDULUM, "--until", 1000000, "--accuracy", 1e-4, "--quantity", "energy")
        self.assertLess(r["search"]["window"], 100000)
        best = r["methods"][0]
        run = self.run_json(PENDULUM, "--method", best["method"], "--step", best["step_formula"], "--until", 100000, "--every", 1000000)
        self.assertLess(run["energy"]["max_error"], 1e-4)
        self.assertGreater(run["energy"]["max_error"], 1e-5)


def comet(e):
    """Kepler's problem from its aphelion, where nothing says how fast it will be. Its largest kinetic energy is (1 + e)/(1 - e)/2."""
    return f"""format = 1
name = "comet"
[parameters]
e = {e}
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "-1/sqrt(x^2 + y^2)"
[initial]
q = {{ x = "1 + e", y = 0 }}
v = {{ x = 0, y = "sqrt((1 - e)/(1 + e))" }}
[integrate]
step = 0.01
until = 30
"""


TRIPLE_PENDULUM = """format = 1
name = "triple pendulum"
[coordinates]
names = ["x1", "y1", "x2", "y2", "x3", "y3"]
[energy]
mass = [1, 1, 1, 1, 1, 1]
potential = "y1 + y2 + y3"
[constraints]
rod1 = "x1^2 + y1^2 - 1"
rod2 = "(x2 - x1)^2 + (y2 - y1)^2 - 1"
rod3 = "(x3 - x2)^2 + (y3 - y2)^2 - 1"
[initial]
project = true
q = { x1 = "sin(2.5)", y1 = "-cos(2.5)", x2 = "sin(2.5) + sin(2)", y2 = "-cos(2.5) - cos(2)", x3 = "sin(2.5) + sin(2) + sin(1.5)", y3 = "-cos(2.5) - cos(2) - cos(1.5)" }
[integrate]
step = 0.01
until = 100
"""


class ToTheEnd(Recommend):
    """What `run` makes of the first method is what was promised, on motions with short passages and on chaotic ones."""

    def energy_error(self, model, until, m):
        run = self.run_json(model, "--method", m["method"], "--step", m["step_formula"], "--until", until, "--every", 1000000)
        return run["energy"]["max_error"]

    def test_energy_of_a_comet(self):
        """Its unit is the kinetic energy of the perihelion, not that of solutions that miss it. As many revolutions as there are:
        until before the first perihelion, and after some of them."""
        e, accuracy = 0.97, 1e-5
        largest = (1 + e) / (1 - e) / 2
        self.write(comet(e), "comet.toml")
        for until in (10, 20, 30, 40):
            r = self.recommend("comet.toml", "--accuracy", accuracy, "--until", until, "--quantity", "energy")
            self.assertAlmostEqual(r["search"]["unit"], largest, delta=0.01 * largest)
            self.assertLess(r["search"]["reference"]["error"], 1e-3, "the motion is regular")
            for m in r["methods"]:
                error = self.energy_error("comet.toml", until, m) / largest
                self.assertLessEqual(error, 1.01 * accuracy, f"{until} {m['method']}")
                self.assertGreater(error, 0.01 * accuracy, f"{until} {m['method']}")

    def test_close_encounters(self):
        """A reference with steps that are too long for an encounter fails there: steps are shortened, not the time."""
        model, accuracy = MODELS / "two-body-sphere.toml", 1e-5
        for until in (5, 8):
            r = self.recommend(model, "--accuracy", accuracy, "--until", until, "--quantity", "energy")
            self.assertEqual(r["search"]["window"], until)
            for m in r["methods"]:
                self.assertTrue(m["measured"])
                self.assertTrue(math.isfinite(m["cpu_seconds"]))
                self.assertLessEqual(self.energy_error(model, until, m) / r["search"]["unit"], 1.01 * accuracy, m["method"])
        r = self.recommend(model, "--accuracy", accuracy, "--until", 5)
        self.assertEqual(r["search"]["window"], 5)
        for m in r["methods"]:
            row = self.error_at_the_end(model, 5, m["method"], m["steps"])
            self.assertLessEqual(row["error"]["q"], 1.01 * accuracy, m["method"])

    def test_after_every_step(self):
        """The largest error of all steps, by the solution of Kepler's equation, not that of a few times."""
        until, accuracy = 40, 1e-6
        for e in (0.9, 0.95):
            r = self.recommend(MODELS / "kepler.toml", "--set", f"e={e}", "--until", until, "--accuracy", accuracy)
            for m in r["methods"]:
                self.run_json(MODELS / "kepler.toml", "--set", f"e={e}", "--method", m["method"], "--step", m["step_formula"], "--until",
                              until, "--every", 1, "--out", "run.csv", "--force")
                worst = 0
                for row in csv.DictReader((self.folder / "run.csv").read_text().splitlines()):
                    t = float(row["t"])
                    low, high = t - e, t + e  # the eccentric anomaly u - e sin u = t
                    for _ in range(60):
                        u = (low + high) / 2
                        low, high = (u, high) if u - e * math.sin(u) < t else (low, u)
                    x, y = math.cos(u) - e, math.sqrt(1 - e * e) * math.sin(u)
                    worst = max(worst, abs(float(row["x"]) - x), abs(float(row["y"]) - y))
                self.assertLessEqual(worst / (1 + e), 1.02 * accuracy, f"{e} {m['method']}")

    def test_energy_of_a_chaotic_motion(self):
        """Other rounding errors make another motion of it: what is printed is what `run` does, with its own."""
        self.write(TRIPLE_PENDULUM, "triple.toml")
        for until, accuracy in ((100, 1e-5), (50, 1e-6)):
            r = self.recommend("triple.toml", "--accuracy", accuracy, "--until", until, "--quantity", "energy")
            for m in r["methods"]:
                error = self.energy_error("triple.toml", until, m) / r["search"]["unit"]
                self.assertLessEqual(error, 1.001 * accuracy, m["method"])
                self.assertTrue(m["measured"])
                self.assertAlmostEqual(error, m["error"], delta=1e-3 * m["error"])


class SameChoice(Recommend):
    def test_two_calls(self):
        given = (MODELS / "double-pendulum.toml", "--until", 20, "--accuracy", 1e-6)
        first = without_times(self.recommend(*given))
        self.assertEqual(first, without_times(self.recommend(*given)))
        other = without_times(self.recommend(*given, "--engine", "interp"))
        self.assertEqual(first, other, "nor does it depend on the engine")

    def test_other_units(self):
        """Masses of 1e-20, lengths of 1e-10, a time unit of 1e-13: the same method, and the same number of steps but for rounding."""
        text = (MODELS / "double-pendulum.toml").read_text()
        scaled = text
        for name, value in (("m1", "1e-20"), ("m2", "1e-20"), ("l1", "1e-10"), ("l2", "1e-10"), ("g", "1e-10/(1e-13)^2")):
            scaled, count = re.subn(rf"(?m)^{name} = .*$", f'{name} = "{value}"', scaled)
            self.assertEqual(count, 1, name)
        self.write(scaled, "scaled.toml")
        for quantity in ("position", "energy"):
            a = self.recommend(MODELS / "double-pendulum.toml", "--until", "20", "--accuracy", 1e-6, "--quantity", quantity)
            b = self.recommend("scaled.toml", "--until", "20*1e-13", "--accuracy", 1e-6, "--quantity", quantity)
            self.assertEqual([m["method"] for m in a["methods"]], [m["method"] for m in b["methods"]])
            for m, n in zip(a["methods"], b["methods"]):
                self.assertAlmostEqual(m["steps"], n["steps"], delta=0.01 * m["steps"] + 1)


class NotToBeHad(Recommend):
    def test_chaos(self):
        r = self.recommend(MODELS / "spring-chain.toml", "--accuracy", 1e-6, code=1)
        self.assertRegex(r["message"], r"an error of 1e-06 in position until t = 100 cannot be reached: .* after about t = \d+")
        self.assertIn("or ask for the energy", r["message"])
        self.assertEqual((r["reached"], r["methods"]), (False, []))

    def test_chaos_beyond_what_is_run(self):
        """Short steps do not help where rounding errors of the time that was run grow too large until the end."""
        r = self.recommend(MODELS / "lj-chain.toml", "--accuracy", 1e-6, "--until", 2000, code=1)
        horizon = re.search(r"cannot be reached: .* after about t = ([\d.]+)", r["message"])
        self.assertIsNotNone(horizon, r["message"])
        self.assertTrue(200 < float(horizon[1]) < 1000, r["message"])
        self.assertIn(", and 1.0e+00 at the end", r["message"])

    def test_rounding(self):
        given = (PENDULUM, "--until", 5, "--accuracy", 1e-17, "--quantity", "energy")
        r = self.recommend(*given, code=1)
        self.assertIn("rounding errors", r["message"])
        auto = self.run_program("run", "--method", "auto", *given)
        self.assertEqual((auto.returncode, auto.stdout), (2, ""))
        self.assertIn("was not reached. The least that was seen is", auto.stderr)
        self.assertLess(r["search"]["least_error"], 1e-14)
        self.assertGreater(r["search"]["least_error"], 1e-17)

    def test_bad_input(self):
        for arguments, says in (
                (("recommend", PENDULUM), "no accuracy: give --accuracy"),
                (("recommend", PENDULUM, "--accuracy", "0"), "--accuracy 0: this is a relative error"),
                (("recommend", PENDULUM, "--accuracy", "1e-6", "--until", "0"), "other than zero"),
                (("recommend", PENDULUM, "--accuracy", "1e-6", "--quantity", "positon"), "Did you mean 'position'?"),
                (("recommend", MODELS / "abc-flow.toml", "--accuracy", "1e-6", "--quantity", "energy"), "has no energy"),
                (("run", PENDULUM, "--accuracy", "1e-6"), "--accuracy: this is for --method auto"),
                (("run", PENDULUM, "--method", "auto"), "no accuracy"),
                (("run", PENDULUM, "--method", "auto", "--accuracy", "1e-6", "--step", "0.1"), "auto chooses the step"),
                (("run", PENDULUM, "--method", "auto", "--accuracy", "1e-6", "--steps", "10"), "needs --until"),
                (("run", PENDULUM, "--method", "auto", "--accuracy", "1e-6", "--formulation", "dirac"), "--formulation")):
            result = self.run_program(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(says, result.stderr)
        self.write(pendulum(integrate=None))
        result = self.run_program("recommend", "m.toml", "--accuracy", "1e-6")
        self.assertIn("no end of the run: give --until", result.stderr)


class Auto(Recommend):
    def test_run(self):
        r = self.recommend(PENDULUM, "--accuracy", 1e-6)
        best = r["methods"][0]
        run = self.run_json(PENDULUM, "--method", "auto", "--accuracy", 1e-6)
        self.assertEqual((run["method"], run["steps"], run["step"]), (best["method"], best["steps"], best["step"]))
        self.assertEqual(run["chosen"]["method"], best["method"])
        self.assertIn("as the cheapest of", run["chosen"]["how"])
        by_hand = self.run_json(PENDULUM, "--method", best["method"], "--step", best["step_formula"])
        self.assertEqual(run["q"], by_hand["q"])
        self.assertNotIn("chosen", by_hand)
        table = self.run_program("run", PENDULUM, "--method", "auto", "--accuracy", 1e-6, "--quantity", "energy").stdout
        self.assertRegex(table, r"(?m)^  chosen +as the cheapest of \d+ methods for an error of 1e-06 in energy until t = 29.66519484 \(measured \d")


if __name__ == "__main__":
    unittest.main()
