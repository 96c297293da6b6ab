# SPDX-License-Identifier: BSD-3-Clause
"""Why iterative solvers end."""

from __future__ import annotations

from quoin._words import Word


class Stop(Word):
    """Why an iterative solver ended. Each result says which of these it may be, and what its solver has checked."""

    converged = 0  #: all tolerances are met
    target_reached = 1  #: the error that was asked for is reached
    acceptable = 2  #: looser tolerances are met, and no better point was found
    iteration_limit = 3  #: the best point so far is returned
    evaluation_limit = 4  #: no budget of evaluations is left for another iteration
    time_limit = 5
    stalled = 6  #: no step lowers the cost, though the model promises it
    saddle = 7  #: little is promised, but the cost bends down along a direction that cannot be followed
    infeasible = 8  #: constraints could not be met
    initial_failed = 9  #: the functions cannot be computed at the start
    derivatives_failed = 10  #: the functions have values, but no derivatives, at the returned point
    evaluation_failed = 11  #: a function could not be computed where the solver needed it
    not_finite = 12  #: a number became infinite or NaN; the last finite point is returned
    stopped_by_observer = 13  #: it returned False
    solver_error = 14  #: out of memory, a defect of the linear solver, or an inconsistent problem

    # as they were called before 0.3
    constraints_violated = infeasible
    initial_rollout_failed = initial_failed
    epochs_done = iteration_limit
    iterations_done = iteration_limit


_WHY = {
    Stop.converged: "all tolerances are met",
    Stop.target_reached: "the error that was asked for is reached",
    Stop.acceptable: "looser tolerances are met, and no better point was found",
    Stop.iteration_limit: "the best point so far; allow more iterations, or begin from it",
    Stop.evaluation_limit: "the best point so far; allow more evaluations, or begin from it",
    Stop.time_limit: "the best point so far; allow more time, or begin from it",
    Stop.stalled: "no step lowers the cost, though the model promises it: derivatives may be wrong "
    "(check_derivatives), or values not smooth",
    Stop.saddle: "the cost bends down along a direction that cannot be followed: begin from another guess",
    Stop.infeasible: "constraints could not be met: ask whether any point meets them, or begin from another guess",
    Stop.initial_failed: "the functions cannot be computed at the guess: begin from another",
    Stop.derivatives_failed: "the functions have values, but no derivatives, at the returned point",
    Stop.evaluation_failed: "a function could not be computed where the solver needed it",
    Stop.not_finite: "a number became infinite or NaN; the last finite point is returned",
    Stop.stopped_by_observer: "the observer returned False",
    Stop.solver_error: "out of memory, a defect of the linear solver, or an inconsistent problem",
}


class Outcome:
    """What the results of all iterative solvers have."""

    stop: Stop
    iterations: int

    @property
    def converged(self) -> bool:
        """True if `stop` says so."""
        return self.stop is Stop.converged

    @property
    def message(self) -> str:
        """Why it ended, in a sentence, and what to do about it."""
        return f"{self.stop.name}: {self._why(self.stop)}, after {self.iterations} iterations"

    def _why(self, stop: Stop) -> str:
        return _WHY[stop]
