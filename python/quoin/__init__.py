# SPDX-License-Identifier: BSD-3-Clause
"""Quoin: on-demand hierarchical grid surrogates for expensive functions of 1 to 6 variables.

>>> import numpy as np, quoin
>>> grid = quoin.AdaptiveGrid(lambda x: np.sin(x).sum(keepdims=True), spacing=[0.25, 0.25])
>>> y, J = grid.value_and_jacobian(np.array([0.3, 0.4]))
"""

from typing import TYPE_CHECKING

from quoin._core import __version__
from quoin.answers import Answer, Answers, ErrorCheck, ErrorEstimate, Trust
from quoin.axes import Axis, linear, log, periodic
from quoin.choosing import Resolution, SurrogateAdvice, SurrogateChoice, suggest_resolutions, suggest_surrogate
from quoin.dynamics import (
    ContinuousDynamics,
    Differenced,
    DiscreteDynamics,
    Dynamics,
    LinearDynamics,
    RatesWithDerivatives,
    Rollout,
    RungeKutta,
    StepFailure,
    StepStatus,
    runge_kutta_step,
)
from quoin.errors import CornerFailure, DomainError, Interrupted, NotEvaluated, RetryableFailure
from quoin.functions import (
    DerivativeCheck,
    FunctionMap,
    check_derivatives,
    with_fallback,
    restrict_to,
)
from quoin.grids import AdaptiveGrid
from quoin.interleaving import (
    InterleaveResult,
    InterleaveStop,
    Levels,
    LevelsUntil,
    Round,
    SolverResult,
    Thresholds,
    Tolerances,
    interleave,
    levels_for,
)
from quoin.kernels import (
    Deviation,
    KernelInterpolant,
    KernelOptions,
    KernelRefinement,
    KernelSurrogate,
    KernelView,
)
from quoin.linear_systems import LinearSystem
from quoin.maps import FrozenView, GridView, CachedAnswer, Map
from quoin.options import GridOptions
from quoin.progressing import Progress, progress
from quoin.reduced_dynamics import ReducedDynamics
from quoin.samples import InsertedSamples, Samples
from quoin.statistics import GridStatistics, StoreStatus
from quoin.stops import Stop
from quoin.storing import load
from quoin.surrogates import Surrogate, SurrogateRound
from quoin.tables import Table, TableAnswer
from quoin.workers import Workers

if TYPE_CHECKING:
    from quoin import fluidic_arm, identification, planning, plot, rigid_body, scipy, soft_arm, swimmer, topology, torch
else:

    def __getattr__(name):
        """Loads a submodule when it is first used."""
        if name not in _SUBMODULES:
            raise AttributeError(f"module 'quoin' has no attribute {name!r}")
        import importlib

        return importlib.import_module(f"quoin.{name}")


_SUBMODULES = (
    "fluidic_arm",
    "identification",
    "planning",
    "plot",
    "rigid_body",
    "scipy",
    "soft_arm",
    "swimmer",
    "topology",
    "torch",
)

__all__ = [
    "AdaptiveGrid",
    "Answer",
    "Answers",
    "Axis",
    "ContinuousDynamics",
    "CornerFailure",
    "DerivativeCheck",
    "Deviation",
    "Differenced",
    "DiscreteDynamics",
    "DomainError",
    "Dynamics",
    "ErrorCheck",
    "ErrorEstimate",
    "FrozenView",
    "FunctionMap",
    "GridOptions",
    "GridStatistics",
    "GridView",
    "InsertedSamples",
    "InterleaveResult",
    "InterleaveStop",
    "Interrupted",
    "KernelInterpolant",
    "KernelOptions",
    "KernelRefinement",
    "KernelSurrogate",
    "KernelView",
    "CachedAnswer",
    "Levels",
    "LevelsUntil",
    "LinearDynamics",
    "LinearSystem",
    "Map",
    "NotEvaluated",
    "Progress",
    "RatesWithDerivatives",
    "ReducedDynamics",
    "Resolution",
    "RetryableFailure",
    "Rollout",
    "Round",
    "RungeKutta",
    "Samples",
    "SolverResult",
    "StepFailure",
    "StepStatus",
    "Stop",
    "StoreStatus",
    "Surrogate",
    "SurrogateAdvice",
    "SurrogateChoice",
    "SurrogateRound",
    "Table",
    "TableAnswer",
    "Thresholds",
    "Tolerances",
    "Trust",
    "Workers",
    "check_derivatives",
    "with_fallback",
    "interleave",
    "levels_for",
    "linear",
    "load",
    "log",
    "periodic",
    "progress",
    "restrict_to",
    "runge_kutta_step",
    "suggest_resolutions",
    "suggest_surrogate",
    "__version__",
]
