# SPDX-License-Identifier: BSD-3-Clause
"""Axes along which f has a period."""

import numpy as np
import pytest

import quoin

TURN = 2 * np.pi


def wave(calls, derivatives=True):
    def f(x):
        assert -1e-9 < x[0] < TURN - 1e-9
        calls.append(x.copy())
        y = np.array([np.sin(x[0]) + x[1]])
        return (y, np.array([[np.cos(x[0]), 1.0]])) if derivatives else y

    return f


def grid_of(f, **options):
    bounds = dict(spacing=[TURN / 16, 0.5], lower=[0, -1], upper=[TURN, 1], periodic=[True, False])
    return quoin.AdaptiveGrid(f, **{**bounds, **options})


def test_all_turns_are_one():
    for derivatives in (True, False):
        calls = []
        grid = grid_of(wave(calls, derivatives))
        X = np.stack([np.linspace(-3 * TURN, 5 * TURN, 401), np.zeros(401)], axis=1)
        y, J = grid.value_and_jacobian(X)
        assert np.allclose(y[:, 0], np.sin(X[:, 0]), atol=1e-3) and np.allclose(J[:, 0, 0], np.cos(X[:, 0]), atol=1e-2)
        assert len({tuple(np.round(x, 9)) for x in calls}) == len(calls) <= 16 * 5
        assert grid.statistics.exact_evaluations == len(calls)


@pytest.mark.parametrize("first", [TURN - 1e-3, -1e-3, 40.0, TURN])
def test_the_first_query_may_lie_anywhere(first):
    calls = []
    grid = grid_of(wave(calls))
    assert grid([first, 0.2])[0] == pytest.approx(np.sin(first) + 0.2, abs=1e-3)
    assert len(calls) == grid.statistics.exact_evaluations == 4


def test_it_is_saved_and_loaded(tmp_path):
    grid = grid_of(wave([]))
    grid.fill()
    grid.save(tmp_path / "turn.npz")
    loaded = quoin.load(tmp_path / "turn.npz")
    assert loaded.options.periodic == [True, False]
    assert loaded([17.0, 0.3])[0] == grid([17.0, 0.3])[0]


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(periodic=[True]), ["periodic", "(2,)"]),
        (dict(periodic=[1.5, 0]), ["periodic", "1.5"]),
        (dict(periodic=True), ["periodic", "each axis"]),
        (dict(periodic=[False, True], upper=[TURN, np.inf]), ["periodic[1]", "inf"]),
        (dict(spacing=[TURN, 0.5]), ["spacing[0]", "two cells"]),
    ],
)
def test_periods_that_are_none_are_refused(options, words):
    with pytest.raises((ValueError, TypeError)) as told:
        grid_of(wave([]), **options)
    assert all(word in str(told.value) for word in words), told.value
