# SPDX-License-Identifier: BSD-3-Clause
"""How far long work is."""

from __future__ import annotations

import contextlib
import importlib
import math
import sys
import threading
from typing import Any, Callable, Iterator, NamedTuple, Optional

from quoin import _core
from quoin._tables import seconds_text

#: seconds between two looks
EVERY = 0.1


class Progress(NamedTuple):
    """How far the calls of f are.

    Attributes
    ----------
    evaluated : int
        Calls of f since it began.
    missing : int
        Corners that the present query is known to need still.
    seconds : float
        Since it began.
    seconds_left : float
        Until these are there, at the present query's pace so far; NaN if unknown.
    waiting_for : str
        "worker 3 ('sim') has been silent for 60 s"; mostly empty.
    """

    evaluated: int
    missing: int
    seconds: float
    seconds_left: float
    waiting_for: str

    def __str__(self) -> str:
        words = [f"{self.evaluated} evaluated"]
        if self.waiting_for:
            words.append(self.waiting_for)
        if self.missing:
            words.append(f"{self.missing} missing")
            if not math.isnan(self.seconds_left):
                words.append(f"{seconds_text(self.seconds_left)} left")
        return ", ".join(words)


@contextlib.contextmanager
def progress(show: Optional[Callable[[Progress], Any]] = None) -> Iterator[None]:
    """While it lasts, shows how far the calls of f are that this thread's queries, plans and tables lead to.

    >>> with quoin.progress():
    ...     grid.fill()

    Parameters
    ----------
    show : callable, optional
        ``show(progress)`` is called ten times a second, in another thread, and at the end; what it raises ends the
        `with`. By default a bar of tqdm where that is installed, else a line, on a terminal; elsewhere nothing.
    """
    shown = _display() if show is None else _Called(show)
    if shown is None:
        yield
        return
    watch, over = _core.Progress(), threading.Event()

    def look() -> None:
        while not over.wait(EVERY):
            shown.show(Progress(*watch.now()))

    watch.begin()
    thread = threading.Thread(target=look, daemon=True)
    try:
        thread.start()
        yield
    finally:
        over.set()
        thread.join()
        last = Progress(*watch.now())
        watch.end()
        shown.end(last)


class _Called:
    def __init__(self, show: Callable[[Progress], Any]) -> None:
        self._show = show
        self._raised: Optional[BaseException] = None

    def show(self, progress: Progress) -> None:
        if self._raised is None:
            try:
                self._show(progress)
            except BaseException as error:
                self._raised = error

    def end(self, progress: Progress) -> None:
        self.show(progress)
        if self._raised is not None:
            raise self._raised


class _Line:
    def show(self, progress: Progress) -> None:
        sys.stderr.write(f"\r{progress}\033[K")
        sys.stderr.flush()

    def end(self, progress: Progress) -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


class _Bar:
    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(unit=" calls", leave=False)

    def show(self, progress: Progress) -> None:
        self._bar.total = progress.evaluated + progress.missing
        self._bar.n = progress.evaluated
        self._bar.set_postfix_str(progress.waiting_for, refresh=False)
        self._bar.refresh()

    def end(self, progress: Progress) -> None:
        self._bar.close()


def _display() -> Any:
    if not (sys.stderr is not None and sys.stderr.isatty()):
        return None
    try:
        return _Bar(importlib.import_module("tqdm.auto").tqdm)
    except ImportError:
        return _Line()
