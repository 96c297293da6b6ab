# SPDX-License-Identifier: BSD-3-Clause
"""How a robot is wound around things, and where it is among them (Zarubin et al. 2012).

>>> import numpy as np
>>> from quoin import topology
>>> pole = [[0, 0, -1], [0, 0, 1]]
>>> arm = [[0.1, -1, 0], [0.1, 1, 0]]
>>> round(float(topology.writhe_matrix(arm, pole)[0, 0]), 4)     # turns of one around the other
0.4683
"""

from __future__ import annotations

from typing import Any, Callable, Literal, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._parts import need
from quoin.functions import FunctionMap
from quoin.maps import Map

need("topology", "topology")

FloatArray = npt.NDArray[np.float64]
WritheForm = Literal["matrix", "of_robot_segments", "of_environment_segments", "scalar"]

_FORMS = ("matrix", "of_robot_segments", "of_environment_segments", "scalar")


class SegmentWrithe(NamedTuple):
    """What `segment_writhe` answers.

    Attributes
    ----------
    angle : (M,) array
        Signed solid angles, rad^2.
    derivatives : (M, 4, 3) array
        By a, b, c and d.
    """

    angle: FloatArray
    derivatives: FloatArray


def segment_writhe(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, d: npt.ArrayLike) -> SegmentWrithe:
    """The signed solid angles of the directions from which segments a-b are seen to cross segments c-d.

    Positive where they cross as in a right-handed helix; 4 pi times the linking number, summed over two closed chains.
    Where segments touch it is undefined: 0 is answered, with derivatives 0.

    Parameters
    ----------
    a, b, c, d : (M, 3) array_like
        The ends of M pairs of segments; one pair: (1, 3).

    Raises
    ------
    ValueError
        The shapes do not fit.
    """
    angle, derivatives = _core.segment_writhe(a, b, c, d)
    return SegmentWrithe(angle, derivatives.reshape(-1, 4, 3))


def writhe_matrix(
    robot: npt.ArrayLike, environment: npt.ArrayLike, *, absolute: bool = False, normalized: bool = True
) -> FloatArray:
    """The writhe of each segment of one chain and each of another.

    Parameters
    ----------
    robot : (K, 3) array_like
        The points of a chain; a closed one repeats its first point at the end.
    environment : (L, 3) array_like
    absolute : bool
        ``|W_ij|``: insensitive to the sense of winding.
    normalized : bool
        Divided by 4 pi: turns of one chain around the other.

    Returns
    -------
    (K - 1, L - 1) array

    Raises
    ------
    ValueError
        A chain has fewer than two points.
    """
    return _core.writhe_matrix(robot, environment, absolute, normalized)


class Writhe(NamedTuple):
    """What `writhe` answers.

    Attributes
    ----------
    values : (N,) array
    derivatives : (N, K, 3) array
        By the points of the robot.
    """

    values: FloatArray
    derivatives: FloatArray


def writhe(
    robot: npt.ArrayLike,
    environment: npt.ArrayLike,
    *,
    form: WritheForm = "of_robot_segments",
    absolute: bool = False,
    normalized: bool = True,
) -> Writhe:
    """Entries of the writhe matrix of two chains, or sums of them, with derivatives.

    Parameters
    ----------
    robot, environment : (K, 3) and (L, 3) array_like
    form : {"matrix", "of_robot_segments", "of_environment_segments", "scalar"}
        The matrix row by row, (K - 1) (L - 1) numbers; the sums of its rows, K - 1; of its columns, L - 1; of all, 1.
    absolute, normalized : bool
        As of `writhe_matrix`.

    Raises
    ------
    ValueError
        A chain has fewer than two points.
    """
    values, derivatives = _core.writhe(robot, environment, _form(form), absolute, normalized)
    return Writhe(values, derivatives.reshape(len(values), -1, 3))


class MeshEdge(NamedTuple):
    """Two neighbouring points, by number: the robot's K points come first, then the environment's.

    Attributes
    ----------
    first, second : int
    weight : float
        Positive.
    gap : float
        The thickness of the bodies around both points together, m: the distance is between surfaces then.
    """

    first: int
    second: int
    weight: float = 1
    gap: float = 0


def full_graph(robot_points: int, environment_points: int) -> list[MeshEdge]:
    """All pairs of points except those within the environment, whose distance the robot does not change."""
    return [MeshEdge(*edge) for edge in _core.full_graph(robot_points, environment_points)]


def nearest_graph(robot: npt.ArrayLike, environment: npt.ArrayLike, nearest: int) -> list[MeshEdge]:
    """Edges from each point to its nearest ones.

    Parameters
    ----------
    robot, environment : (K, 3) and (E, 3) array_like
        Where the points are now.
    nearest : int
        Edges from each point; pairs within the environment are left out.
    """
    return [MeshEdge(*edge) for edge in _core.nearest_graph(robot, environment, nearest)]


