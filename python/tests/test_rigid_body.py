# SPDX-License-Identifier: BSD-3-Clause
"""Trees of rigid bodies move as their energy says, with the derivatives of what they answer."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import quoin

rigid_body = pytest.importorskip("quoin.rigid_body")

URDF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "data", "iiwa7.urdf")
RNG = np.random.default_rng(5)
Q, QD, QDD = RNG.uniform(-1, 1, (3, 7))


@pytest.fixture(scope="module")
def iiwa():
    try:
        return rigid_body.read_urdf(URDF)
    except RuntimeError as error:
        if "without urdfdom" in str(error):
            pytest.skip(str(error))
        raise


def double_pendulum():
    """Point masses of 2 and 1 kg at the ends of rods of 0.5 and 0.4 m, swinging about y, hanging along -z."""

    def at(z):
        placement = np.eye(4)
        placement[2, 3] = z
        return placement

    swing = dict(type="revolute", axis=(0, 1, 0))
    return rigid_body.RigidBodyTree([
        rigid_body.Link("upper", joint="shoulder", mass=2, centre=(0, 0, -0.5), damping=0.3, lower=-3, **swing),
        rigid_body.Link("lower", "upper", "elbow", mass=1, centre=(0, 0, -0.4), placement=at(-0.5), **swing),
        rigid_body.Link("hand", "lower", "wrist", placement=at(-0.4)),
    ])


def test_a_double_pendulum_is_that_of_the_textbook():
    tree = double_pendulum()
    dynamics = rigid_body.TreeDynamics(tree)
    (a, b), (da, db), (dda, ddb) = q, qd, qdd = np.array([[0.4, -0.9], [1.2, 0.5], [-0.7, 2.0]])
    m1, m2, l1, l2, g = 2, 1, 0.5, 0.4, 9.81
    M = np.array([
        [(m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * np.cos(b), m2 * l2**2 + m2 * l1 * l2 * np.cos(b)],
        [m2 * l2**2 + m2 * l1 * l2 * np.cos(b), m2 * l2**2],
    ])
    weight = np.array([
        (m1 + m2) * g * l1 * np.sin(a) + m2 * g * l2 * np.sin(a + b),
        m2 * g * l2 * np.sin(a + b),
    ])
    c = m2 * l1 * l2 * np.sin(b) * np.array([-2 * da * db - db**2, da**2])
    np.testing.assert_allclose(dynamics.mass_matrix(q), M, rtol=1e-12)
    np.testing.assert_allclose(dynamics.gravity(q), weight, rtol=1e-12)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, qd, qdd), M @ qdd + c + weight, rtol=1e-12)
    np.testing.assert_allclose(dynamics.coriolis_matrix(q, qd) @ qd, c, rtol=1e-12)
    kinetic, potential = dynamics.energy(q, qd)
    assert kinetic == pytest.approx(0.5 * qd @ M @ qd, rel=1e-12)
    assert potential == pytest.approx(-g * ((m1 + m2) * l1 * np.cos(a) + m2 * l2 * np.cos(a + b)), rel=1e-12)
    damped = rigid_body.TreeDynamics(tree, friction="viscous")
    np.testing.assert_allclose(
        damped.inverse_dynamics(q, qd, qdd), M @ qdd + c + weight + [0.3 * da, 0], rtol=1e-12
    )
    hand = dynamics.pose(q, "hand")
    place = [-l1 * np.sin(a) - l2 * np.sin(a + b), 0, -l1 * np.cos(a) - l2 * np.cos(a + b)]
    np.testing.assert_allclose(hand[:3, 3], place, atol=1e-12)
    assert [joint.name for joint in tree.joints] == ["shoulder", "elbow"]
    assert (tree.joints[0].lower, tree.joints[0].damping, tree.joints[1].link) == (-3, 0.3, "lower")


def test_derivatives_are_those_of_the_inverse_dynamics_and_forward_dynamics_undo_them(iiwa):
    dynamics = rigid_body.TreeDynamics(iiwa, friction="viscous")
    tau, dq, dqd, M = dynamics.inverse_dynamics_derivatives(Q, QD, QDD)
    np.testing.assert_allclose(tau, dynamics.inverse_dynamics(Q, QD, QDD), rtol=1e-12)
    np.testing.assert_allclose(M, dynamics.mass_matrix(Q), atol=1e-12)
    np.testing.assert_allclose(dynamics.forward_dynamics(Q, QD, tau), QDD, atol=1e-9)
    for k, e in enumerate(1e-6 * np.eye(7)):
        by_q = dynamics.inverse_dynamics(Q + e, QD, QDD) - dynamics.inverse_dynamics(Q - e, QD, QDD)
        by_qd = dynamics.inverse_dynamics(Q, QD + e, QDD) - dynamics.inverse_dynamics(Q, QD - e, QDD)
        np.testing.assert_allclose(dq[:, k], by_q / 2e-6, atol=1e-7)
        np.testing.assert_allclose(dqd[:, k], by_qd / 2e-6, atol=1e-7)


def test_forces_are_linear_in_the_parameters(iiwa):
    dynamics = rigid_body.TreeDynamics(iiwa)
    Y = dynamics.regressor(Q, QD, QDD)
    assert Y.shape == (7, 91) and iiwa.parameters.shape == (7, 13)
    np.testing.assert_allclose(Y @ iiwa.parameters.ravel(), dynamics.inverse_dynamics(Q, QD, QDD), atol=1e-10)
    heavier = iiwa.with_parameters(2 * iiwa.parameters)
    np.testing.assert_allclose(
        rigid_body.TreeDynamics(heavier).gravity(Q), 2 * dynamics.gravity(Q), rtol=1e-12
    )
    assert heavier.fingerprint != iiwa.fingerprint == rigid_body.read_urdf(URDF).fingerprint


def test_points_move_with_their_jacobian(iiwa):
    points = rigid_body.TreePoints(iiwa, ["iiwa_link_ee", "iiwa_link_3"], [[0, 0, 0.1], [0.05, 0, 0]])
    places, J = points.value_and_jacobian(Q)
    assert places.shape == (2, 3) and J.shape == (2, 3, 7)
    np.testing.assert_array_equal(points(Q), places)
    pose = rigid_body.TreeDynamics(iiwa).pose(Q, "iiwa_link_ee")
    np.testing.assert_allclose(places[0], (pose @ [0, 0, 0.1, 1])[:3], atol=1e-12)
    for k, e in enumerate(1e-6 * np.eye(7)):
        np.testing.assert_allclose(J[:, :, k], (points(Q + e) - points(Q - e)) / 2e-6, atol=1e-8)
    assert not J[1, :, 4:].any()


def test_points_are_a_map_for_goals_safe_from_many_threads():
    planning = pytest.importorskip("quoin.planning")
    tree = double_pendulum()
    points = rigid_body.TreePoints(tree, ["lower", "hand"])
    X = RNG.uniform(-2, 2, (400, 2))
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(points.map, np.split(X, 8)))
    np.testing.assert_array_equal(np.vstack(parts), [points(q).ravel() for q in X])
    place, J = points.value_and_jacobian(X[0])
    np.testing.assert_array_equal(points.map.value_and_jacobian(X[0])[1], J.reshape(6, 2))
    assert points.map.fingerprint == rigid_body.TreePoints(double_pendulum(), ["lower", "hand"]).map.fingerprint
    goal = points([0.5, 0.6])[1]
    plan = planning.ilqr(
        quoin.LinearDynamics(np.eye(2), 0.1 * np.eye(2)),
        [
            planning.QuadraticCost(control=[0.1] * 2),
            planning.MapCost(points.map, [0, 0, 0, *goal], [0] * 3 + [50] * 3, first=10),
        ],
        start=[0.1, 0.2],
        guess=np.zeros((10, 2)),
    )
    np.testing.assert_allclose(points(plan.states[-1])[1], goal, atol=1e-3)


def test_an_arm_from_urdf_is_planned_with_within_its_limits(iiwa):
    planning = pytest.importorskip("quoin.planning")
    dynamics = rigid_body.TreeDynamics(iiwa)
    effort = np.array([joint.effort for joint in iiwa.joints])
    speed = np.array([joint.velocity for joint in iiwa.joints])
    hand = rigid_body.TreePoints(iiwa, ["iiwa_link_ee"])
    goal, horizon = np.array([0.2, 0.5, 0.7]), 50

    def residuals(i, x, u):
        if i < horizon:
            dx, du = np.zeros((14, 14)), np.zeros((14, 7))
            dx[:7, 7:], du[7:] = 0.3 * np.eye(7), 0.003 * np.eye(7)
            return np.concatenate((0.3 * x[7:], 0.003 * u)), dx, du
        place, J = hand.value_and_jacobian(x[:7])
        dx = np.zeros((10, 14))
        dx[:3, :7], dx[3:, 7:] = 100 * J[0], 10 * np.eye(7)
        return np.concatenate((100 * (place[0] - goal), 10 * x[7:])), dx, None

    start = np.zeros(14)
    start[:4] = [0, 0.6, 0, -1.2]
    plan = planning.ilqr(
        quoin.RungeKutta(dynamics, 0.02),
        residuals,
        start=start,
        guess=np.tile(dynamics.gravity(start[:7]), (horizon, 1)),
        lower_control=-effort,
        upper_control=effort,
        lower_state=np.concatenate(([joint.lower for joint in iiwa.joints], -speed)),
        upper_state=np.concatenate(([joint.upper for joint in iiwa.joints], speed)),
    )
    assert plan.converged and plan.violation < 1e-5
    assert np.linalg.norm(hand(plan.states[-1, :7])[0] - goal) < 2e-3
    assert np.linalg.norm(plan.states[-1, 7:]) < 0.05
    assert np.abs(plan.controls / effort).max() <= 1


def test_mistakes_name_the_link_or_the_file(tmp_path):
    with pytest.raises(ValueError, match="nowhere"):
        rigid_body.RigidBodyTree([rigid_body.Link("a", "nowhere")])
    with pytest.raises(ValueError, match="'screw'"):
        rigid_body.RigidBodyTree([rigid_body.Link("a", type="screw")])
    with pytest.raises(RuntimeError, match="none.urdf|urdfdom"):
        rigid_body.read_urdf(tmp_path / "none.urdf")
    tree = double_pendulum()
    with pytest.raises(ValueError, match=r"q: shape \(3,\), expected \(2,\)"):
        rigid_body.TreeDynamics(tree).gravity(np.zeros(3))
    massless = rigid_body.RigidBodyTree([rigid_body.Link("a", joint="a", type="revolute")])
    with pytest.raises(quoin.StepFailure, match="no mass"):
        rigid_body.TreeDynamics(massless).forward_dynamics([0.0], [0.0], [1.0])


@pytest.mark.parametrize("inertia", [0, 1e-20])
def test_a_point_mass_on_its_axis_has_no_acceleration_that_rounding_would_not_determine(inertia):
    at = np.eye(4)
    at[0, 3] = 0.4
    rod = rigid_body.Link("rod", joint="j0", type="revolute", axis=(0, 1, 0), mass=1, about_centre=0.01 * np.eye(3))
    tip = rigid_body.Link(
        "tip", "rod", "j1", type="revolute", axis=(0, 0, 1), placement=at, mass=1, about_centre=inertia * np.eye(3)
    )
    dynamics = rigid_body.TreeDynamics(rigid_body.RigidBodyTree([rod, tip]))
    for q in np.linspace(-3, 3, 20):
        with pytest.raises(quoin.StepFailure, match="no mass"):
            dynamics.forward_dynamics([q, 0.3], [0.0, 0.0], [0.1, 0.1])
