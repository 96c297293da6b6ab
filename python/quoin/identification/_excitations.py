# SPDX-License-Identifier: BSD-3-Clause
"""Motions that excite a robot or a drive, and motions from logs."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable

FloatArray = npt.NDArray[np.float64]


@readable
@dataclasses.dataclass(frozen=True)
class RobotMotion:
    """A motion of a robot of n joints with its forces: a row for every instant. ``motion[10:20]`` are some instants.

    Attributes
    ----------
    q, qd, qdd : (T, n) array
        rad or m, and their rates.
    tau : (T, n) array
        N m or N, as measured.
    """

    q: FloatArray
    qd: FloatArray
    qdd: FloatArray
    tau: FloatArray

    def __post_init__(self) -> None:
        for name in ("q", "qd", "qdd", "tau"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        shapes = [array.shape for array in self._fields]
        if len(shapes[0]) != 2 or any(shape != shapes[0] for shape in shapes):
            raise ValueError(f"q, qd, qdd, tau: shapes {shapes}, expected (T, n) alike")

    @property
    def joints(self) -> int:
        """n."""
        return int(self.q.shape[1])

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, instants: Union[slice, Sequence[int], npt.NDArray[Any]]) -> RobotMotion:
        return RobotMotion(*(array[instants] for array in self._fields))

    @property
    def _fields(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        return self.q, self.qd, self.qdd, self.tau


def smoothed_motion(q: npt.ArrayLike, tau: npt.ArrayLike, time_step: float, half_window: int) -> RobotMotion:
    """A motion from a robot's log: q, qd, qdd of the cubic that best fits the 2 half_window + 1 positions around each
    instant, and the forces through the same filter (Savitzky, Golay 1964).

    Parameters
    ----------
    q, tau : (T, n) array_like
        Positions and forces at equal steps of time.
    time_step : float
        s.
    half_window : int
        At least 2. Instants nearer to an end are left out: row k is instant k + half_window of the log.

    Raises
    ------
    ValueError
        Shapes differ, the log is shorter than the window, or a number is not finite.
    """
    return RobotMotion(*_core.smoothed_motion(q, tau, float(time_step), int(half_window)))


def normalized_errors(predicted: npt.ArrayLike, measured: npt.ArrayLike) -> FloatArray:
    """(n,) mean squared errors of predicted (T, n) over variances of measured (T, n): NMSE (Sutanto et al. 2020)."""
    return _core.normalized_errors(predicted, measured)


class JointReference(NamedTuple):
    """The desired motion of the joints at one time, (n,) each, or at M times, (M, n).

    Attributes
    ----------
    q, qd, qdd : array
    """

    q: FloatArray
    qd: FloatArray
    qdd: FloatArray


class SineExcitation:
    """Every joint swings by itself, ``q_i(t) = amplitude_i sin(2 pi t / period_i)`` (Sutanto et al. 2020).

    Parameters
    ----------
    amplitudes : (n,) array_like
        rad or m.
    periods : (n,) array_like
        s; without a common multiple they take the joints through ever new combinations.

    Raises
    ------
    ValueError
        Sizes differ, or a period is not positive.
    """

    def __init__(self, amplitudes: npt.ArrayLike, periods: npt.ArrayLike) -> None:
        self.amplitudes = np.array(amplitudes, dtype=np.float64)
        self.periods = np.array(periods, dtype=np.float64)
        self.at(0.0)

    def at(self, time: npt.ArrayLike) -> JointReference:
        """The reference at a time, or at times (M,)."""
        at = np.asarray(time, dtype=np.float64)
        arrays = _core.sines(self.amplitudes, self.periods, np.atleast_1d(at))
        return JointReference(*(arrays if at.ndim else (array[0] for array in arrays)))


class BretschneiderWave:
    """A random reference that excites a drive around a frequency, as the sea does a ship (Marchese, Tedrake, Rus 2015,
    Eqs. 18 and 19): ``u(t) = sum_w a_w sin(omega_w t + phi_w)``. The same numbers on every machine.

    Parameters
    ----------
    waves : int
    peak_frequency : float
        rad/s.
    significant_height : float
        Four deviations of the wave: it exceeds half of this about 4.6 % of the time.
    lowest, highest : float
        The band, as multiples of the peak frequency.
    seed : int
        Of frequencies and phases.

    Raises
    ------
    ValueError
        waves < 1, or numbers or a band that are not positive.
    """

    def __init__(
        self,
        *,
        waves: int = 50,
        peak_frequency: float = 2 * math.pi,
        significant_height: float = 2,
        lowest: float = 0.4,
        highest: float = 4,
        seed: int = 1,
    ) -> None:
        self._compiled = _core.BretschneiderWave(waves, peak_frequency, significant_height, lowest, highest, seed)

    def at(self, time: npt.ArrayLike) -> Any:
        """u at a time in s, or at times (M,), in units of `significant_height`."""
        return _along(self._compiled.at, time)

    def rate(self, time: npt.ArrayLike) -> Any:
        """du/dt at a time, or at times (M,)."""
        return _along(self._compiled.rate, time)

    @property
    def variance(self) -> float:
        """Over all time: ``sum a_w^2 / 2``."""
        return self._compiled.variance()

    @property
    def amplitudes(self) -> FloatArray:
        """a_w (W,), in the order of the frequencies."""
        return self._compiled.amplitudes()

    @property
    def frequencies(self) -> FloatArray:
        """omega_w (W,), rad/s, ascending."""
        return self._compiled.frequencies()

    @property
    def phases(self) -> FloatArray:
        """phi_w (W,), rad."""
        return self._compiled.phases()


def bretschneider_spectrum(frequency: npt.ArrayLike, peak_frequency: float, significant_height: float) -> Any:
    """S+ of Eq. 19 at a frequency in rad/s, or at frequencies (M,); 0 where they are not positive."""
    return _along(lambda at: _core.bretschneider_spectrum(at, peak_frequency, significant_height), frequency)


def _along(f: Any, time: npt.ArrayLike) -> Any:
    at = np.asarray(time, dtype=np.float64)
    values = f(np.atleast_1d(at))
    return values if at.ndim else float(values[0])
