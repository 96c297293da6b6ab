# SPDX-License-Identifier: BSD-3-Clause
"""The soft arm in Python: statics solve their equation, grid and dynamics are near them, the store is its own."""

import gc
import os

import numpy as np
import pytest

import quoin

soft_arm = pytest.importorskip("quoin.soft_arm")
planning = pytest.importorskip("quoin.planning")

COARSE = dict(cells_across=2, cells_along=10)
ALPHA = np.array([0.7, 1.9])


@pytest.fixture(scope="module")
def statics():
    return soft_arm.Statics(soft_arm.beam(2, **COARSE))


@pytest.fixture(scope="module")
def arm(statics):
    return soft_arm.SoftArmGrid(statics, time_step=0.04, stiffness_damping=0.05, mass_damping=0.1)


def test_the_beam_has_the_size_mass_and_lines_that_it_was_given():
    beam = soft_arm.beam(2, length=0.4, width=0.04, cells_across=2, cells_along=8, density=900, line_force=3)
    assert (beam.space_dim, beam.lines, beam.size) == (2, 2, 2 * 3 * 9)
    assert beam.line_force == 3
    assert beam.mass.sum() == pytest.approx(2 * 900 * 0.4 * 0.04 * 0.04, rel=1e-12)  # of both coordinates
    vertices = np.asarray(beam.mesh.vertices)
    np.testing.assert_array_equal(vertices.ravel(), beam.rest)
    np.testing.assert_allclose(beam.lengths(beam.rest), [0.4, 0.4], rtol=1e-12)
    for line, side in zip(beam.line_vertices, (-0.02, 0.02)):
        np.testing.assert_allclose(vertices[line, 0], side, atol=1e-15)
    tip = beam.tip_rows @ np.concatenate((beam.rest, [0, 0]))
    np.testing.assert_allclose(tip, [0, 0.4, 0, 0.35], atol=1e-12)
    assert soft_arm.beam(3, **COARSE).lines == 4
    with pytest.raises(ValueError, match="-1"):
        soft_arm.beam(2, length=-1)
    with pytest.raises(ValueError, match="space_dim = 4"):
        soft_arm.beam(4)


def test_the_gradient_is_that_of_the_energy():
    beam = soft_arm.beam(2, **COARSE, gravity=[0, -9.81])
    rng = np.random.default_rng(1)
    x, u = beam.rest + 1e-3 * rng.normal(size=beam.size), np.array([0.5, 0.2])
    gradient = beam.gradient(x, u)
    for free in (0, 7, 20):
        e = np.zeros(beam.size)
        e[beam.free_dofs[free]] = 1e-7
        difference = (beam.energy(x + e, u) - beam.energy(x - e, u)) / 2e-7
        assert gradient[free] == pytest.approx(difference, rel=1e-5, abs=1e-5)


def test_statics_are_in_equilibrium_with_their_jacobian(statics):
    y, J = statics.value_and_jacobian(ALPHA)
    n = statics.arm.size
    assert y.shape == (n + 2,) and J.shape == (n + 2, 2)
    assert np.abs(statics.arm.gradient(y[:n], ALPHA)).max() < 1e-8 * statics.arm.line_force
    np.testing.assert_allclose(statics.arm.lengths(y[:n]), y[n:], rtol=1e-12)
    for k, e in enumerate(np.eye(2)):
        difference = (statics(ALPHA + 1e-4 * e) - statics(ALPHA - 1e-4 * e)) / 2e-4
        np.testing.assert_allclose(J[:, k], difference, rtol=0, atol=1e-6)
    assert quoin.check_derivatives(statics, ALPHA).passed
    solves = statics.solves
    statics(ALPHA)
    assert statics.solves == solves  # remembered


