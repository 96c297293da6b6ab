# SPDX-License-Identifier: BSD-3-Clause
"""A path to be followed by outputs of reduced dynamics: the plan. What runs it is in _running.py."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import or_none, real, reals, truth, whole
from quoin._words import readable
from quoin.dynamics import StepFailure, StepStatus
from quoin.maps import Map
from quoin.reduced_dynamics import ReducedDynamics
from quoin.stops import Stop

if TYPE_CHECKING:
    from quoin.planning._running import TrackingLoop

FloatArray = npt.NDArray[np.float64]


@readable
@dataclasses.dataclass(frozen=True)
class Tracking:
    """The task: the outputs of a model shall be where the path is, at each time step.

    Attributes
    ----------
    model : ReducedDynamics
    output : Map
        From the model's pulls to N outputs.
    path : (K + 1, N) array
    control : ((m,) array, (m,) array)
        The least and the greatest pulls.
    control_rate : float, (m,) array or None
        How fast these may change, a second.
    accuracy : float
        The deviation that counts, in the outputs' unit.
    smoothness : float
        What a change of a pull through its whole range counts beside it.
    """

    model: ReducedDynamics
    output: Map
    path: FloatArray
    control: tuple[FloatArray, FloatArray]
    control_rate: Optional[FloatArray]
    accuracy: float
    smoothness: float


@readable
@dataclasses.dataclass(frozen=True)
class TrackingPlan:
    """Controls with which the model follows a path. Made by `track`.

    Attributes
    ----------
    task : Tracking
    target : (K + 1, N) array
        What was planned for: the path, or where `learn` has shifted it.
    states : (K + 1, n) array
    controls : (K, m) array
    planned : (K + 1, N) array
        The outputs of the model.
    stop : Stop
    message : str
        What became of it, in a sentence.
    history : list of float
        The root mean square errors of the runs that `learn` made.
    seen : (K + 1, N) array or None
        The outputs of the simulator under these controls, where `learn` has run them: what a loop holds.
    """

    task: Tracking
    target: FloatArray
    states: FloatArray
    controls: FloatArray
    planned: FloatArray
    stop: Stop
    message: str
    history: list[float] = dataclasses.field(default_factory=list)
    seen: Optional[FloatArray] = None

    @property
    def errors(self) -> FloatArray:
        """How far the model's outputs are from the target (K + 1,)."""
        return np.asarray(np.linalg.norm(self.planned - self.target, axis=1))

    def feedback(
        self,
        *,
        output_weight: Optional[float] = None,
        control_weight: float = 100.0,
        estimate: bool = True,
        noise: Optional[float] = None,
        disturbance: float = 0.01,
    ) -> TrackingLoop:
        """A loop that holds the plan: time-varying LQR on what a Kalman filter makes of measured outputs.

        Deviations are those from what the simulator did in the last run of `learn`, else from the model's plan.

        Parameters
        ----------
        output_weight : float, optional
            Of a squared deviation d of the outputs; by default 1/d^2 of ten accuracies, or of a hundredth of what the whole
            range of the pulls moves the outputs, if that is more.
        control_weight : float
            Of a squared change of the pulls, in parts of their range: a tenth counts 1.
        estimate : bool
            False: the simulator answers states (n,) of the model in the place of outputs.
        noise : float, optional
            The deviation of measured outputs; by default the task's accuracy.
        disturbance : float
            Of the state, in a step, in parts of the range of the pulls.
        """
        from quoin.planning._running import TrackingLoop

        options = {
            "output_weight": or_none(real, "output_weight", output_weight),
            "control_weight": real("control_weight", control_weight),
            "estimate": truth("estimate", estimate),
            "noise": or_none(real, "noise", noise),
            "disturbance": real("disturbance", disturbance),
        }
        return TrackingLoop(self, options)


