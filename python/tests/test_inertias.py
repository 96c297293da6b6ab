# SPDX-License-Identifier: BSD-3-Clause
"""Learned inertias have the forces of the robot, and what their form guarantees."""

import numpy as np
import pytest

import quoin

identification = pytest.importorskip("quoin.identification")
from quoin import rigid_body  # noqa: E402

DAMPING = np.array([0.1, 0.3, 0.5])


def arm():
    """Three links in space, no axis parallel to the next."""
    links = []
    for i, axis in enumerate(np.eye(3)[[2, 1, 0]]):
        placement = np.eye(4)
        placement[:3, 3] = 0.1 * i, 0, 0.3
        about_centre = [[0.03, 0.002, 0], [0.002, 0.025, 0.001], [0, 0.001, 0.01]]
        body = dict(mass=2 - 0.5 * i, centre=(0.02, 0.03 * i, 0.15), about_centre=about_centre)
        parent = f"link{i - 1}" if i else ""
        links.append(
            rigid_body.Link(f"link{i}", parent, type="revolute", axis=axis, placement=placement, **body)
        )
    return rigid_body.RigidBodyTree(links)


TREE = arm()
MODEL = rigid_body.TreeDynamics(TREE)


def sine_motion():
    w = 2 + 1.3 * np.arange(3)
    s = 0.02 * np.arange(400)[:, np.newaxis] * w
    q, qd, qdd = np.sin(s), w * np.cos(s), -w * w * np.sin(s)
    tau = np.array([MODEL.inverse_dynamics(*state) for state in zip(q, qd, qdd)])
    return identification.RobotMotion(q, qd, qdd, tau + DAMPING * qd)


MOTION = sine_motion()
PHYSICAL = ("triangular", "covariance")


def noisy(size):
    more = size * np.random.default_rng(9).standard_normal(MOTION.tau.shape)
    return identification.RobotMotion(MOTION.q, MOTION.qd, MOTION.qdd, MOTION.tau + more)


class Regressed:
    """The same robot by its regressor, called from Python."""

    calls = 0

    def regressor(self, q, qd, qdd):
        Regressed.calls += 1
        return MODEL.regressor(q, qd, qdd)


@pytest.mark.parametrize("form", identification.INERTIA_FORMS)
def test_every_form_has_its_derivative_its_way_back_and_what_it_guarantees(form):
    random = np.random.default_rng(1)
    theta = random.standard_normal(identification.parameter_count(form))
    theta[0] = 1.5
    parameters, J = identification.linear_parameters_with_derivative(form, theta)
    np.testing.assert_array_equal(parameters, identification.linear_parameters(form, theta))
    for j in range(len(theta)):
        step = 1e-6 * np.eye(len(theta))[j]
        up, down = (identification.linear_parameters(form, theta + sign * step) for sign in (1, -1))
        np.testing.assert_allclose((up - down) / 2e-6, J[:, j], atol=1e-6)
    back = identification.theta_of(form, parameters)
    np.testing.assert_allclose(identification.linear_parameters(form, back), parameters, atol=1e-9)
    found = identification.physical_consistency(parameters)
    assert found.mass == pytest.approx(parameters[0])
    if form in PHYSICAL:
        assert found.consistent and found.triangle > 0
        least = np.linalg.eigvalsh(identification.pseudo_inertia_matrix(parameters)).min()
        assert found.pseudo_inertia == pytest.approx(least) and least > 0


def test_what_is_no_body_has_no_theta():
    flat = np.zeros(13)
    flat[0] = 1
    flat[[4, 8, 12]] = 1, 1, 3  # 3 > 1 + 1
    assert not identification.physical_consistency(flat).consistent
    assert identification.theta_of("covariance", flat) is None
    assert identification.theta_of("positive_definite", flat) is not None
    assert identification.RobotEstimate.of("covariance", [flat]) is None
    with pytest.raises(ValueError, match="form = 'body'"):
        identification.parameter_count("body")
    with pytest.raises(ValueError, match=r"theta: shape \(1, 9\), expected \(n, 10\)"):
        identification.RobotEstimate("covariance", np.zeros((1, 9)))


def test_least_squares_find_the_forces_and_leave_what_the_motion_does_not_tell():
    for model in (MODEL, Regressed()):
        regression = identification.ForceRegression(3, damping=True)
        regression.add(model, MOTION[:137])
        regression.add(model, MOTION[137:])
        assert regression.instants == 400 and regression.columns == 33
        blind = regression.solve(np.zeros(33))
        assert blind.residual < 1e-18
        np.testing.assert_allclose(blind.damping, DAMPING, atol=1e-8)
        truth = regression.columns_of(TREE.parameters, DAMPING)
        assert np.linalg.norm(blind.columns - truth) > 0.1  # other parameters, the same forces
        np.testing.assert_allclose(regression.solve(truth).parameters, TREE.parameters, atol=1e-9)
        np.testing.assert_allclose(regression.parameters_of(truth), TREE.parameters)
    assert Regressed.calls == 400
    known = regression.identifiability()
    assert known.rank < 33 and known.singular_values[known.rank] < 1e-12 * known.singular_values[0]
    same = np.zeros(33)
    same[known.base] = blind.columns[known.base] + known.combination @ blind.columns[known.others]
    assert regression.residual(same) < 1e-18
    direct = regression.R @ truth - regression.c
    assert direct @ direct + regression.rest < 1e-15


