# SPDX-License-Identifier: BSD-3-Clause
"""Plans that rollouts of the truth correct."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin._given import real, reals, whole
from quoin._words import readable
from quoin.dynamics import AnyDynamics
from quoin.planning._costs import MapCost, Term, sequence
from quoin.planning._ilqr import IlqrPlan, ilqr
from quoin.stops import Outcome, Stop

FloatArray = npt.NDArray[np.float64]
Outputs = Union[npt.ArrayLike, Sequence[Optional[npt.ArrayLike]]]


@readable
class Correction(NamedTuple):
    """A rollout of the truth, and the plan that it judged.

    Attributes
    ----------
    promised : float
        Cost of the plan on the corrected model.
    cost : float
        On the truth.
    planner : Stop
        Why the planner ended.
    iterations : int
        Of the planner.
    """

    promised: float
    cost: float
    planner: Stop
    iterations: int


@readable
@dataclasses.dataclass(frozen=True)
class CorrectedPlan(Outcome):
    """A plan that rollouts have corrected.

    Attributes
    ----------
    plan : IlqrPlan
        The best of them, on the truth.
    cost : float
        Of that plan, on the truth.
    stop : Stop
        `converged`: the last plan is a minimum of the corrected model, and the truth shows the cost that it promised;
        nothing of constraints and bounds of states on the truth.
        `iteration_limit`: no rollout was left. `stalled`: the truth became worse twice in a row. Else why the planner
        ended without a plan.
    iterations : int
        Rollouts of the truth.
    log : list of Correction
    """

    plan: IlqrPlan
    cost: float
    stop: Stop
    iterations: int
    log: list[Correction]

    @property
    def controls(self) -> FloatArray:
        """(K, m): of the plan."""
        return self.plan.controls


def correct_by_rollouts(
    dynamics: AnyDynamics,
    residuals: Union[Term, Sequence[Term]],
    truth: Callable[[FloatArray], Outputs],
    *,
    start: npt.ArrayLike,
    guess: npt.ArrayLike,
    max_rollouts: int = 4,
    tolerance: float = 1e-3,
    **planner: Any,
) -> CorrectedPlan:
    """Plans on a model by `ilqr`, runs the plan on the truth, shifts the targets of each `MapCost` by what the truth
    shows beside the model, and plans again from the last controls, until the truth shows what the plan promised.

    No derivative of the truth is asked for: what is left is the error of the model's derivatives times the correction
    (the additive correction of Alexandrov et al. 2001, of the zeroth order).

    Parameters
    ----------
    dynamics, residuals, start, guess
        As for `ilqr`; at least one of the residuals is a `MapCost`.
    truth : callable
        ``truth(controls)`` runs controls (K, m) on a simulator or a machine, and returns what the outputs of the
        MapCost's map were, (K + 1, N); of several, a sequence with one each, None for what the model knows.
    max_rollouts : int
        Of the truth; the last judges the plan.
    tolerance : float
        Between the cost that a plan promises and the one that the truth shows, relative.
    **planner
        Further arguments of `ilqr`. Constraints and bounds of states are those of the model's motion alone: the truth
        does not show whether it keeps them.

    Raises
    ------
    ValueError
        Outputs of another shape, no MapCost, or what `ilqr` refuses.
    Exception
        What the truth raises.
    """
    if whole("max_rollouts", max_rollouts) < 1:
        raise ValueError(f"max_rollouts = {max_rollouts} is not positive")
    if not real("tolerance", tolerance) > 0:
        raise ValueError(f"tolerance = {tolerance} is not positive")
    if not callable(truth):
        raise TypeError(f"truth is a {type(truth).__name__}, expected a function of controls (K, m)")
    terms = sequence(residuals)
    of_maps = [term for term in terms if isinstance(term, MapCost)]
    if not of_maps:
        raise ValueError("residuals: no MapCost, whose outputs the truth could show")
    offsets: list[Optional[FloatArray]] = [None] * len(of_maps)
    best: Optional[IlqrPlan] = None
    least, worse = np.inf, 0
    controls = reals("guess", guess)
    log: list[Correction] = []
    while True:
        shifted = iter([term if offset is None else term._shifted(offset) for term, offset in zip(of_maps, offsets)])
        corrected = [next(shifted) if isinstance(term, MapCost) else term for term in terms]
        plan = ilqr(dynamics, corrected, start=start, guess=controls, **planner)
        if plan.stop in (Stop.initial_failed, Stop.derivatives_failed):
            return CorrectedPlan(best or plan, float(least), plan.stop, len(log), log)
        shown = _shown(truth(plan.controls.copy()), of_maps, len(plan.states))
        cost = plan.cost
        for k, term in enumerate(of_maps):
            seen = shown[k]
            if seen is None:
                continue
            model, before = term._outputs(plan.states), offsets[k]
            cost += term._cost(seen) - term._cost(model if before is None else model + before)
            offsets[k] = seen - model
        log.append(Correction(plan.cost, float(cost), plan.stop, plan.iterations))
        worse = 0 if cost < least else worse + 1
        if best is None or cost < least:
            best, least = plan, cost
        stop: Optional[Stop] = None
        if not np.isfinite(cost):
            stop = Stop.not_finite
        elif plan.converged and abs(cost - plan.cost) <= tolerance * cost:
            stop = Stop.converged
        elif worse == 2:
            stop = Stop.stalled
        elif len(log) == max_rollouts:
            stop = Stop.iteration_limit
        if stop is not None:
            return CorrectedPlan(best, float(least), stop, len(log), log)
        controls = plan.controls
        planner = {**planner, "multipliers": plan.multipliers, "initial_regularization": 0.0}


def _shown(answer: Outputs, of_maps: list[MapCost], stages: int) -> list[Optional[FloatArray]]:
    """The outputs of each MapCost, (last - first + 1, N)."""
    given: Any = [answer] if len(of_maps) == 1 else answer
    if len(given) != len(of_maps):
        raise ValueError(f"truth returned {len(given)} outputs, expected one for each of {len(of_maps)} MapCosts")
    shown: list[Optional[FloatArray]] = []
    for outputs, term in zip(given, of_maps):
        if outputs is None:
            shown.append(None)
            continue
        array = reals("truth returned", outputs)
        size = term._fields["map"].output_size
        if array.shape != (stages, size):
            raise ValueError(f"truth returned outputs of shape {array.shape}, expected ({stages}, {size})")
        shown.append(array[term._rows(stages)])
    if all(one is None for one in shown):
        raise ValueError("truth returned None in the place of outputs: is a return missing?")
    return shown
