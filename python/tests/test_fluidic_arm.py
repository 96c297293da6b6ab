# SPDX-License-Identifier: BSD-3-Clause
"""The fluidic arm sags as beams do, moves as its energies say, also over a grid; its machine is simulated."""

import dataclasses
import gc

import numpy as np
import pytest

import quoin

fluidic_arm = pytest.importorskip("quoin.fluidic_arm")

RNG = np.random.default_rng(7)
MASSES = (0.190, 0.146, 0.090, 0.090)


def table1():
    """The arm of Table 1 of the paper."""
    segments = [fluidic_arm.Segment(0.13, mass=m, stiffness=0.108, damping=4.2e-3) for m in MASSES]
    return fluidic_arm.ArmDescription(segments)


def crooked():
    """Unequal segments, dead lengths, an oblique base: tests/robots/models/fluidic_arm/arms.hpp."""
    segments = [
        fluidic_arm.Segment(0.10, 0.02, 0.20, 0.11, 4e-3),
        fluidic_arm.Segment(0.13, 0, 0.15, 0.09, 3e-3),
        fluidic_arm.Segment(0.09, 0.03, 0.10, 0.12, 5e-3),
    ]
    return fluidic_arm.ArmDescription(segments, base_angle=0.4, base_rotation=0.7)


def system(delay=0.047):
    return fluidic_arm.FluidicSystem(
        table1(),
        [fluidic_arm.CubicActuator(8e-7, 1e-4), fluidic_arm.CubicActuator(9e-7), fluidic_arm.CubicActuator(7e-7)],
        [fluidic_arm.second_order_cylinder(*drive) for drive in ((20, 0.7), (25, 0.9), (22, 0.5))],
        delay,
    )


@pytest.mark.parametrize(
    "segments, model, sag",
    [(1, "distributed", 0.363065), (4, "distributed", 0.487502), (1, "mid_arc", 0.295893), (4, "mid_arc", 0.484415)],
)
def test_a_horizontal_clamp_sags_as_computed(segments, model, sag):
    pieces = [fluidic_arm.Segment(1 / segments, mass=5 / segments)] * segments
    beam = fluidic_arm.ArmDescription(pieces, model, gravity=1, base_angle=np.pi / 2).with_stiffness_of_beam(1)
    arm = fluidic_arm.FluidicArm(beam)
    rest = fluidic_arm.find_equilibrium(arm, np.zeros(segments - 1))
    assert rest.converged and rest.residual < 1e-10
    assert -arm.point(rest.q)[1] == pytest.approx(sag, abs=1e-6)
    assert arm.length == pytest.approx(1)


def test_kinematics_have_their_jacobians():
    arm = fluidic_arm.FluidicArm(crooked())
    q, v = RNG.uniform(-1, 1, (2, 3))
    place, J = arm.point_and_jacobian(q, 1, 0.6)
    velocity, slope = arm.point_velocity(q, v, 1, 0.6)
    np.testing.assert_allclose(velocity, J @ v, atol=1e-14)
    ends, J_ends = arm.ends_and_jacobian(q)
    np.testing.assert_allclose(ends[-1], arm.point(q), atol=1e-15)
    for k, e in enumerate(1e-6 * np.eye(3)):
        np.testing.assert_allclose(J[:, k], (arm.point(q + e, 1, 0.6) - arm.point(q - e, 1, 0.6)) / 2e-6, atol=1e-9)
        np.testing.assert_allclose(J_ends[:, :, k], (arm.ends(q + e) - arm.ends(q - e)) / 2e-6, atol=1e-9)
        up, down = (arm.point_velocity(q + sign * e, v, 1, 0.6)[0] for sign in (1, -1))
        np.testing.assert_allclose(slope[:, k], (up - down) / 2e-6, atol=1e-8)
    assert not J[:, 2].any()
    np.testing.assert_array_equal(arm.point_map(1, 0.6)(q), place)
    np.testing.assert_array_equal(arm.ends_map()(q), ends.ravel())
    assert quoin.check_derivatives(arm.ends_map(), q).passed
    shape = arm.shape(q, 4)
    assert shape.shape == (1 + 3 * 5, 2)
    np.testing.assert_allclose(shape[-1], ends[-1], atol=1e-12)
    space = arm.in_space(ends)
    np.testing.assert_allclose(space[:, 2], ends[:, 1])
    np.testing.assert_allclose(space[:, 1], np.sin(0.7) * ends[:, 0], atol=1e-12)
    np.testing.assert_allclose(fluidic_arm.angles_of_ends(arm, ends), q, atol=1e-6)


