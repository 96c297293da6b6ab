# SPDX-License-Identifier: BSD-3-Clause
"""The water around a swimmer: potential flow by boundary elements, and its added mass as maps of the joint angles."""

from __future__ import annotations

from typing import NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin.maps import Map
from quoin.swimmer._bodies import Motion, SurfaceMesh, Swimmer, motion_number

FloatArray = npt.NDArray[np.float64]


def unpack_symmetric(packed: npt.ArrayLike) -> FloatArray:
    """The symmetric matrix (n, n) of a packed upper triangle (n (n + 1) / 2,), column after column."""
    numbers = np.asarray(packed, dtype=np.float64)
    n = int((np.sqrt(8 * numbers.size + 1) - 1) / 2)
    if numbers.ndim != 1 or n * (n + 1) // 2 != numbers.size:
        raise ValueError(f"packed: shape {numbers.shape}, expected (n (n + 1) / 2,)")
    full = np.empty((n, n))
    columns, rows = np.tril_indices(n)
    full[rows, columns] = full[columns, rows] = numbers
    return full


class FlowSolution(NamedTuple):
    """What `PotentialFlow.solve` answers.

    Attributes
    ----------
    potentials : (P, 6 B) array
        At the vertices, body 0's first: column 6 b + c when body b moves with unit body twist c, m^2/s.
    added_mass : (6 B, 6 B) array
        Per unit density, in body frames, as computed: symmetric up to the error of the mesh.
    asymmetry : float
        Of the added mass, relative: falls with the mesh's error, is not its size.
    """

    potentials: FloatArray
    added_mass: FloatArray
    asymmetry: float


class PotentialFlow:
    """Potential flow of an unbounded ideal fluid at rest around rigid bodies that move through it.

    Parameters
    ----------
    surfaces : sequence of SurfaceMesh
        Of B bodies, closed, each in its body's frame.
    min_gap : float
        Bodies are refused where a vertex of one comes closer to a panel of another than this fraction of the panel's
        longest edge.
    scalar : bool
        Integrals one point at a time: slower, on any processor.

    Raises
    ------
    ValueError
        A surface is open, inside out or degenerate.
    """

    def __init__(self, surfaces: Sequence[SurfaceMesh], *, min_gap: float = 0.05, scalar: bool = False) -> None:
        bodies = [tuple(surface) for surface in surfaces]
        self._compiled = _core.PotentialFlow(bodies, float(min_gap), scalar)
        self._starts = [self._compiled.first_vertex(body) for body in range(len(bodies) + 1)]

    @property
    def first_vertices(self) -> list[int]:
        """Where the vertices of each body begin, and where the last ends."""
        return list(self._starts)

    def solve(self, poses: Sequence[npt.ArrayLike]) -> FlowSolution:
        """The flow at these poses (4, 4) of the bodies, body frame to world.

        Raises
        ------
        ValueError
            A pose is not a rotation and a place, or their number is wrong.
        RuntimeError
            Bodies touch or overlap; the message names them and the place.
        """
        return FlowSolution(*self._compiled.solve(list(poses)))


class SwimmerFlow:
    """The water around a swimmer at any joint angles; may serve several maps.

    Parameters
    ----------
    swimmer : Swimmer
        All links have surfaces.
    min_gap, scalar
        As of `PotentialFlow`.
    """

    def __init__(self, swimmer: Swimmer, *, min_gap: float = 0.05, scalar: bool = False) -> None:
        self._swimmer = swimmer
        self._compiled = _core.SwimmerFlow(swimmer._compiled, float(min_gap), scalar)

    @property
    def swimmer(self) -> Swimmer:
        """Whose links these are."""
        return self._swimmer

    @property
    def first_vertices(self) -> list[int]:
        """Where the vertices of each link begin, and where the last ends."""
        return [self._compiled.first_vertex(link) for link in range(self._swimmer.links + 1)]

    def potentials(self, q: npt.ArrayLike, motion: Motion = "planar") -> FloatArray:
        """The potentials at the P vertices per unit base twist and hinge rate (P, 3 or 6 + hinges): Eq. 10."""
        return self._compiled.potentials(q, motion_number(motion))

    def asymmetry(self, q: npt.ArrayLike) -> float:
        """Of the added mass at q, relative: shows the order of the mesh's error, not its size."""
        return self._compiled.asymmetry(q)


