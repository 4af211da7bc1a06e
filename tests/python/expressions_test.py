"""Expressions: operators, numbers, numpy's functions, and what is refused."""
import decimal
import fractions
import gc
import math
import re

import numpy as np
import pytest

import holonom
from holonom import InputError, Model, cross, dot, maximum, minimum, norm, where


@pytest.fixture
def model():
    return Model("some")


def value(expression, **at):
    """The value of an expression with two variables, by way of a potential energy."""
    model = Model("values")
    names = list(at)
    q = model.coordinates(names)
    model.mass = 1
    model.potential = expression(*q)
    return model.energy(np.array(list(at.values()), dtype=float), np.zeros(len(names)))


# ---- operators

@pytest.mark.parametrize("f", [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y, lambda x, y: x**y,
    lambda x, y: -x + (+y), lambda x, y: abs(x - y), lambda x, y: x**3, lambda x, y: x**-2, lambda x, y: x**0.5,
    lambda x, y: 2 + x, lambda x, y: 2 - x, lambda x, y: 2 * x, lambda x, y: 2 / x, lambda x, y: 2**x,
    lambda x, y: 7 // x, lambda x, y: (5 * x) // y, lambda x, y: (5 * x) % y, lambda x, y: (-5 * x) % y,
    lambda x, y: np.float64(1.5) * x, lambda x, y: x * np.int32(3), lambda x, y: np.float32(0.5) - x,
])
def test_operators_are_those_of_numbers(f):
    assert value(f, x=1.3, y=0.7) == pytest.approx(f(1.3, 0.7), rel=1e-15)


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "log",
                                  "sqrt", "floor", "ceil", "square", "reciprocal", "radians", "degrees", "log10", "fabs", "abs",
                                  "deg2rad", "rad2deg", "log2", "exp2", "expm1", "sign"])
def test_functions_of_numpy(name):
    f = getattr(np, name)
    assert value(lambda x: f(x), x=0.37) == pytest.approx(f(0.37), rel=1e-14)


def test_functions_of_two():
    assert value(lambda x, y: np.arctan2(y, x), x=-0.3, y=0.4) == pytest.approx(math.atan2(0.4, -0.3))
    assert value(lambda x, y: np.hypot(x, y), x=3, y=4) == 5


def test_functions_of_a_number_and_an_expression(model):
    x, y = r = model.coordinates("x y")
    assert repr(np.arctan2(2.0, x)) == repr(np.arctan2(np.float64(2), x)) == "atan2(2, x)" and repr(np.hypot(3, x)) == repr(np.hypot(x, 3))
    assert [repr(f) for f in np.arctan2([1, 2], x)] == ["atan2(1, x)", "atan2(2, x)"]
    assert [repr(f) for f in np.arctan2(x, [1, 2])] == ["atan2(x, 1)", "atan2(x, 2)"]
    assert [repr(f) for f in np.arctan2(r, x)] == ["atan2(x, x)", "atan2(y, x)"]
    assert [repr(f) for f in np.arctan2(x, r)] == ["atan2(x, x)", "atan2(x, y)"]
    assert [repr(f) for f in np.arctan2(r, [1, 2])] == ["atan2(x, 1)", "atan2(y, 2)"]
    assert [repr(f) for f in np.hypot(np.array([3.0, 4.0]), x)] == [repr(f) for f in np.hypot(x, np.array([3.0, 4.0]))]


