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

    def expect(self, states):
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
    quoin.RungeKutta(pendulum, 0.1).expect(states)
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
