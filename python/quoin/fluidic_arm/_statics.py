# SPDX-License-Identifier: BSD-3-Clause
"""The fluidic arm at rest: equilibria, braced poses, and what is seen of them."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.fluidic_arm._arms import FluidicArm
from quoin.maps import Map

FloatArray = npt.NDArray[np.float64]


@readable
class Equilibrium(NamedTuple):
    """What `find_equilibrium` found, or tried last.

    Attributes
    ----------
    q : (N,) array
    residual : float
        The largest remaining force, N m.
    iterations : int
    converged : bool
        The residual is within the tolerance, and no stiffness is negative there.
    """

    q: FloatArray
    residual: float
    iterations: int
    converged: bool


def find_equilibrium(
    arm: FluidicArm,
    torques: npt.ArrayLike,
    guess: Optional[npt.ArrayLike] = None,
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 200,
) -> Equilibrium:
    """The pose in which an arm rests under constant torques: a minimum of its energy, found downhill from a guess.

    Parameters
    ----------
    arm : FluidicArm
    torques : (m,) array_like
        N m.
    guess : (N,) array_like, optional
        By default 0. Which of several poses is found depends on it.
    tolerance : float
        Of the largest remaining force, N m.
    max_iterations : int

    Raises
    ------
    ValueError
        An option is NaN or negative, torques or guess are not finite or do not fit the arm.
    """
    start = np.zeros(arm.size) if guess is None else guess
    return Equilibrium(*_core.find_equilibrium(arm._arm, torques, start, float(tolerance), int(max_iterations)))


class EquilibriumMap(Map):
    """From torques (m,) to the bend angles (N,) at rest, with their Jacobian: a map for grids too.

    A grid is right where all torques of its domain lead to one branch of equilibria from the guess. Where none is found
    a query raises RuntimeError.

    Parameters
    ----------
    arm, guess, tolerance, max_iterations
        As of `find_equilibrium`.
    """

    def __init__(
        self,
        arm: FluidicArm,
        guess: Optional[npt.ArrayLike] = None,
        *,
        tolerance: float = 1e-10,
        max_iterations: int = 200,
    ) -> None:
        start = np.zeros(arm.size) if guess is None else guess
        super().__init__(_core.equilibrium_map(arm._arm, start, float(tolerance), int(max_iterations)))


def angles_of_ends(arm: FluidicArm, ends: npt.ArrayLike, limit: float = 3) -> FloatArray:
    """The bend angles (N,) within +-limit, rad, whose ends lie closest to the measured ones (N, 2)."""
    return _core.angles_of_ends(arm._arm, ends, float(limit))


def holding_force(
    arm: FluidicArm, q: npt.ArrayLike, torques: npt.ArrayLike, segment: int, phi: float, arm_radius: float
) -> FloatArray:
    """The contact force (Fn, Ft), N, that comes nearest to holding an arm at rest where it leans on something.

    Parameters
    ----------
    arm : FluidicArm
    q, torques : (N,) and (m,) array_like
    segment : int
        Whose end leans, from 0.
    phi : float
        Of the outward normal (cos phi, sin phi), rad.
    arm_radius : float
        The lever arm of Ft about the neutral axis, m.
    """
    return _core.holding_force(arm._arm, q, torques, segment, float(phi), float(arm_radius))


@dataclasses.dataclass(frozen=True)
class Brace:
    """How the end of a segment leans on a ball.

    Attributes
    ----------
    segment : int
        From 0.
    distance : float
        From the ball's centre to the neutral axis: the sum of both radii, m.
    arm_radius : float
        The lever arm of the friction about the neutral axis, m.
    friction : float
        ``|Ft| <= friction * Fn``.
    min_normal_force, max_normal_force : float
        Of Fn, N.
    max_tilt : float
        The sine of the angle between the arm and the ball's surface.
    max_offset : float
        Of the ball's centre from the arm's plane, m.
    """

    segment: int
    distance: float
    arm_radius: float = 0
    friction: float = 0.6
    min_normal_force: float = 0
    max_normal_force: float = 3
    max_tilt: float = 0.2
    max_offset: float = 1e-3


class StaticPose(Map):
    """Poses of an arm at rest, braced or not, as constraints c(z) with their Jacobian, for any solver (Eq. 36).

    z = (theta_1..theta_N, tau_1..tau_m, gamma) and, with a brace, (phi, Fn, Ft): a map from z to c, which shall lie
    between `constraint_lower` and `constraint_upper`, as z between `lower` and `upper`. c has the statics (N); with a
    goal, tip - goal (3); with a brace, 2 rows of contact, offset, tilt, 2 of friction; with a ball, the clearance of
    N points_per_segment points.

    Parameters
    ----------
    arm : FluidicArm
        gamma takes the place of its base_rotation.
    max_torque : float or (m,) array_like
        In either direction, N m.
    goal : (3,) array_like, optional
        Of the tip, in space, m.
    ball : (3,) array_like, optional
        The centre of a ball, in space, m.
    clearance : float
        The least distance of the neutral axis from that centre, m.
    points_per_segment : int
        Where the clearance is checked.
    brace : Brace, optional
        Against the ball.
    max_angle : float
        Of each bend, in either direction, rad.
    min_rotation, max_rotation : float
        Of gamma, rad.

    Raises
    ------
    ValueError
        The task does not fit the arm.
    """

    def __init__(
        self,
        arm: FluidicArm,
        *,
        max_torque: Union[float, npt.ArrayLike],
        goal: Optional[npt.ArrayLike] = None,
        ball: Optional[npt.ArrayLike] = None,
        clearance: float = 0,
        points_per_segment: int = 4,
        brace: Optional[Brace] = None,
        max_angle: float = 2.5,
        min_rotation: float = -1.6,
        max_rotation: float = 1.6,
    ) -> None:
        limit = np.asarray(max_torque, dtype=np.float64)
        task = {
            "goal": goal,
            "ball": ball,
            "clearance": float(clearance),
            "points_per_segment": points_per_segment,
            "brace": None if brace is None else dataclasses.asdict(brace),
            "max_torque": np.full(arm.control_size, limit) if limit.ndim == 0 else limit,
            "max_angle": float(max_angle),
            "min_rotation": float(min_rotation),
            "max_rotation": float(max_rotation),
        }
        self._pose = _core.StaticPose(arm._arm, task)
        self._angles, self._torques = arm.size, arm.control_size
        self.lower, self.upper, self.constraint_lower, self.constraint_upper = self._pose.bounds()
        super().__init__(self._pose.map())

    def violation(self, z: npt.ArrayLike) -> float:
        """The largest violation of a constraint or bound, in its own unit."""
        return self._pose.violation(z)

    def parts(self, z: npt.ArrayLike) -> PoseParts:
        """What z stands for."""
        numbers = np.asarray(z, dtype=np.float64)
        if numbers.shape != (self.dim,):
            raise ValueError(f"z: shape {numbers.shape}, expected ({self.dim},)")
        rotation = self._angles + self._torques
        contact = numbers[rotation + 1 :]
        return PoseParts(
            numbers[: self._angles],
            numbers[self._angles : rotation],
            float(numbers[rotation]),
            contact if len(contact) else None,
        )


class PoseParts(NamedTuple):
    """What the variables of a `StaticPose` stand for.

    Attributes
    ----------
    angles, torques : (N,) and (m,) array
    rotation : float
        gamma, rad.
    contact : (3,) array or None
        (phi, Fn, Ft), with a brace.
    """

    angles: FloatArray
    torques: FloatArray
    rotation: float
    contact: Optional[FloatArray]
