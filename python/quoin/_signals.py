# SPDX-License-Identifier: BSD-3-Clause
"""Signals for which the program has handlers, Ctrl-C first of all, where these must not cut something in two."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import Any, Callable, Iterator

from quoin import _core

_numbers = sorted(signal.valid_signals())
_handler_of: Callable[[int], Any] = getattr(sys.modules["_signal"], "getsignal")  # a tenth of the time: no enums
_handlers: dict[int, Any] = {}  # of the program, in the place of which others are
_ends_children = False
_of_ended_children: dict[int, Any] = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.SIG_IGN}


@contextlib.contextmanager
def interrupts_held_back(ends_children: bool = False) -> Iterator[None]:
    """What comes meanwhile comes at the end. Where a process forks, CPython loses what a handler raises; a pool that is
    interrupted while it starts stays half made; and of a thread that it has just started it does not know, for which the
    program then waits at its end. ends_children: SIGTERM ends processes that are forked meanwhile, and Ctrl-C, which a
    terminal sends to them too, is their parent's from their first moment on."""
    global _ends_children
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: dict[int, None] = {}
    outer, _ends_children = _ends_children, ends_children
    try:
        with _in_their_place(lambda number, frame: came.setdefault(number)):
            yield
    finally:
        _ends_children = outer
        _handle_all(list(came))


@contextlib.contextmanager
def raised_by_handlers() -> Iterator[list[BaseException]]:
    """What handlers raise meanwhile, which is nobody else's failure."""
    raised: list[BaseException] = []

    def handle(number: int, frame: Any) -> None:
        try:
            _handlers[number](number, frame)
        except BaseException as error:
            raised.append(error)
            raise

    with _in_their_place(handle):
        yield raised


def is_of_a_handler(error: BaseException) -> bool:
    """Whether a handler that is set now has raised it, in whatever code the signal came."""
    codes = set()
    for number in _numbers:
        handler = _handler_of(number)
        if callable(handler):
            function = getattr(handler, "func", handler)  # of a functools.partial
            function = getattr(function, "__func__", function)  # of a method
            codes.add(getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None))
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False


@contextlib.contextmanager
def _in_their_place(handler: Callable[[int, Any], Any]) -> Iterator[None]:
    """Only in the main thread, where handlers run and can be set, and once."""
    if threading.current_thread() is not threading.main_thread() or _handlers:
        yield
        return
    try:
        for number in _numbers:
            own = _handler_of(number)
            if callable(own):
                _handlers[number] = own
                _set(number, handler)
        yield
    finally:
        _give_back(handler)


def _give_back(handler: Any) -> None:
    """Where a handler has not set another itself."""
    try:
        while _handlers:
            number, own = next(iter(_handlers.items()))
            if _handler_of(number) is handler:
                _set(number, own)
            del _handlers[number]
    finally:
        if _handlers:  # one that is back has raised
            _give_back(handler)


def _set(number: int, handler: Any) -> None:
    """As signal.signal, behind which system calls go on if they did before."""
    restarts = _core.restarts_calls(number)
    signal.signal(number, handler)
    if restarts:
        signal.siginterrupt(number, False)


def _handle_all(numbers: list[int]) -> None:
    """Not raised again: an event loop has heard of them by signal.set_wakeup_fd."""
    if numbers:
        try:
            handler = _handler_of(numbers[0])
            if callable(handler):
                handler(numbers[0], sys._getframe())
            else:
                signal.raise_signal(numbers[0])
        finally:
            _handle_all(numbers[1:])


def _in_child() -> None:
    for number, own in _handlers.items():
        _set(number, _of_ended_children.get(number, own) if _ends_children else own)
    _handlers.clear()


os.register_at_fork(after_in_child=_in_child)
