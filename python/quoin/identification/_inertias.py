# SPDX-License-Identifier: BSD-3-Clause
"""Inertias in forms that stay physical."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable

FloatArray = npt.NDArray[np.float64]
InertiaForm = Literal["unstructured", "symmetric", "positive_definite", "triangular", "covariance"]
INERTIA_FORMS: tuple[InertiaForm, ...] = (
    "unstructured",
    "symmetric",
    "positive_definite",
    "triangular",
    "covariance",
)


class InertiaFloor(NamedTuple):
    """The lower bound of what must be positive.

    Attributes
    ----------
    mass : float
        kg.
    moment : float
        Of principal moments, or of those of the covariance, kg m^2.
    """

    mass: float = 1e-6
    moment: float = 1e-8


class PhysicalConsistency(NamedTuple):
    """Conditions on a body's 13 parameters; negative numbers tell by how much one is violated.

    Attributes
    ----------
    mass : float
        kg.
    asymmetry : float
        Greatest ``|I_ij - I_ji|``, kg m^2.
    smallest_moment : float
        Least eigenvalue of the inertia about the centre of mass, kg m^2; NaN if the mass is zero.
    triangle : float
        Sum of the two smaller principal moments less the greatest, kg m^2; NaN likewise.
    pseudo_inertia : float
        Least eigenvalue of the pseudo-inertia matrix.
    consistent : bool
        Some distribution of mass has these parameters (Wensing, Kim, Slotine 2018).
    """

    mass: float
    asymmetry: float
    smallest_moment: float
    triangle: float
    pseudo_inertia: float
    consistent: bool


def parameter_count(form: InertiaForm) -> int:
    """The numbers theta of a body: 13 of the unstructured form, 10 of the others."""
    return _core.parameter_count(number_of(form))


def linear_parameters(
    form: InertiaForm, theta: npt.ArrayLike, floor: InertiaFloor = InertiaFloor()
) -> FloatArray:
    """(13,), mass, mass times centre (3) and inertia about the origin (3 x 3, by rows), of theta (Sutanto et al. 2020).

    Parameters
    ----------
    form : {"unstructured", "symmetric", "positive_definite", "triangular", "covariance"}
        NoStr, Symm, SPD, Tri and Cov of the paper; each guarantees what those before it do. "triangular" and
        "covariance": some body has this inertia, whatever theta is.
    theta : (13,) or (10,) array_like
    floor : InertiaFloor
    """
    return _core.linear_parameters(number_of(form), theta, floor, False)[0]


def linear_parameters_with_derivative(
    form: InertiaForm, theta: npt.ArrayLike, floor: InertiaFloor = InertiaFloor()
) -> tuple[FloatArray, FloatArray]:
    """`linear_parameters`, and their derivative (13, numbers) by theta. theta = 0 is a stationary point."""
    parameters, J = _core.linear_parameters(number_of(form), theta, floor, True)
    assert J is not None
    return parameters, J


def theta_of(
    form: InertiaForm, parameters: npt.ArrayLike, floor: InertiaFloor = InertiaFloor()
) -> Optional[FloatArray]:
    """A theta of these parameters (13,); None if they lack what the form guarantees."""
    return _core.theta_of(number_of(form), parameters, floor)


def physical_consistency(parameters: npt.ArrayLike) -> PhysicalConsistency:
    """Whether a body can have these parameters (13,)."""
    return PhysicalConsistency(*_core.physical_consistency(parameters))


def pseudo_inertia_matrix(parameters: npt.ArrayLike) -> FloatArray:
    """(4, 4), the second moments of the distribution of mass, of parameters (13,)."""
    return _core.pseudo_inertia_matrix(parameters)


class RandomBodies(NamedTuple):
    """Typical sizes of random bodies.

    Attributes
    ----------
    mass : float
        kg, about.
    first_moment : float
        kg m, deviation of each entry of mass times centre.
    extent : float
        kg^1/2 m, deviation of each entry of the covariance's Cholesky factor.
    damping : float
        N m s/rad or N s/m, of every joint, if it is learned.
    """

    mass: float = 1
    first_moment: float = 0.1
    extent: float = 0.1
    damping: float = 0.1


@readable
@dataclasses.dataclass(frozen=True)
class RobotEstimate:
    """The known or learned inertias of a robot's bodies in a form, and the viscous friction of its joints, which is
    never negative.

    Attributes
    ----------
    form : {"unstructured", "symmetric", "positive_definite", "triangular", "covariance"}
    theta : (n, numbers) array
    damping_root : (n,) array or None
        None: friction is not learned. The damping is its square.
    floor : InertiaFloor
    """

    form: InertiaForm
    theta: FloatArray
    damping_root: Optional[FloatArray] = None
    floor: InertiaFloor = InertiaFloor()

    def __post_init__(self) -> None:
        numbers = parameter_count(self.form)
        theta = np.asarray(self.theta, dtype=np.float64)
        if theta.ndim != 2 or theta.shape[1] != numbers:
            raise ValueError(f"theta: shape {theta.shape}, expected (n, {numbers})")
        object.__setattr__(self, "theta", theta)
        if self.damping_root is not None:
            root = np.asarray(self.damping_root, dtype=np.float64)
            if root.shape != (len(theta),):
                raise ValueError(f"damping_root: shape {root.shape}, expected ({len(theta)},)")
            object.__setattr__(self, "damping_root", root)

    @property
    def joints(self) -> int:
        """n."""
        return len(self.theta)

    @property
    def parameters(self) -> FloatArray:
        """(n, 13), as `rigid_body.RigidBodyTree.with_parameters` takes them."""
        return _core.estimate_parameters(self._fields)

    @property
    def damping(self) -> FloatArray:
        """(n,), N m s/rad or N s/m; 0 if it is not learned."""
        return np.zeros(self.joints) if self.damping_root is None else self.damping_root**2

    @staticmethod
    def random(
        form: InertiaForm, joints: int, seed: int, *, damping: bool = False, bodies: RandomBodies = RandomBodies()
    ) -> RobotEstimate:
        """A start for learning: physically possible bodies, drawn by the seed, the same in every form."""
        return estimate_from(_core.random_estimate(number_of(form), int(joints), int(seed), bool(damping), bodies))

    @staticmethod
    def of(
        form: InertiaForm, parameters: npt.ArrayLike, floor: InertiaFloor = InertiaFloor()
    ) -> Optional[RobotEstimate]:
        """An estimate of known parameters (n, 13), such as a tree's; None if the form does not allow them."""
        fields = _core.estimate_of(number_of(form), parameters, floor)
        return None if fields is None else estimate_from(fields)

    @property
    def _fields(self) -> tuple[Any, ...]:
        return number_of(self.form), tuple(self.floor), self.theta, self.damping_root


def estimate_from(fields: tuple[Any, ...]) -> RobotEstimate:
    form, floor, theta, damping_root = fields
    return RobotEstimate(INERTIA_FORMS[form], theta, damping_root, InertiaFloor(*floor))


def number_of(form: InertiaForm) -> int:
    if form not in INERTIA_FORMS:
        raise ValueError(f"form = {form!r}, expected one of {INERTIA_FORMS}")
    return INERTIA_FORMS.index(form)
