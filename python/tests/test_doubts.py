# SPDX-License-Identifier: BSD-3-Clause
"""A grid tells of an f whose Jacobian is not that of its values, and of values that are not smooth: once, and early."""

import warnings

import numpy as np
import pytest

import quoin


def function(off=lambda J: J, rounded=0.0):
    def f(x):
        y = np.array([np.sin(x[0] + x[1] / 2), np.cos(x[0] * x[1] / 2)])
        slope, bend = np.cos(x[0] + x[1] / 2), -np.sin(x[0] * x[1] / 2) / 2
        if rounded:
            y = rounded * np.round(y / rounded)
        return y, off(np.array([[slope, slope / 2], [x[1] * bend, x[0] * bend]]))

    return f


PATH = [(1.5 * np.cos(s), 1.3 * np.sin(2 * s)) for s in np.linspace(0, 2 * np.pi, 40)]


@pytest.mark.parametrize("ask", ["call", "value_and_jacobian", "query", "batch", "prepare", "functional"])
def test_a_wrong_jacobian_is_told_once(ask):
    grid = quoin.AdaptiveGrid(function(lambda J: J * [1, -1]), spacing=[1, 1], tolerance=1e-4)
    queries = {
        "call": lambda x: grid(x),
        "value_and_jacobian": lambda x: grid.value_and_jacobian(x),
        "query": lambda x: grid.query(x),
        "batch": lambda x: grid(np.array([x, x])),
        "prepare": lambda x: grid.prefetch([x]),
        "functional": grid.linear_output([[1, 2]]),
    }
    with pytest.warns(RuntimeWarning, match=r"values and Jacobian of f disagree in .*J\(0, 1\)") as told:
        for x in PATH:
            queries[ask](x)
            if told:
                break
    assert grid.statistics.exact_evaluations < 150
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in PATH[:3]:
            queries[ask](x)
    assert "disagree" in grid.statistics.doubts
    assert grid.statistics.doubts in str(grid.statistics)


def test_a_warning_that_raises_does_so_once_and_the_grid_answers_on():
    grid = quoin.AdaptiveGrid(function(np.transpose), spacing=[1, 1], tolerance=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="disagree"):
            for x in PATH:
                grid(x)
        grid(PATH[0])


def test_rounded_values_are_told_and_smooth_ones_leave_no_doubt():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smooth = quoin.AdaptiveGrid(function(), spacing=[1, 1], tolerance=1e-8)
        for x in PATH:
            smooth(x)
    assert smooth.statistics.doubts == "" and "doubts" not in str(smooth.statistics)
    rough = quoin.AdaptiveGrid(function(rounded=1e-6), spacing=[1, 1], tolerance=1e-7)
    with pytest.warns(RuntimeWarning, match=r"values of f are not smooth in output \d below about [0-9]e-[67]"):
        for x in PATH[:4]:
            rough(x)


def test_a_period_that_divides_an_edge_is_told_and_resolved():
    def f(x):
        return np.cos(8 * x), np.array([-8 * np.sin(8 * x)])

    grid = quoin.AdaptiveGrid(f, spacing=[np.pi / 2], tolerance=1e-3)
    points = np.linspace(0.1, 6, 50)[:, np.newaxis]
    with pytest.warns(RuntimeWarning, match="another spacing"):
        values = grid(points)
    np.testing.assert_allclose(values, np.cos(8 * points), rtol=0, atol=1e-3)
    assert "another spacing" in grid.statistics.doubts
