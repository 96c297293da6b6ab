# SPDX-License-Identifier: BSD-3-Clause
"""What an executor loses is never f's failure, never for good, never stored, and no wait outlasts it."""

import asyncio
import concurrent.futures as futures
import os
import pickle
import random
import re
import sys
import threading
import time

import numpy as np
import pytest

import quoin

DRAWS = int(os.environ.get("QUOIN_EXECUTOR_DRAWS", "40"))
SEED = int(os.environ.get("QUOIN_EXECUTOR_SEED", "1"))
VALUES = dict(spacing=[1.0], outputs=1, derivatives=0)
X = np.arange(0, 12, 1.0)[:, None]


class LosesSome(futures.Executor):
    """Runs what it is given in threads, or loses it in one of the ways in which executors do."""

    WAYS = {
        "cancelled": lambda future, call: (future.cancel(), future.set_running_or_notify_cancel()),
        "cancelled and not told": lambda future, call: future.cancel(),
        "CancelledError": lambda future, call: future.set_exception(futures.CancelledError()),
        "asyncio": lambda future, call: future.set_exception(asyncio.CancelledError()),
        "timeout": lambda future, call: future.set_exception(TimeoutError("10 s")),
        "connection": lambda future, call: future.set_exception(ConnectionResetError("peer")),
        "end of file": lambda future, call: future.set_exception(EOFError()),
        "operating system": lambda future, call: future.set_exception(OSError(5, "I/O")),
        "memory": lambda future, call: future.set_exception(ValueError("scheduler")),
        "unpickling": lambda future, call: future.set_exception(pickle.UnpicklingError("truncated")),
        "broken": lambda future, call: future.set_exception(futures.BrokenExecutor("gone")),
        "nonsense": lambda future, call: future.set_result(np.zeros(1)),
        "raises": None,
        "no future": None,
    }

    def __init__(self, random, share):
        self.random, self.share, self.pool = random, share, futures.ThreadPoolExecutor(3)

    def submit(self, fn, *args):
        if self.random.random() > self.share:
            return self.pool.submit(fn, *args)
        way = self.random.choice(list(self.WAYS))
        if way == "raises":
            raise RuntimeError("cannot schedule new futures after shutdown")
        if way == "no future":
            return 3
        future = futures.Future()
        after = threading.Timer(self.random.choice([0, 0.002]), self.WAYS[way], (future, None))
        after.start()
        return future


@pytest.mark.parametrize("draw", range(DRAWS))
def test_what_is_lost_is_answered_later_and_never_stored_as_failed(tmp_path, draw):
    rng = random.Random(SEED * 1000 + draw)
    executor = LosesSome(rng, rng.choice([0.1, 0.5, 1.0]))
    stored = dict(VALUES, store=tmp_path / "f.quoin", fingerprint="f")
    grid = quoin.AdaptiveGrid(lambda x: 3 * x, executor=executor, **stored)
    for _ in range(3):
        for x in rng.sample(range(11), 4):
            try:
                assert grid([x + 0.5]) == pytest.approx(3 * x + 1.5)
            except quoin.CornerFailure as failure:
                assert failure.may_pass and isinstance(failure.__cause__, quoin.NotEvaluated), failure
        grid.prefetch(X)
    samples = grid.samples()
    assert all(retry for reason, retry in zip(samples.reasons, samples.retry) if reason)
    executor.share = 0
    np.testing.assert_allclose(grid(X), 3 * X)
    assert grid.statistics.failed_corners == 0
    grid.flush()
    calls = []
    again = quoin.AdaptiveGrid(lambda x: calls.append(x) or 3 * x, **stored)
    np.testing.assert_allclose(again(X), 3 * X)
    assert not calls and again.statistics.failed_corners == 0


