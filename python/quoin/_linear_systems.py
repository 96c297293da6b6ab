# SPDX-License-Identifier: BSD-3-Clause
"""Linear systems, and their fit to a recording."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, Literal, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core

FloatArray = npt.NDArray[np.float64]
Hold = Literal["zero_order", "first_order"]
HOLDS = ("zero_order", "first_order")


@dataclasses.dataclass(frozen=True)
class LinearSystem:
    """A linear time-invariant system: continuous, ``dx/dt = A x + B u``, or discrete, ``x' = A x + B u``;
    ``y = C x + D u``.

    Attributes
    ----------
    A : (n, n) array
    B : (n, m) array
    C : (p, n) array
    D : (p, m) array
        By default 0.
    time_step : float
        s; 0: continuous.
    """

    A: FloatArray
    B: FloatArray
    C: FloatArray
    D: Optional[FloatArray] = None
    time_step: float = 0

    def __post_init__(self) -> None:
        n, m, p = np.shape(self.A)[:1], np.shape(self.B)[1:2], np.shape(self.C)[:1]
        if self.D is None and m and p:
            object.__setattr__(self, "D", np.zeros(p + m))
        for name, shape in (("A", n + n), ("B", n + m), ("C", p + n), ("D", p + m)):
            array = np.asarray(getattr(self, name), dtype=np.float64)
            if array.ndim != 2 or array.shape != shape:
                raise ValueError(f"{name}: shape {array.shape}, expected {shape}")
            object.__setattr__(self, name, array)

    @property
    def poles(self) -> npt.NDArray[np.complex128]:
        """(n,) eigenvalues of A. Stable: negative real parts if continuous, magnitudes below one if discrete."""
        values: npt.NDArray[np.complex128] = np.linalg.eigvals(self.A).astype(np.complex128)
        return values

    def discretized(self, time_step: float, hold: Hold = "zero_order") -> LinearSystem:
        """Samples of a continuous system, exact for inputs that are held, or straight between samples.

        With "first_order" the discrete state is ``x - G u``, G = `held_state_shift`.
        """
        if hold not in HOLDS:
            raise ValueError(f"hold = {hold!r}, expected one of {HOLDS}")
        return LinearSystem(*_core.discretized(self._fields, float(time_step), hold == "first_order"))

    def held_state_shift(self, time_step: float) -> FloatArray:
        """G (n, m), the response to a ramp."""
        return _core.held_state_shift(self._fields, float(time_step))

    def continuous(self) -> Optional[LinearSystem]:
        """The continuous system that this discrete one samples with a zero-order hold, the slowest of several; None if
        a pole is negative or zero."""
        fields = _core.continuous_of(self._fields)
        return None if fields is None else LinearSystem(*fields)

    def simulate(self, inputs: npt.ArrayLike, *, start: Optional[npt.ArrayLike] = None) -> FloatArray:
        """The outputs (T, p) of a discrete system for inputs (T, m) from a state (n,), by default 0. Of one input and
        one output: also (T,) for (T,)."""
        array = np.asarray(inputs, dtype=np.float64)
        if array.ndim != 1:
            return _core.simulate(self._fields, array, start)
        outputs = _core.simulate(self._fields, array[:, np.newaxis], start)
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    @property
    def _fields(self) -> tuple[Any, ...]:
        return self.A, self.B, self.C, self.D, float(self.time_step)


class LeastSquaresStop(enum.IntEnum):
    """Why least squares ended."""

    converged = 0
    iteration_limit = 1
    stalled = 2  #: no step lowers the cost, even at the greatest damping
    initial_failed = 3
    derivatives_failed = 4
    stopped_by_observer = 5


@dataclasses.dataclass(frozen=True)
class LinearSystemFit:
    """The system found, and how well it follows the recording.

    Attributes
    ----------
    system : LinearSystem
        Discrete, in observer form: C = (1, 0, ...).
    initial_state : (n,) array
        Of the recording.
    fit : float
        `fit_percentage` on the recording itself.
    arx : LinearSystem
        The start of the fit: the equation error's least squares.
    arx_fit : float
    stop : LeastSquaresStop
    iterations : int
    """

    system: LinearSystem
    initial_state: FloatArray
    fit: float
    arx: LinearSystem
    arx_fit: float
    stop: LeastSquaresStop
    iterations: int

    @property
    def converged(self) -> bool:
        """True if the output error's least squares met its tolerances."""
        return self.stop is LeastSquaresStop.converged


def fit_linear_system(
    inputs: npt.ArrayLike,
    outputs: npt.ArrayLike,
    time_step: float,
    *,
    order: Optional[int] = None,
    direct: Optional[bool] = None,
    estimate_initial_state: Optional[bool] = None,
    max_iterations: Optional[int] = None,
) -> LinearSystemFit:
    """A linear system of one input and one output from a recording: least squares of its output error, from ARX.

    Parameters
    ----------
    inputs, outputs : (T,) array_like
        Deviations from an operating point, at equal steps of time.
    time_step : float
        s.
    order : int, optional
        n; by default 2.
    direct : bool, optional
        Whether an output depends on the input of the same sample; by default False.
    estimate_initial_state : bool, optional
        By default True; False: the recording begins at rest.
    max_iterations : int, optional
        By default 200.

    Raises
    ------
    ValueError
        Shapes differ, fewer than 4 n + 4 samples, numbers that are not finite, outputs that are all 0, order < 1.
    """
    options = {
        "order": order,
        "direct": direct,
        "estimate_initial_state": estimate_initial_state,
        "max_iterations": max_iterations,
    }
    fields = _core.fit_linear_system(_rows(inputs), _rows(outputs), float(time_step), options)
    fields["system"], fields["arx"] = LinearSystem(*fields["system"]), LinearSystem(*fields["arx"])
    fields["stop"] = LeastSquaresStop(fields["stop"])
    return LinearSystemFit(**fields)


def fit_percentage(measured: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """``100 (1 - |y - yhat| / |y - mean of y|)`` of (T,) or (T, p): 100 is exact, 0 no better than the mean. Minus
    infinity if y does not change."""
    return _core.fit_percentage(_rows(measured), _rows(predicted))


def _rows(samples: npt.ArrayLike) -> FloatArray:
    array = np.asarray(samples, dtype=np.float64)
    return array[:, np.newaxis] if array.ndim == 1 else array
