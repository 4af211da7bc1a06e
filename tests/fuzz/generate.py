"""Makes the cases of fuzz.py: files in a folder, and arguments of the program.

Each kind is a function of a random generator, which must be its only source of chance.
"""

import pathlib
import re
import signal

import lists

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


class Case:
    def __init__(self, claims):
        self.claims = claims      # what methods claim to keep, by their key
        self.arguments = []
        self.exact = True         # solves run to round-off
        self.signal = None        # to be sent
        self.delay = 0


# ---- models to begin with

PENDULUM = """format = 1
[parameters]
m = 1
g = 9.81
L = 1.5
[coordinates]
names = ["x", "y"]
[energy]
mass = ["m", "m"]
potential = "m*g*y"
[constraints]
rod = "(x^2 + y^2 - L^2)/2"
[invariants]
E = "(p_x^2 + p_y^2)/(2*m) + m*g*y"
[events]
down = { zero = "x", direction = "up" }
[initial]
q = { x = "L", y = 0 }
[integrate]
step = 0.01
until = 1
"""

CHAIN = """format = 1
[parameters]
N = 6
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { r = "1 + i/N" }
[[energy.sum]]
over = { i = "0..N-1" }
term = "r[i].y"
[[energy.sum]]
over = { file = "rows.csv" }
term = "w*norm(r[i] - r[j])^2"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[constraints]
hook = "r[0].x^2 + r[0].y^2 - 1"
[[invariants.sum]]
name = "Px"
over = { i = "0..N-1" }
term = "p_r[i].x"
[initial]
q.r = ["i + 1", "0"]
v.r = ["0", "0"]
[integrate]
step = 0.01
until = 0.2
"""
ROWS = "i, j, w\n0, 2, 0.5\n1, 3, 0.25\n"

MASSES = """format = 1
[coordinates]
names = ["a", "b", "c"]
[energy]
mass = { file = "mass.csv" }
potential = "a^2 + b^2 + c^2"
[initial]
q = { a = 1, b = 0, c = 0 }
[integrate]
step = 0.1
until = 1
"""
MASS = "i, j, m\n0, 0, 2\n1, 1, 2\n2, 2, 2\n1, 0, 0.5\n"

SMALL_MODELS = ("pendulum", "double-pendulum", "kepler", "kepler-sphere", "slider-crank", "locomotive", "spherical-pendulum",
                "charged-particle", "four-bar-redundant", "rigid-body-heavy")

FIELDS = ("lotka-volterra", "abc-flow", "rigid-body-euler", "reversible-pendulum")


def base_model(draw, folder):
    """A good model, and the tables that it reads."""
    choice = draw.randrange(8)
    if choice == 0:
        (folder / "rows.csv").write_text(ROWS)
        return CHAIN
    if choice == 1:
        (folder / "mass.csv").write_text(MASS)
        return MASSES
    if choice < 4:
        return PENDULUM
    if choice == 4:
        return (MODELS / f"{draw.choice(FIELDS)}.toml").read_text()
    if choice == 5:
        return lists.LISTS
    return (MODELS / f"{draw.choice(SMALL_MODELS)}.toml").read_text()


def look_at(draw, case, model="m.toml"):
    """A short command that reads the model."""
    what = draw.randrange(10)
    if what < 6:
        case.arguments = ["run", model, "--steps", str(draw.choice((0, 1, 5, 20))), "--json"]
        if draw.randrange(10) == 0:
            case.arguments += ["--precision", draw.choice(("long", "quad", "100"))]
        if draw.randrange(10) == 0:
            case.arguments += ["--out", draw.choice(("a.csv", "a.h5"))]
        if draw.randrange(10) == 0:
            case.arguments += ["--step", draw.choice(("1e-3", "-0.01", "0.1", "1"))]
    elif what < 9:
        case.arguments = ["check", model] + (["--json"] if draw.randrange(2) else [])
    else:
        case.arguments = ["methods", draw.choice(("rattle", "lobatto-3", "gauss-2+jay")), "--model", model]


# ---- bytes

def some_bytes(draw):
    return draw.choice((bytes([draw.randrange(256)]), b"\0", b"\xff", b"\n", b"\r", b'"', b"'''", b'"""', b"[", b"]", b"{", b"}", b"#", b"=", b".", b"-",
                        b"\\", "é".encode(), b"\xc3", b"\xf0\x9f", b"e9999", b"\x1b[2J", b"1e400", b"nan", b"inf"))


