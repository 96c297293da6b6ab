# SPDX-License-Identifier: BSD-3-Clause
"""What f has answered, as arrays."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Samples:
    """What f answered at M points, failures included; it can be pickled.

    Attributes
    ----------
    points : (M, dim) array
    jets : (M, N, derivatives) array
        Plain derivatives up to `jet_order` in graded lexicographic order: the value, the derivatives by each variable,
        the second derivatives, ... NaN where f failed.
    jet_order : int
        0 to 3.
    difference_gradients : bool
        The samples are values, whose gradients a grid differences.
    branches : list of int
        The labels that f gave.
    reasons : list of str
        Of failures; empty where there was none.
    retry : list of bool
        The failure may pass.
    seconds : list of float
        Spent in f.
    """

    points: FloatArray
    jets: FloatArray
    jet_order: int
    difference_gradients: bool
    branches: list[int]
    reasons: list[str]
    retry: list[bool]
    seconds: list[float]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def values(self) -> FloatArray:
        """The values (M, N), a view of the jets."""
        return self.jets[:, :, 0]

    @property
    def jacobians(self) -> FloatArray:
        """The Jacobians (M, N, dim), a view of the jets; without columns if the samples are values alone."""
        return self.jets[:, :, 1 : 1 + self.points.shape[1]]

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Where f failed (M,)."""
        return np.array([bool(reason) for reason in self.reasons], dtype=np.bool_)

    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


class InsertedSamples(NamedTuple):
    """What became of samples that were inserted; the sum is their number.

    Attributes
    ----------
    used : int
        Kept; permanent failures too.
    known : int
        At points that were there.
    off_lattice : int
        At points that are no corners of any level, or outside the domain.
    of_lower_order : int
        Without derivatives that are needed.
    to_retry : int
        Failures that may pass.
    failed : int
        Failures that a kernel has no use for.
    """

    used: int
    known: int
    off_lattice: int
    of_lower_order: int
    to_retry: int
    failed: int
