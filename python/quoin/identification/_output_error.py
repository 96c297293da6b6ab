# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of simulations from measured outputs."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Literal, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import reals
from quoin._words import readable
from quoin.dynamics import StepFailure, shaped
from quoin.errors import CornerFailure, DomainError
from quoin.identification._identifiability import ParameterIdentifiability, known_from
from quoin.stops import Outcome, Stop

FloatArray = npt.NDArray[np.float64]
Criterion = Literal["sum_of_norms", "least_squares"]
CRITERIA = ("sum_of_norms", "least_squares")
Prediction = Callable[[FloatArray], Optional[npt.ArrayLike]]
Derivatives = Callable[[FloatArray], Optional[tuple[npt.ArrayLike, npt.ArrayLike]]]


@dataclasses.dataclass(frozen=True)
class OutputErrorParameter:
    """A parameter of an output error fit: of a model, a delay, a coordinate of a trial's first state.

    Attributes
    ----------
    name : str
        For reports.
    initial : float
        Where the first start begins.
    lower, upper : float
        Infinite for none. Equal: it is held there, and no part of the analysis.
    scale : float
        Its typical size, by which it is divided to compare parameters.
    spread : float
        Further starts are drawn from initial +- spread, inside the bounds.
    """

    name: str
    initial: float = 0
    lower: float = -math.inf
    upper: float = math.inf
    scale: float = 1
    spread: float = 0


class OutputErrorStart(NamedTuple):
    """The result of one start.

    Attributes
    ----------
    initial, p : (P,) array
        Where it began, and where it ended.
    initial_norms, norms : float
        Sums of norms at both, in units of the outputs.
    initial_squares, squares : float
    stop : Stop
        `initial_failed`: the model cannot be simulated at the start; `derivatives_failed`: it can, but without
        derivatives.
    iterations : int
        Accepted steps.
    log : list of float
        The criterion after every iteration, smoothed; the first is the start's.
    """

    initial: FloatArray
    p: FloatArray
    initial_norms: float
    norms: float
    initial_squares: float
    squares: float
    stop: Stop
    iterations: int
    log: list[float]


@readable
@dataclasses.dataclass(frozen=True)
class OutputErrorFit(Outcome):
    """The best of the starts, and what the measurements tell of it.

    Attributes
    ----------
    p : (P,) array
        Inside the bounds.
    initial_norms, norms : float
        The sum of norms at the first start's parameters, and at p.
    squares : float
    points : int
        Measured ones.
    residual_deviation : float
        Of one coordinate, by the degrees of freedom left.
    stop : Stop
    iterations, best_start : int
    starts : list of OutputErrorStart
    predicted : (frames, rows) array
        At p.
    identifiability : ParameterIdentifiability
        At p; empty if there are no derivatives.
    deviations : (P,) array
        Of the estimates; 0 if held, infinite if part of a weak direction.
    margins : (P,) array
        ``p - margins`` to ``p + margins`` are intervals of 95 %; 0 if held, infinite where none can be given.
    at_bounds : list of str
        The names of those that are not held and ended on a bound.
    predictions, jacobians : int
        Calls without and with derivatives, of all starts.
    """

    p: FloatArray
    initial_norms: float
    norms: float
    squares: float
    points: int
    residual_deviation: float
    stop: Stop
    iterations: int
    best_start: int
    starts: list[OutputErrorStart]
    predicted: FloatArray
    identifiability: ParameterIdentifiability
    deviations: FloatArray
    margins: FloatArray
    at_bounds: list[str]
    predictions: int
    jacobians: int


