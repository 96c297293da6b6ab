# SPDX-License-Identifier: BSD-3-Clause
"""The equilibria of a soft arm."""

from __future__ import annotations

from typing import Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin.maps import Map
from quoin.soft_arm._arms import SoftArm

FloatArray = npt.NDArray[np.float64]


class Statics(Map):
    """f_s: from controls alpha (lines,) to the equilibrium positions and the lengths of the lines, [x; l] (N + lines,).

    An exact `Map` with its Jacobian, for grids too: ``quoin.AdaptiveGrid(statics, spacing=[0.5] * 4)``. It solves anew
    from the nearest of the equilibria that it remembers. Where there is no stable equilibrium a query raises
    RuntimeError.

    Parameters
    ----------
    arm : SoftArm
    tolerance : float
        The largest entry of the energy's gradient over the line force, at a solution.
    continuation_step, taylor_step : float
        The largest change of any alpha from one solution to the next, and where second derivatives are known.
    iterations : int
        Of Newton's method in one such step.
    remembered, remembered_jets : int
        Solutions that are kept to start from, and those with higher derivatives.
    """

    def __init__(
        self,
        arm: SoftArm,
        *,
        tolerance: float = 1e-9,
        continuation_step: float = 0.5,
        taylor_step: float = 1,
        iterations: int = 60,
        remembered: int = 512,
        remembered_jets: int = 128,
    ) -> None:
        options = {
            "tolerance": tolerance,
            "continuation_step": continuation_step,
            "taylor_step": taylor_step,
            "iterations": iterations,
            "remembered": remembered,
            "remembered_jets": remembered_jets,
        }
        compiled = arm._compiled
        self._compiled: Union[_core.Statics2, _core.Statics3]
        if isinstance(compiled, _core.SoftArm2):
            self._compiled = _core.Statics2(compiled, options)
        else:
            self._compiled = _core.Statics3(compiled, options)
        self._arm = arm
        super().__init__(self._compiled.map())

    @property
    def arm(self) -> SoftArm:
        """The arm."""
        return self._arm

    def jet(self, alpha: npt.ArrayLike, order: int) -> FloatArray:
        """All derivatives up to an order.

        Parameters
        ----------
        alpha : (lines,) array_like
        order : {1, 2, 3}

        Returns
        -------
        (N + lines, derivatives) array
            In graded lexicographic order, as `AdaptiveGrid` takes them.

        Raises
        ------
        RuntimeError
            There is no stable equilibrium.
        """
        return self._compiled.jet(alpha, order)

    @property
    def solves(self) -> int:
        """Equilibria computed so far."""
        return self._compiled.solves()

    @property
    def newton_iterations(self) -> int:
        """Factorizations so far."""
        return self._compiled.newton_iterations()

    @property
    def seconds(self) -> float:
        """Spent computing them, summed over threads."""
        return self._compiled.seconds()

    def forget(self) -> None:
        """Drops the remembered solutions."""
        self._compiled.forget()
