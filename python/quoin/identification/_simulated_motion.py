# SPDX-License-Identifier: BSD-3-Clause
"""The outputs of dynamics that depend on parameters."""

from __future__ import annotations

from typing import Callable, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin.dynamics import AnyDynamics, Dynamics, StepStatus, compiled_dynamics

FloatArray = npt.NDArray[np.float64]


class SimulatedMotion:
    """The outputs of dynamics that depend on parameters, for `fit_output_error`.

    Parameters
    ----------
    dynamics : callable
        ``dynamics(p)`` returns a Dynamics or object (see `quoin.DiscreteDynamics`), such as a `quoin.RungeKutta` of
        continuous ones.
    start : (n,) array_like or callable
        The first state, or ``start(p)``.
    controls : (K, m) array_like
    outputs : callable, optional
        ``outputs(states)`` of states (K + 1, n) returns (frames, rows): a `quoin.Map`, say. By default the states.
    """

    def __init__(
        self,
        dynamics: Callable[[FloatArray], AnyDynamics],
        start: Union[npt.ArrayLike, Callable[[FloatArray], npt.ArrayLike]],
        controls: npt.ArrayLike,
        outputs: Optional[Callable[[FloatArray], npt.ArrayLike]] = None,
    ) -> None:
        self._dynamics = dynamics
        self._start = start
        self._controls = np.asarray(controls, dtype=np.float64)
        self._outputs = outputs

    def __call__(self, p: FloatArray) -> Optional[npt.ArrayLike]:
        """The outputs with parameters p (P,); None where a step fails."""
        start = self._start(p) if callable(self._start) else self._start
        motion = Dynamics(compiled_dynamics(self._dynamics(p))).rollout(start, self._controls)
        if motion.status is not StepStatus.ok:
            return None
        return motion.states if self._outputs is None else self._outputs(motion.states)
