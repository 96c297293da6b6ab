# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C, held back while what it must not cut in two is done."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import Any, Iterator

_held: list[Any] = []  # handlers, in the place of which another notes what comes


@contextlib.contextmanager
def interrupts_held_back() -> Iterator[None]:
    """What comes meanwhile comes at the end. Where a process forks, CPython loses what a handler raises; a pool that is
    interrupted while it starts stays half made; and of a thread that it has just started it does not know, for which the
    program then waits at its end."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler) or _held:
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    _held.append(handler)
    try:
        yield
    finally:
        _held.pop()
        signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)


def _in_child() -> None:
    if _held:
        signal.signal(signal.SIGINT, _held.pop())


os.register_at_fork(after_in_child=_in_child)
