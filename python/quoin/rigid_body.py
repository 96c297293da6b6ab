# SPDX-License-Identifier: BSD-3-Clause
"""Trees of rigid bodies: robots from URDF or from links, their dynamics with derivatives, and points on them.

>>> from quoin import rigid_body
>>> arm = rigid_body.read_urdf("iiwa7.urdf")                   # doctest: +SKIP
>>> tau = rigid_body.TreeDynamics(arm).gravity([0.0] * 7)      # doctest: +SKIP
"""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any, Literal, NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._parts import need
from quoin.dynamics import ContinuousDynamics, StepFailure, StepStatus
from quoin.maps import Map

need("rigid_body", "rigid_body")

FloatArray = npt.NDArray[np.float64]
JointType = Literal["revolute", "prismatic", "fixed"]
Friction = Literal["none", "viscous", "viscous_and_coulomb"]

_TYPES = ("revolute", "prismatic", "fixed")
_FRICTIONS = ("none", "viscous", "viscous_and_coulomb")


def _zeros(*shape: int) -> Any:
    return dataclasses.field(default_factory=lambda: np.zeros(shape))


@dataclasses.dataclass(frozen=True)
class Link:
    """A rigid body on its joint, as in URDF: a positive q turns it about `axis`, or moves it along.

    Attributes
    ----------
    name : str
    parent : str
        A link earlier in the list; "": the world.
    joint : str
        The joint's name.
    type : {"revolute", "prismatic", "fixed"}
    axis : (3,) array_like
        Of unit length, in the link's frame.
    placement : (4, 4) array_like
        Maps coordinates of the link's frame to the parent's, at q = 0.
    mass : float
        kg.
    centre : (3,) array_like
        The centre of mass in the link's frame, m.
    about_centre : (3, 3) array_like
        The inertia about the centre of mass, in the link's axes, kg m^2.
    lower, upper, velocity, effort : float
        Limits of q, of its rate and of the force; the dynamics do not enforce them.
    damping, friction : float
        Viscous (N m s/rad or N s/m) and Coulomb (N m or N).
    """

    name: str
    parent: str = ""
    joint: str = ""
    type: JointType = "fixed"
    axis: npt.ArrayLike = (0.0, 0.0, 1.0)
    placement: npt.ArrayLike = dataclasses.field(default_factory=lambda: np.eye(4))
    mass: float = 0
    centre: npt.ArrayLike = _zeros(3)
    about_centre: npt.ArrayLike = _zeros(3, 3)
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    damping: float = 0
    friction: float = 0

    def _compiled(self) -> dict[str, Any]:
        if self.type not in _TYPES:
            raise ValueError(f"type = {self.type!r}, expected one of {_TYPES}")
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields["type"] = _TYPES.index(self.type)
        return fields


class Joint(NamedTuple):
    """A moving joint of a tree, with its limits.

    Attributes
    ----------
    name, link : str
        Of the joint, and of the link that it moves.
    prismatic : bool
    axis : (3,) array
    lower, upper, velocity, effort : float
    damping, friction : float
    """

    name: str
    link: str
    prismatic: bool
    axis: FloatArray
    lower: float
    upper: float
    velocity: float
    effort: float
    damping: float
    friction: float


class RigidBodyTree:
    """Rigid links on revolute, prismatic and fixed joints, with their roots in the world.

    Joint coordinates q (n,) are in the order of the moving joints. Units are SI.

    Parameters
    ----------
    links : sequence of Link
        Parents first.

    Raises
    ------
    ValueError
        The links do not form a tree, or a number is impossible; the message names the link.
    """

    def __init__(self, links: Union[Sequence[Link], _core.RigidBodyTree]) -> None:
        if isinstance(links, _core.RigidBodyTree):
            self._compiled = links
        else:
            self._compiled = _core.RigidBodyTree([link._compiled() for link in links])
        self._joints = [Joint(*fields) for fields in self._compiled.joints()]

    @property
    def joints(self) -> list[Joint]:
        """The moving joints."""
        return list(self._joints)

    @property
    def size(self) -> int:
        """n, the number of moving joints."""
        return len(self._joints)

    @property
    def parameters(self) -> FloatArray:
        """(n, 13), for each moving link: mass, mass times centre (3), inertia about its origin (3 x 3, by rows)."""
        return self._compiled.parameters()

    def with_parameters(self, parameters: npt.ArrayLike) -> RigidBodyTree:
        """The same tree with other masses, such as learned ones (n, 13)."""
        return RigidBodyTree(self._compiled.with_parameters(parameters))

    @property
    def fingerprint(self) -> str:
        """Of all that the dynamics depend on: no names and no limits."""
        return self._compiled.fingerprint()


def read_urdf(path: Union[str, "os.PathLike[str]"]) -> RigidBodyTree:
    """A robot from a URDF file. The root is fixed in the world.

    Raises
    ------
    RuntimeError
        The file is refused, with line and reason; or quoin was built without urdfdom.
    """
    return RigidBodyTree(_core.read_urdf(os.fspath(path)))


