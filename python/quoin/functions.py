# SPDX-License-Identifier: BSD-3-Clause
"""f itself: as a map, and checked."""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, Literal, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._forms import Form
from quoin._given import real, whole
from quoin._words import readable
from quoin.maps import Map

FloatArray = npt.NDArray[np.float64]


class FunctionMap(Map):
    """A function with its Jacobian as a map, with nothing between: to compare with, or to fall back to.

    Parameters
    ----------
    f : callable
        ``f(x) -> (y, J)``.
    dim : int
        1 to 6.
    outputs : int
        N.
    """

    def __init__(self, f: Callable[..., Any], dim: int, outputs: int) -> None:
        form = Form(dim, 1, outputs)
        super().__init__(_core.function_map(lambda x: form.jet(f(x)), dim, outputs))


def restrict_to(map: Map, axes: Sequence[int], base: npt.ArrayLike) -> Map:
    """A map along some of its variables, the others held: so that a grid can stand over a map of many.

    Parameters
    ----------
    map : Map
    axes : sequence of int
        The variables that are left, in their new order.
    base : (map.dim,) array_like
        Where the others are held.

    Raises
    ------
    ValueError
        The map has no such variable, or one is named twice.
    """
    return Map(_core.restrict_to(map, [operator.index(axis) for axis in axes], base))


class _Sources:
    """Knows the exceptions of the functions under two maps."""

    def __init__(self, *maps: _core.Map) -> None:
        self._sources = [source for source in map(_core.source_of, maps) if source is not None]

    def cause_of(self, message: str) -> Optional[BaseException]:
        for source in self._sources:
            cause: Optional[BaseException] = source.cause_of(message)
            if cause is not None:
                return cause
        return None


def with_fallback(
    first: Map,
    second: Map,
    *,
    value: float = math.inf,
    jacobian: float = math.inf,
    output_weights: Optional[npt.ArrayLike] = None,
) -> Map:
    """Answers with the first map where its stated errors are allowed, and with the second elsewhere.

    Parameters
    ----------
    first : Map
        Cheap, states its errors: a kernel.
    second : Map
        More reliable: a grid to a tolerance, or f itself (`FunctionMap`).
    value, jacobian : float
        The largest allowed errors of value and Jacobian.
    output_weights : (N,) array_like, optional
        Of the norm of both; by default 1/sqrt(N).

    Raises
    ------
    ValueError
        The maps differ in variables or outputs, or an allowed error is not positive.
    """
    return Map(_core.with_fallback(first, second, float(value), float(jacobian), output_weights, _Sources(first, second)))


@readable
class DerivativeCheck(NamedTuple):
    """The outcome of `check_derivatives`.

    Attributes
    ----------
    passed : bool
        The verdict is "right".
    slope : float
        The worst order of the remainder; NaN if it is all rounding.
    relative_error : float
        Of J w against central differences, of the worst row relative to it.
    message : str
    verdict : {"right", "wrong", "unclear"}
        "unclear": no row is wrong, but differences of some row do not agree; other steps may tell. Or the values have a
        kink at the point, as the message then says.
    row : int
        The row that is wrong or unclear, or -1.
    """

    passed: bool
    slope: float
    relative_error: float
    message: str
    verdict: str
    row: int

    def __bool__(self) -> bool:
        return self.passed


def check_derivatives(
    f: Any,
    x: npt.ArrayLike,
    *,
    largest_step: float = 0.1,
    halvings: int = 12,
    directions: int = 4,
    seed: int = 1,
) -> DerivativeCheck:
    """Compares a Jacobian with central differences, row by row: each output on its own scale.

    Parameters
    ----------
    f : callable or Map
        ``f(x) -> (y, J)``.
    x : (dim,) array_like
    largest_step : float
        The length of the first step, in sizes of the inputs: ``abs(x)``, 1 where x is 0.
    halvings : int
        Further steps, each half as long.
    directions : int
        Random directions.
    seed : int

    Raises
    ------
    ValueError
        largest_step is not positive, or there are fewer than two halvings or one direction.
    Exception
        What f raises.
    """
    if callable(x) and not callable(f):
        raise TypeError("check_derivatives: x is a function: f comes first, check_derivatives(f, x)")
    point = np.asarray(x, dtype=np.float64)
    if isinstance(f, Map):
        checked = f
    else:
        if point.ndim != 1 or not 1 <= len(point) <= 6:
            raise ValueError(f"x: shape {point.shape}, expected (dim,) with dim from 1 to 6")
        outputs = len(Form(len(point), 1, None).jet(f(point.copy())))
        checked = FunctionMap(f, len(point), outputs)
    options = {
        "largest_step": real("largest_step", largest_step),
        "halvings": whole("halvings", halvings),
        "directions": whole("directions", directions),
        "seed": whole("seed", seed),
    }
    return DerivativeCheck(*_core.check_derivatives(checked, point, options))
