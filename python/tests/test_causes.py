# SPDX-License-Identifier: BSD-3-Clause
"""A query that fails tells which exception of f it was, however many fail with it, and in however many threads."""

import concurrent.futures as futures
import itertools
import os
import random
import threading
import traceback
import weakref

import numpy as np
import pytest

import quoin
from quoin._causes import KEPT, WHOLE

DRAWS = int(os.environ.get("QUOIN_CAUSE_DRAWS", "20"))
SEED = int(os.environ.get("QUOIN_CAUSE_SEED", "1"))


class FailsAnew:
    """Beyond a limit: each time with another text, of a kind that may pass or not."""

    def __init__(self, kind, order, batched):
        self.kind, self.order, self.batched, self.numbers = kind, order, batched, itertools.count()

    def __call__(self, x):
        if np.any(x[..., 0] > 3):
            raise self.kind(f"number {next(self.numbers)}.")
        y = np.sin(x[..., :1])
        slope = np.zeros((*y.shape, x.shape[-1]))
        slope[..., 0, 0] = np.cos(x[..., 0])
        return (y, slope) if self.order else y


def draw_grid(rng):
    kind, order = rng.choice([ValueError, quoin.RetryableFailure]), rng.choice([0, 1])
    batched, executor = rng.random() < 0.3, rng.choice([None, "threads", "shut down"])
    options = dict(spacing=[1.0] * rng.choice([1, 2]), outputs=1, derivatives=order, batched=batched)
    options |= dict(tolerance=rng.choice([None, None, 1e-2]))
    if order == 1:
        options |= dict(on_failure=rng.choice(["raise", "call"]))
    pool = None if executor is None else futures.ThreadPoolExecutor(3)
    grid = quoin.AdaptiveGrid(FailsAnew(kind, order, batched), executor=pool, **options)
    if executor == "shut down":
        pool.shutdown()
    return grid, len(options["spacing"])


@pytest.mark.parametrize("draw", range(DRAWS))
def test_each_failure_has_the_exception_that_its_message_tells_of(draw):
    rng = random.Random(1000 * SEED + draw)
    grid, dim = draw_grid(rng)
    failures = []

    def ask(seed):
        points = np.random.default_rng(seed)
        for _ in range(3):
            X = points.uniform(2.5, 8, (rng.choice([1, 4, 60, 300] if grid.options.tolerance is None else [1, 4]), dim))
            X[:, 0] *= rng.choice([1, 20])
            try:
                grid(X)
            except quoin.CornerFailure as failure:
                failures.append(failure)

    threads = [threading.Thread(target=ask, args=(draw * 10 + k,)) for k in range(rng.choice([1, 2, 4]))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures
    for failure in failures:
        cause = failure.__cause__
        assert cause is not None, failure
        # Of a corner that several threads ask for again and again it may be what another heard of it.
        assert str(cause) in str(failure) or (len(threads) > 1 and failure.may_pass), (failure, cause)


@pytest.mark.parametrize("points", [65, 3000])
@pytest.mark.parametrize("options", [dict(), dict(batched=True), dict(executor="threads")], ids=str)
def test_of_any_number_that_fail_together_the_one_that_is_told_is_known(monkeypatch, points, options):
    monkeypatch.setattr(quoin._causes, "KEPT", 2000 if options else KEPT)
    f = FailsAnew(ValueError, 0, True)
    grid = quoin.AdaptiveGrid(f, spacing=[1.0], outputs=1, derivatives=0, **options)
    with pytest.raises(quoin.CornerFailure) as failure:
        grid(3.5 + np.arange(points)[:, np.newaxis])
    assert str(failure.value.__cause__) in str(failure.value)


def test_one_that_fails_anew_is_among_the_last_and_there_are_only_so_many(monkeypatch):
    monkeypatch.setattr(quoin._causes, "KEPT", 300)
    grid = quoin.AdaptiveGrid(FailsAnew(quoin.RetryableFailure, 0, False), spacing=[1.0], outputs=1, derivatives=0)
    grid.prefetch(4.5 + np.arange(290)[:, np.newaxis])
    for at in [4, *range(1000, 1100), 4]:
        with pytest.raises(quoin.CornerFailure) as failure:
            grid.corner_jet([at])
        assert str(failure.value.__cause__) in str(failure.value)
    assert len(grid._source._causes._causes) == 300


class Large:
    pass


def test_what_f_held_is_let_go_long_before_its_exception():
    held = weakref.WeakSet()

    def f(x):
        large = Large()
        held.add(large)
        raise ValueError(f"no answer at {x[0]}")

    grid = quoin.AdaptiveGrid(f, spacing=[1.0], outputs=1, derivatives=0)
    grid.prefetch(np.arange(1000.0)[:, np.newaxis])
    assert len(held) == WHOLE and grid.statistics.failed_corners > 1000
    with pytest.raises(quoin.CornerFailure, match="no answer at 500.0") as failure:
        grid([500.0])
    assert traceback.extract_tb(failure.value.__cause__.__traceback__)[-1].name == "f"


def test_a_generator_that_caught_an_exception_goes_on_when_its_variables_are_let_go():
    def generator():
        for k in itertools.count():
            try:
                raise ValueError(f"number {k}")
            except ValueError as error:
                caught = error
            yield caught

    numbers = generator()

    def f(x):
        raise next(numbers)

    grid = quoin.AdaptiveGrid(f, spacing=[1.0], outputs=1, derivatives=0)
    grid.prefetch(np.arange(3.0 * WHOLE)[:, np.newaxis])
    assert str(next(numbers)) == f"number {grid.statistics.failed_corners}"
