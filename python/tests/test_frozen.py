# SPDX-License-Identifier: BSD-3-Clause
"""Frozen views: what was there answers, nothing is called, nobody is waited for."""

import gc
import threading

import numpy as np
import pytest

import quoin


class Waves:
    """Counts its calls, and waits in those beyond 10 until it may go on."""

    def __init__(self):
        self.calls = 0
        self.waits = threading.Event()
        self.may_go_on = threading.Event()

    def __call__(self, x):
        self.calls += 1
        if x[0] > 10:
            self.waits.set()
            assert self.may_go_on.wait(30)
        return np.array([np.sin(x[0]) * x[1], np.cos(x[1])])


def grid_of(f, **options):
    return quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=0, **options)


@pytest.mark.parametrize("tolerance", [None, 1e-2])
def test_it_answers_as_what_was_known(tolerance):
    f = Waves()
    grid = grid_of(f, tolerance=tolerance)
    points = np.random.default_rng(1).uniform(-2, 2, (40, 2))
    grid(points[:20])
    calls = f.calls
    frozen = grid.frozen()
    assert isinstance(frozen, quoin.FrozenView)
    assert frozen.cells > 0 and frozen.bytes > 0 and (frozen.dim, frozen.output_size) == (2, 2)
    for x in points:
        known, said = grid.evaluate_cached(x), frozen.query(x)
        assert said.trust == known.estimate.trust or known.y is None
        if known.y is not None and said.level == known.estimate.level:
            assert np.array_equal(said.y, known.y) and np.array_equal(said.J, known.J)
    assert f.calls == calls
    assert np.array_equal(frozen(points[:20]), grid(points[:20]))


def test_where_it_has_no_answer_it_says_so():
    grid = grid_of(Waves(), lower=[-2, -2], upper=[2, 2])
    grid([0.3, 0.4])
    for view in (grid.frozen(), grid.frozen(missing="fail")):
        with pytest.raises(quoin.CornerFailure, match=r"no cell answers around \(1.3, 0.4\)"):
            view([1.3, 0.4])
        assert view.query([1.3, 0.4]).trust is quoin.Trust.failed
        with pytest.raises(quoin.DomainError, match="above"):
            view([2.5, 0.4])
    fine = grid.at_level(1)
    assert fine.frozen().query([0.3, 0.4]).trust is quoin.Trust.coarser
    assert fine.frozen("fail").query([0.3, 0.4]).trust is quoin.Trust.failed
    with pytest.raises(ValueError, match="missing = 'finer', expected 'coarser' or 'fail'"):
        grid.frozen("finer")


def test_it_outlives_the_grid_and_does_not_follow_it():
    grid = grid_of(Waves())
    expected = grid([0.3, 0.4])
    frozen, total = grid.frozen(), grid.linear_output(np.ones((1, 2))).frozen()
    grid.refine()
    grid([[0.3, 0.4], [5.3, 0.4]])
    grid.trim()
    with pytest.raises(quoin.CornerFailure):
        frozen([5.3, 0.4])
    del grid
    gc.collect()
    assert np.array_equal(frozen([0.3, 0.4]), expected)
    assert total([0.3, 0.4])[0] == pytest.approx(expected.sum())


def test_it_answers_while_f_is_at_work_in_another_thread():
    f = Waves()
    grid = grid_of(f)
    grid([0.3, 0.4])
    asks = threading.Thread(target=grid, args=([11.0, 0.4],))
    asks.start()
    try:
        assert f.waits.wait(10)
        frozen = grid.frozen()
        assert np.array_equal(frozen([0.3, 0.4]), grid([0.3, 0.4]))
        assert frozen.query([11.0, 0.4]).trust is quoin.Trust.failed
    finally:
        f.may_go_on.set()
        asks.join()
