"""The messages that docs/model-file.md shows are those of the program: for each a model with that mistake."""

import re
import unittest

from support import SOURCE, CliTest

MODEL = """format = 1
[parameters]
m = 1
g = 1
[coordinates]
names = ["x", "y"]
[energy]
mass = ["m", "m"]
potential = "m*g*y"
[constraints]
rod = "x^2 + y^2 - 1"
[initial]
q = { x = 1, y = 0 }
p = { x = 0, y = 0 }
"""
PARTICLES = """format = 1
[coordinates]
r = { count = 2, dim = 2 }
[energy]
mass = { file = "mass.csv" }
potential = "0"
[initial]
q.r = ["i", "0"]
"""
# By the table in which a mistake is: the model that reads it.
READERS = {
    "mass.csv": PARTICLES,
    "rows.csv": PARTICLES.replace('{ file = "mass.csv" }', "{ r = 1 }").replace(
        'potential = "0"', '[[energy.sum]]\nover = { file = "rows.csv" }\nterm = "w*r[i].y"'),
    "start.csv": PARTICLES.replace('{ file = "mass.csv" }', "{ r = 1 }").replace('["i", "0"]', '{ file = "start.csv" }'),
}


def with_line(number, text):
    """The model with another line there."""
    lines = MODEL.splitlines()
    lines[number - 1] = text
    return "\n".join(lines) + "\n"


def masses(*rows):
    return "\n".join(["i, j, m", *rows]) + "\n"


DIAGONAL = ("0, 0, 2", "1, 1, 2", "2, 2, 2", "3, 3, 2")

# What is wrong, by the place and a part of the message; a model, or a table.
MISTAKES = {
    "bad.toml:11:14: in constraint 'rod': unknown name 'yy'": with_line(11, 'rod = "x^2 + yy^2 - 1"'),
    "bad.toml:11:8: in constraint 'rod': this '(' is never": with_line(11, 'rod = "(x^2 + y^2 - 1"'),
    "bad.toml:11:8: in constraint 'rod': sqrt takes 1": with_line(11, 'rod = "sqrt(x, y)"'),
    "bad.toml:11:8: in constraint 'rod': unknown function": with_line(11, 'rod = "sine(x)"'),
    "bad.toml:9:15: in the potential: an operator": with_line(9, 'potential = "2x"'),
    "bad.toml:9:16: in the potential: a value": with_line(9, 'potential = "x**2"'),
    "bad.toml:9:13: the potential uses p_x": with_line(9, 'potential = "p_x"'),
    "bad.toml:9:14: in the potential: 't' is": with_line(9, 'potential = "t"'),
    "bad.toml:9:13: put formulas in quotes": with_line(9, "potential = m*g*y"),
    "bad.toml:11:7: constraint 'rod' is a comparison": with_line(11, 'rod = "x^2 + y^2 == 1"'),
    "bad.toml:11:7: the gradient of constraint 'rod' is zero": with_line(11, 'rod = "1e-400*(x^2 + y^2 - 1)"'),
    "bad.toml:8:15: at the initial values H_pp": with_line(8, 'hamiltonian = "p_x^4 + p_y^4 + y"').replace('potential = "m*g*y"', ""),
    "bad.toml:13:5: at the initial values invariant": with_line(11, 'rod = "x^2 + y^2 - 1"\n[invariants]\nE = "log(y)"'),
    "bad.toml:14:11: no position satisfies": with_line(14, 'project = { keep = ["x", "y"] }').replace("x = 1", "x = 1.1"),
    "rows.csv:3:4: 'heavy' in column 'w'": "i, w\n0, 1\n1, heavy\n",
    "start.csv:1:5: unknown column 'w'": "x,y,w\n0,0,1\n1,0,1\n",
    "bad.toml:8:1: unknown key 'masss'": with_line(8, "masss = [1, 1]"),
    "bad.toml:8:12: the mass of coordinate 'y'": with_line(8, "mass = [1, -1]"),
    "bad.toml:8:8: the mass matrix is not positive": with_line(8, "mass = [[1, 2], [2, 1]]"),
    "mass.csv:7:1: the entry (2, 0) is given twice": masses(*DIAGONAL, "2, 0, 1", "2, 0, 1"),
    "mass.csv:6:1: i = 4 is not": masses(*DIAGONAL, "4, 0, 1"),
    "mass.csv:7:7: the mass matrix is not symmetric": masses(*DIAGONAL, "2, 0, 1", "0, 2, 1.5"),
    "mass.csv:8:1: the mass matrix is not symmetric": masses(*DIAGONAL, "2, 0, 1", "0, 2, 1", "1, 3, 1"),
    "mass.csv:4:7: the mass matrix is not positive": masses("0, 0, 2", "1, 1, 2", "2, 2, -1", "3, 3, 2"),
    "bad.toml:8:11: the kinetic energy is not quadratic": with_line(8, 'kinetic = "v_x"'),
    "bad.toml:13:5: initial.q has no value": with_line(13, "q = { x = 1 }"),
    "bad.toml:13:5: at the initial values the potential": with_line(9, 'potential = "1/y"'),
    "bad.toml:13:5: the initial position does not": with_line(13, "q = { x = 1.1, y = 0 }"),
    "bad.toml:14:5: the initial motion is not": with_line(14, "p = { x = 1, y = 0 }"),
    "bad.toml:12:8: the constraints 'rod' and 'rod2'": with_line(11, 'rod = "x^2 + y^2 - 1"\nrod2 = "x^2 + y^2 - 2"'),
    "bad.toml:13:5: the initial position is a singular": with_line(11, 'rod = "x^2 + y^2"').replace("x = 1", "x = 0"),
}


class Messages(CliTest):
    def test_those_of_the_page(self):
        page = (SOURCE / "docs" / "model-file.md").read_text()
        shown = re.search(r"^## Mistakes\n.*?^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1].splitlines()
        used = set()
        for message in shown:
            with self.subTest(message):
                known = [start for start in MISTAKES if message.startswith(start)]
                self.assertEqual(len(known), 1, "give a model with this mistake in messages_test.py")
                used.add(known[0])
                wrong = MISTAKES[known[0]]
                file = message.split(":")[0]
                self.write(wrong, file)
                model = self.write(READERS[file], "particles.toml") if file in READERS else file
                result = self.run_program("run", model, "--step", 1, "--steps", 1)
                self.assertEqual((result.returncode, result.stderr), (2, f"holonom: {message}\n"))
        self.assertEqual(set(MISTAKES), used, "mistakes that the page does not show any more")


if __name__ == "__main__":
    unittest.main()
