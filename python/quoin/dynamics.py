# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics: of the library's models, and of Python's classes."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Optional, Protocol, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import is_masked, real, reals, whole
from quoin._words import Word, readable
from quoin.errors import CornerFailure, DomainError

FloatArray = npt.NDArray[np.float64]


class StepStatus(Word):
    """The outcome of a step, or of a rate of change."""

    ok = 0
    outside_domain = 1  #: the next state leaves the domain of the map under the dynamics
    map_failed = 2  #: the map under the dynamics has no answer where the step needs it
    not_converged = 3  #: the step's equations were not solved to their tolerance
    singular = 4  #: the reduced mass, or the step's Jacobian, is singular


class StepFailure(RuntimeError):
    """There is no step, or no rate, from here. Planners shorten their step; a Python class may raise it, too.

    Attributes
    ----------
    status : StepStatus
    """

    def __init__(self, message: str, status: StepStatus = StepStatus.map_failed) -> None:
        super().__init__(message)
        self.status = StepStatus(status)

    def __reduce__(self) -> tuple[type["StepFailure"], tuple[str, StepStatus]]:
        return type(self), (str(self), self.status)


class DiscreteDynamics(Protocol):
    """What planners take in the place of a `Dynamics`: any object with these members.

    ``step_with_derivatives(x, u)`` returns ``(next, dnext_dx, dnext_du)`` of shapes (n,), (n, n), (n, m). It raises
    `StepFailure`, `DomainError` or `CornerFailure` where there is no step; any other exception ends the planner. Two
    more members are used if they are there: ``step(x, u) -> next``, and ``hint(states)``, which is told the states
    (M, n) at which steps will soon be asked for.
    """

    @property
    def state_size(self) -> int:
        """n"""

    @property
    def control_size(self) -> int:
        """m"""

    def step_with_derivatives(self, x: FloatArray, u: FloatArray, /) -> tuple[Any, Any, Any]:
        """The next state, and its derivatives."""


@readable
class Rollout(NamedTuple):
    """A motion.

    Attributes
    ----------
    states : (k + 1, n) array
        Up to the first step that failed.
    status : StepStatus
        Of the last step tried.
    """

    states: FloatArray
    status: StepStatus


