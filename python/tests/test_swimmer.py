# SPDX-License-Identifier: BSD-3-Clause
"""The swimmer's water is Lamb's and stands under grids; over it fish move as Kirchhoff's equations say."""

import gc

import numpy as np
import pytest

import quoin

swimmer = pytest.importorskip("quoin.swimmer")

TURN = 2 * np.pi
Q, RATES = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -1.5])


@pytest.fixture(scope="module")
def fish():
    return swimmer.ellipsoid_chain(mesh=2)


@pytest.fixture(scope="module")
def water(fish):
    return swimmer.AddedMass(fish)


@pytest.fixture(scope="module")
def grid(water):
    return quoin.AdaptiveGrid(water, spacing=[0.3] * 3, lower=[-1.2] * 3, upper=[1.2] * 3)


def three_links():
    """The planar swimmer of Kanso et al. 2005, decoupled: ellipses a = 0.5, b = 0.05, the middle one is the base."""
    a, b = 0.5, 0.05
    m = np.pi * a * b
    inertia = swimmer.LinkInertia(m, inertia=np.diag([b * b, a * a, a * a + b * b]) * m / 4)
    ends = [swimmer.Hinge(0, in_parent=(-x, 0, 0), in_link=(x, 0, 0)) for x in (a, -a)]
    fish = swimmer.Swimmer([swimmer.Link(inertia=inertia)] * 3, ends, 1)
    block = np.diag([np.pi * (a * a - b * b) ** 2 / 8, np.pi * b * b, np.pi * a * a])
    return swimmer.GeneralizedMass(fish, swimmer.DecoupledAddedMass([block] * 3))


def stroke(swim, shape, steps, end=TURN):
    """Where the base goes while the joints follow shape(t) -> (q, rates) without momentum: (theta, x, y)."""

    def rate(t, pose):
        omega, v, w = swim.twist_at_zero_momentum(*shape(t))
        c, s = np.cos(pose[0]), np.sin(pose[0])
        return np.array([omega, c * v - s * w, s * v + c * w])

    pose, h = np.zeros(3), end / steps
    for t in h * np.arange(steps):
        k1 = rate(t, pose)
        k2 = rate(t + h / 2, pose + h / 2 * k1)
        k3 = rate(t + h / 2, pose + h / 2 * k2)
        pose = pose + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, pose + h * k3))
    return pose


def test_three_ellipses_in_a_plane_swim_as_far_as_the_reference_says():
    swim = swimmer.SwimmerDynamics(three_links())
    moved = stroke(
        swim,
        lambda t: (0.5 * np.array([-np.cos(t), np.sin(t)]), 0.5 * np.array([np.sin(t), np.cos(t)])),
        200,
    )
    np.testing.assert_allclose(moved[1:], [-0.332203, 0.044317], atol=1e-6)
    assert abs(moved[0]) < 1e-7


def test_a_stroke_that_retraces_its_shapes_goes_nowhere_and_a_wave_ahead(fish, water):
    swim = swimmer.SwimmerDynamics(swimmer.GeneralizedMass(fish, water))

    def wave(phase):
        angle = phase * np.arange(3)
        return lambda t: (0.6 * np.sin(TURN * t - angle), 0.6 * TURN * np.cos(TURN * t - angle))

    assert np.abs(stroke(swim, wave(0), 24, 1.0)).max() < 1e-4
    moved = stroke(swim, wave(np.pi / 2), 24, 1.0)
    assert moved[1] > 0.03 and abs(moved[0]) < 1e-3


def test_added_mass_of_an_ellipsoid_is_lambs():
    flows = [swimmer.PotentialFlow([swimmer.geodesic_ellipsoid([2, 1, 1], n)]) for n in (4, 6)]
    coarse, fine = (flow.solve([np.eye(4)]) for flow in flows)
    assert fine.potentials.shape == (362, 6) and flows[1].first_vertices == [0, 362]
    volume = 4 / 3 * np.pi * 2
    limit = (36 * fine.added_mass - 16 * coarse.added_mass) / 20 / volume
    np.testing.assert_allclose(np.diag(limit)[3:], [0.210015, 0.704210, 0.704210], atol=1e-3)
    assert limit[1, 1] * 5 / 5 == pytest.approx(0.239424, abs=1e-3)
    assert fine.asymmetry < 1e-3