def test_dynamics_are_those_of_the_energies_and_linear_in_the_parameters():
    arm = fluidic_arm.FluidicArm(crooked())
    q, v, a = RNG.uniform(-1, 1, (3, 3))
    forces, dq, dv, M = arm.inverse_dynamics_derivatives(q, v, a)
    np.testing.assert_array_equal(forces, arm.inverse_dynamics(q, v, a))
    np.testing.assert_allclose(M, arm.mass_matrix(q), atol=1e-14)
    static, stiffness = arm.static_forces(q)
    bias = arm.coriolis_matrix(q, v) @ v + [4e-3, 3e-3, 5e-3] * v
    np.testing.assert_allclose(forces, M @ a + bias + static, atol=1e-12)
    springs = np.array([0.11, 0.09, 0.12])
    np.testing.assert_allclose(static, arm.gravity_forces(q) + springs * q, atol=1e-13)
    kinetic, potential = arm.energy(q, v)
    assert kinetic == pytest.approx(0.5 * v @ M @ v, rel=1e-12)
    for k, e in enumerate(1e-6 * np.eye(3)):
        assert static[k] == pytest.approx((arm.energy(q + e, v)[1] - arm.energy(q - e, v)[1]) / 2e-6, abs=1e-8)
        up, down = (arm.inverse_dynamics(q + sign * e, v, a) for sign in (1, -1))
        np.testing.assert_allclose(dq[:, k], (up - down) / 2e-6, atol=1e-8)
        np.testing.assert_allclose(stiffness[:, k], (arm.static_forces(q + e)[0] - arm.static_forces(q - e)[0]) / 2e-6,
                                   atol=1e-8)
    parameters = np.concatenate(([0.20, 0.15, 0.10], springs, [4e-3, 3e-3, 5e-3]))
    np.testing.assert_allclose(arm.regressor(q, v, a) @ parameters, forces, atol=1e-12)
    u = np.array([0.05, -0.02])
    rate, A, B = arm.rate_with_derivatives(np.concatenate((q, v)), u)
    np.testing.assert_allclose(arm.inverse_dynamics(q, v, rate[3:]), arm.actuation @ u, atol=1e-12)
    assert (arm.state_size, arm.control_size, A.shape, B.shape) == (6, 2, (6, 6), (6, 2))


def test_equilibria_are_a_map_of_the_torques_that_a_grid_stores(tmp_path):
    arm = fluidic_arm.FluidicArm(table1())
    rest = fluidic_arm.EquilibriumMap(arm)
    torques = np.array([0.10, 0.05, -0.08])
    q = rest(torques)
    np.testing.assert_allclose(arm.static_forces(q)[0], arm.actuation @ torques, atol=1e-9)
    np.testing.assert_array_equal(q, fluidic_arm.find_equilibrium(arm, torques).q)
    assert quoin.check_derivatives(rest, torques, largest_step=0.02).passed
    options = dict(spacing=[0.05] * 3, store=tmp_path / "rest.quoin")
    grid = quoin.AdaptiveGrid(rest, **options)
    y = grid(torques + 0.01)
    assert np.abs(y - rest(torques + 0.01)).max() < 1e-2
    del grid
    gc.collect()
    assert quoin.AdaptiveGrid(rest, **options)(torques + 0.01) == pytest.approx(y, abs=0)
    assert rest.fingerprint != fluidic_arm.EquilibriumMap(arm, [0.1, 0, 0, 0]).fingerprint
    with pytest.raises(RuntimeError, match="N m are left after 1 iterations"):
        fluidic_arm.EquilibriumMap(arm, max_iterations=1)(torques)
    assert fluidic_arm.EquilibriumMap(arm, max_iterations=1).query(torques).trust is quoin.Trust.failed
    for bad in (dict(tolerance=np.nan), dict(tolerance=-1e-9), dict(max_iterations=-1)):
        (name,) = bad
        with pytest.raises(ValueError, match=f"find_equilibrium: {name} = "):
            fluidic_arm.find_equilibrium(arm, torques, **bad)
        with pytest.raises(ValueError, match=f"EquilibriumMap: {name} = "):
            fluidic_arm.EquilibriumMap(arm, **bad)
    with pytest.raises(ValueError, match="finite"):
        fluidic_arm.find_equilibrium(arm, torques * np.nan)


