"""Derivatives of a numerical map by its start, from neighbouring runs in quad precision: differences of 1e-12 leave
some twenty digits, so that a determinant that should be 1 can be told from one that is nearly 1."""

import decimal
import itertools

import numpy as np

APART = decimal.Decimal("1e-12")
DIGITS = 40
ROUNDING = "differences of runs with 34 digits that are 1e-12 apart"


def exact(value):
    """A number of the program as it was printed."""
    return decimal.Decimal(value)


def end_state(lab, model, start, **options):
    """Positions, then momenta (of a field its variables), after a run from this start, in quad precision."""
    answer = lab.run(model, precision="quad", set={name: str(value) for name, value in start.items()}, **options)
    return [exact(value) for part in ("q", "p") for value in answer[part].values()]


def jacobian(lab, model, start, **options):
    """d(end)/d(start): a column for each parameter of the start, in their order."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        start = {name: exact(value) for name, value in start.items()}
        columns = []
        for name in start:
            beyond = end_state(lab, model, {**start, name: start[name] + APART}, **options)
            before = end_state(lab, model, {**start, name: start[name] - APART}, **options)
            columns.append([(b - a) / (2 * APART) for a, b in zip(before, beyond)])
        return np.array(columns, dtype=object).T


def determinant_defect(matrix):
    """det - 1."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        n = len(matrix)
        total = decimal.Decimal(0)
        for order in itertools.permutations(range(n)):
            odd = sum(order[i] > order[j] for i in range(n) for j in range(i + 1, n)) % 2
            product = decimal.Decimal(-1 if odd else 1)
            for i in range(n):
                product *= matrix[i][order[i]]
            total += product
        return float(total - 1)


def symplectic_defect(matrix):
    """The largest entry of M^T J M - J, for states (q, p)."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        n = len(matrix) // 2
        one, zero = np.eye(n, dtype=int), np.zeros((n, n), dtype=int)
        J = np.block([[zero, one], [-one, zero]]) * decimal.Decimal(1)
        return float(np.max(np.abs(matrix.T.dot(J).dot(matrix) - J)))
