"""A model whose tables are lists in its text, with names for outputs and fixed parameters, and what may be wrong with it."""

LISTS = """format = 1
fixed_parameters = true
[parameters]
k = 0.5
[names]
k = "stiffness"
r = "Kugel"
hook = "Haken 1"
Px = "Σ p"
[coordinates]
names = ["x"]
r = { count = 3, dim = 2 }
[energy]
mass = { i = [0, 1, 2, 3, 4, 5, 6, 6], j = [0, 1, 2, 3, 4, 5, 5, 6], m = [1, 1, 1, 1, 1, 2, 0.5, 2] }
potential = "x^2"
[[energy.sum]]
over = { i = [0, 1, 2], j = [1, 2, 0], w = [0.5, 1e-3, 2] }
term = "w*norm(r[i] - r[j])^2"
[constraints]
hook = "(r[0].x^2 + r[0].y^2 - 1)/2"
[[constraints.stack]]
name = "link"
over = { i = [1, 2] }
zero = "(dot(r[i] - r[i-1], r[i] - r[i-1]) - 1)/2"
[[invariants.sum]]
name = "Px"
over.i = [0, 1, 2]
term = "p_r[i].x"
[initial]
q.x = 1
q.r = { x = [1, 2, 3], y = [0, 0, 0] }
v.r = { x = [0, 0, 0], y = [0, 1e-3, 0] }
[integrate]
step = 0.01
until = 0.2
"""

NUMBERS = ("0", "1", "2", "-1", "3", "0.5", "1e-320", "1e400", "1e5000", "1e9999", "nan", "inf", "-inf", "true", '"1"', '"x"', '"1/0"', "[0]", "{}", "1_0", "0x1",
           "99999999999999999999", "4294967296", "-9223372036854775808", "1979-05-27", "''", "'é'")

# What may be written in the place of a part.
PARTS = {
    "fixed_parameters = true": ("fixed_parameters = false", "fixed_parameters = 1", 'fixed_parameters = "true"', "fixed_parameters = [true]", ""),
    'k = "stiffness"': ('k = "r"', 'k = ""', "k = 3", 'nothing = "n"', 'k = "a\\nb"', 'k = "\\u0000"', 'k = "Kugel"', 'k = ["a"]', 'k = "' + "z" * 300 + '"'),
    'r = "Kugel"': ('r = "x"', 'r = "r[0]"', 'r = "p_r"', 'r = "a,b"', 'r = "\\u001b[2J"'),
    'hook = "Haken 1"': ('hook = "link"', 'hook = "link[0]"', 'link = "hook"', 'hook = "t"', 'hook = "energy"'),
    'Px = "Σ p"': ('Px = "k"', "[names.Px]", 'Px = "Px"'),
    "count = 3": ("count = 2", "count = 4", "count = 0", "count = 1"),
    "dim = 2": ("dim = 1", "dim = 3"),
    "i = [0, 1, 2, 3, 4, 5, 6, 6]": ("i = []", "i = [0]", "i = [6, 5, 4, 3, 2, 1, 0, 0]", "i = [0, 1, 2, 3, 4, 5, 6, 7]", "i = 3", "i = [[0]]"),
    "m = [1, 1, 1, 1, 1, 2, 0.5, 2]": ("m = [1, 1, 1, 1, 1, 2, 9, 2]", "m = [1, 1, 1, 1, 1, 0, 0, 2]", "m = []", "file = \"none.csv\""),
    "over = { i = [0, 1, 2], j": ("over = { i = [0, 1], j", "over = { i = [], j", "over = { i = [0, 1, 3], j", "over = { i = [0, 1, 2], i", "over = { r = [0, 1, 2], j",
                                 'over = { i = "0..2", j', "over = { file = [0], j", "over = { pairs = [0], j"),
    "over.i = [0, 1, 2]": ("over.i = []", "over.i = [0, 0, 0]", "over.i = [-1]", "over.p_r = [0]", "over.x = [0]", "over = [0, 1, 2]"),
    "over = { i = [1, 2] }": ("over = { i = [1, 1] }", "over = { i = [0] }", "over = { i = [2, 1] }", "over = { i = [] }"),
    "q.r = { x = [1, 2, 3], y = [0, 0, 0] }": ("q.r = { x = [1, 2, 3] }", "q.r = { x = [1, 2], y = [0, 0] }", "q.r = { x = [1, 2, 3], z = [0, 0, 0] }", "q.r = { x = [], y = [] }",
                                              "q.r = { x = 1, y = 0 }", "q.r = {}", "q.r = [[1, 0], [2, 0], [3, 0]]"),
}


def spoil(draw):
    """The model with a few mistakes, or with none."""
    model = LISTS
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        if draw.randrange(2):
            was = draw.choice(list(PARTS))
            model = model.replace(was, draw.choice(PARTS[was]))
            continue
        lines = model.splitlines()  # one number of one list
        line = draw.choice([i for i, text in enumerate(lines) if "[0" in text or "[1" in text] or [0])
        cells = lines[line].split(", ")
        cell = draw.randrange(len(cells))
        first, last = cells[cell].rfind("[") + 1, len(cells[cell].rstrip("] }"))
        cells[cell] = cells[cell][:first] + draw.choice(NUMBERS) + cells[cell][max(first, last):]
        lines[line] = ", ".join(cells)
        model = "\n".join(lines) + "\n"
    return model
