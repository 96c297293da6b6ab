# SPDX-License-Identifier: BSD-3-Clause
"""What queries answer besides the numbers."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin._words import Word, readable

FloatArray = npt.NDArray[np.float64]


class Trust(Word):
    """How far an answer can be trusted, from most to least."""

    exact = 0  #: f itself was called at the query point
    verified = 1  #: the error was measured by the equation that f solves
    certified = 2  #: a proven bound on the error is given
    estimated = 3  #: an estimate of the error is given
    indicated = 4  #: an estimate that rests on too few samples to be relied on
    unchecked = 5  #: interpolated; nothing is known of the error here
    coarser = 6  #: a corner of the wanted cell failed or was not there; a coarser cell answered
    nearest_branch = 7  #: f changes its branch within the cell; continued from the nearest corner
    discontinuous = 8  #: interpolated across what looks like a jump
    extended = 9  #: the point is outside and was clamped to the domain or extended from it, as requested
    outside = 10  #: the point is outside; there is no answer
    failed = 11  #: f failed at a corner that is needed; there is no answer


@readable
class ErrorEstimate(NamedTuple):
    """What is known of an error without a value.

    Attributes
    ----------
    trust : Trust
    level : int
        Of the cell that answers.
    error : float
        Bound or estimate of the value's error, in the weighted norm of the outputs; NaN if unknown.
    jacobian_error : float
        The largest error of a column of the Jacobian, in the same norm; NaN if unknown.
    reason : str
        Why the error is unknown, and what to do; empty where it is known.
    """

    trust: Trust
    level: int
    error: float
    jacobian_error: float
    reason: str = ""


@readable
class ErrorCheck(NamedTuple):
    """What `GridView.check` has seen: f itself at n of the points given, chosen by chance.

    Attributes
    ----------
    points : (n, dim) array
        Those given, but for the rounding to the finest lattice.
    errors : (n,) array
        Of the values, in the weighted norm of the outputs.
    jacobian_errors : (n,) array or None
        Of the worst column of the Jacobians; None if f gives none.
    stated : (n,) array
        What the answers say of their errors; NaN where they say nothing.
    largest, root_mean_square : float
        Of the errors; NaN if n = 0.
    share : float
        At least this share of all points given errs by no more than `largest`, with a confidence of 95 %.
    told, within : int
        How many answers state an error, and how many of these err by no more than that.
    failed : int
        Further points at which f failed, or the map has no answer.
    message : str
        The same in a sentence.
    """

    points: FloatArray
    errors: FloatArray
    jacobian_errors: Optional[FloatArray]
    stated: FloatArray
    largest: float
    root_mean_square: float
    share: float
    told: int
    within: int
    failed: int
    message: str

    def __str__(self) -> str:
        return self.message


@readable
class Answer(NamedTuple):
    """The answer of `Map.query` at one point.

    Attributes
    ----------
    y : (N,) array or None
        None where there is no answer.
    J : (N, dim) array or None
    trust : Trust
    level : int
        Of the cell that answered; 0 for exact maps.
    error : float
        Bound or estimate of the value's error, in the weighted norm of the outputs; NaN if unknown.
    jacobian_error : float
        The largest error of a column of the Jacobian, in the same norm; NaN if unknown.
    """

    y: Optional[FloatArray]
    J: Optional[FloatArray]
    trust: Trust
    level: int
    error: float
    jacobian_error: float

    @property
    def has_value(self) -> bool:
        """True if y and J are there."""
        return self.trust < Trust.outside


@readable
class Answers(NamedTuple):
    """The answers of `Map.query` at points (..., dim).

    Attributes
    ----------
    y : (..., N) array
        NaN where there is no answer.
    J : (..., N, dim) array
    trust : (...) array of int
        Values of `Trust`.
    level : (...) array of int
    error : (...) array
    jacobian_error : (...) array
    """

    y: FloatArray
    J: FloatArray
    trust: npt.NDArray[np.intc]
    level: npt.NDArray[np.intc]
    error: FloatArray
    jacobian_error: FloatArray


_trusts = tuple(Trust)


def _answer(
    y: Optional[FloatArray], J: Optional[FloatArray], trust: int, level: int, error: float, jacobian_error: float
) -> Answer:
    """Called by the compiled part."""
    return Answer(y, J, _trusts[trust], level, error, jacobian_error)
