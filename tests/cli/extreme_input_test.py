"""Input at the edge: constraints that hold nothing, values that are no numbers, sizes and depths that nobody expects."""

import json
import os
import re
import time
import unittest

from bad_input_test import BadInput
from support import MODELS, CliTest, pendulum


class Flat(BadInput):
    """A constraint without a gradient holds nothing, and must not pass for one that follows from others."""

    def both(self, text, *says, at=None):
        self.assertEqual(self.refused(text, *says, at=at), self.refused(text, command="check"), "check says the same as run")

    def test_comparisons(self):
        for formula, remedy in (("x^2 + y^2 == 1", "x^2 + y^2 - 1"), ("x == L - 1", "x - (L - 1)"), ("x*y == 0", "x*y")):
            self.both(pendulum(constraints=f'rod = "{formula}"'), "constraint 'rod' is a comparison, which is 1 or 0 and holds nothing",
                      f'write the formula that is zero along the motion, "{remedy}"', at=f'"{formula}"')
        for formula in ("x^2 + y^2 <= 1", "x > 0", "x != 2"):
            self.both(pendulum(constraints=f'rod = "{formula}"'), "constraint 'rod' is an inequality: constraints are equations", at=f'"{formula}"')
        self.both(pendulum(let='on = "x == 1"', constraints='rod = "on"'), "constraint 'rod' is a comparison")

    def test_an_equation_is_written_as_a_difference(self):
        self.refused(pendulum(constraints='rod = "x^2 + y^2 = 1"'), "an equation a = b is written as a - b, which is zero", at='= 1"')

    def test_steps_and_choices(self):
        for formula in ("floor(x)", "if(x > 0, 0, 1)", "2*(x > 5)"):
            self.both(pendulum(constraints=f'rod = "{formula}"'), "the gradient of constraint 'rod' is zero everywhere", at=f'"{formula}"')

    def test_stacks(self):
        chain = """format = 1
[coordinates]
r = { count = 3, dim = 2 }
[energy]
mass = { r = 1 }
potential = "0"
[[constraints.stack]]
name = "link"
over = { i = "0..1" }
zero = "%s"
[initial]
q.r = ["i", "0"]
[integrate]
step = 0.01
until = 1
"""
        self.both(chain % "norm(r[i+1] - r[i]) == 1", "constraint 'link' is a comparison", 'zero along the motion, "norm(r[i+1] - r[i]) - 1"', at='"norm')
        self.both(chain % "floor(r[i].x - r[i+1].x) + 1", "the gradient of constraint 'link' is zero everywhere", at='"floor')
        self.both(chain % "(norm(r[i+1] - r[i]) - 1)/1e400", "the gradient of constraint 'link[0]' is zero at the initial position and around it", at='"(norm')
        self.write(chain % "norm(r[i+1] - r[i]) - 1")
        self.assertEqual(self.run_program("run", "m.toml").returncode, 0)

    def test_gradients_that_underflow(self):
        for factor in ("1e-400", "1e-330", "1e-310", "1e-200"):
            self.both(pendulum(constraints=f'rod = "(x^2 + y^2 - 1)*{factor}"'), "the gradient of constraint 'rod' is ", "small for double precision",
                      at='"(x^2')
        self.both(pendulum(constraints='rod = "(x^2 + y^2 - 1)*1e200"'), "too large for double precision", at='"(x^2')

    def test_a_wider_precision_has_room_for_them(self):
        self.write(pendulum(constraints='rod = "(x^2 + y^2 - 1)*1e-400"'))
        r = self.run_json("m.toml", "--precision", "quad", "--steps", 100)
        self.assertLess(abs(float(r["q"]["x"]) ** 2 + float(r["q"]["y"]) ** 2 - 1), 1e-14)

    def test_a_gradient_that_vanishes_at_the_start_alone(self):
        """A dead centre is another matter, and is called so."""
        self.refused(pendulum(constraints='cross = "x*y"', initial="q = { x = 0, y = 0 }"), "the initial position is a singular one")

    def test_energies_without_curvature(self):
        quartic = pendulum(energy='hamiltonian = "p_x^4 + p_y^4 + y"')
        self.both(quartic, "H_pp, the second derivative of the hamiltonian by the momenta, vanishes along the gradient of constraint 'rod'",
                  "give a hamiltonian that is quadratic in the momenta there", at='"p_x^4')
        mixed = pendulum(energy='hamiltonian = "p_x^4 + p_y^2 + y"', constraints='a = "x + y - 1"\nb = "x - y - 1"')
        self.both(mixed, "vanishes along the gradients of the constraints 'a' and 'b'")
        redundant = pendulum(energy='hamiltonian = "(p_x^2 + p_y^2)/2 + y + 0.1*x*p_y^2"', constraints='a = "x^2 + y^2 - 1"\nb = "2*x^2 + 2*y^2 - 2"')
        self.write(redundant)
        result = self.run_program("run", "m.toml", "--steps", 10)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("redundant constraints, 2 of rank 1", result.stderr)


