# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions behind failed corners."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections import OrderedDict, deque
from typing import Iterator, Optional

from quoin._forks import renew_after_fork
from quoin._outcomes import Raised

Corner = tuple[float, ...]

#: failures whose exceptions are kept, of 1 to 4 kB each
KEPT = 16384
#: of those, how many with the variables of their frames, which may be large
WHOLE = 64
#: of the failures of one batch, how many count as its last: those of the first points, of which a query tells
FIRST = 1024

_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _Mine(threading.local):
    """What this thread's calls of f raised last."""

    def __init__(self) -> None:
        self.last: deque[tuple[Corner, BaseException]] = deque(maxlen=WHOLE)


class Causes:
    """The exceptions of f by corner: the last that failed, and all of the batches that are under way."""

    def __init__(self) -> None:
        self._causes: OrderedDict[Corner, BaseException] = OrderedDict()
        self._whole: deque[tuple[Corner, BaseException]] = deque()
        self._under_way = 0
        self._mine = _Mine()
        self._lock = threading.RLock()  # collecting garbage may call f
        renew_after_fork(self)

    def _renew(self) -> None:
        """In a process that was forked."""
        self._lock = threading.RLock()  # collecting garbage may call f

    def remember(self, corner: Corner, error: BaseException) -> None:
        """Of one call. Called by the thread whose query needs it."""
        with self._lock:
            old = self._put(corner, error)
            dropped = self._let_go()
        _release(old, dropped)
        self._mine.last.append((corner, error))

    def batch(self) -> Batch:
        """Of a batch of calls, which is under way until it ends."""
        return Batch(self)

    def of(self, corners: list[Corner], message: str) -> Optional[BaseException]:
        """Of the first of the corners whose cause is known: the exception that the message tells of, where that is
        known, as threads may ask for a corner again and again, each of which is to hear of what it waited for."""
        with self._lock:
            known = [(corner, self._causes[corner]) for corner in corners if corner in self._causes]
            recent = [*self._whole, *self._mine.last, *reversed(known)]
        told = (error for corner, error in reversed(recent) if corner in corners and Raised(error).reason in message)
        return next(told, known[0][1] if known else None)

    def last_of_this_thread(self) -> Optional[BaseException]:
        """What its calls of f raised last."""
        return self._mine.last[-1][1] if self._mine.last else None

    # What is let go may have destructors that ask grids: it goes behind the lock.
    def _put(self, corner: Corner, error: BaseException) -> Optional[BaseException]:
        """Returns one whose frames are to be released."""
        self._causes[corner] = error
        self._causes.move_to_end(corner)
        if any(other is error for _, other in self._whole):  # an f may raise one exception again and again
            return None
        self._whole.append((corner, error))
        return self._whole.popleft()[1] if len(self._whole) > WHOLE else None

    def _let_go(self) -> list[BaseException]:
        surplus = len(self._causes) - KEPT - self._under_way
        return [self._causes.popitem(last=False)[1] for _ in range(surplus)]


class Batch:
    """The failures of one batch of calls."""

    def __init__(self, causes: Causes) -> None:
        self._of = causes
        self._failed: dict[int, tuple[Corner, BaseException]] = {}

    def remember(self, m: int, corner: Corner, error: BaseException) -> None:
        """Of the m-th call."""
        of = self._of
        with of._lock:
            of._under_way += m not in self._failed
            self._failed[m] = corner, error
            old = of._put(corner, error)
            dropped = of._let_go()
        _release(old, dropped)

    def end(self) -> None:
        """The first of the batch become its last."""
        of = self._of
        first = [self._failed[m] for m in sorted(self._failed)[:FIRST]]
        with of._lock:
            of._under_way -= len(self._failed)
            for corner, error in reversed(first):
                of._causes[corner] = error
                of._causes.move_to_end(corner)
            if len(self._failed) > FIRST:
                rest = {corner for corner, _ in self._failed.values()} - {corner for corner, _ in first}
                for corner in rest & of._causes.keys():  # or a query of many batches would lose those of its first
                    of._causes.move_to_end(corner, last=False)
            dropped = of._let_go()
        of._mine.last.extend(reversed(first))
        dropped.clear()


def _release(old: Optional[BaseException], dropped: list[BaseException]) -> None:
    """Lets go of some, and of the variables of others, whose traceback stays."""
    dropped.clear()
    for raised in _chain(old):
        traceback = raised.__traceback__
        while traceback is not None:
            frame = traceback.tb_frame
            if not frame.f_code.co_flags & _RESUMED:  # which a generator that caught it may need
                with contextlib.suppress(RuntimeError):  # it caught it, and runs
                    frame.clear()
            traceback = traceback.tb_next


def _chain(error: Optional[BaseException]) -> Iterator[BaseException]:
    waiting: list[Optional[BaseException]] = [error]
    seen: set[int] = set()
    while waiting:
        raised = waiting.pop()
        if raised is not None and id(raised) not in seen:
            seen.add(id(raised))
            yield raised
            waiting += [raised.__cause__, raised.__context__]