def test_jets_hold_the_derivatives_up_to_their_order(statics):
    y, J = statics.value_and_jacobian(ALPHA)
    jets = {order: statics.jet(ALPHA, order) for order in (1, 2, 3)}
    assert [jets[order].shape[1] for order in (1, 2, 3)] == [3, 6, 10]
    np.testing.assert_allclose(jets[3][:, 0], y, rtol=0, atol=1e-9)
    np.testing.assert_allclose(jets[1][:, 1:], J, rtol=0, atol=1e-7)
    np.testing.assert_allclose(jets[3][:, :6], jets[2], rtol=0, atol=1e-7)
    h = 1e-3
    for k, e in enumerate(np.eye(2)):  # d2/da2, d2/dadb, d2/db2 are columns 3 to 5
        up, down = (statics.value_and_jacobian(ALPHA + sign * h * e)[1] for sign in (1, -1))
        np.testing.assert_allclose(jets[2][:, [3 + k, 4 + k]], (up - down) / (2 * h), rtol=0, atol=1e-5)
    with pytest.raises(ValueError, match="order 4"):
        statics.jet(ALPHA, 4)


def test_statics_tell_where_there_is_no_equilibrium(statics):
    with pytest.raises(RuntimeError, match="unstable|not converged|inverted"):
        statics([400.0, 400.0])
    answer = statics.query([400.0, 400.0])
    assert answer.y is None and answer.trust is quoin.Trust.failed


def test_a_corner_without_an_equilibrium_fails_with_the_reason(statics):
    arm = soft_arm.SoftArmGrid(statics, upper=402)
    with pytest.raises(quoin.CornerFailure, match="unstable|not converged|inverted"):
        arm.tip(arm.grid)([400.2, 400.2])
    with pytest.raises(quoin.DomainError):
        arm.tip(arm.grid)([-1.6, 0.0])


def test_fingerprints_tell_arms_apart(statics):
    same = soft_arm.Statics(soft_arm.beam(2, **COARSE))
    assert statics.fingerprint == same.fingerprint
    other = soft_arm.Statics(soft_arm.beam(2, **COARSE, young=4e5))
    assert other.fingerprint != statics.fingerprint
    assert quoin.FunctionMap(lambda x: (x, np.eye(2)), 2, 2).fingerprint is None


def test_statics_under_a_grid_of_pythons_with_a_store(tmp_path, statics):
    def grid():
        return quoin.AdaptiveGrid(statics, spacing=[0.5, 0.5], store=tmp_path / "shapes.quoin")

    first = grid()
    y = first(ALPHA)
    assert first.statistics.exact_evaluations == 4
    assert np.abs(y - statics(ALPHA)).max() < 1e-3
    del first  # it writes what is left
    gc.collect()
    second = grid()
    np.testing.assert_array_equal(second(ALPHA), y)
    assert second.statistics.exact_evaluations == 0 and second.statistics.from_storage == 4


def test_maps_and_dynamics_are_as_fine_as_the_view_that_they_are_asked_with(statics):
    arm = soft_arm.SoftArmGrid(statics, jet_order=1, spacing=0.5)
    exact = statics.arm.tip_rows @ statics(ALPHA)
    errors = []
    for level in range(3):
        tip = arm.tip(arm.grid.at_level(level))
        assert tip.level == level and tip.output_size == 4
        errors.append(np.linalg.norm(tip(ALPHA) - exact))
    assert errors[1] < errors[0] / 4 and errors[2] < errors[1] / 4
    to_tolerance = arm.tip(arm.grid.at_tolerance(1e-6))
    assert np.linalg.norm(to_tolerance(ALPHA) - exact) / 2 < 1e-6
    assert arm.coordinates(arm.grid).output_size == arm.basis_size + 2
    with pytest.raises(ValueError, match="expected a view of a grid of 2 variables"):
        arm.tip(statics)


def test_steps_on_the_grid_are_near_the_exact_ones_and_have_their_derivatives(arm):
    state, control = np.array([1.3, 0.4, 1.28, 0.41]), np.array([1.5, 0.2])
    on_grid, exact = arm.dynamics(arm.grid), arm.exact_dynamics()
    assert (on_grid.state_size, on_grid.control_size) == (4, 2)
    next = on_grid.step(state, control)
    np.testing.assert_allclose(next, exact.step(state, control), rtol=0, atol=1e-4)
    np.testing.assert_array_equal(next[2:], state[:2])
    _, A, B = exact.step_with_derivatives(state, control)
    difference = np.column_stack([
        (exact.step(state, control + 1e-5 * e) - exact.step(state, control - 1e-5 * e)) / 2e-5 for e in np.eye(2)
    ])
    np.testing.assert_allclose(B, difference, rtol=0, atol=2e-2)  # without the map's second derivatives
    assert A.shape == (4, 4)
    np.testing.assert_array_equal(A[2:, :2], np.eye(2))
    with pytest.raises(quoin.StepFailure) as failure:
        on_grid.step([5.9, 5.9, -1.4, -1.4], [400.0, 400.0])
    assert failure.value.status is not quoin.StepStatus.ok