def test_operators_of_arrays_and_of_numbers_of_numpy(model):
    x, y = r = model.coordinates("x y")
    a = np.array([1.0, 2.0])
    assert [repr(f) for f in (2.0*x, np.float64(2)*x, np.longdouble(2)*x, np.int8(2)*x, np.array(2)*x, np.multiply(2, x))] == 6*["2*x"]
    assert [repr(f) for f in np.longdouble("0.1") - r] == ["1/10 - x", "1/10 - y"] == [repr(f) for f in np.array(["0.1"]*2, dtype=np.longdouble) - r]
    assert [repr(f) for f in a*x] == ["x", "2*x"] == [repr(f) for f in x*a] == [repr(f) for f in a*np.array([x, x])]
    assert [repr(f) for f in a**x] == ["1^x", "2^x"] and [repr(f) for f in x - a] == ["x - 1", "x - 2"]
    assert repr(a @ r) == "x + 2*y" and repr(np.add.reduce(r)) == repr(np.sum(r)) == "x + y"
    assert [[repr(f) for f in row] for row in np.multiply.outer(a, x*a)] == [["x", "2*x"], ["2*x", "4*x"]]
    assert repr(np.float64(1) < x) == repr(1 < x) and repr(np.float64(1) == x) == repr(x == 1)
    assert [repr(f) for f in (a < x)] == ["1 < x", "2 < x"] == [repr(f) for f in x > a]
    assert [repr(f) for f in a == x] == ["x == 1", "x == 2"]
    with pytest.raises(TypeError):
        np.datetime64("2020") + x
    r += x
    assert [repr(f) for f in r] == ["2*x", "x + y"]


def test_functions_of_numpy_of_arrays_are_those_of_elements(model):
    x, y = r = model.coordinates("x y")
    for f in (np.sin, np.log2, np.exp2, np.expm1, np.deg2rad, np.rad2deg, np.square):
        assert [repr(f(a)) for a in r] == [repr(a) for a in f(r)]
    assert value(lambda x: np.expm1(x), x=1e-20) == 1e-20


@pytest.mark.parametrize("name, remedy", [
    ("log1p", "np.log(1 + x)"), ("arcsinh", "np.log(x + np.sqrt(x**2 + 1))"), ("arctanh", "np.log((1 + x)/(1 - x))/2"),
    ("arccosh", "np.log(x + np.sqrt(x**2 - 1))"), ("cbrt", "where(x < 0, -(-x)**"), ("rint", "np.floor(x + 0.5)"),
    ("fmod", "x % y"), ("maximum", "minimum and maximum")])
def test_functions_of_numpy_that_are_not_there(model, name, remedy):
    x, y = r = model.coordinates("x y")
    for of in (x, r):
        with pytest.raises(TypeError, match=re.escape(remedy)):
            getattr(np, name)(*[of, 2][:getattr(np, name).nin])


def test_functions_of_arrays(model):
    r = model.coordinates("x y z")
    assert [repr(a) for a in np.sin(r)] == ["sin(x)", "sin(y)", "sin(z)"]
    assert repr(r @ r) == repr(dot(r, r)) == repr(r.dot(r))
    assert repr(norm(r)) == repr(np.linalg.norm(r))
    assert repr(np.arange(3) * r[0] + 1) == repr(np.array([1 + 0 * r[0], r[0] + 1, 2 * r[0] + 1]))


def test_vectors():
    u, v = np.array([1.0, 2.0, 3.0]), np.array([-2.0, 0.5, 4.0])
    for k in range(3):
        got = value(lambda a, b, c: cross([a, b, c], v)[k], a=u[0], b=u[1], c=u[2])
        assert got == pytest.approx(np.cross(u, v)[k])
    with pytest.raises(InputError, match="three components"):
        cross([1, 2], [3, 4])
    with pytest.raises(InputError, match="one size"):
        dot([1, 2], [3, 4, 5])


@pytest.mark.parametrize("kind", ["int8", "uint8", "float16", "float32", "int64"])
def test_vectors_of_small_numbers_lose_nothing(kind):
    u = np.array([100, 100], dtype=kind)
    assert dot(u, u) == 20000 and norm(np.array([1, 1], dtype=kind)) == math.sqrt(2)
    assert dot(u, u).dtype == cross(np.array([1, 2, 3], dtype=kind), [1, 0, 0]).dtype == np.float64


# ---- choices

@pytest.mark.parametrize("x", [-1.0, 0.0, 2.0])
def test_choices(x):
    assert value(lambda a: where(a < 0, 3, a + 5), x=x) == (3 if x < 0 else x + 5)
    assert value(lambda a: minimum(a, 1) + 10 * maximum(a, 1), x=x) == min(x, 1) + 10 * max(x, 1)
    for f in (lambda a: a < 0, lambda a: a <= 0, lambda a: a > 0, lambda a: a >= 0, lambda a: a == 0, lambda a: a != 0):
        assert value(lambda a: f(a) + 0, x=x) == f(x)
    assert value(lambda a: where((a > -2) & ~(a > 1), 1, 0), x=x) == (x <= 1)
    assert value(lambda a: where((a < -0.5) | (a > 1), 1, 0), x=x) == (abs(x) >= 1)


