# SPDX-License-Identifier: BSD-3-Clause
"""The soft arm: finite elements pulled by lines (Jia, Pan, Manocha 2019), on a grid and without.

>>> from quoin import soft_arm
>>> arm = soft_arm.SoftArmGrid(soft_arm.beam(cells_across=2, cells_along=10), time_step=0.04, stiffness_damping=0.05)
>>> tip = arm.tip(arm.grid)                    # a map: controls -> where the tip rests
>>> steps = arm.dynamics(arm.grid)             # for planners
"""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._parts import need
from quoin._stores import GridStore
from quoin.answers import ErrorEstimate
from quoin.dynamics import Dynamics
from quoin.grids import GridOfModel
from quoin.maps import GridView, Map, _estimate
from quoin.options import GridOptions
from quoin.soft_arm._arms import Mesh, Path, SoftArm, beam, from_mesh, read_gmsh
from quoin.soft_arm._full_dynamics import FullDynamics, FullMotion
from quoin.soft_arm._statics import Statics

need("soft_arm", "soft_arm_grid", "io")

__all__ = [
    "SoftArmGrid",
    "FullDynamics",
    "FullMotion",
    "Mesh",
    "SoftArm",
    "Statics",
    "beam",
    "from_mesh",
    "read_gmsh",
]

FloatArray = npt.NDArray[np.float64]


