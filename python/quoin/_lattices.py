# SPDX-License-Identifier: BSD-3-Clause
"""Where a grid's lattice lies, from what users say of it."""

from __future__ import annotations

from typing import Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin._given import whole
from quoin.options import GridOptions

FloatArray = npt.NDArray[np.float64]


def edges_and_origin(
    spacing: Optional[npt.ArrayLike],
    cells: Optional[Sequence[int]],
    origin: Optional[npt.ArrayLike],
    lower: Optional[npt.ArrayLike],
    upper: Optional[npt.ArrayLike],
) -> tuple[FloatArray, Optional[npt.ArrayLike]]:
    """Edges of the cells of level 0 (dim,), and a lattice point: along axes where 0 and the lower bound cannot both be
    one, that bound."""
    if callable(spacing):
        raise TypeError("spacing is a function: f comes first, AdaptiveGrid(f, spacing)")
    if (spacing is None) == (cells is None):
        raise TypeError("AdaptiveGrid: spacing or cells is needed, and not both")
    if cells is not None:
        if lower is None or upper is None:
            raise TypeError("cells: lower and upper are needed with it")
        low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        if low.ndim != 1 or low.shape != high.shape or len(cells) != len(low):
            raise ValueError(f"cells = {list(cells)}, lower of shape {low.shape}, upper of {high.shape}: expected as many")
        for i, count in enumerate(cells):
            if whole(f"cells[{i}]", count) < 1:
                raise ValueError(f"cells[{i}] = {count}, expected at least 1")
            if not (np.isfinite(low[i]) and np.isfinite(high[i]) and low[i] < high[i]):
                raise ValueError(f"cells: lower[{i}] = {low[i]} is not below upper[{i}] = {high[i]}, or one is not finite")
        edges = (high - low) / np.asarray(cells, dtype=np.float64)
    else:
        edges = np.asarray(spacing, dtype=np.float64)
    if edges.ndim != 1 or not 1 <= len(edges) <= 6:
        raise ValueError(f"spacing: shape {edges.shape}, expected (dim,) with dim from 1 to 6")
    if not np.all((edges > 0) & np.isfinite(edges)):
        raise ValueError(f"spacing = {edges.tolist()} is not positive and finite")
    bound = None if lower is None else np.asarray(lower, dtype=np.float64)
    if origin is not None or bound is None or bound.shape != edges.shape:
        return edges, origin
    steps = np.where(np.isfinite(bound), bound, 0) / edges
    apart = np.abs(steps - np.round(steps)) > 1e-9 * np.maximum(1, np.abs(steps))
    return edges, np.where(apart, bound, 0.0) if apart.any() else None


def corners_around(x: Optional[npt.ArrayLike], edges: FloatArray, options: GridOptions) -> list[FloatArray]:
    """The corners of the cell of level 0 that holds x, or the middle of the domain."""
    dim = len(edges)
    origin = _point(options.origin, dim, 0.0)
    lower, upper = _point(options.lower, dim, -np.inf), _point(options.upper, dim, np.inf)
    at = np.clip(origin, lower, upper)
    periodic = np.array(options.periodic or [False] * dim)
    bounded = np.isfinite(lower) & np.isfinite(upper)
    at[bounded] = lower[bounded] / 2 + upper[bounded] / 2
    if x is not None:
        given = np.asarray(x)
        if given.dtype.kind not in "fiub":
            raise TypeError(f"x: an array of {given.dtype}, expected real numbers")
        points = given.astype(np.float64)
        if points.ndim == 0 or points.shape[-1] != dim:
            raise ValueError(f"x: shape {points.shape}, expected ({dim},) or (..., {dim})")
        if points.size and np.all(np.isfinite(points.reshape(-1, dim)[0])):
            at = points.reshape(-1, dim)[0].copy()
            at[periodic] = lower[periodic] + np.mod(at[periodic] - lower[periodic], (upper - lower)[periodic])
            at = np.clip(at, lower, upper)
    index = np.floor((at - origin) / edges)
    highest = np.round((upper - origin) / edges) - 1
    index = np.where(np.isfinite(highest), np.minimum(index, highest), index)
    offsets = np.array(np.meshgrid(*[[0, 1]] * dim, indexing="ij")).reshape(dim, -1).T
    lowest = np.round((lower - origin) / edges)
    corners = [np.where(periodic & (index + offset > highest), lowest, index + offset) for offset in offsets]
    return [origin + edges * corner for corner in corners]


def _point(value: Optional[npt.ArrayLike], dim: int, default: float) -> FloatArray:
    if value is None:
        return np.full(dim, default)
    point = np.asarray(value, dtype=np.float64)
    if point.shape != (dim,):
        raise ValueError(f"a point of shape {point.shape} in the options, expected ({dim},)")
    return point