def fit_output_error(
    parameters: Sequence[OutputErrorParameter],
    prediction: Prediction,
    measured: npt.ArrayLike,
    *,
    derivatives: Optional[Derivatives] = None,
    difference_step: float = 1e-6,
    block_size: int = 2,
    criterion: Criterion = "sum_of_norms",
    starts: Optional[int] = None,
    seed: Optional[int] = None,
    max_iterations: Optional[int] = None,
    relative_tolerance: Optional[float] = None,
    smoothing: Optional[float] = None,
    initial_damping: Optional[float] = None,
    max_damping: Optional[float] = None,
    check_curvature: Optional[bool] = None,
    weak_threshold: Optional[float] = None,
    resamples: Optional[int] = None,
) -> OutputErrorFit:
    """The parameters with which a simulation best follows measured points (Marchese, Tedrake, Rus 2015, Algorithm 1).

    Minimizes the sum over frames and points of the distance between prediction and measurement, inside the bounds, and
    says which combinations of parameters the measurements do not show.

    Parameters
    ----------
    parameters : sequence of OutputErrorParameter
    prediction : callable
        ``prediction(p)`` of p (P,) returns Y (frames, rows): a row for every frame, its points one after the other;
        several trials are further frames. It returns None, or raises `StepFailure`, `DomainError` or `CornerFailure`,
        where p cannot be simulated: a shorter step is tried. See `SimulatedMotion`.
    measured : (frames, rows) array_like
        A point with a NaN coordinate was not seen, and does not count.
    derivatives : callable, optional
        ``derivatives(p)`` returns ``(Y, dY_dp)``, (frames, rows) and (frames, rows, P), or fails likewise. By default
        dY_dp is of central differences of the prediction, one-sided at bounds.
    difference_step : float
        Of these, relative to the scales.
    block_size : int
        Coordinates of a point: 2 or 3; 1 for least squares only.
    criterion : {"sum_of_norms", "least_squares"}
        Distances that are not squared: outliers weigh little.
    starts : int, optional
        By default 1; the first is `initial`, the others are drawn.
    seed : int, optional
        Of the others; by default 1.
    max_iterations : int, optional
        Of each start; by default 100.
    relative_tolerance : float, optional
        Stop when model or step promise less than this times the cost; by default 1e-9.
    smoothing : float, optional
        eps of ``sqrt(|e|^2 + eps^2)``, in units of the outputs; by default 1e-4 of the measurements' deviation.
    initial_damping : float, optional
        Relative to the diagonal of the scaled model; by default 1e-3.
    max_damping : float, optional
        By default 1e10.
    check_curvature : bool, optional
        Look for a lower cost along the four weakest directions of the model before a point is called converged, and go
        on from it: at most 24 predictions, as a rule once; by default True.
    weak_threshold : float, optional
        Relative singular values below it count as not identifiable; by default 1e-6.
    resamples : int, optional
        From which the deviations of a sum of norms come, by default 100; 0: none, they are infinite.

    Raises
    ------
    ValueError
        Sizes, bounds, scales or options do not fit, or nothing was measured.
    Exception
        What prediction or derivatives raise.
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion = {criterion!r}, expected one of {CRITERIA}")
    outputs = reals("measured", measured)
    if outputs.ndim != 2:
        raise ValueError(f"measured: shape {outputs.shape}, expected (frames, rows)")
    if not difference_step > 0:
        raise ValueError(f"difference_step = {difference_step}, expected a positive number")
    if derivatives is None:
        derivatives = _Differences(parameters, prediction, outputs.shape, difference_step)
    options = {
        "block_size": block_size,
        "criterion": CRITERIA.index(criterion),
        "starts": starts,
        "seed": seed,
        "max_iterations": max_iterations,
        "relative_tolerance": relative_tolerance,
        "smoothing": smoothing,
        "initial_damping": initial_damping,
        "max_damping": max_damping,
        "check_curvature": check_curvature,
        "weak_threshold": weak_threshold,
        "resamples": resamples,
    }
    call = _checked(prediction, derivatives, outputs.shape, len(parameters))
    fields = _core.fit_output_error([dataclasses.astuple(one) for one in parameters], call, outputs, options)
    fields["stop"] = Stop(fields["stop"])
    fields["starts"] = [_start(*one) for one in fields["starts"]]
    fields["identifiability"] = known_from(fields["identifiability"])
    return OutputErrorFit(**fields)


def _start(*fields: Any) -> OutputErrorStart:
    start = OutputErrorStart(*fields)
    return start._replace(stop=Stop(start.stop))


def _predicted(f: Callable[[FloatArray], Any], p: FloatArray) -> Any:
    """What f answers; None where it fails."""
    try:
        return f(p)
    except (DomainError, CornerFailure, StepFailure):
        return None


def _checked(
    prediction: Prediction, derivatives: Derivatives, shape: tuple[int, ...], parameters: int
) -> Callable[[FloatArray, bool], Optional[tuple[FloatArray, ...]]]:
    def call(p: FloatArray, wanted: bool) -> Optional[tuple[FloatArray, ...]]:
        answer = _predicted(derivatives if wanted else prediction, p)
        if answer is None:
            return None
        if not wanted:
            return (shaped(answer, shape, "prediction"),)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise ValueError(f"derivatives returned a {type(answer).__name__}, expected (Y, dY_dp) or None")
        J = shaped(answer[1], (*shape, parameters), "derivatives")
        return shaped(answer[0], shape, "derivatives"), J.reshape(-1, parameters)

    return call


class _Differences:
    def __init__(
        self, parameters: Sequence[OutputErrorParameter], f: Prediction, shape: tuple[int, ...], step: float
    ) -> None:
        self._parameters = list(parameters)
        self._f = f
        self._shape = shape
        self._step = step

    def __call__(self, p: FloatArray) -> Optional[tuple[FloatArray, FloatArray]]:
        Y = self._outputs(p)
        if Y is None:
            return None
        J = np.zeros((*self._shape, len(self._parameters)))
        for j, parameter in enumerate(self._parameters):
            if parameter.lower == parameter.upper:
                continue
            up, down = p.copy(), p.copy()
            up[j] = min(p[j] + self._step * parameter.scale, parameter.upper)
            down[j] = max(p[j] - self._step * parameter.scale, parameter.lower)
            above, below = self._outputs(up), self._outputs(down)
            if above is None or below is None:
                return None
            J[..., j] = (above - below) / (up[j] - down[j])
        return Y, J

    def _outputs(self, p: FloatArray) -> Optional[FloatArray]:
        answer = _predicted(self._f, p)
        return None if answer is None else shaped(answer, self._shape, "prediction")
