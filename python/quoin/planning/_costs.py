# SPDX-License-Identifier: BSD-3-Clause
"""The terms of a plan's cost."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin._given import reals
from quoin.dynamics import shaped
from quoin.errors import CornerFailure, DomainError
from quoin.maps import Map

FloatArray = npt.NDArray[np.float64]


class QuadraticCost:
    """1/2 (x_i - t_i)^T Q (x_i - t_i) + 1/2 (u_i - s_i)^T R (u_i - s_i), and 1/2 (x_K - t_K)^T F (x_K - t_K).

    Parameters
    ----------
    state, control, final : array_like, optional
        Q (n, n), R (m, m), F (n, n), symmetric, without negative eigenvalues; or their diagonals. By default 0.
    state_target : (n,) or (K + 1, n) array_like, optional
        t; by default 0.
    control_target : (m,) or (K, m) array_like, optional
        s; by default 0.

    Raises
    ------
    ValueError
        A weight is not symmetric, or has a negative eigenvalue.
    """

    def __init__(
        self,
        *,
        state: Optional[npt.ArrayLike] = None,
        control: Optional[npt.ArrayLike] = None,
        final: Optional[npt.ArrayLike] = None,
        state_target: Optional[npt.ArrayLike] = None,
        control_target: Optional[npt.ArrayLike] = None,
    ) -> None:
        for name, given in (("state_target", state_target), ("control_target", control_target)):
            if given is not None and not np.all(np.isfinite(reals(name, given))):
                raise ValueError(f"QuadraticCost: a {name} is not finite")
        self._fields = {
            "state": _root("state", state),
            "control": _root("control", control),
            "final": _root("final", final),
            "state_target": state_target,
            "control_target": control_target,
        }

    def _term(self, n: int, m: int, horizon: int) -> tuple[str, Any]:
        return "quadratic", self._fields


class MapCost:
    """``1/2 |W (map(z_i) - target_i)|^2`` for some i, where z_i are dim consecutive entries of the state.

    The map is asked without Python on the way. Where it has no answer, the planner shortens its step.

    Parameters
    ----------
    map : Map
        Such as ``arm.tip(view)``.
    target : (N,) or (last - first + 1, N) array_like
    weight : float, (N,) or (rows, N) array_like
        W: a number, its diagonal, or a matrix. Zeros leave outputs out.
    begin : int
        Where in the state the map's variables are.
    first, last : int, optional
        From which i to which; by default all.
    """

    def __init__(
        self,
        map: Map,
        target: npt.ArrayLike,
        weight: npt.ArrayLike = 1.0,
        *,
        begin: int = 0,
        first: int = 0,
        last: Optional[int] = None,
    ) -> None:
        weights = reals("weight", weight)
        if weights.ndim == 0:
            weights = np.full(map.output_size, weights)
        if weights.ndim == 1:
            weights = np.diag(weights)
            weights = weights[np.any(weights != 0, axis=1)]
        for name, given in (("weight", weights), ("target", target)):
            if not np.all(np.isfinite(reals(name, given))):
                raise ValueError(f"MapCost: a {name} is not finite")
        self._fields: dict[str, Any] = {
            "map": map,
            "target": target,
            "weights": weights,
            "begin": begin,
            "first": first,
            "last": last,
        }

    def _term(self, n: int, m: int, horizon: int) -> tuple[str, Any]:
        return "map", self._fields

    def _rows(self, stages: int) -> slice:
        """The stages that count, of all."""
        last = self._fields["last"]
        return slice(self._fields["first"], stages if last is None else last + 1)

    def _outputs(self, states: FloatArray) -> FloatArray:
        """Of the map, where they count, in states (K + 1, n)."""
        map, begin = self._fields["map"], self._fields["begin"]
        return np.asarray(map(states[self._rows(len(states)), begin : begin + map.dim]))

    def _cost(self, outputs: FloatArray) -> float:
        """Of these outputs, where they count."""
        missed = (outputs - reals("target", self._fields["target"])) @ self._fields["weights"].T
        return float(0.5 * np.sum(missed**2))

    def _shifted(self, offset: FloatArray) -> MapCost:
        """The same for outputs that are off by this, where they count."""
        shifted = MapCost.__new__(MapCost)
        shifted._fields = {**self._fields, "target": reals("target", self._fields["target"]) - offset}
        return shifted


StageFunction = Callable[[int, FloatArray, FloatArray], Optional[tuple[Any, Any, Any]]]
Term = Union[QuadraticCost, MapCost, StageFunction]


def sequence(terms: Any) -> list[Any]:
    return list(terms) if isinstance(terms, (list, tuple)) else [terms]


def term_of(term: Any, n: int, m: int, horizon: int) -> tuple[str, Any]:
    if isinstance(term, (QuadraticCost, MapCost)):
        return term._term(n, m, horizon)
    if not callable(term):
        raise TypeError(f"residuals: a {type(term).__name__}, expected QuadraticCost, MapCost or a function")
    return "called", checked(term, n, m, horizon)


def answer_of(
    what: str, f: Callable[..., Any], arguments: tuple[Any, ...], expected: str
) -> Optional[tuple[Any, ...]]:
    """A tuple like "(r, dr_dx)"; None where it cannot be computed. Raises ValueError for anything else."""
    try:
        answer = f(*arguments)
    except (DomainError, CornerFailure):
        return None
    if answer is None:
        return None
    if not isinstance(answer, tuple) or len(answer) != expected.count(",") + 1:
        raise ValueError(f"{what} returned a {type(answer).__name__}, expected {expected} or None")
    return answer


def checked(f: Callable[..., Any], n: int, m: int, horizon: int) -> Callable[..., Any]:
    def call(i: int, x: FloatArray, u: FloatArray) -> Optional[tuple[FloatArray, FloatArray, FloatArray]]:
        answer = answer_of("a residual", f, (i, x, u), "(r, dr_dx, dr_du)")
        if answer is None:
            return None
        r = reals("a residual", answer[0])
        if r.ndim != 1:
            raise ValueError(f"a residual of shape {r.shape}, expected (p,)")
        last = i == horizon
        du = np.zeros((len(r), 0)) if last and answer[2] is None else answer[2]
        return r, shaped(answer[1], (len(r), n), "dr_dx"), shaped(du, (len(r), 0 if last else m), "dr_du")

    return call


def _root(name: str, weight: Optional[npt.ArrayLike]) -> Optional[FloatArray]:
    """S with S^T S = weight."""
    if weight is None:
        return None
    matrix = reals(name, weight)
    if not np.all(np.isfinite(matrix)):
        raise ValueError(f"{name}: a weight is not finite")
    if matrix.ndim == 1:
        matrix = np.diag(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or np.any(
        np.abs(matrix - matrix.T) > 1e-8 * np.abs(matrix).max(initial=0.0)
    ):
        raise ValueError(f"{name}: a weight of shape {matrix.shape} that is not symmetric, expected (n, n) or (n,)")
    values, vectors = np.linalg.eigh(matrix)
    if values.size and values.min() < -1e-12 * abs(values).max():
        raise ValueError(f"{name}: a weight with the negative eigenvalue {values.min():.3g}")
    kept = values > 1e-15 * max(values.max(initial=0.0), 1e-300)
    root: FloatArray = np.sqrt(values[kept])[:, np.newaxis] * vectors[:, kept].T
    return root