class SoftArmGrid:
    """A soft arm whose shapes come from a grid: the statics, the grid over it, a basis of shapes, and dynamics.

    Everything that is made from a view answers at the view's level or to its tolerance.

    Parameters
    ----------
    arm : SoftArm or Statics
        Statics are shared with the caller.
    jet_order : {1, 2, 3}
        Corners store derivatives of the shapes up to this order.
    spacing : float
        Of level 0, in the control of each line.
    lower, upper : float
        The domain of each line's control; the lattice begins at lower, and ends at its last point below upper.
    basis_control : float
        Pulls of this and of half of it generate the basis of shapes.
    basis_tolerance : float
        Shapes weaker than this, relative to the strongest, are left out of the basis.
    bending_modes : int
        Of `inertial_dynamics`; 0: those whose frequency is at most five times the first.
    time_step, stiffness_damping, mass_damping : float
        Of the dynamics: s, s, 1/s.
    exact_derivatives : bool
        Steps are differentiated with the map's second derivatives; else these are dropped.
    threads : int, optional
        That solve for missing corners; by default one per core.
    evaluate_ahead : bool
        What planners expect to ask is evaluated before they do, many corners at a time.
    store : path, optional
        A file that keeps the equilibria under the statics' own fingerprint. A second run needs none but new ones.
    durable : bool
        What is stored survives the end of the machine, not only of the process.

    Raises
    ------
    ValueError
        An option is out of range, or no pull of the basis has an equilibrium.
    """

    def __init__(
        self,
        arm: Union[SoftArm, Statics],
        *,
        jet_order: int = 2,
        spacing: float = 1,
        lower: float = -1.5,
        upper: float = 6,
        basis_control: float = 2,
        basis_tolerance: float = 1e-7,
        bending_modes: int = 0,
        time_step: float = 0.02,
        stiffness_damping: float = 0,
        mass_damping: float = 0,
        exact_derivatives: bool = False,
        threads: Optional[int] = None,
        evaluate_ahead: bool = False,
        store: Optional[Path] = None,
        durable: bool = False,
    ) -> None:
        self._statics = arm if isinstance(arm, Statics) else Statics(arm)
        options: dict[str, Any] = {
            "jet_order": jet_order,
            "spacing": float(spacing),
            "lower": float(lower),
            "upper": float(upper),
            "basis_control": float(basis_control),
            "basis_tolerance": float(basis_tolerance),
            "bending_modes": bending_modes,
            "time_step": float(time_step),
            "stiffness_damping": float(stiffness_damping),
            "mass_damping": float(mass_damping),
            "exact_derivatives": exact_derivatives,
            "threads": threads,
            "evaluate_ahead": evaluate_ahead,
        }
        compiled = self._statics._compiled
        kept: Optional[GridStore] = None
        if store is not None:
            lines = 2 if isinstance(compiled, _core.Statics2) else 4
            kept = GridStore(lines, store, self._statics.fingerprint or "", durable)
        options["store"] = None if kept is None else kept.compiled
        self._compiled: Union[_core.SoftArmGrid2, _core.SoftArmGrid3]
        if isinstance(compiled, _core.Statics2):
            self._compiled = _core.SoftArmGrid2(compiled, options)
        else:
            self._compiled = _core.SoftArmGrid3(compiled, options)
        grid_options = GridOptions(
            spacing=self._compiled.spacing(),
            origin=self._compiled.lower(),
            lower=self._compiled.lower(),
            upper=self._compiled.upper(),
            evaluate_ahead=evaluate_ahead,
            store=store,
            fingerprint=None if store is None else self._statics.fingerprint,
        )
        self._grid = GridOfModel(self._compiled.grid(), grid_options, kept)

    @property
    def arm(self) -> SoftArm:
        """The arm."""
        return self._statics.arm

    @property
    def statics(self) -> Statics:
        """The exact map under the grid."""
        return self._statics

    @property
    def grid(self) -> GridOfModel:
        """The grid over [x; l], for `quoin.interleave`."""
        return self._grid

    def tip(self, view: GridView) -> GridView:
        """The map from controls to [tip; the layer before it] (2 d,), as fine as a view of the grid."""
        return GridView(self._compiled.tip(view))

    def coordinates(self, view: GridView) -> GridView:
        """The map from controls to [the coordinates in the basis; the lengths of the lines], as fine as a view."""
        return GridView(self._compiled.coordinates(view))

    def dynamics(self, view: GridView) -> Dynamics:
        """The dynamics in the space of static shapes, as fine as a view. States are [alpha; alpha one step before]."""
        return Dynamics(self._compiled.dynamics(view))

    def exact_dynamics(self) -> Dynamics:
        """The same steps on the statics itself."""
        return Dynamics(self._compiled.exact_dynamics())

    def inertial_dynamics(self, view: GridView) -> Dynamics:
        """The dynamics of the arm that its own inertia bends, as fine as a view: plans on them hold on the mesh.

        States are [z; z one step before], z = [alpha; q], with one q (plane) or two (space) unless `bending_modes` says
        otherwise; at rest q = 0. They ask at the corners of the view's own cells, and for no equilibrium besides.
        """
        return Dynamics(self._compiled.inertial_dynamics(view))

    def inertial_tip(self, view: GridView) -> Map:
        """The map from z = [alpha; q] to [tip; the layer before it] (2 d,), as fine as a view of the grid."""
        return Map(self._compiled.inertial_tip(view))

    def exact_inertial_dynamics(self) -> Dynamics:
        """The steps of `inertial_dynamics` on the statics itself."""
        return Dynamics(self._compiled.exact_inertial_dynamics())

    def full_dynamics(self) -> FullDynamics:
        """The dynamics of the whole mesh, with the same time step and damping: the reference."""
        full = FullDynamics.__new__(FullDynamics)
        full._compiled = self._compiled.full_dynamics()
        return full

    @property
    def basis_size(self) -> int:
        """The number of shapes in the basis."""
        return self._compiled.basis_size()

    @property
    def shapes(self) -> FloatArray:
        """The basis (N, basis_size): orthonormal in the norm of the masses."""
        return self._compiled.shapes()

    @property
    def basis_remainder(self) -> float:
        """The most that the basis misses of the shapes met since the last `grow`, m."""
        return self._compiled.basis_remainder()

    def grow(self) -> int:
        """Adds to the basis what corners met since the last call show beyond it; returns the number of shapes added."""
        return self._compiled.grow()

    def error_along(self, view: GridView, alphas: npt.ArrayLike) -> ErrorEstimate:
        """The largest errors of shapes and of their Jacobians along controls (M, lines)."""
        return _estimate(self._compiled.error_along(view, alphas))

    @property
    def corners(self) -> FloatArray:
        """The corners (M, lines) at which the grid has asked for shapes, in that order."""
        return self._compiled.corners()
