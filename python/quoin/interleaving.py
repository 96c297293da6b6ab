# SPDX-License-Identifier: BSD-3-Clause
"""Algorithm 1: any optimizer, interleaved with refinement of the surrogate."""

from __future__ import annotations

import cmath
import dataclasses
import decimal
import math
import numbers
import operator
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Generic, NamedTuple, Optional, Sequence, TypeVar, Union

import numpy as np
import numpy.typing as npt

from quoin._words import Word, readable
from quoin.answers import ErrorEstimate
from quoin.grids import AdaptiveGrid
from quoin.kernels import KernelSurrogate
from quoin.maps import GridView

Iterate = TypeVar("Iterate")


class InterleaveStop(Word):
    """Why the loop ended."""

    converged = 0  #: the schedule is done and the last solve converged
    accuracy_reached = 1  #: surrogate and exact cost agree as asked
    budget_spent = 2  #: before the next round
    solver_failed = 3  #: the last solve did not converge, gave no result (see `SolverResult`), or raised
    stopped_by_observer = 4
    interrupted = 5  #: f or the solver in C++ threw Interrupted
    out_of_reach = 6  #: the surrogate could not be refined as asked
    polish_ended = 7  #: the polish ended before it converged
    check_failed = 8  #: exact_check raised before the schedule was done


@readable
class Round(NamedTuple):
    """The record of one solve.

    Attributes
    ----------
    level : int
        Of a grid that is refined by levels.
    cost : float
        On the surrogate of this round.
    exact_cost : float
        NaN if not computed.
    converged : bool
    exact_evaluations : int
        Added by this round.
    seconds : float
    tolerance : float
        Of a grid, or the threshold of a kernel; NaN by levels.
    polish : bool
        The last stage, on a truer model.
    """

    level: int
    cost: float
    exact_cost: float
    converged: bool
    exact_evaluations: int
    seconds: float
    tolerance: float
    polish: bool


@readable
class SolverResult(NamedTuple):
    """The result of one solve.

    It is no result, and the solve has failed, where a number of the iterate is NaN or infinite, the iterate has more or
    fewer numbers than the guess, or the cost is NaN or -inf.

    Attributes
    ----------
    iterate : object
        Whatever the solver works on. Numbers, arrays (also of torch), lists, tuples, dictionaries and dataclasses are
        looked into, and objects with a method ``all_finite()``, which is asked. Numbers are counted in arrays and lists
        of numbers, unless the guess has none.
    cost : float or None
        On the surrogate; of a polish, on its truer model. Infinity: the iterate is not allowed, and nothing has
        converged yet. None: the solver knows no cost.
    converged : bool
    exact_evaluations : int
        That the solve made besides those of the surrogate.
    """

    iterate: Any
    cost: Optional[float] = None
    converged: bool = True
    exact_evaluations: int = 0


@readable
@dataclasses.dataclass(frozen=True)
class InterleaveResult(Generic[Iterate]):
    """How the loop ended.

    Attributes
    ----------
    iterate : object
        Of the last solve that gave a result, or the guess.
    cost : float
        Of this iterate, on the surrogate of its round; NaN if the solver told none.
    exact_cost : float
        NaN without `exact_check`.
    stop : InterleaveStop
    message : str
        What the solver or `exact_check` raised, what is wrong with the solver's result, or what the surrogate could not
        do.
    rounds : list of Round
    exception : BaseException or None
        What ended the loop, with its traceback, if `stop` is solver_failed and the solver raised.
    """

    iterate: Iterate
    cost: float
    exact_cost: float
    stop: InterleaveStop
    message: str
    rounds: list[Round]
    exception: Optional[BaseException]


@dataclasses.dataclass(frozen=True)
class Levels:
    """Solve on levels first, first + 1, ..., last of a grid."""

    first: int = 0
    last: int = 0

    def _compiled(self) -> tuple[Any, ...]:
        return "levels", _whole("first", self.first), _whole("last", self.last)


@dataclasses.dataclass(frozen=True)
class Tolerances:
    """Solve at tolerances first, first / factor, ..., and at last."""

    first: float = 1e-2
    last: float = 1e-4
    factor: float = 16

    def _compiled(self) -> tuple[Any, ...]:
        return "tolerances", float(self.first), float(self.last), float(self.factor)


