"""What numpy's functions do with expressions. In arrays of objects they call methods of the elements: x.sin()."""
import decimal

import numpy as np

from ._core import Expr

_MADE_OF_OTHERS = {
    "deg2rad": lambda x: x.radians(),
    "rad2deg": lambda x: x.degrees(),
    "log2": lambda x: x.log() / Expr.log(0*x + 2),
    "exp2": lambda x: 2**x,
    "expm1": lambda x: 2 * (x/2).exp() * (x/2).sinh(),  # exp(x) - 1 has no digits of a small x
}

# What is plain to write loses digits near zero, or has a choice in it: who writes it knows.
_INSTEAD = {
    "log1p": "np.log(1 + x), which loses digits of a small x",
    "arcsinh": "np.log(x + np.sqrt(x**2 + 1)), which loses digits of a small x",
    "arccosh": "np.log(x + np.sqrt(x**2 - 1))",
    "arctanh": "np.log((1 + x)/(1 - x))/2, which loses digits of a small x",
    "cbrt": "where(x < 0, -(-x)**Fraction(1, 3), x**Fraction(1, 3))",
    "rint": "np.floor(x + 0.5)",
    "fmod": "x % y, which has the sign of y",
}

_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)


def _refusal(name):
    def refuse(*_):
        raise TypeError(f"np.{name} is no function of expressions; write {_INSTEAD[name]}")
    refuse.__doc__ = f"There is no such function of expressions; write {_INSTEAD[name]}."
    return refuse


def _elements(x):
    """An expression as the element of an array: of an argument that is one, numpy would ask __array_ufunc__ again."""
    array = np.asarray(x, dtype=object if isinstance(x, Expr) else None)
    if array.dtype == np.longdouble:  # its operators would ask as well
        array = np.frompyfunc(lambda number: decimal.Decimal(str(number)), 1, 1)(array)
    return np.asarray(array)


def _array_ufunc(self, ufunc, method, *inputs, **options):
    if ufunc is np.sign and method == "__call__":
        return (self > 0) - (self < 0)
    inputs = [_elements(x) for x in inputs]
    if ufunc in (np.arctan2, np.hypot):
        inputs[0] = np.asarray(inputs[0] + 0*self, dtype=object)  # a number has no such method
    if ufunc in _COMPARISONS:
        options.setdefault("dtype", object)  # instead of true or false
    return getattr(ufunc, method)(*inputs, **options)


for _name, _function in _MADE_OF_OTHERS.items():
    _function.__doc__ = f"{_name}(x); also as np.{_name}(x)"
    setattr(Expr, _name, _function)
for _name in _INSTEAD:
    setattr(Expr, _name, _refusal(_name))
Expr.__array_ufunc__ = _array_ufunc
