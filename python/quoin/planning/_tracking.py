# SPDX-License-Identifier: BSD-3-Clause
"""A path to be followed by outputs of reduced dynamics: the plan. What runs it is in _running.py."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Optional

import numpy as np
import numpy.typing as npt

from quoin._given import real
from quoin._words import readable
from quoin.dynamics import StepFailure
from quoin.errors import DomainError
from quoin.maps import Map
from quoin.planning._costs import MapCost, QuadraticCost
from quoin.planning._ilqr import IlqrStop, ilqr
from quoin.reduced_dynamics import ReducedDynamics

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
    stop : IlqrStop
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
    stop: IlqrStop
    history: list[float] = dataclasses.field(default_factory=list)
    seen: Optional[FloatArray] = None

    @property
    def errors(self) -> FloatArray:
        """How far the model's outputs are from the target (K + 1,)."""
        return np.asarray(np.linalg.norm(self.planned - self.target, axis=1))

    @property
    def message(self) -> str:
        """What became of it, in a sentence."""
        lower, upper = self.task.control
        held = np.mean(np.any((self.controls <= lower) | (self.controls >= upper), axis=1))
        text = f"{self.stop.name}: the model is {root_mean_square(self.errors):.3g} off its target (root mean square), at most "
        text += f"{self.errors.max():.3g}"
        if held > 0:
            text += f"; {100 * held:.0f} % of the steps have a pull at its bound"
        return text

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
            Of a squared deviation of the outputs; by default 1 / (10 accuracy)^2.
        control_weight : float
            Of a squared change of the pulls, in parts of their range: a tenth counts 1.
        estimate : bool
            False: the simulator answers states (n,) of the model in the place of outputs.
        noise : float, optional
            The deviation of measured outputs; by default the task's accuracy.
        disturbance : float
            Of the state, in a step, in parts of the range of the pulls.
        """
        weight = 0.01 / self.task.accuracy**2 if output_weight is None else real("output_weight", output_weight)
        sigma = self.task.accuracy if noise is None else real("noise", noise)
        for name, number in (("output_weight", weight), ("control_weight", control_weight), ("noise", sigma)):
            if not 0 < number < np.inf:
                raise ValueError(f"{name} = {number} is not positive and finite")
        if not 0 <= real("disturbance", disturbance) < np.inf:
            raise ValueError(f"disturbance = {disturbance}, expected at least 0, and finite")
        from quoin.planning._running import TrackingLoop

        return TrackingLoop(self, weight, float(control_weight), bool(estimate), sigma, real("disturbance", disturbance))


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
    points = np.asarray(path, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != output.output_size or len(points) < 2:
        raise ValueError(f"path: shape {points.shape}, expected (K + 1, {output.output_size})")
    if not np.all(np.isfinite(points)):
        raise ValueError("path: a number is not finite")
    m = model.control_size
    if output.dim != m:
        raise ValueError(f"output: a map of {output.dim} variables, the model has {m} pulls")
    if not isinstance(control, (tuple, list)) or len(control) != 2:
        raise ValueError("control: expected (lower, upper)")
    lower, upper = _per_control("control[0]", control[0], m), _per_control("control[1]", control[1], m)
    if not np.all(lower < upper):
        raise ValueError(f"control: lower = {lower.tolist()} is not below upper = {upper.tolist()}")
    rate = None if control_rate is None else _per_control("control_rate", control_rate, m)
    if rate is not None and not np.all(rate > 0):
        raise ValueError(f"control_rate = {rate.tolist()} is not positive")
    extent = float(np.ptp(points, axis=0).max())
    if accuracy is None and extent == 0:
        raise ValueError("path: a single point, which tells no accuracy: give accuracy")
    counts = 1e-3 * extent if accuracy is None else real("accuracy", accuracy)
    if not counts > 0 or not smoothness > 0:
        raise ValueError(f"accuracy = {counts} and smoothness = {smoothness}: expected more than 0")
    task = Tracking(model, output, points, (lower, upper), rate, counts, float(smoothness))
    try:
        rest = _at_rest(task, points)
    except DomainError as error:
        raise ValueError(
            f"control: the output has no answer within {lower.tolist()} to {upper.tolist()}, the bounds are to lie in its "
            f"map's domain: {error}"
        ) from error
    return planned(task, points, rest[0], rest[1:], max_iterations)


def planned(
    task: Tracking, target: FloatArray, first: FloatArray, guess: FloatArray, max_iterations: int
) -> TrackingPlan:
    model, (lower, upper) = task.model, task.control
    m, span = model.control_size, upper - lower
    start = model.rest_state(first)
    cost = MapCost(task.output, target, 1 / task.accuracy)
    if task.control_rate is None:
        # Changes count by what they add to those that the path takes at rest.
        steadily = QuadraticCost(control=task.smoothness / span**2, control_target=guess)
        found = ilqr(
            model, [cost, steadily], start=start, guess=np.clip(guess, lower, upper), lower_control=lower,
            upper_control=upper, max_iterations=max_iterations,
        )  # fmt: skip
        controls, states = found.controls, found.states
    else:
        most = task.control_rate * model.time_step
        changes, last = [], first
        for u in guess:
            changes.append(np.clip(np.clip(u, lower, upper) - last, -most, most))
            last = last + changes[-1]
        n = model.state_size
        free = np.full(n, np.inf)
        found = ilqr(
            Changes(model), [cost, QuadraticCost(control=task.smoothness / span**2)],
            start=np.concatenate([start, first]), guess=np.array(changes), lower_control=-most, upper_control=most,
            lower_state=np.concatenate([-free, lower]), upper_state=np.concatenate([free, upper]),
            max_iterations=max_iterations,
        )  # fmt: skip
        controls, states = np.clip(found.states[1:, n:], lower, upper), found.states[:, :n]
    if found.stop is IlqrStop.initial_rollout_failed:
        off = np.linalg.norm(task.output(np.vstack([first, guess])) - target, axis=1).max()
        raise StepFailure(
            f"track: the model has no step {found.failed_step} when it is pulled as it would rest along the path, which it "
            f"misses by up to {off:.3g}: a path within reach, a slower one, or a wider map",
            found.failed_status,
        )
    return TrackingPlan(task, target, states, controls, task.output(states[:, :m]), found.stop)


class Changes:
    """Dynamics of [x; u] whose control is the change of u, which acts at once."""

    def __init__(self, model: ReducedDynamics) -> None:
        self._model = model
        self._n, self.control_size = model.state_size, model.control_size
        self.state_size = self._n + self.control_size

    def step(self, z: FloatArray, change: FloatArray) -> FloatArray:
        u = z[self._n :] + change
        return np.concatenate([self._model.step(z[: self._n], u), u])

    def step_with_derivatives(self, z: FloatArray, change: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        n, m = self._n, self.control_size
        u = z[n:] + change
        x, dx, du = self._model.step_with_derivatives(z[:n], u)
        by_z, by_change = np.zeros((n + m, n + m)), np.zeros((n + m, m))
        by_z[:n, :n], by_z[:n, n:], by_change[:n] = dx, du, du
        by_z[n:, n:] = by_change[n:] = np.eye(m)
        return np.concatenate([x, u]), by_z, by_change

    def expect(self, states: FloatArray) -> None:
        self._model.expect(np.ascontiguousarray(states[:, : self._n]))


def _at_rest(task: Tracking, path: FloatArray) -> FloatArray:
    """For each point the pulls under which the output rests nearest to it, each from the one before."""
    lower, upper = task.control
    span = upper - lower
    u = (lower + upper) / 2
    rest = []
    for i, point in enumerate(path):
        u = _nearest(task.output, point, u, lower, upper, span, task.accuracy, 200 if i == 0 else 20)
        rest.append(u)
    return np.array(rest)


def _nearest(
    output: Map,
    point: FloatArray,
    u: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    span: FloatArray,
    accuracy: float,
    iterations: int,
) -> FloatArray:
    """Levenberg and Marquardt's method, in parts of the range, clipped to it."""
    damping = 1e-3
    y, J = output.value_and_jacobian(u)
    for _ in range(iterations):
        off, slope = (y - point) / accuracy, J * span / accuracy
        free = ~(((u <= lower) & (slope.T @ off > 0)) | ((u >= upper) & (slope.T @ off < 0)))
        if not free.any():
            break
        normal = slope[:, free].T @ slope[:, free]
        damped = normal + damping * max(np.trace(normal), 1e-300) / len(normal) * np.eye(len(normal))
        trial = u.copy()
        trial[free] -= span[free] * np.linalg.solve(damped, slope[:, free].T @ off)
        trial = np.clip(trial, lower, upper)
        y_there, J_there = output.value_and_jacobian(trial)
        if np.linalg.norm(y_there - point) < np.linalg.norm(y - point):
            moved = np.abs(trial - u) / span
            u, y, J, damping = trial, y_there, J_there, max(damping / 10, 1e-9)
            if moved.max() < 1e-9:
                break
        else:
            damping *= 10
            if damping > 1e8:
                break
    return u


def root_mean_square(errors: FloatArray) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _per_control(name: str, value: npt.ArrayLike, m: int) -> FloatArray:
    numbers = np.asarray(value, dtype=np.float64)
    if numbers.ndim == 0:
        numbers = np.full(m, float(numbers))
    if numbers.shape != (m,) or not np.all(np.isfinite(numbers)):
        raise ValueError(f"{name} = {np.asarray(value).tolist()}, expected a number or {m} of them, finite")
    return numbers
