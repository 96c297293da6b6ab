# SPDX-License-Identifier: BSD-3-Clause
"""Who evaluates f at many corners: anything that is a concurrent.futures.Executor."""

from __future__ import annotations

import asyncio
import concurrent.futures as futures
import os
import pickle
import queue
import threading
import weakref
from typing import Any, Callable, Optional

from quoin import _core, _pools
from quoin._errands import Errand, holds_up, run
from quoin._forks import renew_after_fork
from quoin._forms import FloatArray
from quoin._outcomes import Outcome, Raised, outcome_of
from quoin.errors import NotEvaluated, RetryableFailure

Take = Callable[[int, Any, float], None]
Refuse = Callable[[int, Raised, float], None]
Call = futures.Future[Outcome]
Done = queue.SimpleQueue[Call]

#: how many processes a sample may cost before it has failed
ATTEMPTS = 3
#: seconds between two looks at whether the query is to end
LOOK = 0.05


class WorkerCrashed(RetryableFailure):
    """The process that evaluated f ended, again and again."""


def _shut_down(pools: list[futures.Executor], process: int) -> None:
    if os.getpid() == process:
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)


class Engine:
    """Evaluates f through an executor.

    Parameters
    ----------
    executor : "threads", "processes", concurrent.futures.Executor, or what has get_executor (a client of dask)
        An executor that is given is not shut down; one that is made here is, with the engine.
    """

    def __init__(self, executor: Any) -> None:
        self._made: list[futures.Executor] = []
        self._lock = threading.Lock()
        self._whose: object = executor
        if isinstance(executor, str):
            executor = self._whose = _pools.named(executor)
            self._made.append(executor)
        elif hasattr(executor, "get_executor"):
            executor = executor.get_executor()
        if not isinstance(executor, futures.Executor):
            raise TypeError(f"executor is a {type(executor).__name__}, expected a concurrent.futures.Executor")
        self._pool: futures.Executor = executor
        self._here = _pools.is_forbidden(executor)
        self._own_by(os.getpid())
        renew_after_fork(self)

    def _own_by(self, process: int) -> None:
        self._process = process
        weakref.finalize(self, _shut_down, self._made, process)

    def check(self, f: Callable[..., Any]) -> None:
        """Raises TypeError if f cannot be sent to the executor's processes."""
        if isinstance(self._pool, futures.ProcessPoolExecutor) or type(self._pool).__module__.startswith("mpi4py"):
            try:
                pickle.dumps(f)
            except Exception as error:
                raise TypeError(
                    f"executor: f cannot be sent to other processes ({error}): let it be a function of a module, or "
                    "an object of a module's class"
                ) from error

    def evaluate(
        self, f: Callable[..., Any], points: FloatArray, which: list[int], batched: bool, take: Take, refuse: Refuse
    ) -> None:
        """Evaluates at these of the points, and hands over each outcome as it comes.

        A process that crashes takes no other sample with it: all that were under way are evaluated again, each alone
        in a process of its own until the culprit is found, which gets three attempts. What the executor loses
        otherwise was not evaluated, and may be asked for again.
        """
        if os.getpid() != self._process:
            self._follow_fork()
        arguments = {m: points[m : m + 1].copy() if batched else points[m].copy() for m in which}
        if self._here or _pools.is_forbidden(self._pool) or holds_up(self._whose):
            for m in which:
                _hand_over(m, outcome_of(f, arguments[m]), take, refuse)
            return
        crashed = self._evaluate_together(f, arguments, which, take, refuse)
        while crashed:
            suspects, crashed = list(crashed), {}
            while suspects:
                m = suspects.pop(0)
                if self._evaluate_alone(f, arguments[m], m, take, refuse):
                    crashed = self._evaluate_together(f, arguments, suspects, take, refuse)
                    break

    def _evaluate_together(
        self, f: Callable[..., Any], arguments: dict[int, FloatArray], which: list[int], take: Take, refuse: Refuse
    ) -> dict[int, BaseException]:
        """Returns those whose process ended, or that were lost with it."""
        crashed: dict[int, BaseException] = {}
        running: dict[Call, int] = {}
        # Not as_completed, which never hears of what an executor cancels while it shuts down.
        done: Done = queue.SimpleQueue()
        pool = self._pool
        errand = Errand(self._whose)

        def lost(m: int, error: NotEvaluated) -> None:
            if isinstance(error.__cause__, futures.BrokenExecutor) and isinstance(pool, futures.ProcessPoolExecutor):
                crashed[m] = error
            else:
                refuse(m, Raised(error), 0.0)

        try:
            for m in which:
                try:
                    running[_submit(pool, done, errand, f, arguments[m])] = m
                except NotEvaluated as error:
                    lost(m, error)
            while running:
                future = _next(done)
                if future is None:
                    _help(errand, f, arguments, running, take, refuse)
                    continue
                if future not in running:  # done by _help
                    continue
                m = running.pop(future)
                try:
                    outcome = _outcome(future)
                except NotEvaluated as error:
                    lost(m, error)
                else:
                    _hand_over(m, outcome, take, refuse)
        except BaseException:
            self._give_up(pool, running)
            raise
        finally:
            errand.end()
        if crashed:
            self._replace(pool)
        return crashed

    def _give_up(self, pool: futures.Executor, running: dict[Call, int]) -> None:
        """Leaves what cannot be cancelled: threads cannot be stopped, nor other's processes."""
        left = [future for future in running if not future.cancel()]
        if left and pool in self._made and isinstance(pool, futures.ProcessPoolExecutor):
            _pools.end_processes(pool)
            self._replace(pool)

    def _replace(self, broken: futures.Executor) -> None:
        """Puts a fresh pool of processes in the place of one that broke."""
        with self._lock:
            if self._pool is broken:
                self._pool = _pools.another(broken)
                self._made.append(self._pool)
            if broken in self._made:
                self._made.remove(broken)

    def _renew(self) -> None:
        """In a process that was forked."""
        self._lock = threading.Lock()

    def _follow_fork(self) -> None:
        """At the first use in a process that was forked: the threads of the pool stayed behind."""
        with self._lock:
            if os.getpid() == self._process:
                return
            if not _pools.is_remade(self._pool):
                raise RuntimeError(
                    f"executor: this process was forked, and the grid's {type(self._pool).__name__} belongs to its "
                    "parent: make the grid anew here, with an executor of this process"
                )
            self._left_behind = self._pool, self._whose, self._made  # their end would speak to the parent's
            self._here = _pools.is_forbidden(self._pool)
            self._made = [] if self._here else [_pools.another(self._pool)]
            if self._made:
                self._pool = self._whose = self._made[0]
            self._own_by(os.getpid())

    def _evaluate_alone(
        self, f: Callable[..., Any], x: FloatArray, m: int, take: Take, refuse: Refuse
    ) -> bool:
        """Returns whether its process ended: it was the culprit."""
        for attempt in range(1, ATTEMPTS + 1):
            pool = _pools.another(self._pool, 1)
            try:
                done: Done = queue.SimpleQueue()
                call = _submit(pool, done, None, f, x)
                while _next(done) is None:
                    pass
                outcome = _outcome(call)
            except NotEvaluated as error:
                last = error.__cause__
                if isinstance(last, futures.BrokenExecutor):
                    continue
                refuse(m, Raised(error), 0.0)
                return attempt > 1
            except BaseException:
                _pools.end_processes(pool)
                raise
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
            _hand_over(m, outcome, take, refuse)
            return attempt > 1
        at = ", ".join(repr(number) for number in x.ravel().tolist())
        crash = WorkerCrashed(f"the process that evaluated f at ({at}) crashed {ATTEMPTS} times: {last}")
        refuse(m, Raised(crash), 0.0)
        return True


