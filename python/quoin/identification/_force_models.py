# SPDX-License-Identifier: BSD-3-Clause
"""Models of joint forces that are linear in the parameters of the bodies."""

from __future__ import annotations

from typing import Any, Protocol, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin.dynamics import shaped
from quoin.identification._excitations import RobotMotion
from quoin.identification._inertias import RobotEstimate
from quoin.rigid_body import TreeDynamics

FloatArray = npt.NDArray[np.float64]


class RegressedForces(Protocol):
    """What fits take in the place of a `rigid_body.TreeDynamics`: any object with this member."""

    def regressor(self, q: FloatArray, qd: FloatArray, qdd: FloatArray, /) -> Any:
        """Y (n, 13 n) with ``tau = Y @ parameters.ravel()``, q, qd, qdd (n,)."""


ForceModel = Union[TreeDynamics, RegressedForces]


def compiled_forces(model: ForceModel, joints: int) -> _core.Forces:
    """The model as C++ takes it. Raises ValueError for another number of joints."""
    if isinstance(model, TreeDynamics):
        if model.tree.size != joints:
            raise ValueError(f"a model of {model.tree.size} joints, for a motion of {joints}")
        return _core.tree_forces(model.tree._compiled, model._options)
    if not hasattr(model, "regressor"):
        raise TypeError(f"model: a {type(model).__name__} has no regressor")
    regressor = model.regressor
    return _core.called_forces(
        lambda q, qd, qdd: shaped(regressor(q, qd, qdd), (joints, 13 * joints), "regressor")
    )


def predicted_forces(model: ForceModel, estimate: RobotEstimate, motion: RobotMotion) -> FloatArray:
    """tau (T, n) of the estimate, friction included, at every instant of the motion.

    Parameters
    ----------
    model : rigid_body.TreeDynamics or object
        See `RegressedForces`. Its own masses do not count; friction that it has itself is added.
    estimate : RobotEstimate
    motion : RobotMotion
        Its tau does not count.
    """
    return _core.predicted_forces(compiled_forces(model, motion.joints), estimate._fields, motion._fields)