@dataclasses.dataclass(frozen=True)
class LevelsUntil:
    """Solve on levels until the map answers well enough where the iterate asks it.

    Attributes
    ----------
    errors : callable
        ``errors(view, iterate) -> ErrorEstimate``, such as ``view.error_along(points)``.
    tolerance : float
        Enough for the value.
    jacobian_tolerance : float
        And for the Jacobian.
    first, last : int
    """

    errors: Callable[[GridView, Any], ErrorEstimate]
    tolerance: float = math.inf
    jacobian_tolerance: float = math.inf
    first: int = 0
    last: int = 8

    def _compiled(self) -> tuple[Any, ...]:
        first, last = _whole("first", self.first), _whole("last", self.last)
        return "until", self.errors, float(self.tolerance), float(self.jacobian_tolerance), first, last


@dataclasses.dataclass(frozen=True)
class Thresholds:
    """The schedule of a kernel: stages of thresholds (value, gradient) on its deviation at the points of the iterate.

    Attributes
    ----------
    stages : sequence of (float, float)
    rounds_per_stage : int
    tolerance, jacobian_tolerance : float
        Done as soon as both errors are estimated and at most these; 0: thresholds alone decide.
    """

    stages: Sequence[tuple[float, float]] = ((3e-2, 3e-1), (1e-3, 1e-2), (1e-4, 1e-3), (1e-5, 3e-5))
    rounds_per_stage: int = 10
    tolerance: float = 0
    jacobian_tolerance: float = 0

    def _compiled(self) -> tuple[Any, ...]:
        stages = [(float(value), float(gradient)) for value, gradient in self.stages]
        rounds = _whole("rounds_per_stage", self.rounds_per_stage)
        return "thresholds", stages, rounds, float(self.tolerance), float(self.jacobian_tolerance)


def levels_for(spacing: float, threshold: float) -> Levels:
    """The paper's schedule: from this spacing of level 0, ``ceil(log2(spacing / threshold))`` refinements.

    Raises
    ------
    ValueError
        One of them is not positive.
    """
    if not spacing > 0 or not threshold > 0 or not math.isfinite(spacing / threshold):
        raise ValueError(f"levels_for: spacing {spacing} and threshold {threshold} must be positive")
    ratio = spacing / threshold
    return Levels(0, math.ceil(math.log2(ratio)) if ratio > 1 else 0)


def _whole(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"interleave: {name} = {value!r} is no whole number") from None


def _numbers_in(x: Any) -> tuple[bool, int]:
    """Whether every number that is seen is finite, and how many an array has."""
    if callable(getattr(x, "all_finite", None)):
        return bool(x.all_finite()), 0
    if isinstance(x, (str, bytes)):
        return True, 0
    if isinstance(x, numbers.Integral):
        return True, 1
    if isinstance(x, (numbers.Complex, decimal.Decimal)):
        return cmath.isfinite(x), 1
    if dataclasses.is_dataclass(x):
        return _all_finite(getattr(x, field.name) for field in dataclasses.fields(x)), 0
    if isinstance(x, Mapping):
        return _all_finite(x.values()), 0
    if isinstance(x, (list, tuple, set, frozenset)):
        return _all_finite(x), len(x) if all(isinstance(entry, numbers.Number) for entry in x) else 0
    if hasattr(x, "__array__"):
        # A tensor of torch gives no array while its gradient is recorded, or where it lies on a GPU.
        array = np.asarray(x.detach().cpu() if hasattr(x, "detach") else x)
        if array.dtype == object:
            return _all_finite(array.flat), array.size
        return array.dtype.kind not in "fc" or bool(np.isfinite(array).all()), array.size
    return True, 0


def _all_finite(entries: Iterable[Any]) -> bool:
    return all(_numbers_in(entry)[0] for entry in entries)


def _looked_into(iterate: Any) -> tuple[Any, bool, int]:
    """The iterate, as C++ takes it."""
    try:
        return (iterate, *_numbers_in(iterate))
    except Exception:  # whatever an object of somebody's does when it is asked
        return iterate, True, 0


Schedule = Union[Levels, Tolerances, LevelsUntil, Thresholds]


