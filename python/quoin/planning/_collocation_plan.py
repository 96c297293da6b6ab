# SPDX-License-Identifier: BSD-3-Clause
"""Plans of collocation: functions of time, and how they are judged."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import reals
from quoin._words import Word, readable
from quoin.dynamics import StepStatus
from quoin.planning._nlp import need_ipopt
from quoin.planning._node_dynamics import AnyContinuousDynamics, compiled_nodes
from quoin.stops import Outcome, Stop

FloatArray = npt.NDArray[np.float64]
Scheme = Literal["euler", "trapezoid", "hermite_simpson"]
SCHEMES = ("euler", "trapezoid", "hermite_simpson")


class RefinementStop(Word):
    """Why refinement ended."""

    tolerance_met = 0
    solve_failed = 1  #: a solve did not converge: the plan is the last that did, or the first where none did
    solve_limit = 2
    interval_limit = 3  #: the next mesh would have more than `max_intervals`


@readable
class Refinement(NamedTuple):
    """How the meshes became finer.

    Attributes
    ----------
    stop : RefinementStop
    meshes : list of (N + 1,) array
        Of every solve.
    defects : list of float
        The largest measured, of every solve.
    nlp_stops : list of Stop
        Of every solve.
    iterations : int
        Of all solves.
    """

    stop: RefinementStop
    meshes: list[FloatArray]
    defects: list[float]
    nlp_stops: list[Stop]
    iterations: int


def _none() -> Any:
    return dataclasses.field(default_factory=lambda: np.zeros(0))


@readable
@dataclasses.dataclass(frozen=True)
class CollocationPlan(Outcome):
    """The result of `collocate`, or a guess to begin from: times, states and controls alone are enough for one.

    Nodes are the mesh points and, with Hermite-Simpson, the midpoints between them. Without rates a guess is linear
    between its nodes.

    Attributes
    ----------
    times : (K,) array
        Of the nodes, ascending, s.
    states : (K, n) array
    controls : (K, m) array
    rates : (K, k) array or None
        The acceleration of dynamics with an inverse form, the whole dx/dt of others.
    scheme : {"euler", "trapezoid", "hermite_simpson"}
        How states and controls go on between nodes.
    cost : float
        By the scheme's quadrature.
    stop : Stop
        `converged`: at a minimum. `acceptable`: at Ipopt's acceptable level, 1e-6 where the tolerance is smaller.
        `infeasible`: where the violation is locally least. `saddle`: stationary, but second derivatives tell of a way
        down, at whose end no plan was lower.
    iterations : int
        By Ipopt's count, of all solves.
    in_restoration : bool
        It ended while still looking for any feasible point: suspect infeasibility.
    residual : float
        Of the collocated dynamics, as the program sees them.
    violation : float
        Of path and boundary constraints, in their units.
    interval_defects : (N,) array
        A fine integration of each interval from its first node under the controls, minus the state at the next mesh
        point: the largest component. Infinite where the integration failed.
    largest_defect : float
    multipliers : dict or None
        With which a plan is a warm start of the same mesh and scheme.
    refinement : Refinement or None
    """

    times: FloatArray
    states: FloatArray
    controls: FloatArray
    rates: Optional[FloatArray] = None
    scheme: Scheme = "hermite_simpson"
    cost: float = math.nan
    stop: Stop = Stop.solver_error
    iterations: int = 0
    in_restoration: bool = False
    residual: float = math.nan
    violation: float = math.nan
    interval_defects: FloatArray = _none()
    largest_defect: float = math.nan
    multipliers: Optional[dict[str, Any]] = None
    refinement: Optional[Refinement] = None

    def __post_init__(self) -> None:
        for name in ("times", "states", "controls", "rates"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, reals(name, getattr(self, name)))
        if self.scheme not in SCHEMES:
            raise ValueError(f"scheme = {self.scheme!r}, expected one of {SCHEMES}")
        count = len(self.times) if self.times.ndim == 1 else 0
        if count < 2 or not np.all(np.diff(self.times) > 0):
            raise ValueError(f"times: shape {self.times.shape}, expected at least 2 that ascend")
        for name in ("states", "controls", "rates"):
            array = getattr(self, name)
            if array is not None and (array.ndim != 2 or len(array) != count):
                raise ValueError(f"{name}: shape {array.shape}, expected ({count}, any)")
        if self.rates is not None:
            n, k = self.states.shape[1], self.rates.shape[1]
            if not n <= 2 * k <= 2 * n or (self.scheme == "hermite_simpson" and count % 2 == 0):
                raise ValueError(f"rates: shape {self.rates.shape} with states {self.states.shape} by {self.scheme}")

    @property
    def converged(self) -> bool:
        """True if the solver met its tolerances, at a minimum, and the refinement its own if there was one."""
        return self.stop is Stop.converged and (
            self.refinement is None or self.refinement.stop is RefinementStop.tolerance_met
        )

    @property
    def message(self) -> str:
        """Why it ended, in a sentence, and what to do about it."""
        if self.stop is not Stop.converged or self.converged or self.refinement is None:
            return super().message
        meshes = len(self.refinement.meshes)
        return (
            f"{self.refinement.stop.name}: the solver converged, the refinement did not: after {meshes} meshes the "
            f"largest defect is {self.largest_defect:.2g}; allow more solves or intervals, or a larger tolerance"
        )

    @property
    def mesh(self) -> FloatArray:
        """(N + 1,), the times without midpoints."""
        mesh: FloatArray = self.times[:: 2 if self.scheme == "hermite_simpson" and self.rates is not None else 1]
        return mesh

    @property
    def intervals(self) -> int:
        """N, the number of intervals between mesh points."""
        return len(self.mesh) - 1

    def state(self, time: npt.ArrayLike) -> FloatArray:
        """x (n,) at a time, or (M, n) at times (M,), clamped to the plan's: the scheme's polynomial."""
        return self._at(time, False)

    def control(self, time: npt.ArrayLike) -> FloatArray:
        """u (m,) at a time, or (M, m) at times (M,), clamped to the plan's."""
        return self._at(time, True)

    def _at(self, time: npt.ArrayLike, controls: bool) -> FloatArray:
        need_ipopt()
        at = reals("time", time)
        if at.ndim > 1:
            raise ValueError(f"time: shape {at.shape}, expected () or (M,)")
        values = _core.plan_at(compiled_plan(self), np.atleast_1d(at), controls)
        return values if at.ndim == 1 else values.reshape(-1)


