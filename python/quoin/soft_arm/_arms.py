# SPDX-License-Identifier: BSD-3-Clause
"""Meshes and soft arms."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core

FloatArray = npt.NDArray[np.float64]
Path = Union[str, "os.PathLike[str]"]


@dataclasses.dataclass(frozen=True)
class Mesh:
    """A mesh of triangles (d = 2) or tetrahedra (d = 3), of positive volume.

    Attributes
    ----------
    vertices : (V, d) array_like
        Metres.
    elements : (E, d + 1) array_like of int
        Indices of vertices.
    element_group : sequence of int
        The group (material) of each element.
    element_group_names : sequence of str
    vertex_groups : dict of str to sequence of int
        Named sets of vertices; those of lines in order from the base to the tip.
    """

    vertices: npt.ArrayLike
    elements: npt.ArrayLike
    element_group: Sequence[int]
    element_group_names: Sequence[str]
    vertex_groups: dict[str, list[int]]


def read_gmsh(path: Path, space_dim: int = 3) -> Mesh:
    """A mesh from a Gmsh file, format 2.2 or 4.1, ASCII. Physical groups become the groups of the mesh.

    Parameters
    ----------
    path : path
    space_dim : {2, 3}
        2: triangles in a plane z = constant. 3: tetrahedra.

    Raises
    ------
    RuntimeError
        The file cannot be read so; the message names it, the line, and what to do.
    """
    fields = _of(space_dim, _core.read_gmsh2, _core.read_gmsh3)(os.fspath(path))
    return Mesh(**fields)


class SoftArm:
    """A line-driven hyperelastic arm: its body, materials, clamped vertices and lines. Made by `beam` or `from_mesh`.

    Positions x (N,) hold the d coordinates of vertex 0, then of vertex 1, ...; controls u (lines,) pull with the force
    ``line_force * u``. An arm in the plane has 2 lines, one in space 4.
    """

    def __init__(self, compiled: Union[_core.SoftArm2, _core.SoftArm3]) -> None:
        self._compiled = compiled

    @property
    def space_dim(self) -> int:
        """d: 2 or 3."""
        return 2 if isinstance(self._compiled, _core.SoftArm2) else 3

    @property
    def lines(self) -> int:
        """The number of lines."""
        return 2 if self.space_dim == 2 else 4

    @property
    def size(self) -> int:
        """N: d times the number of vertices."""
        return self._compiled.size()

    @property
    def line_force(self) -> float:
        """The force of a line at u = 1, N."""
        return self._compiled.line_force()

    @property
    def mesh(self) -> Mesh:
        """The body; its groups are those that the mesh came with."""
        return Mesh(**self._compiled.mesh())

    @property
    def line_vertices(self) -> list[list[int]]:
        """The vertices of each line, from its anchor at the base to the tip."""
        return self._compiled.lines()

    @property
    def rest(self) -> FloatArray:
        """The undeformed positions (N,), m."""
        return self._compiled.rest()

    @property
    def mass(self) -> FloatArray:
        """The lumped mass (N,) of each coordinate, kg."""
        return self._compiled.mass()

    @property
    def free_dofs(self) -> npt.NDArray[np.intp]:
        """Where in x the coordinates are that can move."""
        return np.array(self._compiled.free_dofs(), dtype=np.intp)

    @property
    def tip_rows(self) -> FloatArray:
        """(2 d, N + lines): the mean position of the last layer of vertices, and of the one before, of [x; lengths]."""
        return self._compiled.tip_rows()

    def energy(self, x: npt.ArrayLike, u: npt.ArrayLike) -> float:
        """The potential energy at positions x (N,) under controls u (lines,), J."""
        return self._compiled.energy(x, u)

    def gradient(self, x: npt.ArrayLike, u: npt.ArrayLike) -> FloatArray:
        """The derivative of the energy by the free coordinates, N."""
        return self._compiled.gradient(x, u)

    def lengths(self, x: npt.ArrayLike) -> FloatArray:
        """The lengths (lines,) of the lines at positions x (N,), m."""
        return self._compiled.lengths(x)


def beam(
    space_dim: int = 3,
    *,
    length: float = 0.5,
    width: float = 0.05,
    cells_across: int = 4,
    cells_along: int = 20,
    young: float = 5e5,
    stiff_ratio: float = 10,
    stiff_every: int = 5,
    stiff_cap: bool = True,
    poisson: float = 0.4,
    density: float = 1000,
    line_force: Optional[float] = None,
    gravity: Optional[npt.ArrayLike] = None,
    dead_load: Optional[npt.ArrayLike] = None,
) -> SoftArm:
    """A straight beam of square section, clamped at its base, with a line along each long edge.

    Parameters
    ----------
    space_dim : {2, 3}
        In the plane the beam lies along +y, in space along +z.
    length, width : float
        Metres.
    cells_across : int
        Even, so that the mesh is its own mirror image.
    cells_along : int
    young : float
        Of the soft material, Pa.
    stiff_ratio : float
        The stiff material's modulus over the soft one's.
    stiff_every : int
        Every such layer of cells is stiff; 0: none but the cap.
    stiff_cap : bool
        The last layer is stiff.
    poisson : float
        In (-1, 0.5).
    density : float
        kg / m^3.
    line_force : float, optional
        N at u = 1; by default such that u = 1 on one line bends a beam of the soft material by 1 rad.
    gravity : (d,) array_like, optional
        m / s^2; by default none.
    dead_load : (N,) array_like, optional
        A constant force on each vertex, N.

    Raises
    ------
    ValueError
        Something is out of range; the message has the numbers.
    """
    options = {
        "length": length,
        "width": width,
        "cells_across": cells_across,
        "cells_along": cells_along,
        "young": young,
        "stiff_ratio": stiff_ratio,
        "stiff_every": stiff_every,
        "stiff_cap": stiff_cap,
        "poisson": poisson,
        "density": density,
        "line_force": line_force,
    }
    return SoftArm(_of(space_dim, _core.make_beam2, _core.make_beam3)(options, gravity, dead_load))


def from_mesh(
    mesh: Mesh,
    *,
    lines: Sequence[str],
    young: dict[str, float],
    clamped: str = "clamped",
    tip: str = "tip",
    before_tip: str = "before_tip",
    poisson: float = 0.4,
    density: float = 1000,
    thickness: float = 1,
    line_force: float = 1,
    gravity: Optional[npt.ArrayLike] = None,
    dead_load: Optional[npt.ArrayLike] = None,
) -> SoftArm:
    """An arm from any mesh, such as one of `read_gmsh`.

    Parameters
    ----------
    mesh : Mesh
    lines : sequence of str
        2 vertex groups in the plane, 4 in space, each in order from base to tip. Consecutive vertices are joined by the
        shortest path along edges.
    young : dict of str to float
        Young's modulus of each element group, Pa.
    clamped : str
        The vertex group that never moves.
    tip, before_tip : str
        The vertex groups of the last layer, and of the one before.
    poisson, density : float
        As of `beam`.
    thickness : float
        Of an arm in the plane, m.
    line_force : float
        N at u = 1.
    gravity, dead_load : array_like, optional
        As of `beam`.

    Raises
    ------
    ValueError
        Something does not fit; the message names the group, vertex or element.
    """
    vertices = np.asarray(mesh.vertices, dtype=np.float64)
    if vertices.ndim != 2 or vertices.shape[1] not in (2, 3):
        raise ValueError(f"vertices: shape {vertices.shape}, expected (V, 2) or (V, 3)")
    description = {
        "clamped": clamped,
        "lines": list(lines),
        "tip": tip,
        "before_tip": before_tip,
        "young": dict(young),
        "poisson": poisson,
        "density": density,
        "thickness": thickness,
        "line_force": line_force,
    }
    fields = {field.name: getattr(mesh, field.name) for field in dataclasses.fields(mesh)}
    make = _of(vertices.shape[1], _core.arm_from_mesh2, _core.arm_from_mesh3)
    return SoftArm(make(fields, description, gravity, dead_load))


def _of(space_dim: int, plane: Any, space: Any) -> Any:
    if space_dim not in (2, 3):
        raise ValueError(f"space_dim = {space_dim}, expected 2 or 3")
    return plane if space_dim == 2 else space
