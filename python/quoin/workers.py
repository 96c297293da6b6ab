# SPDX-License-Identifier: BSD-3-Clause
"""f as a program: worker processes in any language."""

from __future__ import annotations

import dataclasses
import os
import threading
from typing import Optional, Sequence, Union

from quoin import _core

_lock = threading.Lock()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


@dataclasses.dataclass(frozen=True)
class Workers:
    """Child processes that evaluate f, as the `executor` of a grid whose f is None.

    A worker that crashes, hangs or talks nonsense is started again, and its sample goes to another; after `attempts`
    it has failed, in a way that may pass. Workers end with this process, however it ends; a child that it forks starts
    its own.

    Attributes
    ----------
    command : str or sequence of str
        The program, or the program and its arguments. It talks on descriptors 3 and 4.
    count : int
        Of processes.
    launcher : sequence of str
        Put before the command, such as ``("ssh", "node{worker}")``.
    time_limit : float
        Of one evaluation and of the start, seconds. For an f of hours give more, or ``math.inf``.
    attempts : int
        How many workers a sample may cost before it has failed.
    log : path, optional
        What workers print is appended here.
    """

    command: Union[str, Sequence[str]]
    count: int = 1
    launcher: Sequence[str] = ()
    time_limit: float = 3600.0
    attempts: int = 3
    log: Optional[Union[str, "os.PathLike[str]"]] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pools", {})

    def _pool(self, variables: int) -> _core.WorkerPool:
        """The processes, started with the first grid; grids of as many variables share them."""
        pools: dict[int, _core.WorkerPool] = getattr(self, "_pools")
        with _lock:
            if variables not in pools:
                command = [self.command] if isinstance(self.command, str) else list(self.command)
                log = "" if self.log is None else os.fspath(self.log)
                pools[variables] = _core.WorkerPool(
                    variables, command, self.count, list(self.launcher), self.time_limit, self.attempts, log
                )
            return pools[variables]

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_pools", {})

    @property
    def restarts(self) -> int:
        """How many workers have been started again."""
        pools: dict[int, _core.WorkerPool] = getattr(self, "_pools")
        return sum(pool.restarts() for pool in pools.values())
