# SPDX-License-Identifier: BSD-3-Clause
"""How many cells of level 0 a table has along each axis, from values of f along a few lines."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
#: The lines are divided into so many steps. Cells are a power of 2 and no more than these, so that what was looked at
#: are corners of the grid.
STEPS = 8
_LINES = 4
#: Cubics through four of the even points of a line, at its odd points.
_CUBICS = np.array(
    [
        [5, -16, 15, 0, -5, 0, 1, 0, 0],
        [-1, 0, 9, -16, 9, 0, -1, 0, 0],
        [0, 0, -1, 0, 9, -16, 9, 0, -1],
        [0, 0, 1, 0, -5, 0, 15, -16, 5],
    ]
) / 16  # fmt: skip


def lines(dim: int) -> FloatArray:
    """Points (dim, 4, 9, dim) of the unit box: along each axis four lines, apart in all others."""
    line, axis = np.meshgrid(np.arange(_LINES), np.arange(dim), indexing="ij")
    bases = 2 * ((line * (2 * axis + 1) + axis) % _LINES) + 1
    X = np.tile(bases[np.newaxis, :, np.newaxis, :], (dim, 1, STEPS + 1, 1)).astype(float)
    for i in range(dim):
        X[i, :, :, i] = np.arange(STEPS + 1)
    return X / STEPS


def cells_along(values: FloatArray, periodic: Sequence[bool]) -> list[int]:
    """Cells from the values (dim, 4, 9, N) on lines, in parts of the errors allowed; NaN where f failed.

    The grid halves its cells along all axes together, so that what matters is how the axes compare: where a cubic of
    quarters of the axis errs by e, cells of 4 e^(1/4) are asked for, scaled to at most 8.
    """
    off = np.abs(np.einsum("cj,aljn->alcn", _CUBICS, values)).max(axis=(2, 3))
    worst = np.where(np.isnan(off), -1, off).max(axis=1)
    worst = np.where(worst < 0, 1, worst)  # no line has an answer everywhere: quarters
    asked = 4 * worst**0.25
    asked *= min(1, STEPS / asked.max()) if asked.max() > 0 else 1
    power = np.clip(np.round(np.log2(np.maximum(asked, 1))), np.where(periodic, 2, 0), np.log2(STEPS))
    return [int(cells) for cells in 2**power]