def test_an_arm_over_a_grid_moves_as_the_arm_does():
    arm = fluidic_arm.FluidicArm(crooked())
    exact = fluidic_arm.MassGravityMap(arm)
    assert exact.fingerprint == "fluidic_arm::MassGravityMap 37a61f6919d86007"  # as in C++
    q, v = RNG.uniform(-1, 1, (2, 3))
    y = exact(q)
    assert y[exact.mass(2, 1)] == y[exact.mass(1, 2)] == pytest.approx(arm.mass_matrix(q)[1, 2], rel=1e-12)
    np.testing.assert_allclose(y[exact.gravity(0) :], arm.gravity_forces(q), atol=1e-14)
    x, u = np.concatenate((q, v)), np.array([0.05, -0.02])
    rate, A, B = arm.rate_with_derivatives(x, u)
    over, A_over, B_over = fluidic_arm.ArmOverMap(exact, crooked()).rate_with_derivatives(x, u)
    np.testing.assert_allclose(over, rate, rtol=1e-11)
    np.testing.assert_allclose(A_over, A, atol=1e-7 * np.abs(A).max())
    np.testing.assert_allclose(B_over, B, rtol=1e-9)
    grid = quoin.AdaptiveGrid(exact, spacing=[0.4] * 3, lower=[-2] * 3, upper=[2] * 3)
    errors = [
        np.linalg.norm(fluidic_arm.ArmOverMap(grid.at_level(level), crooked()).rate(x, u) - rate) for level in (0, 2, 4)
    ]
    assert errors[1] < errors[0] / 8 and errors[2] < errors[1] / 8
    with pytest.raises(quoin.StepFailure) as failure:
        fluidic_arm.ArmOverMap(grid, crooked()).rate(np.full(6, 2.5), u)
    assert failure.value.status is quoin.StepStatus.outside_domain
    with pytest.raises(ValueError, match="4 segments and a map with 9 outputs"):
        fluidic_arm.ArmOverMap(exact, table1())


def test_an_actuators_volume_is_the_inverse_of_its_torque():
    for actuator in (fluidic_arm.CubicActuator(8e-7), fluidic_arm.CubicActuator(8e-7, 1e-3)):
        for volume in (-60.0, -1e-6, 0.0, 17.0):
            assert actuator.volume(actuator.torque(volume)) == pytest.approx(volume, rel=1e-12)
        difference = (actuator.torque(17 + 1e-4) - actuator.torque(17 - 1e-4)) / 2e-4
        assert actuator.slope(17) == pytest.approx(difference, rel=1e-6)
    assert fluidic_arm.CubicActuator(8e-7).volume(0.1) == pytest.approx(50)
    with pytest.raises(ValueError, match="cubic = 0"):
        fluidic_arm.CubicActuator().volume(0.1)


def test_cylinders_step_as_second_order_systems_do():
    w = 20
    history = fluidic_arm.VolumeHistory([fluidic_arm.second_order_cylinder(w, 1)], 0.02)
    for _ in range(10):
        history.advance([50.0])
    assert history.time == pytest.approx(0.2)
    volumes, rates = history.at(0.0131)
    assert volumes[0] == pytest.approx(50 * (1 - (1 + w * 0.0131) * np.exp(-w * 0.0131)), abs=1e-6)
    assert rates[0] == pytest.approx(50 * w * w * 0.0131 * np.exp(-w * 0.0131), rel=1e-3)
    with pytest.raises(ValueError, match="ends at 0.2"):
        history.at(0.25)