class Invariants(CliTest):
    model = pendulum(invariants='later = "log(y + 0.5)"', integrate="step = 0.01\nuntil = 3")

    def test_one_without_a_value_at_the_start(self):
        self.write(pendulum(invariants='bad = "sqrt(y - 1)"'))
        for command in ("run", "check", "certify"):
            result = self.run_program(command, "m.toml")
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, r"^holonom: m\.toml:\d+:\d+: at the initial values invariant 'bad' is not finite")

    def test_one_that_loses_its_value(self):
        self.write(self.model)
        result = self.run_program("run", "m.toml", "--json")
        self.assertEqual(result.returncode, 0)
        self.assertIsNone(json.loads(result.stdout)["invariants"]["later"]["max_error"])
        self.assertRegex(result.stderr, r"warning: m\.toml:\d+:\d+: invariant 'later' is not finite after step (\d+) \(t = ([\d.]+)\)")
        step = int(re.search(r"after step (\d+)", result.stderr)[1])
        early = self.run_program("run", "m.toml", "--json", "--steps", step - 1)
        self.assertEqual(early.stderr, "")
        self.assertLess(json.loads(early.stdout)["q"]["y"], -0.4)
        self.assertIn("largest error nan", self.run_program("run", "m.toml").stdout.replace("-nan", "nan"))

    def test_in_a_comparison(self):
        self.write(self.model)
        result = self.run_program("compare", "m.toml", "--methods", "rattle", "--step", "0.01")
        self.assertEqual(result.returncode, 0)
        self.assertIn("invariant 'later' is not finite at some states", result.stderr)

    def test_check_tries_it_around_the_start(self):
        self.write(pendulum(invariants='edge = "sqrt(y)*p_x"', initial="q = { x = 1, y = 0 }"))
        result = self.run_program("check", "m.toml")
        self.assertIn("NOT known: dI/dt is not finite at states near the start", result.stdout)


