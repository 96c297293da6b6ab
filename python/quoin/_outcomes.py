# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of a call of f, wherever it runs: its answer, or what it raised."""

from __future__ import annotations

import contextlib
import pickle
import threading
import time
import traceback
from typing import Any, Callable, NamedTuple, Optional

from quoin._forms import FloatArray, owned
from quoin._signals import is_of_a_handler
from quoin.errors import CornerFailure, Interrupted, RetryableFailure


class Raised:
    """An exception of f, with what is kept of it. It goes to another process even where the exception itself cannot.

    Parameters
    ----------
    error : BaseException
    here : bool
        f was called by the process that asks for it.

    Attributes
    ----------
    reason : str
        Type and text.
    is_failure : bool
        A failure of f; else it passes through the query, and leaves no record. So does what a handler of the program's
        signals raises, wherever it comes.
    may_pass : bool
        Of a RetryableFailure; without memory; and where a handler of a signal has raised it in another process.
    """

    def __init__(self, error: BaseException, here: bool = True) -> None:
        self.error = error
        kind, text = type(error).__name__, _text(error)
        self.reason = f"{kind}: {text}" if text else kind
        self.is_of_a_handler = is_of_a_handler(error)
        self.is_failure = (
            isinstance(error, Exception)
            and not isinstance(error, Interrupted)
            and not (here and self.is_of_a_handler and threading.current_thread() is threading.main_thread())
        )
        self.may_pass = (
            self.is_of_a_handler
            or isinstance(error, (RetryableFailure, MemoryError))
            or (isinstance(error, CornerFailure) and error.may_pass)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        pickled: Optional[bytes] = None
        # Of classes that raise what they like, SystemExit and KeyboardInterrupt too; or that end the process in which
        # they are unpickled, which is to be this one and not that of the query.
        with contextlib.suppress(BaseException):
            text = pickle.dumps(self.error)
            pickle.loads(text)
            pickled = text
        story = self.reason
        with contextlib.suppress(Exception):  # of a SyntaxError whose fields are no texts
            story = _printable("".join(traceback.format_exception(self.error)))
        return _raised_elsewhere, (pickled, self.is_failure, self.reason, self.may_pass, story)


class FunctionError(Exception):
    """Stands for an exception of f that cannot leave the process where f ran; the text has its type."""


class Elsewhere(Exception):
    """The traceback of another process, in words."""


def _raised_elsewhere(pickled: Optional[bytes], failure: bool, reason: str, may_pass: bool, story: str) -> Raised:
    error: Any = None
    cause = Elsewhere(f'\n"""\n{story}"""')
    if pickled is not None:
        with contextlib.suppress(BaseException):  # such as of a class whose __init__ wants more than it passes on
            known = pickle.loads(pickled)
            if isinstance(known, BaseException) and Raised(known).is_failure == failure:
                known.__cause__ = cause
                error = known
    if error is None:
        error = FunctionError(reason) if failure else Interrupted(reason)
        error.__cause__ = cause
    raised = Raised(error)
    raised.reason, raised.may_pass = reason, may_pass
    return raised


class Outcome(NamedTuple):
    """Of one call of f.

    Attributes
    ----------
    answer : object
        Arrays that nobody else writes, where f answered.
    seconds : float
    raised : Raised or None
    call : tuple or None
        The name of the call and its point, where an executor made it.
    """

    answer: Any
    seconds: float
    raised: Optional[Raised]
    call: Optional[tuple[Any, bytes]] = None


def outcome_of(f: Callable[..., Any], x: FloatArray, here: bool = True) -> Outcome:
    """Calls f. Raises nothing: so whatever an executor raises is its own."""
    begin = time.perf_counter()
    try:
        answer = owned(f(x))
    except BaseException as error:
        return Outcome(None, time.perf_counter() - begin, Raised(error, here))
    return Outcome(answer, time.perf_counter() - begin, None)


def _text(error: BaseException) -> str:
    try:
        return _printable(str(error))
    except Exception:
        return "its text cannot be told"


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