class MixesUp(futures.Executor):
    """Breaks its contract: hands back what belongs to another call, or what is no future of an executor."""

    def __init__(self, way, share, random):
        self.way, self.share, self.random = way, share, random
        self.pool, self.before, self.points = futures.ThreadPoolExecutor(2), [], []
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def submit(self, fn, *args):
        honest = self.pool.submit(fn, *args)
        self.before.append(honest)
        if len(self.before) == 1 or self.random.random() > self.share:
            return honest
        self.points.append(args[-1])
        if self.way == "the point of another call":
            return self.pool.submit(fn, *args[:-1], self.random.choice(self.points[:-1] or [args[-1] + 1]))
        other = self.random.choice(self.before[:-1])
        if self.way == "the future of another call":
            return other
        if self.way == "the answer of another call":
            future = futures.Future()
            other.add_done_callback(lambda done: future.set_result(done.result()))
            return future
        if self.way == "an asyncio future":
            return asyncio.wrap_future(honest, loop=self.loop)
        return asyncio.new_event_loop().create_future()  # of a loop that nobody runs


@pytest.mark.parametrize("draw", range(3))
@pytest.mark.parametrize(
    "way",
    [
        "the future of another call",
        "the answer of another call",
        "the point of another call",
        "an asyncio future",
        "one of no loop",
    ],
)
def test_an_executor_that_breaks_its_contract_is_named_and_nothing_of_it_kept(tmp_path, way, draw):
    rng = random.Random(SEED * 1000 + draw)
    executor = MixesUp(way, rng.choice([0.5, 1.0]), rng)
    stored = dict(VALUES, store=tmp_path / "f.quoin", fingerprint="f")
    grid = quoin.AdaptiveGrid(lambda x: 3 * x, executor=executor, **stored)
    told = []
    for _ in range(3):
        grid.prefetch(X)
        told += [reason for reason in grid.samples().reasons if reason]
        for x in rng.sample(range(11), 4):
            try:
                assert grid([x + 0.5]) == pytest.approx(3 * x + 1.5)
            except quoin.CornerFailure as failure:
                assert failure.may_pass and isinstance(failure.__cause__, quoin.NotEvaluated), failure
    assert told and all("the executor, a MixesUp, " in text for text in told), told
    executor.share = 0
    np.testing.assert_allclose(grid(X), 3 * X)
    grid.flush()
    again = quoin.AdaptiveGrid(lambda x: x / 0, **stored)
    np.testing.assert_allclose(again(X), 3 * X)


def slow(x):
    time.sleep(0.05)
    return x


@pytest.mark.parametrize("pool", [futures.ThreadPoolExecutor, futures.ProcessPoolExecutor])
@pytest.mark.parametrize("after", [0.0, 0.12])
def test_a_shutdown_that_cancels_ends_the_wait(pool, after):
    executor = pool(2)
    executor.submit(int, "3").result()
    grid = quoin.AdaptiveGrid(slow, executor=executor, **VALUES)
    stop = threading.Timer(after, executor.shutdown, kwargs=dict(wait=False, cancel_futures=True))
    stop.start()
    begin = time.monotonic()
    grid.prefetch(np.arange(0, 60, 1.0)[:, None])
    assert time.monotonic() - begin < 10
    stop.join()
    samples = grid.samples()
    failed = [reason for reason in samples.reasons if reason]
    assert len(failed) > 40 and all("NotEvaluated" in reason for reason in failed), failed
    assert grid.statistics.exact_evaluations == len(samples.reasons) - len(failed)  # calls of f
    assert all(retry for reason, retry in zip(samples.reasons, samples.retry) if reason)


