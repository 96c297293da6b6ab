# SPDX-License-Identifier: BSD-3-Clause
"""What came of filling a box."""

from __future__ import annotations

from typing import Optional

import numpy as np
import numpy.typing as npt

from quoin.errors import CornerFailure
from quoin.samples import Samples


class Filled(int):
    """How many cells were filled; an int, which prints where f failed too.

    Attributes
    ----------
    corners, failed : int
        Of the box, and how many of these have no answer; 0 where f failed nowhere.
    reason : str
        The first of these, and why.
    """

    corners: int = 0
    failed: int = 0
    reason: str = ""

    def __str__(self) -> str:
        if not self.failed:
            return f"{int(self)} cells"
        return f"{int(self)} cells; f failed at {self.failed} of {self.corners} corners, first at {self.reason}"

    __repr__ = __str__


def filled(
    cells: int,
    samples: Samples,
    lower: Optional[npt.ArrayLike],
    upper: Optional[npt.ArrayLike],
    spacing: npt.NDArray[np.float64],
    periodic: npt.NDArray[np.bool_],
) -> Filled:
    """Counts the failures at corners of cells that the box meets; where all failed it has no answer: that is raised.

    Along periodic axes, whose box may lie turns away, all corners count.
    """
    points, failed = samples.points, samples.failed
    inside = np.ones(len(points), dtype=bool)
    edge = (1 - 1e-9) * spacing
    if lower is not None:
        inside &= np.all((points > np.asarray(lower) - edge) | periodic, axis=1)
    if upper is not None:
        inside &= np.all((points < np.asarray(upper) + edge) | periodic, axis=1)
    told = Filled(cells)
    told.corners, told.failed = int(inside.sum()), int((inside & failed).sum())
    for first in np.flatnonzero(inside & failed)[:1]:
        told.reason = f"{points[first].tolist()}: {samples.reasons[first]}"
    if told.failed and told.failed == told.corners:
        raise CornerFailure(
            f"fill: f failed at all {told.corners} corners of the box, first at {told.reason}; give a box where it answers"
        )
    return told
