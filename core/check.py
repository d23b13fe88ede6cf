"""Words for every argument error: `learning_rate=-1.0, expected > 0`.

A config checks its fields at birth with these functions. They never repair a value: they return it as given or raise
`ValueError` with one sentence that names the field, the value and the requirement.
"""

import math
import numbers

import numpy as np


def require(condition: bool, field: str, value: object, expected: str) -> None:
    """Raise `ValueError("field=value, expected ...")` unless `condition` holds."""
    if not condition:
        raise ValueError(f"{field}={_show(value)}, expected {expected}")


def real(
    field: str,
    value: float,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
) -> float:
    """Return `value` as a float after checking that it is a finite real number inside the bounds given.

    Raises: ValueError naming field, value and the bounds, also for NaN, infinity, text and booleans.
    """
    bounds = [
        f"{sign} {bound:g}"
        for sign, bound in ((">", above), (">=", at_least), ("<", below), ("<=", at_most))
        if math.isfinite(bound)
    ]
    expected = " and ".join(bounds) or "a finite number"
    is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    require(is_number and _finite(value), field, value, expected)
    require(value > above and value >= at_least and value < below and value <= at_most, field, value, expected)
    return float(value)


def whole(field: str, value: int, *, at_least: int = 0, at_most: int | None = None) -> int:
    """Return `value` as an int after checking that it is a whole number inside the bounds given.

    Raises: ValueError naming field, value and the bounds, also for 2.5, "3" and True.
    """
    expected = f"a whole number >= {at_least}" + ("" if at_most is None else f" and <= {at_most}")
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
    require(is_whole and value >= at_least and (at_most is None or value <= at_most), field, value, expected)
    return int(value)


def choice(field: str, value: str, options: tuple[str, ...]) -> str:
    """Return `value` after checking that it is one of `options`."""
    require(value in options, field, value, "one of " + ", ".join(repr(option) for option in options))
    return value


def vector(field: str, values, *, above: float = -math.inf, length: int | None = None) -> np.ndarray:
    """Return `values` as a float array (n,) after checking that it is finite, non-empty, one-dimensional and > `above`.

    Raises: ValueError naming the field and what it holds instead.
    """
    array = _floats(values)
    size = "at least one number" if length is None else f"{length} numbers"
    expected = f"{size} in one dimension, all finite" + (f" and > {above:g}" if math.isfinite(above) else "")
    fits = array.ndim == 1 and array.size > 0 and (length is None or array.size == length)
    require(fits and bool(np.all(np.isfinite(array))) and bool(np.all(array > above)), field, values, expected)
    return array


def matrix(field: str, values, *, columns: int | None = None) -> np.ndarray:
    """Return `values` as a float array (n, columns) after checking that it is a table of finite real numbers.

    Raises: ValueError naming the field, its shape, or what it holds instead, and what is asked of it.
    """
    array = _floats(values)
    fits = array.ndim == 2 and array.size > 0 and bool(np.all(np.isfinite(array))) and columns in (None, array.shape[-1])
    expected = "rows of" + ("" if columns is None else f" {columns}") + " finite numbers, in two dimensions"
    require(fits, field, values if array.shape == (0,) else array.shape, expected)
    return array


def square(field: str, values, expected: str = "a square matrix of finite numbers") -> np.ndarray:
    """Return `values` as a float array (n, n) after checking that it is a square matrix of finite real numbers.

    Raises: ValueError naming the field, its shape, or what it holds instead, and what is `expected`.
    """
    array = _floats(values)
    fits = array.ndim == 2 and array.shape[0] == array.shape[1] > 0 and bool(np.all(np.isfinite(array)))
    require(fits, field, values if array.shape == (0,) else array.shape, expected)
    return array


def _finite(value: numbers.Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def _floats(values) -> np.ndarray:
    """`values` as a float array; an empty one where they are no real numbers."""
    try:
        return np.empty(0) if np.iscomplexobj(values) else np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)


def _show(value: object) -> str:
    lines = repr(value.item() if isinstance(value, np.generic) else value).splitlines()
    text = " ".join(line.strip() for line in lines)
    return text if len(text) <= 80 else text[:77] + "..."