def _help(
    errand: Errand,
    f: Callable[..., Any],
    arguments: dict[int, FloatArray],
    running: dict[Call, int],
    take: Take,
    refuse: Refuse,
) -> None:
    """Evaluates here what no thread of the pool has begun, as long as they wait for it."""
    for future, m in list(running.items()):
        if not errand.is_held_up():
            return
        if future.cancel():
            del running[future]
            _hand_over(m, outcome_of(f, arguments[m]), take, refuse)


def _hand_over(m: int, outcome: Outcome, take: Take, refuse: Refuse) -> None:
    if outcome.raised is None:
        take(m, outcome.answer, outcome.seconds)
    elif outcome.raised.is_failure:
        refuse(m, outcome.raised, outcome.seconds)
    else:
        raise outcome.raised.error


def _submit(pool: futures.Executor, done: Done, errand: Optional[Errand], f: Callable[..., Any], x: FloatArray) -> Call:
    try:
        future = pool.submit(run, errand, f, x)
        future.add_done_callback(done.put)
    except Exception as error:
        raise _lost(error) from error
    return future


def _next(done: Done) -> Optional[Call]:
    """The next that is done; None where there is none yet, and it is time to look around."""
    try:
        return done.get(timeout=LOOK)
    except queue.Empty:
        _core.throw_if_stopped()
        return None


def _outcome(future: Call) -> Outcome:
    """Raises NotEvaluated, caused by what the executor raised."""
    try:
        outcome = future.result()
    except (Exception, asyncio.CancelledError) as error:
        raise _lost(error) from error
    if not isinstance(outcome, Outcome):
        raise NotEvaluated(f"the executor answered a {type(outcome).__name__}, not what it was given to call")
    return outcome


def _lost(error: BaseException) -> NotEvaluated:
    """f did not fail: the executor did."""
    reason = Raised(error).reason  # of some executors with all that was to be called
    return NotEvaluated(f"f was not evaluated, the executor lost it: {reason[:300]}{'...' if len(reason) > 300 else ''}")
