# SPDX-License-Identifier: BSD-3-Clause
"""Maps as functions of scipy.optimize."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin.maps import Map

FloatArray = npt.NDArray[np.float64]


class _Last:
    """The map's value and Jacobian at the last point: scipy asks for one after the other."""

    def __init__(self, map: Map) -> None:
        self._map = map
        self._x: Optional[FloatArray] = None
        self._answer: Optional[tuple[FloatArray, FloatArray]] = None

    def __call__(self, x: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        point = np.asarray(x, dtype=np.float64)
        if self._answer is None or self._x is None or not np.array_equal(point, self._x):
            self._answer = self._map.value_and_jacobian(point)
            self._x = point.copy()
        return self._answer


class Residual(NamedTuple):
    """A residual and its Jacobian: ``least_squares(r.fun, x0, jac=r.jac)``.

    Attributes
    ----------
    fun : callable
        x (dim,) -> (N,).
    jac : callable
        x (dim,) -> (N, dim).
    """

    fun: Callable[[npt.ArrayLike], FloatArray]
    jac: Callable[[npt.ArrayLike], FloatArray]


def residual(
    map: Map, target: Optional[npt.ArrayLike] = None, weights: Optional[npt.ArrayLike] = None
) -> Residual:
    """weights * (map(x) - target) for `scipy.optimize.least_squares`.

    Parameters
    ----------
    map : Map
    target : (N,) array_like, optional
        By default 0.
    weights : (N,) array_like, optional
        By default 1.

    Raises
    ------
    ValueError
        target or weights are not (N,).
    """
    goal = _outputs(map, target, 0.0, "target")
    weight = _outputs(map, weights, 1.0, "weights")
    last = _Last(map)

    def fun(x: npt.ArrayLike) -> FloatArray:
        value: FloatArray = weight * (last(x)[0] - goal)
        return value

    def jac(x: npt.ArrayLike) -> FloatArray:
        value: FloatArray = weight[:, np.newaxis] * last(x)[1]
        return value

    return Residual(fun, jac)


def half_square(
    map: Map, target: Optional[npt.ArrayLike] = None, weights: Optional[npt.ArrayLike] = None
) -> Callable[[npt.ArrayLike], tuple[float, FloatArray]]:
    """Half the sum of squares of `residual` with its gradient, for ``minimize(..., jac=True)``.

    Parameters
    ----------
    map : Map
    target : (N,) array_like, optional
    weights : (N,) array_like, optional

    Returns
    -------
    callable
        x (dim,) -> (float, (dim,) array).
    """
    r = residual(map, target, weights)

    def fun(x: npt.ArrayLike) -> tuple[float, FloatArray]:
        value = r.fun(x)
        return 0.5 * float(value @ value), r.jac(x).T @ value

    return fun


def _outputs(map: Map, value: Optional[npt.ArrayLike], default: float, what: str) -> FloatArray:
    if value is None:
        return np.full(map.output_size, default)
    array: Any = np.asarray(value, dtype=np.float64)
    if array.shape != (map.output_size,):
        raise ValueError(f"{what}: shape {array.shape}, expected ({map.output_size},)")
    return np.array(array)
