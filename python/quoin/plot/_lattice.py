# SPDX-License-Identifier: BSD-3-Clause
"""The cells of a grid as its samples tell them."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: of a cell's edge, to which a coordinate is known
ROUNDING = 1e-6
DEEPEST = 40


def levels_of(points: FloatArray, edges: FloatArray, origin: FloatArray) -> IntArray:
    """The coarsest level (M,) of which each of the points (M, dim) is a corner.

    Raises
    ------
    ValueError
        A point is the corner of no level.
    """
    levels = np.full(len(points), -1, dtype=np.int64)
    steps = (points - origin) / edges
    for level in range(DEEPEST):
        left = np.flatnonzero(levels < 0)
        if not len(left):
            return levels
        scaled = steps[left] * 2.0**level
        levels[left[np.all(np.abs(scaled - np.round(scaled)) < ROUNDING, axis=1)]] = level
    if np.any(levels < 0):
        raise ValueError(f"the sample at {points[levels < 0][0].tolist()} is no corner of any level")
    return levels


def cells_in_plane(
    steps: FloatArray, level: int, at: FloatArray, axes: tuple[int, int]
) -> IntArray:
    """The cells of one level that a plane meets and all of whose corners are among the samples.

    Parameters
    ----------
    steps : (M, dim) array
        Samples of this level and of coarser ones, in edges of level 0 from the origin.
    level : int
    at : (dim,) array
        A point of the plane, in the same unit; its coordinates along `axes` are not used.
    axes : (int, int)
        That span the plane.

    Returns
    -------
    (C, 2) array
        The lower corners, in edges of this level, along the axes. A cell that the plane touches counts.
    """
    dim = steps.shape[1]
    indices = np.round(steps * 2.0**level).astype(np.int64)
    there = set(map(tuple, indices.tolist()))
    others = [axis for axis in range(dim) if axis not in axes]
    offset = (at * 2.0**level - indices)[:, others]
    candidates = indices[np.all((offset > -ROUNDING) & (offset < 1 + ROUNDING), axis=1)]
    corners = list(itertools.product((0, 1), repeat=dim))
    found = {
        (lower[axes[0]], lower[axes[1]])
        for lower in candidates.tolist()
        if all(tuple(i + c for i, c in zip(lower, corner)) in there for corner in corners)
    }
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
