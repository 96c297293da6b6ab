# SPDX-License-Identifier: BSD-3-Clause
"""Inertias from the forces of a motion, by least squares."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.identification._excitations import RobotMotion
from quoin.identification._force_models import ForceModel, compiled_forces
from quoin.identification._inertias import RobotEstimate, estimate_from
from quoin.rigid_body import TreeDynamics
from quoin.stops import Stop

FloatArray = npt.NDArray[np.float64]


class Identifiability(NamedTuple):
    """The parameters that a motion identifies: some have no influence on any force, others only in combination.

    Attributes
    ----------
    rank : int
        The number of base parameters.
    singular_values : (columns,) array
        Of the columns scaled to unit length, greatest first.
    base, others : list of int
        Columns. Base parameter k is ``p[base[k]] + combination[k] @ p[others]`` (Gautier, Khalil 1990).
    combination : (rank, others) array
    """

    rank: int
    singular_values: FloatArray
    base: list[int]
    others: list[int]
    combination: FloatArray


class RegressionSolution(NamedTuple):
    """The parameters of a solution, and its residual.

    Attributes
    ----------
    columns : (columns,) array
        As of `ForceRegression.columns_of`.
    parameters : (n, 13) array
    damping : (n,) array
        0 if it was not asked for.
    residual : float
        Mean over all instants of the squared, weighted errors of all joints.
    """

    columns: FloatArray
    parameters: FloatArray
    damping: FloatArray
    residual: float


@readable
class FormFit(NamedTuple):
    """What the fit of a form found.

    Attributes
    ----------
    estimate : RobotEstimate
        In the form of the start.
    residual : float
        As of `RegressionSolution`.
    iterations : int
    stop : Stop
    """

    estimate: RobotEstimate
    residual: float
    iterations: int
    stop: Stop


class ForceRegression:
    """Batch least squares of a robot's parameters (Atkeson, An, Hollerbach 1986): the first method to try.

    Forces are linear in p: mass, mass times centre (3), I_xx, I_xy, I_xz, I_yy, I_yz, I_zz of every body, then the
    viscous damping of every joint if asked for. All instants reduce to ``|R p - c|^2 + rest``.

    Parameters
    ----------
    joints : int
        n.
    damping : bool
        Learn viscous friction too.
    weights : (n,) array_like, optional
        Of the joints' errors; by default 1. 1 / deviation of tau: normalized errors.

    Raises
    ------
    ValueError
        joints < 1, or weights that are not positive or of another size.
    """

    def __init__(self, joints: int, *, damping: bool = False, weights: Optional[npt.ArrayLike] = None) -> None:
        self._compiled = _core.ForceRegression(int(joints), bool(damping), weights)
        self._joints = int(joints)

    def add(self, model: ForceModel, motion: RobotMotion) -> None:
        """Adds a motion's instants; again for more.

        Parameters
        ----------
        model : rigid_body.TreeDynamics or object
            See `RegressedForces`.
        motion : RobotMotion

        Raises
        ------
        ValueError
            Another number of joints, numbers that are not finite, or a model with friction: it is learned as damping.
        """
        if isinstance(model, TreeDynamics) and model._options["friction"] != 0:
            raise ValueError("a model with friction, which no regressor has; take damping=True and a model without")
        if motion.joints != self._joints:
            raise ValueError(f"a motion of {motion.joints} joints, for a regression of {self._joints}")
        self._compiled.add(compiled_forces(model, motion.joints), motion._fields)

    @property
    def joints(self) -> int:
        """n."""
        return self._joints

    @property
    def columns(self) -> int:
        """10 n, and n more with damping."""
        return self._compiled.columns()

    @property
    def instants(self) -> int:
        """Of all motions added."""
        return self._compiled.instants()

    @property
    def R(self) -> FloatArray:
        """(columns, columns), upper triangular."""
        return self._compiled.R()

    @property
    def c(self) -> FloatArray:
        """(columns,)."""
        return self._compiled.c()

    @property
    def rest(self) -> float:
        """The part of the sum that no parameters reduce."""
        return self._compiled.rest()

    def columns_of(self, parameters: npt.ArrayLike, damping: Optional[npt.ArrayLike] = None) -> FloatArray:
        """p (columns,) of parameters (n, 13) and damping (n,)."""
        return self._compiled.columns_of(parameters, damping)

    def parameters_of(self, columns: npt.ArrayLike) -> FloatArray:
        """The bodies' part (n, 13) of p (columns,)."""
        return self._compiled.parameters_of(columns)

    def identifiability(self, tolerance: float = 1e-9) -> Identifiability:
        """What the motions tell; singular values below tolerance, relative to the greatest, count as zero."""
        return Identifiability(*self._compiled.identifiability(float(tolerance)))

    def solve(self, prior: npt.ArrayLike, tolerance: float = 1e-9) -> RegressionSolution:
        """The least squares nearest to the prior (columns,): what the motions do not identify stays as it was."""
        return RegressionSolution(*self._compiled.solve(prior, float(tolerance)))

    def residual(self, columns: npt.ArrayLike) -> float:
        """As of `RegressionSolution`, of any p (columns,)."""
        return self._compiled.residual(columns)

    def fit_form(self, start: RobotEstimate, iterations: int = 1000) -> FormFit:
        """The same least squares over the numbers of a form, so that the result has what the form guarantees.

        Parameters
        ----------
        start : RobotEstimate
            Of any form but the unstructured one: a tree's parameters, or those of a solution. Friction is fitted if
            both have it.
        iterations : int
            Of Levenberg-Marquardt.
        """
        estimate, residual, done, stop = self._compiled.fit_form(start._fields, int(iterations))
        return FormFit(estimate_from(estimate), residual, done, Stop(stop))
