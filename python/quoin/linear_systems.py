# SPDX-License-Identifier: BSD-3-Clause
"""Linear systems."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import reals
from quoin._parts import need
from quoin._words import readable

FloatArray = npt.NDArray[np.float64]
Hold = Literal["zero_order", "first_order"]
HOLDS = ("zero_order", "first_order")


@readable
@dataclasses.dataclass(frozen=True)
class LinearSystem:
    """A linear time-invariant system: continuous, ``dx/dt = A x + B u``, or discrete, ``x' = A x + B u``;
    ``y = C x + D u``. What is computed of it needs the component identification.

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
            array = reals(name, getattr(self, name))
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
        return LinearSystem(*_core.discretized(self._computed, float(time_step), hold == "first_order"))

    def held_state_shift(self, time_step: float) -> FloatArray:
        """G (n, m), the response to a ramp."""
        return _core.held_state_shift(self._computed, float(time_step))

    def continuous(self) -> Optional[LinearSystem]:
        """The continuous system that this discrete one samples with a zero-order hold, the slowest of several; None if
        a pole is negative or zero."""
        fields = _core.continuous_of(self._computed)
        return None if fields is None else LinearSystem(*fields)

    def simulate(self, inputs: npt.ArrayLike, *, start: Optional[npt.ArrayLike] = None) -> FloatArray:
        """The outputs (T, p) of a discrete system for inputs (T, m) from a state (n,), by default 0. Of one input and
        one output: also (T,) for (T,)."""
        array = reals("inputs", inputs)
        if array.ndim != 1:
            return _core.simulate(self._computed, array, start)
        outputs = _core.simulate(self._computed, array[:, np.newaxis], start)
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    @property
    def _computed(self) -> tuple[Any, ...]:
        need("identification", "identification", "rigid_body")
        return self._fields

    @property
    def _fields(self) -> tuple[Any, ...]:
        return self.A, self.B, self.C, self.D, float(self.time_step)
