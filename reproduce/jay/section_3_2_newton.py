"""The simplified Newton iterations (3.15) for the stages of (3.11), on the double pendulum of example 2."""

import numpy as np

import mutations
from item import item
from jay.section_2_1_coefficients import TABLE_2_2, numbers


def matrix(half):
    return np.array([[float(x) for x in numbers(row)[1:]] for row in TABLE_2_2[half][:-1]])


A, A_HAT = matrix("IIIA"), matrix("IIIB")
S = len(A)
FORCE = np.array([0.0, 1.0, 0.0, 1.0])  # H_q of example 2, where all masses, lengths and g are 1


def g(q):
    return np.array([np.hypot(q[0], q[1]) - 1, np.hypot(q[2] - q[0], q[3] - q[1]) - 1])


def G(q):
    a, b = q[:2] / np.hypot(*q[:2]), (q[2:] - q[:2]) / np.hypot(*(q[2:] - q[:2]))
    return np.array([[*a, 0, 0], [*-b, *b]])


def residual(q0, p0, h, Q, P, L):
    """(3.11): Q of the stages 2 to s, P of all, and the multipliers L of the stages 1 to s - 1."""
    stages = np.vstack([q0, Q])
    forces = np.array([FORCE + G(stages[j]).T @ L[j] for j in range(S - 1)])
    return np.concatenate([(Q - q0 - h * A[1:] @ P).ravel(), (P - p0 + h * A_HAT[:, :-1] @ forces).ravel(),
                           np.array([g(q) for q in Q]).ravel()])


def simplified_newton(q0, p0, lambda0, h, sign, iterations):
    """The changes of Q and P in each iteration, and the last Q. `sign`: of the entry (2, 3) of the matrix."""
    n, m = 4, 2
    nQ, nP, nL = (S - 1) * n, S * n, (S - 1) * m
    J = np.zeros((nQ + nP + nL, nQ + nP + nL))
    J[:nQ, :nQ] = np.eye(nQ)
    J[:nQ, nQ:nQ + nP] = -h * np.kron(A[1:], np.eye(n))
    J[nQ:nQ + nP, nQ:nQ + nP] = np.eye(nP)
    J[nQ:nQ + nP, nQ + nP:] = sign * h * np.kron(A_HAT[:, :-1], G(q0).T)
    J[nQ + nP:, :nQ] = np.kron(np.eye(S - 1), G(q0))
    x = np.concatenate([np.tile(q0, S - 1), np.tile(p0, S), np.tile(lambda0, S - 1)])
    changes = []
    for _ in range(iterations):
        Q, P, L = (part.reshape(-1, k) for part, k in zip(np.split(x, [nQ, nQ + nP]), (n, n, m)))
        dx = np.linalg.solve(J, residual(q0, p0, h, Q, P, L))
        x = x - dx
        changes.append(np.max(np.abs(dx[:nQ + nP])))
    return np.array(changes), x[:nQ].reshape(-1, n)[-1]


def start_and_end(lab, steps):
    """A state with motion in it, and where the program's next step leads."""
    before, after = (lab.run("double-pendulum", method="lobatto-3", step="0.12", steps=k) for k in (steps, steps + 1))
    start = (np.array(list(before[part].values())) for part in ("q", "p", "lambda"))
    return *start, np.array(list(after["q"].values()))


def contraction(changes, first=3):
    """Mean factor from one change to the next, as long as they are above rounding errors."""
    seen = [x for x in changes[first:] if x > 1e-13]
    return (seen[-1] / seen[0]) ** (1 / (len(seen) - 1))


@item("equation-3.15", "Matrix (3.15): simplified Newton iterations for the stages",
      [mutations.datum("sign of the entry (2, 3)", lambda sign: -sign, "the printed sign of the entry (2, 3)"),
       mutations.method("lobatto-3", "lobatto-4")])
def equation_3_15(lab):
    """With the matrix (3.15) as approximate Jacobian, (3.11) is to be solved by very simple iterations, for which only
    one matrix, (G H_pp G^T)(q_0, p_0), is decomposed. For the residual of (3.11) the entry (2, 3) needs a plus sign.
    Both signs are iterated here, with the coefficients of table 2.2, from a state of a run of the program: with plus
    the iteration contracts, by a factor that is proportional to h, to the q_1 that the program finds; with the printed
    minus it diverges. So each iteration adds one order, and a method of higher order needs more of them, as the paper
    says. With `--newton start` the program uses this matrix: one decomposition a step whatever the number of stages,
    and the same result as with the full Newton matrix."""
    q0, p0, lambda0, q1 = start_and_end(lab, 50)
    sign = lab.datum("sign of the entry (2, 3)", 1)
    plus, q = simplified_newton(q0, p0, lambda0, 0.12, sign, 16)
    lab.between("plus: factor of contraction, h = 0.12", contraction(plus), 0.05, 0.15,
                "an independent program: 10 times an iteration")
    lab.at_most("plus: distance from the program's q_1", np.max(np.abs(q - q1)), 5e-15, "round-off")
    finer, _ = simplified_newton(q0, p0, lambda0, 0.03, sign, 16)
    lab.between("plus: contraction with h = 0.12, over that with 0.03", contraction(plus) / contraction(finer), 3, 5,
                "proportional to h: 4")
    orders = np.log2(np.array(finer) / simplified_newton(q0, p0, lambda0, 0.015, sign, 16)[0])
    gained = (orders[6] - orders[2]) / 4
    lab.between("orders that an iteration adds", gained, 0.9, 1.1,
                "changes of iterations 3 to 7 with h = 0.03 and 0.015: "
                + ", ".join(f"h^{order:.1f}" for order in orders[2:7]),
                printed="the higher the order, the more iterations")
    minus, _ = simplified_newton(q0, p0, lambda0, 0.12, -sign, 9)
    growth = (minus[8] / minus[4]) ** (1 / 4)
    lab.contradicts("minus: growth of the changes, an iteration", 1.8 < growth < 2.2, f"{growth:.2f}",
                    "the multipliers are changed the wrong way, and what is wrong doubles", printed="-h A^_0 (x) G^T")

    count = 100 if lab.quick else 1000
    for stages in (2, 3, 5):
        run = lab.run("double-pendulum", method=f"lobatto-{stages}", step="0.12", steps=count, newton="start")
        lab.says(f"lobatto-{stages} --newton start: decompositions in {count} steps",
                 run["evaluations"]["factorisation"] == count, run["evaluations"]["factorisation"],
                 f"{run['newton']['iterations_mean']:.1f} iterations a step", printed="only one decomposition")
    simple, full = (lab.run("double-pendulum", method="lobatto-3", step="0.12", steps=100, newton=how)
                    for how in ("start", "full"))
    apart = max(abs(simple[part][name] - full[part][name]) for part in ("q", "p") for name in full[part])
    lab.at_most("100 steps, --newton start and full: largest difference", apart, 1e-12, "rounding errors")
    lab.table("equation-3.15", {"iteration": range(1, 10), "plus": plus[:9], "minus": minus[:9]})
    lab.figure("equation-3.15", draw_iterations(plus, minus))


def draw_iterations(plus, minus):
    def draw(figure):
        axes = figure.subplots()
        axes.semilogy(range(1, len(plus) + 1), plus, "o-", label="entry (2, 3) with a plus sign")
        axes.semilogy(range(1, len(minus) + 1), minus, "s-", label="with a minus sign, as printed")
        axes.set_xlabel("iteration")
        axes.set_ylabel("largest change of Q and P")
        axes.legend()

    return draw
