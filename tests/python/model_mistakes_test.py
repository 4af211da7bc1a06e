"""Mistakes in models: each an exception that says what is wrong, and where."""
import numpy as np
import pytest

from holonom import InputError, Model, dot, pairs


def mistakes():
    """What is said, and what the message must have."""
    def with_vector(f):
        def say(m):
            r = m.vector("r", count=4, dim=2)
            return f(m, r)
        return say

    def with_coordinates(f):
        def say(m):
            x, y = m.coordinates("x y")
            return f(m, x, y)
        return say

    c, v = with_coordinates, with_vector
    return [
        (lambda m: m.coordinates("x x"), "'x' is used twice"),
        (lambda m: m.coordinate("2x"), "is not a name"),
        (lambda m: m.coordinate("sin"), "name of a function"),
        (lambda m: m.coordinate("t"), "reserved"),
        (lambda m: [m.coordinate("x"), m.parameter("p_x", 1)], "'p_x' is used twice"),
        (lambda m: m.parameter("k", float("nan")), "parameter 'k': .* finite"),
        (lambda m: m.parameter("k", "1 +"), r"in parameter 'k' \"1 \+\", column 4: the formula ends"),
        (lambda m: m.vector("r", count=0, dim=2), "at least 1"),
        (lambda m: m.vector("r", count=3, dim=4), "dim = 1, 2 or 3"),
        (v(lambda m, r: m.coordinate("x")), "before the vector 'r'"),
        (c(lambda m, x, y: [m.start([1, 2]), m.coordinate("z")]), "before the start"),
        (c(lambda m, x, y: setattr(m, "potential", m.momentum(x))), "the potential uses p_x: .* coordinates alone"),
        (c(lambda m, x, y: setattr(m, "potential", m.velocity(y))), "the potential uses v_y"),
        (c(lambda m, x, y: setattr(m, "kinetic", m.momentum(x)**2)), "kinetic energy uses p_x: write it with velocities"),
        (c(lambda m, x, y: setattr(m, "hamiltonian", m.velocity(x)**2)), "hamiltonian uses v_x: write it with momenta"),
        (c(lambda m, x, y: [setattr(m, "mass", 1), setattr(m, "kinetic", 1)]), "one form"),
        (c(lambda m, x, y: setattr(m, "mass", [1, 2, 3])), r"shape \(3,\)"),
        (c(lambda m, x, y: setattr(m, "mass", [x, 1])), "mass of 'x' uses x: it must not depend"),
        (c(lambda m, x, y: setattr(m, "mass", {"x": 1})), "no entry for 'y'"),
        (c(lambda m, x, y: setattr(m, "mass", {"x": 1, "y": 1, "z": 1})), "names 'z'"),
        (v(lambda m, r: setattr(m, "mass", {"r": [1.0, 2.0]})), "one for each of the 4 items"),
        (v(lambda m, r: setattr(m, "mass", {"r": [1.0, 2.0, -1.0, 1.0]})), "is -1.0; a mass must be a positive"),
        (v(lambda m, r: setattr(m, "kinetic", 1)), "as mass and potential"),
        (c(lambda m, x, y: m.constrain("g", x**2 + y**2 == 1)), "is a comparison"),
        (c(lambda m, x, y: m.constrain("g", x < 1)), "is a comparison"),
        (c(lambda m, x, y: m.constrain("g", m.momentum(x))), "constraint 'g' uses p_x"),
        (c(lambda m, x, y: m.constrain("g", 1)), "does not depend on any coordinate"),
        (c(lambda m, x, y: [m.constrain("g", x), m.constrain("g", y)]), "declared twice"),
        (c(lambda m, x, y: m.constrain("g h", x)), "is not a name"),
        (c(lambda m, x, y: m.constrain("stack", x)), "reserved"),
        (c(lambda m, x, y: m.constrain("g", "x^2 + z")), "column 7: unknown name 'z'"),
        (c(lambda m, x, y: m.constrain("g", "[x, y]")), "must be a number, not a vector"),
        (c(lambda m, x, y: m.invariant("I", m.velocity(x))), "uses v_x: write it with momenta"),
        (c(lambda m, x, y: m.invariant("energy", x)), "column of that name"),
        (c(lambda m, x, y: m.invariant("x", x)), "column of that name"),
        (c(lambda m, x, y: [m.invariant("I", x), m.observable("I", x)]), "column of that name"),
        (c(lambda m, x, y: m.event("e", 1)), "never changes"),
        (c(lambda m, x, y: m.event("e", x, direction="left")), "direction"),
        (c(lambda m, x, y: m.event("e", x > 0)), "comparison"),
        (c(lambda m, x, y: m.momentum(x + y)), "not of the formula"),
        (c(lambda m, x, y: m.multiplier("g")), "no constraint 'g'"),
        (c(lambda m, x, y: m["z"]), "unknown name 'z'"),
        (c(lambda m, x, y: m.reverse(["p_z"])), "flip takes"),
        (c(lambda m, x, y: m.set_units(z="m")), "does not have"),
        (c(lambda m, x, y: m.chart([x, y])), "has none"),
        (c(lambda m, x, y: m.start({"x": 1})), "no value for 'y'"),
        (c(lambda m, x, y: m.start({"x": 1, "y": 1, "z": 1})), "names 'z'"),
        (c(lambda m, x, y: m.start([1, float("inf")])), "start of 'y': .* finite"),
        (c(lambda m, x, y: m.start([1, x])), "start of 'y' uses x"),
        (c(lambda m, x, y: m.start([1, 2, 3])), r"shape \(3,\)"),
        (c(lambda m, x, y: m.start([1, 2], p=[0, 0], v=[0, 0])), "not both"),
        (c(lambda m, x, y: m.start([1, 2], keep=["v_x"])), "velocities"),
        (c(lambda m, x, y: m.start([1, 2], keep=["z"])), "keep takes"),
        (v(lambda m, r: m.start(np.zeros((3, 2)))), r"shape \(3, 2\)"),
        (v(lambda m, r: m.start({"r": np.full((4, 2), np.nan)})), "start of 'r' is not finite, first in item 0"),
        (v(lambda m, r: m.start({"r": "zeros"})), "array of numbers"),
        (v(lambda m, r: m.sum([[0, 1], [1, 4]], lambda i, j: dot(r[i], r[j]))), r"row 1 of this term asks for r\[4\]"),
        (v(lambda m, r: m.stack("s", [0, 1, 2, 3], lambda i: r[i + 1][0])), r"row 3 of 's' asks for r\[4\]"),
        (v(lambda m, r: m.stack("s", [-1], lambda i: r[i][0])), r"row 0 of 's' asks for r\[-1\]"),
        (v(lambda m, r: m.stack("s", [[1, 1]], lambda i, j: r[i][0] - r[j][0])), "same item twice"),
        (v(lambda m, r: m.stack("s", [0], lambda i: i + 1)), "does not depend on any coordinate"),
        (v(lambda m, r: m.stack("s", [0], lambda i: m.velocity(r)[i][0])), "uses v_r: .* coordinates alone"),
        (v(lambda m, r: m.stack("s", [0], lambda i: r[i/2 + 0.5][0])), r"asks for r\[0.5\]"),
        (v(lambda m, r: m.stack("s", [0.5], lambda i: r[i][0])), "whole numbers"),
        (v(lambda m, r: m.stack("s", np.zeros((1, 1, 1), int), lambda i: r[i][0])), "whole numbers"),
        (v(lambda m, r: m.stack("s", [2**40], lambda i: r[i][0])), "row 0 of the column 'i'"),
        (v(lambda m, r: m.sum([0, 1], lambda i, k: k*r[i][0], k=[1.0, float("nan")])), "row 1 of the column 'k'"),
        (v(lambda m, r: m.sum([0, 1], lambda i, k: k*r[i][0], k=[1.0])), "each of the 2 rows"),
        (v(lambda m, r: m.sum([0, 1], lambda i, k: k*r[i][0], k=["a", "b"])), "needs numbers"),
        (v(lambda m, r: m.sum([0, 1], lambda i, k: k*r[i][0], k=np.array([1, 2**64 - 5], dtype="uint64"))),
         "row 1 of the column 'k' is 18446744073709551611, beyond the range of an index"),
        (v(lambda m, r: m.sum(np.array([2**64 - 2], dtype="uint64"), lambda i: r[i][0])), "row 0 of the column 'i' is 18446744073709551614, beyond"),
        (v(lambda m, r: m.sum([0, 1], lambda i, k: k*r[i][0], k=np.ma.array([1.0, 2.0], mask=[0, 1]))), "the column 'k': some entries are masked"),
        (v(lambda m, r: m.sum(np.ma.array([0, 1], mask=[0, 1]), lambda i: r[i][0])), "table: some entries are masked"),
        (v(lambda m, r: setattr(m, "mass", {"r": np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[0, 0, 0, 1])})), "mass of 'r': some entries are masked"),
        (c(lambda m, x, y: setattr(m, "mass", np.ma.array([1.0, 2.0], mask=[0, 1]))), "mass: some entries are masked"),
        (v(lambda m, r: m.sum([0], lambda i: r[i][0], part="quick")), "slow"),
        (v(lambda m, r: leak(m, r)), "index of 'r' in this term must be a formula of the table's own"),
        (v(lambda m, r: setattr(m, "potential", leaked_index(m, r))), "belongs to a table"),
        (v(lambda m, r: m.start(np.zeros((4, 2))) or m.energy(np.zeros(8), np.zeros(8))), "potential is missing"),
        (v(lambda m, r: [setattr(m, "potential", 0), m.energy(np.zeros(8), np.zeros(8))]), "mass"),
        (lambda m: m.energy([], []), "at least one coordinate"),
        (lambda m: m.variables("x") is None or m.coordinate("y"), "variables, not coordinates"),
        (lambda m: [m.variables("x y"), m.field(["y"])], "needs 2 values"),
        (lambda m: [m.variables("x"), m.constrain("g", "x")], "a field has no constraints"),
    ]


