# SPDX-License-Identifier: BSD-3-Clause
"""A tracking plan on a simulator: run, learnt from, held by feedback."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import real, reals, whole
from quoin._words import readable
from quoin.planning._tracking import TrackingPlan, root_mean_square, task_of, track_again

FloatArray = npt.NDArray[np.float64]
#: with ``reset()`` and ``step(u)``, or a function of all controls: see `run`
Simulator = Any


class TrackingLoop:
    """Feedback around a plan. Made by `TrackingPlan.feedback`.

    ``loop.reset()``, and then for each step ``u = loop.control(y)`` with what was measured.
    """

    def __init__(self, plan: TrackingPlan, options: dict[str, Any]) -> None:
        self.plan = plan
        held = plan.planned if plan.seen is None else plan.seen
        self._compiled = _core.TrackingLoop(task_of(plan), plan.states, plan.controls, held, options)
        self.gains = self._compiled.gains

    def reset(self) -> None:
        """Begins at the plan's first step."""
        self._compiled.reset()

    def control(self, y: npt.ArrayLike) -> FloatArray:
        """The pulls (m,) of the next step, within their bounds, from the outputs (N,) that were measured."""
        return self._compiled.control(y)


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
    if not 0 <= real("noise", noise) < np.inf:
        raise ValueError(f"noise = {noise}, expected at least 0, and finite")
    if noise > 0 and loop is None:
        raise ValueError(f"noise = {noise}: a plan is told no outputs; give a loop, plan.feedback()")
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
        plan = track_again(plan, target, max_iterations)
    return dataclasses.replace(best, history=history)


def _outputs(what: str, value: Any, shape: tuple[int, ...]) -> FloatArray:
    outputs = reals(f"simulator: {what} returned", value).copy()
    if outputs.shape != shape:
        raise ValueError(f"simulator: {what} returned an array of shape {outputs.shape}, expected {shape}")
    if not np.all(np.isfinite(outputs)):
        raise ValueError(f"simulator: {what} returned a number that is not finite")
    return outputs


def _run_of(outputs: FloatArray, controls: FloatArray, path: FloatArray) -> Run:
    errors = np.linalg.norm(outputs - path, axis=1)
    return Run(outputs, controls.copy(), np.asarray(errors), root_mean_square(np.asarray(errors)), float(errors.max()))
