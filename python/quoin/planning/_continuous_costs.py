# SPDX-License-Identifier: BSD-3-Clause
"""The terms of a continuous plan: costs, path constraints, and constraints of the end."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin._given import reals
from quoin.dynamics import shaped
from quoin.planning._costs import MapCost, QuadraticCost, answer_of, sequence

FloatArray = npt.NDArray[np.float64]
Answer = Optional[tuple[FloatArray, FloatArray, FloatArray]]

TimedFunction = Callable[[float, FloatArray, FloatArray], Optional[tuple[Any, Any, Any]]]
EndFunction = Callable[[FloatArray], Optional[tuple[Any, Any]]]
RunningTerm = Union[QuadraticCost, MapCost, TimedFunction]
PathTerm = Union[MapCost, TimedFunction]
EndTerm = Union[MapCost, EndFunction]


def terms_of(cost: Any, final_cost: Any, path: Any, boundary: Any, n: int, m: int) -> dict[str, Any]:
    """The terms as C++ takes them."""
    costs, finals = sequence(cost), sequence(final_cost)
    quadratic = [term for term in costs if isinstance(term, QuadraticCost)]
    of_arrays = (QuadraticCost, MapCost)
    return {
        "residuals": [_compiled(term, n, m) for term in costs if isinstance(term, of_arrays)],
        "costs": [_timed("cost", term, n, m, True) for term in costs if not isinstance(term, of_arrays)],
        "final_residuals": [_compiled(term, n, m) for term in quadratic]
        + [_compiled(term, n, m) for term in finals if isinstance(term, MapCost)],
        "final_costs": [_ended("final_cost", term, n, True) for term in finals if not isinstance(term, MapCost)],
        "path": [
            _compiled(term, n, m) if isinstance(term, MapCost) else _timed("path", term, n, m, False)
            for term in sequence(path)
        ],
        "boundary": [
            _compiled(term, n, m) if isinstance(term, MapCost) else _ended("boundary", term, n, False)
            for term in sequence(boundary)
        ],
    }


def _compiled(term: Union[QuadraticCost, MapCost], n: int, m: int) -> tuple[str, Any]:
    return term._term(n, m, 0)  # as at a stage alone: their targets do not change


def _timed(what: str, f: Any, n: int, m: int, cost: bool) -> tuple[str, Any]:
    _check(what, f, "QuadraticCost, MapCost or a function" if cost else "MapCost or a function")

    def call(t: float, x: FloatArray, u: FloatArray) -> Answer:
        answer = answer_of(what, f, (t, x, u), "(value, dx, du)")
        return None if answer is None else _shaped(what, answer, (n, m), cost)

    return "called", call


def _ended(what: str, f: Any, n: int, cost: bool) -> tuple[str, Any]:
    _check(what, f, "MapCost or a function")

    def call(_: float, x: FloatArray, no_controls: FloatArray) -> Answer:
        answer = answer_of(what, f, (x,), "(value, dx)")
        if answer is None:
            return None
        return _shaped(what, (*answer, np.zeros((*np.shape(answer[0]), 0))), (n, 0), cost)

    return "called", call


def _shaped(what: str, answer: tuple[Any, ...], sizes: tuple[int, int], cost: bool) -> Answer:
    value, dx, du = answer
    values = reals(f"{what} returned", value)
    if values.ndim > 1 or (values.ndim == 0 and not cost):
        raise ValueError(f"{what} returned values of shape {values.shape}, expected {'() or (p,)' if cost else '(p,)'}")
    by_x = shaped(dx, (*values.shape, sizes[0]), what)
    by_u = shaped(du, (*values.shape, sizes[1]), what)
    if not cost:
        return values, by_x, by_u
    if values.ndim == 1:  # a residual r, which costs 1/2 |r|^2
        values, by_x, by_u = 0.5 * values @ values, values @ by_x, values @ by_u
    return np.atleast_1d(values), by_x[np.newaxis], by_u[np.newaxis]


def _check(what: str, f: Any, expected: str) -> None:
    if not callable(f):
        raise TypeError(f"{what}: a {type(f).__name__}, expected {expected}")