def leaked_index(model, r):
    kept = []
    model.sum([0], lambda i: kept.append(i) or r[i][0])
    return kept[0]


def leak(model, r):
    i = leaked_index(model, r)
    model.sum([0], lambda j: r[i][1] + r[j][0])


@pytest.mark.parametrize("say, message", mistakes())
def test_mistakes(say, message):
    with pytest.raises(InputError, match=message) as caught:
        say(Model("bad"))
    assert isinstance(caught.value, ValueError) and str(caught.value).startswith("bad: ")


def test_mistakes_of_type():
    model = Model("bad")
    x, y = model.coordinates("x y")
    for value in (None, [x], np.array([x, y]), {}, object()):
        with pytest.raises(TypeError, match="constraint 'g' must be an expression"):
            model.constrain("g", value)
    other = Model("vectors")
    r = other.vector("r", count=4, dim=2)
    for index in (1.5, None, [0], slice(0, 2), np.array([0, 1])):
        with pytest.raises(TypeError):
            r[index]
    with pytest.raises(IndexError, match="items 0 to 3"):
        r[4]
    assert repr(r[-1][0]) == "r[3].x" and len(list(r)) == 4
    with pytest.raises(ZeroDivisionError):
        other.sum([0], lambda i: 1/0)
    with pytest.raises(TypeError):
        other.sum([[0, 1]], lambda i: r[i][0])