def spoil_bytes(draw, data):
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 3, 8, 30))):
        i = draw.randrange(len(data) + 1)
        j = min(len(data), i + draw.choice((1, 1, 2, 5, 20, 200)))
        what = draw.randrange(6)
        if what == 0:
            data[i:j] = b""
        elif what == 1:
            data[i:i] = some_bytes(draw)
        elif what == 2:
            data[i:i + 1] = some_bytes(draw)
        elif what == 3:
            data[i:i] = data[i:j] * draw.choice((1, 2, 50))
        elif what == 4 and i < len(data):
            data[i] ^= 1 << draw.randrange(8)
        elif what == 5:
            k = draw.randrange(len(data) + 1)
            data[k:k] = data[i:j]
    return bytes(data)


def bytes_of_files(draw, folder, case):
    model = base_model(draw, folder).encode()
    tables = sorted(p for p in folder.iterdir())
    if tables and draw.randrange(2):
        table = draw.choice(tables)
        table.write_bytes(spoil_bytes(draw, table.read_bytes()))
    else:
        model = spoil_bytes(draw, model)
    (folder / "m.toml").write_bytes(model)
    look_at(draw, case)


# ---- tokens

TOKEN = re.compile(r'"""|"|\'|[A-Za-z_][A-Za-z_0-9]*|[0-9.]+(?:e[-+]?[0-9]+)?|\s+|.', re.DOTALL)
WORDS = ("x", "y", "r", "i", "N", "p_x", "v_x", "p_r", "t", "pi", "q", "p", "v", "sin", "sqrt", "log", "if", "norm", "cross", "rate", "dot", "floor", "abs",
         "min", "atan2", "0", "1", "-1", "0.5", "1e-320", "1e308", "1e400", "1e-5000", "1e5000", "99999999999999999999", "0x10", "1_000", "nan", "inf",
         "true", "[", "]", "[[", "]]", "{", "}", "(", ")", ",", "=", "==", "<", "!=", "+", "-", "*", "/", "^", ".", "..", '"', "'", '"""', "#", "\n", " ",
         "[initial]", "[energy]", "[let]", "[constraints]", "[[energy.sum]]", "format", "names", "mass", "potential", "kinetic", "hamiltonian", "over",
         "pairs", "file", "term", "zero", "where", "name", "part", "count", "dim", "flip", "project", "step", "until", "every", "method", "sum", "stack",
         '"rattle"', '"gauss-2"', '"lobatto-3"', "1979-05-27", "2", "3", "é", "\\", "\t")


def spoil_tokens(draw, text):
    tokens = TOKEN.findall(text)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        i, j = draw.randrange(len(tokens)), draw.randrange(len(tokens))
        what = draw.randrange(6)
        if what == 0:
            tokens[i] = draw.choice(WORDS)
        elif what == 1:
            tokens.insert(i, draw.choice(WORDS))
        elif what == 2:
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif what == 3:
            del tokens[i]
            tokens = tokens or ["x"]
        elif what == 4:
            tokens[i] = tokens[j]
        else:
            lines = "".join(tokens).splitlines(keepends=True)
            a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines.insert(a, lines[b])
            tokens = TOKEN.findall("".join(lines))
    return "".join(tokens)


def tokens_of_models(draw, folder, case):
    (folder / "m.toml").write_text(spoil_tokens(draw, base_model(draw, folder)))
    look_at(draw, case)


# ---- formulas

ONE = ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "abs", "floor")
TWO = ("atan2", "min", "max", "pow")


def formula(draw, names, depth):
    """A formula that the parser takes, of numbers; most have no meaning."""
    def sub():
        return formula(draw, names, depth - 1)
    if depth <= 0 or draw.randrange(6) == 0:
        return draw.choice(names) if draw.randrange(3) else draw.choice(("0", "1", "2", "0.5", "1e-3", "1e3", "pi", "1e-160", "1e160", "1e-320", "1e400"))
    what = draw.randrange(14)
    if what < 6:
        return f"({sub()} {draw.choice('+-*/')} {sub()})"
    if what < 8:
        return f"({sub()})^{draw.choice(('2', '3', '-1', '0.5', '-2', '1000', '(-0.5)', '0', 'pi'))}"
    if what < 10:
        return f"{draw.choice(ONE)}({sub()})"
    if what == 10:
        return f"{draw.choice(TWO)}({sub()}, {sub()})"
    if what == 11:
        return f"if({sub()} {draw.choice(('<', '<=', '==', '!=', '>', '>='))} {sub()}, {sub()}, {sub()})"
    if what == 12:
        return f"-{sub()}"
    return f"norm([{sub()}, {sub()}])"