class AddedMass(Map):
    """The added mass of a swimmer's links, each in its own frame, by boundary elements: the map to put on a grid.

    Outputs are the packed upper triangle (`unpack_symmetric`) of a matrix of (3 or 6) links rows, in kg, kg m, kg m^2:
    78 for four links in a plane. A query solves the flow; where links touch it raises RuntimeError.

    Parameters
    ----------
    flow : Swimmer or SwimmerFlow
        Of 1 to 6 hinges.
    motion : {"planar", "spatial"}
        In the plane z = 0 alone, with twists (omega_z, v_x, v_y), or freely.

    Raises
    ------
    ValueError
        The swimmer cannot move in the plane alone.
    """

    def __init__(self, flow: Union[Swimmer, SwimmerFlow], motion: Motion = "planar") -> None:
        self._flow = flow if isinstance(flow, SwimmerFlow) else SwimmerFlow(flow)
        super().__init__(_core.added_mass(self._flow._compiled, motion_number(motion)))

    @property
    def flow(self) -> SwimmerFlow:
        """From which it comes."""
        return self._flow


class ExtrapolatedAddedMass(Map):
    """`AddedMass` extrapolated from two meshes of the same links, whose errors of second order cancel.

    Parameters
    ----------
    coarse, fine : Swimmer or SwimmerFlow
        Of one family of meshes, such as ``ellipsoid_chain(mesh=4)`` and ``ellipsoid_chain(mesh=6)``.
    motion : {"planar", "spatial"}

    Raises
    ------
    ValueError
        The swimmers are not the same, or the second is not finer.
    """

    def __init__(
        self, coarse: Union[Swimmer, SwimmerFlow], fine: Union[Swimmer, SwimmerFlow], motion: Motion = "planar"
    ) -> None:
        flows = [flow if isinstance(flow, SwimmerFlow) else SwimmerFlow(flow) for flow in (coarse, fine)]
        super().__init__(
            _core.extrapolated_added_mass(flows[0]._compiled, flows[1]._compiled, motion_number(motion))
        )


class DecoupledAddedMass(Map):
    """Added mass without interaction: each link's own, constant in its frame. Costs nothing.

    Parameters
    ----------
    links : sequence of (3, 3) or (6, 6) array_like
        Symmetric, in kg, kg m, kg m^2, in planar or in spatial motion.

    Raises
    ------
    ValueError
        A block does not fit, or is not symmetric.
    """

    def __init__(self, links: Sequence[npt.ArrayLike]) -> None:
        super().__init__(_core.decoupled_added_mass(list(links)))


class GeneralizedMass(Map):
    """The mass matrix of a swimmer and the water: M(q) = sum_b J_b^T I_b J_b + J^T A(q) J.

    Outputs are its packed upper triangle, of 3 (planar) or 6 rows for the base, and one for each hinge. Over a view of
    a grid, or a kernel, it has second derivatives.

    Parameters
    ----------
    swimmer : Swimmer
    water : Map
        Of the added mass A: `AddedMass`, a view of a grid over it, any map with its outputs.
    motion : {"planar", "spatial"}

    Raises
    ------
    ValueError
        The numbers do not fit, or the swimmer cannot move in the plane alone.
    """

    def __init__(self, swimmer: Swimmer, water: Map, motion: Motion = "planar") -> None:
        self._swimmer = swimmer
        self._motion: Motion = motion
        super().__init__(_core.generalized_mass(swimmer._compiled, motion_number(motion), water))

    @property
    def swimmer(self) -> Swimmer:
        """The swimmer."""
        return self._swimmer

    @property
    def motion(self) -> Motion:
        """"planar" or "spatial"."""
        return self._motion