class NeedsTwo(Exception):
    """Cannot be unpickled: its __init__ wants more than it passes on."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


class HoldsALock(Exception):
    """Cannot be pickled."""

    def __init__(self, text):
        super().__init__(text)
        self.lock = threading.Lock()


class HasNoText(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class MayPass(quoin.RetryableFailure):
    def __init__(self, one, two):
        super().__init__(f"{one}, {two}")


class Reduced(Exception):
    """Is pickled as a call of another function, or not at all."""

    def __init__(self, function, *arguments):
        super().__init__(function.__name__, *arguments)
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


def interrupts(*_):
    raise KeyboardInterrupt


class EndsWherePickled(Exception):
    def __reduce__(self):
        raise SystemExit(3)


class CannotBeSet(Exception):
    def __setattr__(self, name, value):
        raise AttributeError(name)


def with_traceback_that_cannot_be_told():
    error = SyntaxError("bad")
    error.text, error.lineno, error.filename = 5, 1, "a"
    return error


ERRORS = [
    (lambda: NeedsTwo("one", "two"), "NeedsTwo: one and two"),
    (lambda: HoldsALock("held"), "HoldsALock: held"),
    (lambda: HasNoText(), "HasNoText"),
    (lambda: MayPass("one", "two"), "MayPass: one, two"),
    (lambda: futures.CancelledError("f's own"), "CancelledError: f's own"),
    (lambda: TimeoutError("f's own"), "TimeoutError: f's own"),
    (lambda: ConnectionError("f's own"), "ConnectionError: f's own"),
    (lambda: ValueError("a lone surrogate: \ud800"), "ValueError: a lone surrogate"),
    (lambda: futures.BrokenExecutor("f's own"), "BrokenExecutor: f's own"),
    (with_traceback_that_cannot_be_told, r"SyntaxError: bad \(a, line 1\)"),
    (lambda: Reduced(sys.exit, 5), r"Reduced: \('exit', 5\)"),
    (lambda: Reduced(interrupts), "Reduced: interrupts"),
    (lambda: Reduced(int, "no number"), r"Reduced: \('int', 'no number'\)"),
    (lambda: Reduced(int, "3"), r"Reduced: \('int', '3'\)"),
    (lambda: EndsWherePickled("pickled"), "EndsWherePickled: pickled"),
    (lambda: CannotBeSet("set"), "CannotBeSet: set"),
]


def raises(x):
    raise ERRORS[int(x[0]) % len(ERRORS)][0]()


@pytest.mark.parametrize("executor", [None, "threads", "processes"])
def test_what_f_raises_is_its_own_failure_even_where_it_cannot_be_pickled(executor):
    grid = quoin.AdaptiveGrid(raises, executor=executor, **VALUES)
    grid.prefetch(np.arange(0, len(ERRORS), 1.0)[:, None])
    samples = grid.samples()
    for x, reason, retry in zip(samples.points[:, 0], samples.reasons, samples.retry):
        told = ERRORS[int(x) % len(ERRORS)][1]
        assert re.search(told, reason), reason
        assert retry == told.startswith("MayPass")
    for at, (_, told) in enumerate(ERRORS):
        with pytest.raises(quoin.CornerFailure, match=told) as failure:
            grid([float(at)])
        assert failure.value.__cause__ is not None


@pytest.mark.parametrize("answer", [lambda x: x, object(), {1: 2}, (1, 2, lambda x: x)], ids=str)
def test_what_f_answers_is_its_failure_where_it_cannot_be_sent(answer):
    grid = quoin.AdaptiveGrid(Answers(answer), executor=futures.ThreadPoolExecutor(1), **VALUES)
    with pytest.raises(quoin.CornerFailure, match="f answered") as failure:
        grid([0.0])
    assert not failure.value.may_pass


def local():
    return lambda: 3


class Unsendable:
    def __call__(self, x):
        return local()


def test_a_process_that_answers_what_cannot_be_sent_fails_and_breaks_nothing():
    with futures.ProcessPoolExecutor(1) as pool:
        grid = quoin.AdaptiveGrid(Unsendable(), executor=pool, **VALUES)
        with pytest.raises(quoin.CornerFailure, match="f answered a value of dtype object") as failure:
            grid([0.0])
        assert not failure.value.may_pass
        assert pool.submit(int, "3").result() == 3


class Answers:
    def __init__(self, answer):
        self.answer = answer

    def __call__(self, x):
        return self.answer


def hangs(x):
    time.sleep(60 if x[0] == 0 else 0)
    return x


def test_a_pool_whose_thread_has_ended_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda *_: None)  # of CPython's pool: InvalidStateError
    with futures.ProcessPoolExecutor(1) as pool:
        grid = quoin.AdaptiveGrid(hangs, executor=pool, **VALUES)
        grid([5.5])
        for _ in range(4):  # of which what is cancelled stays in the pool, that breaks its thread when its process ends
            pool.submit(time.sleep, 60)
        for future in [pool.submit(int, "3") for _ in range(3)]:
            future.cancel()
        process = next(iter(pool._processes.values()))
        threading.Timer(0.5, process.kill).start()
        begin = time.monotonic()
        assert grid([7.5]) == 7.5
        assert time.monotonic() - begin < 20
