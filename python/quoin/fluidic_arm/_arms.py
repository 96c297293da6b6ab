# SPDX-License-Identifier: BSD-3-Clause
"""The arm of segments of constant curvature: what it is, its kinematics and its dynamics."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin.dynamics import ContinuousDynamics
from quoin.maps import Map

FloatArray = npt.NDArray[np.float64]
MassModel = Literal["distributed", "mid_arc", "chord_point"]

_MASS_MODELS = ("distributed", "mid_arc", "chord_point")


class Segment(NamedTuple):
    """A piece of soft arm that bends with constant curvature, after a straight piece that does not bend.

    Attributes
    ----------
    length, dead_length : float
        Of the piece that bends, and of the straight one before it, m.
    mass : float
        Of both together, kg.
    stiffness, damping : float
        Against the bend angle, N m, and against its rate, N m s.
    friction : float
        Coulomb friction, N m, smoothed: ``friction * tanh(rate / 0.05)``.
    """

    length: float
    dead_length: float = 0
    mass: float = 0
    stiffness: float = 0
    damping: float = 0
    friction: float = 0


@dataclasses.dataclass(frozen=True)
class ArmDescription:
    """An arm in a vertical plane, whose direction the rotation of its base sets.

    Attributes
    ----------
    segments : sequence of Segment
        From base to tip.
    mass_model : {"distributed", "mid_arc", "chord_point"}
        Mass evenly along each segment; in the middle of its arc (Eq. 13), which makes the mass matrix of a hanging arm
        practically singular; in the middle of its chord (Eq. 31).
    gravity : float
        m / s^2, downwards.
    base_angle : float
        Of the first tangent, from straight down towards +x, rad; pi / 2 is a horizontal clamp.
    base_rotation : float
        gamma: of the plane about the vertical, rad.
    passive_segments : int
        The first segments, which have no actuators.
    """

    segments: Sequence[Segment]
    mass_model: MassModel = "distributed"
    gravity: float = 9.81
    base_angle: float = 0
    base_rotation: float = 0
    passive_segments: int = 1

    def with_stiffness_along_length(self, first_stiffness: float) -> ArmDescription:
        """The same arm with stiffnesses that grow with the length: k_i = first_stiffness L_i / L_1."""
        first = self.segments[0].length
        return self._stiff([first_stiffness * segment.length / first for segment in self.segments])

    def with_stiffness_of_beam(self, bending_stiffness: float) -> ArmDescription:
        """The same arm with those of a beam of bending stiffness EI, N m^2: k_i = EI / L_i."""
        return self._stiff([bending_stiffness / segment.length for segment in self.segments])

    def _stiff(self, stiffnesses: list[float]) -> ArmDescription:
        segments = [segment._replace(stiffness=k) for segment, k in zip(self.segments, stiffnesses)]
        return dataclasses.replace(self, segments=segments)

    def _compiled(self) -> dict[str, Any]:
        if self.mass_model not in _MASS_MODELS:
            raise ValueError(f"mass_model = {self.mass_model!r}, expected one of {_MASS_MODELS}")
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields["mass_model"] = _MASS_MODELS.index(self.mass_model)
        fields["segments"] = [[float(number) for number in Segment(*segment)] for segment in self.segments]
        return fields


class FluidicArm(ContinuousDynamics):
    """M(q) a + C(q, v) v + G(q) + k q + b v + friction = B u (Marchese, Tedrake, Rus 2015, Eqs. 13-17).

    As `ContinuousDynamics` its state is (q, v) and its control u, for `RungeKutta` and planners. q, v, a are arrays
    (N,): bend angles, rad, and their rates. u (m,) are torques, N m, of the segments after the passive ones. Points are
    (x, z), m: z up, the base at the origin. At q = 0 the arm hangs, unless base_angle says otherwise; a positive angle
    bends towards +x.

    Parameters
    ----------
    description : ArmDescription

    Raises
    ------
    ValueError
        A length is not positive, or another number is impossible.
    """

    def __init__(self, description: ArmDescription) -> None:
        self._description = description
        self._arm = _core.FluidicArm(description._compiled())
        super().__init__(self._arm.rates())

    @property
    def description(self) -> ArmDescription:
        """As it was given."""
        return self._description

    @property
    def size(self) -> int:
        """N, the number of segments."""
        return len(self._description.segments)

    @property
    def length(self) -> float:
        """Of the whole arm, m."""
        return self._arm.length()

    @property
    def actuation(self) -> FloatArray:
        """B (N, m): zeros over an identity."""
        return self._arm.actuation()

    def point(self, q: npt.ArrayLike, segment: Optional[int] = None, fraction: float = 1) -> FloatArray:
        """The point (2,) at a fraction of the bending piece of a segment, counted from 0; by default the tip."""
        return self._arm.point(q, self._segment(segment), fraction)[0]

    def point_and_jacobian(
        self, q: npt.ArrayLike, segment: Optional[int] = None, fraction: float = 1
    ) -> tuple[FloatArray, FloatArray]:
        """The same, and its derivative (2, N) by q."""
        return self._arm.point(q, self._segment(segment), fraction)

    def point_map(self, segment: Optional[int] = None, fraction: float = 1) -> Map:
        """The same as a map from q (N,) to (x, z), such as for `planning.MapCost`."""
        return Map(_core.points_of_arm(self._arm, self._segment(segment), float(fraction)))

    def point_velocity(
        self, q: npt.ArrayLike, v: npt.ArrayLike, segment: Optional[int] = None, fraction: float = 1
    ) -> tuple[FloatArray, FloatArray]:
        """The velocity (2,) of that point, and its derivative (2, N) by q; that by v is the point's own."""
        return self._arm.point_velocity(q, v, self._segment(segment), fraction)

    def ends(self, q: npt.ArrayLike) -> FloatArray:
        """The ends (N, 2) of all segments."""
        return self._arm.end_points(q)[0]

    def ends_and_jacobian(self, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The same, and their derivatives (N, 2, N) by q."""
        ends, J = self._arm.end_points(q)
        return ends, J.reshape(self.size, 2, self.size)

    def ends_map(self) -> Map:
        """The same as a map from q (N,) to the ends one after the other (2 N,)."""
        return Map(_core.points_of_arm(self._arm, -1, 1.0))

    def shape(self, q: npt.ArrayLike, points_per_segment: int = 8) -> FloatArray:
        """The neutral axis from base to tip as a polyline (P, 2); dead lengths are edges of it."""
        return self._arm.shape(q, points_per_segment)

    def mass_points(self, q: npt.ArrayLike) -> FloatArray:
        """The places (P, 2) of the points of mass."""
        return self._arm.mass_points(q)

    def in_space(self, points: npt.ArrayLike) -> FloatArray:
        """Points (P, 2) of the plane in space (P, 3): turned about the vertical by the base's rotation."""
        return self._arm.in_space(points)

    def inverse_dynamics(self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike) -> FloatArray:
        """The forces (N,) that cause a."""
        return self._arm.inverse_dynamics(q, v, a)

    def inverse_dynamics_derivatives(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The forces (N,), and their derivatives (N, N) by q, by v, and by a: the mass matrix."""
        return self._arm.inverse_dynamics_derivatives(q, v, a)

    def mass_matrix(self, q: npt.ArrayLike) -> FloatArray:
        """M (N, N), kg m^2."""
        return self._arm.mass_matrix(q)

    def coriolis_matrix(self, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """C (N, N), from Christoffel symbols."""
        return self._arm.coriolis_matrix(q, v)

    def gravity_forces(self, q: npt.ArrayLike) -> FloatArray:
        """G (N,), N m."""
        return self._arm.gravity_forces(q)

    def static_forces(self, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """G(q) + k q (N,), and its Jacobian (N, N)."""
        return self._arm.static_forces(q)

    def energy(self, q: npt.ArrayLike, v: npt.ArrayLike) -> tuple[float, float]:
        """Kinetic energy, and potential energy of gravity and stiffness, J."""
        return self._arm.energy(q, v)

    def regressor(self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike) -> FloatArray:
        """Y (N, 3 N): forces are Y (masses, stiffnesses, dampings), friction apart."""
        return self._arm.regressor(q, v, a)

    def _segment(self, segment: Optional[int]) -> int:
        if segment is not None and not 0 <= segment < self.size:
            raise ValueError(f"segment = {segment}, expected 0 to {self.size - 1}")
        return self.size - 1 if segment is None else segment