def models_of_formulas(draw, folder, case):
    q = ["x", "y", "z"][: draw.choice((1, 2, 2, 3))]
    p, v = [f"p_{c}" for c in q], [f"v_{c}" for c in q]
    depth = draw.choice((1, 2, 3, 4))
    lines = ["format = 1", "[coordinates]", "names = [" + ", ".join(f'"{c}"' for c in q) + "]", "[energy]"]
    form = draw.randrange(5)
    potential = formula(draw, q, depth) if draw.randrange(3) else " + ".join(f"{c}^2" for c in q)
    if form < 2:
        lines += ["mass = [" + ", ".join("1" for _ in q) + "]", f'potential = "{potential}"']
    elif form == 2:
        kinetic = " + ".join(f"({draw.choice(('1', '2', '1 + x^2', formula(draw, q, 1)))})*{c}^2" for c in v)
        lines += [f'kinetic = "{kinetic}"', f'potential = "{potential}"']
    else:
        kinetic = formula(draw, p + q, depth) if draw.randrange(2) else " + ".join(f"{c}^2/2" for c in p)
        lines += [f'hamiltonian = "{kinetic} + {potential}"']
    lines.append("[constraints]")
    for k in range(draw.choice((0, 1, 1, 1, 2))):
        g = formula(draw, q, depth)
        # The value at the start is taken away, so that many of them hold there.
        at_start = g
        for c in q:
            at_start = re.sub(rf"\b{c}\b", "0.75" if c == "x" else "0.5", at_start)
        lines.append(f'g{k} = "{g}{" - (" + at_start + ")" if draw.randrange(4) else ""}"')
    lines.append("[invariants]")
    for k in range(draw.choice((0, 1, 2))):
        lines.append(f'i{k} = "{formula(draw, q + p, depth)}"')
    if draw.randrange(3) == 0:
        lines += ["[events]", f'e = "{formula(draw, q + p, depth)}"']
    lines += ["[initial]", "q = { " + ", ".join(f"{c} = {'0.75' if c == 'x' else '0.5'}" for c in q) + " }"]
    if draw.randrange(2):
        lines.append("p = { " + ", ".join(f'{c} = "{draw.choice(("0", "1", "0.25", "1e-200"))}"' for c in q) + " }")
    if draw.randrange(2):
        lines.append("project = true")
    lines += ["[integrate]", f"step = {draw.choice(('0.01', '0.1', '1', '1e-9'))}", "until = 1"]
    if draw.randrange(4) == 0:
        method = draw.choice([k for k, m in sorted(case.claims.items()) if m["constrained"]])
        lines.append(f'method = "{method}"')
    (folder / "m.toml").write_text("\n".join(lines) + "\n")
    look_at(draw, case)


# ---- tables

CELLS = ("0", "1", "2", "3", "-1", "0.5", "1e-320", "1e400", "-1e400", "1e5000", "1e9999", "", " ", "x", "nan", "inf", "1_0", "0x1", "1e", "1.2.3", "\"1\"", "é",
         "999999999", "9999999999", "1e-5000")


# What may be written in the place of a part of CHAIN.
PARTS = {
    "N = 6": ("N = 2", "N = 1", "N = 0", "N = -3", "N = 2.5", "N = 500", "N = 1e400"),
    'count = "N"': ('count = "N"', 'count = 5', 'count = "-N"', 'count = "1e3"', 'count = "x"', 'count = "1/0"', "count = 2.5"),
    "dim = 2": ("dim = 3", "dim = 1", "dim = 0", "dim = 4", 'dim = "N"'),
    '"0..N-2"': ('"1..N-2"', '"0..N"', '"1..0"', '"0..1e9"', '"0.."', '"x..1"', '"0..1/0"', '"0..N-3", j = "0..1"'),
    "r[i+1] - r[i],": ("r[i] - r[i],", "r[i+1.5] - r[i],", "r[-1] - r[i],", "r[r[i].x] - r[i],", "r[floor(i)+1] - r[i],", "p_r[i+1] - r[i],", "r[1/0] - r[i],"),
    '["i + 1", "0"]': ('["i", "1/i"]', '["i"]', '{ file = "rows.csv" }', '["r[i].x", "0"]', '["i + 1", "sin(i)"]\nproject = true'),
    '"1 + i/N"': ('"1"', '"i"', '"r[i].x"', '"-1"', "1e400", '"p_r[0].x"'),
    '"r[i].y"': ('"r[i].z"', '"r.y"', '"r[i].y + r[0].x"', '"r[i].y + p_r[i].y"', '"x"', '"dot(r[i], r[i])"'),
    'over = { file = "rows.csv" }': ('over = { pairs = "r" }\nwhere = { w = 2 }', 'over = { pairs = "r", beyond = 2 }\nwhere = { w = "norm(r[i])" }',
                                     'over = { pairs = "x" }', 'over = { file = "none.csv" }', 'over = { file = "m.toml" }', "over = {}", "over = 3"),
}


