# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics as collocation takes them."""

from __future__ import annotations

from typing import Any, Protocol, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin.dynamics import ContinuousDynamics, RatesWithDerivatives, compiled_rates, shaped, with_status
from quoin.planning._nlp import need_ipopt

FloatArray = npt.NDArray[np.float64]


class InverseDynamics(Protocol):
    """A mechanical system for `collocate`: ``forces(q, v, a) = actuation @ u``, state (q, v) of size n = 2 k.

    Collocation keeps the acceleration as a variable, and needs no inverse of the mass. Any object with these members
    will do; it raises as `quoin.DiscreteDynamics` says. Two more are used if they are there:
    ``inverse_dynamics(q, v, a) -> forces``, and ``hint(states)``.
    """

    @property
    def actuation(self) -> npt.ArrayLike:
        """(k, m), constant."""

    def inverse_dynamics_derivatives(
        self, q: FloatArray, v: FloatArray, a: FloatArray, /
    ) -> tuple[Any, Any, Any, Any]:
        """The forces (k,) that cause a, and their derivatives (k, k) by q, by v, and by a: the mass matrix."""


class ControlRates:
    """Dynamics whose controls u are part of the state and whose control is du/dt, for `collocate`: plans without jumps
    of u, and bounds and costs of du/dt, such as actuators have.

    The state is (x[:known], u, x[known:]): (q, u, v) of dynamics with an inverse form, (u, x) of others.

    Parameters
    ----------
    dynamics : ContinuousDynamics or object
        As `collocate` takes them.

    Attributes
    ----------
    known : int
        Where u begins in the state.
    """

    def __init__(self, dynamics: AnyContinuousDynamics) -> None:
        of = compiled_nodes(dynamics)
        self._compiled = _core.with_control_rates(of)
        self._controls = of.control_size()
        self.known = of.state_size() - of.rate_size()

    @property
    def state_size(self) -> int:
        """The size of a state, u included."""
        return self._compiled.state_size()

    @property
    def control_size(self) -> int:
        """m, the size of u and of du/dt."""
        return self._controls

    def x(self, state: npt.ArrayLike) -> FloatArray:
        """x of states (..., n + m)."""
        array = self._sized(state)
        return np.concatenate((array[..., : self.known], array[..., self.known + self._controls :]), axis=-1)

    def u(self, state: npt.ArrayLike) -> FloatArray:
        """u of states (..., n + m)."""
        return self._sized(state)[..., self.known : self.known + self._controls]

    def state(self, x: npt.ArrayLike, u: npt.ArrayLike) -> FloatArray:
        """The states that have these x (..., n) and u (..., m)."""
        before, controls = np.asarray(x, dtype=np.float64), np.asarray(u, dtype=np.float64)
        return self._sized(np.concatenate((before[..., : self.known], controls, before[..., self.known :]), axis=-1))

    def _sized(self, state: npt.ArrayLike) -> FloatArray:
        array = np.asarray(state, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != self.state_size:
            raise ValueError(f"state: shape {array.shape}, expected (..., {self.state_size})")
        return array


AnyContinuousDynamics = Union[ContinuousDynamics, RatesWithDerivatives, InverseDynamics, ControlRates]


def compiled_nodes(dynamics: AnyContinuousDynamics) -> _core.NodeDynamics:
    """Dynamics as collocation in C++ takes them. Of two forms the inverse one."""
    need_ipopt()
    if isinstance(dynamics, ControlRates):
        return dynamics._compiled
    if not isinstance(dynamics, ContinuousDynamics) and hasattr(dynamics, "inverse_dynamics_derivatives"):
        return _called(dynamics)
    return _core.node_dynamics(compiled_rates(dynamics))


def _called(dynamics: Any) -> _core.NodeDynamics:
    if not hasattr(dynamics, "actuation"):
        raise TypeError(f"dynamics: a {type(dynamics).__name__} has no actuation")
    actuation = np.asarray(dynamics.actuation, dtype=np.float64)
    if actuation.ndim != 2 or actuation.shape[0] < 1:
        raise ValueError(f"actuation: shape {actuation.shape}, expected (k, m)")
    k = len(actuation)
    derived = dynamics.inverse_dynamics_derivatives
    alone = getattr(dynamics, "inverse_dynamics", None)

    @with_status
    def call(q: FloatArray, v: FloatArray, a: FloatArray, derivatives: bool) -> tuple[Any, ...]:
        if not derivatives and alone is not None:
            return (shaped(alone(q, v, a), (k,), "inverse_dynamics"),)
        answer = derived(q, v, a)
        what = "inverse_dynamics_derivatives"
        if not isinstance(answer, tuple) or len(answer) != 4:
            raise ValueError(f"{what} returned a {type(answer).__name__}, expected (forces, dq, dv, da)")
        return shaped(answer[0], (k,), what), *(shaped(part, (k, k), what) for part in answer[1:])

    return _core.called_inverse(call, getattr(dynamics, "hint", None), actuation)
