# SPDX-License-Identifier: BSD-3-Clause
"""A linear-quadratic problem with its solution, and dynamics in Python."""

import numpy as np

import quoin

A = np.array([[1.0, 0.1], [-0.2, 0.95]])
B = np.array([[0.02], [0.3]])
Q, R, F = np.array([[2.0, 0.3], [0.3, 0.5]]), np.array([[0.7]]), np.diag([30.0, 5.0])
START = np.array([1.0, -0.5])


def riccati(horizon):
    """The optimal controls, their cost, and the gains."""
    P, gains = F, []
    for _ in range(horizon):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        gains.insert(0, -K)
        P = Q + A.T @ P @ (A - B @ K)
    x, controls, cost = START, [], 0.5 * START @ P @ START
    for K in gains:
        controls.append(K @ x)
        x = A @ x + B @ controls[-1]
    return np.array(controls), cost, np.array(gains)


class Spring:
    """A nonlinear spring in Python, with a wall at 2."""

    state_size, control_size = 2, 1

    def __init__(self):
        self.plain = self.derived = 0
        self.expected = 0

    def step(self, x, u):
        self.plain += 1
        return self._step(x, u)[0]

    def step_with_derivatives(self, x, u):
        self.derived += 1
        return self._step(x, u)

    def hint(self, states):
        self.expected += len(states)

    def _step(self, x, u):
        if abs(x[0]) > 2:
            raise quoin.StepFailure("the wall")
        h = 0.1
        rate = x[1] + h * (u[0] - x[0] - x[0] ** 3)
        dx = np.array([[1 - h * h * (1 + 3 * x[0] ** 2), h], [-h * (1 + 3 * x[0] ** 2), 1]])
        return np.array([x[0] + h * rate, rate]), dx, np.array([[h * h], [h]])
