# SPDX-License-Identifier: BSD-3-Clause
"""Whether the processes of a pool get as far as to call f."""

from __future__ import annotations

import concurrent.futures as futures
import pickle
import time
from typing import Any, Callable, Optional

from quoin import _pools
from quoin._calls import Calls
from quoin._forms import FloatArray
from quoin._outcomes import Raised
from quoin.errors import NotEvaluated

#: how many are started where each is killed by a signal, which may be nobody's fault
ATTEMPTS = 3


class DoesNotBegin(Exception):
    """Why a process of a pool cannot call f."""


class Trial:
    """Called in a process of a pool: raises DoesNotBegin if f could not be called there.

    Parameters
    ----------
    f : bytes
        Pickled.
    """

    def __init__(self, f: bytes) -> None:
        self._f = f

    def __call__(self, x: FloatArray) -> FloatArray:
        error = _pools.not_begun()
        if error is not None:
            raise DoesNotBegin(f"their initializer raised {Raised(error).reason}") from error
        try:
            pickle.loads(self._f)
        except BaseException as error:
            raise DoesNotBegin(f"f cannot be unpickled there: {Raised(error).reason}") from error
        return x


class Trials:
    """Of one pool, and of those that replace it."""

    def __init__(self) -> None:
        self._seen: Optional[tuple[str, float]] = None  # and until when it counts

    def unable(self) -> Optional[NotEvaluated]:
        """What `begin` has raised, for as long as it took to learn it: the other corners of a query need not."""
        seen = self._seen
        return NotEvaluated(seen[0]) if seen is not None and time.monotonic() < seen[1] else None

    def begin(self, like: futures.Executor, f: Callable[..., Any], x: FloatArray) -> futures.Executor:
        """A pool of one process, like the other, in which f can be called. Raises NotEvaluated if there is none."""
        begin = time.monotonic()
        pickled = pickle.dumps(f)
        for _ in range(ATTEMPTS):
            pool, why, killed = _try(like, pickled, x)
            if pool is not None:
                return pool
            if not killed:
                break
        reason = f"f was not evaluated: the executor's processes cannot call it: {why}"
        self._seen = reason, 2 * time.monotonic() - begin
        raise NotEvaluated(reason)


def _try(like: futures.Executor, f: bytes, x: FloatArray) -> tuple[Optional[futures.Executor], str, bool]:
    """The pool, or why there is none and whether a signal has killed its process. Apart, as what is raised keeps what
    its function holds."""
    pool = _pools.another(like, 1, trial=True)
    calls = Calls()
    started: list[Any] = []
    try:
        calls.submit(0, pool, None, Trial(f), x)
        started = _pools.processes(pool)
        while (call := calls.next()) is None:
            pass
        raised = call.outcome().raised
        if raised is None:
            return pool, "", False
        why, ended = str(raised.error), False
    except NotEvaluated as error:
        ended = bool(started)
        why = _end_of(pool, started[0]) if started else Raised(error).reason
    except BaseException:
        _pools.end_processes(pool)
        raise
    _pools.let_go(pool)
    killed = ended and (started[0].exitcode or 0) < 0
    _pools.shut_down(pool)
    return None, why, killed


def _end_of(pool: futures.Executor, process: Any) -> str:
    _pools.join_manager(pool, 1.0)  # who asks a process of a server for its status beside it hears nonsense
    code = process.exitcode
    how = "ends" if code is None else f"ends with status {code}" if code >= 0 else f"is killed by signal {-code}"
    return (
        f"one that starts {how}, as where a module cannot be imported or a script has no `if __name__ == '__main__'`; "
        "its standard error may say more"
    )