def test_a_surface_is_a_solid_and_a_file_of_it_is_read(tmp_path):
    mesh = swimmer.geodesic_ellipsoid([0.1, 0.02, 0.05], 2)
    mesh.require_closed()
    moments = mesh.moments()
    assert moments.volume == pytest.approx(4 / 3 * np.pi * 0.1 * 0.02 * 0.05, rel=1e-12)
    np.testing.assert_allclose(moments.centroid, 0, atol=1e-12)
    with open(tmp_path / "link.obj", "w") as file:
        file.writelines("v %.17g %.17g %.17g\n" % tuple(v) for v in mesh.vertices)
        file.writelines("f %d %d %d\n" % tuple(t + 1) for t in mesh.triangles)
    read = swimmer.read_surface(tmp_path / "link.obj")
    np.testing.assert_array_equal(read.vertices, mesh.vertices)
    np.testing.assert_array_equal(read.triangles, mesh.triangles)
    link = swimmer.Link(read, density=900)
    fish = swimmer.Swimmer([link, link], [swimmer.Hinge(in_parent=(-0.11, 0, 0), in_link=(0.11, 0, 0))])
    assert fish.mass == pytest.approx(2 * 900 * moments.volume)
    assert swimmer.AddedMass(fish).dim == 1
    with pytest.raises(RuntimeError, match="none.obj"):
        swimmer.read_surface(tmp_path / "none.obj")
    with pytest.raises(ValueError, match="edge"):
        swimmer.SurfaceMesh(mesh.vertices, mesh.triangles[1:]).require_closed()


