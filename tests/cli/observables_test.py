"""[observables] and --observe: columns, means, multipliers, velocities, and the two energies."""

import csv
import decimal
import json
import math
import re
import unittest

from support import MODELS, CliTest, pendulum, place_of

# From rest at the side: v^2 = -2 g y, so that the tension of the rod is -3 m g y. rod = x^2 + y^2 - L^2 has the gradient 2 (x, y).
TENSION = 'tension = "2*L*lambda_rod"\nT = "kinetic"\nV = "potential"'

CHAIN = """format = 1
[parameters]
N = 4
[coordinates]
names = ["h"]
r = { count = "N", dim = 2 }
[energy]
mass = { r = "1 + i/2", h = 3 }
potential = "h^2/2 + h*r[0].x"
[[energy.sum]]
over = { i = "0..N-1" }
term = "(1 + i/2)*r[i].y"
[constraints]
hook = "(dot(r[0], r[0]) - 1)/2"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[[constraints.stack]]
name = "bar"
over = { i = "3..3" }
zero = "(dot(r[i] - [4, -1], r[i] - [4, -1]) - 1)/2"
[observables]
bar_force = "lambda_bar[0]"
hook_force = "norm(lambda_hook*r[0])"
second = "lambda_link[1] + h - h"
vx = "v_r[2].x"
stretch_rate = "rate(norm(r[3] - r[1]))"
handle = "rate(h*r[0].y)"
T = "kinetic + r[0].x"
[[observables.sum]]
name = "height"
over = { i = "0..N-1" }
term = "r[i].y/N"
[[observables.sum]]
name = "all_tensions"
over = { k = "0..N-2" }
term = "lambda_link[k]*d^2"
where = { d = "norm(r[k+1] - r[k])" }
[initial]
q = { h = 0.2, r = ["i + 1", "0"] }
[integrate]
step = 0.01
until = 2
"""


