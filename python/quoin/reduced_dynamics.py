# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics of bodies that move among their static shapes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin.dynamics import Dynamics
from quoin.maps import Map, linear_outputs, root_of

FloatArray = npt.NDArray[np.float64]


class ReducedDynamics(Dynamics):
    """A body whose shape is always one of its rest shapes f(u), as a soft arm's under the pulls u of its lines.

    A step is Jia, Pan, Manocha 2019, Eq. 8, by implicit Euler: inertia and damping of the masses against the force
    ``-dl/du (u - u')``, where u' are the pulls under which the body would rest as it is. The state is
    ``[u'_i; u'_{i-1}]``, of 2 dim numbers; `rest_state` makes one. What the shapes leave out, waves along the body
    first, is not there.

    Parameters
    ----------
    shape : Map
        From dim pulls to N coordinates, m: rows of a map, as ``arm[:42]``.
    masses : (N,) or (N, N) array_like
        Of the coordinates, kg: 0 for what is held; or the mass matrix.
    lengths : Map
        Rows of the same map: the dim lengths, m, along which the pulls act; they become shorter under larger ones.
    time_step : float
        Seconds.
    force_scale : float
        Newtons a unit of the pulls.
    stiffness_damping, mass_damping : float
        Of the elastic forces, seconds, and of the masses, 1/seconds.
    control_scale : float
        How large pulls are, in their unit: steps are solved to 1e-10 of it.
    exact_derivatives : bool
        Second derivatives of the map take part in those of a step; by default Gauss-Newton's.

    Raises
    ------
    ValueError
        Maps, masses or options do not fit together.
    """

    def __init__(
        self,
        shape: Map,
        *,
        masses: npt.ArrayLike,
        lengths: Map,
        time_step: float,
        force_scale: float = 1.0,
        stiffness_damping: float = 0.0,
        mass_damping: float = 0.0,
        control_scale: float = 1.0,
        exact_derivatives: bool = False,
    ) -> None:
        for name, given in (("shape", shape), ("lengths", lengths)):
            if not isinstance(given, Map):
                raise TypeError(f"{name} is a {type(given).__name__}, expected a map's outputs, as arm[:42]")
        (root, of_shape), (other, of_lengths) = root_of(shape), root_of(lengths)
        if other is not root:
            raise ValueError("shape and lengths are to be outputs of one map, as arm[:42] and arm[42:]")
        if lengths.output_size != root.dim:
            raise ValueError(f"lengths: {lengths.output_size} outputs, expected one for each of the {root.dim} pulls")
        if not control_scale > 0:
            raise ValueError(f"control_scale = {control_scale} is not positive")
        weighted = _root_of_masses(np.asarray(masses, dtype=np.float64), shape.output_size) @ of_shape
        options = {
            "time_step": float(time_step),
            "force_scale": float(force_scale),
            "stiffness_damping": float(stiffness_damping),
            "mass_damping": float(mass_damping),
            "control_scale": float(control_scale),
            "exact_derivatives": bool(exact_derivatives),
        }
        self.shape, self.lengths, self.time_step = shape, lengths, float(time_step)
        self._map = linear_outputs(root, np.vstack([weighted, of_lengths]))
        super().__init__(_core.reduced_dynamics(self._map, len(weighted), options))

    def rest_state(self, u: npt.ArrayLike) -> FloatArray:
        """The state (2 dim,) of the body at rest under the constant pulls u (dim,)."""
        pulls = np.asarray(u, dtype=np.float64)
        if pulls.shape != (self.control_size,):
            raise ValueError(f"u: shape {pulls.shape}, expected ({self.control_size},)")
        self.check_lengths(pulls)
        return np.concatenate([pulls, pulls])

    def check_lengths(self, u: npt.ArrayLike) -> None:
        """Whether the lengths can be those along which the pulls act, by their derivatives at pulls u (dim,).

        `rest_state` and `planning.track` ask for it.

        Raises
        ------
        ValueError
            No length changes, one grows under its own pull, or they have not the symmetry that energy asks for (a length
            changes by another pull as that one's length does by this pull); the message has the numbers.
        """
        _core.check_line_lengths(self.lengths.value_and_jacobian(u)[1], u)


def _root_of_masses(masses: FloatArray, coordinates: int) -> FloatArray:
    """S with S^T S = the mass matrix; rows of zeros left out."""
    if masses.shape == (coordinates,):
        if not np.all((masses >= 0) & np.isfinite(masses)) or not masses.any():
            raise ValueError(f"masses from {masses.min()} to {masses.max()}: expected none below 0, and some above")
        return np.asarray(np.diag(np.sqrt(masses))[masses > 0])
    if masses.shape != (coordinates, coordinates):
        raise ValueError(f"masses: shape {masses.shape}, expected ({coordinates},) or ({coordinates}, {coordinates})")
    if not np.allclose(masses, masses.T, rtol=1e-9, atol=1e-12 * abs(masses).max()):
        raise ValueError("masses: the matrix is not symmetric")
    values, vectors = np.linalg.eigh(masses)
    if values[0] < -1e-9 * values[-1]:
        raise ValueError(f"masses: the matrix has the eigenvalue {values[0]}")
    kept = values > 1e-14 * values[-1]
    root: FloatArray = np.sqrt(values[kept])[:, np.newaxis] * vectors[:, kept].T
    return root
