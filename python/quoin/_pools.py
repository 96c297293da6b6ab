# SPDX-License-Identifier: BSD-3-Clause
"""Pools like others: in the place of those that broke, or that stayed behind when the process was forked."""

from __future__ import annotations

import concurrent.futures as futures
import concurrent.futures.process
import concurrent.futures.thread
import importlib
import multiprocessing
import multiprocessing.connection
import os
import threading
from typing import Any, Callable, Optional

Pool = futures.Executor


def named(name: str) -> Pool:
    """ "threads" or "processes", as many as there are cores."""
    if name not in ("threads", "processes"):
        raise ValueError(f"executor = {name!r}, expected 'threads', 'processes' or an executor")
    count = os.cpu_count() or 1
    if name == "threads":
        return futures.ThreadPoolExecutor(count)
    return futures.ProcessPoolExecutor(count, initializer=_begin, initargs=(None, ()))


def is_remade(pool: Pool) -> bool:
    """Whether another like it can be made."""
    return isinstance(pool, (futures.ThreadPoolExecutor, futures.ProcessPoolExecutor))


def is_forbidden(pool: Pool) -> bool:
    """A process of multiprocessing's Pool may have no processes of its own: f is called there itself."""
    return isinstance(pool, futures.ProcessPoolExecutor) and multiprocessing.current_process().daemon


def import_what_starts(pool: Pool) -> None:
    """Imports what the start of the pool's processes imports: of a module that one thread imports while another forks,
    the child waits for ever."""
    context: Any = getattr(pool, "_mp_context", None)
    if context is not None:
        module = {"fork": "fork", "spawn": "spawn_posix", "forkserver": "forkserver"}[context.get_start_method()]
        importlib.import_module(f"multiprocessing.popen_{module}")


def size(pool: Pool) -> int:
    """How many calls it is at, at most."""
    return getattr(pool, "_max_workers", None) or os.cpu_count() or 1


def is_deserted(pool: Pool) -> bool:
    """Whether the thread that manages its processes has ended, as it does where one crashes beside cancelled calls."""
    manager = getattr(pool, "_executor_manager_thread", None)
    return isinstance(pool, futures.ProcessPoolExecutor) and manager is not None and not manager.is_alive()


def another(pool: Pool, workers: Optional[int] = None, forked: bool = False) -> Pool:
    """A fresh pool of threads or processes, started as that one's were, which may be of the process that was forked."""
    of: Any = pool
    started: dict[str, Any] = dict(initializer=getattr(of, "_initializer", None), initargs=getattr(of, "_initargs", ()))
    count = workers or getattr(of, "_max_workers", None)
    if isinstance(pool, futures.ThreadPoolExecutor):
        return futures.ThreadPoolExecutor(count, **started)
    if started["initializer"] is not _begin:
        started = dict(initializer=_begin, initargs=(started["initializer"], started["initargs"]))
    context = getattr(of, "_mp_context", None)
    if forked and context is not None and context.get_start_method() == "forkserver":
        context = multiprocessing.get_context("spawn")  # the server serves its parent alone
    return futures.ProcessPoolExecutor(count, mp_context=context, **started)


def _begin(initializer: Optional[Callable[..., Any]], arguments: tuple[Any, ...]) -> None:
    """In each process of a pool that is made here: it ends with its parent, however that ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if initializer is not None:
        initializer(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def end_processes(pool: Pool) -> None:
    """Ends what its processes are at. Its other calls are cancelled first: to learn of both at once breaks its thread."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
