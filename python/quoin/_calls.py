# SPDX-License-Identifier: BSD-3-Clause
"""Calls of f that executors are at, and what becomes of them."""

from __future__ import annotations

import concurrent.futures as futures
import contextlib
import queue
import time
from typing import Any, Callable, NamedTuple, Optional

from quoin import _core, _pools
from quoin._errands import Errand, new_name, run, submitting
from quoin._forms import FloatArray
from quoin._outcomes import Outcome, Raised
from quoin._signals import interrupts_held_back, raised_by_handlers
from quoin.errors import NotEvaluated

#: seconds between two looks at whether the query is to end
LOOK = 0.05
#: seconds that a pool has for telling that a process of it has ended
TELLS_WITHIN = 2.0


class Call(NamedTuple):
    """One call that was given to an executor.

    Attributes
    ----------
    sample : int
    pool : concurrent.futures.Executor
    call : tuple
        Its name and its point, which what it answers carries too: so an executor that mixes up calls is seen.
    future : concurrent.futures.Future
    """

    sample: int
    pool: futures.Executor
    call: tuple[Any, bytes]
    future: futures.Future[Outcome]

    def outcome(self) -> Outcome:
        """Once it is done. Raises NotEvaluated, caused by what the executor raised."""
        try:
            error = self.future.exception(timeout=0)
        except futures.CancelledError as cancelled:
            raise lost(cancelled) from cancelled
        if error is not None:
            raise lost(error) from error
        outcome = self.future.result(timeout=0)
        if not isinstance(outcome, Outcome):
            raise _broke_contract(
                self.pool, f"answered a {type(outcome).__name__}, expected what the call that it was given returns"
            )
        if outcome.call != self.call:
            raise _broke_contract(self.pool, "answered what another call returned: each future is to answer its own call")
        return outcome


class Calls:
    """The calls that a query waits for."""

    def __init__(self) -> None:
        # Not as_completed, which never hears of what an executor cancels while it shuts down.
        self._done: queue.SimpleQueue[futures.Future[Outcome]] = queue.SimpleQueue()
        self._running: dict[futures.Future[Outcome], Call] = {}
        self._ended: dict[futures.Executor, float] = {}  # when a process of it was first seen to have

    def __len__(self) -> int:
        return len(self._running)

    def submit(
        self, sample: int, pool: futures.Executor, errand: Optional[Errand], f: Callable[..., Any], x: FloatArray
    ) -> None:
        """Raises NotEvaluated, caused by what the executor raised."""
        name = new_name()
        with interrupts_held_back(_pools.is_made_here(pool)) if _pools.is_remade(pool) else contextlib.nullcontext():
            with raised_by_handlers() as by_handlers:
                try:
                    with _pools.may_start(pool), submitting():
                        future: Any = pool.submit(run, name, errand, f, x)
                except Exception as error:
                    if error in by_handlers:
                        raise
                    raise lost(error) from error
            if not isinstance(future, futures.Future):
                kind = f"{type(future).__module__}.{type(future).__name__}"
                raise _broke_contract(pool, f"submitted, returned a {kind}, expected a concurrent.futures.Future")
            if future in self._running:
                raise _broke_contract(pool, "submitted, returned the future of another call, expected one for each")
            self._running[future] = Call(sample, pool, (name, x.tobytes()), future)
            future.add_done_callback(self._done.put)

    def next(self) -> Optional[Call]:
        """The next that is done; None where there is none yet, and it is time to look around."""
        try:
            future = self._done.get(timeout=LOOK)
        except queue.Empty:
            _core.throw_if_stopped()
            self._break_what_hangs()
            return None
        return self._running.pop(future, None)  # None: taken back meanwhile

    def take_back(self, call: Call) -> bool:
        """Whether nobody has begun with it, and nobody will."""
        if not call.future.cancel():
            return False
        del self._running[call.future]
        return True

    def _break_what_hangs(self) -> None:
        """A pool whose thread waits for the rest of an answer, or has ended, would be waited for for ever."""
        for call in self.all():
            if _pools.is_deserted(call.pool) and not call.future.done():
                call.future.set_exception(futures.BrokenExecutor("the thread that manages the pool has ended"))
        for pool in {call.pool for call in self._running.values() if _pools.has_ended_processes(call.pool)}:
            if time.monotonic() - self._ended.setdefault(pool, time.monotonic()) > TELLS_WITHIN:
                _pools.break_off(pool)

    def all(self) -> list[Call]:
        """Those that are not done."""
        return list(self._running.values())


def lost(error: BaseException) -> NotEvaluated:
    """f did not fail: the executor did."""
    reason = Raised(error).reason  # of some executors with all that was to be called
    return NotEvaluated(f"f was not evaluated, the executor lost it: {reason[:300]}{'...' if len(reason) > 300 else ''}")


def _broke_contract(pool: futures.Executor, what: str) -> NotEvaluated:
    return NotEvaluated(f"f was not evaluated: the executor, a {type(pool).__name__}, {what}")
