# SPDX-License-Identifier: BSD-3-Clause
"""Grids end with their last name, also in cycles, and nothing is left of them."""

import gc
import resource
import weakref

import numpy as np
import pytest

import quoin
from functions import waves


class Function:
    """One that can be watched, and may hold its grid."""

    def __call__(self, x):
        return waves(2)(x)


@pytest.mark.parametrize("executor", [None, "threads"])
def test_a_grid_and_its_function_end_with_their_last_name(executor):
    f = Function()
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], executor=executor)
    grid([0.2, 0.3])
    watched = weakref.ref(f), weakref.ref(grid)
    del f, grid
    gc.collect()
    assert [reference() for reference in watched] == [None, None]


def test_a_cycle_through_the_grid_is_collected():
    f = Function()
    f.grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    f.view = f.grid.at_level(1)
    f.grid([0.2, 0.3])
    watched = weakref.ref(f), weakref.ref(f.grid), weakref.ref(f.view)
    del f
    gc.collect()
    assert [reference() for reference in watched] == [None] * 3


def test_a_cycle_through_a_failure_is_collected():
    class Fails(Function):
        def __call__(self, x):
            if x[0] > 0.9:
                raise ValueError("the traceback knows f")
            return super().__call__(x)

    f = Fails()
    f.grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    f.grid.query([0.7, 0.3])
    watched = weakref.ref(f), weakref.ref(f.grid)
    del f
    gc.collect()
    assert [reference() for reference in watched] == [None, None]


def test_a_view_outlives_its_grid_and_goes_on_calling_f():
    f = Function()
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    expected = grid([5.2, 0.3])
    view = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5]).at_level(0)
    watched = weakref.ref(f)
    del grid, f
    gc.collect()
    np.testing.assert_array_equal(view([5.2, 0.3]), expected)
    functional = view.linear_output([[1.0, 1.0]])
    del view
    gc.collect()
    np.testing.assert_allclose(functional([9.2, 0.3]), quoin.AdaptiveGrid(Function(), [0.5, 0.5])([9.2, 0.3]).sum())
    del functional
    gc.collect()
    assert watched() is None


def test_many_grids_and_queries_leave_no_memory_behind():
    def once():
        grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
        grid.value_and_jacobian(np.random.default_rng(9).uniform(0, 10, (500, 2)))
        for _ in range(50):
            grid.query([0.2, 0.3])
            grid.value_and_jacobian([0.2, 0.3])
        grid.samples()

    for _ in range(10):
        once()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(60):
        once()
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000  # kB; one grid takes 400


def test_f_and_the_arrays_of_a_query_are_not_referenced_afterwards():
    import sys

    f = Function()
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    x = np.array([0.2, 0.3])
    for ask in (grid, grid.value_and_jacobian, grid.query, grid.second_derivatives):
        ask(x)
        before = sys.getrefcount(x), sys.getrefcount(f)
        for _ in range(100):
            ask(x)
        assert (sys.getrefcount(x), sys.getrefcount(f)) == before
        y = ask(x)
        assert sys.getrefcount(y) == 2


def test_the_collector_may_come_while_the_first_object_of_a_class_is_made():
    view = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5]).at_level(0)
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):
            own = type("Own", (quoin.Map,), {})
            assert own(view).dim == 2
    finally:
        gc.set_threshold(*before)