class InteractionMesh:
    """Laplace coordinates: each point relative to the weighted mean of its neighbours, near ones weighing more.

    ``L(p) = p - sum_r u_r r / sum_r u_r``, ``u_r = weight_r / |r - p|``, or
    ``weight_r / max(|r - p| - gap, gap / 20)``.

    Parameters
    ----------
    robot_points, environment_points : int
        K and E.
    edges : sequence of MeshEdge, optional
        By default `full_graph`.

    Raises
    ------
    ValueError
        An edge has a point out of range, joins a point to itself, or has an impossible weight or gap.
    """

    def __init__(
        self, robot_points: int, environment_points: int, edges: Optional[Sequence[MeshEdge]] = None
    ) -> None:
        given = full_graph(robot_points, environment_points) if edges is None else edges
        self._edges = [MeshEdge(*edge) for edge in given]
        self._robot_points = robot_points
        self._compiled = _core.InteractionMesh(robot_points, environment_points, self._edges)

    @property
    def edges(self) -> list[MeshEdge]:
        """The edges."""
        return list(self._edges)

    def __call__(self, robot: npt.ArrayLike, environment: npt.ArrayLike) -> FloatArray:
        """The coordinates (K + E, 3) of points (K, 3) and (E, 3)."""
        flat: FloatArray = self._compiled.evaluate(robot, environment, None)
        return flat.reshape(-1, 3)

    def value_and_jacobian(
        self, robot: npt.ArrayLike, environment: npt.ArrayLike, moved: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """The coordinates (K + E, 3), and their derivatives (K + E, 3, n) by those of the robot's points (K, 3, n)."""
        slopes = np.asarray(moved, dtype=np.float64)
        if slopes.ndim != 3 or slopes.shape[:2] != (self._robot_points, 3):
            raise ValueError(f"moved: shape {slopes.shape}, expected ({self._robot_points}, 3, n)")
        n = slopes.shape[2]
        flat, J = self._compiled.evaluate(robot, environment, slopes.reshape(-1, n))
        return flat.reshape(-1, 3), J.reshape(-1, 3, n)


class PointMap(FunctionMap):
    """A Python function as a map of points, for the maps below.

    Parameters
    ----------
    f : callable
        ``f(q) -> (places, derivatives)`` of shapes (K, 3) and (K, 3, n).
    joints : int
        n.
    points : int
        K.
    """

    def __init__(self, f: Callable[..., Any], joints: int, points: int) -> None:
        def flat(q: FloatArray) -> tuple[FloatArray, FloatArray]:
            places, derivatives = (np.asarray(part, dtype=np.float64) for part in f(q))
            if places.shape != (points, 3) or derivatives.shape != (points, 3, joints):
                raise ValueError(
                    f"f answered points of shape {places.shape} and derivatives of shape {derivatives.shape}, "
                    f"expected {(points, 3)} and {(points, 3, joints)}"
                )
            return places.ravel(), derivatives.reshape(-1, joints)

        super().__init__(flat, joints, 3 * points)


class WritheMap(Map):
    """The writhe of a robot's chain and a chain of the environment, as a map of the joint coordinates.

    Parameters
    ----------
    robot : Map or rigid_body.TreePoints
        From joint coordinates to the points of the chain, in order, 3 outputs each: a `PointMap`, a view of a grid.
    environment : (L, 3) array_like
        The other chain. It stays; `among` gives the map where it has moved.
    form, absolute, normalized
        As of `writhe`.

    Raises
    ------
    ValueError
        A chain has fewer than two points.
    """

    def __init__(
        self,
        robot: Any,
        environment: npt.ArrayLike,
        *,
        form: WritheForm = "of_robot_segments",
        absolute: bool = False,
        normalized: bool = True,
    ) -> None:
        self._robot = _map_of(robot)
        self._options: dict[str, Any] = {"form": form, "absolute": absolute, "normalized": normalized}
        super().__init__(_core.writhe_map(self._robot, environment, _form(form), absolute, normalized))

    def among(self, environment: npt.ArrayLike) -> WritheMap:
        """The same map in another environment (L, 3)."""
        return WritheMap(self._robot, environment, **self._options)


class InteractionMeshMap(Map):
    """The interaction mesh of a robot's landmarks and the environment's, as a map of the joint coordinates.

    The outputs are the Laplace coordinates of all points one after the other, 3 (K + E).

    Parameters
    ----------
    robot : Map or rigid_body.TreePoints
        From joint coordinates to K landmarks, as of `WritheMap`.
    environment : (E, 3) array_like
        It stays; `among` gives the map where it has moved.
    mesh : InteractionMesh, optional
        By default of all pairs of points.

    Raises
    ------
    ValueError
        The mesh has other numbers of points.
    """

    def __init__(
        self, robot: Any, environment: npt.ArrayLike, mesh: Optional[InteractionMesh] = None
    ) -> None:
        self._robot = _map_of(robot)
        if mesh is None:
            mesh = InteractionMesh(self._robot.output_size // 3, len(np.asarray(environment)))
        self._mesh = mesh
        super().__init__(_core.mesh_map(self._robot, environment, self._mesh._compiled))

    @property
    def mesh(self) -> InteractionMesh:
        """The mesh."""
        return self._mesh

    def among(self, environment: npt.ArrayLike) -> InteractionMeshMap:
        """The same map in another environment (E, 3)."""
        return InteractionMeshMap(self._robot, environment, self._mesh)


def _form(form: str) -> int:
    if form not in _FORMS:
        raise ValueError(f"form = {form!r}, expected one of {_FORMS}")
    return _FORMS.index(form)


def _map_of(robot: Any) -> Map:
    points = robot if isinstance(robot, Map) else getattr(robot, "map", None)
    if not isinstance(points, Map):
        raise TypeError(f"robot: a {type(robot).__name__}, expected a Map of points, or TreePoints")
    return points
