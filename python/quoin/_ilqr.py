# SPDX-License-Identifier: BSD-3-Clause
"""iLQR."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, Callable, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._costs import StageFunction, Term, sequence, term_of
from quoin.dynamics import AnyDynamics, StepStatus, compiled_dynamics

FloatArray = npt.NDArray[np.float64]


class IlqrStop(enum.IntEnum):
    """Why iLQR ended."""

    converged = 0
    iteration_limit = 1  #: the best plan so far is returned
    stalled = 2  #: no step lowers the cost, though the model promises it
    constraints_violated = 3  #: constraints could not be met
    initial_rollout_failed = 4  #: the guess cannot be rolled out: see `failed_step` and `failed_status`
    derivatives_failed = 5  #: a step or a residual has a value but no derivatives along the plan
    stopped_by_observer = 6


class IlqrIteration(NamedTuple):
    """One iteration. Counts are running totals.

    Attributes
    ----------
    iteration : int
        From 1; 0 is the guess.
    outer : int
        Updates of the multipliers so far.
    cost : float
        Without penalties.
    merit : float
        With them: what the iteration decreased.
    violation : float
        The largest of constraints and state bounds.
    projected_gradient : float
    expected_decrease : float
        Of the merit, by a full step.
    step : float
        Its length in (0, 1]; 0 if none was accepted.
    regularization : float
    dynamics_calls : int
        Steps without derivatives.
    derivative_calls : int
        Steps with them.
    """

    iteration: int
    outer: int
    cost: float
    merit: float
    violation: float
    projected_gradient: float
    expected_decrease: float
    step: float
    regularization: float
    dynamics_calls: int
    derivative_calls: int


@dataclasses.dataclass(frozen=True)
class IlqrPlan:
    """A plan: states follow from the controls, which obey their bounds exactly.

    Attributes
    ----------
    states : (K + 1, n) array
    controls : (K, m) array
    cost : float
    stop : IlqrStop
    iterations : int
    violation : float
        Of constraints and state bounds.
    projected_gradient : float
    failed_step : int
        Where rollout or derivatives failed; -1: nowhere.
    failed_status : StepStatus
    dynamics_calls, derivative_calls : int
    multipliers : dict
        Of constraints: to start the next, similar problem from (`ilqr`).
    gains : (K, m, n) array
        ``u = controls[i] + gains[i] @ (x - states[i])`` holds the plan.
    log : list of IlqrIteration
    """

    states: FloatArray
    controls: FloatArray
    cost: float
    stop: IlqrStop
    iterations: int
    violation: float
    projected_gradient: float
    failed_step: int
    failed_status: StepStatus
    dynamics_calls: int
    derivative_calls: int
    multipliers: dict[str, Any]
    gains: FloatArray
    log: list[IlqrIteration]

    @property
    def converged(self) -> bool:
        """True if it ended as it should."""
        return self.stop is IlqrStop.converged


def ilqr(
    dynamics: AnyDynamics,
    residuals: Union[Term, Sequence[Term]],
    *,
    start: npt.ArrayLike,
    guess: npt.ArrayLike,
    constraints: Union[StageFunction, Sequence[StageFunction]] = (),
    lower_control: Optional[npt.ArrayLike] = None,
    upper_control: Optional[npt.ArrayLike] = None,
    lower_state: Optional[npt.ArrayLike] = None,
    upper_state: Optional[npt.ArrayLike] = None,
    max_iterations: Optional[int] = None,
    relative_tolerance: Optional[float] = None,
    gradient_tolerance: Optional[float] = None,
    constraint_tolerance: Optional[float] = None,
    max_line_search_steps: Optional[int] = None,
    sufficient_decrease: Optional[float] = None,
    initial_regularization: Optional[float] = None,
    least_regularization: Optional[float] = None,
    greatest_regularization: Optional[float] = None,
    initial_penalty: Optional[float] = None,
    penalty_factor: Optional[float] = None,
    greatest_penalty: Optional[float] = None,
    max_outer_iterations: Optional[int] = None,
    derivatives_in_trial: Optional[bool] = None,
    exact_hessians: Optional[bool] = None,
    threads: Optional[int] = None,
    multipliers: Optional[dict[str, Any]] = None,
    observer: Optional[Callable[[IlqrIteration, FloatArray, FloatArray], Optional[bool]]] = None,
) -> IlqrPlan:
    """Control-limited differential dynamic programming (iLQR), with constraints by an augmented Lagrangian.

    Parameters
    ----------
    dynamics : Dynamics or object
        See `quoin.DiscreteDynamics`.
    residuals : QuadraticCost, MapCost, callable, or a sequence of these
        ``f(i, x, u)`` returns ``(r, dr_dx, dr_du)`` of shapes (p,), (p, n), (p, m); at i = K, u has size 0, and dr_du
        may be None. It returns None, or raises `DomainError` or `CornerFailure`, where it cannot be computed: the step
        is shortened. p may change with i. Any other exception ends the planner.
    start : (n,) array_like
        The first state.
    guess : (K, m) array_like
        Controls to begin from.
    constraints : callable, or a sequence of these
        ``h(i, x, u)`` likewise: all entries shall be at most 0.
    lower_control, upper_control : (m,) array_like, optional
    lower_state, upper_state : (n,) array_like, optional
        Infinite where there is no bound.
    max_iterations : int, optional
        By default 200.
    relative_tolerance : float, optional
        Stop when model or step promise less than this times the merit; by default 1e-7.
    gradient_tolerance : float, optional
        Stop when the projected gradient is below; by default 1e-10.
    constraint_tolerance : float, optional
        By default 1e-6.
    max_line_search_steps : int, optional
        Step lengths 1, 1/2, 1/4, ...; by default 12.
    sufficient_decrease : float, optional
        Actual over expected decrease that accepts a step; by default 1e-4.
    initial_regularization, least_regularization, greatest_regularization : float, optional
        Relative to the curvature by the controls; by default 0, 1e-3, 1e8. Raise the first for far starts.
    initial_penalty, penalty_factor, greatest_penalty : float, optional
        Of the augmented Lagrangian; by default 10, 10, 1e9.
    max_outer_iterations : int, optional
        Updates of its multipliers; by default 30.
    derivatives_in_trial : bool, optional
        The trial of the full step takes derivatives along; by default True.
    exact_hessians : bool, optional
        The curvature of dynamics and residuals too, by differences; by default False.
    threads : int, optional
        For derivatives along the plan; by default 1. Above, Python's functions are called from several.
    multipliers : dict, optional
        Of an earlier plan.
    observer : callable, optional
        ``observer(iteration, states, controls)`` is called after every iteration; False stops.

    Returns
    -------
    IlqrPlan

    Raises
    ------
    ValueError
        Sizes or bounds do not fit.
    Exception
        What dynamics, residuals or observer raise.
    """
    problem = problem_of(dynamics, residuals, start, guess, constraints)
    told = None
    if observer is not None:
        tell = observer

        def told(iteration: tuple[Any, ...], states: FloatArray, controls: FloatArray) -> Optional[bool]:
            return tell(IlqrIteration(*iteration), states, controls)

    options = {
        **problem.options,
        "lower_control": lower_control,
        "upper_control": upper_control,
        "lower_state": lower_state,
        "upper_state": upper_state,
        "max_iterations": max_iterations,
        "relative_tolerance": relative_tolerance,
        "gradient_tolerance": gradient_tolerance,
        "constraint_tolerance": constraint_tolerance,
        "max_line_search_steps": max_line_search_steps,
        "sufficient_decrease": sufficient_decrease,
        "initial_regularization": initial_regularization,
        "least_regularization": least_regularization,
        "greatest_regularization": greatest_regularization,
        "initial_penalty": initial_penalty,
        "penalty_factor": penalty_factor,
        "greatest_penalty": greatest_penalty,
        "max_outer_iterations": max_outer_iterations,
        "derivatives_in_trial": derivatives_in_trial,
        "exact_hessians": exact_hessians,
        "threads": threads,
        "multipliers": multipliers,
        "observer": told,
    }
    fields = _core.ilqr(problem.dynamics, problem.controls, options)
    fields["stop"] = IlqrStop(fields["stop"])
    fields["failed_status"] = StepStatus(fields["failed_status"])
    fields["log"] = [IlqrIteration(*iteration) for iteration in fields["log"]]
    return IlqrPlan(**fields)


class Judgement(NamedTuple):
    """What controls are worth on some dynamics.

    Attributes
    ----------
    cost : float
        Infinite where a step or a residual failed.
    violation : float
        The largest of the constraints, or 0.
    states : (k + 1, n) array
        Up to the step that failed.
    failed_step : int
        -1: none.
    status : StepStatus
        Of the failed step; ok where a residual failed.
    gradient : (K, m) array or None
        Of the cost by the controls, if it was asked for and nothing failed.
    """

    cost: float
    violation: float
    states: FloatArray
    failed_step: int
    status: StepStatus
    gradient: Optional[FloatArray]


def judge(
    dynamics: AnyDynamics,
    residuals: Union[Term, Sequence[Term]],
    *,
    start: npt.ArrayLike,
    controls: npt.ArrayLike,
    constraints: Union[StageFunction, Sequence[StageFunction]] = (),
    gradient: bool = False,
) -> Judgement:
    """The motion and the cost of a plan's controls, such as on the exact dynamics.

    Parameters
    ----------
    dynamics, residuals, start, constraints
        As of `ilqr`.
    controls : (K, m) array_like
    gradient : bool
        Of the cost by the controls too, by the adjoint recursion; constraints are ignored in it.
    """
    problem = problem_of(dynamics, residuals, start, controls, constraints)
    bounds = dict.fromkeys(("lower_control", "upper_control", "lower_state", "upper_state"))
    answer = _core.judge(problem.dynamics, problem.controls, {**problem.options, **bounds}, gradient)
    cost, violation, failed_step, status, states, slope = answer
    return Judgement(cost, violation, states, failed_step, StepStatus(status), slope)


class Problem(NamedTuple):
    dynamics: _core.Dynamics
    controls: FloatArray
    options: dict[str, Any]


def problem_of(
    dynamics: AnyDynamics, residuals: Any, start: npt.ArrayLike, controls: npt.ArrayLike, constraints: Any
) -> Problem:
    compiled = compiled_dynamics(dynamics)
    n, m = compiled.state_size(), compiled.control_size()
    array = np.asarray(controls, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != m:
        raise ValueError(f"controls: shape {array.shape}, expected (K, {m})")
    horizon = len(array)
    options = {
        "start": start,
        "horizon": horizon,
        "residuals": [term_of(term, n, m, horizon) for term in sequence(residuals)],
        "constraints": [term_of(term, n, m, horizon) for term in sequence(constraints)],
    }
    return Problem(compiled, array, options)
