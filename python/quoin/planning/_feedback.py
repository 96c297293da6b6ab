# SPDX-License-Identifier: BSD-3-Clause
"""Linear feedback along a motion, and the estimate of the state that it acts on."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import reals
from quoin._words import readable
from quoin.dynamics import AnyDynamics, StepFailure, StepStatus, compiled_dynamics

FloatArray = npt.NDArray[np.float64]


class LinearizedMotion:
    """Dynamics of small deviations from a motion: ``dx_{i+1} = A_i dx_i + B_i du_i``. Made by `linearize_along`.

    Attributes
    ----------
    A : (K, n, n) array
    B : (K, n, m) array
    largest_defect : float
        The largest ``|g(x_i, u_i) - x_{i+1}|``: how far the motion is from these dynamics.
    """

    def __init__(self, compiled: _core.LinearizedMotion) -> None:
        self._compiled = compiled
        self.A, self.B, self.largest_defect = compiled.A, compiled.B, compiled.largest_defect


def linearize_along(dynamics: AnyDynamics, states: npt.ArrayLike, controls: npt.ArrayLike) -> LinearizedMotion:
    """Linearizes along states (K + 1, n) and controls (K, m), by K steps with derivatives.

    Raises
    ------
    ValueError
        Shapes do not fit the dynamics.
    StepFailure
        A step has no derivatives.
    """
    motion = _core.linearize_along(compiled_dynamics(dynamics), states, controls)
    if motion.failed_step >= 0:
        status = StepStatus(motion.status)
        raise StepFailure(f"linearize_along: step {motion.failed_step}: {status.name.replace('_', ' ')}", status)
    return LinearizedMotion(motion)


@readable
class TimeVaryingLqr(NamedTuple):
    """The feedback, and what deviations cost under it.

    Attributes
    ----------
    gains : (K, m, n) array
        ``du_i = -gains[i] @ dx_i``
    cost_to_go : (K + 1, n, n) array
        ``1/2 dx_i @ cost_to_go[i] @ dx_i`` from i on.
    """

    gains: FloatArray
    cost_to_go: FloatArray


def time_varying_lqr(
    motion: LinearizedMotion, *, state: npt.ArrayLike, control: npt.ArrayLike, final: npt.ArrayLike
) -> TimeVaryingLqr:
    """The optimal linear feedback over a finite horizon (Anderson, Moore 1990, section 2.4; Tedrake 2009).

    Parameters
    ----------
    motion : LinearizedMotion
    state : (n, n) or (K, n, n) array_like
        Q_i, positive semidefinite: the cost is the sum of ``1/2 dx_i Q_i dx_i + 1/2 du_i R_i du_i``.
    control : (m, m) or (K, m, m) array_like
        R_i, positive semidefinite, and definite with what the controls move.
    final : (n, n) array_like
        Of dx_K, positive semidefinite.

    Raises
    ------
    ValueError
        Shapes do not fit, or a weight is not symmetric or has a negative eigenvalue, beyond 1e-9 of its largest number.
    """
    for name, weight in (("state", state), ("control", control), ("final", final)):
        matrix = reals(name, weight)
        if not np.all(np.isfinite(matrix)):
            raise ValueError(f"{name}: a weight is not finite")
    return TimeVaryingLqr(*_core.time_varying_lqr(motion._compiled, state, control, final))


class TrajectoryFilter:
    """The state along a plan from noisy measurements: a time-varying Kalman filter of the deviations from the plan.

    Parameters
    ----------
    motion : LinearizedMotion
    covariance : (n, n) array_like
        Of dx_0.
    initial : (n,) array_like, optional
        Its mean; by default 0.

    Raises
    ------
    ValueError
        Shapes do not fit, a number is not finite, or a covariance, here or of `update` and `predict`, is not symmetric
        or has a negative eigenvalue.
    """

    def __init__(
        self, motion: LinearizedMotion, covariance: npt.ArrayLike, initial: Optional[npt.ArrayLike] = None
    ) -> None:
        self._compiled = _core.TrajectoryFilter(motion._compiled, covariance, initial)

    def update(self, C: npt.ArrayLike, dy: npt.ArrayLike, V: npt.ArrayLike) -> None:
        """Takes in dy (p,), measured minus planned, of ``C dx`` (p, n), with the covariance V (p, p)."""
        if not np.all(np.isfinite(reals("dy", dy))):
            raise ValueError(f"dy = {np.asarray(dy).tolist()}: a measurement is not finite")
        self._compiled.update(C, dy, V)

    def predict(self, du: npt.ArrayLike, W: npt.ArrayLike) -> None:
        """Moves to the next step under du (m,), with the covariance W (n, n) of what disturbs it."""
        self._compiled.predict(du, W)

    def ahead(self, pending: npt.ArrayLike) -> FloatArray:
        """The mean (n,) after the pending deviations of the inputs (d, m) have acted. The filter does not move."""
        return self._compiled.ahead(pending)

    @property
    def step(self) -> int:
        """i, from 0."""
        return self._compiled.step

    @property
    def estimate(self) -> FloatArray:
        """The mean (n,) of dx_i."""
        return self._compiled.estimate

    @property
    def covariance(self) -> FloatArray:
        """Its covariance (n, n)."""
        return self._compiled.covariance
