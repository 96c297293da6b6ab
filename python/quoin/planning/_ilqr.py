# SPDX-License-Identifier: BSD-3-Clause
"""iLQR."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.dynamics import AnyDynamics, StepStatus
from quoin.planning._costs import StageFunction, Term
from quoin.planning._problems import guess_of, problem_of, told, with_enums
from quoin.stops import Outcome, Stop

FloatArray = npt.NDArray[np.float64]


@readable
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


@readable
@dataclasses.dataclass(frozen=True)
class IlqrPlan(Outcome):
    """A plan: states follow from the controls, which obey their bounds exactly.

    Attributes
    ----------
    states : (K + 1, n) array
    controls : (K, m) array
    cost : float
    stop : Stop
        `converged`: a minimum, by second derivatives too unless `check_curvature` was off. `saddle`: the cost bends down
        along a direction that no rollout follows. `initial_failed`: see `failed_step` and `failed_status`.
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
    stop: Stop
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
    def message(self) -> str:
        """Why it ended, in a sentence, and what to do about it."""
        if self.failed_step >= 0:
            return f"{self.stop.name}: at step {self.failed_step} {_WHY_FAILED[self.failed_status]}"
        text = f"{super().message}; cost {self.cost:.6g}"
        if self.violation > 0:
            text += f", constraints and state bounds are violated by up to {self.violation:.2g}"
        return text

    def _why(self, stop: Stop) -> str:
        return _WHY_STOPPED.get(stop) or super()._why(stop)


_WHY_STOPPED = {
    Stop.converged: "a minimum",
    Stop.iteration_limit: "the best plan so far; raise max_iterations, or begin from this plan's controls",
    Stop.infeasible: "no plan was found that meets the constraints: ask whether there is one, or raise "
    "max_outer_iterations",
    Stop.initial_failed: "the guess cannot be rolled out: begin from other controls",
}
_WHY_FAILED = {
    StepStatus.ok: "a residual has no value, or one that is not finite",
    StepStatus.outside_domain: "the map is asked outside its domain: outside='extend', or a wider domain, or bounds of "
    "states and controls that stay inside",
    StepStatus.map_failed: "the map has no answer: f failed at a corner (on_failure='coarser' answers from a coarser "
    "cell), or its numbers are not finite",
}
for _status in StepStatus:
    _WHY_FAILED.setdefault(_status, f"the dynamics have no step: {_status.name.replace('_', ' ')}")


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
    min_regularization: Optional[float] = None,
    max_regularization: Optional[float] = None,
    initial_penalty: Optional[float] = None,
    penalty_factor: Optional[float] = None,
    max_penalty: Optional[float] = None,
    max_outer_iterations: Optional[int] = None,
    derivatives_in_trial: Optional[bool] = None,
    exact_hessians: Optional[bool] = None,
    check_curvature: Optional[bool] = None,
    explore_saddle: Optional[bool] = None,
    grow_horizon: Optional[bool] = None,
    curvature_tolerance: Optional[float] = None,
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
        Stop when the gradient is less than this beside the terms that it is the sum of, or an undamped step beside the
        largest controls; by default 1e-10.
    constraint_tolerance : float, optional
        By default 1e-6.
    max_line_search_steps : int, optional
        Step lengths 1, 1/2, 1/4, ...; by default 12.
    sufficient_decrease : float, optional
        Actual over expected decrease that accepts a step; by default 1e-4.
    initial_regularization, min_regularization, max_regularization : float, optional
        Relative to the curvature by the controls; by default 0, 1e-3, 1e8. Raise the first for far starts.
    initial_penalty, penalty_factor, max_penalty : float, optional
        Of the augmented Lagrangian; by default 10, 10, 1e9.
    max_outer_iterations : int, optional
        Updates of its multipliers; by default 30.
    derivatives_in_trial : bool, optional
        The trial of the full step takes derivatives along; by default True.
    exact_hessians : bool, optional
        The curvature of dynamics and residuals too, by differences; by default False.
    check_curvature : bool, optional
        Second derivatives decide whether the end is a minimum, lead away from saddles and take over where steps creep;
        by default True. n + m + 1 further derivatives a step, once where it is one.
    explore_saddle : bool, optional
        At the first saddle follow up to six descents and go on from the lowest; by default True. Iterations and log are
        of the one that is kept, calls of all. False: the first that falls is taken.
    grow_horizon : bool, optional
        Where the guess cannot be rolled out, or ends far from where the last stage wants it: plan an eighth of the
        horizon first, then ever more of it, further on as the guess has it or with the mean controls so far, and begin
        from there if that costs less; by default True. Calls are of all.
    curvature_tolerance : float, optional
        How far the cost may bend down at a minimum, beside Gauss-Newton's curvature; by default 1e-6.
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
    begin = guess_of(dynamics, guess)
    options = {
        **problem_of(begin, residuals, constraints, start),
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
        "min_regularization": min_regularization,
        "max_regularization": max_regularization,
        "initial_penalty": initial_penalty,
        "penalty_factor": penalty_factor,
        "max_penalty": max_penalty,
        "max_outer_iterations": max_outer_iterations,
        "derivatives_in_trial": derivatives_in_trial,
        "exact_hessians": exact_hessians,
        "check_curvature": check_curvature,
        "explore_saddle": explore_saddle,
        "grow_horizon": grow_horizon,
        "curvature_tolerance": curvature_tolerance,
        "threads": threads,
        "multipliers": multipliers,
        "observer": told(observer, IlqrIteration),
    }
    fields = with_enums(_core.ilqr(begin.dynamics, begin.controls, options))
    fields["log"] = [IlqrIteration(*iteration) for iteration in fields["log"]]
    return IlqrPlan(**fields)
