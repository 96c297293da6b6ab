# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics of Python's classes and of arrays step as numpy does, and say why they do not."""

import math
import pickle

import numpy as np
import pytest

import quoin


class Pendulum:
    """dx/dt of (angle, rate) under a torque, with a wall that it does not pass."""

    state_size, control_size = 2, 1

    def __init__(self):
        self.expected = []

    def rate_with_derivatives(self, x, u):
        if x[0] > 3:
            raise quoin.StepFailure("the wall", quoin.StepStatus.outside_domain)
        rate = np.array([x[1], -9.81 * np.sin(x[0]) + u[0]])
        return rate, np.array([[0, 1], [-9.81 * np.cos(x[0]), 0]]), np.array([[0.0], [1.0]])

    def hint(self, states):
        self.expected.append(states.copy())


def classical_step(pendulum, x, u, h):
    def f(at):
        return pendulum.rate_with_derivatives(at, u)[0]

    k1 = f(x)
    k2 = f(x + h / 2 * k1)
    k3 = f(x + h / 2 * k2)
    k4 = f(x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def test_runge_kutta_takes_the_classical_steps_with_their_derivatives():
    pendulum, x, u = Pendulum(), np.array([0.7, -0.4]), np.array([1.3])
    steps = quoin.RungeKutta(pendulum, 0.1, 2, tolerance=math.inf)
    assert (steps.state_size, steps.control_size) == (2, 1)
    half = classical_step(pendulum, x, u, 0.05)
    np.testing.assert_allclose(steps.step(x, u), classical_step(pendulum, half, u, 0.05), rtol=0, atol=1e-14)
    next, A, B = steps.step_with_derivatives(x, u)
    np.testing.assert_array_equal(next, steps.step(x, u))
    for column, e in enumerate(np.eye(2)):
        difference = (steps.step(x + 1e-6 * e, u) - steps.step(x - 1e-6 * e, u)) / 2e-6
        np.testing.assert_allclose(A[:, column], difference, rtol=0, atol=1e-8)
    difference = (steps.step(x, u + 1e-6) - steps.step(x, u - 1e-6)) / 2e-6
    np.testing.assert_allclose(B[:, 0], difference, rtol=0, atol=1e-8)
    with pytest.raises(ValueError, match="duration|positive"):
        quoin.RungeKutta(pendulum, -0.1)


class Decay:
    """A stable decay, at so many 1/s, towards u."""

    state_size, control_size = 1, 1

    def __init__(self, decay):
        self.decay = decay

    def rate_with_derivatives(self, x, u):
        return self.decay * (u - x), np.array([[-self.decay]]), np.array([[self.decay]])


@pytest.mark.parametrize("size", [1.0, 1e-9, 1e-12, 1e-15, 1e12])
def test_a_stable_decay_is_followed_or_not_ok_whatever_the_size_of_its_state(size):
    rng = np.random.default_rng(1)
    for tolerance in (1e-5, math.inf):
        for rate in 10 ** rng.uniform(-1, 7, 40):
            steps = quoin.RungeKutta(Decay(rate), 0.1, 2, tolerance, scales=[size])
            rollout = steps.rollout([size], np.zeros((20, 1)))
            error = np.abs(rollout.states[:, 0] / size - np.exp(-rate * 0.1 * np.arange(len(rollout.states)))).max()
            if rollout.status is quoin.StepStatus.ok:
                assert error < (1e-3 if tolerance < 1 else 0.5)  # halved steps, and those that just resolve the decay
            else:
                assert rollout.status is quoin.StepStatus.not_converged and 0.05 * rate > 2
    too_fast = 0.1 * 1e6 / 4096  # past the stability limit though halved twelve times
    assert too_fast > 2.8
    with pytest.raises(quoin.StepFailure, match="not converged"):
        quoin.RungeKutta(Decay(1e6), 0.1, scales=[size]).step([size], [0.0])
    with pytest.raises(quoin.StepFailure, match="not converged"):
        quoin.RungeKutta(Decay(60), 0.1, tolerance=math.inf, scales=[size]).step([size], [0.0])


def test_a_small_decay_whose_steps_are_too_long_is_not_ok_without_scales_either():
    for tolerance, rate in ((1e-5, 1e6), (math.inf, 60)):
        with pytest.raises(quoin.StepFailure, match="not converged"):
            quoin.RungeKutta(Decay(rate), 0.1, tolerance=tolerance).step([1e-9], [0.0])


def test_scales_that_mean_nothing_are_refused():
    for bad in ([0.0], [-1.0], [math.nan], [math.inf]):
        with pytest.raises(ValueError, match="scale"):
            quoin.RungeKutta(Decay(1), 0.1, scales=bad)
        with pytest.raises(ValueError, match="scale"):
            quoin.runge_kutta_step(Decay(1), lambda t: [0.0], 0, 0.1, [1.0], scales=bad)
    with pytest.raises(ValueError, match=r"scales: shape \(2,\), expected \(1,\)"):
        quoin.RungeKutta(Decay(1), 0.1, scales=[1.0, 1.0])
    for bad in (0, -1, math.nan):
        with pytest.raises(ValueError, match="tolerance"):
            quoin.RungeKutta(Decay(1), 0.1, tolerance=bad)
        with pytest.raises(ValueError, match="tolerance"):
            quoin.runge_kutta_step(Decay(1), lambda t: [0.0], 0, 0.1, [1.0], tolerance=bad)


class Push:
    """dx/dt = u, whose integral over whole periods of 1 - cos is their length."""

    state_size, control_size = 1, 1

    def rate_with_derivatives(self, x, u):
        return u, np.zeros((1, 1)), np.ones((1, 1))


def test_a_step_follows_a_control_of_any_number_of_periods_by_looks_between_its_stages():
    rng = np.random.default_rng(2)
    for draw in range(60):
        periods = (rng.integers(1, 200) / 2) if draw % 2 else rng.uniform(0.1, 100)
        turn, size = 2 * math.pi * periods, 10 ** rng.uniform(-9, 3)
        x = np.zeros(1)
        for i in range(3):
            x = quoin.runge_kutta_step(
                Push(), lambda t: [size * (1 - math.cos(turn * t))], i, 1.0, x, scales=[size]
            )
        assert abs(x[0] / size - (3 - math.sin(3 * turn) / turn)) < 1e-3


def test_a_step_under_a_control_says_why_there_is_none():
    with pytest.raises(quoin.StepFailure, match="outside domain"):
        quoin.runge_kutta_step(Pendulum(), lambda t: [0.0], 0, 0.1, [2.99, 9.0])
    with pytest.raises(ValueError, match=r"control: shape \(2,\), expected \(1,\)"):
        quoin.runge_kutta_step(Pendulum(), lambda t: [0.0, 0.0], 0, 0.1, [0.0, 0.0])
    with pytest.raises(ValueError, match=r"x: shape \(1,\), expected \(2,\)"):
        quoin.runge_kutta_step(Pendulum(), lambda t: [0.0], 0, 0.1, [0.0])

    def broken(t):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        quoin.runge_kutta_step(Pendulum(), broken, 0, 0.1, [0.0, 0.0])


def test_linear_dynamics_are_those_of_their_matrices():
    rng = np.random.default_rng(1)
    A, B, a = rng.normal(size=(3, 3)), rng.normal(size=(3, 2)), rng.normal(size=3)
    linear = quoin.LinearDynamics(A, B, a)
    x, u = rng.normal(size=3), rng.normal(size=2)
    next, dx, du = linear.step_with_derivatives(x, u)
    np.testing.assert_allclose(next, A @ x + B @ u + a, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(dx, A)
    np.testing.assert_array_equal(du, B)
    with pytest.raises(ValueError, match=r"\(3, 2\).*\(3, 3\)"):
        quoin.LinearDynamics(B, A)
    with pytest.raises(ValueError, match=r"u: shape \(3,\), expected \(2,\)"):
        linear.step(x, x)


def test_a_rollout_ends_at_the_first_step_that_fails_and_says_why():
    steps = quoin.RungeKutta(Pendulum(), 0.1)
    whole = steps.rollout([0.0, 0.0], np.ones((5, 1)))
    assert whole.status is quoin.StepStatus.ok and whole.states.shape == (6, 2)
    np.testing.assert_array_equal(whole.states[3], steps.step(whole.states[2], [1.0]))
    ended = steps.rollout([2.5, 4.0], np.ones((5, 1)))
    assert ended.status is quoin.StepStatus.outside_domain and len(ended.states) < 6
    np.testing.assert_array_equal(ended.states[0], [2.5, 4.0])
    with pytest.raises(quoin.StepFailure, match="outside domain") as failure:
        steps.step([2.9, 9.0], [0.0])
    assert failure.value.status is quoin.StepStatus.outside_domain
    assert pickle.loads(pickle.dumps(failure.value)).status is quoin.StepStatus.outside_domain


def test_what_is_expected_is_passed_on():
    pendulum = Pendulum()
    states = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    quoin.RungeKutta(pendulum, 0.1).hint(states)
    assert len(pendulum.expected) == 1
    np.testing.assert_array_equal(pendulum.expected[0], states)


def test_mistakes_of_a_class_are_told_with_their_shapes():
    class Wrong:
        state_size, control_size = 2, 1

        def rate_with_derivatives(self, x, u):
            return np.zeros(2), np.zeros((2, 3)), np.zeros((2, 1))

    with pytest.raises(ValueError, match=r"shape \(2, 3\), expected \(2, 2\)"):
        quoin.RungeKutta(Wrong(), 0.1).step_with_derivatives([0.0, 0.0], [0.0])
    with pytest.raises(TypeError, match="has no control_size and no rate_with_derivatives"):
        quoin.RungeKutta(type("Empty", (), {"state_size": 2})(), 0.1)

    class Broken(Pendulum):
        def rate_with_derivatives(self, x, u):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        quoin.RungeKutta(Broken(), 0.1).step([0.0, 0.0], [0.0])