def test_reduced_and_full_dynamics_move_alike(arm):
    controls = np.column_stack((np.full(12, 0.5), np.zeros(12)))
    reduced = arm.exact_dynamics().rollout(np.zeros(4), controls)
    full = arm.full_dynamics()
    body = arm.arm
    motion = full.rollout(body.rest, controls)
    assert reduced.status is quoin.StepStatus.ok and motion.status is quoin.StepStatus.ok
    assert motion.positions.shape == (13, body.size)
    rows = body.tip_rows[:2, : body.size]
    tip = rows @ motion.positions[-1]
    by_shapes = body.tip_rows[:2] @ arm.statics(reduced.states[-1, :2])
    moved = np.linalg.norm(tip - rows @ body.rest)
    assert moved > 0.01 and np.linalg.norm(tip - by_shapes) < 0.3 * moved
    again, J = full.sensitivity(body.rest, controls, rows)
    np.testing.assert_array_equal(again.positions, motion.positions)
    assert J.shape == (12, 2, 12, 2)
    changed = controls.copy()
    changed[4, 0] += 1e-5
    difference = rows @ (full.rollout(body.rest, changed).positions[-1] - motion.positions[-1]) / 1e-5
    np.testing.assert_allclose(J[-1, :, 4, 0], difference, rtol=0, atol=1e-5)
    assert not J[2, :, 4].any()  # the past does not know the future


def test_a_plan_through_the_grid_reaches_its_goal_on_the_full_dynamics(arm):
    planning = pytest.importorskip("quoin.planning")
    target = np.array([0.1, 0.45, 0, 0])

    def solve(view, controls):
        terms = [
            planning.QuadraticCost(control=[0.01, 0.01]),
            planning.MapCost(arm.tip(view), target, [100, 100, 0, 0], first=30),
        ]
        plan = planning.ilqr(
            arm.dynamics(view),
            terms,
            start=np.zeros(4),
            guess=controls,
            lower_control=[0, 0],
            upper_control=[4, 4],
            relative_tolerance=1e-4,
            initial_regularization=10,
        )
        return plan.controls, plan.cost, plan.converged

    result = quoin.interleave(arm.grid, solve, np.zeros((50, 2)), quoin.Levels(0, 1))
    assert result.stop is quoin.InterleaveStop.converged
    assert result.iterate.min() >= 0 and result.iterate.max() <= 4
    motion = arm.full_dynamics().rollout(arm.arm.rest, result.iterate)
    tip = arm.arm.tip_rows[:2, : arm.arm.size] @ motion.positions[-1]
    assert np.linalg.norm(tip - target[:2]) < 5e-3


def test_an_arm_in_space_is_planned_with_as_the_library_does_it():
    planning = pytest.importorskip("quoin.planning")
    beam = soft_arm.beam(3, **COARSE)
    arm = soft_arm.SoftArmGrid(beam, time_step=0.04, stiffness_damping=0.05)
    target = np.array([0.2, 0.1, 0.4, 0, 0, 0])

    def solve(view, controls):
        terms = [
            planning.MapCost(arm.tip(view), target, [100, 100, 100, 0, 0, 0], first=40),
            planning.QuadraticCost(control=[0.01] * 4),
        ]
        plan = planning.ilqr(
            arm.dynamics(view),
            terms,
            start=np.zeros(8),
            guess=controls,
            lower_control=[0] * 4,
            upper_control=[4] * 4,
            relative_tolerance=1e-4,
            initial_regularization=10,
        )
        return plan.controls, plan.cost, plan.converged

    result = quoin.interleave(arm.grid, solve, np.zeros((80, 4)), quoin.levels_for(1, 0.5))
    motion = arm.full_dynamics().rollout(beam.rest, result.iterate)
    tip = beam.tip_rows[:3, : beam.size] @ motion.positions[-1]
    # examples/soft_arm_on_grid.cpp prints: converged after 2 rounds, cost 2.7645, 1.148 mm, 71 shapes for 297
    assert result.stop is quoin.InterleaveStop.converged and len(result.rounds) == 2
    assert result.cost == pytest.approx(2.7645, abs=5e-4)
    assert 1e3 * np.linalg.norm(tip - target[:3]) == pytest.approx(1.148, abs=0.02)
    assert (arm.basis_size, beam.size) == (71, 297)