def tables_of_models(draw, folder, case):
    """Chains and mass matrices with a few mistakes, or with none."""
    mass = draw.randrange(3) == 0
    name, model = ("mass.csv", MASSES) if mass else ("rows.csv", CHAIN)
    rows = [row.split(", ") for row in (MASS if mass else ROWS).splitlines()]
    end = "\n"
    for _ in range(draw.choice((0, 1, 1, 2, 3))):
        what = draw.randrange(9)
        row = draw.choice(rows)
        if what < 3:
            was = draw.choice(list(PARTS))
            model = model.replace(was, draw.choice(PARTS[was]))
        elif what < 5:
            row[draw.randrange(len(row))] = draw.choice(CELLS)
        elif what == 5:
            rows.insert(draw.randrange(1, len(rows) + 1), list(row))
        elif what == 6:
            row.append("1")
        elif what == 7 and len(row) > 1:
            row.pop()
        elif what == 8:
            rows.insert(draw.randrange(len(rows) + 1), draw.choice((["# remark"], [""], ["\ufeff"], [" "], ["i", "j", "w"])))
            end = draw.choice(("\n", "\r\n", "\n\n", "\r"))
    if draw.randrange(20) != 0:
        (folder / name).write_text(end.join(", ".join(row) for row in rows) + end, newline="")
    (folder / "m.toml").write_text(model)
    look_at(draw, case)


def lists_of_models(draw, folder, case):
    (folder / "m.toml").write_text(lists.spoil(draw))
    look_at(draw, case)
    if draw.randrange(6) == 0 and case.arguments[0] != "methods":
        case.arguments += ["--set", draw.choice(("k=0.5", "k=1", "stiffness=1", "r=1", "k=[1, 2]"))]


# ---- command lines

VALUES = ("", "0", "1", "-1", "0.01", "1e-3", "1e300", "1e-300", "1/0", "x", "T", "m", "2*m", "nan", "inf", "rattle", "lobatto-3", "gauss-2", "kahan-li-8", "a.csv", "a.h5",
          "m.toml", "m.csv", "/dev/null", "/dev/full", "no/folder/a.csv", ".", "..", "double", "quad", "100", "y", "y == 0", "e=y", "=y", "y=", "m=2", "g=0", "L=-1", "L=1/0",
          "on", "off", "jay", "exact", "stage", "auto", "full", "start", "2", "64", "65", "all", "recorded", "interp", "llvm", "rattle,lobatto-2", ",", "é", "\x1b[0m",
          "z" * 3000, "pair:m.toml", "lobatto-99999", "yoshida-4/midpoint", "rattle:0.01", "0.1,0.05", "--json", "-")
OPTIONS = {
    "run": ("--method", "--step", "--until", "--steps", "--every", "--sample", "--out", "--event", "--events-out", "--force", "--json", "--set", "--precision",
            "--tolerance", "--compensated", "--projection", "--newton", "--multipliers", "--threads", "--watch", "--engine"),
    "check": ("--set", "--json"),
    "compare": ("--methods", "--step", "--until", "--reference", "--out", "--force", "--json", "--set", "--precision", "--tolerance", "--engine"),
    "methods": ("--model", "--json"),
}
FLAGS = ("--force", "--json")
GOOD = {"--method": ("rattle", "position-verlet", "lobatto-2", "gauss-2", "shake", "kahan-li-8", "rk-4"), "--step": ("0.01", "-0.01", "m/100", "1e-5", "1"),
        "--until": ("0.1", "1", "-0.1"), "--steps": ("0", "1", "50"), "--every": ("1", "7"), "--sample": ("0.003", "0.1"), "--out": ("a.csv", "a.h5", "b.csv"),
        "--event": ("y", "e=p_x", "x - y"), "--events-out": ("e.csv",), "--set": ("m=2", "g=1", "L=2"), "--precision": ("double", "long", "quad"),
        "--tolerance": ("0", "1e-8"), "--compensated": ("on", "off"), "--projection": ("jay",), "--newton": ("auto", "full"), "--multipliers": ("exact", "stage"),
        "--threads": ("1", "2"), "--watch": ("all", "recorded"), "--engine": ("interp", "llvm", "auto"), "--methods": ("rattle", "rattle,lobatto-2"),
        "--reference": ("lobatto-3:0.005",), "--model": ("m.toml",)}


