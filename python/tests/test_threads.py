# SPDX-License-Identifier: BSD-3-Clause
"""Queries release the GIL; threads wait for each other without it, and no circle waits for ever."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import quoin
from functions import Counted, waves


def test_a_query_of_known_corners_goes_on_while_f_sleeps_in_another_thread():
    entered, leave = threading.Event(), threading.Event()

    def f(x):
        if x[0] > 4:
            entered.set()
            assert leave.wait(60)
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    expected = grid([0.2, 0.3])
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(grid, [5.2, 0.3])
        assert entered.wait(60)
        np.testing.assert_array_equal(grid([0.2, 0.3]), expected)
        assert not slow.done()
        leave.set()
        slow.result(60)


def test_two_threads_that_need_one_corner_call_f_once():
    entered, leave = threading.Event(), threading.Event()
    f = waves(2)

    def slow(x):
        entered.set()
        assert leave.wait(60)
        return f(x)

    counted = Counted(slow)
    grid = quoin.AdaptiveGrid(counted, spacing=[0.5, 0.5], outputs=2, derivatives=1)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(grid, [0.2, 0.3])
        assert entered.wait(60)
        others = [pool.submit(grid, [0.2, 0.3]) for _ in range(3)]
        time.sleep(0.05)  # so that they wait; the outcome is the same if they do not
        leave.set()
        answers = [future.result(60) for future in [first, *others]]
    assert counted.count == 4
    for answer in answers:
        np.testing.assert_array_equal(answer, answers[0])


def test_the_first_queries_of_many_threads_make_one_grid():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    barrier = threading.Barrier(8)

    def ask(_):
        barrier.wait(60)
        return grid([0.2, 0.3])

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))
    assert f.count == 4
    for answer in answers:
        np.testing.assert_array_equal(answer, answers[0])


def test_an_f_without_an_executor_is_called_by_one_thread_at_a_time():
    inside, most = 0, 0
    lock = threading.Lock()

    def f(x):
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.001)  # without the GIL
        with lock:
            inside -= 1
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(grid, np.random.default_rng(6).uniform(0, 5, (30, 2))))
    assert most == 1


def test_the_threads_of_an_executor_evaluate_at_the_same_time():
    together = threading.Barrier(4)

    def f(x):
        together.wait(60)  # passes only if the four corners of a cell are evaluated together
        return waves(2)(x)

    with ThreadPoolExecutor(4) as pool:
        grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], executor=pool, outputs=2, derivatives=1)
        grid([0.2, 0.3])
    assert grid.statistics.exact_evaluations == 4


def test_f_may_ask_its_own_grid_elsewhere():
    def f(x):
        if x[0] > 0.9:
            y, J = grid.value_and_jacobian(x - [1, 0])
            return y + 1, J
        return np.array([x[0] + x[1], x[0]]), np.array([[1.0, 1.0], [1.0, 0.0]])

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1)
    np.testing.assert_allclose(grid([4.2, 0.3]), [4.5, 4.2], atol=1e-12)
    assert grid.statistics.failed_corners == 0


@pytest.mark.parametrize("executor", [None, "threads"])
def test_an_f_that_asks_for_the_corner_that_it_is_called_for_fails_instead_of_waiting(executor):
    def f(x):
        return grid(x), np.zeros((2, 2))

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1, executor=executor)
    with pytest.raises(quoin.CornerFailure) as failure:
        grid([0.2, 0.3])
    assert "asks the grid for the corner" in str(failure.value) + str(failure.value.__cause__)


def test_two_grids_whose_functions_ask_each_other_from_two_threads_do_not_lock():
    def f(x):
        return (second(x) if x[0] > 0.9 else np.array([x[0], x[1]])), np.zeros((2, 2))

    def g(x):
        return (first(x) if x[0] > 0.9 else np.array([x[1], x[0]])), np.zeros((2, 2))

    first = quoin.AdaptiveGrid(f, [0.5, 0.5], lower=[0, 0], upper=[2, 1], outputs=2, derivatives=1)
    second = quoin.AdaptiveGrid(g, [0.5, 0.5], lower=[0, 0], upper=[2, 1], outputs=2, derivatives=1)
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(grid.query, [1.2, 0.3]) for grid in (first, second)]
        trusts = {answer.result(60).trust for answer in answers}
    assert quoin.Trust.failed in trusts


def test_exceptions_of_many_threads_are_those_of_their_own_corners():
    def f(x):
        if round(2 * x[0]) % 2:
            raise ValueError(f"at {x[0]}")
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1)

    def ask(i):
        with pytest.raises(quoin.CornerFailure) as failure:
            grid([i + 0.2, 0.3])
        return str(failure.value.__cause__)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(20))) == [f"at {i + 0.5}" for i in range(20)]


def test_trim_refuses_while_a_query_runs():
    entered, leave = threading.Event(), threading.Event()

    def f(x):
        entered.set()
        assert leave.wait(60)
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1)
    view = grid.at_level(0)
    with ThreadPoolExecutor(1) as pool:
        query = pool.submit(view, [0.2, 0.3])
        assert entered.wait(60)
        with pytest.raises(RuntimeError, match="1 queries are running"):
            grid.trim()
        leave.set()
        query.result(60)
    grid.trim()


def test_requests_are_evaluated_by_a_thread_of_the_grid():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1)
    grid.prefetch_async([[0.2, 0.3]])
    deadline = time.monotonic() + 60
    while grid.statistics.unused_corners < 4 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert grid.statistics.corners == 4 and grid.statistics.unused_corners == 4
    known = grid.evaluate_cached([0.2, 0.3])
    assert known.y is not None and f.count == 4
