"""Bad input: every mistake gets exit code 2, a place, what is wrong, and what to do."""

import time
import unittest

from support import PENDULUM, CliTest, pendulum, place_of


class BadInput(CliTest):
    def refused(self, text, *says, at=None, arguments=(), command="run"):
        """`at`: the fragment of the model to which the message must point."""
        self.write(text)
        result = self.run_program(command, "m.toml", *arguments)
        label = result.stderr or "(no message)"
        self.assertEqual(result.returncode, 2, label)
        self.assertEqual(result.stdout, "" if command == "run" else result.stdout)
        self.assertTrue(result.stderr.startswith("holonom: "), label)
        self.assertNotIn("internal error", label)
        if at is not None:
            self.assertTrue(result.stderr.startswith(f"holonom: m.toml:{place_of(text, at)}: "), f"not at {place_of(text, at)}: {label}")
        for part in says:
            self.assertIn(part, label)
        return result.stderr


class Formulas(BadInput):
    def potential(self, formula, *says, at=None):
        self.refused(pendulum(energy=f'mass = ["m", "m"]\npotential = "{formula}"'), "in the potential: ", *says, at=at)

    def test_unknown_names(self):
        self.potential("m*g*yy", "unknown name 'yy'. Did you mean 'y'?", at="yy")
        self.potential("m*G*y", "unknown name 'G'. Did you mean 'g'?", at="G*y")
        self.potential("m*g*height", "unknown name 'height'. Known names: pi, L, g, m, p_x, p_y, v_x, v_y, x, y.", at="height")
        self.potential("sine(x)", "unknown function 'sine'. Did you mean 'sin'?", at="sine")
        self.potential("t*x", "'t' is reserved", at="t*x")

    def test_wrong_arity(self):
        self.potential("x + sin(x, y)", "sin takes 1 argument, 2 were given", at="sin(")
        self.potential("atan2(x)", "atan2 takes 2 arguments, 1 was given", at="atan2")
        self.potential("if(x < y, x)", "if takes 3 arguments, 2 were given", at="if(")

    def test_brackets(self):
        self.potential("m*(g*y", "this '(' is never closed", at="(g*y")
        self.potential("m*g*y)", "')' without a matching opening bracket", at=')"')
        self.potential("m*[g, y", "this '[' is never closed", at="[g, y")

    def test_brackets_in_strings_of_several_lines(self):
        text = pendulum(energy='mass = ["m", "m"]\npotential = """\n  m*g*y\n  + (x*y\n"""')
        self.refused(text, "this '(' is never closed", at="(x*y")
        self.refused(text.replace("\n", "\r\n"), "this '(' is never closed", at="(x*y")
        text = pendulum(energy="mass = ['m', 'm']\npotential = '''m*g*y\n\n  + x)'''")
        self.refused(text, "')' without a matching opening bracket", at=")'''")
        text = pendulum(energy='mass = ["m", "m"]\npotential = """m*g*y \\\n      + wrong"""')
        self.refused(text, "unknown name 'wrong'", at="wrong")

    def test_symbols(self):
        self.potential("m·g·y", "an operator was expected before '·' (write *)")
        self.potential("m*g*y − x", "an operator was expected before '−' (write -)", at="−")
        self.potential("y**2", "a power is written with ^", at="*2")
        self.potential("2 x", "an operator was expected before 'x'", at='x"\n[constraints]')
        self.potential("2x", "an operator was expected after 2", at='x"\n[constraints]')
        self.potential("x = y", "a comparison is written with ==", at="= y")

    def test_numbers_out_of_range(self):
        self.potential("1e99999*y", "this number is out of range", at="1e99999")
        self.refused(pendulum(parameters='m = "1e99999"\ng = 1\nL = 1'), "out of range", at="1e99999")
        self.refused(pendulum(parameters="m = 1e99999\ng = 1\nL = 1"), "m.toml:3:", "1e99999")
        self.refused(pendulum(parameters='m = 1\ng = "1e400"\nL = 1', initial='q = { x = 0, y = 1 }'),
                     "the potential is not finite", at="{ x = 0")

    def test_empty_and_missing_values(self):
        self.potential("", "the formula is empty", at='"\n[constraints]')
        self.potential("m*", "the formula ends where a value was expected")

    def test_formulas_without_quotes(self):
        for tables, at, formula in (
                ({"parameters": "m = 1\ng = 1\nL = 1\nth = 20*pi/180"}, "20*pi/180", "20*pi/180"),
                ({"parameters": "m = 1\ng = 1\nL = 2 # m*g\nth = 1/2 # half"}, "1/2 # half", "1/2"),
                ({"parameters": "m = 1\ng = 1\nL = 1\nth = -pi"}, "-pi", "-pi"),
                ({"parameters": "m = 1\ng = 1\nL = 1\nth = 1 + 2"}, "1 + 2", "1 + 2"),
                ({"parameters": "m = 1\ng = 1\nL = 1\nth = sqrt(2)"}, "sqrt(2)", "sqrt(2)"),
                ({"parameters": "m = 1\ng = 1\nL = 1\nth = atan2(m, g)"}, "atan2(m, g)", "atan2(m, g)"),
                ({"energy": 'mass = ["m", "m"]\npotential = y'}, "y\n[constraints]", "y"),
                ({"energy": 'mass = ["m", 2*m]\npotential = "y"'}, "2*m", "2*m"),
                ({"energy": 'mass = [\n  "m",\n  m,\n]\npotential = "y"'}, "m,\n]", "m"),
                ({"initial": 'q = { x = 1, y = 0*L }'}, "0*L", "0*L"),
                ({"initial": 'q = { x = "1", y = L }'}, "L }", "L"),
                ({"integrate": "step = T/25\nuntil = 1"}, "T/25", "T/25"),
                ({"constraints": "rod = x^2 + y^2 - L^2"}, "x^2 +", "x^2 + y^2 - L^2")):
            self.refused(pendulum(**tables), f'put formulas in quotes: "{formula}"', at=at)
        self.assertNotIn("quotes", self.refused(pendulum(parameters="m = 1\ng = 1\nL = .5")))
        self.assertNotIn("quotes", self.refused(pendulum(parameters="m = 1\ng = 1\nL 5 = 3")))
        self.assertNotIn("quotes", self.refused(pendulum(parameters="m = 1\ng = 1\nL = 1, 5")))

    def test_time_forces_and_damping(self):
        self.potential("m*g*y*cos(t)", "'t' is reserved", "clock coordinate", "docs/time-dependent.md", at="t)")
        self.refused(pendulum(forces='x = "1"'), "unknown key 'forces' in the model file", 'potential = "-F*x"', "docs/time-dependent.md",
                     at="forces]")
        for word in ("damping", "friction"):
            self.refused(pendulum(**{word: "x = 1"}), f"unknown key '{word}' in the model file", "not possible", at=f"{word}]")
        self.refused(pendulum(energy='mass = [1, 1]\npotential = "0"\ndamping = 0.1'), "unknown key 'damping' in [energy]", "not possible",
                     at="damping = ")
        self.refused(pendulum(energy='mass = [1, 1]\npotential = "0"\ntorque = "1"'), "A force is given by its potential", at="torque = ")

    def test_deep_nesting(self):
        self.potential("(" * 50000 + "y" + ")" * 50000, "the formula is nested too deeply")

    def test_a_formula_of_100000_terms(self):
        terms = " + ".join(f"{k}e-12*x^2" for k in range(100000))
        self.write(pendulum(energy=f'mass = ["m", "m"]\npotential = "{terms}"'))
        begin = time.monotonic()
        result = self.run_program("run", "m.toml", "--steps", 1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLess(time.monotonic() - begin, 60)
        self.potential(terms + " + wrong", "unknown name 'wrong'", at="wrong")


class Start(BadInput):
    def test_division_by_zero(self):
        self.refused(pendulum(energy='mass = ["m", "m"]\npotential = "1/y"'),
                     "at the initial values the potential is not finite (a division by zero, or a function outside its domain)",
                     at="{ x = 1")
        self.refused(pendulum(energy='mass = ["m", "m"]\npotential = "sqrt(y)"'), "the gradient of the potential is not finite")
        self.refused(pendulum(energy='hamiltonian = "(p_x^2 + p_y^2)/2 + log(y)"'), "is not finite")
        self.refused(pendulum(constraints='rod = "1/y - L"'), "at the initial values constraint 'rod' is not finite")
        self.refused(pendulum(constraints='rod = "sqrt(y) - 0*x"'), "the gradient of constraint 'rod' is not finite")
        self.refused(pendulum(parameters='m = 1\ng = "1/0"\nL = 1', initial='q = { x = 0, y = 1 }'), "the potential is not finite")
        self.refused(pendulum(energy='kinetic = "v_x^2/y + v_y^2"\npotential = "y"'), "the mass matrix is not finite")

    def test_nan(self):
        self.refused(pendulum(initial="q = { x = nan, y = 0 }"), "a finite number was expected, not nan", at="nan")
        self.refused(pendulum(initial="q = { x = -inf, y = 0 }"), "a finite number was expected, not -inf", at="-inf")
        self.refused(pendulum(initial='q = { x = "sqrt(-1)", y = 0 }'), "the initial value of 'x' is not finite", at='"sqrt')
        self.refused(pendulum(initial='q = { x = 1, y = 0 }\np = { y = "0/0" }'), "the initial momentum of 'y' is not finite", at='"0/0')
        self.refused(pendulum(initial='q = { x = 1, y = 0 }\nv = { y = "1/0" }'), "the initial velocity of 'y' is not finite", at='"1/0')
        self.refused(pendulum(energy='kinetic = "v_x^2 + v_y^2"\npotential = "y"', initial='q = { x = "0/0", y = 0 }'),
                     "the initial value of 'x' is not finite")

    def test_inconsistent_positions(self):
        message = self.refused(pendulum(initial="q = { x = 1.1, y = 0 }"), "the initial position does not satisfy g(q) = 0",
                               "'rod' (0.21)", "project = true", at="{ x = 1.1")
        self.assertIn("Correct the initial values", message)

    def test_inconsistent_positions_far_from_the_origin(self):
        """Where rounding errors of a coordinate are 1e-10, a rod that is a tenth too long is none of them."""
        far = pendulum(constraints='rod = "((x - 1e6)^2 + (y + 1e6)^2 - L^2)/2"', initial="q = { x = 1000001.1, y = -1000000 }")
        self.refused(far, "the initial position does not satisfy g(q) = 0", "'rod' (0.105)")

    def test_inconsistent_motions(self):
        for kind in "pv":
            self.refused(pendulum(initial=f"q = {{ x = 1, y = 0 }}\n{kind} = {{ x = 0.25, y = 2 }}"), "not tangent to the constraints",
                         "'rod' (0.5)", "project = true", at="{ x = 0.25")

    def test_only_the_violated_constraints_are_named(self):
        message = self.refused(pendulum(constraints='good = "y"\nbad = "x - 3"'), "'bad' (-2)")
        self.assertNotIn("'good'", message)

    def test_contradictions(self):
        for project in ("", "\nproject = true"):
            start = "q = { x = 1, y = 0 }" + project
            self.refused(pendulum(constraints='here = "x - 1"\nthere = "x - 2"', initial=start),
                         "the constraints 'here' and 'there' contradict each other", "Remove or correct one of them", at='"x - 2')
            self.refused(pendulum(constraints='short = "sqrt(x^2 + y^2) - 1"\nlong = "sqrt(x^2 + y^2) - 2"', initial=start),
                         "the constraints 'short' and 'long' contradict each other", at='"sqrt(x^2 + y^2) - 2')

    def test_nowhere_to_go(self):
        self.refused(pendulum(constraints='rod = "x^2 + y^2 + 1"', initial="q = { x = 1, y = 2 }\nproject = true"),
                     "'rod' (6)", "no position nearby was found")

    def test_one_sided(self):
        inside = pendulum(constraints='rod = "max(x^2 + y^2 - 1, 0)"', initial="q = { x = 1, y = 0 }\nv = { x = -1 }")
        self.refused(inside, "the gradient of constraint 'rod' is zero", "holds on one side only", at='"max(x^2')

    def test_singular_positions(self):
        folded = pendulum(parameters="L = 1", coordinates='names = ["a", "b", "s"]', energy='mass = [1, 1, 1]\npotential = "0"',
                          constraints='pin_x = "cos(a) + cos(b) - s"\npin_y = "sin(a) + sin(b)"',
                          initial='q = { a = "pi/2", b = "-pi/2", s = 0 }')
        self.refused(folded, "the initial position is a singular one", "the gradient of constraint 'pin_y' vanishes",
                     "Start from another position", at='{ a = "pi/2')
        self.write(folded)
        result = self.run_program("check", "m.toml")
        self.assertEqual(result.returncode, 2)
        self.assertIn("the start is a singular position", result.stdout)
        flat = pendulum(coordinates='names = ["x1", "y1", "x2", "y2"]', energy='mass = [1, 1, 1, 1]\npotential = "0"',
                        constraints='left = "x1^2 + y1^2 - 1"\ntop = "(x2 - x1)^2 + (y2 - y1)^2 - 4"\nright = "(x2 - 2)^2 + y2^2 - 1"',
                        initial="q = { x1 = 1, y1 = 0, x2 = 3, y2 = 0 }")
        self.refused(flat, "the constraints 'left', 'top' and 'right' are dependent", at="{ x1 = 1")


class Energies(BadInput):
    def energy(self, body, *says, at=None):
        self.refused(pendulum(energy=body), *says, at=at)

    def test_masses(self):
        V = '\npotential = "y"'
        self.energy("mass = [0, 1]" + V, "the mass of coordinate 'x' is 0; a mass must be a positive number", at="0, 1]")
        self.energy('mass = ["m", "-m"]' + V, "the mass of coordinate 'y' is -1; a mass must be a positive number", at='"-m"')
        self.energy('mass = ["m", "1/0"]' + V, "the mass of coordinate 'y' is inf", at='"1/0"')
        self.energy('mass = ["m", "0/0"]' + V, "the mass of coordinate 'y' is not a number", at='"0/0"')
        self.refused(pendulum(), "the mass of coordinate 'x' is 0", arguments=("--set", "m=0"))
        self.energy('mass = ["x", 1]' + V, "the mass of 'x' must not depend on coordinates", at='"x", 1')
        self.energy("mass = [1]" + V, "mass needs one number for each of the 2 coordinates, or a matrix of 2 rows", at="[1]")
        self.energy("mass = 1" + V, "mass needs one number for each of the 2 coordinates", at="1\npotential")

    def test_mass_matrices(self):
        V = '\npotential = "y"'
        self.energy("mass = [[1, 0.1], [0.2, 1]]" + V, "the mass matrix is not symmetric: entries (1, 2) and (2, 1) differ", at="[[1")
        self.energy("mass = [[1, 2], [2, 1]]" + V, "the mass matrix is not positive definite", "positive kinetic energy", at="[[1")
        self.energy("mass = [[1, 2], [2]]" + V, "this row of the mass matrix needs 2 entries", at="[2]")
        self.energy('kinetic = "y*v_x^2 + v_y^2"' + V, "the mass matrix is not positive definite")

    def test_kinetic_energies(self):
        V = '\npotential = "y"'
        for T in ("v_x^2 + v_y^4", "v_x^2 + v_y^2 + v_x", "v_x^2 + v_y^2 + 1", "sqrt(1 + v_x^2) + v_y^2", "abs(v_x) + v_y^2"):
            self.energy(f'kinetic = "{T}"' + V, "the kinetic energy is not quadratic in the velocities", "give the hamiltonian instead", at=f'"{T}"')
        self.energy('kinetic = "v_x^2"' + V, "gives coordinate 'y' the mass 0; it needs a positive term in v_y^2", at='"v_x^2"')
        self.energy('kinetic = "p_x^2 + v_y^2"' + V, "the kinetic energy uses p_x: write it with velocities v_<name>", at='"p_x^2')

    def test_hamiltonians_and_potentials(self):
        self.energy('hamiltonian = "p_x^2 + p_y^2 + v_x"', "the hamiltonian uses v_x: write it with momenta p_<name>", at='"p_x^2')
        self.energy('hamiltonian = "p_x^2 + y"', "gives coordinate 'y' the inverse mass 0; it needs a positive term in p_y^2", at='"p_x^2')
        self.energy('mass = [1, 1]\npotential = "p_x*y"', "the potential uses p_x: ", "of the coordinates alone", at='"p_x*y')
        self.energy('mass = [1, 1]\npotential = "v_x*y"', "the potential uses v_x", at='"v_x*y')
        self.energy('mass = [1, 1]\npotential = "[x, y]"', "the potential must be a number, not a vector", at='"[x, y]')

    def test_exactly_one_form(self):
        forms = "[energy] needs exactly one of: hamiltonian; kinetic and potential; mass and potential"
        self.energy('kinetic = "v_x^2 + v_y^2"\nmass = [1, 1]\npotential = "0"', forms, at="[energy]")
        self.energy('potential = "0"', forms, at="[energy]")
        self.energy("mass = [1, 1]", 'the potential is missing (write potential = "0" for free motion)', at="[energy]")
        self.energy('hamiltonian = "p_x^2 + p_y^2"\npotential = "x"', "the hamiltonian contains the potential already", at='"x"\n')
        self.energy('mass = [1, 1]\npotential = { slow = "x" }', 'a split potential is { slow = "...", fast = "..." }', at="{ slow")


class Constraints(BadInput):
    def test_what_they_may_use(self):
        for formula in ("x*p_x", "x*v_x"):
            self.refused(pendulum(constraints=f'rod = "{formula}"'), f"constraint 'rod' uses {formula[2:]}: ", "of the coordinates alone",
                         at=f'"{formula}"')
        for formula in ("L - 1", "x - x", "0*x"):
            self.refused(pendulum(constraints=f'rod = "{formula}"'), "constraint 'rod' does not depend on any coordinate", at=f'"{formula}"')
        self.refused(pendulum(constraints='rod = "[x, y]"'), "constraint 'rod' must be a number, not a vector", at='"[x, y]"')
        self.refused(pendulum(constraints="rod = true"), "constraint 'rod' must be a number or a formula in quotes", at="true")

    def test_names(self):
        self.refused(pendulum(constraints='"my rod" = "x - 1"'), "'my rod' is not a name: use letters, digits and underscores", at='"my rod"')
        self.refused(pendulum(constraints='rod = "x - 1"\nrod = "y"'), "m.toml:13:", "rod")

    def test_invariants_are_written_with_momenta(self):
        self.refused(pendulum(invariants='Lz = "x*v_y"'), "invariant 'Lz' uses v_y: write it with momenta p_<name>", at='"x*v_y"')


class Tables(BadInput):
    def test_unknown_keys_at_every_level(self):
        def known(*keys):
            return "Known keys: " + ", ".join(keys)
        self.refused("format = 1\nwrong = 3\n" + pendulum(head=""), "unknown key 'wrong' in the model file.", "Known keys: format, name", at="wrong")
        self.refused(pendulum(constraint='a = "x"'), "unknown key 'constraint' in the model file. Did you mean 'constraints'?", at="constraint]")
        self.refused(pendulum(coordinates='names = ["x", "y"]\nwrong = 3'), "m.toml:8:", "wrong")
        for table, keys in (("energy", ("hamiltonian", "kinetic", "mass", "potential")),
                            ("initial", ("q", "p", "v", "project")), ("integrate", ("method", "step", "until", "every"))):
            message = self.refused(pendulum(**{table: PENDULUM[table] + "\nwrong = 3"}), f"unknown key 'wrong' in [{table}].", at="wrong")
            for key in keys:
                self.assertIn(key, message)
        self.refused(pendulum(reversal='flip = ["p_x"]\nwrong = 3'), "unknown key 'wrong' in [reversal]. " + known("flip"), at="wrong")
        self.refused(pendulum(initial="q = { x = 1, y = 0, wrong = 3 }"), "unknown key 'wrong' in initial.q. " + known("x", "y"), at="wrong")
        self.refused(pendulum(initial="q = { x = 1, y = 0 }\np = { wrong = 3 }"), "unknown key 'wrong' in initial.p. " + known("x", "y"), at="wrong")
        self.refused(pendulum(energy='mass = [1, 1]\npotential = { slow = "x", fast = "y", wrong = "0" }'),
                     "unknown key 'wrong' in energy.potential. " + known("slow", "fast"), at="wrong")
        self.refused(pendulum(integrate="step = 0.1\nuntill = 3"), "unknown key 'untill' in [integrate]. Did you mean 'until'?", at="untill")

    def test_missing_tables(self):
        for table in ("coordinates", "energy", "initial"):
            self.refused(pendulum(**{table: None}), "m.toml: ", f"[{table}]")
        self.refused(pendulum(integrate=None), "no step size: give --step, or step in [integrate] of the model")
        self.refused(pendulum(integrate="step = 0.1"), "no end of the run: give --until or --steps, or until in [integrate] of the model")
        self.refused(pendulum(initial="p = { x = 1 }"), "[initial] needs q", at="[initial]")
        self.refused(pendulum(initial="q = { x = 1 }"), "initial.q has no value for the coordinate 'y'", at="{ x = 1")
        self.refused(pendulum(initial="q = { x = 1, y = 0 }\np = { x = 0 }\nv = { y = 0 }"),
                     "[initial] takes momenta p or velocities v, not both", at="[initial]")
        self.refused(pendulum(head=""), "the file must begin with format = 1")
        self.refused(pendulum(head="format = 2\n"), "this version reads format = 1", at="2\n[")

    def test_wrong_types(self):
        for table, body, at, says in (
                ("parameters", "m = [1, 2]", "[1, 2]", "parameter 'm' must be a number or a formula in quotes"),
                ("parameters", "m = true", "true", "parameter 'm' must be a number or a formula in quotes"),
                ("coordinates", 'names = "x"', '"x"', 'needs names = ["x", "y", ...]'),
                ("coordinates", "names = []", "[]", 'needs names = ["x", "y", ...]'),
                ("coordinates", "names = [1, 2]", "1, 2]", "a coordinate name must be a string"),
                ("energy", 'mass = [1, 1]\npotential = true', "true", "the potential must be a number or a formula in quotes"),
                ("energy", "hamiltonian = [1]", "[1]", "the hamiltonian must be a number or a formula in quotes"),
                ("initial", "q = 3", "3", "'q' must be a table"),
                ("initial", "q = { x = true, y = 0 }", "true", "initial.q.x must be a number or a formula in quotes"),
                ("initial", 'q = { x = "y", y = 0 }', '"y"', "initial.q.x must not depend on coordinates"),
                ("initial", "q = { x = 1, y = 0 }\np = 3", "3", "'p' must be a table"),
                ("initial", 'q = { x = 1, y = 0 }\nproject = "yes"', '"yes"', "project must be true, false, or { keep = "),
                ("integrate", "method = 3", "3", "method must be a string"),
                ("integrate", "step = [1]", "[1]", "step must be a number or a formula in quotes"),
                ("integrate", 'step = "x"', '"x"', "step must not depend on coordinates"),
                ("integrate", "step = 1\nuntil = true", "true", "until must be a number or a formula in quotes"),
                ("integrate", "step = 1\nevery = 0", "0", "every must be a whole number of steps, at least 1"),
                ("integrate", "step = 1\nevery = 2.5", "2.5", "every must be a whole number of steps, at least 1"),
                ("reversal", 'flip = "p_x"', '"p_x"', '[reversal] needs flip = ["p_x", ...]'),
                ("reversal", 'flip = ["p_z"]', '"p_z"', "flip takes coordinates and momenta, not 'p_z'. Did you mean"),
                ("units", "L = 3", "3", "a unit is text in quotes")):
            with self.subTest(f"{table}: {body}"):
                text = pendulum(**{table: body})
                begin = text.index(body)
                place = place_of(text[: begin + len(body)].replace(at, "\0" * len(at), text[:begin].count(at)), at)
                self.refused(text, f"m.toml:{place}: ", says)

    def test_a_name_must_be_text(self):
        self.refused(pendulum(head="format = 1\nname = 3\n"), "the name must be a string", at="3\n")

    def test_tables_that_are_none(self):
        self.refused("format = 1\nenergy = 3\n[coordinates]\nnames = ['x']\n[initial]\nq = { x = 1 }\n", "'energy' must be a table", at="3\n")

    def test_names_used_twice(self):
        self.refused(pendulum(coordinates='names = ["x", "x"]'), "the name 'x' is used twice", at='"x"]')
        self.refused(pendulum(coordinates='names = ["x", "m"]'), "the name 'm' is used twice", at='"m"]\n[energy]')
        self.refused(pendulum(let='m = "x"'), "the name 'm' is used twice", at='m = "x"')
        self.refused(pendulum(let='p_x = "x"'), "the name 'p_x' is used twice", at="p_x =")
        self.refused(pendulum(parameters="m = 1\nm = 2"), "m.toml:4:", "m")
        self.refused(pendulum() + "[energy]\n", "m.toml:19:", "energy")

    def test_reserved_names(self):
        self.refused(pendulum(parameters="pi = 3"), "the name 'pi' is reserved", at="pi")
        self.refused(pendulum(parameters="t = 3"), "the name 't' is reserved", at="t = 3")
        self.refused(pendulum(parameters="sin = 3"), "'sin' is the name of a function", at="sin")
        self.refused(pendulum(coordinates='names = ["x", "t"]'), "the name 't' is reserved", at='"t"')
        self.refused(pendulum(coordinates='names = ["x", "exp"]'), "'exp' is the name of a function", at='"exp"')
        self.refused(pendulum(let='pi = "x"'), "the name 'pi' is reserved", at="pi =")
        self.refused(pendulum(coordinates='names = ["x", "2y"]'), "'2y' is not a name: use letters, digits and underscores", at='"2y"')
        self.refused(pendulum(constraints='stack = "x - 1"'), "m.toml:12:", "stack")

    def test_parameters_use_earlier_ones(self):
        self.refused(pendulum(parameters='a = "b"\nb = 2'), "in parameter 'a': unknown name 'b'", at='b"\n')

    def test_units_of_unknown_things(self):
        self.refused(pendulum(units='wrong = "m"'), "[units] names 'wrong', which the model does not have. Names: ", at="wrong")
        self.refused(pendulum(units='LL = "m"'), "[units] names 'LL', which the model does not have. Did you mean 'L'?", at="LL")


class Files(BadInput):
    def test_empty(self):
        for text in ("", "\n\n", "# nothing\n"):
            self.refused(text, "m.toml:1:1: the file must begin with format = 1")

    def test_garbage(self):
        self.refused(bytes(range(256)) * 10, "m.toml:1:1: ")
        self.refused(b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "m.toml:1:")
        self.refused(b"\xff\xfe" + "format = 1\n".encode("utf-16-le"), "m.toml:1:1: ")

    def test_not_utf_8(self):
        self.refused('format = 1\nname = "péndule"\n'.encode("latin-1"), "m.toml:2:9: ", "utf-8")

    def test_truncated(self):
        text = pendulum()
        for end in range(1, len(text) - 1, 7):
            self.write(text[:end])
            result = self.run_program("check", "m.toml")
            self.assertIn(result.returncode, (0, 2), text[:end])
            self.assertNotIn("internal error", result.stderr)
            if result.returncode == 2:
                self.assertRegex(result.stderr, r"^holonom: m\.toml")

    def test_missing_and_directories(self):
        for command in ("run", "check"):
            for name in ("nothing.toml", "."):
                result = self.run_program(command, name)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stderr, f"holonom: {name}: the file cannot be read\n")

    def test_check_says_the_same_as_run(self):
        for text in (pendulum(constraints='rod = "x^2 + yy^2 - 1"'), pendulum(initial="q = { x = 2, y = 0 }"),
                     pendulum(energy='mass = [0, 1]\npotential = "0"')):
            self.assertEqual(self.refused(text), self.refused(text, command="check"))


