# SPDX-License-Identifier: BSD-3-Clause
"""What planners of discrete dynamics share: the problem, the observer, and how results come back."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import reals
from quoin.dynamics import AnyDynamics, StepStatus, compiled_dynamics
from quoin.planning._costs import sequence, term_of
from quoin.stops import Stop

FloatArray = npt.NDArray[np.float64]
BOUNDS = ("lower_control", "upper_control", "lower_state", "upper_state")


class Guess(NamedTuple):
    dynamics: _core.Dynamics
    controls: FloatArray

    @property
    def sizes(self) -> tuple[int, int, int]:
        """n, m, and the number of steps."""
        return self.dynamics.state_size(), self.dynamics.control_size(), len(self.controls)


def guess_of(dynamics: AnyDynamics, controls: npt.ArrayLike, what: str = "guess") -> Guess:
    """Dynamics and controls (K, m) as C++ takes them. Raises ValueError for another shape."""
    compiled = compiled_dynamics(dynamics)
    m = compiled.control_size()
    array = reals(what, controls)
    if array.ndim != 2 or array.shape[1] != m:
        raise ValueError(f"{what}: shape {array.shape}, expected (K, {m})")
    return Guess(compiled, array)


def problem_of(guess: Guess, residuals: Any, constraints: Any, start: npt.ArrayLike) -> dict[str, Any]:
    """A trajectory problem without bounds."""
    n, m, horizon = guess.sizes
    return {
        "start": start,
        "horizon": horizon,
        "residuals": [term_of(term, n, m, horizon) for term in sequence(residuals)],
        "constraints": [term_of(term, n, m, horizon) for term in sequence(constraints)],
        **dict.fromkeys(BOUNDS),
    }


def told(observer: Optional[Callable[..., Any]], iteration: Callable[..., Any]) -> Optional[Callable[..., Any]]:
    """The observer, with its first argument as this NamedTuple."""
    if observer is None:
        return None
    tell = observer

    def call(fields: tuple[Any, ...], *more: FloatArray) -> Any:
        return tell(iteration(*fields), *more)

    return call


def with_enums(fields: dict[str, Any]) -> dict[str, Any]:
    """The numbers of C++'s enumerations as Python's."""
    fields["stop"] = Stop(fields["stop"])
    if "failed_status" in fields:
        fields["failed_status"] = StepStatus(fields["failed_status"])
    return fields