def test_choices_of_numbers_and_arrays(model):
    assert minimum(2, 3) == 2 and maximum(2.0, 3) == 3
    assert where(np.array([True, False]), 1, 2).tolist() == [1, 2]
    x, y = model.coordinates("x y")
    assert [repr(a) for a in minimum(np.array([x, y]), 1)] == ["min(x, 1)", "min(y, 1)"]


def test_an_expression_is_neither_true_nor_false(model):
    x, y = model.coordinates("x y")
    with pytest.raises(TypeError, match="where"):
        1 if x < y else 2
    with pytest.raises(TypeError, match="neither true nor false"):
        min(x, y)
    with pytest.raises(TypeError):
        x < y < 1
    assert x == x and not (x != x)  # of itself, it is known


# ---- numbers

def test_numbers_are_exact(model):
    x = model.coordinate("x")
    assert repr(x * 9.81) == repr(x * "9.81") == repr(x * decimal.Decimal("9.81")) == "981*x/100"
    assert repr(x * 0.1 * 3 - x * 0.3) == "0"
    assert repr(x * fractions.Fraction(1, 3)) == repr(x * "1/3") == repr(x / 3)
    assert repr(x + 10**30) == "x + 1" + 30 * "0"
    assert repr(x * np.float64(0.1)) == "x/10" == repr(x * np.array(0.1)) == repr(x * np.longdouble("0.1"))
    assert repr(x * 1e300) == repr(x * 10**300)
    assert repr(x + True) == "1 + x"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.nan, np.float32("inf"), decimal.Decimal("NaN"),
                                 np.longdouble("nan"), np.longdouble("inf"), "x", "", "1/0", "1e9999", "nan"])
def test_numbers_that_are_none(model, bad):
    x = model.coordinate("x")
    with pytest.raises(InputError):
        x * bad
    with pytest.raises(InputError):
        bad * x if not isinstance(bad, str) else x + bad


@pytest.mark.parametrize("bad", [None, [], {}, 1j, object(), np.datetime64("2020")])
def test_what_is_no_number(model, bad):
    x = model.coordinate("x")
    with pytest.raises(TypeError):
        x + bad if not isinstance(bad, list) else x + None
    with pytest.raises(TypeError):
        x.arctan2(bad)


def test_constants_have_values(model):
    x = model.coordinate("x")
    assert float(model.pi) == math.pi
    assert float(np.sqrt(model.parameter("two", 2))) == math.sqrt(2)
    with pytest.raises(TypeError, match="depends on variables"):
        float(x)


# ---- graphs

def test_two_models_do_not_mix(model):
    x, y = model.coordinate("x"), Model("other").coordinate("y")
    for f in (lambda: x + y, lambda: x < y, lambda: where(x, y, 1), lambda: minimum(x, y), lambda: x.arctan2(y),
              lambda: x.diff(y), lambda: np.hypot(x, y), lambda: np.array([x]) + np.array([y])):
        with pytest.raises(InputError, match="two different models"):
            f()


def test_expressions_outlive_their_model():
    x = Model("short").coordinate("x")
    gc.collect()
    assert repr(np.sin(x)**2 + 1) == "1 + sin(x)^2"


def test_derivatives(model):
    x, y = model.coordinates("x y")
    assert repr((x**2 * y).diff(x)) == "2*x*y"
    assert repr(np.sin(x).diff(y)) == "0"
    with pytest.raises(InputError, match="by a variable"):
        x.diff(x + y)


def test_long_formulas_are_described(model):
    x = model.coordinate("x")
    for _ in range(200):
        x = x * x + x
    assert "operations" in repr(x) and len(repr(x)) < 100


def test_expressions_are_keys(model):
    x, y = model.coordinates("x y")
    assert {x: 1, y: 2}[model["x"]] == 1
    assert x in [x, y] and hash(x) == hash(model["x"])


def test_no_new_expressions_by_hand():
    with pytest.raises(TypeError):
        holonom.Expr()
