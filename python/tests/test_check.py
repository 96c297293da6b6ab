# SPDX-License-Identifier: BSD-3-Clause
"""What a few calls of f say of the errors, and why an error is not known."""

import numpy as np
import pytest

import quoin


def f(x):
    return np.array([np.exp(-x @ x), np.sin(3 * x[0])])


X = np.random.default_rng(3).uniform(-1, 1, (200, 2))


def test_a_check_says_how_far_answers_are_from_f_and_what_of_the_others():
    grid = quoin.AdaptiveGrid(f, [0.25, 0.25])
    check = grid.check(X, calls=12)
    assert check.points.shape == (12, 2) and check.errors.shape == (12,) and check.jacobian_errors is None
    for x, error in zip(check.points, check.errors):
        assert error == pytest.approx(np.linalg.norm(grid(x) - f(x)) / np.sqrt(2))
    assert check.largest == check.errors.max() and 0.77 < check.share < 0.79
    truth = np.linalg.norm(grid(X) - np.array([f(x) for x in X]), axis=1) / np.sqrt(2)
    assert np.mean(truth <= check.largest * (1 + 1e-9)) >= check.share
    assert str(check) == check.message and "12 of 200 points" in str(check)


def test_its_samples_are_kept(tmp_path):
    calls = []

    def counted(x):
        calls.append(x)
        return f(x)

    store = dict(store=tmp_path / "f.quoin", fingerprint="f")
    quoin.AdaptiveGrid(counted, [0.25, 0.25], executor="threads", **store).check(X)
    before = len(calls)
    again = quoin.AdaptiveGrid(counted, [0.25, 0.25], **store)
    again.check(X)
    assert len(calls) <= before + 1  # the first answer is asked for to learn its form


def test_an_unknown_error_has_a_reason():
    grid = quoin.AdaptiveGrid(lambda x: (f(x), np.zeros((2, 2))), [0.5, 0.5], lower=[-1, -1], upper=[1, 1])
    assert "no query has been in this cell" in grid.error_estimate([0.1, 0.2]).reason
    grid([0.1, 0.2])
    assert "level 0 has no coarser level" in grid.error_estimate([0.1, 0.2]).reason
    assert "level 0 has no coarser level" in repr(grid.error_estimate([0.1, 0.2]))
    fine = quoin.AdaptiveGrid(f, [0.5, 0.5], tolerance=1e-3)
    fine([0.1, 0.2])
    assert fine.error_estimate([0.1, 0.2]).reason == "" and fine.error_estimate([0.1, 0.2]).error < 1e-3


@pytest.mark.parametrize("calls, words", [(0, "calls = 0"), (-3, "calls = -3"), (2.5, "calls = 2.5"), ("8", "calls")])
def test_what_is_no_number_of_calls_is_refused(calls, words):
    with pytest.raises((ValueError, TypeError), match=words):
        quoin.AdaptiveGrid(f, [0.25, 0.25]).check(X, calls)
