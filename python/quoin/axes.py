# SPDX-License-Identifier: BSD-3-Clause
"""The axes of a table: linear, logarithmic, periodic."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from quoin._given import real

FloatArray = npt.NDArray[np.float64]


class Axis(NamedTuple):
    """An axis of a `Table`. Made by `linear`, `log` and `periodic`.

    Attributes
    ----------
    lower, upper : float
    kind : {"linear", "log", "periodic"}
    """

    lower: float
    upper: float
    kind: str


def linear(lower: float, upper: float) -> Axis:
    """From lower to upper, as the tuple (lower, upper) is."""
    return axis_between(lower, upper, "linear")


def log(lower: float, upper: float) -> Axis:
    """From lower to upper, both above 0: cells are equal in the logarithm."""
    axis = axis_between(lower, upper, "log")
    if not axis.lower > 0:
        raise ValueError(f"log({lower}, {upper}): the lower bound has no logarithm")
    return axis


def periodic(lower: float, upper: float) -> Axis:
    """With the period upper - lower: any turn may be asked, and costs the calls of one."""
    return axis_between(lower, upper, "periodic")


def axis_between(lower: Any, upper: Any, kind: str) -> Axis:
    axis = Axis(real("lower", lower), real("upper", upper), kind)
    if not (np.isfinite(axis.lower) and np.isfinite(axis.upper) and axis.lower < axis.upper):
        raise ValueError(f"{kind}({lower}, {upper}): expected finite bounds, the lower one first")
    return axis


def axis_of(name: Any, axis: Any) -> Axis:
    if not isinstance(name, str) or not name.isidentifier() or name == "missing":
        raise ValueError(f"axis {name!r}: expected a name that can be an argument")
    try:
        if isinstance(axis, Axis):
            return {"linear": linear, "log": log, "periodic": periodic}[axis.kind](axis.lower, axis.upper)
        if not isinstance(axis, (tuple, list)) or len(axis) != 2:
            raise ValueError(f"expected (lower, upper), quoin.log(lower, upper) or quoin.periodic(lower, upper), not {axis!r}")
        return linear(*axis)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"axis {name}: {error}") from None


def in_grid(axis: Axis) -> tuple[float, float]:
    return (float(np.log(axis.lower)), float(np.log(axis.upper))) if axis.kind == "log" else axis[:2]


def outside_of(axis: Axis, array: FloatArray) -> npt.NDArray[np.bool_]:
    if axis.kind == "periodic":
        return np.asarray(~np.isfinite(array))
    return np.asarray(~((array >= axis.lower) & (array <= axis.upper)))


def complaint(name: str, axis: Axis, array: FloatArray, out: npt.NDArray[np.bool_]) -> str:
    place = tuple(int(i) for i in np.argwhere(out)[0])
    value, where = float(array[place]), f"{name}{list(place)}" if place else name
    if not np.isfinite(value):
        return f"{where} = {value} is not finite"
    if value < axis.lower:
        return f"{where} = {value:.10g} is below lower = {axis.lower:.10g}"
    return f"{where} = {value:.10g} is above upper = {axis.upper:.10g}"
