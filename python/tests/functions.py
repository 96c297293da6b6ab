# SPDX-License-Identifier: BSD-3-Clause
"""Functions under test."""

import threading

import numpy as np


class waves:
    """Two outputs of dim variables with their Jacobian; it can be pickled."""

    def __init__(self, dim):
        self.K = np.array([[0.7 + 0.3 * i for i in range(dim)], [1.1 - 0.2 * i for i in range(dim)]])

    def __call__(self, x):
        phase = self.K @ x
        return np.sin(phase), np.cos(phase)[:, np.newaxis] * self.K


def cubic(dim):
    """A polynomial of degree 3 with mixed terms: two outputs, with the Jacobian."""
    rng = np.random.default_rng(dim)
    a, b, c = rng.normal(size=(2, dim)), rng.normal(size=(2, dim)), rng.normal(size=2)

    def f(x):
        p, q = a @ x, b @ x
        y = c + p**2 * q
        return y, (2 * p * q)[:, np.newaxis] * a + (p**2)[:, np.newaxis] * b

    return f


class Counted:
    """Counts the calls of f, in all and by point."""

    def __init__(self, f):
        self.f = f
        self.count = 0
        self.called = {}
        self.lock = threading.Lock()

    def __call__(self, x):
        with self.lock:
            self.count += 1
            self.called[tuple(x)] = self.called.get(tuple(x), 0) + 1
        return self.f(x)