def test_arm_and_cylinders_as_dynamics_move_as_the_simulated_system_without_a_delay():
    driven = fluidic_arm.DrivenArm(system(0))
    step = quoin.RungeKutta(driven, 0.02, 20)
    inputs = 40 * np.sin(0.2 * np.outer(np.arange(21), [1, 2, 3]))
    motion = step.rollout(np.zeros(14), inputs[:20])
    response = fluidic_arm.simulate(system(0), np.zeros(4), inputs, step=1e-3)
    assert motion.status is quoin.StepStatus.ok and response.status is quoin.StepStatus.ok
    np.testing.assert_allclose(motion.states[-1, :8], response.states[-1], atol=1e-6)
    np.testing.assert_allclose(driven.torques(motion.states[-1]), response.torques[-1], atol=1e-9)
    assert response.ends.shape == (21, 4, 2) and response.jacobian is None
    np.testing.assert_allclose(driven.arm.ends(response.states[-1, :4]), response.ends[-1], atol=1e-14)


def test_the_motion_is_differentiated_by_every_parameter():
    nominal, angles = system(), np.array([0.1, -0.2, 0.3, 0.1])
    names, p = nominal.parameter_names(), nominal.parameters(angles)
    assert names[:2] == ["m1", "m2"] and names[16:19] == ["c2", "c3", "c4"] and names[22:24] == ["t_d", "theta1(0)"]
    inputs = 30 * np.sin(0.12 * np.outer(np.arange(16), [1, 1.4, 1.8]))
    response = fluidic_arm.simulate(nominal, angles, inputs, with_jacobian=True)
    assert response.jacobian.shape == (16, 4, 2, 27) and len(p) == 27
    for k in (1, 6, 9, 18, 24):
        h = 1e-5 * max(abs(p[k]), 1e-3) if names[k][0] != "c" else 1e-5 * p[k]
        ends = []
        for sign in (1, -1):
            changed = p.copy()
            changed[k] += sign * h
            moved = nominal.with_parameters(changed)
            ends.append(fluidic_arm.simulate(moved, changed[23:], inputs).ends)
        difference = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(response.jacobian[..., k], difference, atol=2e-3 * np.abs(difference).max())
    np.testing.assert_array_equal(nominal.with_parameters(2 * p).parameters(2 * angles), 2 * p)


def test_a_machine_is_run_by_a_controller_and_measured_with_noise():
    plant = fluidic_arm.FluidicPlant(system(), noise=1e-3, largest_reference=30, seed=3)
    asked = []

    def controller(time, ends):
        asked.append((time, ends.shape))
        return [40 * np.sin(3 * time), 10, -10]

    seen = plant.run(controller, 0.4)
    assert seen.status is quoin.StepStatus.ok and len(seen.times) == 21 == len(asked)
    assert asked[3] == (pytest.approx(0.06), (4, 2))
    assert seen.inputs.max() <= 30 and seen.outputs.shape == (21, 4, 2)
    exact = fluidic_arm.simulate(system(), np.zeros(4), seen.inputs, step=2e-3)
    np.testing.assert_allclose(seen.true_states, exact.states, atol=1e-10)
    noise = seen.outputs - exact.ends
    assert 0.7e-3 < noise.std() < 1.3e-3
    np.testing.assert_allclose(seen.tip_states[:, :2], exact.ends[:, 3], atol=1e-10)
    with pytest.raises(KeyError, match="lost"):
        plant.run(lambda time, ends: {}["lost"], 0.4)
    with pytest.raises(ValueError, match=r"shape \(2,\), expected \(3,\)"):
        plant.run(lambda time, ends: [1, 2], 0.4)
    with pytest.raises(RuntimeError, match="running already"):
        plant.run(lambda time, ends: plant.run(controller, 0.4), 0.4)


def test_a_plan_brings_the_tip_to_a_goal():
    planning = pytest.importorskip("quoin.planning")
    arm = fluidic_arm.FluidicArm(table1())
    goal = arm.point(fluidic_arm.find_equilibrium(arm, [0.05, 0.04, 0.06]).q)
    plan = planning.ilqr(
        quoin.RungeKutta(arm, 0.02),
        [
            planning.QuadraticCost(control=[10.0] * 3, final=[0, 0, 0, 0, 1, 1, 1, 1]),
            planning.MapCost(arm.point_map(), goal, 300.0, first=40),
        ],
        start=np.zeros(8),
        guess=np.zeros((40, 3)),
        lower_control=[-0.15] * 3,
        upper_control=[0.15] * 3,
    )
    assert plan.converged
    assert np.linalg.norm(arm.point(plan.states[-1, :4]) - goal) < 2e-3


