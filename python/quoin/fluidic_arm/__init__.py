# SPDX-License-Identifier: BSD-3-Clause
"""The fluidic arm: segments of constant curvature, driven by fluid (Marchese, Tedrake, Rus 2015).

>>> import numpy as np
>>> from quoin import fluidic_arm
>>> arm = fluidic_arm.FluidicArm(fluidic_arm.ArmDescription(
...     [fluidic_arm.Segment(0.13, mass=m, stiffness=0.108, damping=4.2e-3) for m in (0.190, 0.146, 0.090, 0.090)]))
>>> rest = fluidic_arm.find_equilibrium(arm, [0.12, 0.13, 0.18])
>>> rest.converged
True
"""

from __future__ import annotations

from quoin import _core
from quoin._parts import need
from quoin.dynamics import ContinuousDynamics
from quoin.fluidic_arm._arms import ArmDescription, FluidicArm, Segment
from quoin.fluidic_arm._statics import (
    Brace,
    Equilibrium,
    EquilibriumMap,
    PoseParts,
    StaticPose,
    angles_of_ends,
    find_equilibrium,
    holding_force,
)
from quoin.fluidic_arm._systems import (
    ArmResponse,
    CubicActuator,
    DrivenArm,
    FluidicPlant,
    FluidicSystem,
    Recording,
    VolumeHistory,
    second_order_cylinder,
    simulate,
)
from quoin.maps import Map

need("fluidic_arm", "fluidic_arm")

__all__ = [
    "ArmDescription",
    "ArmOverMap",
    "ArmResponse",
    "Brace",
    "CubicActuator",
    "DrivenArm",
    "Equilibrium",
    "EquilibriumMap",
    "FluidicArm",
    "FluidicPlant",
    "FluidicSystem",
    "MassGravityMap",
    "PoseParts",
    "Recording",
    "Segment",
    "StaticPose",
    "VolumeHistory",
    "angles_of_ends",
    "find_equilibrium",
    "holding_force",
    "second_order_cylinder",
    "simulate",
]


class MassGravityMap(Map):
    """The lower triangle of M(q) row by row, then G(q): N (N + 3) / 2 outputs, for grids.

    A query of the map itself takes microseconds: a grid over it is for study.

    Parameters
    ----------
    arm : FluidicArm
        Of 1 to 6 segments.
    """

    def __init__(self, arm: FluidicArm) -> None:
        super().__init__(_core.mass_gravity_map(arm._arm))
        self._size = arm.size

    def mass(self, i: int, j: int) -> int:
        """Which output is M_ij."""
        low, high = min(i, j), max(i, j)
        return high * (high + 1) // 2 + low

    def gravity(self, i: int) -> int:
        """Which output is G_i."""
        return self._size * (self._size + 1) // 2 + i


class ArmOverMap(ContinuousDynamics):
    """An arm whose M and G come from any map with the outputs of `MassGravityMap`: itself, or a view of a grid.

    State (q, v), control the torques, as of `FluidicArm`. A derivative asks 2 N + 1 times.

    Parameters
    ----------
    map : Map
    description : ArmDescription
        Of stiffnesses, damping, friction and actuators.

    Raises
    ------
    ValueError
        Map and description are not of one number of segments.
    """

    def __init__(self, map: Map, description: ArmDescription) -> None:
        super().__init__(_core.arm_over_map(map, description._compiled()))
