# SPDX-License-Identifier: BSD-3-Clause
"""A swimmer of rigid links in an ideal fluid (Jia, Pan, Manocha 2019): the water on a grid, the motion over it.

>>> import quoin
>>> from quoin import swimmer
>>> fish = swimmer.ellipsoid_chain(mesh=2)
>>> water = quoin.AdaptiveGrid(swimmer.AddedMass(fish), spacing=[0.3] * 3)
>>> swim = swimmer.SwimmerDynamics(swimmer.GeneralizedMass(fish, water), time_step=0.02)
>>> x = swim.step(swim.rest_state([-0.3, 0.3, 0.3]), [0.1, 0, 0])
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._parts import need
from quoin.dynamics import Dynamics
from quoin.swimmer._bodies import (
    Hinge,
    Link,
    LinkInertia,
    SolidMoments,
    SurfaceMesh,
    Swimmer,
    ellipsoid_chain,
    geodesic_ellipsoid,
    motion_number,
    read_surface,
)
from quoin.swimmer._water import (
    AddedMass,
    DecoupledAddedMass,
    ExtrapolatedAddedMass,
    FlowSolution,
    GeneralizedMass,
    PotentialFlow,
    SwimmerFlow,
    unpack_symmetric,
)

need("swimmer", "swimmer", "io")

__all__ = [
    "AddedMass",
    "DecoupledAddedMass",
    "ExtrapolatedAddedMass",
    "FlowSolution",
    "GeneralizedMass",
    "Hinge",
    "Link",
    "LinkInertia",
    "PotentialFlow",
    "SolidMoments",
    "StateLayout",
    "SurfaceMesh",
    "Swimmer",
    "SwimmerDynamics",
    "SwimmerFlow",
    "ellipsoid_chain",
    "geodesic_ellipsoid",
    "read_surface",
    "unpack_symmetric",
]

FloatArray = npt.NDArray[np.float64]
Integrator = Literal["rk4", "midpoint", "second_difference"]

_INTEGRATORS = ("rk4", "midpoint", "second_difference")


class StateLayout(NamedTuple):
    """Where in a state what stands.

    Attributes
    ----------
    angles, rates : slice
        q and dq/dt.
    pose : slice
        Of the base: (theta, x, y) in planar motion, else position and quaternion (x, y, z, w).
    position : slice
        x, y (, z) within it.
    twist : slice
        The base's body twist, with free momentum; else empty.
    """

    angles: slice
    rates: slice
    pose: slice
    position: slice
    twist: slice


class SwimmerDynamics(Dynamics):
    """The motion of a swimmer under joint torques, over any map of its mass, exact or from a grid.

    State: [q; dq/dt; pose of the base], and with free momentum the base's body twist (`layout`). Controls: the torques
    of the hinges over `torque_scale`. There is neither gravity nor buoyancy. Steps fail where the map has no answer,
    and where M is not positive definite. Derivatives are those of the scheme; over a map without second derivatives,
    such as boundary elements, they are differenced, with 2 hinges further queries a stage.

    Parameters
    ----------
    mass : GeneralizedMass
        Of 2 or 3 hinges: steps are compiled for these.
    time_step : float
        s.
    substeps : int
        Steps of the scheme in each step, under the same torques.
    integrator : {"rk4", "midpoint", "second_difference"}
        The last is Eq. 4 of the paper, for comparison.
    free_momentum : bool
        The momentum may be other than 0: the base's twist is part of the state.
    torque_scale : float
        The torque of a control of 1, N m.
    exact_derivatives : bool
        Else the second derivatives of the mass are dropped.
    difference_step : float
        Of second derivatives where the map has none, rad.
    singular_tolerance : float
        Of a pivot of M, relative to its diagonal entry.

    Raises
    ------
    ValueError
        An option is out of range.
    """

    def __init__(
        self,
        mass: GeneralizedMass,
        *,
        time_step: float = 0.02,
        substeps: int = 1,
        integrator: Integrator = "rk4",
        free_momentum: bool = False,
        torque_scale: float = 1,
        exact_derivatives: bool = True,
        difference_step: float = 2e-4,
        singular_tolerance: float = 1e-10,
    ) -> None:
        if integrator not in _INTEGRATORS:
            raise ValueError(f"integrator = {integrator!r}, expected one of {_INTEGRATORS}")
        options = {
            "time_step": float(time_step),
            "substeps": int(substeps),
            "integrator": _INTEGRATORS.index(integrator),
            "free_momentum": bool(free_momentum),
            "torque_scale": float(torque_scale),
            "exact_derivatives": bool(exact_derivatives),
            "difference_step": float(difference_step),
            "singular_tolerance": float(singular_tolerance),
        }
        self._mass = mass
        self._swim = _core.SwimmerDynamics(mass, motion_number(mass.motion), options)
        self._free = free_momentum
        super().__init__(self._swim.dynamics())

    @property
    def mass(self) -> GeneralizedMass:
        """M."""
        return self._mass

    @property
    def layout(self) -> StateLayout:
        """Where in a state what stands."""
        n, planar = self.control_size, self._mass.motion == "planar"
        pose = slice(2 * n, 2 * n + (3 if planar else 7))
        position = slice(pose.start + 1, pose.stop) if planar else slice(pose.start, pose.start + 3)
        return StateLayout(slice(0, n), slice(n, 2 * n), pose, position, slice(pose.stop, self.state_size))

    def state(
        self,
        q: npt.ArrayLike,
        rates: npt.ArrayLike,
        base: Optional[npt.ArrayLike] = None,
        twist: Optional[npt.ArrayLike] = None,
    ) -> FloatArray:
        """The state at these angles and rates.

        Parameters
        ----------
        q, rates : (hinges,) array_like
            rad and rad/s.
        base : (4, 4) array_like, optional
            The pose of the base; by default the identity.
        twist : (3,) or (6,) array_like, optional
            Of the base, with free momentum; by default that of zero momentum, which asks the map.
        """
        return self._swim.state(q, rates, base, twist)

    def rest_state(self, q: npt.ArrayLike, base: Optional[npt.ArrayLike] = None) -> FloatArray:
        """The state at these angles (hinges,), at rest."""
        still = np.zeros(3 if self._mass.motion == "planar" else 6) if self._free else None
        return self._swim.state(q, np.zeros(self.control_size), base, still)

    def base_pose(self, x: npt.ArrayLike) -> FloatArray:
        """The pose (4, 4) of the base in the world."""
        return self._swim.base_pose(x)

    def poses(self, x: npt.ArrayLike) -> FloatArray:
        """The poses (links, 4, 4) of all links in the world."""
        state = np.asarray(x, dtype=np.float64)
        return self._mass.swimmer.poses(state[self.layout.angles], self.base_pose(state))

    def centre_of_mass(self, x: npt.ArrayLike) -> FloatArray:
        """Of all links together (3,), in the world."""
        state = np.asarray(x, dtype=np.float64)
        pose = self.base_pose(state)
        place: FloatArray = pose[:3, :3] @ self._mass.swimmer.centre_of_mass(state[self.layout.angles]) + pose[:3, 3]
        return place

    def twist_at_zero_momentum(self, q: npt.ArrayLike, rates: npt.ArrayLike) -> FloatArray:
        """The base's body twist (3,) or (6,) for these rates (hinges,) without momentum. Asks the map.

        A stroke q(t) moves the base by it.
        """
        return self._swim.twist_at_zero_momentum(q, rates)

    def velocity(self, x: npt.ArrayLike) -> FloatArray:
        """[base twist; dq/dt]."""
        return self._swim.velocity(x)

    def kinetic_energy(self, x: npt.ArrayLike) -> float:
        """Of links and water, J. Asks the map."""
        return self._swim.kinetic_energy(x)

    def momentum(self, x: npt.ArrayLike) -> FloatArray:
        """Of links and water, in the world (6,): angular, about its origin, and linear. Asks the map."""
        return self._swim.momentum(x)

    def mass_matrix(self, q: npt.ArrayLike) -> FloatArray:
        """M (3 or 6 + hinges, the same). Asks the map."""
        return self._swim.mass_matrix(q)
