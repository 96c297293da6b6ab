# SPDX-License-Identifier: BSD-3-Clause
"""Surfaces, and swimmers without the water: links on hinges."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Literal, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core

FloatArray = npt.NDArray[np.float64]
Motion = Literal["planar", "spatial"]

_MOTIONS = ("planar", "spatial")


def motion_number(motion: str) -> int:
    if motion not in _MOTIONS:
        raise ValueError(f"motion = {motion!r}, expected one of {_MOTIONS}")
    return _MOTIONS.index(motion)


class SolidMoments(NamedTuple):
    """Moments of the solid within a surface, at unit density.

    Attributes
    ----------
    volume : float
        m^3.
    centroid : (3,) array
        m.
    inertia : (3, 3) array
        About the centroid, m^5.
    """

    volume: float
    centroid: FloatArray
    inertia: FloatArray


class SurfaceMesh(NamedTuple):
    """The surface of a solid, as flat triangles, counter-clockwise seen from outside.

    Attributes
    ----------
    vertices : (V, 3) array_like
        m.
    triangles : (T, 3) array_like of int
        Indices of vertices.
    """

    vertices: npt.ArrayLike
    triangles: npt.ArrayLike

    def require_closed(self) -> None:
        """Raises ValueError, with the vertex, triangle or edge at fault, unless it encloses a solid."""
        _core.check_surface(tuple(self))

    def moments(self) -> SolidMoments:
        """Of the solid within, which it must enclose."""
        return SolidMoments(*_core.solid_moments(tuple(self)))


def geodesic_ellipsoid(semi_axes: npt.ArrayLike, n: int) -> SurfaceMesh:
    """A closed mesh of an ellipsoid about the origin, of 10 n^2 + 2 vertices; it has the ellipsoid's volume.

    Parameters
    ----------
    semi_axes : (3,) array_like
        Along x, y and z, m.
    n : int
        1 to 1000.
    """
    return SurfaceMesh(*_core.geodesic_ellipsoid(semi_axes, int(n)))


def read_surface(path: Union[str, "os.PathLike[str]"]) -> SurfaceMesh:
    """A surface from a Wavefront OBJ or an STL file. Neither knows units; whether it is closed is not checked.

    Raises
    ------
    RuntimeError
        The file cannot be read so; the message names it, the line, and what is wrong.
    ValueError
        The file has another extension.
    """
    return SurfaceMesh(*_core.read_surface(os.fspath(path)))


class LinkInertia(NamedTuple):
    """Mass properties of a link, in its own frame.

    Attributes
    ----------
    mass : float
        kg.
    centre : (3,) array_like
        Of mass, m.
    inertia : (3, 3) array_like
        About the centre of mass, kg m^2.
    """

    mass: float
    centre: npt.ArrayLike = (0.0, 0.0, 0.0)
    inertia: npt.ArrayLike = ((0.0, 0.0, 0.0),) * 3


class Link(NamedTuple):
    """A rigid part of a swimmer.

    Attributes
    ----------
    surface : SurfaceMesh, optional
        Closed, in the link's frame. Needed for boundary elements, and for a mass of its density.
    density : float
        Of the solid inside, kg / m^3.
    inertia : LinkInertia, optional
        If it is not that of a solid of constant density.
    """

    surface: Optional[SurfaceMesh] = None
    density: float = 1000
    inertia: Optional[LinkInertia] = None


class Hinge(NamedTuple):
    """Hinge k connects link k + 1 to an earlier link; a positive angle turns it by the right hand.

    Attributes
    ----------
    parent : int
        The earlier link, at most k.
    axis : (3,) array_like
        In the orientation that all links share at q = 0.
    in_parent, in_link : (3,) array_like
        A point of the axis in the frame of the parent, and in that of link k + 1, m.
    """

    parent: int = 0
    axis: npt.ArrayLike = (0.0, 0.0, 1.0)
    in_parent: npt.ArrayLike = (0.0, 0.0, 0.0)
    in_link: npt.ArrayLike = (0.0, 0.0, 0.0)


class Swimmer:
    """A tree of rigid links on hinges whose base, link 0, floats freely.

    Angles q (hinges,) are in rad. Velocities are body twists [omega; v] of the origin of a link's frame, in that frame.
    Units are SI.

    Parameters
    ----------
    links : sequence of Link
        Link 0 is the base.
    hinges : sequence of Hinge
        One less than links.
    fluid_density : float
        kg / m^3.

    Raises
    ------
    ValueError
        The hinges form no tree, a surface is not closed, or a number is impossible; the message names which.
    """

    def __init__(
        self,
        links: Union[Sequence[Link], _core.Swimmer],
        hinges: Sequence[Hinge] = (),
        fluid_density: float = 1000,
    ) -> None:
        if isinstance(links, _core.Swimmer):
            self._compiled = links
        else:
            parts: list[tuple[Any, ...]] = [tuple(link) for link in links]
            self._compiled = _core.Swimmer(parts, [tuple(hinge) for hinge in hinges], float(fluid_density))
        self._hinges = [Hinge(*hinge) for hinge in self._compiled.hinges()]

    @property
    def links(self) -> int:
        """The number of links, with the base."""
        return self._compiled.links()

    @property
    def hinges(self) -> list[Hinge]:
        """The hinges, with axes of unit length."""
        return list(self._hinges)

    @property
    def fluid_density(self) -> float:
        """kg / m^3."""
        return self._compiled.fluid_density()

    @property
    def mass(self) -> float:
        """Of all links, kg."""
        return self._compiled.mass()

    def surface(self, link: int) -> SurfaceMesh:
        """Of a link, in its frame; without vertices if it has none."""
        return SurfaceMesh(*self._compiled.surface(link))

    def inertia(self, link: int) -> LinkInertia:
        """Of a link, in its frame."""
        return LinkInertia(*self._compiled.inertia(link))

    def mass_matrix(self, link: int) -> FloatArray:
        """(6, 6), of a link: its kinetic energy is half the quadratic form of its body twist."""
        return self._compiled.mass_matrix(link)

    def poses(self, q: npt.ArrayLike, base: Optional[npt.ArrayLike] = None) -> FloatArray:
        """The poses (links, 4, 4) of all links, in the base's frame, or in the world with the base's pose (4, 4)."""
        return self._compiled.poses(q, base)

    def centre_of_mass(self, q: npt.ArrayLike) -> FloatArray:
        """Of all links together (3,), in the base's frame."""
        return self._compiled.centre_of_mass(q)

    def link_jacobians(self, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The links' body twists per unit [base twist; dq/dt], and their derivatives by the angles.

        Returns
        -------
        J : (links, 6, 6 + hinges) array
        dJ : (hinges, links, 6, 6 + hinges) array
        """
        J, slopes = self._compiled.link_jacobians(q)
        shape = (self.links, 6, J.shape[1])
        dJ = np.array([slope.reshape(shape) for slope in slopes]).reshape(len(slopes), *shape)
        return J.reshape(shape), dJ


def ellipsoid_chain(
    *,
    links: int = 4,
    semi_axes: npt.ArrayLike = (0.1, 0.02, 0.05),
    gap: float = 0.02,
    axis: npt.ArrayLike = (0.0, 0.0, 1.0),
    mesh: int = 6,
    density: float = 1000,
    fluid_density: float = 1000,
) -> Swimmer:
    """Equal ellipsoids in a row (Jia, Pan, Manocha 2019, Fig. 2). The head is link 0 and looks towards +x.

    Parameters
    ----------
    links : int
    semi_axes : (3,) array_like
        Along the body, lateral, vertical, m.
    gap : float
        Between tips of neighbours, m; the hinge is in its middle.
    axis : (3,) array_like
        Of all hinges.
    mesh : int
        n: 10 n^2 + 2 vertices a link. The added mass of n = 6 is 1 to 5 % too small; `ExtrapolatedAddedMass` of 4 and
        6 is within 0.3 %.
    density, fluid_density : float
        kg / m^3.
    """
    options = {
        "links": int(links),
        "semi_axes": semi_axes,
        "gap": float(gap),
        "axis": axis,
        "mesh": int(mesh),
        "density": float(density),
        "fluid_density": float(fluid_density),
    }
    return Swimmer(_core.ellipsoid_chain(options))