def test_a_stored_arm_solves_for_nothing_again(tmp_path):
    path = tmp_path / "arm.quoin"

    def made():
        statics = soft_arm.Statics(soft_arm.beam(2, **COARSE))
        arm = soft_arm.SoftArmGrid(statics, store=path, threads=1)
        return arm, arm.tip(arm.grid)(ALPHA)

    first, tip = made()
    assert first.statics.solves > 0 and os.path.exists(path)
    del first
    second, again = made()
    assert second.statics.solves == 0
    np.testing.assert_array_equal(again, tip)
    with pytest.raises(ValueError):
        soft_arm.SoftArmGrid(soft_arm.beam(2, **COARSE, young=4e5), store=path)


def test_the_basis_grows_by_what_it_misses(statics):
    arm = soft_arm.SoftArmGrid(statics, basis_control=0.2, threads=1)
    size = arm.basis_size
    path = np.column_stack((2 + 1.5 * np.cos(np.arange(0, 6, 0.5)), 2 + 1.5 * np.sin(np.arange(0, 6, 0.5))))
    arm.coordinates(arm.grid)(path)
    assert arm.basis_remainder > 1e-7
    assert arm.error_along(arm.grid, path).error >= arm.basis_remainder
    assert arm.grow() == arm.basis_size - size > 0
    assert arm.basis_remainder < 1e-7
    gram = arm.shapes.T @ (arm.arm.mass[:, np.newaxis] * arm.shapes)
    np.testing.assert_allclose(gram, np.eye(arm.basis_size), atol=1e-8)


