# SPDX-License-Identifier: BSD-3-Clause
"""A tracking plan on a simulator: run, learnt from, held by feedback."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin._given import whole
from quoin._words import readable
from quoin.planning._feedback import TrajectoryFilter, linearize_along, time_varying_lqr
from quoin.planning._tracking import Changes, TrackingPlan, planned, root_mean_square

FloatArray = npt.NDArray[np.float64]
#: with ``reset()`` and ``step(u)``, or a function of all controls: see `run`
Simulator = Any


class TrackingLoop:
    """Feedback around a plan. Made by `TrackingPlan.feedback`.

    ``loop.reset()``, and then for each step ``u = loop.control(y)`` with what was measured.
    """

    def __init__(
        self, plan: TrackingPlan, weight: float, control_weight: float, estimate: bool, noise: float, disturbance: float
    ) -> None:
        self.plan = plan
        task = plan.task
        n, m = task.model.state_size, task.model.control_size
        span = task.control[1] - task.control[0]
        self._motion = linearize_along(task.model, plan.states, plan.controls)
        self._C = np.zeros((len(plan.states), task.output.output_size, n))
        self._C[:, :, :m] = task.output.value_and_jacobian(plan.states[:, :m])[1]
        Q = weight * np.einsum("kia,kib->kab", self._C, self._C)
        R = control_weight * np.diag(1 / span**2)
        if task.control_rate is None:
            lqr = time_varying_lqr(self._motion, state=Q[:-1], control=R, final=Q[-1])
        else:  # the pulls are part of the state, and what is fed back are their changes
            before = np.vstack([plan.states[0, :m], plan.controls])
            states = np.hstack([plan.states, before])
            motion = linearize_along(Changes(task.model), states, np.diff(before, axis=0))
            both = np.zeros((len(Q), n + m, n + m))
            both[:, :n, :n], both[:, n:, n:] = Q, R
            most = task.control_rate * task.model.time_step
            lqr = time_varying_lqr(motion, state=both[:-1], control=np.diag(1 / most**2), final=both[-1])
        self.gains = lqr.gains
        self._V = noise**2 * np.eye(task.output.output_size)
        self._W = np.zeros((n, n))
        self._W[:m, :m] = np.diag((disturbance * span) ** 2)
        self._estimate, self._span = estimate, span
        self.reset()

    def reset(self) -> None:
        """Begins at the plan's first step."""
        n, m = self.plan.task.model.state_size, self.plan.task.model.control_size
        covariance = np.diag(np.tile((0.01 * self._span) ** 2, n // m))
        self._filter = TrajectoryFilter(self._motion, covariance)
        self._step, self._last = 0, self.plan.states[0, :m]

    def control(self, y: npt.ArrayLike) -> FloatArray:
        """The pulls (m,) of the next step, within their bounds, from the outputs (N,) that were measured."""
        plan, i = self.plan, self._step
        if i >= len(plan.controls):
            raise ValueError(f"the plan has {len(plan.controls)} steps: reset() begins anew")
        measured = np.asarray(y, dtype=np.float64)
        wanted = (plan.planned if plan.seen is None else plan.seen)[i] if self._estimate else plan.states[i]
        if not np.all(np.isfinite(measured)):
            raise ValueError(f"measured = {measured.tolist()}: a number is not finite")
        if measured.shape != wanted.shape:
            what = "outputs" if self._estimate else "a state"
            raise ValueError(f"measured: shape {measured.shape}, expected {what} {wanted.shape}")
        if self._estimate:
            self._filter.update(self._C[i], measured - wanted, self._V)
            off = self._filter.estimate
        else:
            off = measured - wanted
        lower, upper = plan.task.control
        if plan.task.control_rate is None:
            u = np.clip(plan.controls[i] - self.gains[i] @ off, lower, upper)
        else:
            most = plan.task.control_rate * plan.task.model.time_step
            before = plan.controls[i - 1] if i > 0 else plan.states[0, : len(lower)]
            off = np.concatenate([off, self._last - before])
            change = plan.controls[i] - before - self.gains[i] @ off
            u = np.clip(self._last + np.clip(change, -most, most), lower, upper)
        if self._estimate:
            self._filter.predict(u - plan.controls[i], self._W)
        self._step, self._last = i + 1, u
        return np.asarray(u)


@readable
class Run(NamedTuple):
    """What a simulator did.

    Attributes
    ----------
    outputs : (K + 1, N) array
        Without the noise of measurements.
    controls : (K, m) array
    errors : (K + 1,) array
        How far the outputs are from the path.
    root_mean_square, largest : float
        Of the errors.
    """

    outputs: FloatArray
    controls: FloatArray
    errors: FloatArray
    root_mean_square: float
    largest: float


def run(
    simulator: Simulator,
    plan: Union[TrackingPlan, TrackingLoop],
    *,
    noise: float = 0.0,
    disturb: Optional[Callable[[int, Any], Any]] = None,
    seed: int = 0,
) -> Run:
    """Runs a plan, or a loop around one, on a simulator.

    Parameters
    ----------
    simulator : object or callable
        With ``reset()`` and ``step(u)``, which return the outputs (N,) then; or ``simulator(controls)``, of the whole plan,
        which returns them (K + 1, N): then nothing is fed back.
    noise : float
        The deviation of what a loop is told, normally distributed.
    disturb : callable, optional
        ``disturb(i, simulator)`` is called before step i.
    seed : int
        Of the noise.
    """
    loop = plan if isinstance(plan, TrackingLoop) else None
    of = loop.plan if loop is not None else plan
    if not isinstance(of, TrackingPlan):
        raise TypeError(f"plan is a {type(plan).__name__}, expected what track() or feedback() returns")
    if not 0 <= noise < np.inf:
        raise ValueError(f"noise = {noise}, expected at least 0, and finite")
    path = of.task.path
    if not (hasattr(simulator, "reset") and hasattr(simulator, "step")):
        if not callable(simulator):
            raise TypeError(f"simulator: a {type(simulator).__name__} has no reset() and step(u), and is no function")
        if loop is not None or disturb is not None:
            raise TypeError("simulator: a function of all controls feeds nothing back: give an object with reset, step")
        return _run_of(_outputs("simulator", simulator(of.controls.copy()), path.shape), of.controls, path)
    random = np.random.default_rng(seed)
    outputs, controls = [_outputs("reset", simulator.reset(), path.shape[1:])], []
    if loop is not None:
        loop.reset()
    for i, planned in enumerate(of.controls):
        if disturb is not None:
            disturb(i, simulator)
        told = outputs[-1] + noise * random.standard_normal(path.shape[1]) if noise > 0 else outputs[-1]
        controls.append(planned if loop is None else loop.control(told))
        outputs.append(_outputs("step", simulator.step(controls[-1].copy()), path.shape[1:]))
    return _run_of(np.array(outputs), np.array(controls), path)


def learn(simulator: Simulator, plan: TrackingPlan, *, runs: int = 3, max_iterations: int = 100) -> TrackingPlan:
    """Runs a plan, shifts its target by what it missed, plans again, and so on; the plan whose run came nearest.

    Parameters
    ----------
    simulator : object or callable
        As of `run`.
    runs : int
        Of the simulator.
    """
    if not isinstance(plan, TrackingPlan):
        raise TypeError(f"plan is a {type(plan).__name__}, expected what track() returns")
    if whole("runs", runs) < 1:
        raise ValueError(f"runs = {runs}, expected at least 1")
    best, history = plan, list(plan.history)
    least, target = np.inf, plan.target
    for number in range(runs):
        done = run(simulator, plan)
        history.append(done.root_mean_square)
        if done.root_mean_square < least:
            best, least = dataclasses.replace(plan, seen=done.outputs), done.root_mean_square
        if number + 1 == runs:
            break
        target = target - (done.outputs - plan.task.path)
        plan = planned(plan.task, target, plan.states[0][: plan.controls.shape[1]], plan.controls, max_iterations)
    return dataclasses.replace(best, history=history)


def _outputs(what: str, value: Any, shape: tuple[int, ...]) -> FloatArray:
    outputs = np.array(value, dtype=np.float64)
    if outputs.shape != shape:
        raise ValueError(f"simulator: {what} returned an array of shape {outputs.shape}, expected {shape}")
    if not np.all(np.isfinite(outputs)):
        raise ValueError(f"simulator: {what} returned a number that is not finite")
    return outputs


def _run_of(outputs: FloatArray, controls: FloatArray, path: FloatArray) -> Run:
    errors = np.linalg.norm(outputs - path, axis=1)
    return Run(outputs, controls.copy(), np.asarray(errors), root_mean_square(np.asarray(errors)), float(errors.max()))
