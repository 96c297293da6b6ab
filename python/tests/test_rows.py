# SPDX-License-Identifier: BSD-3-Clause
"""Some of a map's outputs, and linear functions of them."""

import numpy as np
import pytest

import quoin


def f(x):
    return np.array([x[0], x[0] * x[1], np.sin(x[1])]), np.array([[1, 0], [x[1], x[0]], [0, np.cos(x[1])]])


def maps():
    grid = quoin.AdaptiveGrid(f, [0.5, 0.5])
    kernel = quoin.KernelInterpolant(2, 3)
    for x in np.random.default_rng(1).uniform(-1, 1, (20, 2)):
        kernel.add(x, f(x))
    return [grid, grid.at_tolerance(1e-3), kernel, kernel.view(), quoin.FunctionMap(f, 2, 3), grid.frozen()]


@pytest.mark.parametrize("number", range(5))
def test_outputs_are_chosen_as_rows_of_an_array(number):
    map, x = maps()[number], np.array([0.3, 0.4])
    y, J = map.value_and_jacobian(x)
    for rows in (slice(None, 2), slice(1, None), [2, 0], 1, slice(None, None, -1), np.array([True, False, True])):
        chosen, slope = map[rows].value_and_jacobian(x)
        assert np.allclose(chosen, np.atleast_1d(y[rows]), atol=1e-13)
        assert np.allclose(slope, np.atleast_2d(J[rows]), atol=1e-13)
    assert np.allclose(map[1:][1](x), y[2:])
    X = np.array([x, x + 0.1])
    assert np.allclose(map[:2](X), map(X)[:, :2], atol=1e-13)
    assert np.allclose(map.linear_output([[1.0, 2, 3]])(x), y @ [1, 2, 3], atol=1e-13)


def test_rows_of_rows_remember_their_map():
    grid = maps()[0]
    grid([0.2, 0.2])
    calls = grid.statistics.exact_evaluations
    grid[1:][0]([0.2, 0.2])
    assert grid.statistics.exact_evaluations == calls


@pytest.mark.parametrize("rows", [3, slice(3, None), [0, 5], "y", 1.5])
def test_outputs_that_are_none_are_refused(rows):
    with pytest.raises(IndexError):
        maps()[0][rows]
