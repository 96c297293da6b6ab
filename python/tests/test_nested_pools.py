# SPDX-License-Identifier: BSD-3-Clause
"""f in the threads of a pool asks grids of that pool, however deep, and never waits for a thread that waits for it."""

import concurrent.futures as futures
import os
import random
import threading
import time

import numpy as np
import pytest

import quoin

DRAWS = int(os.environ.get("QUOIN_POOL_DRAWS", "25"))
SEED = int(os.environ.get("QUOIN_POOL_SEED", "1"))
VALUES = dict(spacing=[1.0], outputs=1, derivatives=0)


class Chain:
    """Some grids over pools; the function of each asks the next one elsewhere. Answers are known: x plus the depth."""

    def __init__(self, rng, pools):
        self.depth = rng.randrange(2, 5)
        self.grids = []
        self.calls_here = threading.local()
        for level in range(self.depth):
            executor = rng.choice(pools)
            self.grids.append(quoin.AdaptiveGrid(self.function(level), executor=executor, **VALUES))

    def function(self, level):
        def f(x):
            time.sleep(0.0005)
            if level + 1 == self.depth:
                return x
            return self.grids[level + 1](x + 100 * (level + 1.25)) - 100 * (level + 1.25) + 1

        return f


@pytest.mark.parametrize("draw", range(DRAWS))
def test_chains_of_grids_over_full_pools_end(draw):
    rng = random.Random(SEED * 1000 + draw)
    with futures.ThreadPoolExecutor(rng.choice([1, 2])) as one, futures.ThreadPoolExecutor(1) as other:
        chain = Chain(rng, [one, other, None] if rng.random() < 0.5 else [one])
        X = np.arange(0, 12, 1.0)[:, None]
        chain.grids[0].prefetch(X)
        np.testing.assert_allclose(chain.grids[0](X), X + chain.depth - 1, atol=1e-9)


def test_f_asks_its_own_grid_elsewhere_in_a_full_pool():
    with futures.ThreadPoolExecutor(2) as pool:

        def f(x):
            time.sleep(0.01)
            return grid([x[0] + 100.5]) if x[0] < 50 else x

        grid = quoin.AdaptiveGrid(f, executor=pool, **VALUES)
        grid.prefetch(np.arange(0, 20, 1.0)[:, None])
        np.testing.assert_allclose(grid([3.5]), 104.0)


def test_tasks_of_the_user_that_fill_the_pool_may_ask_its_grid():
    with futures.ThreadPoolExecutor(2) as pool:
        grid = quoin.AdaptiveGrid(lambda x: 2 * x, executor=pool, **VALUES)
        answers = list(pool.map(lambda i: grid([i + 0.5])[0], range(20)))
        np.testing.assert_allclose(answers, 2 * np.arange(20) + 1)


def test_who_waits_in_the_pool_for_corners_of_another_query_is_not_waited_for():
    """Both threads of the pool wait for corners that another query has claimed and that are queued behind them."""
    with futures.ThreadPoolExecutor(2) as pool:
        claimed = threading.Event()

        def f(x):
            if x[0] < 50:
                claimed.wait()
                time.sleep(0.1)
                return grid([x[0] + 100.5])
            return x

        grid = quoin.AdaptiveGrid(f, executor=pool, **VALUES)
        first = threading.Thread(target=lambda: grid.prefetch(np.arange(0, 8, 1.0)[:, None]), daemon=True)
        first.start()
        time.sleep(0.1)
        threading.Timer(0.05, claimed.set).start()
        grid.prefetch(np.arange(100, 110, 1.0)[:, None])
        first.join(20)
        assert not first.is_alive()
        np.testing.assert_allclose(grid([3.5]), 104.0)


def test_a_circle_is_still_a_failure():
    with futures.ThreadPoolExecutor(2) as pool:
        grid = quoin.AdaptiveGrid(lambda x: grid([x[0] + 0.25]), executor=pool, **VALUES)
        with pytest.raises(quoin.CornerFailure, match="asks the grid for the corner"):
            grid([0.5])


@pytest.mark.parametrize("executor", [None, "threads"])
def test_what_another_grid_could_not_evaluate_is_not_for_good(executor):
    broken = True

    def inner_f(x):
        if broken:
            raise quoin.RetryableFailure("no licence")
        return x

    inner = quoin.AdaptiveGrid(inner_f, **VALUES)
    grid = quoin.AdaptiveGrid(lambda x: inner(x), executor=executor, **VALUES)
    with pytest.raises(quoin.CornerFailure, match="no licence") as failure:
        grid([0.5])
    assert failure.value.may_pass
    broken = False
    assert grid([0.5]) == 0.5
