# SPDX-License-Identifier: BSD-3-Clause
"""Arm, actuators and cylinders together: as dynamics, simulated with derivatives, and as a machine with noise."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._words import readable
from quoin.dynamics import ContinuousDynamics, StepStatus, shaped
from quoin.fluidic_arm._arms import ArmDescription, FluidicArm, Segment
from quoin.linear_systems import LinearSystem

FloatArray = npt.NDArray[np.float64]


class CubicActuator(NamedTuple):
    """The torque of an actuator by the volume V in its channels, mL: linear V + cubic V^3 (Eqs. 12, 20).

    Attributes
    ----------
    cubic : float
        N m / mL^3.
    linear : float
        N m / mL; not both are 0.
    """

    cubic: float = 0
    linear: float = 0

    def torque(self, volume: float) -> float:
        """N m at a volume, mL."""
        return volume * (self.linear + self.cubic * volume * volume)

    def slope(self, volume: float) -> float:
        """The derivative of the torque, N m / mL."""
        return self.linear + 3 * self.cubic * volume * volume

    def volume(self, torque: float) -> float:
        """The volume, mL, for a torque of either sign (Eq. 28)."""
        if not (self.cubic >= 0 and self.linear >= 0 and self.cubic + self.linear > 0):
            raise ValueError(f"CubicActuator: cubic = {self.cubic}, linear = {self.linear}")
        return _core.actuator_volume(float(self.cubic), float(self.linear), float(torque))


def second_order_cylinder(frequency: float, damping_ratio: float) -> LinearSystem:
    """A cylinder that follows its reference with a natural frequency, rad/s, and a damping ratio."""
    w = float(frequency)
    A = np.array([[0, 1], [-w * w, -2 * damping_ratio * w]])
    return LinearSystem(A, np.array([[0], [w * w]]), np.array([[1.0, 0.0]]))


@dataclasses.dataclass(frozen=True)
class FluidicSystem:
    """Reference volumes, mL -> volumes of the cylinders -> torques of the actuators, delayed -> motion.

    Attributes
    ----------
    arm : ArmDescription
    actuators : sequence of CubicActuator
        m: one for each segment after the passive ones.
    cylinders : sequence of quoin.LinearSystem
        As many: continuous, with one input, one output and D = 0.
    delay : float
        t_d, s.
    """

    arm: ArmDescription
    actuators: Sequence[CubicActuator]
    cylinders: Sequence[LinearSystem]
    delay: float = 0

    def parameter_names(self) -> list[str]:
        """All parameters that motion may depend on, in the order of the vectors below (P,).

        Masses m1.., stiffnesses k1.., dampings b1.., frictions f1.., coefficients c2.. and l2.. of the actuators
        (numbered by segment), the delay t_d, and the bend angles at time 0, theta1(0)...
        """
        return _core.parameter_names(self._compiled())

    def parameters(self, initial_angles: npt.ArrayLike) -> FloatArray:
        """p (P,) of this system and these angles (N,)."""
        segments = [Segment(*segment) for segment in self.arm.segments]
        angles = np.asarray(initial_angles, dtype=np.float64)
        if angles.shape != (len(segments),):
            raise ValueError(f"initial_angles: shape {angles.shape}, expected ({len(segments)},)")
        actuators = [CubicActuator(*actuator) for actuator in self.actuators]
        of_segments = ("mass", "stiffness", "damping", "friction")
        columns = [[getattr(segment, name) for segment in segments] for name in of_segments]
        columns += [[getattr(actuator, name) for actuator in actuators] for name in ("cubic", "linear")]
        return np.concatenate([*columns, [self.delay], angles]).astype(np.float64)

    def with_parameters(self, p: npt.ArrayLike) -> FluidicSystem:
        """The system with the numbers of p (P,); its other properties stay, and the angles are not its own."""
        numbers = np.asarray(p, dtype=np.float64)
        N, m = len(self.arm.segments), len(self.actuators)
        if numbers.shape != (5 * N + 2 * m + 1,):
            raise ValueError(f"p: shape {numbers.shape}, expected ({5 * N + 2 * m + 1},)")
        values = numbers.tolist()
        segments = [
            Segment(*segment)._replace(
                mass=values[i], stiffness=values[N + i], damping=values[2 * N + i], friction=values[3 * N + i]
            )
            for i, segment in enumerate(self.arm.segments)
        ]
        actuators = [CubicActuator(values[4 * N + i], values[4 * N + m + i]) for i in range(m)]
        arm = dataclasses.replace(self.arm, segments=segments)
        return dataclasses.replace(self, arm=arm, actuators=actuators, delay=values[4 * N + 2 * m])

    def _compiled(self) -> dict[str, Any]:
        return {
            "arm": self.arm._compiled(),
            "actuators": [(float(cubic), float(linear)) for cubic, linear in self.actuators],
            "cylinders": [cylinder._fields for cylinder in self.cylinders],
            "delay": float(self.delay),
        }


class DrivenArm(ContinuousDynamics):
    """Arm, actuators and cylinders as one: state (q, v, states of the cylinders), control the reference volumes, mL.

    The delay is left out: a control acts `system.delay` later.

    Parameters
    ----------
    system : FluidicSystem

    Raises
    ------
    ValueError
        The parts do not fit each other.
    """

    def __init__(self, system: FluidicSystem) -> None:
        self._driven = _core.DrivenArm(system._compiled())
        self._arm = FluidicArm(system.arm)
        super().__init__(self._driven.rates())

    @property
    def arm(self) -> FluidicArm:
        """Without actuators and cylinders."""
        return self._arm

    def volumes(self, x: npt.ArrayLike) -> FloatArray:
        """Of the cylinders (m,), mL."""
        return self._driven.volumes(x)

    def torques(self, x: npt.ArrayLike) -> FloatArray:
        """Of the actuators (m,), N m."""
        return self._driven.torques(x)


@readable
class ArmResponse(NamedTuple):
    """The motion of a system under references. Arrays have a row for each frame that was reached.

    Attributes
    ----------
    states : (frames, 2 N) array
        (q, v).
    ends : (frames, N, 2) array
        (x, z) of the segments' ends, m.
    torques : (frames, m) array
        N m.
    jacobian : (frames, N, 2, P) array or None
        Of the ends by the parameters of `FluidicSystem.parameters`.
    status : StepStatus
        Why it ended.
    """

    states: FloatArray
    ends: FloatArray
    torques: FloatArray
    jacobian: Optional[FloatArray]
    status: StepStatus


def simulate(
    system: FluidicSystem,
    initial_angles: npt.ArrayLike,
    inputs: npt.ArrayLike,
    sample_time: float = 0.02,
    *,
    step: float = 4e-3,
    with_jacobian: bool = False,
) -> ArmResponse:
    """The motion from rest (SIMULATE of Algorithm 1).

    Parameters
    ----------
    system : FluidicSystem
    initial_angles : (N,) array_like
    inputs : (frames, m) array_like
        Reference volumes, mL, held from one frame to the next; the last row is not used.
    sample_time : float
        Between frames, s.
    step : float
        The longest of the integrator, s; halved where its error asks for it.
    with_jacobian : bool
        Exact derivatives of the numerical motion, at 7 times the cost.

    Raises
    ------
    ValueError
        Parts or sizes do not fit.
    """
    fields = _core.simulate_arm(
        system._compiled(), initial_angles, inputs, float(sample_time), float(step), with_jacobian
    )
    states, jacobian = fields["states"], fields["jacobian"]
    frames, segments = len(states), len(system.arm.segments)
    return ArmResponse(
        states,
        fields["ends"].reshape(frames, segments, 2),
        fields["torques"],
        jacobian.reshape(frames, segments, 2, -1) if with_jacobian else None,
        StepStatus(fields["status"]),
    )


@readable
class Recording(NamedTuple):
    """A run of a machine, with a row for each frame.

    Attributes
    ----------
    times : (frames,) array
        s.
    inputs : (frames, m) array
        The references, held from this frame to the next.
    outputs : (frames, N, 2) array
        The ends as they were measured, m.
    status : StepStatus
        Why it ended early, if it did.
    true_states : (frames, 2 N) array
        (q, v) without noise: for evaluation, not for planning.
    true_torques : (frames, m) array
    tip_states : (frames, 4) array
        (x, z, dx/dt, dz/dt) of the tip, without noise.
    """

    times: FloatArray
    inputs: FloatArray
    outputs: FloatArray
    status: StepStatus
    true_states: FloatArray
    true_torques: FloatArray
    tip_states: FloatArray


class FluidicPlant:
    """A simulated machine that is measured with noise. Its system should differ from the planner's.

    Parameters
    ----------
    system : FluidicSystem
    sample_time : float
        Between frames of the camera and changes of the reference, s.
    noise : float
        The standard deviation of each coordinate of a measured end, m.
    initial_angle_noise : float
        Of each bend angle at the start of a run, rad.
    largest_reference : float
        References are clamped to it, mL.
    step : float
        The longest of the integrator, s.
    seed : int
        Of all noise, which goes on from run to run.

    Raises
    ------
    ValueError
        The parts do not fit each other, or an option is out of range.
    """

    def __init__(
        self,
        system: FluidicSystem,
        *,
        sample_time: float = 0.02,
        noise: float = 1.5e-3,
        initial_angle_noise: float = 0,
        largest_reference: float = 1e30,
        step: float = 2e-3,
        seed: int = 1,
    ) -> None:
        options = {
            "sample_time": float(sample_time),
            "noise": float(noise),
            "initial_angle_noise": float(initial_angle_noise),
            "largest_reference": float(largest_reference),
            "step": float(step),
            "seed": int(seed),
        }
        self._segments, self._actuators = len(system.arm.segments), len(system.actuators)
        self._plant = _core.FluidicPlant(system._compiled(), options)

    def run(self, controller: Callable[[float, FloatArray], Any], duration: float) -> Recording:
        """A run from rest.

        Parameters
        ----------
        controller : callable
            ``controller(time, ends) -> references`` of shapes (N, 2) and (m,), asked at every frame. What it raises
            ends the run.
        duration : float
            s.

        Raises
        ------
        ValueError
            The duration is shorter than a frame, or the controller returned another shape.
        """

        def call(time: float, measured: FloatArray) -> FloatArray:
            return shaped(controller(time, measured.reshape(-1, 2)), (self._actuators,), "controller")

        fields = self._plant.run(call, float(duration))
        return Recording(
            fields["times"],
            fields["inputs"],
            fields["outputs"].reshape(-1, self._segments, 2),
            StepStatus(fields["status"]),
            fields["true_states"],
            fields["true_torques"],
            fields["tip"],
        )


class VolumeHistory:
    """The volumes that cylinders have moved, at any past time, under references that are held; zero before time 0.

    Parameters
    ----------
    cylinders : sequence of quoin.LinearSystem
    sample_time : float
        For which a reference is held, s.
    """

    def __init__(self, cylinders: Sequence[LinearSystem], sample_time: float) -> None:
        self._history = _core.VolumeHistory([cylinder._fields for cylinder in cylinders], float(sample_time))

    def advance(self, reference: npt.ArrayLike) -> None:
        """Goes on by one sample time under reference volumes (m,), mL."""
        self._history.advance(reference)

    @property
    def time(self) -> float:
        """To which the volumes are known, s."""
        return self._history.time()

    def at(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Volumes (m,), mL, and their rates (m,), mL/s, at a time not later than `time`."""
        return self._history.at(float(time))
