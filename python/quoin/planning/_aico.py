# SPDX-License-Identifier: BSD-3-Clause
"""AICO."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._parts import need
from quoin._words import readable
from quoin.dynamics import AnyDynamics, StepStatus
from quoin.planning._costs import MapCost, answer_of, checked, sequence
from quoin.planning._problems import guess_of, with_enums
from quoin.stops import Outcome, Stop

FloatArray = npt.NDArray[np.float64]


@readable
@dataclasses.dataclass(frozen=True)
class AicoPlan(Outcome):
    """A plan, and the Gaussian posterior around it.

    Attributes
    ----------
    states : (T + 1, n) array
        They follow from the controls: the mean of the posterior once converged.
    controls : (T, m) array
    cost : float
    control_cost : float
        The part of the controls.
    task_costs : (T + 1,) array
    gains : (T, m, n) array
        ``u = controls[t] + gains[t] @ (x - states[t])`` holds the plan.
    covariances : (T + 1, n, n) array
        Of the local posterior; none (0, n, n) with ``covariances=False``.
    stop : Stop
        `converged`: a minimum, to the tolerances. `stalled`: no step lowers the cost, or second derivatives cannot be
        computed. `initial_failed`: see `failed_step`.
    iterations : int
    failed_step : int
        Where the guess failed; -1: nowhere.
    failed_status : StepStatus
    task_evaluations, dynamics_calls : int
    """

    states: FloatArray
    controls: FloatArray
    cost: float
    control_cost: float
    task_costs: FloatArray
    gains: FloatArray
    covariances: FloatArray
    stop: Stop
    iterations: int
    failed_step: int
    failed_status: StepStatus
    task_evaluations: int
    dynamics_calls: int


TaskFunction = Callable[[int, FloatArray], Optional[tuple[Any, Any]]]
Task = Union[MapCost, TaskFunction]


def aico(
    dynamics: AnyDynamics,
    tasks: Union[Task, Sequence[Task]],
    *,
    start: npt.ArrayLike,
    guess: npt.ArrayLike,
    control_cost: npt.ArrayLike,
    start_covariance: Optional[npt.ArrayLike] = None,
    max_iterations: Optional[int] = None,
    max_task_evaluations: Optional[int] = None,
    relative_tolerance: Optional[float] = None,
    step_tolerance: Optional[float] = None,
    initial_damping: Optional[float] = None,
    damping_weights: Optional[npt.ArrayLike] = None,
    relinearizations: Optional[int] = None,
    slice_threshold: Optional[float] = None,
    check_curvature: Optional[bool] = None,
    curvature_tolerance: Optional[float] = None,
    covariances: Optional[bool] = None,
) -> AicoPlan:
    """Approximate inference control (Toussaint 2009): minimizes
    ``sum_t 1/2 |e_t(x_t)|^2 + sum_t 1/2 u_t^T H u_t``.

    Parameters
    ----------
    dynamics : Dynamics or object
        See `quoin.DiscreteDynamics`.
    tasks : MapCost, callable, or a sequence of these
        ``f(t, x)`` returns ``(e, de_dx)`` of shapes (p,), (p, n), t = 0..T. It returns None, or raises `DomainError` or
        `CornerFailure`, where it cannot be computed.
    start : (n,) array_like
        The first state, or its mean.
    guess : (T, m) array_like
        Controls to begin from.
    control_cost : (m, m) array_like
        H, positive definite.
    start_covariance : (n, n) array_like, optional
        Of the first state; by default it is known.
    max_iterations : int, optional
        By default 100.
    max_task_evaluations : int, optional
        T + 1 are needed for an iteration; by default without limit.
    relative_tolerance : float, optional
        Stop when the model promises less than this times the cost; by default 1e-6.
    step_tolerance : float, optional
        Stop when no state would move by more; by default 1e-6.
    initial_damping : float, optional
        In cost per squared change of a state; by default 1e-2.
    damping_weights : (n,) array_like, optional
        By default ones.
    relinearizations : int, optional
        Of the tasks, in one slice of a sweep; by default 0.
    slice_threshold : float, optional
        How far a belief moves before the task is linearized again; by default 1e-2.
    check_curvature : bool, optional
        Second derivatives, by differences of the tasks' and steps' own, decide whether a plan is a minimum, and lead
        away where it is not; by default True. False spares the calls, and ``converged`` promises less.
    curvature_tolerance : float, optional
        How far the cost may bend down at a minimum, beside Gauss-Newton's curvature; by default 1e-6.
    covariances : bool, optional
        By default True.

    Raises
    ------
    ImportError
        quoin was built without the component aico.
    ValueError
        Sizes or options do not fit, or H is not positive definite.
    Exception
        What dynamics or tasks raise.
    """
    need("aico", "aico")
    begin = guess_of(dynamics, guess)
    n, _, horizon = begin.sizes
    options = {
        "start": start,
        "horizon": horizon,
        "tasks": [_task(task, n, horizon) for task in sequence(tasks)],
        "control_cost": control_cost,
        "start_covariance": start_covariance,
        "max_iterations": max_iterations,
        "max_task_evaluations": max_task_evaluations,
        "relative_tolerance": relative_tolerance,
        "step_tolerance": step_tolerance,
        "initial_damping": initial_damping,
        "damping_weights": damping_weights,
        "relinearizations": relinearizations,
        "slice_threshold": slice_threshold,
        "check_curvature": check_curvature,
        "curvature_tolerance": curvature_tolerance,
        "covariances": covariances,
    }
    return AicoPlan(**with_enums(_core.aico(begin.dynamics, begin.controls, options)))


def _task(task: Any, n: int, horizon: int) -> tuple[str, Any]:
    if isinstance(task, MapCost):
        return task._term(n, 0, horizon)
    if not callable(task):
        raise TypeError(f"tasks: a {type(task).__name__}, expected MapCost or a function")

    def residual(t: int, x: FloatArray, _: FloatArray) -> Any:
        answer = answer_of("a task", task, (t, x), "(e, de_dx)")
        if answer is None:
            return None
        return answer[0], answer[1], np.zeros((len(np.atleast_1d(answer[0])), 0))

    return "called", checked(residual, n, 0, horizon)