def interleave(
    surrogate: Union[AdaptiveGrid, KernelSurrogate],
    solve: Callable[[Any, Iterate], Any],
    guess: Iterate,
    schedule: Optional[Schedule] = None,
    *,
    exact_check: Optional[Callable[[Iterate], float]] = None,
    accuracy: float = 0,
    max_evaluations: Optional[int] = None,
    max_seconds: Optional[float] = None,
    polish: Optional[Callable[[Iterate], Any]] = None,
    points: Optional[Callable[[Iterate], npt.ArrayLike]] = None,
    observer: Optional[Callable[[Round, Iterate], Optional[bool]]] = None,
) -> InterleaveResult[Iterate]:
    """Refine, solve on a view of it from the last result, and again until the schedule is done.

    Parameters
    ----------
    surrogate : AdaptiveGrid or KernelSurrogate
    solve : callable
        ``solve(view, iterate)`` returns a `SolverResult` or a tuple of its first fields. What is no result, and an
        exception that it raises, end the loop with `InterleaveStop.solver_failed`; the last iterate is kept, with its
        cost.
    guess : object
        Finite, as far as it can be looked into (`SolverResult`).
    schedule : Levels, Tolerances, LevelsUntil or Thresholds
        Thresholds belong to a kernel, the others to a grid. By default level 0 of a grid alone.
    exact_check : callable, optional
        The cost of an iterate on f itself.
    accuracy : float
        Stop as soon as cost and exact cost agree to this; 0: never for this reason.
    max_evaluations : int, optional
    max_seconds : float, optional
        Both are checked between rounds.
    polish : callable, optional
        ``polish(iterate)``, a last stage on a truer model; returns what `solve` does.
    points : callable, optional
        The points (M, dim) at which a solve from an iterate will ask. A kernel needs it.
    observer : callable, optional
        ``observer(round, iterate)`` is called after every round; False stops.

    Returns
    -------
    InterleaveResult

    Raises
    ------
    ValueError
        The surrogate cannot follow the schedule, the guess is not finite, or an option means nothing.
    KeyboardInterrupt
        Ctrl-C passes through.
    """

    def solved(result: Any) -> tuple[Any, ...]:
        if not isinstance(result, tuple):
            raise TypeError(
                f"solve returned a {type(result).__name__}, expected SolverResult({', '.join(SolverResult._fields)}), or a "
                "tuple of its first fields, as (iterate, cost)"
            )
        iterate, *others = result if isinstance(result, SolverResult) else SolverResult(*result)
        return (_looked_into(iterate), *others)

    if max_evaluations is not None:
        max_evaluations = _whole("max_evaluations", max_evaluations)
        if max_evaluations < 0:
            raise ValueError(f"interleave: max_evaluations = {max_evaluations} must be at least 0")
    if max_seconds is not None and not max_seconds >= 0:
        raise ValueError(f"interleave: max_seconds = {max_seconds} must be at least 0")
    if not isinstance(surrogate, (AdaptiveGrid, KernelSurrogate)):
        raise TypeError(
            f"interleave: the surrogate is a {type(surrogate).__name__}, expected an AdaptiveGrid or a KernelSurrogate: "
            "interleave(surrogate, solve, guess, schedule)"
        )
    if schedule is not None and not isinstance(schedule, (Levels, Tolerances, LevelsUntil, Thresholds)):
        raise TypeError(
            f"interleave: the schedule is a {type(schedule).__name__}, expected Levels(first, last), Tolerances, "
            "LevelsUntil or Thresholds"
        )
    kernel = isinstance(surrogate, KernelSurrogate)
    if schedule is None:
        schedule = Thresholds() if kernel else Levels()
    if kernel != isinstance(schedule, Thresholds):
        raise ValueError(f"interleave: a {type(surrogate).__name__} cannot follow {type(schedule).__name__}")
    options = {
        "schedule": schedule._compiled(),
        "exact_check": exact_check,
        "accuracy": float(accuracy),
        "max_evaluations": max_evaluations,
        "max_seconds": max_seconds,
        "polish": None if polish is None else lambda iterate: solved(polish(iterate)),
        "points": points,
        "observer": observer,
        "source": surrogate._source,
    }

    def run(view: Any, iterate: Iterate) -> tuple[Any, ...]:
        return solved(solve(view, iterate))

    fields = surrogate._interleave(run, _looked_into(guess), options)
    fields["stop"] = InterleaveStop(fields["stop"])
    return InterleaveResult(**fields)