MESH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
6
1 1 "clamped"
1 2 "left"
1 3 "right"
1 4 "tip"
1 5 "before_tip"
2 6 "rubber"
$EndPhysicalNames
$Nodes
6
1 -1 0 0
2 1 0 0
3 -1 2 0
4 1 2 0
5 -1 4 0
6 1 4 0
$EndNodes
$Elements
11
1 1 2 1 1 1 2
2 1 2 4 1 5 6
3 1 2 5 1 3 4
4 1 2 2 1 1 3
5 1 2 2 1 3 5
6 1 2 3 1 2 4
7 1 2 3 1 4 6
8 2 2 6 1 1 2 3
9 2 2 6 1 2 4 3
10 2 2 6 1 3 4 5
11 2 2 6 1 4 6 5
$EndElements
"""


def test_an_arm_from_a_file_of_gmsh(tmp_path):
    (tmp_path / "arm.msh").write_text(MESH)
    mesh = soft_arm.read_gmsh(tmp_path / "arm.msh", 2)
    assert np.asarray(mesh.vertices).shape == (6, 2) and np.asarray(mesh.elements).shape == (4, 3)
    assert mesh.vertex_groups["left"] == [0, 2, 4]
    arm = soft_arm.from_mesh(mesh, lines=["left", "right"], young={"rubber": 5e4}, line_force=100, thickness=0.1)
    assert arm.space_dim == 2 and arm.line_force == 100
    assert arm.mass.sum() == pytest.approx(2 * 1000 * 8 * 0.1)
    np.testing.assert_allclose(arm.lengths(arm.rest), [4, 4])
    pulled = soft_arm.Statics(arm)([0.5, 0.0])
    assert pulled[-2] < pulled[-1] < 4
    assert pulled[8] < -1  # the tip leans to the line that pulls
    with pytest.raises(ValueError, match="middle"):
        soft_arm.from_mesh(mesh, lines=["left", "middle"], young={"rubber": 5e4})
    with pytest.raises(ValueError, match="rubber"):
        soft_arm.from_mesh(mesh, lines=["left", "right"], young={"steel": 2e11})
    with pytest.raises(RuntimeError, match="none.msh"):
        soft_arm.read_gmsh(tmp_path / "none.msh", 2)
    (tmp_path / "broken.msh").write_text(MESH.replace("11 2 2 6 1 4 6 5", "11 2 2 6 1 4 6 9"))
    with pytest.raises(RuntimeError, match="broken.msh"):
        soft_arm.read_gmsh(tmp_path / "broken.msh", 2)


def smooth_pulls(steps, pulls):
    s = np.minimum(np.arange(1, steps + 1) / (0.6 * steps), 1)
    return (s * s * (3 - 2 * s))[:, np.newaxis] * np.asarray(pulls)


def tips_of_motion(arm, controls):
    motion = arm.full_dynamics().rollout(arm.arm.rest, controls)
    assert motion.status is quoin.StepStatus.ok
    return motion.positions @ arm.arm.tip_rows[:, : arm.arm.size].T


def test_with_inertia_the_tip_is_where_the_mesh_in_motion_has_it(statics):
    arm = soft_arm.SoftArmGrid(statics, spacing=0.5, time_step=0.02, stiffness_damping=0.03)
    controls = smooth_pulls(60, [1.2, 0.1])
    truth = tips_of_motion(arm, controls)[-1]
    inertial, tip = arm.inertial_dynamics(arm.grid), arm.inertial_tip(arm.grid)
    assert (inertial.state_size, inertial.control_size, tip.dim, tip.output_size) == (6, 2, 3, 4)
    at_end = inertial.rollout(np.zeros(6), controls).states[-1]
    at_rest = arm.dynamics(arm.grid).rollout(np.zeros(4), controls).states[-1]
    error = np.linalg.norm(tip(at_end[:3]) - truth)
    assert error < 0.1 * np.linalg.norm(arm.tip(arm.grid)(at_rest[:2]) - truth)
    exact = arm.exact_inertial_dynamics().rollout(np.zeros(6), controls).states[-1]
    np.testing.assert_allclose(at_end, exact, rtol=0, atol=2e-3)
    with pytest.raises(ValueError, match="3 modes"):
        soft_arm.SoftArmGrid(statics, bending_modes=3).inertial_tip(arm.grid)


def test_rollouts_of_the_mesh_correct_a_plan(statics):
    arm = soft_arm.SoftArmGrid(statics, spacing=0.5, time_step=0.04, stiffness_damping=0.05)
    target = np.array([0.15, 0.45, 0, 0])

    def cost(tip):
        return [
            planning.QuadraticCost(control=[0.1] * 2),
            planning.MapCost(tip, target, [100, 100, 0, 0], first=15),
        ]

    problem = {"lower_control": [0, 0], "upper_control": [4, 4], "initial_regularization": 3}
    for dynamics, tip in (
        (arm.inertial_dynamics(arm.grid), arm.inertial_tip(arm.grid)),
        (arm.dynamics(arm.grid), arm.tip(arm.grid)),
    ):
        start = np.zeros(dynamics.state_size)
        plan = planning.correct_by_rollouts(
            dynamics,
            cost(tip),
            lambda controls: tips_of_motion(arm, controls),
            start=start,
            guess=np.zeros((30, 2)),
            max_rollouts=6,
            **problem,
        )
        seen = tips_of_motion(arm, plan.controls)[15:, :2]
        shown = 0.5 * 100**2 * np.sum((seen - target[:2]) ** 2) + 0.5 * 0.1 * np.sum(plan.controls**2)
        assert plan.cost == pytest.approx(shown, rel=1e-9)
        assert plan.cost == pytest.approx(min(one.cost for one in plan.log))
        if dynamics.state_size == 6:
            assert plan.converged and plan.iterations <= 3
            best = plan.cost
            assert plan.log[0].cost < 1.1 * best
        else:  # shapes at rest alone stall above it
            assert plan.log[0].cost > 1.2 * best
            assert plan.cost > 0.99 * best
    with pytest.raises(ValueError, match=r"shape \(3, 4\), expected \(31, 4\)"):
        planning.correct_by_rollouts(
            dynamics, cost(tip), lambda controls: np.zeros((3, 4)), start=start, guess=np.zeros((30, 2)), **problem
        )
    with pytest.raises(ValueError, match="no MapCost"):
        planning.correct_by_rollouts(
            dynamics,
            planning.QuadraticCost(control=[1, 1]),
            lambda controls: controls,
            start=start,
            guess=np.zeros((30, 2)),
        )
