"""holonom check, methods, --version, --help."""

import json
import re
import unittest

from support import MODELS, SOURCE, CliTest, pendulum, place_of


class Check(CliTest):
    def test_every_model(self):
        models = sorted(MODELS.glob("*.toml"))
        self.assertGreater(len(models), 15)
        for path in models:
            with self.subTest(path.name):
                result = self.run_program("check", path)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                parts = ("coordinates", "constraints", "energy at start", "the flow is reversible with the model's involution")
                if "[field]" in path.read_text():
                    parts = ("variables", "a field, ", "reversibility")
                for part in parts:
                    self.assertIn(part, result.stdout)
                self.assertNotIn("NOT", result.stdout)
                self.assertNotIn("nan", result.stdout)

    def test_json_of_every_model(self):
        """The numbers of the text, and its statements as words for programs."""
        for path in sorted(MODELS.glob("*.toml")):
            with self.subTest(path.name):
                result = self.run_program("check", path, "--json")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                told, text = json.loads(result.stdout), self.run_program("check", path).stdout
                self.assertIn(f"{told['model']} ({told['file']})\n", text)
                self.assertEqual(told["form"] == "field", "a field, " in text)
                if told["constraints"] > 0:
                    self.assertIn(f"Jacobian G       {told['constraints']} x {told['coordinates']}, {told['nonzeros']} nonzeros", text)
                    self.assertIn(f"rank of G        {told['rank']} of {told['constraints']}", text)
                    self.assertIn(f"freedom          {told['freedom']} degrees", text)
                    self.assertIn(f"|g| = {told['start']['position']:.1e}, |G H_p| = {told['start']['hidden']:.1e}", text)
                if "energy" in told["start"]:
                    self.assertIn(f"energy at start  {told['start']['energy']:.15g}\n", text)
                self.assertEqual(told["reversibility"]["holds"], "the flow is reversible" in text)
                for one in told["invariants"] + told["momentum_maps"]["found"]:
                    self.assertIn(one["conservation"], text)
                    self.assertIn(one["evidence"], text)
                    self.assertEqual(one["proved"], one["evidence"].startswith("proved"))
                for name, value in told["start"]["observables"].items():
                    self.assertRegex(text, rf"observable {name} +{re.escape(f'{value:.6g}')} at the start")
                self.assertEqual([e["name"] for e in told["start"]["events"]], re.findall(r"^  event (\w+)", text, re.M))
                self.assertNotIn("message", told)

    def test_json_of_a_singular_start(self):
        self.write(pendulum(constraints='a = "x*y"', initial="q = { x = 0, y = 0 }"))
        result = self.run_program("check", "m.toml", "--json")
        told = json.loads(result.stdout)
        self.assertEqual((result.returncode, result.stderr), (2, f"holonom: {told['message']}\n"))
        self.assertEqual((told["rank"], told["singular_position"], told["dependent"]), (0, True, [["a"]]))

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

    def test_invariants_of_vector_coordinates(self):
        text = """format = 1
[coordinates]
names = ["h"]
r = { count = 3, dim = 2 }
[energy]
mass = { r = "UNIT*(1 + i)", h = "UNIT" }
[[energy.sum]]
over = { i = "0..2" }
term = "UNIT*r[i].y"
[[energy.sum]]
over = { i = "0..1" }
term = "UNIT*(norm(r[i+1] - r[i]) - 1)^2"
[constraints]
link = "(dot(r[1] - r[0], r[1] - r[0]) - 1)/2"
[invariants]
py0 = "p_r[0].y"
mixed = "p_r[0].x + p_r[1].x + p_r[2].x + p_h"
fixed = "h*p_r[2].x - h*p_r[2].x + p_h"
[[invariants.sum]]
name = "Px"
over = { i = "0..2" }
term = "p_r[i].x"
[[invariants.sum]]
name = "Py"
over = { i = "0..2" }
term = "p_r[i].y"
[[invariants.sum]]
name = "L"
over = { i = "0..2" }
term = "r[i].x*p_r[i].y - r[i].y*p_r[i].x"
[initial]
q = { h = 0, r = ["i", "0"] }
v.r = ["0", "1"]
"""
        for unit in ("1", "1e-26", "1e20"):
            self.write(text.replace("UNIT", unit))
            out = self.run_program("check", "m.toml").stdout
            for name, conserved in {"py0": False, "mixed": True, "fixed": True, "Px": True, "Py": False, "L": False}.items():
                self.assertRegex(out, rf"invariant {name} +{'' if conserved else 'NOT '}conserved", f"unit {unit}\n{out}")

    def test_the_invariant_of_the_documentation(self):
        page = (SOURCE / "docs" / "model-file.md").read_text()
        model = next(block for block in page.split("```") if block.startswith("toml\n") and 'name = "Px"' in block)
        self.write(model.removeprefix("toml\n"))
        self.assertRegex(self.run_program("check", "m.toml").stdout, r"invariant Px +NOT conserved", "the hook pulls")

    def test_strong_and_weak_invariants_and_how_that_is_known(self):
        self.write(pendulum(energy='mass = [1, 1]\npotential = "y"',
                            invariants='E = "(p_x^2 + p_y^2)/2 + y"\nfixed = "(x - x + 3)*2"\n'
                                       'near = "(p_x^2 + p_y^2)/2 + (1 + 1e-9)*y"'))
        lines = [line.strip() for line in self.run_program("check", "m.toml").stdout.splitlines()]
        at = next(k for k, line in enumerate(lines) if line.startswith("invariant"))
        self.assertEqual(lines[at], "invariant E        conserved by the exact flow, weak (on the manifold only)")
        self.assertRegex(lines[at + 1], r"^tested at 20 random points in 100 digits: largest rate \d\.\de-10\d of its terms "
                                        r"on the manifold, \d\.\de-0\d off it$")
        self.assertEqual(lines[at + 2], "invariant fixed    conserved by the exact flow, strong (on the manifold and off it)")
        self.assertEqual(lines[at + 3], "proved: {I, H} = 0 and {I, g} = 0")
        self.assertEqual(lines[at + 4], "invariant near     NOT conserved by the exact flow")
        self.assertRegex(lines[at + 5], r"^tested at 20 random points in 100 digits: largest rate \d\.\de-(09|10) of its terms$")
        self.assertEqual(self.run_program("check", "m.toml").stdout, self.run_program("check", "m.toml").stdout)
        out = self.run_program("check", MODELS / "kepler.toml").stdout
        self.assertIn("invariant A2       conserved by the exact flow, strong\n                   proved: {I, H} = 0\n", out)

    def test_momentum_maps_that_nobody_named(self):
        lines = self.run_program("check", MODELS / "kepler.toml").stdout.splitlines()
        self.assertIn("  momentum maps    no others found", lines)
        self.assertNotIn("momentum", self.run_program("check", MODELS / "abc-flow.toml").stdout, "a field")
        text = (MODELS / "kepler.toml").read_text()
        self.write("\n".join(line for line in text.splitlines() if not line.startswith("L = ")))
        out = self.run_program("check", "m.toml").stdout
        self.assertIn("  momentum map J1  x*p_y - y*p_x\n                   found, conserved by the exact flow, strong\n"
                      "                   proved: {J, H} = 0\n", out)
        self.assertRegex(out, r"invariant A2 +conserved", "the others stay")

    def test_an_invariant_without_a_rate(self):
        self.write(pendulum(invariants='bad = "sqrt((x - 1)^2)"'))
        out = self.run_program("check", "m.toml").stdout
        self.assertRegex(out, r"invariant bad +NOT known: dI/dt is not finite")

    def test_reversals_of_vector_coordinates(self):
        text = """format = 1
[coordinates]
names = ["h"]
r = { count = 3, dim = 3 }
[energy]
mass = { r = 1, h = 1 }
potential = "h*r[2].y"
[[energy.sum]]
over = { i = "0..2" }
term = "r[i].z + r[i].y^2"
[constraints]
link = "(dot(r[1] - r[0], r[1] - r[0]) - 1)/2"
[reversal]
flip = FLIP
[initial]
q = { h = 0.1, r = ["i", "0.2*i^2 - 0.2*i", "0"] }
v.r = ["0", "0", "1"]
"""
        for flip, reversible in (('["p_r", "p_h"]', True), ('["p_r.x", "p_r.y", "p_r.z", "p_h"]', True), ('["p_h"]', True),
                                 ('["r.y", "p_r.x", "p_r.z", "h"]', True), ('["r.z"]', False), ('["r[1].x"]', False),
                                 ('["r[2].y", "h"]', True), ('["r[2].y"]', False), ('["p_r[2]"]', True)):
            self.write(text.replace("FLIP", flip))
            result = self.run_program("check", "m.toml")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual("the flow is reversible" in result.stdout, reversible, f"{flip}\n{result.stdout}")
        for flip, says in (('["p_rr"]', "flip takes coordinates and momenta, not 'p_rr'. Did you mean 'p_r'?"),
                           ('["p_r.w"]', "flip: 'p_r.w': 'r' has the components .x, .y and .z, not '.w'"),
                           ('["p_r[3].x"]', "'r' has the items 0 to 2 (all of them: 'r' or 'r.x')"),
                           ('["p_r[i].x"]', "the item in brackets must be a number"),
                           ('["p_h.x"]', "flip takes coordinates and momenta, not 'p_h.x'")):
            model = text.replace("FLIP", flip)
            self.write(model)
            result = self.run_program("check", "m.toml")
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"m.toml:{place_of(model, flip[1:-1])}: ", result.stderr)
            self.assertIn(says, result.stderr)

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

    def test_the_nearest_command_and_option(self):
        for arguments, says in ((("rnu", "m.toml"), "Did you mean 'run'?"), (("chekc", "m.toml"), "Did you mean 'check'?"),
                                (("zzz",), "The commands are: run, check, compare, certify, recommend, stability, modified, reproduce, view, methods."),
                                (("run", "m.toml", "--stp", "0.1"), "Did you mean '--step'?"),
                                (("run", "m.toml", "--stp=0.1"), "Did you mean '--step'?"),
                                (("certify", "m.toml", "--metod", "rattle"), "Did you mean '--method'?"),
                                (("--versoin",), "Did you mean '--version'?")):
            result = self.run_program(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(says, result.stderr)
        self.assertNotIn("Did you mean", self.run_program("run", "m.toml", "--xyzzy").stderr)

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
