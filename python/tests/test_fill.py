# SPDX-License-Identifier: BSD-3-Clause
"""Tables: a box that is filled answers all over, in this program, frozen, and from a file."""

import numpy as np
import pytest

import quoin


class Counted:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return np.array([np.sin(x[0]) * np.exp(x[1]), x[0] - x[1] ** 2])


@pytest.mark.parametrize("derivatives", [0, "infer"])
@pytest.mark.parametrize("tolerance", [None, 1e-2])
@pytest.mark.parametrize("executor", [None, "threads"])
def test_a_filled_table_answers_everywhere_also_from_a_file(tmp_path, derivatives, tolerance, executor):
    f = Counted()
    options = dict(lower=[0, -1], upper=[2, 1], tolerance=tolerance, derivatives=derivatives, executor=executor)
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], **options)
    cells = grid.fill()
    assert cells == 16 if tolerance is None else cells >= 16
    calls = f.calls
    X = np.random.default_rng(2).uniform([0, -1], [2, 1], (500, 2))
    Y = grid(X)
    assert f.calls == calls
    assert grid.fill([0, -1], [2, 1]) == cells and f.calls == calls
    path = str(tmp_path / "table.npz")
    grid.save(path)
    loaded = quoin.load(path)
    assert np.array_equal(loaded(X), Y)
    for view in (grid.frozen("fail"), loaded.frozen("fail"), quoin.load(path).frozen("fail")):
        assert np.array_equal(view(X), Y)
    known = quoin.load(path)
    for x, y in zip(X[:50], Y):
        assert np.array_equal(known.evaluate_cached(x).y, y)


def test_what_is_no_box_is_refused():
    f = Counted()
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, -1], outputs=2, derivatives=0)
    with pytest.raises(ValueError, match="no upper bound: give upper"):
        grid.fill()
    with pytest.raises(ValueError, match=r"lower\[1\] = 3.* is above upper\[1\] = 2"):
        grid.fill([0, 3], [1, 2])
    with pytest.raises(quoin.DomainError, match=r"fill: x\[0\] = -1 is below lower\[0\] = 0"):
        grid.fill([-1, 0], [1, 2])
    with pytest.raises(ValueError, match=r"lower.*expected \(2,\)"):
        grid.fill([0], [1, 2])
    with pytest.raises(ValueError, match="cells, too many"):
        grid.at_level(20).fill([0, 0], [1e6, 1e6])
    assert f.calls == 0


def test_a_box_that_failed_tells_with_its_numbers():
    def f(x):
        if x[0] > 0.9:
            raise ValueError("no contact")
        return [x[0] * x[1]], [[x[1], x[0]]]

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, 0], upper=[2, 1], outputs=1, derivatives=1)
    partly = grid.fill()
    assert partly == 8 and partly.failed == 6
    assert "f failed in 6 of them, first at corner (" in repr(partly) and "no contact" in str(partly)
    with pytest.raises(quoin.CornerFailure, match=r"all 2 cells of the box, first at corner \(1.5, .*no contact"):
        grid.fill([1.5, 0], [2, 1])
    assert repr(grid.fill([0, 0], [0.5, 1])) == "2 cells"
    fine = grid.at_level(1).fill()  # a view tells too
    assert fine == 32 and fine.failed == 20


def test_a_table_tells_where_f_failed():
    def f(a):
        if a > 0.7:
            raise ValueError("too hot")
        return [a]

    table = quoin.Table(f, dict(a=(0, 1)), relative=1e-2)
    assert "too hot" in repr(table.fill()) and "failed)" in repr(table)
