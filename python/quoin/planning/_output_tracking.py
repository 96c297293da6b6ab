# SPDX-License-Identifier: BSD-3-Clause
"""Inputs with which a linear system follows a profile."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.linear_systems import LinearSystem

FloatArray = npt.NDArray[np.float64]


@readable
class OutputTracking(NamedTuple):
    """The inputs found, and what they lead to.

    Attributes
    ----------
    inputs : (K,) array
        u_0 .. u_{K-1}, within their bounds.
    outputs : (K,) array
        y_1 .. y_K that they give.
    largest_error : float
        What the system cannot follow.
    """

    inputs: FloatArray
    outputs: FloatArray
    largest_error: float


def track_output(
    system: LinearSystem, wanted: npt.ArrayLike, lower: float, upper: float, smoothing: float = 1e-4
) -> OutputTracking:
    """The inputs, within bounds, with which a linear system of one input and one output best follows a profile, from
    rest (Marchese, Tedrake, Rus 2015, Eqs. 29 and 30, for squared errors): a convex quadratic program, solved exactly.

    Parameters
    ----------
    system : quoin.LinearSystem
        Discrete, with D = 0.
    wanted : (K,) array_like
        Outputs, the first after one step.
    lower, upper : float
    smoothing : float
        The weight of the squared changes of the input.

    Raises
    ------
    ValueError
        Any other system, a response that overflows, bounds that cross, or a smoothing that is not positive.
    """
    return OutputTracking(*_core.track_output(system._fields, wanted, float(lower), float(upper), float(smoothing)))
