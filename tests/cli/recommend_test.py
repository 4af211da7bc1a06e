"""holonom recommend, and run --method auto."""

import json
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
