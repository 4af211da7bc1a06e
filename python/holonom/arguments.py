"""Arguments as the library reads them: numbers and formulas as text with all digits, arrays, lists."""
import decimal
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
    if isinstance(value, _core.Expr):
        return _constant_text(value, what)
    if isinstance(value, (bool, np.timedelta64)):
        raise TypeError(f"{what}: a number or a formula was expected, not {value!r}")
    try:
        return _number_text(value, what)
    except _core.InputError:
        raise
    except ValueError:  # of Python, which makes no texts of more than some thousand digits
        raise _core.InputError(f"{what}: the number has too many digits") from None


def _number_text(value, what):
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Rational):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, decimal.Decimal) or isinstance(value, numbers.Real) or hasattr(value, "_mpf_"):
        if not _is_finite(value):
            raise _core.InputError(f"{what} = {value}: it must be a finite number")
        if hasattr(value, "_mpf_"):
            whole, power = _binary(value)
            return f"{whole}*2^{power}" if power else str(whole)
        if isinstance(value, decimal.Decimal):
            return str(value)
        return np.format_float_scientific(value, unique=True) if isinstance(value, np.longdouble) else repr(float(value))
    raise TypeError(f"{what}: a number or a formula was expected, not {type(value).__name__}")


def _constant_text(value, what):
    try:
        float(value)
    except TypeError:
        raise _core.InputError(f"{what} = {value}: it must not depend on variables; give a number, or a formula of parameters") from None
    text = repr(value)
    if text.startswith("<"):  # a description
        raise _core.InputError(f"{what}: {text} is too long for a number; give it as text, or as float(...)")
    return text


def _binary(value):
    """m and k of the number m 2^k of mpmath: all its digits, whatever the present precision is."""
    negative, whole, power, _ = value._mpf_
    return (-int(whole) if negative else int(whole)), int(power)


def _is_finite(value):
    if hasattr(value, "_mpf_"):
        whole, power = _binary(value)
        return whole != 0 or power == 0
    if isinstance(value, decimal.Decimal):
        return value.is_finite()
    return bool(np.isfinite(value)) if isinstance(value, np.longdouble) else math.isfinite(value)


def _decimal_text(value, what):
    """A number as a decimal, with more digits than the widest precision has."""
    if isinstance(value, np.longdouble):
        return formula_text(value, what)
    with decimal.localcontext(decimal.Context(prec=200, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)):
        if isinstance(value, numbers.Rational):
            return str(decimal.Decimal(int(value.numerator)) / int(value.denominator))
        if hasattr(value, "_mpf_") and _is_finite(value):
            whole, power = _binary(value)
            return str(whole * decimal.Decimal(2)**power)
    return formula_text(value, what)


def refuse_masked(values, what):
    """Numpy would take what is under a mask."""
    parts = values if isinstance(values, (list, tuple)) else [values]
    if any(isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x) for x in parts):
        raise _core.InputError(f"{what}: some entries are masked; leave them out with compressed(), or give them values with filled()")


def plain_array(values, what):
    """An array of numbers or of objects. Numpy would also make numbers of dates, and of complex numbers by leaving out a part."""
    refuse_masked(values, what)
    array = np.asarray(values, dtype=object if isinstance(values, (list, tuple)) else None)
    if array.dtype.kind not in "fiubOU":
        raise TypeError(f"{what}: numbers were expected, not {array.dtype}")
    return array


def _number_or_text_array(values, what):
    array = plain_array(values, what)
    for x in array.flat if array.dtype.kind == "O" else ():
        if type(x) is float:  # most of them
            continue
        number = isinstance(x, (numbers.Real, decimal.Decimal, np.bool_, str, _core.Expr)) or hasattr(x, "_mpf_")
        if not number or isinstance(x, np.timedelta64):
            refuse_masked(x, what)
            raise TypeError(f"{what}: numbers were expected, not {type(x).__name__}")
    return array


def number_table(values, what):
    """An array of doubles."""
    try:
        return np.asarray(_number_or_text_array(values, what), dtype=np.float64, order="C")
    except OverflowError:
        raise _core.InputError(f"{what}: one of the numbers is beyond the range of a double") from None
    except ValueError as error:
        raise _core.InputError(f"{what}: {error}") from None


def number_array(values, what):
    """A copy as an array of doubles; where one of the numbers has more digits than these, texts with all of them."""
    array = _number_or_text_array(values, what)
    if _any_wide(array):
        return [_decimal_text(x, what) for x in array.flat]
    table = np.array(array, dtype=np.float64, order="C")
    if not np.all(np.isfinite(table)):
        raise _core.InputError(f"{what}: all numbers must be finite")
    return table


def _any_wide(array):
    if array.dtype.kind in "iu":
        return array.size > 0 and (int(array.max()) > 2**53 or int(array.min()) < -2**53)
    return array.dtype == np.longdouble or (array.dtype.kind not in "fb" and any(_is_wide(x) for x in array.flat))


def _is_wide(x):
    if type(x) is float:
        return False
    if isinstance(x, numbers.Integral):
        return abs(int(x)) > 2**53
    return isinstance(x, (str, np.longdouble, fractions.Fraction, decimal.Decimal)) or hasattr(x, "_mpf_")


def whole_number(value, what, least=0, most=2**63 - 1):
    """A number of things, at least so many. The library has a place for `most`."""
    if isinstance(value, (bool, np.timedelta64)) or not isinstance(value, numbers.Integral) or value < least:
        raise _core.InputError(f"{what} = {value!r}: it must be a whole number, at least {least}")
    if value > most:
        raise _core.InputError(f"{what} = {value}: this is more than can be counted")
    return int(value)


def positive_count(value, what, most=2**63 - 1):
    """A number of steps, at least one."""
    return whole_number(value, what, 1, most)


def thread_count(value, what):
    """How many threads, at least one."""
    return positive_count(value, what, 2**31 - 1)


def real_number(value, what):
    """A number that the library takes in double precision."""
    if isinstance(value, (bool, np.timedelta64)) or not (isinstance(value, (numbers.Real, decimal.Decimal)) or hasattr(value, "_mpf_")):
        raise TypeError(f"{what}: a number was expected, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise _core.InputError(f"{what}: a number beyond the range of a double") from None


def word(value, what):
    """A name."""
    if not isinstance(value, str):
        raise TypeError(f"{what}: a name was expected, not {type(value).__name__}")
    return value


def words(values, what):
    """A list of words from one or many."""
    try:
        values = [values] if isinstance(values, str) else list(() if values is None else values)
    except TypeError:
        values = [values]
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


def maybe_word(value, what):
    """None stays None."""
    return None if value is None else word(value, what)


def warn(texts):
    """As warnings at the line of the caller of the package."""
    for text in texts:
        warnings.warn(text, stacklevel=3)
