# SPDX-License-Identifier: BSD-3-Clause
"""Planners over dynamics of models and of Python's classes.

A plan of `ilqr`, `transcribe` and `aico` minimizes the sum over i = 0..K of ``1/2 |r_i(x_i, u_i)|^2`` over controls
``u_0 .. u_{K-1}``, where ``x_0`` is given and ``x_{i+1} = g(x_i, u_i)``. `collocate` takes continuous dynamics, and
integrals in the place of the sum. It and `transcribe` need Ipopt.
"""

from typing import TYPE_CHECKING

from quoin._parts import need
from quoin._renamed import renamed_names
from quoin.planning._aico import AicoPlan, aico
from quoin.planning._collocation import collocate
from quoin.planning._collocation_plan import CollocationPlan, Refinement, RefinementStop, Replay, measure_defects, replay
from quoin.planning._corrected import CorrectedPlan, Correction, correct_by_rollouts
from quoin.planning._costs import MapCost, QuadraticCost
from quoin.planning._feedback import LinearizedMotion, TimeVaryingLqr, TrajectoryFilter, linearize_along, time_varying_lqr
from quoin.planning._ilqr import IlqrIteration, IlqrPlan, ilqr
from quoin.planning._judge import Judgement, judge
from quoin.planning._nlp import NlpIteration
from quoin.planning._node_dynamics import ControlRates, InverseDynamics
from quoin.planning._output_tracking import OutputTracking, track_output
from quoin.planning._running import Run, TrackingLoop, learn, run
from quoin.planning._tracking import Tracking, TrackingPlan, track
from quoin.planning._transcription import TranscriptionPlan, transcribe

need("planning", "planning")

if not TYPE_CHECKING:
    __getattr__ = renamed_names(__name__, {name: "quoin.Stop" for name in ("AicoStop", "IlqrStop", "NlpStop")})

__all__ = [
    "AicoPlan",
    "CollocationPlan",
    "CorrectedPlan",
    "Correction",
    "ControlRates",
    "IlqrIteration",
    "IlqrPlan",
    "InverseDynamics",
    "Judgement",
    "LinearizedMotion",
    "MapCost",
    "NlpIteration",
    "OutputTracking",
    "QuadraticCost",
    "Refinement",
    "RefinementStop",
    "Replay",
    "Run",
    "TimeVaryingLqr",
    "Tracking",
    "TrackingLoop",
    "TrackingPlan",
    "TrajectoryFilter",
    "TranscriptionPlan",
    "aico",
    "collocate",
    "correct_by_rollouts",
    "ilqr",
    "judge",
    "learn",
    "linearize_along",
    "measure_defects",
    "replay",
    "run",
    "time_varying_lqr",
    "track",
    "track_output",
    "transcribe",
]