def test_kinematics_are_those_of_the_hinges(fish):
    base = np.eye(4)
    base[:3, 3] = [1, 2, 0]
    poses = fish.poses(Q, base)
    assert poses.shape == (4, 4, 4) and fish.links == 4
    np.testing.assert_array_equal(poses[0], base)
    assert np.arctan2(poses[3, 1, 0], poses[3, 0, 0]) == pytest.approx(Q.sum())
    np.testing.assert_allclose(fish.poses(np.zeros(3))[1][:3, 3], [-0.22, 0, 0], atol=1e-15)
    J, dJ = fish.link_jacobians(Q)
    assert J.shape == (4, 6, 9) and dJ.shape == (3, 4, 6, 9)
    for k, e in enumerate(1e-6 * np.eye(3)):
        difference = (fish.link_jacobians(Q + e)[0] - fish.link_jacobians(Q - e)[0]) / 2e-6
        np.testing.assert_allclose(dJ[k], difference, atol=1e-8)
        turned = (fish.poses(Q + e) - fish.poses(Q - e)) / 2e-6  # of the poses, by the twists of the hinge
        twist = np.linalg.inv(fish.poses(Q)[3]) @ turned[3]
        np.testing.assert_allclose(J[3, 3:, 6 + k], twist[:3, 3], atol=1e-8)
        assert J[3, 2, 6 + k] == pytest.approx(twist[1, 0], abs=1e-8)
    ellipsoid = fish.inertia(0)
    assert ellipsoid.mass == pytest.approx(1000 * 4 / 3 * np.pi * 1e-4, rel=1e-12)
    assert fish.mass == pytest.approx(4 * ellipsoid.mass)
    np.testing.assert_allclose(fish.mass_matrix(0)[3:, 3:], ellipsoid.mass * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(fish.hinges[0].in_parent, [-0.11, 0, 0])
    assert len(fish.surface(2).vertices) == 42


def test_the_added_mass_is_symmetric_positive_and_differentiated(fish, water):
    y, J = water.value_and_jacobian(Q)
    assert (water.dim, water.output_size) == (3, 78)
    A = swimmer.unpack_symmetric(y)
    np.testing.assert_array_equal(A, A.T)
    assert np.linalg.eigvalsh(A).min() > 0 and A[0, 1] == y[1] and A[0, 2] == y[3]
    for k, e in enumerate(1e-5 * np.eye(3)):
        np.testing.assert_allclose(J[:, k], (water(Q + e) - water(Q - e)) / 2e-5, atol=1e-7)
    flow = swimmer.SwimmerFlow(fish)
    assert flow.potentials(Q).shape == (168, 6) and flow.first_vertices == [0, 42, 84, 126, 168]
    assert 0 < flow.asymmetry(Q) < 0.01
    with pytest.raises(RuntimeError, match="touch|overlap"):
        water([2.5, 2.5, 2.5])
    assert water.query([2.5, 2.5, 2.5]).trust is quoin.Trust.failed
    with pytest.raises(quoin.CornerFailure, match="touch|overlap"):
        quoin.AdaptiveGrid(water, spacing=[0.5] * 3, outputs=78, derivatives=1)([2.4, 2.4, 2.4])


def test_two_meshes_extrapolated_are_nearer_to_a_fine_one():
    fine = swimmer.unpack_symmetric(swimmer.AddedMass(swimmer.ellipsoid_chain(links=2, mesh=6))([0.4]))
    two = [swimmer.ellipsoid_chain(links=2, mesh=n) for n in (2, 3)]
    extrapolated = swimmer.unpack_symmetric(swimmer.ExtrapolatedAddedMass(*two)([0.4]))
    alone = swimmer.unpack_symmetric(swimmer.AddedMass(two[1])([0.4]))
    assert np.linalg.norm(extrapolated - fine) < 0.5 * np.linalg.norm(alone - fine)
    with pytest.raises(ValueError, match="panels"):
        swimmer.ExtrapolatedAddedMass(two[1], two[0])


def test_the_added_mass_stands_under_a_grid_and_its_store(tmp_path, fish, water):
    assert water.fingerprint == swimmer.AddedMass(swimmer.ellipsoid_chain(mesh=2, density=900)).fingerprint
    assert water.fingerprint != swimmer.AddedMass(fish, "spatial").fingerprint
    options = dict(spacing=[0.3] * 3, store=tmp_path / "water.quoin")
    first = quoin.AdaptiveGrid(water, executor="threads", **options)
    y = first(Q)
    exact = water(Q)
    assert np.abs(y - exact).max() < 1e-4 * np.abs(exact).max()
    del first
    gc.collect()
    second = quoin.AdaptiveGrid(water, **options)
    np.testing.assert_array_equal(second(Q), y)
    assert second.statistics.exact_evaluations == 0
    mass = swimmer.GeneralizedMass(fish, water)
    assert mass.fingerprint.startswith("swimmer::GeneralizedMass ")
    assert swimmer.GeneralizedMass(fish, second).fingerprint is None


def test_the_mass_is_the_links_and_the_waters(fish, water, grid):
    J = fish.link_jacobians(Q)[0][:, [2, 3, 4]][:, :, [2, 3, 4, 6, 7, 8]]
    bodies = sum(J[b].T @ fish.mass_matrix(b)[2:5, 2:5] @ J[b] for b in range(4))
    stacked = J.reshape(12, 6)
    M = bodies + stacked.T @ swimmer.unpack_symmetric(water(Q)) @ stacked
    mass = swimmer.GeneralizedMass(fish, water)
    np.testing.assert_allclose(swimmer.unpack_symmetric(mass(Q)), M, rtol=1e-10, atol=1e-12)
    over_grid = swimmer.GeneralizedMass(fish, grid)
    inside = Q + 0.07  # of a cell
    H = over_grid.second_derivatives(inside)
    for k, e in enumerate(1e-5 * np.eye(3)):
        up, down = (over_grid.value_and_jacobian(inside + sign * e)[1] for sign in (1, -1))
        np.testing.assert_allclose(H[:, :, k], (up - down) / 2e-5, atol=1e-5)
    with pytest.raises(ValueError, match="no second derivatives"):
        mass.second_derivatives(Q)


@pytest.mark.parametrize("motion", ["planar", "spatial"])
@pytest.mark.parametrize("integrator", ["rk4", "midpoint", "second_difference"])
@pytest.mark.parametrize("free", [False, True])
def test_steps_have_their_derivatives(fish, motion, integrator, free):
    planar = motion == "planar"
    lamb = np.diag([1e-3, 0.05, 2.0]) if planar else np.diag([5e-4, 4e-3, 1e-3, 0.05, 2.0, 0.4])
    mass = swimmer.GeneralizedMass(fish, swimmer.DecoupledAddedMass([lamb] * 4), motion)
    swim = swimmer.SwimmerDynamics(mass, time_step=0.05, integrator=integrator, free_momentum=free)
    layout = swim.layout
    x = swim.state(Q, RATES)
    assert swim.state_size == layout.twist.stop == len(x) == 6 + (3 if planar else 7) + free * (3 if planar else 6)
    u = np.array([0.1, -0.2, 0.05])
    next, A, B = swim.step_with_derivatives(x, u)
    np.testing.assert_allclose(next, swim.step(x, u), rtol=1e-14)
    for k, e in enumerate(1e-5 * np.eye(len(x))):
        np.testing.assert_allclose(A[:, k], (swim.step(x + e, u) - swim.step(x - e, u)) / 2e-5, atol=2e-6)
    for k, e in enumerate(1e-5 * np.eye(3)):
        np.testing.assert_allclose(B[:, k], (swim.step(x, u + e) - swim.step(x, u - e)) / 2e-5, atol=2e-6)


def test_energy_and_momentum_are_kept_and_torques_do_work(fish, grid):
    mass = swimmer.GeneralizedMass(fish, grid)
    swim = swimmer.SwimmerDynamics(mass, time_step=0.01)
    x = swim.state(Q, RATES)
    np.testing.assert_allclose(swim.momentum(x), 0, atol=1e-14)
    coast = swim.rollout(x, np.zeros((30, 3)))
    assert coast.status is quoin.StepStatus.ok
    assert swim.kinetic_energy(coast.states[-1]) == pytest.approx(swim.kinetic_energy(x), rel=1e-5)
    v = swim.velocity(x)
    assert swim.kinetic_energy(x) == pytest.approx(0.5 * v @ swim.mass_matrix(Q) @ v, rel=1e-12)
    np.testing.assert_allclose(v[:3], swim.twist_at_zero_momentum(Q, RATES), atol=1e-14)
    free = swimmer.SwimmerDynamics(mass, time_step=0.01, substeps=4, free_momentum=True)
    base = np.array([[0, -1, 0, 0.3], [1, 0, 0, -0.1], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    start = free.state(Q, RATES, base, [0.5, 0.2, -0.1])
    np.testing.assert_allclose(free.base_pose(start), base, atol=1e-15)
    end = free.rollout(start, 0.05 * np.ones((20, 3))).states[-1]
    np.testing.assert_allclose(free.momentum(end), free.momentum(start), atol=1e-6)
    assert np.abs(free.momentum(start)).max() > 0.01
    np.testing.assert_allclose(free.poses(end)[0], free.base_pose(end))
    place = free.base_pose(end) @ [*fish.centre_of_mass(end[free.layout.angles]), 1]
    np.testing.assert_allclose(free.centre_of_mass(end), place[:3], atol=1e-14)
    assert not free.rest_state(Q)[3:].any()


def test_dynamics_over_a_grid_and_over_boundary_elements_agree(fish, water, grid):
    exact = swimmer.SwimmerDynamics(swimmer.GeneralizedMass(fish, water))
    over = swimmer.SwimmerDynamics(swimmer.GeneralizedMass(fish, grid))
    x, u = exact.state(Q, RATES), np.array([0.1, -0.2, 0.05])
    np.testing.assert_allclose(over.step(x, u), exact.step(x, u), atol=1e-5)
    next, A, B = exact.step_with_derivatives(x, u)
    _, A_over, B_over = over.step_with_derivatives(x, u)
    np.testing.assert_allclose(A_over, A, atol=2e-3 * np.abs(A).max())
    np.testing.assert_allclose(B_over, B, atol=2e-3 * np.abs(B).max())
    with pytest.raises(quoin.StepFailure) as failure:
        over.step(over.rest_state([1.3, 0, 0]), u)
    assert failure.value.status is quoin.StepStatus.outside_domain
    with pytest.raises(quoin.StepFailure) as failure:
        exact.step(exact.rest_state([2.5, 2.5, 2.5]), u)
    assert failure.value.status is quoin.StepStatus.map_failed


def test_a_plan_through_the_grid_swims_a_wave_ahead(fish, water):
    planning = pytest.importorskip("quoin.planning")
    grid = quoin.AdaptiveGrid(water, spacing=[0.6] * 3, lower=[-1.2] * 3, upper=[1.2] * 3)
    wave = np.zeros((51, 9))
    wave[:, :3] = 0.6 * np.sin(TURN * 0.04 * np.arange(51)[:, np.newaxis] - np.pi / 2 * np.arange(3))

    def solve(view, controls):
        swim = swimmer.SwimmerDynamics(swimmer.GeneralizedMass(fish, view), time_step=0.04)
        plan = planning.ilqr(
            swim,
            planning.QuadraticCost(control=[1] * 3, state=[100] * 3 + [0] * 6, state_target=wave),
            start=swim.rest_state(wave[0, :3]),
            guess=controls,
            lower_control=[-0.5] * 3,
            upper_control=[0.5] * 3,
        )
        return plan.controls, plan.cost, plan.converged

    result = quoin.interleave(grid, solve, np.zeros((50, 3)), quoin.Levels(0, 1))
    assert result.stop is quoin.InterleaveStop.converged
    assert np.abs(result.iterate).max() <= 0.5
    exact = swimmer.SwimmerDynamics(swimmer.GeneralizedMass(fish, water), time_step=0.04)
    states = exact.rollout(exact.rest_state(wave[0, :3]), result.iterate).states
    moved = exact.centre_of_mass(states[-1]) - exact.centre_of_mass(states[0])
    assert moved[0] > 0.08  # two strokes of 0.6 rad; zero momentum all the way
    assert np.abs(states[5:, :3] - wave[5:, :3]).max() < 0.05


def test_mistakes_are_told_with_their_numbers(fish, water):
    with pytest.raises(ValueError, match="'up'"):
        swimmer.AddedMass(fish, "up")
    with pytest.raises(ValueError, match="need 300"):
        swimmer.GeneralizedMass(fish, water, "spatial")
    with pytest.raises(ValueError, match="'euler'"):
        swimmer.SwimmerDynamics(swimmer.GeneralizedMass(fish, water), integrator="euler")
    mass = swimmer.GeneralizedMass(fish, water)
    with pytest.raises(ValueError, match="time step -1"):
        swimmer.SwimmerDynamics(mass, time_step=-1)
    swim = swimmer.SwimmerDynamics(mass)
    with pytest.raises(ValueError, match=r"q: shape \(2,\), expected \(3,\)"):
        swim.rest_state([0, 0])
    with pytest.raises(ValueError, match="a base twist of size 3 given, wanted none"):
        swim.state(Q, RATES, None, [0, 0, 0])
    with pytest.raises(ValueError, match="packed"):
        swimmer.unpack_symmetric([1, 2])
    with pytest.raises(ValueError, match="6 hinges|variables"):
        swimmer.AddedMass(swimmer.ellipsoid_chain(links=8, mesh=1))
    two = swimmer.ellipsoid_chain(links=2, mesh=1)
    with pytest.raises(ValueError, match="1 hinges, steps are compiled for 2 and 3"):
        swimmer.SwimmerDynamics(swimmer.GeneralizedMass(two, swimmer.AddedMass(two)))
    with pytest.raises(ValueError, match="link 4 of 4"):
        fish.inertia(4)
