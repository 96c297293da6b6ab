# SPDX-License-Identifier: BSD-3-Clause
"""Linear systems from recordings."""

from __future__ import annotations

import dataclasses
from typing import Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import reals
from quoin._words import readable
from quoin.linear_systems import LinearSystem
from quoin.stops import Outcome, Stop

FloatArray = npt.NDArray[np.float64]


@readable
@dataclasses.dataclass(frozen=True)
class LinearSystemFit(Outcome):
    """The system found, and how well it follows the recording.

    Attributes
    ----------
    system : LinearSystem
        Discrete, in observer form: C = (1, 0, ...).
    initial_state : (n,) array
        Of the recording.
    fit : float
        `fit_percentage` on the recording itself.
    arx : LinearSystem
        The start of the fit: the equation error's least squares.
    arx_fit : float
    stop : Stop
    iterations : int
    """

    system: LinearSystem
    initial_state: FloatArray
    fit: float
    arx: LinearSystem
    arx_fit: float
    stop: Stop
    iterations: int


def fit_linear_system(
    inputs: npt.ArrayLike,
    outputs: npt.ArrayLike,
    time_step: float,
    *,
    order: Optional[int] = None,
    direct: Optional[bool] = None,
    estimate_initial_state: Optional[bool] = None,
    max_iterations: Optional[int] = None,
) -> LinearSystemFit:
    """A linear system of one input and one output from a recording: least squares of its output error, from ARX.

    Parameters
    ----------
    inputs, outputs : (T,) array_like
        Deviations from an operating point, at equal steps of time.
    time_step : float
        s.
    order : int, optional
        n; by default 2.
    direct : bool, optional
        Whether an output depends on the input of the same sample; by default False.
    estimate_initial_state : bool, optional
        By default True; False: the recording begins at rest.
    max_iterations : int, optional
        By default 200.

    Raises
    ------
    ValueError
        Shapes differ, fewer than 4 n + 4 samples, numbers that are not finite, outputs that are all 0, order < 1.
    """
    options = {
        "order": order,
        "direct": direct,
        "estimate_initial_state": estimate_initial_state,
        "max_iterations": max_iterations,
    }
    fields = _core.fit_linear_system(_rows(inputs), _rows(outputs), float(time_step), options)
    fields["system"], fields["arx"] = LinearSystem(*fields["system"]), LinearSystem(*fields["arx"])
    fields["stop"] = Stop(fields["stop"])
    return LinearSystemFit(**fields)


def fit_percentage(measured: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """``100 (1 - |y - yhat| / |y - mean of y|)`` of (T,) or (T, p): 100 is exact, 0 no better than the mean. Minus
    infinity if y does not change."""
    return _core.fit_percentage(_rows(measured), _rows(predicted))


def _rows(samples: npt.ArrayLike) -> FloatArray:
    array = reals("samples", samples)
    return array[:, np.newaxis] if array.ndim == 1 else array
