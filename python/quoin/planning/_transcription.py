# SPDX-License-Identifier: BSD-3-Clause
"""Direct transcription."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.dynamics import AnyDynamics
from quoin.planning._costs import StageFunction, Term
from quoin.planning._nlp import NlpIteration, ipopt_options, need_ipopt
from quoin.planning._problems import guess_of, problem_of, told, with_enums
from quoin.stops import Outcome, Stop

FloatArray = npt.NDArray[np.float64]


@readable
@dataclasses.dataclass(frozen=True)
class TranscriptionPlan(Outcome):
    """A plan whose states are variables of the program: they follow the controls up to `largest_defect`.

    Attributes
    ----------
    states : (K + 1, n) array
    controls : (K, m) array
    cost : float
    stop : Stop
        `converged`: at a minimum where Ipopt's result was asked for one (`check_curvature`). `infeasible`: where the
        violation is locally least.
    iterations : int
        By Ipopt's count.
    in_restoration : bool
        It ended while still looking for any feasible point: suspect infeasibility.
    largest_defect : float
        ``max |x_{i+1} - g(x_i, u_i)|``; infinite where that cannot be computed.
    violation : float
        Of constraints and state bounds.
    dynamics_calls, derivative_calls : int
        Steps without and with derivatives.
    multipliers : dict
        To start the next, similar problem from.
    """

    states: FloatArray
    controls: FloatArray
    cost: float
    stop: Stop
    iterations: int
    in_restoration: bool
    largest_defect: float
    violation: float
    dynamics_calls: int
    derivative_calls: int
    multipliers: dict[str, Any]


def transcribe(
    dynamics: AnyDynamics,
    residuals: Union[Term, Sequence[Term]],
    *,
    start: npt.ArrayLike,
    guess: npt.ArrayLike,
    states: Optional[npt.ArrayLike] = None,
    constraints: Union[StageFunction, Sequence[StageFunction]] = (),
    lower_control: Optional[npt.ArrayLike] = None,
    upper_control: Optional[npt.ArrayLike] = None,
    lower_state: Optional[npt.ArrayLike] = None,
    upper_state: Optional[npt.ArrayLike] = None,
    tolerance: Optional[float] = None,
    constraint_tolerance: Optional[float] = None,
    max_iterations: Optional[int] = None,
    limited_memory: Optional[bool] = None,
    max_seconds: Optional[float] = None,
    check_curvature: Optional[bool] = None,
    curvature_tolerance: Optional[float] = None,
    threads: Optional[int] = None,
    multipliers: Optional[dict[str, Any]] = None,
    observer: Optional[Callable[[NlpIteration, FloatArray, FloatArray], Optional[bool]]] = None,
) -> TranscriptionPlan:
    """Solves the problem of `ilqr` by direct transcription: states are variables, the dynamics constraints; Ipopt.

    The dynamics are asked wherever the iterates are, off the motion, within the bounds of the states: a map with a
    bounded domain needs these.

    Parameters
    ----------
    dynamics, residuals, start, constraints, lower_control, upper_control, lower_state, upper_state
        As of `ilqr`.
    guess : (K, m) array_like
        Controls to begin from.
    states : (K + 1, n) array_like, optional
        States to begin from; by default those that follow from the controls.
    tolerance : float, optional
        Of the scaled optimality conditions; by default 1e-7.
    constraint_tolerance : float, optional
        Of dynamics and constraints, unscaled; by default 1e-7.
    max_iterations : int, optional
        By default 500.
    limited_memory : bool, optional
        A quasi-Newton Hessian in place of the Gauss-Newton one; by default False.
    max_seconds : float, optional
        Of wall time; by default without limit.
    check_curvature : bool, optional
        Second derivatives, by differences, decide whether the plan is a minimum; where it is not, further solves begin
        on either side of it, within the same limits. By default True; False trusts first-order conditions, which a
        saddle meets.
    curvature_tolerance : float, optional
        How far the Lagrangian may bend down at a minimum, beside its own Hessian; by default 1e-5.
    threads : int, optional
        For the stages; by default 1. Above, Python's functions are called from several.
    multipliers : dict, optional
        Of an earlier plan.
    observer : callable, optional
        ``observer(iteration, states, controls)`` is called after every iteration, not in restoration; False stops.

    Raises
    ------
    ImportError
        quoin was built without Ipopt.
    ValueError
        Sizes or bounds do not fit.
    Exception
        What dynamics, residuals or observer raise.
    """
    need_ipopt()
    begin = guess_of(dynamics, guess)
    options = {
        **problem_of(begin, residuals, constraints, start),
        **ipopt_options(tolerance, constraint_tolerance, max_iterations, limited_memory, max_seconds),
        "states": states,
        "lower_control": lower_control,
        "upper_control": upper_control,
        "lower_state": lower_state,
        "upper_state": upper_state,
        "check_curvature": check_curvature,
        "curvature_tolerance": curvature_tolerance,
        "threads": threads,
        "multipliers": multipliers,
        "observer": told(observer, NlpIteration),
    }
    return TranscriptionPlan(**with_enums(_core.transcribe(begin.dynamics, begin.controls, options)))