def test_masses_and_states_of_what_is_no_number():
    model = Model("bad")
    x, y = model.coordinates("x y")
    r = Model("vectors")
    r.vector("r", count=2, dim=1)
    for values in (np.array([1, 2], "datetime64[s]"), np.array([1, 2], "timedelta64[ns]"), np.array([1, 2j])):
        for say in (lambda: setattr(model, "mass", values), lambda: setattr(r, "mass", {"r": values})):
            with pytest.raises((TypeError, InputError), match="numbers were expected, not"):
                say()
    model.mass, model.potential = 1, x + y
    zero = [0.0, 0.0]
    for values in ([None, 0], np.array([1, 2], "datetime64[s]"), np.array([1, 2], "timedelta64[s]"), np.array([1, 2j])):
        for f in (model.energy, model.forces, model.velocities):
            with pytest.raises(TypeError, match="q: numbers were expected, not"):
                f(values, zero)
            with pytest.raises(TypeError, match="p: numbers were expected, not"):
                f(zero, values)
        with pytest.raises(TypeError, match="q: numbers were expected, not"):
            model.constraints_at(values)
    with pytest.raises(InputError, match="q: some entries are masked"):
        model.energy(np.ma.array([1.0, 2.0], mask=[1, 0]), zero)


def test_tables_of_pairs_are_counted_by_whole_numbers():
    for bad in (2.5, "3", -1, None):
        with pytest.raises(InputError, match="count = .*whole number"):
            pairs(bad)
    with pytest.raises(InputError, match="beyond = .*whole number"):
        pairs(4, beyond=0.5)
    assert pairs(np.int8(3)).tolist() == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize("call, error, message", [
    (lambda m: m.coordinates([1, 2]), TypeError, "a name was expected, not int"),
    (lambda m: m.coordinates(3), TypeError, "names were expected, not int"),
    (lambda m: m.coordinate(None), TypeError, "a name was expected, not NoneType"),
    (lambda m: m.variables([None]), TypeError, "a name was expected"),
    (lambda m: m.vector("r", 2**70, 2), InputError, "count = .* more than can be counted"),
    (lambda m: m.vector("r", 2.5, 2), InputError, "count = 2.5"),
    (lambda m: m.vector("r", 2, "2"), InputError, "dim = '2'"),
    (lambda m: m.vector(1, 2, 2), TypeError, "a name was expected"),
    (lambda m: setattr(m, "every", 2**70), InputError, "every = .* more than can be counted"),
    (lambda m: setattr(m, "every", 1.5), InputError, "every = 1.5"),
    (lambda m: setattr(m, "method", 5), TypeError, "method: a name was expected, not int"),
    (lambda m: m.constrain(1, "x"), TypeError, "a name was expected"),
    (lambda m: m.invariant(None, "x"), TypeError, "a name was expected"),
    (lambda m: m.observable(2, "x"), TypeError, "a name was expected"),
    (lambda m: m.event(2, "x"), TypeError, "a name was expected"),
    (lambda m: m.event("e", "x", direction=1), TypeError, "direction: a name was expected"),
    (lambda m: m.parameter(2, 1), TypeError, "a name was expected"),
    (lambda m: m[3], TypeError, "a name was expected"),
    (lambda m: m.multiplier(3), TypeError, "a name was"),
    (lambda m: m.stack(3, [0], lambda i: i), TypeError, "a name was expected"),
    (lambda m: m.set_units(x=3), TypeError, "unit of x: a name was expected"),
    (lambda m: m.matrix("R", 2.5, 2), InputError, "rows = 2.5"),
    (lambda m: Model.parse(None), TypeError, "text of a model file was expected, not NoneType"),
    (lambda m: Model.parse("", name=3), TypeError, "name: a name was expected"),
    (lambda m: Model(3), TypeError, "name: a name was expected"),
    (lambda m: Model.of(3), TypeError, "a Model was expected, not int"),
    (lambda m: m.mass, AttributeError, "mass .* set, not read: .*momenta")])
def test_what_is_no_argument_at_all(call, error, message):
    with pytest.raises(error, match=message) as raised:
        call(Model("bad"))
    assert "incompatible function arguments" not in str(raised.value)
