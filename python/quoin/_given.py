# SPDX-License-Identifier: BSD-3-Clause
"""Arguments as they are given: numbers that are none are named before the compiled part casts them."""

from __future__ import annotations

import numbers
import operator
from typing import Any, Optional

import numpy as np
import numpy.typing as npt


def whole(name: str, value: Any) -> int:
    """Raises TypeError for what is no whole number."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name} = {value!r}: expected a whole number")


def real(name: str, value: Any) -> float:
    """Raises TypeError for what is no real number."""
    if isinstance(value, bool) or not (isinstance(value, numbers.Real) or getattr(value, "shape", None) == ()):
        raise TypeError(f"{name} = {value!r}: expected a number")
    return float(value)


def reals(name: str, value: Any) -> npt.NDArray[np.float64]:
    """An array of float64. Raises TypeError for what are no real numbers, which numpy casts or unmasks in silence."""
    if is_masked(value):
        raise TypeError(f"{name}: a masked array: what is masked is no number; fill it")
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name}: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name}: an array of {array.dtype}, expected real numbers")
    return array.astype(np.float64, copy=False)


def is_masked(value: Any) -> bool:
    """Whether it is a masked array, or a list of some."""
    if isinstance(value, (list, tuple)):
        return any(map(is_masked, value))
    return isinstance(value, np.ma.MaskedArray)


def truth(name: str, value: Any) -> bool:
    """Raises TypeError for what is neither True nor False."""
    if value not in (True, False):
        raise TypeError(f"{name} = {value!r}: expected True or False")
    return bool(value)


def truths(name: str, values: Any) -> list[bool]:
    """Raises TypeError for what is no sequence of True and False."""
    try:
        return [truth(f"{name}[{i}]", value) for i, value in enumerate(values)]
    except TypeError:
        raise TypeError(f"{name} = {values!r}: expected True or False for each axis") from None


def or_none(check: Any, name: str, value: Optional[Any]) -> Any:
    """None, or as the check has it."""
    return None if value is None else check(name, value)