class TreeDynamics(ContinuousDynamics):
    """M(q) qdd + C(q, qd) qd + g(q) + friction = tau.

    As `ContinuousDynamics` its state is (q, qd) and its control tau, for `RungeKutta` and planners. q, qd, qdd, tau are
    arrays (n,).

    Parameters
    ----------
    tree : RigidBodyTree
    gravity : (3,) array_like
        m / s^2, in the world.
    friction : {"none", "viscous", "viscous_and_coulomb"}
        Whether the joint forces also overcome the friction of the joints.
    friction_velocity : float
        If positive, Coulomb friction is ``friction * tanh(qd / friction_velocity)`` instead of a jump.
    """

    def __init__(
        self,
        tree: RigidBodyTree,
        *,
        gravity: npt.ArrayLike = (0.0, 0.0, -9.81),
        friction: Friction = "none",
        friction_velocity: float = 0,
    ) -> None:
        if friction not in _FRICTIONS:
            raise ValueError(f"friction = {friction!r}, expected one of {_FRICTIONS}")
        self._options = {
            "gravity": gravity,
            "friction": _FRICTIONS.index(friction),
            "friction_velocity": float(friction_velocity),
        }
        self._tree = tree
        self._bodies = _core.TreeDynamics(tree._compiled, self._options)
        super().__init__(self._bodies.rates())

    @property
    def tree(self) -> RigidBodyTree:
        """The tree."""
        return self._tree

    def inverse_dynamics(self, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> FloatArray:
        """tau (n,) that causes qdd."""
        return self._bodies.inverse_dynamics(q, qd, qdd)

    def inverse_dynamics_derivatives(
        self, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """tau (n,), and its derivatives (n, n) by q, by qd, and by qdd: the mass matrix."""
        return self._bodies.inverse_dynamics_derivatives(q, qd, qdd)

    def forward_dynamics(self, q: npt.ArrayLike, qd: npt.ArrayLike, tau: npt.ArrayLike) -> FloatArray:
        """qdd (n,) under the forces tau.

        Raises
        ------
        StepFailure
            A joint moves no mass, or less than 5e-10 of what it carries: rounding would determine its acceleration.
        """
        qdd = self._bodies.forward_dynamics(q, qd, tau)
        if qdd is None:
            raise StepFailure("forward_dynamics: a joint moves no mass beside what it carries", StepStatus.singular)
        return qdd

    def regressor(self, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> FloatArray:
        """Y (n, 13 n): ``tau = Y @ tree.parameters.ravel()``, friction apart."""
        return self._bodies.regressor(q, qd, qdd)

    def mass_matrix(self, q: npt.ArrayLike) -> FloatArray:
        """M (n, n)."""
        return self._bodies.mass_matrix(q)

    def gravity(self, q: npt.ArrayLike) -> FloatArray:
        """g (n,): the forces that hold the tree at rest."""
        return self._bodies.gravity(q)

    def coriolis_matrix(self, q: npt.ArrayLike, qd: npt.ArrayLike) -> FloatArray:
        """C (n, n), from Christoffel symbols."""
        return self._bodies.coriolis_matrix(q, qd)

    def pose(self, q: npt.ArrayLike, link: str) -> FloatArray:
        """The pose (4, 4) of a link's frame in the world."""
        return self._bodies.pose(q, link)

    def energy(self, q: npt.ArrayLike, qd: npt.ArrayLike) -> tuple[float, float]:
        """Kinetic and potential energy, J."""
        return self._bodies.energy(q, qd)


class TreePoints:
    """Points fixed to links of a tree.

    Parameters
    ----------
    tree : RigidBodyTree
    links : sequence of str
        K names, of fixed links too.
    places : (K, 3) array_like, optional
        In the links' frames, m; by default their origins.
    """

    def __init__(
        self, tree: RigidBodyTree, links: Sequence[str], places: Union[npt.ArrayLike, None] = None
    ) -> None:
        names = list(links)
        at = np.zeros((len(names), 3)) if places is None else places
        self._size = tree.size
        self._compiled = _core.TreePoints(tree._compiled, names, at)
        self._map = Map(self._compiled.map(tree.size))

    @property
    def map(self) -> Map:
        """From q (n,) to the places one after the other (3 K,): for `planning.MapCost`, grids and `quoin.topology`."""
        return self._map

    def __call__(self, q: npt.ArrayLike) -> FloatArray:
        """The places (K, 3) in the world at q (n,), m."""
        return self._compiled.evaluate(q, self._size)[0]

    def value_and_jacobian(self, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The places (K, 3), and their derivatives (K, 3, n) by q."""
        places, J = self._compiled.evaluate(q, self._size)
        return places, J.reshape(len(places), 3, self._size)
