# SPDX-License-Identifier: BSD-3-Clause
"""Iterative learning control by identification."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

from quoin import _core
from quoin._words import Word, readable


class LearningStop(Word):
    """Why the loop ended."""

    goal_met = 0
    iteration_limit = 1  #: `max_runs` runs did not meet the goal; the last run is identified as well
    no_plan = 2  #: the planner found nothing in any of its attempts
    not_realizable = 3  #: it did, but each plan is predicted to miss by more than `max_miss`
    run_failed = 4  #: the machine gave no recording
    identification_failed = 5  #: the recordings gave no model


@readable
class PlanAttempt(NamedTuple):
    """The plan that is asked for.

    Attributes
    ----------
    round : int
        Runs so far.
    replan : int
        Attempts of this round so far, failed ones included.
    refused : object
        The inputs of this round's last plan; None if there was none.
    """

    round: int
    replan: int
    refused: Any


@readable
class LearningRound(NamedTuple):
    """One round, from a model to the next.

    Attributes
    ----------
    planned, failures : int
        Plans that were found, and attempts that found none.
    plan, inputs : object
        The last ones, or None.
    predicted_miss : float
        Of these inputs.
    recording : object
        None if it was not run.
    met : bool
        The recording met the goal.
    identified : bool
        A model was identified from the recordings up to here.
    """

    planned: int
    failures: int
    plan: Any
    inputs: Any
    predicted_miss: float
    recording: Any
    met: bool
    identified: bool


@readable
class LearningResult(NamedTuple):
    """The last model, and what every round did.

    Attributes
    ----------
    model : object
    rounds : list of LearningRound
    stop : LearningStop
    """

    model: Any
    rounds: list[LearningRound]
    stop: LearningStop

    @property
    def met(self) -> bool:
        """True if a run met the goal."""
        return self.stop is LearningStop.goal_met


def iterative_learning(
    model: Any,
    *,
    plan: Callable[[Any, PlanAttempt], Any],
    invert: Callable[[Any, Any], tuple[Any, float]],
    run: Callable[[Any], Any],
    met: Callable[[Any], bool],
    identify: Callable[[Any, list[Any]], Any],
    max_runs: int = 5,
    max_replans: int = 5,
    max_miss: float = math.inf,
) -> LearningResult:
    """Plans, acts and learns from the recording until the goal is met (Marchese, Tedrake, Rus 2015, Algorithm 2).

    Parameters
    ----------
    model : object
        The first one.
    plan : callable
        ``plan(model, attempt)`` returns a plan, or None.
    invert : callable
        ``invert(model, plan)`` returns ``(inputs, predicted_miss)``: what the actuators can realize, and how far from
        the goal the model itself expects to end with it.
    run : callable
        ``run(inputs)`` returns a recording, or None.
    met : callable
        ``met(recording)`` returns whether the goal is met.
    identify : callable
        ``identify(model, recordings)`` of all recordings so far, oldest first, returns the next model, or None.
    max_runs : int
        Of the machine.
    max_replans : int
        Of a round, after its first plan.
    max_miss : float
        A plan with a predicted miss above this, or NaN, is not run but planned anew.

    Raises
    ------
    ValueError
        max_runs < 1 or max_replans < 0.
    Exception
        What the parts raise.
    """
    def planned(now: Any, done: int, replan: int, refused: Any) -> Any:
        return plan(now, PlanAttempt(done, replan, refused))

    def inverted(now: Any, found: Any) -> tuple[Any, float]:
        answer = invert(now, found)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise ValueError(f"invert returned a {type(answer).__name__}, expected (inputs, predicted_miss)")
        return answer[0], float(answer[1])

    def goal_met(seen: Any) -> bool:
        return bool(met(seen))

    parts = {"plan": planned, "invert": inverted, "run": run, "met": goal_met, "identify": identify}
    last, rounds, stop = _core.iterative_learning(model, parts, int(max_runs), int(max_replans), float(max_miss))
    return LearningResult(last, [LearningRound(*one) for one in rounds], LearningStop(stop))
