"""What the items share: the two chains of the paper as arrays. All masses are 1, and all links g = (|d|^2 - 1)/2."""

import numpy as np

AXES = ("x", "y")


def motion(answer):
    """q and p of all recorded states: two arrays with one row for each state, x1, y1, x2, y2, ..."""
    names = [name for name in answer.columns if name[0] in AXES and name[1:].isdigit()]
    q = np.stack([answer[name] for name in names], axis=1)
    p = np.stack([answer["p_" + name] for name in names], axis=1)
    return q, p


def last_state(answer):
    """(q, p) at the end of a run, as one vector."""
    return np.array([float(value) for part in ("q", "p") for value in answer[part].values()])


def energy_error(answer):
    """H - H(0) of all recorded states."""
    return answer["energy"] - answer["energy"][0]


def links(z):
    """The differences of neighbours, d_k = z_(k+1) - z_k, of one row or of many."""
    nodes = z.reshape(*z.shape[:-1], -1, len(AXES))
    return nodes[..., 1:, :] - nodes[..., :-1, :]


def hidden(q, p):
    """g'(q) p."""
    return np.sum(links(q) * links(p), axis=-1)


def curvature(p):
    """g''[p, p], which does not depend on q."""
    return np.sum(links(p)**2, axis=-1)


def jacobian(q):
    """g'(q) of one position."""
    d = links(q)
    G = np.zeros((len(d), len(q)))
    for k, of in enumerate(d):
        G[k, 2 * k:2 * k + 2] = -of
        G[k, 2 * k + 2:2 * k + 4] = of
    return G


def half_steps(q, h):
    """p at half steps by its definition, (q_(n+1) - q_n)/h."""
    return np.diff(q, axis=0) / h


def multipliers(q, force):
    """The lambda for which g'(q)^t lambda is nearest to a force, for each row."""
    return np.array([np.linalg.lstsq(jacobian(x).T, f, rcond=None)[0] for x, f in zip(q, force)])


def tangent(q, p):
    """(I - H(q)) p, for each row."""
    found = multipliers(q, p)
    return p - np.array([jacobian(x).T @ of for x, of in zip(q, found)])


def spring_matrix(kappa=1.0):
    """K as it is printed in section 7, with blocks I_2."""
    blocks = np.array([[1, 0, -1, 0, 0, 0], [0, 1, 0, -1, 0, 0], [-1, 0, 2, 0, -1, 0],
                       [0, -1, 0, 2, 0, -1], [0, 0, -1, 0, 1, 0], [0, 0, 0, -1, 0, 1]])
    return kappa * np.kron(blocks, np.eye(2))


def slope(steps, errors):
    """That of log(error) over log(h) between the two smallest steps."""
    return float(np.log(errors[-2] / errors[-1]) / np.log(steps[-2] / steps[-1]))


def every(values, count=2000):
    """At most so many of them, for tables and lines."""
    return values[::max(1, -(-len(values) // count))]


def largest(values):
    return float(np.max(np.abs(values)))


def longest(rows):
    """The largest Euclidean norm of a row."""
    return float(np.max(np.linalg.norm(rows, axis=-1)))
