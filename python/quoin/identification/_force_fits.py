# SPDX-License-Identifier: BSD-3-Clause
"""Inertias from the forces of a motion, by Adam."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.identification._excitations import RobotMotion
from quoin.identification._force_models import ForceModel, compiled_forces
from quoin.identification._inertias import RobotEstimate, estimate_from
from quoin.stops import Stop

FloatArray = npt.NDArray[np.float64]


class FitUpdate(NamedTuple):
    """One step of a fit.

    Attributes
    ----------
    epoch : int
        From 1.
    update : int
        From 1, over all epochs.
    loss : float
        Mean over the batch of the weighted squared error, before the step.
    """

    epoch: int
    update: int
    loss: float


@readable
@dataclasses.dataclass(frozen=True)
class ForceFit:
    """What was learned, and how.

    Attributes
    ----------
    estimate : RobotEstimate
        After the last step.
    stop : Stop
        `target_reached`, or `converged`: an epoch improved the error by less than `improvement`. `not_finite`: that step
        is not taken; an unstructured mass may have passed through zero. Else `iteration_limit`: all epochs.
    errors : (epochs + 1, n) array
        `normalized_errors` over all instants, before the first epoch and after each.
    updates : int
        Steps taken.
    """

    estimate: RobotEstimate
    stop: Stop
    errors: FloatArray
    updates: int


def normalizing_weights(motion: RobotMotion) -> FloatArray:
    """(n,) 1 / variance of every joint's forces: the loss is then the sum of the joints' normalized errors. 1 for
    constant forces."""
    return _core.normalizing_weights(motion._fields)


def fit_forces(
    model: ForceModel,
    motion: RobotMotion,
    start: RobotEstimate,
    *,
    epochs: Optional[int] = None,
    batch: Optional[int] = None,
    learning_rate: Optional[float] = None,
    target: Optional[float] = None,
    improvement: Optional[float] = None,
    weights: Optional[npt.ArrayLike] = None,
    shuffled: Optional[bool] = None,
    seed: Optional[int] = None,
    observer: Optional[Callable[[FitUpdate, RobotEstimate], Optional[bool]]] = None,
) -> ForceFit:
    """Learns inertias, and friction if the start has it, from a motion: mini-batches of Adam on the mean squared error
    (Sutanto et al. 2020, Eq. 2), with exact gradients. Deterministic.

    Parameters
    ----------
    model : rigid_body.TreeDynamics or object
        See `RegressedForces`. Its own masses do not count; friction that it has itself is added.
    motion : RobotMotion
    start : RobotEstimate
        Such as `RobotEstimate.random`.
    epochs : int, optional
        Passes over all instants; by default 100.
    batch : int, optional
        Instants per step; by default 256.
    learning_rate : float, optional
        By default 1e-2.
    target : float, optional
        Ends when every joint's normalized error is at most this; by default 0.
    improvement : float, optional
        Ends with the epoch that lowers the mean normalized error by less than this share of it; by default 0.
    weights : (n,) array_like, optional
        Of the joints' squared errors; by default 1. See `normalizing_weights`.
    shuffled : bool, optional
        By default True; False: batches in the order of time.
    seed : int, optional
        Of the order of the instants; by default 1.
    observer : callable, optional
        ``observer(update, estimate)`` is called after every step; False ends the fit.

    Raises
    ------
    ValueError
        Shapes or options do not fit.
    Exception
        What model or observer raise.
    """
    told = None
    if observer is not None:
        tell = observer

        def told(update: tuple[Any, ...], estimate: tuple[Any, ...]) -> Optional[bool]:
            return tell(FitUpdate(*update), estimate_from(estimate))

    options = {
        "epochs": epochs,
        "batch": batch,
        "learning_rate": learning_rate,
        "target": target,
        "improvement": improvement,
        "weights": weights,
        "shuffled": shuffled,
        "seed": seed,
        "observer": told,
    }
    compiled = compiled_forces(model, motion.joints)
    estimate, stop, errors, updates = _core.fit_forces(compiled, motion._fields, start._fields, options)
    return ForceFit(estimate_from(estimate), Stop(stop), errors, updates)


class Adam(NamedTuple):
    """The moments of the gradients of earlier steps.

    Attributes
    ----------
    first_moment, second_moment : array
        Empty before the first step.
    updates : int
    """

    first_moment: FloatArray = np.zeros(0)
    second_moment: FloatArray = np.zeros(0)
    updates: int = 0


class FitStep(NamedTuple):
    """What a step of learning gave.

    Attributes
    ----------
    loss : float or None
        Mean over the batch of the weighted squared error, before the step; None if it or its gradient was not finite,
        and no step was taken.
    estimate : RobotEstimate
    adam : Adam
        For the next step.
    """

    loss: Optional[float]
    estimate: RobotEstimate
    adam: Adam


def fit_step(
    model: ForceModel,
    batch: RobotMotion,
    estimate: RobotEstimate,
    adam: Adam = Adam(),
    *,
    learning_rate: float = 1e-2,
    weights: Optional[npt.ArrayLike] = None,
) -> FitStep:
    """One step of `fit_forces`, as a robot that learns while it moves takes with each new batch.

    Parameters
    ----------
    model, weights, learning_rate
        As of `fit_forces`.
    batch : RobotMotion
    estimate : RobotEstimate
    adam : Adam
        Of the step before.
    """
    compiled = compiled_forces(model, batch.joints)
    loss, fields, moments = _core.fit_step(
        compiled, batch._fields, float(learning_rate), estimate._fields, tuple(adam), weights
    )
    return FitStep(loss, estimate_from(fields), Adam(*moments))
