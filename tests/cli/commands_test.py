"""holonom check, methods, --version, --help."""

import json
import unittest

from support import MODELS, CliTest, pendulum


class Check(CliTest):
    def test_every_model(self):
        models = sorted(MODELS.glob("*.toml"))
        self.assertGreater(len(models), 15)
        for path in models:
            with self.subTest(path.name):
                result = self.run_program("check", path)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                for part in ("coordinates", "constraints", "energy at start", "the flow is reversible with the model's involution"):
                    self.assertIn(part, result.stdout)
                self.assertNotIn("NOT", result.stdout)
                self.assertNotIn("nan", result.stdout)

    def test_sizes_and_rank(self):
        for name, parts in {
            "double-pendulum": ("2 x 4, 6 nonzeros", "2 of 2", "constant mass"),
            "slider-crank": ("2 x 3, 5 nonzeros", "2 of 2", "mass matrix depends on the position"),
            "charged-particle": ("general H(q, p)", "invariant Lz", "conserved by the exact flow"),
            "four-bar-redundant": ("3 of 4: redundant constraints", "'crank', 'coupler', 'rocker' and 'freudenstein'"),
            "locomotive": ("1 of 2: redundant constraints", "'left_rod' and 'right_rod'"),
            "lj-chain": ("(projected)", "6 of 6"),
        }.items():
            out = self.run_program("check", MODELS / f"{name}.toml").stdout
            for part in parts:
                self.assertIn(part, out)
            freedom = {"double-pendulum": 2, "four-bar-redundant": 1, "locomotive": 1, "lj-chain": 8}.get(name)
            if freedom:
                self.assertRegex(out, rf"freedom +{freedom}\b")

    def test_a_dead_centre_of_one_rod(self):
        result = self.run_program("check", MODELS / "locomotive.toml", "--set", "phi0=0")
        self.assertEqual(result.returncode, 0)
        self.assertIn("1 of 2: redundant constraints", result.stdout)
        self.assertEqual(self.run_program("run", MODELS / "locomotive.toml", "--set", "phi0=0").returncode, 0)

    def test_what_is_not_conserved_or_reversible(self):
        self.write(pendulum(invariants='half = "p_x"', energy='hamiltonian = "((p_x + y)^2 + (p_y - x)^2)/2 + y"',
                            initial="q = { x = 1, y = 0 }\np = { x = 0, y = 2 }"))
        result = self.run_program("check", "m.toml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("NOT reversible with this involution", result.stdout)
        self.assertIn("invariant half", result.stdout)
        self.assertIn("NOT conserved by the exact flow", result.stdout)

    def test_runs_nothing(self):
        self.write(pendulum(integrate=None))
        self.assertEqual(self.run_program("check", "m.toml").returncode, 0, "a model without a step can be checked")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["m.toml"])


class Methods(CliTest):
    def test_list(self):
        result = self.run_program("methods")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^rattle +2 +yes +yes +g = 0 and G H_p = 0 ")
        for pattern in ("geodesic-<drifts>", "<scheme>/<base>"):
            self.assertIn(pattern, result.stdout, "keys with parameters are in no list")

    def test_claims_that_end_with_constraints(self):
        """Gauss methods are symplectic without constraints only, and the list says so."""
        row = r"(?m)^gauss-2 +{} +{} +{} +none "
        self.assertRegex(self.run_program("methods").stdout, row.format(4, "if m = 0", "if m = 0"))
        self.assertIn("symplectic          if m = 0\n", self.run_program("methods", "gauss-2").stdout)
        for model, claims in (("pendulum.toml", (0, "no", "no")), ("henon-heiles.toml", (4, "yes", "yes"))):
            self.assertRegex(self.run_program("methods", "--model", MODELS / model).stdout, row.format(*claims))

    def test_one(self):
        result = self.run_program("methods", "rattle")
        self.assertEqual(result.returncode, 0)
        for part in ("order               2", "symplectic          yes", "citation            H. C. Andersen"):
            self.assertIn(part, result.stdout)

    def test_json(self):
        for arguments in (("methods", "rattle", "--json"), ("methods", "--json")):
            entries = json.loads(self.run_program(*arguments).stdout)
            rattle = next(e for e in entries if e["key"] == "rattle")
            self.assertEqual((rattle["order"], rattle["symmetric"], rattle["symplectic"]), (2, True, True))
            self.assertEqual((rattle["keeps_position_constraint"], rattle["keeps_hidden_constraint"], rattle["momentum_maps"]), (True, True, True))
            self.assertEqual(rattle["needs"], "hamiltonian")
            self.assertTrue(rattle["title"] and rattle["citation"])
            self.assertNotIn("suits_model", rattle)

    def test_for_a_model(self):
        entries = json.loads(self.run_program("methods", "--model", MODELS / "slider-crank.toml", "--json").stdout)
        rattle = next(e for e in entries if e["key"] == "rattle")
        self.assertEqual((rattle["suits_model"], rattle["reason"]), (True, ""))
        self.assertIn("suitable", self.run_program("methods", "rattle", "--model", MODELS / "slider-crank.toml").stdout)

    def test_unknown(self):
        result = self.run_program("methods", "ratle")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown method 'ratle'. Did you mean 'rattle'?", result.stderr)
        self.assertEqual(self.run_program("methods", "--model", "nothing.toml").returncode, 2)


class Program(CliTest):
    def test_version(self):
        result = self.run_program("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^holonom \d+\.\d+\.\d+\n$")

    def test_help(self):
        result = self.run_program("--help")
        self.assertEqual(result.returncode, 0)
        for command in ("run", "check", "compare", "certify", "methods"):
            self.assertIn(command, result.stdout)
            self.assertEqual(self.run_program(command, "--help").returncode, 0)
        options = self.run_program("run", "--help").stdout
        for option in ("--method", "--step", "--until", "--steps", "--every", "--out", "--force", "--json", "--set", "--precision",
                       "--tolerance", "--engine", "--event", "--events-out"):
            self.assertIn(option, options)


if __name__ == "__main__":
    unittest.main()