def compiled_plan(plan: CollocationPlan) -> dict[str, Any]:
    """What C++ needs of a plan."""
    names = ("times", "states", "controls", "rates", "multipliers")
    return {"scheme": SCHEMES.index(plan.scheme), **{name: getattr(plan, name) for name in names}}


def plan_from(fields: dict[str, Any], course: Optional[tuple[Any, ...]]) -> CollocationPlan:
    """The plan that C++ answers."""
    fields["scheme"] = SCHEMES[fields["scheme"]]
    fields["stop"] = Stop(fields["stop"])
    if course is not None:
        stop, meshes, defects, stops, iterations = course
        fields["refinement"] = Refinement(
            RefinementStop(stop), meshes, defects, [Stop(one) for one in stops], iterations
        )
    return CollocationPlan(**fields)


@readable
class Replay(NamedTuple):
    """A motion under a plan's controls, integrated finely.

    Attributes
    ----------
    times : (M,) array
    states : (M, n) array
        Up to where it failed, if it did.
    status : StepStatus
        `not_converged`: no step is short enough.
    """

    times: FloatArray
    states: FloatArray
    status: StepStatus


def replay(
    dynamics: AnyContinuousDynamics, plan: CollocationPlan, step: float, *, start: Optional[npt.ArrayLike] = None
) -> Replay:
    """Integrates dynamics, the plan's or those of another plant, under the plan's controls, to judge the plan.

    Parameters
    ----------
    dynamics : ContinuousDynamics or object
        As of `collocate`.
    plan : CollocationPlan
    step : float
        The longest Runge-Kutta step, s; halved where its error asks for it.
    start : (n,) array_like, optional
        By default the plan's first state.

    Raises
    ------
    ValueError
        Sizes do not fit, or step is not positive.
    """
    times, states, status = _core.replay(compiled_nodes(dynamics), compiled_plan(plan), float(step), start)
    return Replay(times, states, StepStatus(status))


def measure_defects(dynamics: AnyContinuousDynamics, plan: CollocationPlan, substeps: int = 10) -> CollocationPlan:
    """The plan with `interval_defects` measured by these dynamics, by `substeps` Runge-Kutta steps an interval."""
    if substeps < 1:
        raise ValueError(f"substeps = {substeps}, expected at least 1")
    defects = _core.interval_defects(compiled_nodes(dynamics), compiled_plan(plan), int(substeps))
    return dataclasses.replace(plan, interval_defects=defects, largest_defect=float(defects.max()))