class StartFiles(BadInput):
    CHAIN = ('format = 1\n[coordinates]\nr = { count = 2, dim = 2 }\n[energy]\nmass = { r = 1 }\n[[energy.sum]]\nover = { i = "0..1" }\n'
             'term = "r[i].y"\n[initial]\nq.r = { file = "start.csv" }\n[integrate]\nstep = 0.1\nuntil = 1\n')

    def test_unknown_columns_of_a_start(self):
        for text, says in (("x,y,w\n0,0,1\n1,0,1\n", "start.csv:1:5: unknown column 'w'. The columns of initial.q.r are: x, y."),
                           ("# made by hand\nx,yy,y\n0,0,0\n1,0,0\n", "start.csv:2:3: unknown column 'yy'. Did you mean 'y'?"),
                           ("x,y,z\n0,0,0\n1,0,0\n", "start.csv:1:5: unknown column 'z'")):
            self.write(text, "start.csv")
            self.refused(self.CHAIN, says)
        self.write("y,x\n0,0\n0,1\n", "start.csv")
        self.write(self.CHAIN)
        self.assertEqual(self.run_program("run", "m.toml").returncode, 0)


class Arguments(BadInput):
    def argued(self, *arguments, says=()):
        message = self.refused(pendulum(), *says, arguments=arguments)
        self.assertLess(len(message), 500, "short enough to be read")

    def test_steps(self):
        self.argued("--step", "0", says=("--step 0: the step must be a finite number other than zero",))
        self.argued("--step", "1/0", says=("--step 1/0: the step must be a finite number other than zero",))
        self.argued("--step", "nan", says=("--step nan: column 1: unknown name 'nan'",))
        self.argued("--step", "0/0", says=("must be a finite number",))
        self.argued("--step", "-0.1", says=("until = 1 is never reached with the step -0.1",))
        self.argued("--step", "", says=("the formula is empty",))
        self.argued("--step", "2*", says=("--step 2*: column 3: the formula ends where a value was expected",))
        self.argued("--step", "x/2", says=("--step x/2: column 1: unknown name 'x'",))
        self.argued("--step", "[1, 2]", says=("a number was expected, not a vector",))
        self.refused(pendulum(integrate="step = 0\nuntil = 1"), "the step must be a finite number other than zero", at="0\nuntil")

    def test_ends(self):
        self.argued("--until", "-1", says=("--until -1: ", "is never reached"))
        self.argued("--until", "1/0", says=("--until 1/0: the end of the run must be a finite number",))
        self.argued("--until", "1e300", says=("more steps away than can be counted",))
        self.argued("--until", "1", "--steps", "3", says=("--steps",))
        for bad in ("-1", "1.5", "many", ""):
            self.argued("--steps", bad, says=("--steps", "is not a whole number, at least 0"))
        self.argued("--steps", "99999999999999999999", says=("--steps", "is more than 9223372036854775807"))
        for bad in ("0", "-3", "x"):
            self.argued("--every", bad, says=("--every", "is not a whole number, at least 1"))

    def test_choices(self):
        self.argued("--precision", "half", says=("--precision", "double", "quad", "100"))
        for bad in ("-1", "nan", "2", "x"):
            self.argued("--tolerance", bad, says=("--tolerance", "is not a number from 0 to 1"))
        self.argued("--engine", "turbo", says=("--engine", "interp"))

    def test_methods(self):
        self.argued("--method", "ratle", says=("unknown method 'ratle'. Did you mean 'rattle'?",))
        self.argued("--method", "xyzzy", says=("unknown method 'xyzzy'. 'holonom methods' lists all of them",))
        self.refused(pendulum(integrate='method = "ratle"\nstep = 1\nuntil = 1'), "unknown method 'ratle'. Did you mean 'rattle'?", at='"ratle"')

    def test_parameters(self):
        self.argued("--set", "gg=3", says=("--set gg=3: m.toml has no parameter 'gg'. Did you mean 'g'?",))
        self.argued("--set", "gravity=3", says=("m.toml has no parameter 'gravity'. Parameters: m, g, L.",))
        self.argued("--set", "x=3", says=("m.toml has no parameter 'x'",))
        self.argued("--set", "g", says=("--set g: write it as name=value",))
        self.argued("--set", "=3", says=("--set =3: write it as name=value",))
        self.argued("--set", "g=", says=("--set g=: column 1: the formula is empty",))
        self.argued("--set", "g=2*mm", says=("--set g=2*mm: column 3: unknown name 'mm'. Did you mean 'm'?",))

    def test_fixed_parameters(self):
        fixed = pendulum(head="format = 1\nfixed_parameters = true\n")
        self.refused(fixed, "--set g=2: formulas of m.toml hold the values of its parameters as numbers (fixed_parameters = true)",
                     "Change the model that it was made from", arguments=("--set", "g=2"))
        self.refused(fixed, "--set gg=2: m.toml has no parameter 'gg'. Did you mean 'g'?", arguments=("--set", "gg=2"))
        self.refused(fixed, "--set g=[1, 2]: formulas of m.toml hold", arguments=("--set", "g=[1, 2]"))
        for word in ('"yes"', "17", "[true]", "{}"):
            self.refused(fixed.replace("true", word), "fixed_parameters is true or false", at=word)
        self.refused(pendulum(parameters=PENDULUM["parameters"] + "\nfixed_parameters = true"), "parameter 'fixed_parameters'")
        for text, value in ((fixed, "1"), (fixed, "2/2"), (fixed.replace("true", "false"), "2")):  # the same value, or one that counts
            self.write(text)
            result = self.run_program("check", "m.toml", "--set", f"g={value}")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_unknown_options_and_commands(self):
        self.argued("--frobnicate", says=("--frobnicate", "holonom <command> --help"))
        self.argued("extra", says=("extra",))
        for arguments in ((), ("fly", "m.toml"), ("run",), ("check",), ("run", "--steps", "1")):
            result = self.run_program(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("holonom --help", result.stderr)


if __name__ == "__main__":
    unittest.main()
