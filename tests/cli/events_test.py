"""holonom run with events: [events], --event, --events-out, and what is reported."""

import csv
import decimal
import json
import unittest

from support import MODELS, CliTest, pendulum, place_of

PERIOD = 7.4162987092054877


class Events(CliTest):
    def read_events(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_the_period_of_the_pendulum(self):
        # 25 steps a period, so that no crossing falls on a step
        r = self.run_json(MODELS / "pendulum.toml", "--event", "bottom=x", "--method", "sofroniou-spaletta-10")
        self.assertEqual(r["event_counts"], {"bottom": 8})
        for k, event in enumerate(r["events"]):
            self.assertEqual(list(event), ["name", "direction", "t", "q", "p", "energy", "position_residual", "hidden_residual"])
            self.assertEqual((event["name"], event["direction"]), ("bottom", ("down", "up")[k % 2]))
            self.assertAlmostEqual(event["t"], (2 * k + 1) * PERIOD / 4, delta=2e-6)
            self.assertAlmostEqual(event["q"]["x"], 0, delta=1e-15)
            self.assertLess(max(event["position_residual"], event["hidden_residual"]), 1e-15)

    def test_to_the_digits_of_the_precision(self):
        decimal.getcontext().prec = 40
        r = self.run_json(MODELS / "pendulum.toml", "--event", "x", "--method", "sofroniou-spaletta-10", "--precision", "quad",
                          "--step", "T/3001", "--until", "T/2")
        quarter = decimal.Decimal("7.41629870920548767373540138878104018487") / 4
        self.assertEqual(len(r["events"]), 1)
        self.assertLess(abs(decimal.Decimal(r["events"][0]["t"]) - quarter), decimal.Decimal("1e-19"))

    def test_a_poincare_section(self):
        text = (MODELS / "henon-heiles.toml").read_text() + '\n[events]\nsection = { zero = "x", direction = "up" }\n'
        self.write(text)
        result = self.run_program("run", "m.toml", "--method", "kahan-li-8", "--step", "0.1", "--events-out", "section.csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = self.read_events("section.csv")
        self.assertGreater(len(rows), 100)
        self.assertIn(f"event section      {len(rows)} ({len(rows)} up, 0 down)", result.stdout)
        self.assertEqual(list(rows[0]), ["event", "direction", "t", "x", "y", "p_x", "p_y", "energy", "position_residual", "hidden_residual"])
        for row in rows:
            self.assertEqual((row["event"], row["direction"]), ("section", "up"))
            self.assertAlmostEqual(float(row["x"]), 0, delta=1e-15)
            self.assertGreater(float(row["p_x"]), 0)
            self.assertAlmostEqual(float(row["energy"]), 0.125, delta=1e-8)
        times = [float(row["t"]) for row in rows]
        self.assertEqual(times, sorted(times))

    def test_the_run_is_the_same_to_the_bit(self):
        for options in ([], ["--engine", "interp"], ["--method", "kahan-li-8", "--precision", "long"], ["--every", 7], ["--method", "shake"]):
            plain = self.run_json(MODELS / "double-pendulum.toml", "--steps", 500, "--out", "a.csv", "--force", *options)
            watched = self.run_json(MODELS / "double-pendulum.toml", "--steps", 500, "--out", "b.csv", "--force", "--event", "x1",
                                    "--event", "x2 - x1", *options)
            self.assertGreater(sum(watched["event_counts"].values()), 20)
            for key in ("q", "p", "lambda", "energy", "constraint", "newton", "evaluations"):
                self.assertEqual(plain[key], watched[key], f"{key} with {options}")
            self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text(), f"{options}")

    def test_with_samples(self):
        self.run_json(MODELS / "pendulum.toml", "--steps", 50, "--sample", "0.1", "--out", "a.csv")
        r = self.run_json(MODELS / "pendulum.toml", "--steps", 50, "--sample", "0.1", "--out", "b.csv", "--event", "y + 0.5")
        self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())
        self.assertGreater(r["event_counts"]["y + 0.5"], 2)

    def test_backwards(self):
        there = self.run_json(MODELS / "kepler-sphere.toml", "--event", "x - y", "--method", "kahan-li-8", "--steps", 100)
        start = there["q"], there["p"]
        text = (MODELS / "kepler-sphere.toml").read_text()
        text = text[: text.index("[initial")] + "[initial]\nproject = true\n" + "".join(
            f"{name} = {{ {', '.join(f'{k} = {v!r}' for k, v in values.items())} }}\n" for name, values in zip("qp", start))
        self.write(text)
        back = self.run_json("m.toml", "--event", "x - y", "--method", "kahan-li-8", "--step", "-0.07", "--steps", 100)
        self.assertGreater(len(there["events"]), 2)
        self.assertEqual(len(there["events"]), len(back["events"]))
        for a, b in zip(there["events"], reversed(back["events"])):
            self.assertAlmostEqual(a["t"], 7 + b["t"], delta=1e-9)
            self.assertEqual(a["direction"], b["direction"])

    def test_names_with_commas_are_quoted(self):
        self.run_json(MODELS / "pendulum.toml", "--event", "atan2(x, -y)", "--events-out", "e.csv")
        rows = self.read_events("e.csv")
        self.assertEqual(len(rows), 8)
        self.assertEqual(rows[0]["event"], "atan2(x, -y)")

    def test_the_list_has_an_end(self):
        r = self.run_json(MODELS / "henon-heiles.toml", "--event", "x", "--until", 4000)
        self.assertGreater(r["event_counts"]["x"], 1000)
        self.assertEqual(len(r["events"]), 1000)

    def test_without_events(self):
        r = self.run_json(MODELS / "pendulum.toml", "--steps", 3)
        self.assertEqual((r["event_counts"], r["events"]), ({}, []))

    def test_useless_events_are_told(self):
        self.write(pendulum(events='on_the_rod = "x^2 + y^2 - L^2"\ndomain = "sqrt(y + 0.5)"'))
        result = self.run_program("run", "m.toml", "--until", 3)
        self.assertEqual(result.returncode, 0)
        self.assertIn("event 'on_the_rod' is zero all along", result.stderr)
        self.assertIn("event 'domain' is not finite at some states", result.stderr)
        self.assertIn("m.toml:", result.stderr)

    def test_check_lists_them(self):
        self.write(pendulum(events='low = { zero = "y + 0.5", direction = "down" }'))
        result = self.run_program("check", "m.toml")
        self.assertIn("event low          crosses zero, downwards; 0.5 at the start", result.stdout)

    def test_a_run_stops_at_an_event(self):
        r = self.run_json(MODELS / "pendulum.toml", "--method", "kahan-li-8", "--event", "bottom=x", "--stop-at", "bottom", "--out", "a.csv")
        self.assertEqual(r["status"], "done")
        self.assertEqual(list(r["stopped"]), ["name", "direction", "t", "q", "p", "energy", "position_residual", "hidden_residual"])
        self.assertEqual((r["stopped"]["name"], r["stopped"]["direction"]), ("bottom", "down"))
        self.assertAlmostEqual(r["stopped"]["t"], PERIOD / 4, delta=1e-5)
        self.assertAlmostEqual(r["stopped"]["q"]["x"], 0, delta=1e-15)
        # 25 steps a period: the event is in the 7th
        self.assertEqual((r["steps"], r["events"]), (7, [r["stopped"]]))
        whole = self.run_json(MODELS / "pendulum.toml", "--method", "kahan-li-8", "--steps", 7, "--out", "b.csv")
        self.assertEqual((r["q"], r["p"], r["t"]), (whole["q"], whole["p"], whole["t"]))
        self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())
        result = self.run_program("run", MODELS / "pendulum.toml", "--event", "x", "--stop-at", "x")
        self.assertRegex(result.stdout, r"(?m)^  stopped            at event x \(down\), t = 1\.\d+$")

    def test_a_model_that_stops(self):
        """The second crossing is the first that goes up; rows of the run end where it ends, thinned or not."""
        self.write(pendulum(events='back = { zero = "x", direction = "up", stop = true }\nlow = "y + 0.5"'))
        for options in ((), ("--every", 100), ("--sample", "0.1"), ("--watch", "recorded")):
            r = self.run_json("m.toml", "--until", 100, "--out", "a.csv", "--force", *options)
            self.assertEqual((r["stopped"]["name"], r["stopped"]["direction"]), ("back", "up"))
            self.assertAlmostEqual(r["stopped"]["t"], 3 * PERIOD / 4, delta=1e-3)
            self.assertLess(abs(r["t"] - r["stopped"]["t"]), 0.01)
            self.assertEqual(r["event_counts"], {"back": 1, "low": 3})
            last = float(self.read_csv("a.csv")[1][-1][0])
            self.assertLess(r["t"] - last, 0.1 if "--sample" in options else 1e-12, f"{options}")

    def test_an_event_that_does_not_happen(self):
        result = self.run_program("run", MODELS / "pendulum.toml", "--steps", 3, "--event", "bottom=x", "--stop-at", "bottom", "--json")
        self.assertEqual(result.returncode, 0)
        r = json.loads(result.stdout)
        self.assertEqual((r["stopped"], r["steps"]), (None, 3))
        self.assertIn("the run was to stop at an event that did not happen", result.stderr)
        self.assertNotIn("stopped", self.run_json(MODELS / "pendulum.toml", "--steps", 3, "--event", "x"))

    def test_stop_at_what(self):
        for arguments, says in ((["--stop-at", "x"], 'there is no event of this name. Give one: --event "x=formula"'),
                                (["--event", "bottom=x", "--stop-at", "botom"], "there is no event of this name. Did you mean 'bottom'?")):
            result = self.run_program("run", MODELS / "pendulum.toml", *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(says, result.stderr)
        text = pendulum(events='low = { zero = "y + 0.5", stop = 1 }')
        self.write(text)
        result = self.run_program("run", "m.toml")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"m.toml:{place_of(text, '1 }')}: stop must be true or false", result.stderr)

    def test_mistakes(self):
        text = pendulum(events='low = "y + hight"')
        self.write(text)
        result = self.run_program("run", "m.toml")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"m.toml:{place_of(text, 'hight')}: in event 'low': unknown name 'hight'", result.stderr)
        for arguments, says in (
                (["--event", "x +"], "--event x +: column 4: the formula ends where a value was expected"),
                (["--event", "t - 1"], "'t' is reserved"),
                (["--event", "v_x"], "event 'v_x' uses v_x: write it with momenta"),
                (["--events-out", "e.csv"], "there are no events"),
                (["--event", "x", "--events-out", "e.h5"], "must end in .csv"),
                (["--event", "x", "--events-out", "e.csv", "--out", "./e.csv"], "this is the file of --out"),
                (["--event", "x > 0"], "is a comparison, which is 1 or 0 and crosses nothing"),
                (["--event", "x", "--events-out", "no/e.csv"], "the file cannot be written")):
            result = self.run_program("run", MODELS / "pendulum.toml", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(says, result.stderr)

    def test_existing_files_are_kept(self):
        (self.folder / "e.csv").write_text("mine")
        result = self.run_program("run", MODELS / "pendulum.toml", "--event", "x", "--events-out", "e.csv")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--force", result.stderr)
        self.assertEqual((self.folder / "e.csv").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