class Dynamics:
    """Time-discrete dynamics ``next = g(x, u)`` with derivatives. Made by models, and by the classes below.

    Steps release the GIL, and are safe from many threads.
    """

    def __init__(self, compiled: _core.Dynamics) -> None:
        self._compiled = compiled

    @property
    def state_size(self) -> int:
        """n, the size of a state."""
        return self._compiled.state_size()

    @property
    def control_size(self) -> int:
        """m, the size of a control."""
        return self._compiled.control_size()

    def step(self, x: npt.ArrayLike, u: npt.ArrayLike) -> FloatArray:
        """The next state (n,) from x (n,) under u (m,).

        Raises
        ------
        StepFailure
            There is none; its `status` says why.
        """
        answer: tuple[FloatArray] = _values(self._compiled.step(x, u, False), "step")
        return answer[0]

    def step_with_derivatives(self, x: npt.ArrayLike, u: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The next state (n,), its derivatives by x (n, n), and by u (n, m). Raises as `step`."""
        answer: tuple[FloatArray, FloatArray, FloatArray] = _values(self._compiled.step(x, u, True), "step")
        return answer

    def rollout(self, x: npt.ArrayLike, controls: npt.ArrayLike) -> Rollout:
        """The motion from x (n,) under controls (K, m); it ends at the first step that fails."""
        status, states = self._compiled.rollout(x, controls)
        return Rollout(states, StepStatus(status))

    def hint(self, states: npt.ArrayLike) -> None:
        """Tells at which states (M, n) steps will soon be asked for."""
        self._compiled.hint(states)


class LinearDynamics(Dynamics):
    """next = A x + B u + a.

    Parameters
    ----------
    A : (n, n) array_like
    B : (n, m) array_like
    a : (n,) array_like, optional
        By default 0.
    """

    def __init__(self, A: npt.ArrayLike, B: npt.ArrayLike, a: Optional[npt.ArrayLike] = None) -> None:
        super().__init__(_core.linear_dynamics(A, B, a))


class RatesWithDerivatives(Protocol):
    """What `RungeKutta` takes in the place of a `ContinuousDynamics`: any object with these members.

    ``rate_with_derivatives(x, u)`` returns ``(dx_dt, df_dx, df_du)`` of shapes (n,), (n, n), (n, m), or raises as
    `DiscreteDynamics` says. ``rate(x, u) -> dx_dt`` and ``hint(states)`` are used if they are there.
    """

    @property
    def state_size(self) -> int:
        """n"""

    @property
    def control_size(self) -> int:
        """m"""

    def rate_with_derivatives(self, x: FloatArray, u: FloatArray, /) -> tuple[Any, Any, Any]:
        """The rate of change, and its derivatives."""


class ContinuousDynamics:
    """Time-continuous dynamics ``dx/dt = f(x, u)`` with derivatives. Made by models.

    Rates release the GIL, and are safe from many threads.
    """

    def __init__(self, compiled: _core.Rates) -> None:
        self._compiled = compiled

    @property
    def state_size(self) -> int:
        """n, the size of a state."""
        return self._compiled.state_size()

    @property
    def control_size(self) -> int:
        """m, the size of a control."""
        return self._compiled.control_size()

    def rate(self, x: npt.ArrayLike, u: npt.ArrayLike) -> FloatArray:
        """dx/dt (n,) at x (n,) under u (m,).

        Raises
        ------
        StepFailure
            There is none; its `status` says why.
        """
        answer: tuple[FloatArray] = _values(self._compiled.rate(x, u, False), "rate")
        return answer[0]

    def rate_with_derivatives(self, x: npt.ArrayLike, u: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """dx/dt (n,), its derivatives by x (n, n), and by u (n, m). Raises as `rate`."""
        answer: tuple[FloatArray, FloatArray, FloatArray] = _values(self._compiled.rate(x, u, True), "rate")
        return answer

    def hint(self, states: npt.ArrayLike) -> None:
        """Tells at which states (M, n) rates will soon be asked for."""
        self._compiled.hint(states)


class RungeKutta(Dynamics):
    """Continuous dynamics as discrete ones: `duration` in equal classical Runge-Kutta steps, the control held.

    Parameters
    ----------
    dynamics : ContinuousDynamics or object
        See `RatesWithDerivatives`.
    duration : float
        Seconds.
    steps : int
        Each is halved until it is as exact as the tolerance asks.
    tolerance : float
        Of the step's error over ``scales + |x|``; where all states are below 0.03 of their scales, over 33 times the
        largest. With ``math.inf`` the steps stay as they are; those that do not resolve their motion are
        `StepStatus.not_converged` then.
    scales : array_like (n,), optional
        How large each state is, in its unit: give them where that is far from 1, as for a charge of 1e-12 C. What is
        all below 1e-9 of its scales counts as rest. By default ones.

    Raises
    ------
    ValueError
        Duration, steps, tolerance and scales are not all positive, or the scales not as many as the states.
    """

    def __init__(
        self,
        dynamics: Union[ContinuousDynamics, RatesWithDerivatives],
        duration: float,
        steps: int = 1,
        tolerance: float = 1e-5,
        *,
        scales: Optional[npt.ArrayLike] = None,
    ) -> None:
        rates = compiled_rates(dynamics)
        super().__init__(_core.runge_kutta(rates, float(duration), whole("steps", steps), float(tolerance), scales))


def runge_kutta_step(
    dynamics: Union[ContinuousDynamics, RatesWithDerivatives],
    control: Callable[[float], npt.ArrayLike],
    time: float,
    step: float,
    x: npt.ArrayLike,
    *,
    tolerance: float = 1e-5,
    scales: Optional[npt.ArrayLike] = None,
) -> FloatArray:
    """The state (n,) after one step under a control that changes in time.

    The control is also looked at between the stages of Runge-Kutta's steps, so that whole periods within a step are
    followed. One that jumps, or is a pulse, between these looks is not seen: let steps end there.

    Parameters
    ----------
    dynamics : ContinuousDynamics or object
        See `RatesWithDerivatives`.
    control : callable
        ``control(t)`` returns u (m,) at t, seconds.
    time, step : float
        Where the step begins and how long it is, seconds.
    x : array_like (n,)
        The state at its beginning.
    tolerance : float
    scales : array_like (n,), optional
        Both as of `RungeKutta`, by which the step is halved.

    Raises
    ------
    StepFailure
        There is none; its `status` says why.
    ValueError
        Tolerance or scales are not positive, or an array has another shape.
    """
    rates = compiled_rates(dynamics)
    answer: tuple[FloatArray] = _values(
        _core.runge_kutta_step(rates, control, float(time), float(step), x, float(tolerance), scales), "step"
    )
    return answer[0]


class Differenced:
    """Steps of a simulator that knows no derivatives, with differences for these: a `DiscreteDynamics`.

    A step with derivatives takes 1 + 2 (n + m) steps, all from states near x: central differences, or to one side where
    the simulator raises `StepFailure`, `DomainError` or `CornerFailure` on the other.

    Parameters
    ----------
    step : callable
        ``step(x, u)`` returns the next state (n,), of x (n,) and u (m,) alone: not of what was asked before.
    state_size, control_size : int
        n and m.
    difference : float
        How far differences look, in sizes of the variables. The default, the cube root of the rounding error, is best for
        a simulator that is right to rounding; of one that repeats to 1e-9, say, take 1e-3.
    state_scales, control_scales : array_like, optional
        How large each variable is where it is near zero, in its unit; by default ones.

    Raises
    ------
    ValueError
        A number is not positive, or there are more or fewer scales than variables.
    """

    def __init__(
        self,
        step: Callable[[FloatArray, FloatArray], npt.ArrayLike],
        state_size: int,
        control_size: int,
        *,
        difference: float = 6e-6,
        state_scales: Optional[npt.ArrayLike] = None,
        control_scales: Optional[npt.ArrayLike] = None,
    ) -> None:
        if not callable(step):
            raise TypeError(f"step is a {type(step).__name__}, expected a function of (x, u)")
        if not 0 < real("difference", difference) < math.inf:
            raise ValueError(f"difference = {difference} is not positive and finite")
        self.state_size, self.control_size = whole("state_size", state_size), whole("control_size", control_size)
        if self.state_size < 1 or self.control_size < 0:
            raise ValueError(f"state_size = {self.state_size} and control_size = {self.control_size}")
        self._step, self._difference = step, float(difference)
        self._state_scales = _scales("state_scales", state_scales, self.state_size)
        self._control_scales = _scales("control_scales", control_scales, self.control_size)

    def step(self, x: npt.ArrayLike, u: npt.ArrayLike) -> FloatArray:
        """The next state (n,)."""
        x, u = reals("x", x).copy(), reals("u", u).copy()
        if x.shape != (self.state_size,) or u.shape != (self.control_size,):
            raise ValueError(f"x {x.shape} and u {u.shape}, expected ({self.state_size},) and ({self.control_size},)")
        return shaped(self._step(x, u), (self.state_size,), "step").astype(np.float64)

    def step_with_derivatives(
        self, x: npt.ArrayLike, u: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The next state (n,), its derivatives by x (n, n) and by u (n, m)."""
        middle = self.step(x, u)
        by_x = self._columns(lambda at: self.step(at, u), x, self._state_scales, middle)
        by_u = self._columns(lambda at: self.step(x, at), u, self._control_scales, middle)
        return middle, by_x, by_u

    def _columns(
        self, step: Callable[[FloatArray], FloatArray], at: npt.ArrayLike, scales: FloatArray, middle: FloatArray
    ) -> FloatArray:
        center = reals("x, u", at).copy()
        columns = np.empty((self.state_size, len(center)))
        for j, far in enumerate(self._difference * np.maximum(np.abs(center), scales)):
            sides: list[tuple[float, FloatArray]] = []
            failed: list[Exception] = []
            for moved in (center[j] + far, center[j] - far):
                beside = center.copy()
                beside[j] = moved
                try:
                    sides.append((moved, step(beside)))
                except (StepFailure, DomainError, CornerFailure) as failure:
                    failed.append(failure)
            if not sides:
                raise failed[0]
            (first, above), (last, below) = sides[0], sides[1] if len(sides) > 1 else (center[j], middle)
            columns[:, j] = (above - below) / (first - last)
        return columns


def _scales(name: str, given: Optional[npt.ArrayLike], size: int) -> FloatArray:
    scales = np.ones(size) if given is None else reals(name, given).copy()
    if scales.shape != (size,) or not np.all((scales > 0) & np.isfinite(scales)):
        raise ValueError(f"{name} = {np.asarray(given).tolist()}, expected {size} numbers, positive and finite")
    return scales


AnyDynamics = Union[Dynamics, DiscreteDynamics]


def compiled_dynamics(dynamics: AnyDynamics) -> _core.Dynamics:
    """Dynamics as planners in C++ take them."""
    if isinstance(dynamics, Dynamics):
        return dynamics._compiled
    call, hint, n, m = _called(dynamics, "step", "step_with_derivatives")
    return _core.called_dynamics(call, hint, n, m)


def compiled_rates(dynamics: Union[ContinuousDynamics, RatesWithDerivatives]) -> _core.Rates:
    """The same of continuous dynamics."""
    if isinstance(dynamics, ContinuousDynamics):
        return dynamics._compiled
    call, hint, n, m = _called(dynamics, "rate", "rate_with_derivatives")
    return _core.called_rates(call, hint, n, m)


def _values(answer: Any, what: str) -> Any:
    status = StepStatus(answer[0])
    if status is not StepStatus.ok:
        raise StepFailure(f"{what}: {status.name.replace('_', ' ')}", status)
    return answer[1:]


def with_status(call: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
    """Calls dynamics of Python's for C++: the answer behind the number of its status, or that of the failure alone."""

    def asked(*arguments: Any) -> tuple[Any, ...]:
        try:
            return (int(StepStatus.ok), *call(*arguments))
        except StepFailure as failure:
            return (int(failure.status),)
        except DomainError:
            return (int(StepStatus.outside_domain),)
        except CornerFailure:
            return (int(StepStatus.map_failed),)

    return asked


def _called(dynamics: Any, plain: str, derived: str) -> tuple[Callable[..., Any], Any, int, int]:
    """What calls an object of Python's: call(x, u, derivatives) -> (status, value[, d_dx, d_du])."""
    missing = [name for name in ("state_size", "control_size", derived) if not hasattr(dynamics, name)]
    if missing and callable(dynamics) and derived == "step_with_derivatives":
        raise TypeError("dynamics: a function has no sizes: let it be quoin.Differenced(step, state_size, control_size)")
    if missing:
        raise TypeError(f"dynamics: a {type(dynamics).__name__} has no {' and no '.join(missing)}")
    n, m = int(dynamics.state_size), int(dynamics.control_size)
    if n < 1 or m < 0:
        raise ValueError(f"dynamics: state_size = {n} and control_size = {m}")
    with_derivatives = getattr(dynamics, derived)
    alone = getattr(dynamics, plain, None)

    @with_status
    def call(x: FloatArray, u: FloatArray, derivatives: bool) -> tuple[Any, ...]:
        if not derivatives and alone is not None:
            return (shaped(alone(x, u), (n,), plain),)
        answer = with_derivatives(x, u)
        if not isinstance(answer, tuple) or len(answer) != 3:
            raise ValueError(f"{derived} returned a {type(answer).__name__}, expected (value, d_dx, d_du)")
        value = shaped(answer[0], (n,), derived)
        return value, shaped(answer[1], (n, n), derived), shaped(answer[2], (n, m), derived)

    return call, getattr(dynamics, "hint", None), n, m


def shaped(value: Any, shape: tuple[int, ...], what: str) -> FloatArray:
    """An array of numbers of this shape. Raises ValueError for another shape, TypeError for what are no numbers."""
    if is_masked(value):
        raise TypeError(f"{what} returned a masked array: what is masked is no number; fill it")
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} returned an array of {array.dtype}, expected real numbers")
    if array.shape != shape:
        raise ValueError(f"{what} returned an array of shape {array.shape}, expected {shape}")
    return array.astype(np.float64, copy=False)
