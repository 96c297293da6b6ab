# SPDX-License-Identifier: BSD-3-Clause
"""Who evaluates f at many corners: anything that is a concurrent.futures.Executor."""

from __future__ import annotations

import concurrent.futures as futures
import contextlib
import os
import pickle
import threading
import weakref
from typing import Any, Callable

from quoin import _pools
from quoin._calls import Calls
from quoin._calls import lost as lost_by_executor
from quoin._errands import Errand, holds_up
from quoin._forks import renew_after_fork
from quoin._forms import FloatArray
from quoin._outcomes import Outcome, Raised, outcome_of
from quoin._signals import interrupts_held_back
from quoin._trials import Trials
from quoin.errors import NotEvaluated, RetryableFailure

Take = Callable[[int, Any, float], None]
Refuse = Callable[[int, Raised, float], None]

#: how many processes a sample may cost before it has failed
ATTEMPTS = 3
#: how many pools of one process there are at a time; each takes eight descriptors
MOST_APART = 32


class WorkerCrashed(RetryableFailure):
    """The process that evaluated f ended, again and again."""


def _shut_down(pools: list[futures.Executor], process: int) -> None:
    if os.getpid() == process:
        for pool in pools:
            _pools.shut_down(pool)


class Engine:
    """Evaluates f through an executor.

    Parameters
    ----------
    executor : "threads", "processes", concurrent.futures.Executor, or what has get_executor (a client of dask)
        An executor that is given is not shut down; one that is made here is, with the engine.
    """

    def __init__(self, executor: Any) -> None:
        self._made: list[futures.Executor] = []
        self._lock = threading.RLock()  # handlers of signals may ask, and so enter
        self._batches: dict[futures.Executor, int] = {}  # that are under way in a pool
        self._abandoned: set[futures.Executor] = set()  # which end with the last of these
        self._trials = Trials()
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
        _pools.import_what_starts(executor)
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

        A process that crashes takes no other sample with it: all that were under way are evaluated again, in processes
        that have one call each, and so the culprit is found, which gets three attempts. What the executor loses
        otherwise was not evaluated, and may be asked for again.
        """
        if os.getpid() != self._process:
            self._follow_fork()
        arguments = {m: points[m : m + 1].copy() if batched else points[m].copy() for m in which}
        if self._here or _pools.is_forbidden(self._pool) or holds_up(self._whose):
            for m in which:
                _hand_over(m, outcome_of(f, arguments[m]), take, refuse)
            return
        unable = self._trials.unable()
        if unable is not None:
            for m in which:
                refuse(m, Raised(unable), 0.0)
            return
        crashed = self._evaluate_together(f, arguments, take, refuse)
        if crashed:
            self._evaluate_apart(f, {m: arguments[m] for m in crashed}, take, refuse)

    def _evaluate_together(
        self, f: Callable[..., Any], arguments: dict[int, FloatArray], take: Take, refuse: Refuse
    ) -> list[int]:
        """Returns those whose process ended, or that were lost with it."""
        crashed: list[int] = []
        calls = Calls()
        with interrupts_held_back():
            pool = self._enter()
        waiting = list(reversed(arguments))
        # Of processes as many as they have taken and wait for: what waits in a pool could not be cancelled without harm,
        # as one that breaks cannot bear cancelled calls.
        most = 2 * _pools.size(pool) + 1 if isinstance(pool, futures.ProcessPoolExecutor) else len(waiting)
        errand = Errand(self._whose)

        def lost(m: int, error: NotEvaluated) -> None:
            if _is_crash(pool, error):
                crashed.append(m)
            else:
                refuse(m, Raised(error), 0.0)

        is_done = is_ended = False

        def end() -> None:
            nonlocal is_ended
            if is_ended:
                return
            with interrupts_held_back():  # whose handlers may ask for the pool, or leave one half made
                if not is_done:
                    self._give_up(pool, calls)
                errand.end()
                self._leave(pool)
                is_ended = True

        try:
            while waiting or calls:
                while waiting and len(calls) < most:
                    m = waiting.pop()
                    try:
                        calls.submit(m, pool, errand, f, arguments[m])
                    except NotEvaluated as error:
                        lost(m, error)
                if not calls:
                    continue
                call = calls.next()
                if call is None:
                    _help(errand, f, arguments, calls, take, refuse)
                    continue
                try:
                    outcome = call.outcome()
                except NotEvaluated as error:
                    lost(call.sample, error)
                else:
                    _hand_over(call.sample, outcome, take, refuse)
            is_done = True
        finally:
            try:
                end()
            finally:  # a second signal may come before those are held back
                end()
        if crashed:
            with interrupts_held_back():
                self._replace(pool)
        return crashed

    def _evaluate_apart(
        self, f: Callable[..., Any], arguments: dict[int, FloatArray], take: Take, refuse: Refuse
    ) -> None:
        """As many at a time as before, but each process is a pool of its own: its end tells which call has ended it."""
        waiting = list(reversed(arguments))
        crashes = dict.fromkeys(arguments, 0)
        busy: list[futures.Executor] = []
        count = min(len(waiting), _pools.size(self._pool), MOST_APART)
        free: list[futures.Executor] = []
        try:
            free.append(self._trials.begin(self._pool, f, arguments[waiting[-1]]))
        except (NotEvaluated, _pools.ProgramEnds) as error:
            refused = error if isinstance(error, NotEvaluated) else lost_by_executor(error)
            for m in waiting:
                refuse(m, Raised(refused.with_traceback(None)), 0.0)  # which would hold pools, as long as it is kept
            return
        calls = Calls()

        def end() -> None:
            with interrupts_held_back():  # or some would be left
                while busy:  # where it was broken off
                    _pools.end_processes(busy[-1])
                    free.append(busy.pop())
                while free:
                    _pools.shut_down(free[-1])
                    free.pop()

        def have_another() -> None:
            with contextlib.suppress(_pools.ProgramEnds):
                free.append(_pools.another(self._pool, 1))

        def lost(m: int, pool: futures.Executor, error: NotEvaluated) -> None:
            busy.remove(pool)
            if not _is_crash(pool, error):
                refuse(m, Raised(error), 0.0)
                free.append(pool)
                return
            _pools.let_go(pool)
            ended = _pools.how_it_ended(pool)
            pool.shutdown(wait=False)
            have_another()
            crashes[m] += 1
            if crashes[m] < ATTEMPTS:
                waiting.append(m)
                return
            at = ", ".join(repr(number) for number in arguments[m].ravel().tolist())
            crash = f"the process that evaluated f at ({at}) crashed {ATTEMPTS} times{ended}: {error.__cause__}"
            refuse(m, Raised(WorkerCrashed(crash)), 0.0)

        try:
            for _ in range(count - 1):
                have_another()
            while waiting or calls:
                if not calls and not free:
                    refuse(waiting.pop(), Raised(lost_by_executor(_pools.ProgramEnds())), 0.0)
                    continue
                while waiting and free:
                    m, pool = waiting.pop(), free.pop()
                    busy.append(pool)
                    try:
                        calls.submit(m, pool, None, f, arguments[m])
                    except NotEvaluated as error:
                        lost(m, pool, error)
                if not calls:
                    continue
                call = calls.next()
                if call is None:
                    continue
                try:
                    outcome = call.outcome()
                except NotEvaluated as error:
                    lost(call.sample, call.pool, error)
                else:
                    busy.remove(call.pool)
                    free.append(call.pool)
                    _hand_over(call.sample, outcome, take, refuse)
        finally:
            try:
                end()
            finally:  # a second signal may come before those are held back
                end()

    def _enter(self) -> futures.Executor:
        """The pool, for one batch more."""
        with self._lock:
            self._batches[self._pool] = self._batches.get(self._pool, 0) + 1
            return self._pool

    def _leave(self, pool: futures.Executor) -> None:
        with self._lock:
            if pool not in self._batches:  # f has forked, and this is the child
                return
            self._batches[pool] -= 1
            is_last = self._batches[pool] == 0
            if is_last:
                del self._batches[pool]
            ends = is_last and pool in self._abandoned
            if ends:
                self._abandoned.remove(pool)
        if ends:
            _pools.end_processes(pool)
            _pools.let_go(pool)

    def _give_up(self, pool: futures.Executor, calls: Calls) -> None:
        """Leaves what cannot be cancelled: threads cannot be stopped, nor other's processes, nor those of another batch,
        with which they end."""
        if not isinstance(pool, futures.ProcessPoolExecutor):
            for call in calls.all():
                call.future.cancel()
        elif pool in self._made and calls:
            with self._lock:
                self._abandoned.add(pool)
            self._put_another_for(pool)

    def _replace(self, broken: futures.Executor) -> None:
        """Puts a fresh pool of processes in the place of one that broke."""
        self._put_another_for(broken)
        _pools.let_go(broken)

    def _put_another_for(self, pool: futures.Executor) -> None:
        with self._lock:
            if self._pool is pool:
                with contextlib.suppress(_pools.ProgramEnds):
                    self._pool = _pools.another(pool)
                    self._made.append(self._pool)
            if pool in self._made:
                self._made.remove(pool)

    def _renew(self) -> None:
        """In a process that was forked."""
        self._lock = threading.RLock()
        self._batches, self._abandoned = {}, set()

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
            self._made = [] if self._here else [_pools.another(self._pool, forked=True)]
            if self._made:
                self._pool = self._whose = self._made[0]
            self._own_by(os.getpid())


def _is_crash(pool: futures.Executor, error: NotEvaluated) -> bool:
    return isinstance(error.__cause__, futures.BrokenExecutor) and isinstance(pool, futures.ProcessPoolExecutor)


def _help(
    errand: Errand, f: Callable[..., Any], arguments: dict[int, FloatArray], calls: Calls, take: Take, refuse: Refuse
) -> None:
    """Evaluates here what no thread of the pool has begun, as long as they wait for it."""
    for call in calls.all():
        if not errand.would_deadlock():
            return
        if calls.take_back(call):
            _hand_over(call.sample, outcome_of(f, arguments[call.sample]), take, refuse)


def _hand_over(m: int, outcome: Outcome, take: Take, refuse: Refuse) -> None:
    if outcome.raised is None:
        take(m, outcome.answer, outcome.seconds)
    elif outcome.raised.is_failure:
        refuse(m, outcome.raised, outcome.seconds)
    else:
        raise outcome.raised.error
