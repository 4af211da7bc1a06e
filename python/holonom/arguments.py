"""Arguments as the library reads them: numbers and formulas as text with all digits, arrays, lists."""
import fractions
import math
import numbers
import warnings

import numpy as np

from . import _core


def formula_text(value, what):
    """A number, or a formula of the model's parameters, as text with all its digits."""
    if isinstance(value, str):
        if not value.strip():
            raise _core.InputError(f"{what}: a number or a formula was expected, not an empty text")
        return value
    if isinstance(value, bool):
        raise TypeError(f"{what}: a number or a formula was expected, not {value!r}")
    text = digits(value)
    if text is not None:
        return text
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, fractions.Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, np.longdouble) and np.isfinite(value):
        return np.format_float_scientific(value, unique=True)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise _core.InputError(f"{what} = {value}: it must be a finite number")
        return repr(float(value))
    raise TypeError(f"{what}: a number or a formula was expected, not {type(value).__name__}")


def digits(value):
    """All digits of a Decimal or of a number of mpmath; None if it is neither."""
    if type(value).__module__ == "decimal":
        return str(value)
    if type(value).__module__.startswith("mpmath"):
        import mpmath
        return mpmath.nstr(value, mpmath.mp.dps + 3, strip_zeros=False, min_fixed=1, max_fixed=0)
    return None


def number_array(values, what):
    """An array of doubles; where one of them has more digits than these, texts with all of them."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and values.dtype != np.longdouble:
        return _finite(np.array(values, dtype=np.float64, order="C"), what)
    flat = list(np.ravel(np.array(values, dtype=object)))
    wide = [x for x in flat if isinstance(x, (str, np.longdouble, fractions.Fraction)) or digits(x) is not None]
    if not wide:
        try:
            if any(x is None for x in flat):
                raise TypeError
            array = np.array(values, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise TypeError(f"{what}: numbers were expected, not {type(values).__name__}") from None
        return _finite(array, what)
    return [formula_text(x, what) for x in flat]


def _finite(array, what):
    if not np.all(np.isfinite(array)):
        raise _core.InputError(f"{what}: all numbers must be finite")
    return array


def positive_count(value, what):
    """A number of steps, at least one."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise _core.InputError(f"{what} = {value!r}: it must be a whole number, at least 1")
    return int(value)


def words(values, what):
    """A list of words from one or many."""
    values = [values] if isinstance(values, str) else list(() if values is None else values)
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{what}: names were expected, not {type(value).__name__}")
    return values


def formula_texts(values, what):
    """A list of formulas from one number or formula, or from many; None: an empty one."""
    if values is None:
        return []
    one = isinstance(values, (str, numbers.Number)) or not hasattr(values, "__iter__")
    return [formula_text(value, what) for value in ([values] if one else values)]


def maybe_formula(value, what):
    """None stays None."""
    return None if value is None else formula_text(value, what)


def warn(texts):
    """As warnings at the line of the caller of the package."""
    for text in texts:
        warnings.warn(text, stacklevel=3)
