"""Tables 2.1 and 2.2, and formula (2.7): coefficients of the Lobatto IIIA-IIIB pairs."""

from fractions import Fraction

import numpy as np

import mutations
from item import item

# As printed: for each half the rows c_i | a_i1 ... a_is, and the last row b_1 ... b_s.
TABLE_2_1 = {
    "IIIA": ["0 | 0 0", "1 | 1/2 1/2", "| 1/2 1/2"],
    "IIIB": ["0 | 1/2 0", "1 | 1/2 0", "| 1/2 1/2"],
}
TABLE_2_2 = {
    "IIIA": ["0 | 0 0 0", "1/2 | 5/24 1/3 -1/24", "1 | 1/6 2/3 1/6", "| 1/6 2/3 1/6"],
    "IIIB": ["0 | 1/6 -1/6 0", "1/2 | 1/6 1/3 0", "1 | 1/6 5/6 0", "| 1/6 2/3 1/6"],
}


def numbers(row):
    return [Fraction(word) for word in row.replace("|", " ").split()]


def with_entry(half, row, entry):
    """The same table with another row."""
    return lambda table: {name: [entry if (name, k) == (half, row) else text for k, text in enumerate(rows)]
                          for name, rows in table.items()}


def measured_table(lab, stages, method):
    """The tableaux that a step of the method uses: the model's last state holds b_j, b_i c_i, b_i a_ij and b_i
    a^_ij."""
    end = lab.run(f"tableaux-{stages}", method=method, precision="quad")
    value = {name: Fraction(text) for part in ("q", "p") for name, text in end[part].items()}
    numbered = range(1, stages + 1)
    b = [value[f"b{j}"] for j in numbered]
    b_hat = [value[f"w{j}"] for j in numbered]
    table = {}
    for half, entry, weights in (("IIIA", "ba", b), ("IIIB", "bw", b_hat)):
        table[half] = [[value[f"bc{i}"] / b[i - 1], *(value[f"{entry}{i}{j}"] / b[i - 1] for j in numbered)]
                       for i in numbered] + [weights]
    return table, value["missed"]


# Twice the round-off of quad, 1.9e-34, for each of some ten operations.
ROUND_OFF = 4e-33


def compare_table(lab, stages, number, table):
    printed = lab.datum(f"table {number}", table)
    method = f"lobatto-{stages}"
    pair = f"pair:{lab.model(f'pair-table-{number}')}"
    measured, missed = measured_table(lab, stages, method)
    of_file, _ = measured_table(lab, stages, pair)
    for half, rows in printed.items():
        for k, row in enumerate(rows):
            expected, found = numbers(row), measured[half][k]
            error = max(abs(x - y) for x, y in zip(expected, found, strict=True))
            words = [f"{float(x):.9g}" for x in found]
            words = " ".join(words if k == stages else [words[0], "|", *words[1:]])
            lab.says(f"Lobatto {half}, {f'row {k + 1}' if k < stages else 'b'}", error <= ROUND_OFF, words, printed=row,
                     remark=f"off by {float(error):.1e}")
    lab.at_most("distance of the stages from the nodes", float(abs(missed)), ROUND_OFF,
                "product over the nodes, added up over the stages")
    lab.says("the file with the printed coefficients gives the same tableaux", of_file == measured,
             remark="bit for bit, in quad")
    A, A_hat = ([numbers(row)[1:] for row in printed[half][:-1]] for half in ("IIIA", "IIIB"))
    b = numbers(printed["IIIA"][-1])
    defect = max(abs(b[i] * A_hat[i][j] + b[j] * A[j][i] - b[i] * b[j]) for i in range(stages) for j in range(stages))
    lab.says("(2.3b) holds exactly for the printed fractions", defect == 0, f"{defect}")

    about = lab.ask("methods", words=pair).json[0]
    lab.says("order, as titled", about["order"] == 2 * stages - 2, about["order"], printed=f"order {2 * stages - 2}")
    lab.says("the program finds the printed pair symplectic", about["symplectic"], remark=about["remark"])
    for model in ("charged-particle", "double-pendulum"):
        one, other = (lab.run(model, method=m, step="0.12", steps=100, precision="quad") for m in (method, pair))
        same = one["q"] == other["q"] and one["p"] == other["p"]
        lab.says(f"100 steps of the {model.replace('-', ' ')}: built in and from the file", same, "same bits")


@item("table-2.1", "Table 2.1: coefficients of the 2-stage Lobatto IIIA-IIIB method of order 2",
      [mutations.datum("table 2.1", with_entry("IIIB", 0, "0 | 1/2 1/2"), "a^_12 = 1/2 in the table"),
       mutations.method("lobatto-2", "gauss-2")])
