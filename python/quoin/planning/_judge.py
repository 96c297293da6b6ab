# SPDX-License-Identifier: BSD-3-Clause
"""What controls are worth on some dynamics."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.dynamics import AnyDynamics, StepStatus
from quoin.planning._costs import StageFunction, Term
from quoin.planning._problems import guess_of, problem_of

FloatArray = npt.NDArray[np.float64]


@readable
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
    plan = guess_of(dynamics, controls, "controls")
    problem = problem_of(plan, residuals, constraints, start)
    cost, violation, failed_step, status, states, slope = _core.judge(plan.dynamics, plan.controls, problem, gradient)
    return Judgement(cost, violation, states, failed_step, StepStatus(status), slope)
