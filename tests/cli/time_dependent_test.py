"""The models of docs/time-dependent.md against integrations of the same motion in an angle, by other means."""

import csv
import math
import unittest

from support import SOURCE, CliTest


def extrapolated(f, y, t, h):
    """One step of y' = f(t, y) by Gragg's midpoint rule, extrapolated over 2, 4, ..., 16 substeps: order 16."""
    table = []
    for k in range(1, 9):
        n = 2 * k
        d = h / n
        before, now = y, [a + d * b for a, b in zip(y, f(t, y))]
        for i in range(1, n):
            before, now = now, [a + 2 * d * b for a, b in zip(before, f(t + i * d, now))]
        row = [[(a + b + d * c) / 2 for a, b, c in zip(before, now, f(t + h, now))]]
        for j in range(1, k):
            ratio = (k / (k - j)) ** 2 - 1
            row.append([a + (a - b) / ratio for a, b in zip(row[j - 1], table[-1][j - 1])])
        table.append(row)
    return table[-1][-1]


def integrate(f, y, until, steps):
    states, h = [y], until / steps
    for k in range(steps):
        states.append(extrapolated(f, states[-1], k * h, h))
    return states


class TimeDependent(CliTest):
    def model(self, name):
        page = (SOURCE / "docs" / "time-dependent.md").read_text()
        (text,) = [b.removeprefix("toml\n") for b in page.split("```") if b.startswith("toml\n") and f'name = "{name}"' in b]
        return self.write(text)

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_the_reference_itself(self):
        oscillator = integrate(lambda t, y: [y[1], -y[0] + math.cos(3 * t)], [1, 0], 10, 100)[-1]
        exact = 9 / 8 * math.cos(10) - math.cos(30) / 8
        self.assertAlmostEqual(oscillator[0], exact, delta=1e-13)

    def test_kapitzas_pendulum(self):
        g, a, w, steps = 9.81, 0.1, 60, 3800
        r = self.run_json(self.model("Kapitza's pendulum"), "--out", "a.csv")
        self.assertEqual(r["steps"], steps)
        rows = self.rows("a.csv")
        end = rows[-1]["t"]
        states = integrate(lambda t, y: [y[1], -(g - a * w * w * math.cos(w * t)) * math.sin(y[0])], [math.pi - 0.3, 0], end, steps)
        farthest = 0
        for row, (theta, speed) in zip(rows, states):
            pivot = a * math.cos(w * row["t"])
            self.assertAlmostEqual(row["tau"], row["t"], delta=1e-12)
            self.assertAlmostEqual(row["x"], math.sin(theta), delta=1e-8)
            self.assertAlmostEqual(row["y"], pivot - math.cos(theta), delta=1e-8)
            farthest = max(farthest, abs(theta - math.pi))
            # H is conserved; what the drive puts in is -p_tau.
            own = (row["p_x"] ** 2 + row["p_y"] ** 2) / (2 * 0.5) + 0.5 * g * row["y"]
            self.assertAlmostEqual(own + row["p_tau"], row["energy"], delta=1e-12)
        self.assertLess(farthest, 0.31, "upright, and it stays there")
        self.assertLess(r["constraint"]["position_relative_max"], 1e-14)
        self.assertLess(r["constraint"]["hidden_relative_max"], 1e-13)
        fine = self.run_json("m.toml", "--step", "2*pi/w/800", "--until", 1)
        self.assertAlmostEqual(fine["observables"]["power"]["mean"] * fine["t"], -fine["p"]["tau"], delta=1e-4)
        self.assertGreater(abs(fine["p"]["tau"]), 0.05)
        out = self.run_program("check", "m.toml").stdout
        self.assertIn("the flow is reversible with the model's involution", out)

    def test_without_the_drive_it_falls(self):
        r = self.run_json(self.model("Kapitza's pendulum"), "--set", "a=0")
        self.assertLess(r["observables"]["height"]["min"], -0.99)

    def test_a_start_on_a_moving_pivot(self):
        """At tau = 0.01 the pivot moves; all but the clock follows."""
        name = self.model("Kapitza's pendulum")
        text = (self.folder / name).read_text().replace("tau = 0 }", 'tau = 0.01 }\nproject = { keep = ["tau"] }')
        self.write(text)
        r = self.run_json("m.toml", "--steps", 0, "--observe", "vx=v_x", "--observe", "vy=v_y")
        self.assertEqual(r["q"]["tau"], 0.01)
        x, y = r["q"]["x"], r["q"]["y"] - 0.1 * math.cos(0.6)
        vx, vy = (r["observables"][k]["initial"] for k in ("vx", "vy"))
        self.assertAlmostEqual(x * vx + y * (vy + 6 * math.sin(0.6)), 0, delta=1e-14)
        self.assertGreater(abs(vy), 0.5)

    def test_a_damped_pendulum(self):
        g, gamma = 9.81, 0.2
        r = self.run_json(self.model("damped pendulum"), "--out", "a.csv")
        self.assertEqual(r["steps"], 1000)
        states = integrate(lambda t, y: [y[1], -g * math.sin(y[0]) - gamma * y[1]], [math.pi / 2, 0], 20, 1000)
        for row, (theta, speed) in zip(self.rows("a.csv"), states):
            self.assertAlmostEqual(row["x"], math.sin(theta), delta=1e-8)
            self.assertAlmostEqual(row["y"], -math.cos(theta), delta=1e-8)
            self.assertAlmostEqual(row["energy_left"], speed**2 / 2 - g * math.cos(theta), delta=1e-7)
            self.assertAlmostEqual(row["tension"], speed**2 + g * math.cos(theta), delta=1e-7)
        self.assertIn("NOT reversible", self.run_program("check", "m.toml").stdout)


if __name__ == "__main__":
    unittest.main()
