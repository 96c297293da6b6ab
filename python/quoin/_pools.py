# SPDX-License-Identifier: BSD-3-Clause
"""Pools like others: in the place of those that broke, or that stayed behind when the process was forked."""

from __future__ import annotations

import concurrent.futures as futures
import concurrent.futures.process
import concurrent.futures.thread
import os
from typing import Any, Optional

Pool = futures.Executor


def named(name: str) -> Pool:
    """ "threads" or "processes", as many as there are cores."""
    if name not in ("threads", "processes"):
        raise ValueError(f"executor = {name!r}, expected 'threads', 'processes' or an executor")
    pool: Any = futures.ThreadPoolExecutor if name == "threads" else futures.ProcessPoolExecutor
    made: Pool = pool(os.cpu_count() or 1)
    return made


def is_remade(pool: Pool) -> bool:
    """Whether another like it can be made."""
    return isinstance(pool, (futures.ThreadPoolExecutor, futures.ProcessPoolExecutor))


def another(pool: Pool, workers: Optional[int] = None) -> Pool:
    """A fresh pool of threads or processes, started as that one's were."""
    of: Any = pool
    started: dict[str, Any] = dict(initializer=getattr(of, "_initializer", None), initargs=getattr(of, "_initargs", ()))
    count = workers or getattr(of, "_max_workers", None)
    if isinstance(pool, futures.ThreadPoolExecutor):
        return futures.ThreadPoolExecutor(count, **started)
    return futures.ProcessPoolExecutor(count, mp_context=getattr(of, "_mp_context", None), **started)


def end_processes(pool: Pool) -> None:
    """Ends what its processes are at."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()
    pool.shutdown(wait=False, cancel_futures=True)