def command_lines(draw, folder, case):
    (folder / "m.toml").write_text(PENDULUM)
    if draw.randrange(8) == 0:
        (folder / "m.csv").symlink_to("m.toml")
    if draw.randrange(8) == 0:
        (folder / "a.csv").write_text("something\n")
    if draw.randrange(8) == 0:
        (folder / "a.h5").symlink_to("/dev/full")
    command = draw.choice(("run", "run", "run", "run", "check", "compare", "methods"))
    arguments = [command]
    if command == "compare":
        arguments += ["--methods", "rattle", "--until", "0.1"]
    if command == "run":
        arguments += ["--steps", "20"] if draw.randrange(2) else ["--until", "0.2"]
    if command != "methods" and draw.randrange(20) != 0:
        arguments.insert(draw.randrange(1, len(arguments) + 1) if draw.randrange(6) == 0 else 1, "m.toml")
    if command == "methods" and draw.randrange(2):
        arguments.append(draw.choice(VALUES[:20]) if draw.randrange(3) == 0 else "rattle")
    for _ in range(draw.choice((0, 1, 1, 2, 3, 5))):
        option = draw.choice(OPTIONS[command])
        if option in ("--until", "--steps", "--methods") and option in arguments:
            continue
        arguments.append(option)
        if option in FLAGS:
            continue
        if draw.randrange(15) != 0:
            arguments.append(draw.choice(VALUES) if draw.randrange(4) == 0 else draw.choice(GOOD[option]))
    # Long runs are no failure: steps that are far too short for the end are left out.
    if any(x in arguments for x in ("1e-300", "1e300")) or ("--until" in arguments and "1e-5" in arguments):
        arguments = [x for x in arguments if x not in ("1e-300", "1e300", "1e-5")]
    case.arguments = arguments
    case.exact = "--tolerance" not in arguments


# ---- steps

def methods_and_steps(draw, folder, case):
    """Every method on models that it suits, with steps from a third of the model's own to 300 times that."""
    model = draw.choice(SMALL_MODELS)
    text = (MODELS / f"{model}.toml").read_text()
    own = re.search(r'^step = "?([^"\n#]+)"?', text, re.MULTILINE)[1].strip()
    method = draw.choice([k for k, m in sorted(case.claims.items()) if m["constrained"]])
    factor = 10 ** draw.uniform(-0.5, 2.5)
    (folder / "m.toml").write_text(text)
    case.arguments = ["run", "m.toml", "--method", method, "--step", f"({own})*{factor:.6f}", "--steps", str(draw.choice((10, 100, 300))), "--json"]
    if draw.randrange(6) == 0:
        case.arguments += ["--watch", "recorded", "--every", "50"]
    if draw.randrange(6) == 0:
        case.arguments += ["--engine", "llvm"]


# ---- signals

def signals(draw, folder, case):
    (folder / "m.toml").write_text(draw.choice((PENDULUM, (MODELS / "double-pendulum.toml").read_text())))
    case.arguments = ["run", "m.toml", "--step", "0.001", "--steps", "100000000", "--json"]
    if draw.randrange(3):
        case.arguments += ["--out", draw.choice(("a.csv", "a.h5")), "--every", draw.choice(("1", "100"))]
    if draw.randrange(4) == 0:
        case.arguments += ["--event", "e=x1" if "x1" in (folder / "m.toml").read_text() else "e=x", "--events-out", "e.csv"]
    case.signal = draw.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    case.delay = draw.choice((0.0005, 0.002, 0.005, 0.01, 0.03, 0.1, 0.3))


# How many of each among a hundred, about.
KINDS = {
    "bytes": (20, bytes_of_files),
    "tokens": (20, tokens_of_models),
    "formulas": (25, models_of_formulas),
    "tables": (12, tables_of_models),
    "lists": (10, lists_of_models),
    "commands": (14, command_lines),
    "steps": (6, methods_and_steps),
    "signals": (3, signals),
}
