"""Is what a page prints what the program prints today?

Text is compared word by word. Numbers are compared as closely as they can be the same everywhere:
  times                 not at all: lines that begin with `cost`, numbers before a unit of time, the column CPU s
  iterations, counts    to 15 % and one: the line `Newton`, and the table with the columns Newton and CPU s
  the last state        to six digits: what becomes of rounding errors in a long run depends on the machine
  rounding errors       numbers below 1e-11 to a factor of 10; 0 and anything up to 1e-15 are the same
  all other numbers     to one unit of the last digit that is printed; whole numbers and those of one or two digits exactly
A line `...` stands for any lines, the sign … in a line for any words.
"""

import re

ROUND_OFF = 1e-11
TIMES = ("microseconds", "milliseconds", "seconds", "ms", "s")
EDGES = "()[],:;%"


def is_number(word):
    return re.fullmatch(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?", word) is not None


def unit_of_last_digit(number):
    mantissa, _, exponent = number.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def same_number(printed, real, kind):
    """Two numbers as text."""
    a, b = float(printed), float(real)
    if kind == "iterations":
        return abs(a - b) <= max(1, 0.15 * abs(a))
    if kind == "state":
        return abs(a - b) <= 1e-6 * max(1, abs(a))
    if abs(a) < ROUND_OFF and abs(b) < ROUND_OFF:
        a, b = sorted((abs(a), abs(b)))
        return b <= 10 * a or (a == 0 and b <= 1e-15)
    digits = re.sub(r"[eE].*|\D", "", printed).lstrip("0")
    if "." not in printed or ("e" not in printed and len(digits) < 3):
        return a == b
    return abs(a - b) <= 1.0000001 * unit_of_last_digit(printed)


def words(line):
    """(before, core, after): the core of a word may be a number."""
    for word in line.split():
        core = word.strip(EDGES)
        start = word.index(core) if core else 0
        yield word[:start], core, word[start + len(core):]


class Table:
    """What the lines so far say about the numbers of the next one."""

    def __init__(self):
        self.costs = self.state = False

    def look_at(self, line):
        if line.strip() == "last state":
            self.state = True
        elif not line.startswith("    "):
            self.state = False
        if line.rstrip().endswith("CPU s"):
            self.costs = True
        elif not line.strip():
            self.costs = False

    def kind(self, line, k, parts):
        """Of the k-th word: time, iterations, state, or nothing special."""
        first = parts[0][1]
        if first == "cost" or (self.costs and k == len(parts) - 1):
            return "time"
        if k + 1 < len(parts) and parts[k + 1][1] in TIMES and "=" not in parts[k - 1][1]:
            return "time"
        if self.state:
            return "state"
        return "iterations" if first == "Newton" or (self.costs and k > 2) else ""


def same_line(printed, real, table):
    if "…" in printed:
        head, _, tail = printed.partition("…")
        a, b = head.split(), tail.split()
        inner = real.split()
        if len(inner) < len(a) + len(b):
            return False
        return same_line(" ".join(a), " ".join(inner[:len(a)]), table) and same_line(" ".join(b), " ".join(inner[len(inner) - len(b):]), table)
    a, b = list(words(printed)), list(words(real))
    if len(a) != len(b):
        return False
    for k, (x, y) in enumerate(zip(a, b)):
        if is_number(x[1]) and is_number(y[1]):
            kind = table.kind(printed, k, a)
            if (x[0], x[2]) != (y[0], y[2]) or (kind != "time" and not same_number(x[1], y[1], kind)):
                return False
        elif x != y:
            return False
    return True


def difference(printed, real):
    """Nothing, or what differs, for people."""
    left, right = printed.rstrip("\n").split("\n"), real.rstrip("\n").split("\n")
    table, at, floating, k = Table(), 0, False, 0
    while k < len(left):
        line = left[k]
        if line.strip() == "...":
            floating = True
            k += 1
            continue
        table.look_at(line)
        while at < len(right) and floating and not same_line(line, right[at], table):
            at += 1
        if at == len(right):
            return f"printed: {line}\nbut the output has no such line; it is\n{real}"
        if not same_line(line, right[at], table):
            return f"printed: {line}\nreally:  {right[at]}"
        at, floating, k = at + 1, False, k + 1
    if at < len(right) and not floating:
        return f"the output goes on with\n{right[at]}"
    return ""


def altered(printed):
    """The text again and again, each time with another number wrong, but for times."""
    lines, table = printed.split("\n"), Table()
    for i, line in enumerate(lines):
        table.look_at(line)
        parts = list(words(line.replace("…", " … ")))
        for k, (_, core, _) in enumerate(parts):
            if not is_number(core) or table.kind(line, k, parts) == "time":
                continue
            wrong = repr(float(core) * 100) if float(core) else "1.0"
            if re.fullmatch(r"[-+]?\d+", core):
                wrong = str(int(core) * 100 or 7)
            broken = [f"{a}{wrong if n == k else b}{c}" for n, (a, b, c) in enumerate(parts)]
            yield "\n".join([*lines[:i], " ".join(broken), *lines[i + 1:]])