def test_a_braced_pose_has_constraints_with_their_jacobian():
    arm = fluidic_arm.FluidicArm(crooked())
    brace = fluidic_arm.Brace(1, 0.05, arm_radius=0.015, friction=0.5)
    pose = fluidic_arm.StaticPose(
        arm, max_torque=0.3, goal=[0.2, 0.1, -0.2], ball=[0.1, 0.06, -0.2], clearance=0.05, brace=brace
    )
    assert (pose.dim, pose.output_size) == (9, 24)
    z = np.concatenate((RNG.uniform(-1, 1, 7), [1.3, -0.4]))
    J = pose.value_and_jacobian(z)[1]
    for k, e in enumerate(1e-6 * np.eye(9)):
        np.testing.assert_allclose(J[:, k], (pose(z + e) - pose(z - e)) / 2e-6, atol=1e-6)
    parts = pose.parts(z)
    np.testing.assert_array_equal(parts.contact, z[6:])
    assert parts.rotation == z[5] and pose.lower[3] == -0.3

    torques = np.array([0.1, -0.05])
    rest = fluidic_arm.find_equilibrium(arm, torques)
    tip = arm.in_space([arm.point(rest.q)])[0]
    free = fluidic_arm.StaticPose(arm, max_torque=[0.2, 0.2], goal=tip)
    at_rest = np.concatenate((rest.q, torques, [0.7]))
    assert free.violation(at_rest) < 1e-9
    at_rest[3] = 0.5
    assert free.violation(at_rest) == pytest.approx(0.4)


def test_the_force_that_holds_a_braced_arm_is_found():
    arm = fluidic_arm.FluidicArm(dataclasses.replace(crooked(), passive_segments=0))
    q, phi, radius = np.array([0.4, 0.3, -0.5]), 1.1, 0.015
    normal = np.array([np.cos(phi), np.sin(phi)])
    force = 1.7 * normal + 0.3 * np.array([-normal[1], normal[0]])
    torques = arm.static_forces(q)[0] - arm.point_and_jacobian(q, 1)[1].T @ force
    torques[:2] += radius * 0.3
    np.testing.assert_allclose(fluidic_arm.holding_force(arm, q, torques, 1, phi, radius), [1.7, 0.3], rtol=1e-9)


def test_mistakes_are_told_with_their_numbers():
    with pytest.raises(ValueError, match="-1"):
        fluidic_arm.FluidicArm(fluidic_arm.ArmDescription([fluidic_arm.Segment(-1)]))
    with pytest.raises(ValueError, match="'even'"):
        fluidic_arm.FluidicArm(fluidic_arm.ArmDescription([fluidic_arm.Segment(1)], "even"))
    arm = fluidic_arm.FluidicArm(table1())
    with pytest.raises(ValueError, match=r"q: shape \(3,\), expected \(4,\)"):
        arm.mass_matrix(np.zeros(3))
    with pytest.raises(ValueError, match="segment = 4"):
        arm.point(np.zeros(4), 4)
    with pytest.raises(ValueError, match="3"):
        fluidic_arm.DrivenArm(dataclasses.replace(system(), actuators=system().actuators[:2]))
    discrete = dataclasses.replace(fluidic_arm.second_order_cylinder(20, 1), time_step=0.02)
    with pytest.raises(ValueError, match="not a continuous system"):
        fluidic_arm.DrivenArm(dataclasses.replace(system(), cylinders=[discrete] * 3))
    with pytest.raises(ValueError, match="without a ball"):
        fluidic_arm.StaticPose(arm, max_torque=1, brace=fluidic_arm.Brace(1, 0.05))
    with pytest.raises(ValueError, match="7 variables"):
        seven = fluidic_arm.ArmDescription([fluidic_arm.Segment(0.1, mass=0.1)] * 7)
        fluidic_arm.MassGravityMap(fluidic_arm.FluidicArm(seven))
    twelve = fluidic_arm.simulate(system(), np.zeros(4), np.zeros((12, 3)))
    assert len(twelve.states) == 12
    with pytest.raises(ValueError, match=r"inputs: shape \(12, 2\)"):
        fluidic_arm.simulate(system(), np.zeros(4), np.zeros((12, 2)))