class Numbers(BadInput):
    def test_bare_numbers_beyond_double(self):
        """docs/model-file.md: at most 5000 digits, and exponents from -5000 to 5000, bare or in a formula."""
        for number in ("1e400", "-1e400", "+1.5E+400", "1e-400", "1_0.5e4_00", "123456789012345678901234567890", "0." + "3" * 3000, "9" * 4000):
            for text in (number, f'"{number.replace("_", "")}"'):
                self.write(pendulum(parameters=f"m = 1\ng = 1\nL = 1\nbig = {text}", let='ratio = "big/big"',
                                    energy='mass = ["m", "m"]\npotential = "m*g*y*ratio"'))
                result = self.run_program("run", "m.toml", "--steps", 3, "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertAlmostEqual(json.loads(result.stdout)["q"]["y"], -0.00045, delta=1e-6)

    def test_their_digits_are_kept(self):
        self.write(pendulum(parameters="m = 1\ng = 1e400\nL = 1", energy='mass = ["m", "m"]\npotential = "m*y*(g/1e400)"'))
        self.assertEqual(self.run_json("m.toml", "--steps", 3)["q"], self.run_json("m.toml", "--steps", 3, "--set", "g=1e400")["q"])

    def test_in_arrays_tables_and_keys(self):
        huge = "1" + "0" * 30
        self.write(pendulum(energy=f'mass = [{huge}, {huge}]\npotential = "y*{huge}"', initial=f"q = {{ x = 1, y = 0 }}\np = {{ x = 0, y = {huge} }} # 1e999"))
        r = self.run_json("m.toml", "--steps", 1)
        self.assertAlmostEqual(r["p"]["y"] / 1e30, 1, delta=0.02)
        self.refused(pendulum(units=f'{huge} = "m"'), f"[units] names '{huge}'", at=huge)
        self.refused(pendulum() + f"[{huge}]\n", f"unknown key '{huge}'")
        self.refused(pendulum(integrate=f"step = 0.1\nuntil = 1\nevery = {huge}"), "every must be a whole number", at=huge)
        self.refused(pendulum(head="format = 1e999\n"), "this version reads format = 1", at="1e999")

    def test_those_that_are_still_too_large(self):
        self.refused(pendulum(parameters="m = 1e5001\ng = 1\nL = 1"), "the number 1e5001 is out of range", "exponents from -5000 to 5000", at="1e5001")
        message = self.refused(pendulum(parameters="m = 1\ng = 1\nL = " + "7" * 6000), "is out of range: at most 5000 digits")
        self.assertLess(len(message), 600)

    def test_numbers_that_toml_does_not_know_stay_mistakes(self):
        for number in ("01e400", "1__0e400", "1e400_", ".5e400", "1.e400", "1e", "--1e400"):
            self.refused(pendulum(parameters=f"m = {number}\ng = 1\nL = 1"), "m.toml:3:")


class Tables(BadInput):
    sums = """format = 1
[coordinates]
r = { count = 2, dim = 2 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { file = "rows.csv" }
term = "w*r[i].y"
[initial]
q.r = ["i + 1", "0"]
[integrate]
step = 0.01
until = 0.1
"""

    def rows(self, text, *says):
        self.write(text, "rows.csv")
        return self.refused(self.sums, *says)

    def test_cells_that_are_hardly_numbers(self):
        self.write(self.sums)
        for cell in ("1e-320", "1e-4000", "0.0e0", "1_0"):
            self.write(f"i,w\n0,1\n1,{cell}\n", "rows.csv")
            self.assertEqual(self.run_program("run", "m.toml").returncode, 0, cell)
        self.rows("i,w\n1e-320,1\n", "asks for r[")
        self.rows("i,w\n0,1e400\n", "is not finite")

    def test_places(self):
        for text, place, says in (("i,w\n0,1\n1, heavy\n", "3:4", "'heavy' in column 'w' is not a number"),
                                  ("i,w\n0,1\n\n# a remark\n1\n", "5:1", "this row has 1 cells, the header has 2"),
                                  ("i,w\n0,1,2\n", "2:5", "this row has 3 cells, the header has 2"),
                                  ("i,w\n0,\n", "2:3", "'' in column 'w' is not a number"),
                                  ("i,w w\n0,1\n", "1:3", "'w w' is not a name for a column"),
                                  ("i,é,w w\n0,1,1\n", "1:3", "'é' is not a name for a column"),
                                  ("i, w, w\n0,1,1\n", "1:7", "there are two columns 'w'"),
                                  ("i,w\n0,1e9999\n", "2:3", "'1e9999' in column 'w' is out of range"),
                                  ("", "1:1", "the file is empty; its first line must name the columns"),
                                  ("# nothing\n", "1:1", "the file is empty"),
                                  ("# nothing\ni,w\n", "2:1", "the file names its columns, and has no rows")):
            self.assertTrue(self.rows(text, says).startswith(f"holonom: rows.csv:{place}: "), self.rows(text))

    def test_files_that_cannot_be_read(self):
        self.refused(self.sums, "rows.csv: the file cannot be read", at='"rows.csv"')
        (self.folder / "rows.csv").mkdir()
        self.refused(self.sums, "rows.csv: the file cannot be read", at='"rows.csv"')
        self.refused(self.sums.replace('"rows.csv"', '""'), "file must be a name in quotes", at='""')

    def test_a_byte_order_mark(self):
        self.write(self.sums)
        self.write(b"\xef\xbb\xbfi,w\r\n0,1\r\n1,2\r\n", "rows.csv")
        self.assertEqual(self.run_program("run", "m.toml").returncode, 0)

    def test_masses_of_items_are_constants(self):
        self.write("i,w\n0,1\n", "rows.csv")
        for formula in ("r[i].x", "r[0].x", "p_r[i].y"):
            self.refused(self.sums.replace("mass = { r = 1 }", f'mass = {{ r = "{formula}" }}'),
                         "the mass of 'r' must be a formula of parameters and i, the number of the item", at=f'"{formula}"')

    def test_a_term_may_use_many_items(self):
        terms = " + ".join(f"r[{k}].y^2" for k in range(40))
        self.write("i,w\n0,1\n", "rows.csv")
        self.write(self.sums.replace("count = 2", "count = 40").replace('"w*r[i].y"', f'"w*({terms}) + 0*i"'))
        self.assertEqual(self.run_json("m.toml")["status"], "done")


class Sizes(BadInput):
    def test_keys_of_many_parts(self):
        for count in (100, 300000):
            for text in ("[let" + ".a" * count + "]\n", "[[let" + ".a" * count + "]]\n", "[let]\na" + ".a" * count + " = 1\n",
                         "[let]\nb = { a" + ".a" * count + " = 1 }\n", '[let]\n"a"' + ' . "b"' * count + " = 1\n"):
                begin = time.monotonic()
                message = self.refused(pendulum() + text, "m.toml:", "a key has more than 64 parts")
                self.assertLess(len(message), 300)
                self.assertLess(time.monotonic() - begin, 10)

    def test_deep_values(self):
        for text in ("a = " + "[" * 100000 + "]" * 100000, "a = " + "{ b = " * 100000 + "1" + " }" * 100000):
            self.refused(pendulum() + "[let]\n" + text + "\n", "m.toml:")

    def test_long_texts_are_not_echoed(self):
        long = "z" * 1000000
        for text in (pendulum(energy=f'mass = [1, 1]\npotential = "{long}"'), pendulum(parameters=f"{long} = x"), pendulum(let=f'{long} = "q"'),
                     pendulum(constraints=f'{long} = "x == 1"'), pendulum(integrate=f'method = "{long}"\nstep = 1\nuntil = 1'),
                     pendulum(wrong=f"a = '{long}'"), pendulum(initial=f"q = {{ x = 1, y = 0, {long} = 3 }}"),
                     pendulum(energy='mass = [1, 1]\npotential = "' + "x + " * 250000 + '"')):
            begin = time.monotonic()
            message = self.refused(text, "m.toml:")
            self.assertLess(len(message), 3200)
            self.assertLess(time.monotonic() - begin, 10)
        self.write(pendulum())
        for arguments in (("--step", "z" * 100000), ("--set", "z" * 100000 + "=1"), ("--method", "z" * 100000), ("--" + "z" * 100000,),
                          ("--event", "y + " * 30000)):
            result = self.run_program("run", "m.toml", *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertLess(len(result.stderr), 3200, arguments[0])

    def test_control_characters_are_spelt(self):
        result = self.run_program("run", "\x1b[2Jm.toml")
        self.assertEqual(result.stderr, "holonom: \\x1B[2Jm.toml: the file cannot be read\n")

    def test_devices_without_an_end(self):
        result = self.run_program("check", "/dev/zero")
        self.assertEqual(result.returncode, 2)
        self.assertIn("more than 256 MB", result.stderr)

    @unittest.skipIf(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") > 1e11, "there is room for them")
    def test_more_coordinates_than_memory_has_room_for(self):
        chain = (MODELS / "hanging-chain.toml").read_text()
        self.refused(chain.replace("N = 100", "N = 9e8"), "1800000000 coordinates do not fit into memory: a run of them takes more than 115.2 GB, and there are",
                     at='"N", dim')
        result = self.run_program("check", MODELS / "hanging-chain.toml", "--set", "N=9e8", timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("do not fit into memory", result.stderr)

    def many(self, n, energy=None):
        names = [f"x{i}" for i in range(n)]
        mass = energy or "mass = [" + ", ".join("1" for _ in names) + ']\npotential = "x0"'
        return pendulum(parameters=None, coordinates="names = [" + ", ".join(f'"{x}"' for x in names) + "]", energy=mass,
                        constraints="\n".join(f'c{i} = "x{i}^2 + x{i + 1}^2 - 1"' for i in range(1, n - 1, 3)),
                        invariants="\n".join(f'i{i} = "p_x{i}"' for i in range(0, n, 3)),
                        reversal="flip = [" + ", ".join(f'"p_{x}"' for x in names) + "]",
                        units="\n".join(f'{x} = "m"' for x in names),
                        initial="q = { " + ", ".join(f"{x} = {int(i % 3 == 1)}" for i, x in enumerate(names)) + " }")

    def test_many_coordinates_take_time_in_proportion(self):
        """Every table of the file grows with the number of coordinates here; with squares, factor 8 were 64."""
        def seconds(text):
            self.write(text)
            begin = os.times()
            result = self.run_program("check", "m.toml", timeout=240)
            end = os.times()
            self.assertEqual(result.returncode, 0, result.stderr)
            return end.children_user + end.children_system - begin.children_user - begin.children_system

        for energy in (lambda n: None, lambda n: 'kinetic = "' + " + ".join(f"v_x{i}^2/2" for i in range(n)) + '"\npotential = "x0"'):
            small, large = seconds(self.many(1000, energy(1000))), seconds(self.many(8000, energy(8000)))
            self.assertLess(large, 24 * max(small, 0.05))


if __name__ == "__main__":
    unittest.main()
