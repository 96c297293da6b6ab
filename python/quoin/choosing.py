# SPDX-License-Identifier: BSD-3-Clause
"""What to choose before a run: order and spacing of a grid, or which surrogate at all."""

from __future__ import annotations

import dataclasses
from typing import Literal, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import reals
from quoin.grids import AdaptiveGrid
from quoin.options import GridOptions

FloatArray = npt.NDArray[np.float64]
Coverage = Literal["path", "box"]


class Resolution(NamedTuple):
    """A jet order, and the spacing at which it is expected to meet a tolerance.

    Attributes
    ----------
    order : int
    spacing : (dim,) array
    relative_cost : float
        Of all evaluations together, relative to the cheapest order's.
    predicted_error : float
    """

    order: int
    spacing: FloatArray
    relative_cost: float
    predicted_error: float


def suggest_resolutions(
    dim: int,
    jets: npt.ArrayLike,
    tolerance: float,
    *,
    costs: Sequence[float] = (1, 1.1, 1.5),
    coverage: Coverage = "path",
    proportions: Optional[npt.ArrayLike] = None,
    output_weights: Optional[npt.ArrayLike] = None,
) -> list[Resolution]:
    """Chooses the jet order and the spacing before a run, the cheapest first.

    Parameters
    ----------
    dim : int
    jets : (P, N, derivatives) array_like
        Jets of order 3 at a few points of the region that will be visited.
    tolerance : float
        Of the value, absolute.
    costs : sequence of float
        Of a jet of order 1, 2, 3, relative to each other.
    coverage : {"path", "box"}
        Where the grid will be asked.
    proportions : (dim,) array_like, optional
        Of the edges; by default chosen.
    output_weights : (N,) array_like, optional
        Of the norm; by default 1/sqrt(N).
    """
    options = {
        "costs": [float(cost) for cost in costs],
        "box": _is_box(coverage),
        "proportions": proportions,
        "output_weights": output_weights,
    }
    found = _core.suggest_resolutions(dim, jets, float(tolerance), options)
    return [Resolution(*fields) for fields in found]


@dataclasses.dataclass(frozen=True, eq=False)
class SurrogateChoice:
    """One way to answer the queries of a run, and what it is expected to cost.

    Attributes
    ----------
    kind : {"function", "grid", "grid_tolerance", "kernel"}
        f itself; an AdaptiveGrid at level 0; one in tolerance mode, where f is not resolved by the samples taken; a
        KernelSurrogate, or of order 0 a `KernelInterpolant` that is given values where its deviation is largest.
    order : int
        Of the jets that it takes of f; 0 for values, and for f itself.
    spacing : (dim,) array
        Of a grid's level 0.
    threshold : (float, float)
        Value and gradient of a kernel's `refine_at`, of at most `corners`.
    jitter : float
        Of a kernel's options.
    corners : float
        At which a grid or a kernel takes jets.
    evaluations : float
        Of f: as many, or the values that differences at the corners take.
    seconds : float
        Of evaluations and queries together, on one thread; queries as compiled code asks them.
    error : float
        Of the value at the worst query, in the norm of the tolerance.
    """

    kind: Literal["function", "grid", "grid_tolerance", "kernel"]
    order: int
    spacing: FloatArray
    threshold: tuple[float, float]
    jitter: float
    corners: float
    evaluations: float
    seconds: float
    error: float


@dataclasses.dataclass(frozen=True, eq=False)
class SurrogateAdvice:
    """What `suggest_surrogate` found.

    Attributes
    ----------
    choices : list of SurrogateChoice
        The cheapest first, in seconds.
    samples : int
        Jets that it rests on.
    unexplained : float
        The errors with which the samples predict each other's values, relative to how these differ; root mean squares.
    resolved : bool
        Whether the samples know enough of f for expectations: unexplained is at most 0.1. Otherwise the choices are f
        and grids in tolerance mode, and what those are expected to cost is a guess.
    seconds_per_evaluation : float
        Of f, with the jets that the grid takes.
    """

    choices: list[SurrogateChoice]
    samples: int
    unexplained: float
    resolved: bool
    seconds_per_evaluation: float


def suggest_surrogate(
    grid: AdaptiveGrid,
    points: npt.ArrayLike,
    *,
    tolerance: float = 1e-4,
    queries: float = 1e5,
    coverage: Coverage = "path",
    output_weights: Optional[npt.ArrayLike] = None,
    costs: Sequence[float] = (1, 1.1, 1.5),
    samples: int = 0,
) -> SurrogateAdvice:
    """Takes a few jets of f where a run will query, and says which of f itself, a grid or a kernel would serve it.

    Parameters
    ----------
    grid : AdaptiveGrid
        Of any spacing. The jets stay in it.
    points : (M, dim) array_like
        A path as a polygon, or points that stand for a box: random ones, some hundred.
    tolerance : float
        Of the value, absolute, in the norm of output_weights.
    queries : float
        In all, at the points given and between them.
    coverage : {"path", "box"}
    output_weights : (N,) array_like, optional
        By default 1/sqrt(N), the root mean square.
    costs : sequence of float
        Of jets of order 1, 2, ..., relative to each other.
    samples : int
        Jets to find out with, 3 to 200; 0: 4 (dim + 2), and where a kernel would serve best half of those that it lacks,
        then half of those that it then lacks. Where f gives no derivatives each takes 1 + 4 dim values.

    Raises
    ------
    ValueError
        Bad input, or f fails at all but two of the points asked.
    """
    if not isinstance(grid, AdaptiveGrid):
        raise TypeError(f"grid is a {type(grid).__name__}, expected an AdaptiveGrid")
    _require_inside(reals("points", points), grid.options)
    task = {
        "tolerance": float(tolerance),
        "queries": float(queries),
        "box": _is_box(coverage),
        "output_weights": output_weights,
        "costs": [float(cost) for cost in costs],
        "samples": samples,
    }
    found = grid._suggest(points, task)
    choices = [SurrogateChoice(**choice) for choice in found.pop("choices")]
    return SurrogateAdvice(choices, **found)


def _require_inside(points: FloatArray, options: GridOptions) -> None:
    if points.ndim != 2:
        return  # which the compiled part refuses
    for name, given in (("lower", options.lower), ("upper", options.upper)):
        if given is None or len(np.asarray(given)) != points.shape[1]:
            continue
        bound = np.asarray(given, dtype=np.float64)
        beyond = points < bound if name == "lower" else points > bound
        beyond[:, np.array(options.periodic or [False] * len(bound))] = False
        if beyond.any():
            row, axis = np.argwhere(beyond)[0].tolist()
            side = "below" if name == "lower" else "above"
            raise ValueError(f"points[{row}, {axis}] = {points[row, axis]:.10g} is {side} {name}[{axis}] = {bound[axis]:.10g}")


def _is_box(coverage: str) -> bool:
    if coverage not in ("path", "box"):
        raise ValueError(f"coverage = {coverage!r}, expected 'path' or 'box'")
    return coverage == "box"