class Observables(CliTest):
    def table(self, name):
        with open(self.folder / name, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_tension_and_energies(self):
        self.write(pendulum(observables=TENSION))
        r = self.run_json("m.toml", "--method", "kahan-li-8", "--until", 3, "--out", "a.csv")
        columns, _ = self.read_csv("a.csv")
        self.assertEqual(columns, ["t", "x", "y", "p_x", "p_y", "lambda_rod", "energy", "position_residual", "hidden_residual",
                                   "tension", "T", "V"])
        rows = self.table("a.csv")
        for row in rows:
            self.assertAlmostEqual(row["tension"], -3 * row["y"], delta=1e-12)
            self.assertAlmostEqual(row["V"], row["y"], delta=1e-15)
            self.assertAlmostEqual(row["T"], (row["p_x"] ** 2 + row["p_y"] ** 2) / 2, delta=1e-15)
            self.assertAlmostEqual(row["T"] + row["V"], row["energy"], delta=1e-15)
        self.assertEqual(list(r["observables"]), ["tension", "T", "V"])
        self.assertNotIn("tension", r["invariants"])
        for name, o in r["observables"].items():
            values = [row[name] for row in rows]
            self.assertEqual(list(o), ["initial", "final", "mean", "min", "max"])
            self.assertEqual((o["initial"], o["final"], o["min"], o["max"]), (values[0], values[-1], min(values), max(values)))
            mean = (sum(values) - (values[0] + values[-1]) / 2) / (len(values) - 1)
            self.assertAlmostEqual(o["mean"], mean, delta=1e-13)
        self.assertAlmostEqual(r["observables"]["tension"]["max"], 3, delta=1e-4)

    def test_a_mean_over_periods(self):
        """Kepler: by the virial theorem the mean of T is -E, and that of V is 2 E; the mean of 1/r is 1/a."""
        r = self.run_json(MODELS / "kepler.toml", "--method", "kahan-li-8", "--step", "2*pi/400", "--until", "2*pi*3",
                          "--observe", "kinetic", "--observe", "V=potential")
        energy = r["energy"]["initial"]
        self.assertAlmostEqual(r["observables"]["kinetic"]["mean"], -energy, delta=1e-9)
        self.assertAlmostEqual(r["observables"]["V"]["mean"], 2 * energy, delta=1e-9)

    def test_means_over_watched_states(self):
        self.write(pendulum(observables='height = "y"'))
        r = self.run_json("m.toml", "--steps", 95, "--every", 10, "--watch", "recorded", "--out", "a.csv")
        rows = self.table("a.csv")
        self.assertEqual(len(rows), 11, "the last step is shorter than ten")
        area = sum((b["t"] - a["t"]) * (a["height"] + b["height"]) / 2 for a, b in zip(rows, rows[1:]))
        self.assertAlmostEqual(r["observables"]["height"]["mean"], area / rows[-1]["t"], delta=1e-14)

    def test_no_steps(self):
        self.write(pendulum(observables=TENSION))
        o = self.run_json("m.toml", "--steps", 0)["observables"]["T"]
        self.assertEqual(o, {"initial": 0, "final": 0, "mean": 0, "min": 0, "max": 0})

    def test_items_sums_stacks_and_rates(self):
        self.write(CHAIN)
        results = [self.run_json("m.toml", "--out", f"{engine}.csv", "--engine", engine) for engine in ("interp", "llvm")]
        self.assertEqual(results[0]["observables"], results[1]["observables"])
        names = ["bar_force", "hook_force", "second", "vx", "stretch_rate", "handle", "T", "height", "all_tensions"]
        self.assertEqual(list(results[0]["observables"]), names)
        masses = [1, 1.5, 2, 2.5]
        moving = False
        for row in self.table("interp.csv"):
            r = [(row[f"r[{i}].x"], row[f"r[{i}].y"]) for i in range(4)]
            v = [(row[f"p_r[{i}].x"] / masses[i], row[f"p_r[{i}].y"] / masses[i]) for i in range(4)]
            self.assertEqual(row["bar_force"], row["lambda_bar[0]"])
            self.assertAlmostEqual(row["hook_force"], math.hypot(*r[0]) * abs(row["lambda_hook"]), delta=1e-13)
            self.assertAlmostEqual(row["second"], row["lambda_link[1]"], delta=1e-14)
            self.assertAlmostEqual(row["vx"], v[2][0], delta=1e-15)
            d, w = [r[3][c] - r[1][c] for c in (0, 1)], [v[3][c] - v[1][c] for c in (0, 1)]
            self.assertAlmostEqual(row["stretch_rate"], (d[0] * w[0] + d[1] * w[1]) / math.hypot(*d), delta=1e-13)
            self.assertAlmostEqual(row["handle"], row["p_h"] / 3 * r[0][1] + row["h"] * v[0][1], delta=1e-13)
            kinetic = row["p_h"] ** 2 / 6 + sum(m * (x * x + y * y) / 2 for m, (x, y) in zip(masses, v))
            self.assertAlmostEqual(row["T"], kinetic + r[0][0], delta=1e-12)
            self.assertAlmostEqual(row["height"], sum(y for _, y in r) / 4, delta=1e-14)
            self.assertAlmostEqual(row["all_tensions"], sum(row[f"lambda_link[{k}]"] for k in range(3)), delta=1e-12)
            moving |= abs(row["stretch_rate"]) > 1e-2 and abs(row["bar_force"]) > 1e-2
        self.assertTrue(moving)

    def test_a_mass_matrix_of_the_position(self):
        r = self.run_json(MODELS / "slider-crank.toml", "--steps", 100, "--observe", "kinetic", "--observe", "w=v_theta",
                          "--observe", "E=kinetic + potential")
        self.assertAlmostEqual(r["observables"]["w"]["initial"], 20, delta=1e-13)
        self.assertAlmostEqual(r["observables"]["E"]["final"], r["energy"]["final"], delta=1e-14)

    def test_all_digits(self):
        r = self.run_json(MODELS / "pendulum.toml", "--steps", 20, "--precision", "quad", "--observe", "E=kinetic + potential")
        decimal.getcontext().prec = 40
        self.assertLess(abs(decimal.Decimal(r["observables"]["E"]["final"]) - decimal.Decimal(r["energy"]["final"])), decimal.Decimal("1e-32"))

    def test_at_events(self):
        self.write(pendulum(observables=TENSION))
        self.run_json("m.toml", "--method", "kahan-li-8", "--until", 3, "--event", "x", "--events-out", "e.csv")
        with open(self.folder / "e.csv", newline="") as file:
            (row,) = list(csv.DictReader(file))
        self.assertAlmostEqual(float(row["tension"]), 3, delta=1e-9)

    def test_the_run_is_the_same_to_the_bit(self):
        plain = self.run_json(MODELS / "double-pendulum.toml", "--steps", 300, "--out", "a.csv")
        watched = self.run_json(MODELS / "double-pendulum.toml", "--steps", 300, "--out", "b.csv", "--observe", "2*lambda_rod1", "--observe", "T=kinetic")
        for key in ("q", "p", "lambda", "energy", "constraint", "newton", "evaluations"):
            self.assertEqual(plain[key], watched[key])

    def test_the_table(self):
        self.write(pendulum(observables=TENSION))
        result = self.run_program("run", "m.toml", "--until", 3)
        self.assertRegex(result.stdout, r"(?m)^  tension            mean 1\.\d+, from 0 to 2\.9\d+$")

    def test_what_is_not_a_number(self):
        self.write(pendulum(observables='bad = "sqrt(y + 0.5)"'))
        r = self.run_json("m.toml", "--until", 3)
        self.assertEqual(r["observables"]["bad"], {**r["observables"]["bad"], "mean": None, "min": None, "max": None})
        self.assertIsNotNone(r["observables"]["bad"]["initial"])

    def test_one_that_is_not_finite_is_told(self):
        result = self.run_program("run", MODELS / "pendulum.toml", "--observe", "s=sqrt(y)", "--observe", "height=y", "--steps", 10)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"warning: --observe s=sqrt\(y\): observable 's' is not finite after step 1 \(t = [\d.]+\)")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertRegex(result.stdout, r"\n  s +mean nan, from nan to nan\n")
        self.write(pendulum(observables='s = "log(x - 0.5)"'))
        result = self.run_program("run", "m.toml", "--until", 2, "--out", "a.csv")
        (step,) = re.findall(r"m\.toml:\d+:\d+: observable 's' is not finite after step (\d+)", result.stderr)
        rows = self.table("a.csv")
        first = next(k for k, row in enumerate(rows) if not math.isfinite(row["s"]))
        self.assertEqual(int(step), first)
        self.run_program("run", "m.toml", "--until", 1, "--out", "b.csv")
        self.assertEqual(self.run_program("run", "m.toml", "--until", 2, "--out", "b.csv", "--extend").stderr, result.stderr)

    def test_own_names_come_first(self):
        self.write(pendulum(parameters="m = 1\ng = 1\nL = 1\nkinetic = 7\nlambda_rod = 8", observables='a = "kinetic"\nb = "lambda_rod"'))
        o = self.run_json("m.toml", "--steps", 1)["observables"]
        self.assertEqual((o["a"]["final"], o["b"]["final"]), (7, 8))

    def test_mistakes(self):
        for body, at, says in (
                ('tension = "lambda_rood"', "lambda_rood", "unknown name 'lambda_rood'. Did you mean 'lambda_rod'?"),
                ('x = "y"', 'x = "y"', "an observable must not be called 'x': outputs have a column of that name already"),
                ('energy = "y"', 'energy = "y"', "outputs have a column of that name already"),
                ('a = "x*t"', 't"\n[', "'t' is reserved"),
                ('two-words = "x"', "two-words", "is not a name")):
            text = pendulum(observables=None).replace("[initial]", f"[observables]\n{body}\n[initial]")
            self.write(text)
            result = self.run_program("run", "m.toml")
            self.assertEqual(result.returncode, 2, body)
            self.assertIn(f"m.toml:{place_of(text, at)}: ", result.stderr)
            self.assertIn(says, result.stderr)
        for arguments, says in (
                (["--observe", "x +"], "--observe x +: column 4: the formula ends where a value was expected"),
                (["--observe", "x"], "outputs have a column of that name already"),
                (["--observe", "a=x", "--observe", "a=y"], "outputs have a column of that name already"),
                (["--observe", "lambda_link[0]"], "unknown name 'lambda_link'")):
            result = self.run_program("run", MODELS / "pendulum.toml", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(says, result.stderr)
        result = self.run_program("run", MODELS / "charged-particle.toml", "--observe", "kinetic")
        self.assertEqual(result.returncode, 2)
        self.assertIn("observable 'kinetic' uses the kinetic or the potential energy, but the hamiltonian mixes positions and momenta", result.stderr)

    def test_velocities_stay_out_of_the_rest(self):
        for old, new, says in (
                ('term = "(1 + i/2)*r[i].y"', 'term = "v_r[i].y"', "uses v_r: it must be a formula of the coordinates alone"),
                ('hook = "(dot(r[0], r[0]) - 1)/2"', 'hook = "rate(r[0].x)"', "uses v_r: it must be a formula of the coordinates alone"),
                ("[initial]", '[invariants]\nI = "v_r[0].x"\n[initial]', "uses v_r: write it with coordinates and momenta")):
            self.assertEqual(CHAIN.count(old), 1)
            self.write(CHAIN.replace(old, new))
            result = self.run_program("check", "m.toml")
            self.assertEqual(result.returncode, 2, new)
            self.assertIn(says, result.stderr)
            self.assertIn("m.toml:", result.stderr)


if __name__ == "__main__":
    unittest.main()
