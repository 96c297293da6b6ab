# SPDX-License-Identifier: BSD-3-Clause
"""Who evaluates f at many corners: anything that is a concurrent.futures.Executor."""

from __future__ import annotations

import concurrent.futures as futures
import concurrent.futures.process
import concurrent.futures.thread
import os
import pickle
import threading
import time
import weakref
from typing import Any, Callable, Optional

from quoin import _core
from quoin._forms import FloatArray
from quoin.errors import RetryableFailure

Take = Callable[[int, Any, float], None]
Refuse = Callable[[int, BaseException, float], None]

#: how many processes a sample may cost before it has failed
ATTEMPTS = 3


def reason_of(error: BaseException) -> tuple[str, bool]:
    """The reason of a failure as it is kept, and whether it may pass."""
    text = str(error)
    kind = type(error).__name__
    return (f"{kind}: {text}" if text else kind), isinstance(error, (RetryableFailure, MemoryError))


class WorkerCrashed(RetryableFailure):
    """The process that evaluated f ended, again and again."""


def _timed(f: Callable[..., Any], x: FloatArray) -> tuple[Any, float]:
    begin = time.perf_counter()
    answer = f(x)
    return answer, time.perf_counter() - begin


def _timed_for(request: Any, f: Callable[..., Any], x: FloatArray) -> tuple[Any, float]:
    """In another thread of this process: what f asks of grids is asked on behalf of the request, so that circles are
    seen."""
    answer: tuple[Any, float] = _core.on_behalf_of(request, _timed, f, x)
    return answer


def _is_crash(error: BaseException) -> bool:
    return isinstance(error, futures.BrokenExecutor) or type(error).__name__ == "KilledWorker"  # dask's


def _shut_down(pools: list[futures.Executor]) -> None:
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
        weakref.finalize(self, _shut_down, self._made)
        self._lock = threading.Lock()
        if isinstance(executor, str):
            if executor not in ("threads", "processes"):
                raise ValueError(f"executor = {executor!r}, expected 'threads', 'processes' or an executor")
            pool: Any = futures.ThreadPoolExecutor if executor == "threads" else futures.ProcessPoolExecutor
            executor = pool(os.cpu_count() or 1)
            self._made.append(executor)
        elif hasattr(executor, "get_executor"):
            executor = executor.get_executor()
        if not isinstance(executor, futures.Executor):
            raise TypeError(f"executor is a {type(executor).__name__}, expected a concurrent.futures.Executor")
        self._pool: futures.Executor = executor

    @property
    def in_threads(self) -> bool:
        """f runs in threads of this process."""
        return isinstance(self._pool, futures.ThreadPoolExecutor)

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
        in a process of its own until the culprit is found, which gets three attempts.
        """
        arguments = {m: points[m : m + 1].copy() if batched else points[m].copy() for m in which}
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
        running: dict[futures.Future[tuple[Any, float]], int] = {}
        pool = self._pool
        try:
            for m in which:
                try:
                    running[self._submit(pool, f, arguments[m])] = m
                except futures.BrokenExecutor as error:
                    crashed[m] = error
            for future in futures.as_completed(running):
                m = running[future]
                try:
                    answer, seconds = future.result()
                except Exception as error:
                    if _is_crash(error):
                        crashed[m] = error
                    else:
                        refuse(m, error, 0.0)
                else:
                    take(m, answer, seconds)
        except BaseException:
            self._give_up(running)
            raise
        if crashed:
            self._replace(pool, crashed, refuse)
        return crashed

    def _submit(
        self, pool: futures.Executor, f: Callable[..., Any], x: FloatArray
    ) -> futures.Future[tuple[Any, float]]:
        if self.in_threads:
            return pool.submit(_timed_for, _core.current_request(), f, x)
        return pool.submit(_timed, f, x)

    def _give_up(self, running: dict[futures.Future[tuple[Any, float]], int]) -> None:
        for future in running:
            future.cancel()
        while self.in_threads and not all(future.done() for future in running):
            try:  # threads cannot be stopped, and what they ask is asked for this query
                futures.wait(running)
            except KeyboardInterrupt:
                continue

    def _replace(self, broken: futures.Executor, crashed: dict[int, BaseException], refuse: Refuse) -> None:
        """Puts a fresh pool in the place of a broken one; where none can be made, the samples have failed."""
        with self._lock:
            if self._pool is broken and isinstance(broken, futures.ProcessPoolExecutor):
                self._pool = _like(broken, None)
                self._made.append(self._pool)
            if isinstance(self._pool, futures.ProcessPoolExecutor):
                return
        for m, error in crashed.items():
            refuse(m, WorkerCrashed(f"the executor lost it: {type(error).__name__}: {error}"), 0.0)
        crashed.clear()

    def _evaluate_alone(
        self, f: Callable[..., Any], x: FloatArray, m: int, take: Take, refuse: Refuse
    ) -> bool:
        """Returns whether its process ended: it was the culprit."""
        for attempt in range(1, ATTEMPTS + 1):
            pool = _like(self._pool, 1)
            try:
                answer, seconds = pool.submit(_timed, f, x).result()
            except futures.BrokenExecutor as error:
                last = error
                continue
            except Exception as error:
                refuse(m, error, 0.0)
                return attempt > 1
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
            take(m, answer, seconds)
            return attempt > 1
        at = ", ".join(repr(number) for number in x.ravel().tolist())
        refuse(m, WorkerCrashed(f"the process that evaluated f at ({at}) crashed {ATTEMPTS} times: {last}"), 0.0)
        return True


def _like(pool: futures.Executor, workers: Optional[int]) -> futures.ProcessPoolExecutor:
    """A fresh pool of processes, started as that one's were."""
    made: Any = pool
    return futures.ProcessPoolExecutor(
        workers or getattr(made, "_max_workers", None),
        mp_context=getattr(made, "_mp_context", None),
        initializer=getattr(made, "_initializer", None),
        initargs=getattr(made, "_initargs", ()),
    )
