# SPDX-License-Identifier: BSD-3-Clause
"""Where a grid's lattice lies, from what users say of it."""

from __future__ import annotations

from typing import Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin._given import whole

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
