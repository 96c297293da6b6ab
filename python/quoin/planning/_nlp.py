# SPDX-License-Identifier: BSD-3-Clause
"""Ipopt, as the planners that it solves for tell of it."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from quoin._parts import need
from quoin._words import Word, readable


class NlpStop(Word):
    """Why Ipopt ended."""

    converged = 0
    acceptable = 1  #: the search failed at Ipopt's acceptable level: 1e-6 where the tolerance is smaller
    iteration_limit = 2
    time_limit = 3
    infeasible = 4  #: where the violation is locally least, but not zero
    evaluation_failed = 5  #: a function could not be computed where the solver needed it
    stalled = 6  #: the line search or the feasibility restoration failed
    stopped_by_observer = 7
    solver_error = 8  #: out of memory, a defect of the linear solver, or an inconsistent program
    saddle = 9  #: stationary, but second derivatives tell of a way down, at whose end none was lower


@readable
class NlpIteration(NamedTuple):
    """What an observer is told, in Ipopt's own terms.

    Attributes
    ----------
    iteration : int
        From 0.
    objective : float
        Unscaled.
    primal_infeasibility, dual_infeasibility : float
        The largest violation of the constraints, and of stationarity.
    barrier : float
        mu of the barrier.
    step : float
        Of the primal variables, 0 to 1.
    restoration : bool
        In Ipopt's feasibility restoration phase.
    """

    iteration: int
    objective: float
    primal_infeasibility: float
    dual_infeasibility: float
    barrier: float
    step: float
    restoration: bool


def need_ipopt() -> None:
    """Raises ImportError where quoin was built without Ipopt."""
    need("collocation", "planning", package="coinor-libipopt-dev")


def ipopt_options(
    tolerance: Optional[float],
    constraint_tolerance: Optional[float],
    max_iterations: Optional[int],
    limited_memory: Optional[bool],
    max_seconds: Optional[float],
) -> dict[str, Any]:
    return {
        "tolerance": tolerance,
        "constraint_tolerance": constraint_tolerance,
        "max_iterations": max_iterations,
        "limited_memory": limited_memory,
        "max_seconds": max_seconds,
    }
