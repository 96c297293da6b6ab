# SPDX-License-Identifier: BSD-3-Clause
"""Ipopt, as the planners that it solves for tell of it."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from quoin._parts import need
from quoin._words import Word, readable


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
