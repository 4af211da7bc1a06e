"""HDF5 output as a user meets it: h5py, samples between the steps, MDAnalysis.

Needs h5py (Debian: python3-h5py), and for the H5MD test MDAnalysis (python3-mdanalysis).
"""

import contextlib
import io
import json
import os
import re
import unittest
import warnings

from hdf5 import CHAIN, PENDULUM, TABLES, Hdf5CliTest, h5py, np
from support import MODELS, SOURCE

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        import MDAnalysis

        HAS_MDANALYSIS = True
    except ImportError:
        HAS_MDANALYSIS = False


class Hdf5Test(Hdf5CliTest):
    # ---- h5py
    def test_three_lines(self):
        self.run_holonom(PENDULUM, "--out", "run.h5")
        for page in ("README.md", "docs/hdf5.md"):
            for snippet in self.documented_python(page):
                if 'File("run.h5")' not in snippet:
                    continue
                found = self.run_python(snippet)
                self.assertEqual(len(found["t"]), 101)
                np.testing.assert_allclose(np.hypot(found["x"], found["y"]), 1, rtol=1e-15)

    def test_observables(self):
        options = ("--set", "N=5", "--steps", "20", "--observe", "T=kinetic", "--observe", "lambda_link[1] + lambda_hook")
        self.run_holonom(CHAIN, *options, "--every", "5", "--out", "run.h5")
        self.run_holonom(CHAIN, *options, "--every", "5", "--out", "run.csv")
        header, rows = self.read_csv("run.csv")
        with h5py.File(self.folder / "run.h5") as f:
            self.assertEqual(list(f["names/observables"].asstr()), ["T", "lambda_link[1] + lambda_hook"])
            self.assertEqual(f["observed"].shape, (5, 2))
            np.testing.assert_array_equal(f["observed"][:], [[float(x) for x in row[-2:]] for row in rows])
            np.testing.assert_allclose(f["observed"][:, 0], (f["p"][:] ** 2).sum(axis=1) / 2, rtol=1e-14)
            np.testing.assert_array_equal(f["observables/observed/value"][:], f["observed"][:])
        self.assertEqual(header[-2:], ["T", "lambda_link[1] + lambda_hook"])

    def test_shadow_energies(self):
        options = (MODELS / "double-pendulum.toml", "--steps", "40", "--shadow", "6", "--every", "2")
        self.run_holonom(*options, "--out", "run.h5")
        self.run_holonom(*options, "--out", "run.csv")
        header, rows = self.read_csv("run.csv")
        column = [float(row[header.index("shadow")]) for row in rows]
        with h5py.File(self.folder / "run.h5") as f:
            self.assertEqual(list(f["names/invariants"].asstr()), ["shadow"])
            np.testing.assert_array_equal(f["invariants"][:, 0], column)
        self.assertEqual(len(set(column)), 18, "one for the first window, up to step 6, and one a row after it")

    def test_fields_have_their_own_names(self):
        model = """format = 1
[field]
q.x = "v"
p.v = "z - x"
p.z = "-z"
[units]
v = "m/s"
[initial]
x = 1
v = 0
z = 2
[integrate]
step = 0.1
until = 2
"""
        self.run_holonom(self.write(model), "--out", "run.h5")
        self.run_holonom(self.write(model), "--out", "run.csv")
        _, rows = self.read_csv("run.csv")
        with h5py.File(self.folder / "run.h5") as f:
            self.assertEqual((f["q"].shape, f["p"].shape), ((21, 1), (21, 2)))
            self.assertEqual(list(f["names/coordinates"].asstr()), ["x"])
            self.assertEqual(list(f["names/momenta"].asstr()), ["v", "z"])
            self.assertEqual(list(f["units/momenta"].asstr()), ["m/s", ""])
            np.testing.assert_array_equal(np.hstack([f["q"][:], f["p"][:]]), [[float(x) for x in row[1:4]] for row in rows])
        self.run_holonom(self.write(model), "--steps", "30", "--out", "run.h5", "--extend")
        with h5py.File(self.folder / "run.h5") as f:
            self.assertEqual(f["p"].shape, (31, 2))

    def test_the_documentation_runs(self):
        self.run_holonom(PENDULUM, "--precision", "quad", "--out", "run.h5")
        self.run_holonom(CHAIN, "--set", "N=12", "--steps", "20", "--out", "chain.h5")
        blocks = [b for b in self.documented_python("docs/hdf5.md") if HAS_MDANALYSIS or "MDAnalysis" not in b]
        found = self.run_python("\n".join(blocks))
        self.assertEqual(len(found["energy"]), 101)
        if HAS_MDANALYSIS:
            self.assertEqual(len(found["u"].trajectory), 3)

    def documented_python(self, page):
        return re.findall(r"```python\n(.*?)```", (SOURCE / page).read_text(), re.DOTALL)

    def run_python(self, code):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        found = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, found)
        self.addCleanup(found["f"].close)
        return found

    def test_same_numbers_as_csv(self):
        for precision in ("double", "long", "quad", "100"):
            for out in ("a.h5", "a.csv"):
                self.run_holonom(MODELS / "spherical-pendulum.toml", "--steps", "300", "--every", "7", "--precision", precision,
                                 "--out", out, "--force")
            header, rows = self.read_csv("a.csv")
            with h5py.File(self.folder / "a.h5") as f:
                exact = f["exact"] if "exact" in f else f
                columns = [exact["t"][:][:, None], exact["q"][:], exact["p"][:], exact["lambda"][:], exact["energy"][:][:, None],
                           exact["position_residual"][:][:, None], exact["hidden_residual"][:][:, None], exact["invariants"][:]]
                if precision in ("quad", "100"):
                    table = np.hstack([c.astype(str) for c in columns])
                    self.assertEqual(table.tolist(), rows)
                    np.testing.assert_array_equal(f["q"][:], exact["q"][:].astype(str).astype(float))
                else:
                    scalar = np.longdouble if precision == "long" else np.float64
                    self.assertEqual(f["q"].dtype, scalar)
                    np.testing.assert_array_equal(np.hstack(columns), np.array([[scalar(x) for x in row] for row in rows]))
                names = f["names/coordinates"].asstr()[:].tolist()
                self.assertEqual(header[1:1 + len(names)], names)
                self.assertEqual(f["step"][:].tolist(), [*range(0, 300, 7), 300])
                self.assertEqual(f.attrs["precision"], precision)

    def test_the_file_describes_itself(self):
        self.run_holonom(PENDULUM, "--set", "L=2", "--out", "run.h5")
        with h5py.File(self.folder / "run.h5") as f, PENDULUM.open() as text:
            self.assertEqual(f.attrs["creator"], "holonom")
            self.assertEqual(f.attrs["model"], "pendulum")
            self.assertEqual(f.attrs["model_text"], text.read())
            self.assertEqual(f.attrs["method"], "rattle")
            self.assertEqual(float(f.attrs["step_text"]), f.attrs["step"])
            self.assertEqual(f["parameters"].attrs["L"], 2)
            self.assertEqual(f["names/constraints"].asstr()[:].tolist(), ["rod"])
            self.assertEqual(len({len(f[name]) for name in TABLES}), 1)

    def test_an_existing_file_needs_force(self):
        self.run_holonom(PENDULUM, "--out", "run.h5")
        refused = self.run_holonom(PENDULUM, "--out", "run.h5", code=2)
        self.assertIn("--force", refused.stderr)
        self.run_holonom(PENDULUM, "--steps", "3", "--out", "run.h5", "--force")
        with h5py.File(self.folder / "run.h5") as f:
            self.assertEqual(len(f["t"]), 4)
        self.assertIn("cannot be written", self.run_holonom(PENDULUM, "--out", "no/run.h5", code=2).stderr)

    # ---- samples
    def test_samples_are_marked_as_interpolated(self):
        self.run_holonom(PENDULUM, "--step", "0.1", "--steps", "20", "--out", "steps.h5")
        self.run_holonom(PENDULUM, "--step", "0.1", "--steps", "20", "--sample", "0.05", "--out", "samples.h5")
        with h5py.File(self.folder / "steps.h5") as a, h5py.File(self.folder / "samples.h5") as b:
            self.assertNotIn("interpolated", a)
            np.testing.assert_allclose(b["t"][:], 0.05 * np.arange(41), rtol=1e-14)
            np.testing.assert_array_equal(b["interpolated"][:], np.arange(41) % 2)
            for name in ("t", "q", "p", "lambda", "energy"):
                np.testing.assert_array_equal(a[name][:], b[name][::2])
            self.assertIn("Hermite", b.attrs["interpolation"])
            self.assertEqual(b.attrs["sample_interval"], 0.05)
            for name in ("position_residual", "hidden_residual"):
                self.assertLess(b[name][1::2].max(), 1e-15)
        wrong = self.run_holonom(PENDULUM, "--sample", "-1", "--out", "wrong.h5", code=2)
        self.assertIn("positive", wrong.stderr)
        self.run_holonom(PENDULUM, "--sample", "0.1", "--every", "2", "--out", "both.h5", code=2)

    # ---- H5MD
    @unittest.skipUnless(HAS_MDANALYSIS, "python3-mdanalysis is not installed")
    def test_mdanalysis_opens_particles(self):
        out = "chain.h5"
        result = json.loads(self.run_holonom(CHAIN, "--set", "N=12", "--out", out, "--json").stdout)
        universe = MDAnalysis.Universe.empty(12, trajectory=False)
        universe.load_new(str(self.folder / out), format="H5MD", convert_units=False)
        with h5py.File(self.folder / out) as f:
            self.assertEqual(len(universe.trajectory), len(f["t"]))
            for k in (0, 17, -1):
                frame = universe.trajectory[k]
                self.assertEqual(frame.time, f["t"][k])
                self.assertEqual(frame.data["energy"], f["energy"][k])
                np.testing.assert_array_equal(universe.atoms.positions[:, :2].ravel(), f["q"][k].astype(np.float32))
                np.testing.assert_array_equal(universe.atoms.positions[:, 2], 0)  # a plane model is shown in space
            np.testing.assert_array_equal(f["particles/r/position/value"][-1, :, :2].ravel(), np.ravel(result["q"]["r"]))
            np.testing.assert_array_equal(f["h5md"].attrs["version"], [1, 1])

    def test_all_vector_coordinates_are_particles(self):
        """Three blocks of 1, 2 and 3 dimensions: MDAnalysis sees all particles, and each block has a group of its own."""
        counts = {"s": 2, "a": 3, "trajectory": 4}
        model = """format = 1
[coordinates]
s = { count = 2, dim = 1 }
a = { count = 3, dim = 2 }
trajectory = { count = 4, dim = 3 }
[energy]
mass = { s = 1, a = 2, trajectory = 3 }
potential = "0"
[initial]
q.s = ["i + 1"]
q.a = ["i + 10", "i + 20"]
q.trajectory = ["i + 100", "i + 200", "i + 300"]
v.s = ["1"]
v.a = ["1", "2"]
v.trajectory = ["1", "2", "3"]
[integrate]
step = 0.1
until = 1
"""
        for name in ("trajectory", "b"):  # the name that MDAnalysis takes for itself, and another one
            out = f"{name}.h5"
            self.run_holonom(self.write(model.replace("trajectory", name), f"{name}.toml"), "--out", out)
            with h5py.File(self.folder / out) as f:
                q = f["q"][:]
                together = "trajectory_all" if name == "trajectory" else "trajectory"
                self.assertEqual(list(f["particles"]), [together, "s", "a", name])
                shown = f[f"particles/{together}/position/value"][:]
                self.assertEqual(shown.shape, (11, 9, 3))
                np.testing.assert_array_equal(shown[:, :2, 0], q[:, :2])
                np.testing.assert_array_equal(shown[:, 2:5, :2].reshape(11, 6), q[:, 2:8])
                np.testing.assert_array_equal(shown[:, 5:].reshape(11, 12), q[:, 8:])
                self.assertEqual(np.count_nonzero(shown[:, :2, 1:]) + np.count_nonzero(shown[:, 2:5, 2]), 0)
                species = f[f"particles/{together}/species"]
                number = h5py.check_enum_dtype(species.dtype)
                for block, count in counts.items():
                    block = name if block == "trajectory" else block
                    self.assertEqual(np.count_nonzero(species[:] == number[block]), count)
                    self.assertEqual(f[f"particles/{block}/position/value"].shape, (11, count, 3))
            if HAS_MDANALYSIS:
                universe = MDAnalysis.Universe.empty(9, trajectory=False)
                universe.load_new(str(self.folder / out), format="H5MD", convert_units=False)
                self.assertEqual(len(universe.trajectory), 11)
                universe.trajectory[10]
                np.testing.assert_array_equal(universe.atoms.positions, shown[10].astype(np.float32))
        if HAS_MDANALYSIS:  # the number of atoms from the file itself
            self.assertEqual(MDAnalysis.coordinates.H5MD.H5MDReader.parse_n_atoms(str(self.folder / "b.h5")), 9)

    def test_lengths_in_different_units_are_not_one_array(self):
        model = """format = 1
[coordinates]
a = { count = 2, dim = 3 }
b = { count = 1, dim = 3 }
[units]
t = "ps"
a = "nm"
b = "Angstrom"
[energy]
mass = { a = 1, b = 1 }
potential = "0"
[initial]
q.a = ["i", "0", "0"]
q.b = ["5", "0", "0"]
[integrate]
step = 0.1
until = 1
"""
        for unit, particles in (("Angstrom", 2), ("nm", 3)):
            self.run_holonom(self.write(model.replace("Angstrom", unit)), "--out", "u.h5", "--force")
            with h5py.File(self.folder / "u.h5") as f:
                value = f["particles/trajectory/position/value"]
                self.assertEqual(value.shape, (11, particles, 3))
                self.assertEqual(value.attrs["unit"], "nm")
                self.assertEqual(f["particles/b/position/value"].attrs["unit"], unit)


if __name__ == "__main__":
    unittest.main()
