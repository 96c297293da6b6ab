# SPDX-License-Identifier: BSD-3-Clause
"""Planners over dynamics of models and of Python's classes.

A plan minimizes the sum over i = 0..K of ``1/2 |r_i(x_i, u_i)|^2`` over controls ``u_0 .. u_{K-1}``, where ``x_0`` is
given and ``x_{i+1} = g(x_i, u_i)``.
"""

from quoin._aico import AicoPlan, AicoStop, aico
from quoin._costs import MapCost, QuadraticCost
from quoin._ilqr import IlqrIteration, IlqrPlan, IlqrStop, ilqr
from quoin._judge import Judgement, judge
from quoin._parts import need

need("planning", "planning", "aico")

__all__ = [
    "AicoPlan",
    "AicoStop",
    "IlqrIteration",
    "IlqrPlan",
    "IlqrStop",
    "Judgement",
    "MapCost",
    "QuadraticCost",
    "aico",
    "ilqr",
    "judge",
]
