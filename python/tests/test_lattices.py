# SPDX-License-Identifier: BSD-3-Clause
"""Cells in the place of a spacing, an origin that follows from the bounds, points in any shape."""

import numpy as np
import pytest

import quoin


def f(x):
    return np.array([np.sin(x[0]), x[0] * x[1]]), np.array([[np.cos(x[0]), 0], [x[1], x[0]]])


def test_cells_divide_the_box_from_lower_to_upper():
    grid = quoin.AdaptiveGrid(f, cells=[7, 3], lower=[0.31, -1], upper=[1.4, 2.5])
    assert grid.fill() == 21
    assert np.allclose(grid.spacing, [1.09 / 7, 3.5 / 3])
    points = grid.samples().points
    assert len(points) == 32 and np.allclose([points.min(axis=0), points.max(axis=0)], [[0.31, -1], [1.4, 2.5]])
    again = quoin.AdaptiveGrid(f, **grid.options.keywords())
    assert np.array_equal(again([0.5, 0.5]), grid([0.5, 0.5]))


def test_the_lower_bound_is_a_lattice_point_where_zero_cannot_be():
    calls = []

    def counted(x):
        calls.append(x)
        return f(x)

    grid = quoin.AdaptiveGrid(counted, spacing=[0.1, 0.5], lower=[0.33, 0.5], upper=[1.03, 2])
    grid([0.34, 0.6])
    assert {round(x[0], 12) for x in calls} == {0.33, 0.43} and {x[1] for x in calls} == {0.5, 1.0}
    with pytest.raises(ValueError, match=r"lower\[0\] = 0.33 is no lattice point"):
        quoin.AdaptiveGrid(f, spacing=[0.1, 0.5], origin=[0, 0], lower=[0.33, 0.5])([0.5, 0.6])


@pytest.mark.parametrize("shape", [(3, 4), (2, 0), (1, 1, 5), (6,)])
def test_points_in_any_shape_are_answered_in_that_shape(shape):
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, 0], upper=[1, 1])
    X = np.random.default_rng(1).uniform(0, 1, (*shape, 2))
    flat = X.reshape(-1, 2)
    assert grid(X).shape == (*shape, 2) and np.array_equal(grid(X).reshape(-1, 2), grid(flat))
    y, J = grid.value_and_jacobian(X)
    assert J.shape == (*shape, 2, 2) and np.array_equal(J.reshape(-1, 2, 2), grid.value_and_jacobian(flat)[1])
    found = grid.query(X)
    assert found.trust.shape == found.error.shape == shape and np.array_equal(found.y, y)
    assert np.array_equal(grid.jvp(X, X).reshape(-1, 2), grid.jvp(flat, flat))
    assert np.array_equal(grid.vjp(X, y).reshape(-1, 2), grid.vjp(flat, y.reshape(-1, 2)))


def test_of_points_in_any_shape_those_outside_are_nan():
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, 0], upper=[1, 1])
    X = np.full((2, 2, 2), 0.3)
    X[1, 0, 0] = 7
    found = grid.query(X)
    assert np.isnan(found.y[1, 0]).all() and np.isnan(found.y).sum() == 2 and found.trust[1, 0] == quoin.Trust.outside


@pytest.mark.parametrize(
    "options, error, words",
    [
        (dict(), TypeError, "spacing or cells is needed"),
        (dict(spacing=[1, 1], cells=[1, 1]), TypeError, "not both"),
        (dict(cells=[1, 1]), TypeError, "lower and upper are needed"),
        (dict(cells=[1], lower=[0, 0], upper=[1, 1]), ValueError, "expected as many"),
        (dict(cells=[1, 0], lower=[0, 0], upper=[1, 1]), ValueError, r"cells\[1\] = 0"),
        (dict(cells=[1, 1.5], lower=[0, 0], upper=[1, 1]), TypeError, r"cells\[1\] = 1.5"),
        (dict(cells=[1, 1], lower=[0, 2], upper=[1, 1]), ValueError, r"lower\[1\] = 2"),
        (dict(cells=[1, 1], lower=[0, 0], upper=[1, np.inf]), ValueError, r"upper\[1\] = inf"),
    ],
)
def test_lattices_that_are_none_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        quoin.AdaptiveGrid(f, **options)


def test_points_of_another_size_are_refused_with_their_shape():
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    with pytest.raises(ValueError, match=r"shape \(3, 4, 5\), expected \(2,\) or \(\.\.\., 2\)"):
        grid(np.zeros((3, 4, 5)))