def table_2_1(lab):
    """The printed coefficients, against those that the program uses. They are read off the program: one step on a field
    whose rates are the Lagrange polynomials of the nodes ends at b_j, b_i c_i, b_i a_ij and b_i times the coefficients
    of the second method. A file with the printed left half is a method too, and must give the same bits on both
    examples; the right half must be its dual, b_j (1 - a_ji/b_i)."""
    compare_table(lab, 2, "2.1", TABLE_2_1)


@item("table-2.2", "Table 2.2: coefficients of the 3-stage Lobatto IIIA-IIIB method of order 4",
      [mutations.datum("table 2.2", with_entry("IIIA", 1, "1/2 | 5/24 1/3 1/24"), "a_23 = +1/24 in the table"),
       mutations.datum("table 2.2", with_entry("IIIB", 0, "0 | 1/6 1/6 0"), "a^_12 = +1/6 in the table"),
       mutations.method("lobatto-3", "lobatto-4")])
def table_2_2(lab):
    """As for table 2.1: all coefficients are read off a step of the program, a file with the printed left half must
    give the same bits as the built-in method on both examples, and the right half must be its dual."""
    compare_table(lab, 3, "2.2", TABLE_2_2)


# The nodes of an independent program.
NODES = {
    "c2": "0.0329992847959704328338629",
    "c3": "0.107758263168427790688791",
    "c4": "0.217382336501897496764518",
    "c5": "0.352120932206530304284044",
}


@item("equation-2.7", "Formula (2.7): the nodes of the 11-stage Lobatto method of order 20",
      [mutations.method("lobatto-11", "lobatto-10"),
       mutations.text('a3 = "9/19"', 'a3 = "9/20"'),
       mutations.text('e2 = "96912/28800941"', 'e2 = "96912/28800940"')])
def equation_2_7(lab):
    """The paper gives the nodes in closed form. As it is transcribed the formula has no value, because the arccos is
    taken of 3/(2c) = 2.7; with 3c/2 there, the nodes are still wrong by up to 1e-2. With both 3c/2 and the opposite
    sign of u in the four deltas it is right. All three forms are evaluated by the program in 100 digits, and held
    against the nodes of an independent program, against the zeros of the Jacobi polynomial (2.6), and against the
    stages that lobatto-11 itself uses: a step on missed' = |product of (t - c_i)| ends at 0 only if each of them is
    one of the c_i."""
    right = lab.run("nodes-11", method="lobatto-11", precision="100")
    values = {name: right["observables"][name]["final"] for name in NODES}
    for name, digits in NODES.items():
        given = len(digits) - 2
        lab.says(f"{name}, {given} digits", round_to(values[name], given) == Fraction(digits),
                 f"{values[name][:28]}...e{values[name].partition('e')[2]}", remark=f"independent program: {digits}")
    slopes = np.polynomial.legendre.Legendre.basis(10).deriv()  # a multiple of P_9^(1,1)
    for name in NODES:
        y = 2 * float(Fraction(values[name])) - 1
        lab.at_most(f"P_9^(1,1)(2 {name} - 1), in double", abs(slopes(y)) / abs(slopes.deriv()(y)), 1e-15,
                    "distance from the zero, by one Newton step: round-off")
    lab.at_most("corrected form: what the stages of lobatto-11 miss", float(right["q"]["missed"]), 1e-100,
                "round-off of 100 digits", printed="all else of (2.7)")

    argument = 3 / (2 * np.sqrt(13 / 42))
    refused = lab.run("nodes-11", method="lobatto-11", precision="100", set={"argument": "3/(2*c)"}, codes=(0, 2))
    lab.contradicts("as transcribed: arccos(3/(2c))", refused.json == {} and argument > 1, f"arccos({argument:.4f})",
                    "the program refuses it: a function outside of its domain", printed="arccos(3/(2c))")
    half = lab.run("nodes-11", method="lobatto-11", precision="100", set={"sign": -1})
    ordered = sorted(float(half["observables"][name]["final"]) for name in NODES)
    wrong = max(abs(x - float(text)) for x, text in zip(ordered, NODES.values()))
    lab.contradicts("with 3c/2, and u as transcribed", 5e-3 < wrong < 2e-2 and float(half["q"]["missed"]) > 1e-8,
                    f"nodes off by {wrong:.2e}", "u must have the opposite sign in the four deltas",
                    printed="-u, -u, u, u")


def round_to(text, decimals):
    unit = Fraction(1, 10**decimals)
    return round(Fraction(text) / unit) * unit
