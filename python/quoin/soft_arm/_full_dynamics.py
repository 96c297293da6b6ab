# SPDX-License-Identifier: BSD-3-Clause
"""The dynamics of a soft arm's whole mesh."""

from __future__ import annotations

from typing import NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.dynamics import StepFailure, StepStatus
from quoin.soft_arm._arms import SoftArm

FloatArray = npt.NDArray[np.float64]


@readable
class FullMotion(NamedTuple):
    """A motion of the whole mesh.

    Attributes
    ----------
    positions : (steps + 1, N) array
        From the start on, up to the first step that failed.
    status : StepStatus
        Of the last step tried.
    """

    positions: FloatArray
    status: StepStatus


class FullDynamics:
    """Implicit Euler on every vertex, the reference for reduced dynamics.

    Parameters
    ----------
    arm : SoftArm
    time_step : float
        Seconds.
    stiffness_damping : float
        Seconds.
    mass_damping : float
        1 / s.
    tolerance : float
        The largest residual of a step over the line force.
    max_iterations : int
        Of Newton's method in a step.
    adjoint_tolerance : float
        What `sensitivity` may leave out when it replaces rows by fewer; 0: nothing.
    """

    def __init__(
        self,
        arm: SoftArm,
        *,
        time_step: float = 0.02,
        stiffness_damping: float = 0,
        mass_damping: float = 0,
        tolerance: float = 1e-9,
        max_iterations: int = 100,
        adjoint_tolerance: float = 1e-12,
    ) -> None:
        options = {
            "time_step": time_step,
            "stiffness_damping": stiffness_damping,
            "mass_damping": mass_damping,
            "tolerance": tolerance,
            "max_iterations": max_iterations,
            "adjoint_tolerance": adjoint_tolerance,
        }
        compiled = arm._compiled
        self._compiled: Union[_core.FullDynamics2, _core.FullDynamics3]
        if isinstance(compiled, _core.SoftArm2):
            self._compiled = _core.FullDynamics2(compiled, options)
        else:
            self._compiled = _core.FullDynamics3(compiled, options)

    def rollout(
        self, x: npt.ArrayLike, controls: npt.ArrayLike, *, x_before: Optional[npt.ArrayLike] = None
    ) -> FullMotion:
        """The motion from positions x (N,) under controls (K, lines); it ends at the first step that fails.

        Parameters
        ----------
        x : (N,) array_like
        controls : (K, lines) array_like
        x_before : (N,) array_like, optional
            The positions one step earlier; by default x: the arm begins at rest.
        """
        motion = self._compiled.rollout(x, x if x_before is None else x_before, controls)
        return FullMotion(motion.positions()[1:], StepStatus(motion.status()))

    def sensitivity(
        self,
        x: npt.ArrayLike,
        controls: npt.ArrayLike,
        rows: npt.ArrayLike,
        *,
        x_before: Optional[npt.ArrayLike] = None,
        threads: int = 1,
    ) -> tuple[FullMotion, FloatArray]:
        """The motion, and the exact derivatives by all controls of some rows of its positions.

        Parameters
        ----------
        x, controls, x_before : array_like
            As of `rollout`.
        rows : (m, N) array_like
        threads : int

        Returns
        -------
        motion : FullMotion
        J : (K, m, K, lines) array
            ``J[k, :, j]`` is the derivative of ``rows @ positions[k + 1]`` by control j. K is the number of steps that
            the motion has.

        Raises
        ------
        StepFailure
            A step's matrix is singular.
        """
        motion = self._compiled.rollout(x, x if x_before is None else x_before, controls)
        positions = motion.positions()[1:]
        status, jacobian = self._compiled.sensitivity(motion, rows, threads)
        if status != 0:
            raise StepFailure("sensitivity: a step's matrix is singular", StepStatus(status))
        steps, count = len(positions) - 1, len(np.asarray(rows))
        lines = np.asarray(controls).shape[1]
        return FullMotion(positions, StepStatus(motion.status())), jacobian.reshape(steps, count, steps, lines)
