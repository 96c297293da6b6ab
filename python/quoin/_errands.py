# SPDX-License-Identifier: BSD-3-Clause
"""What ties a call of f in another thread to the query that waits for it."""

from __future__ import annotations

import concurrent.futures as futures
import concurrent.futures.thread
import contextlib
import itertools
import os
import secrets
import threading
import weakref
from typing import Any, Callable, Iterator, Optional

from quoin import _core
from quoin._forms import FloatArray
from quoin._outcomes import Outcome, outcome_of


class _Here(threading.local):
    """What this thread is at: the pools whose threads wait, directly or through others, for what it does."""

    pools: frozenset[int] = frozenset()
    submits = False  # holds locks of a pool that it submits a call to, and of CPython's for all


_here = _Here()
_at_work: dict[int, frozenset[int]] = {}  # by the ident of a thread that calls f
_numbers = itertools.count()
_process = secrets.token_hex(8)  # a number of a process may be that of another on another machine
_errands: weakref.WeakValueDictionary[int, "Errand"] = weakref.WeakValueDictionary()


def new_name() -> tuple[str, int, int]:
    """One that nothing else has, in whatever process, on whatever machine."""
    return _process, os.getpid(), next(_numbers)


class Errand:
    """The calls of f that one query has a pool make.

    What f asks of grids is asked on behalf of the query, so that circles are seen; and where it needs other corners, it
    evaluates them itself instead of waiting for a thread of the pool, all of which may wait likewise. The query may end
    before its calls do, when it is interrupted: what they answer then goes nowhere.

    Parameters
    ----------
    pool : object
        Which pool it is.
    """

    def __init__(self, pool: object) -> None:
        self._request = _core.Errand()
        self._pools = _here.pools | {id(pool)}
        self._pool = pool  # its id is taken as long as it lives
        self._name = new_name()
        _errands[self._name[-1]] = self

    def call(self, f: Callable[..., Any], x: FloatArray) -> Outcome:
        """Calls f in this thread."""
        outer, _here.pools = _here.pools, self._pools
        _at_work[threading.get_ident()] = self._pools
        try:
            outcome: Outcome = self._request.run(outcome_of, f, x)
            return outcome
        finally:
            _here.pools = outer
            if outer:
                _at_work[threading.get_ident()] = outer
            else:
                del _at_work[threading.get_ident()]

    def would_deadlock(self) -> bool:
        """Whether a thread of the pool waits for the query, which may wait in vain for a thread of the pool."""
        if holds_up(self._pool):  # a thread that has just begun is not known to its pool yet
            return True
        idents = [ident for ident, pools in list(_at_work.items()) if id(self._pool) in pools]
        if isinstance(self._pool, futures.ThreadPoolExecutor):
            idents += [thread.ident for thread in list(getattr(self._pool, "_threads", ()))]
        held_up: bool = self._request.is_awaited_by(idents)
        return held_up

    def end(self) -> None:
        """The query ends."""
        self._request.end()

    def __reduce__(self) -> tuple[Any, ...]:
        return _known_errand, self._name


def _known_errand(process: str, pid: int, number: int) -> Optional[Errand]:
    """None in another process, where f has no grid that waits."""
    return _errands.get(number) if (process, pid) == (_process, os.getpid()) else None


def run(name: tuple[str, int, int], errand: Optional[Errand], f: Callable[..., Any], x: FloatArray) -> Outcome:
    """Calls f, wherever the executor runs this. The outcome carries the call's name, and where f was called."""
    call = name, x.tobytes()
    here = name[:2] == (_process, os.getpid())
    return (outcome_of(f, x, here) if errand is None else errand.call(f, x))._replace(call=call)


@contextlib.contextmanager
def submitting() -> Iterator[None]:
    """Around a pool's submit, within which signals, finalizers and what is pickled may ask grids."""
    outer, _here.submits = _here.submits, True
    try:
        yield
    finally:
        _here.submits = outer


def holds_up(pool: object) -> bool:
    """Whether a thread of the pool waits for this one, or is it: the pool may have no other left."""
    if id(pool) in _here.pools or _here.submits:
        return True
    if type(threading.current_thread()).__name__ == "_ExecutorManagerThread":
        return True
    if threading.current_thread().name == "QueueFeederThread":  # pickles
        return True
    return isinstance(pool, futures.ThreadPoolExecutor) and threading.current_thread() in getattr(pool, "_threads", ())