def track(
    model: ReducedDynamics,
    output: Map,
    path: npt.ArrayLike,
    *,
    control: tuple[npt.ArrayLike, npt.ArrayLike],
    control_rate: Optional[npt.ArrayLike] = None,
    accuracy: Optional[float] = None,
    smoothness: float = 1.0,
    max_iterations: int = 100,
) -> TrackingPlan:
    """Plans controls with which outputs of the model follow a path: at rest first, then with the dynamics, by iLQR.

    The motion begins at rest, where the path does.

    Parameters
    ----------
    model : ReducedDynamics
    output : Map
        From the model's pulls to N outputs: rows of the same map, as ``arm[40:42]``.
    path : (K + 1, N) array_like
        Where the outputs shall be, at times that are `model.time_step` apart.
    control : (lower, upper)
        The least and the greatest pulls: numbers, or (m,).
    control_rate : float or (m,) array_like, optional
        How fast pulls may change, a second.
    accuracy : float, optional
        The deviation that counts, in the outputs' unit; by default a thousandth of the path's extent.
    smoothness : float
        What a change of a pull through its whole range, within a step, counts beside it.

    Raises
    ------
    ValueError
        Sizes or bounds do not fit.
    StepFailure
        The model cannot rest at the path's beginning, or leaves its map on the way.
    """
    if not isinstance(model, ReducedDynamics):
        raise TypeError(f"model is a {type(model).__name__}, expected ReducedDynamics")
    if not isinstance(control, (tuple, list)) or len(control) != 2:
        raise ValueError("control: expected (lower, upper)")
    m = model.control_size
    bounds = _per_control("control[0]", control[0], m), _per_control("control[1]", control[1], m)
    rate = None if control_rate is None else _per_control("control_rate", control_rate, m)
    asked = or_none(real, "accuracy", accuracy)
    points = reals("path", path).copy()
    fields = _core.track(
        _fields(model, output, points, bounds, rate, asked, real("smoothness", smoothness)),
        whole("max_iterations", max_iterations),
    )
    return _plan(Tracking(model, output, points, bounds, rate, fields["accuracy"], float(smoothness)), fields)


def track_again(plan: TrackingPlan, target: FloatArray, max_iterations: int) -> TrackingPlan:
    """The plan's task for another target (K + 1, N), from its controls on, which changes count from."""
    limit = whole("max_iterations", max_iterations)
    return _plan(plan.task, _core.track_again(task_of(plan), plan.states, plan.controls, target, limit))


def task_of(plan: TrackingPlan) -> dict[str, Any]:
    """As the compiled part takes it."""
    t = plan.task
    return _fields(t.model, t.output, t.path, t.control, t.control_rate, t.accuracy, t.smoothness)


def _fields(
    model: ReducedDynamics,
    output: Map,
    path: FloatArray,
    control: tuple[FloatArray, FloatArray],
    control_rate: Optional[FloatArray],
    accuracy: Optional[float],
    smoothness: float,
) -> dict[str, Any]:
    return {
        "model": model._compiled,
        "time_step": model.time_step,
        "output": output,
        "lengths": model.lengths,
        "path": path,
        "lower": control[0],
        "upper": control[1],
        "control_rate": control_rate,
        "accuracy": accuracy,
        "smoothness": smoothness,
    }


def _plan(task: Tracking, fields: dict[str, Any]) -> TrackingPlan:
    stop = Stop(fields["stop"])
    if stop is Stop.initial_failed:
        raise StepFailure("track: " + fields["message"], StepStatus(fields["failed_status"]))
    return TrackingPlan(
        task, fields["target"], fields["states"], fields["controls"], fields["planned"], stop, fields["message"]
    )


def root_mean_square(errors: FloatArray) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _per_control(name: str, value: npt.ArrayLike, m: int) -> FloatArray:
    numbers = reals(name, value)
    if numbers.ndim == 0:
        numbers = np.full(m, float(numbers))
    if numbers.shape != (m,) or not np.all(np.isfinite(numbers)):
        raise ValueError(f"{name} = {np.asarray(value).tolist()}, expected a number or {m} of them, finite")
    return numbers