def test_noise_makes_impossible_bodies_but_not_in_a_physical_form():
    regression = identification.ForceRegression(3, damping=True)
    regression.add(MODEL, noisy(1.0))
    linear = regression.solve(np.zeros(33))
    assert not all(identification.physical_consistency(body).consistent for body in linear.parameters)
    for form in PHYSICAL:
        known = identification.RobotEstimate.of(form, TREE.parameters)
        start = identification.RobotEstimate(form, known.theta, np.full(3, 0.5))
        fit = regression.fit_form(start)
        assert fit.stop is quoin.Stop.converged
        assert linear.residual * (1 - 1e-12) <= fit.residual < 1.05 * linear.residual
        assert all(identification.physical_consistency(b).pseudo_inertia > -1e-12 for b in fit.estimate.parameters)


def test_adam_learns_the_forces_and_the_friction():
    start = identification.RobotEstimate.random("covariance", 3, 2, damping=True)
    fit = identification.fit_forces(MODEL, MOTION, start, epochs=3000, batch=100, target=1e-3)
    assert fit.stop is quoin.Stop.target_reached
    assert fit.errors[-1].max() <= 1e-3 < 0.1 < fit.errors[0].max()
    assert np.linalg.norm(fit.estimate.damping - DAMPING) < 0.1 * np.linalg.norm(DAMPING)
    tau = identification.predicted_forces(MODEL, fit.estimate, MOTION)
    np.testing.assert_allclose(identification.normalized_errors(tau, MOTION.tau), fit.errors[-1], rtol=1e-10)
    learned = TREE.with_parameters(fit.estimate.parameters)
    direct = rigid_body.TreeDynamics(learned).inverse_dynamics(MOTION.q[5], MOTION.qd[5], MOTION.qdd[5])
    np.testing.assert_allclose(direct + fit.estimate.damping * MOTION.qd[5], tau[5], atol=1e-10)


def test_a_regressor_of_pythons_is_learned_from_alike_and_what_is_known_stays():
    start = identification.RobotEstimate.random("covariance", 3, 2)
    few = dict(epochs=2, batch=150)
    compiled = identification.fit_forces(MODEL, MOTION, start, **few)
    called = identification.fit_forces(Regressed(), MOTION, start, **few)
    np.testing.assert_allclose(called.estimate.theta, compiled.estimate.theta, atol=1e-9)
    for form in identification.INERTIA_FORMS:
        known = identification.RobotEstimate.of(form, TREE.parameters)
        known = identification.RobotEstimate(form, known.theta, np.sqrt(DAMPING), known.floor)
        assert identification.fit_forces(MODEL, MOTION, known, epochs=1).errors[0].max() < 1e-24


def test_single_steps_are_those_of_a_fit_and_the_observer_sees_them():
    start = identification.RobotEstimate.random("covariance", 3, 2, damping=True)
    seen = []

    def observer(update, estimate):
        seen.append((update, estimate.theta))
        return len(seen) < 4

    weights = identification.normalizing_weights(MOTION)
    np.testing.assert_allclose(weights, 1 / MOTION.tau.var(axis=0), rtol=0.01)
    fit = identification.fit_forces(
        MODEL, MOTION, start, batch=150, shuffled=False, weights=weights, observer=observer
    )
    assert fit.stop is quoin.Stop.stopped_by_observer and fit.updates == 4
    assert [(update.epoch, update.update) for update, _ in seen] == [(1, 1), (1, 2), (1, 3), (2, 4)]
    step = identification.FitStep(None, start, identification.Adam())
    for update, theta in seen[:3]:
        batch = MOTION[150 * (update.update - 1) :][:150]
        step = identification.fit_step(MODEL, batch, step.estimate, step.adam, weights=weights)
        assert step.loss == update.loss
        np.testing.assert_array_equal(step.estimate.theta, theta)


def test_what_does_not_fit_is_refused_with_the_numbers():
    start = identification.RobotEstimate.random("covariance", 3, 2)
    four = identification.RobotEstimate.random("covariance", 4, 2)
    rough = rigid_body.TreeDynamics(TREE, friction="viscous")
    short = identification.RobotMotion(*(array[:, :2] for array in (MOTION.q, MOTION.qd, MOTION.qdd, MOTION.tau)))
    regression = identification.ForceRegression(3)
    for call, words in (
        (lambda: identification.fit_forces(MODEL, MOTION, four), "10 x 4, wanted 10 x 3"),
        (lambda: identification.fit_forces(MODEL, MOTION, start, batch=0), "batch 0"),
        (lambda: identification.fit_forces(MODEL, MOTION, start, weights=[1, 1]), "2 weights for 3 joints"),
        (lambda: identification.fit_forces(MODEL, short, start), "a model of 3 joints, for a motion of 2"),
        (lambda: regression.add(MODEL, short), "a motion of 2 joints, for a regression of 3"),
        (lambda: regression.add(rough, MOTION), "friction"),
        (lambda: regression.solve(np.zeros(33)), r"\(33,\)"),
        (lambda: regression.fit_form(identification.RobotEstimate.random("unstructured", 3, 1)), "fit_form"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="has no regressor"):
        identification.fit_forces(object(), MOTION, start)
    with pytest.raises(ValueError, match="expected .3, 39."):
        identification.fit_forces(type("W", (), {"regressor": lambda *_: np.zeros((3, 3))})(), MOTION, start)
