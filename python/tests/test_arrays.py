# SPDX-License-Identifier: BSD-3-Clause
"""Arrays go in and out without copies where their layouts allow, and any other layout gives the same bits."""

import tracemalloc

import numpy as np
import pytest

import quoin
from functions import waves


@pytest.fixture(scope="module")
def grid():
    return quoin.AdaptiveGrid(waves(3), spacing=[0.5] * 3)


X = np.random.default_rng(8).uniform(-1, 1, (50, 3))


def test_any_layout_and_type_gives_the_same_bits(grid):
    Y, J = grid.value_and_jacobian(X)
    wide = np.zeros((50, 7))
    wide[:, 1:7:2] = X
    for same in (np.asfortranarray(X), wide[:, 1:7:2], X[::-1][::-1], X.tolist(), X.astype(">f8")):
        np.testing.assert_array_equal(grid(same), Y)
        np.testing.assert_array_equal(grid.value_and_jacobian(same)[1], J)
    x = np.zeros(9)
    x[::-3][:3] = X[0]
    for same in (x[::-3][:3], X[0].tolist(), tuple(X[0]), X[0].astype(">f8")):
        np.testing.assert_array_equal(grid(same), Y[0])
    unaligned = np.frombuffer(b"\0" + X[0].tobytes(), np.uint8)[1:].view(np.float64)
    assert not unaligned.flags.aligned
    np.testing.assert_array_equal(grid(unaligned), Y[0])
    np.testing.assert_array_equal(grid(X[0].astype(np.float32)), grid(X[0].astype(np.float32).astype(np.float64)))
    np.testing.assert_array_equal(grid([0, 0, 1]), grid([0.0, 0.0, 1.0]))


def test_shapes_types_and_ownership_of_what_comes_back(grid):
    y, J = grid.value_and_jacobian(X[0])
    assert y.shape == (2,) and J.shape == (2, 3) and y.dtype == J.dtype == np.float64
    Y, JX = grid.value_and_jacobian(X)
    assert Y.shape == (50, 2) and JX.shape == (50, 2, 3) and Y.flags.c_contiguous
    for array in (y, J, Y, JX):
        assert array.flags.writeable and array.flags.aligned
    np.testing.assert_array_equal(Y[0], y)
    np.testing.assert_array_equal(JX[0], J)
    before = Y.copy()
    Y[:] = 0
    np.testing.assert_array_equal(grid(X), before)
    assert grid(X[:0]).shape == (0, 2) and grid.value_and_jacobian(X[:0])[1].shape == (0, 2, 3)


def test_a_batch_allocates_its_answer_and_nothing_of_its_size_besides(grid):
    many = np.repeat(X, 2000, axis=0)
    grid(many)
    tracemalloc.start()
    Y, J = grid.value_and_jacobian(many)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < Y.nbytes + J.nbytes + 100_000  # a copy of X would be 2 400 000 more
    assert J.base is None or np.shares_memory(J, J.base)


def test_answers_of_many_outputs_are_handed_over_with_their_memory():
    outputs = 2000

    def f(x):
        return np.full(outputs, x[0]), np.ones((outputs, 1))

    grid = quoin.AdaptiveGrid(f, spacing=[0.5])
    y, J = grid.value_and_jacobian([0.2])
    assert not y.flags.owndata and not J.flags.owndata and J.flags.f_contiguous
    other, _ = grid.value_and_jacobian([0.3])
    assert not np.shares_memory(y, other)
    np.testing.assert_allclose(y, 0.2, atol=1e-15)
    del grid, other
    np.testing.assert_allclose(y, 0.2, atol=1e-15)


def test_samples_are_arrays_of_points_and_jets_that_share_their_memory():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    grid([0.2, 0.3])
    samples = grid.samples()
    assert len(samples) == 4 and samples.points.shape == (4, 2) and samples.jets.shape == (4, 2, 3)
    assert np.shares_memory(samples.values, samples.jets) and np.shares_memory(samples.jacobians, samples.jets)
    for x, value, jacobian in zip(samples.points, samples.values, samples.jacobians):
        y, J = waves(2)(x)
        np.testing.assert_array_equal(value, y)
        np.testing.assert_array_equal(jacobian, J)
    assert min(samples.seconds) >= 0 and not samples.failed.any()


def test_queries_of_a_batch_say_their_trust(grid):
    answers = grid.query(X)
    np.testing.assert_array_equal(answers.y, grid(X))
    assert set(answers.trust.tolist()) == {quoin.Trust.unchecked} and answers.error.shape == (50,)
