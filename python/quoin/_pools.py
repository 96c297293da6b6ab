# SPDX-License-Identifier: BSD-3-Clause
"""Pools like others: in the place of those that broke, or that stayed behind when the process was forked."""

from __future__ import annotations

import concurrent.futures as futures
import concurrent.futures.process
import concurrent.futures.thread
import contextlib
import importlib
import multiprocessing
import multiprocessing.connection
import multiprocessing.util
import os
import signal
import sys
import threading
import time
import weakref
from typing import Any, Callable, Iterator, Optional

from quoin._forks import renew_after_fork
from quoin._signals import interrupts_held_back

Pool = futures.Executor

#: seconds that a pool whose process has ended has for its own end
STUCK_AFTER = 1.0


class ProgramEnds(RuntimeError):
    """No pool can be made or started any more."""

    def __init__(self) -> None:
        super().__init__("the program ends")


class _Ending:
    """Whether the program ends. CPython waits at its end for the pools that it knows then: none may start meanwhile."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # what starts a pool may ask a grid, as by pickling or collecting garbage
        self._begun = False
        main = sys.modules["__main__"]
        self._script = weakref.ref(main) if hasattr(main, "__file__") else None  # what is held is cleared too late
        renew_after_fork(self)
        threading._register_atexit(self._begin)  # type: ignore[attr-defined]  # before that of the pools, which are older

    def _renew(self) -> None:
        self.lock = threading.RLock()

    def _begin(self) -> None:
        with self.lock:
            self._begun = True
        # CPython is about to wake the threads that manage pools, and then to wait for them.
        managers = dict(getattr(concurrent.futures.process, "_threads_wakeups", {}))
        for wakeup in managers.values():
            wakeup.wakeup = _without_complaint(wakeup.wakeup)
        if managers:
            threading.Thread(target=_break_off_what_is_stuck, args=(list(managers),), daemon=True).start()

    def has_begun(self) -> bool:
        """A script's __file__, which processes that are spawned want to know, goes a moment before; where somebody goes
        on at a prompt behind the script it goes, too."""
        main = sys.modules.get("__main__")
        if self._begun or self._script is None or main is not self._script() or hasattr(main, "__file__"):
            return self._begun
        return not (sys.flags.interactive or sys.flags.inspect or "PYTHONINSPECT" in os.environ or hasattr(sys, "ps1"))


def _without_complaint(wakeup: Callable[[], None]) -> Callable[[], None]:
    """Of a thread that closes its pipes meanwhile, as behind a crash."""

    def wake() -> None:
        with contextlib.suppress(OSError):
            wakeup()

    return wake


_ending = _Ending()


@contextlib.contextmanager
def may_start(pool: Pool) -> Iterator[None]:
    """Around a call that may start processes of the pool. Raises ProgramEnds."""
    if not isinstance(pool, futures.ProcessPoolExecutor):
        yield
        return
    with _ending.lock:
        if not _ending.has_begun():
            yield
            if not _ending.has_begun():
                return
            end_processes(pool)  # what was started meanwhile may miss what it is to begin with
        raise ProgramEnds


def named(name: str) -> Pool:
    """ "threads" or "processes", as many as there are cores."""
    if name not in ("threads", "processes"):
        raise ValueError(f"executor = {name!r}, expected 'threads', 'processes' or an executor")
    count = os.cpu_count() or 1
    if name == "threads":
        return futures.ThreadPoolExecutor(count)
    return _ended_in_children(futures.ProcessPoolExecutor(count, initializer=_begin, initargs=(None, ())))


def is_remade(pool: Pool) -> bool:
    """Whether another like it can be made."""
    return isinstance(pool, (futures.ThreadPoolExecutor, futures.ProcessPoolExecutor))


def is_made_here(pool: Pool) -> bool:
    """Whether its processes begin with what is begun here."""
    return getattr(pool, "_initializer", None) is _begin


def is_forbidden(pool: Pool) -> bool:
    """A process of multiprocessing's Pool may have no processes of its own: f is called there itself."""
    return isinstance(pool, futures.ProcessPoolExecutor) and multiprocessing.current_process().daemon


def import_what_starts(pool: Pool) -> None:
    """Imports what the start of the pool's processes imports: of a module that one thread imports while another forks,
    the child waits for ever."""
    if isinstance(pool, futures.ProcessPoolExecutor):
        method = getattr(pool, "_mp_context", multiprocessing).get_start_method()
        importlib.import_module("multiprocessing.popen_" + {"spawn": "spawn_posix"}.get(method, method))


def size(pool: Pool) -> int:
    """How many calls it is at, at most."""
    return getattr(pool, "_max_workers", None) or os.cpu_count() or 1


def is_deserted(pool: Pool) -> bool:
    """Whether the thread that manages its processes has ended, as it does where one crashes beside cancelled calls."""
    manager = getattr(pool, "_executor_manager_thread", None)
    return isinstance(pool, futures.ProcessPoolExecutor) and manager is not None and not manager.is_alive()


def another(pool: Pool, workers: Optional[int] = None, forked: bool = False, trial: bool = False) -> Pool:
    """A fresh pool of threads or processes, started as that one's were, which may be of the process that was forked.

    In the processes of a trial `not_begun` tells what the initializer raised, and is to be asked first. Raises
    ProgramEnds, for processes.
    """
    of: Any = pool
    started: dict[str, Any] = dict(initializer=getattr(of, "_initializer", None), initargs=getattr(of, "_initargs", ()))
    count = workers or getattr(of, "_max_workers", None)
    if isinstance(pool, futures.ThreadPoolExecutor):
        return futures.ThreadPoolExecutor(count, **started)
    given = started["initargs"] if started["initializer"] is _begin else (started["initializer"], started["initargs"])
    started = dict(initializer=_begin, initargs=(*given[:2], trial))
    context = getattr(of, "_mp_context", None)
    if forked and context is not None and context.get_start_method() == "forkserver":
        context = multiprocessing.get_context("spawn")  # the server serves its parent alone
    with _ending.lock:
        if _ending.has_begun():  # nobody would clean up behind it
            raise ProgramEnds
        return _ended_in_children(futures.ProcessPoolExecutor(count, mp_context=context, **started))


def _ended_in_children(pool: Pool) -> Pool:
    """A child of multiprocessing waits at its end for processes of pools, before these hear that it ends."""
    if multiprocessing.parent_process() is not None:
        multiprocessing.util.Finalize(pool, _end_by_reference, (weakref.ref(pool),), exitpriority=100)
    return pool


def _end_by_reference(reference: weakref.ref[Pool]) -> None:
    pool = reference()
    if pool is not None:
        end_processes(pool)


def shut_down(pool: Pool) -> None:
    """Of one that was made here, for which nobody waits."""
    if isinstance(pool, futures.ProcessPoolExecutor) and multiprocessing.parent_process() is not None:
        end_processes(pool)
    else:
        pool.shutdown(wait=False, cancel_futures=True)


_not_begun: Optional[BaseException] = None


def _begin(initializer: Optional[Callable[..., Any]], arguments: tuple[Any, ...], trial: bool = False) -> None:
    """In each process of a pool that is made here: it ends with its parent, however that ends, and Ctrl-C, which a
    terminal sends to it too, is its parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a handler of the program's is not for those that are ended by it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if initializer is not None:
            initializer(*arguments)
    except BaseException as error:
        if not trial:
            raise
        global _not_begun
        _not_begun = error


def not_begun() -> Optional[BaseException]:
    """What the initializer of this process raised, if it is one of a trial."""
    return _not_begun


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    is_child = os.getppid() == parent.pid  # not where a server has forked it
    # What another child of the parent has inherited keeps the sentinel from telling.
    while not multiprocessing.connection.wait([parent.sentinel], timeout=1.0 if is_child else None):
        if os.getppid() != parent.pid:
            break
    os._exit(1)


def processes(pool: Pool) -> list[Any]:
    """Those that are running."""
    return list((getattr(pool, "_processes", None) or {}).values())


def join_manager(pool: Pool, seconds: float) -> None:
    """Waits for the thread that manages the processes of a pool that broke, and with it for these."""
    manager = getattr(pool, "_executor_manager_thread", None)
    if manager is not None:
        manager.join(seconds)


def end_processes(pool: Pool) -> None:
    """Ends what its processes are at. Its other calls are cancelled first: to learn of both at once breaks its thread."""
    with interrupts_held_back():  # what is left half ended would be waited for as the program ends
        running = processes(pool)
        manager = getattr(pool, "_executor_manager_thread", None)
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()
        if manager is not None:
            manager.join(0.2)  # mostly at once; a program that ends meanwhile would meet it half closed
            if manager.is_alive():
                _break_off(manager)
                manager.join(0.2)


def has_ended_processes(pool: Pool) -> bool:
    """Whether one has, of which its pool has not heard yet."""
    if not isinstance(pool, futures.ProcessPoolExecutor):
        return False
    return _have_ended(getattr(pool, "_processes", None))


def _have_ended(running: Optional[dict[int, Any]]) -> bool:
    """Whether one of these processes has."""
    sentinels = [process.sentinel for process in list((running or {}).values())]
    return bool(sentinels) and bool(multiprocessing.connection.wait(sentinels, timeout=0))


def how_it_ended(pool: Pool) -> str:
    """What is known of the end of the process of a pool that broke, as " by SIGSEGV"; empty where nothing is."""
    running = processes(pool)
    join_manager(pool, 0.5)  # that one learns it, and two cannot
    for process in running:
        code = process.exitcode
        if code is None:
            continue
        if code >= 0:
            return f" with status {code}"
        with contextlib.suppress(ValueError):
            return f" by {signal.Signals(-code).name}"
        return f" by signal {-code}"
    return ""


def break_off(pool: Pool) -> None:
    """Of one whose process has ended in the middle of an answer, for the rest of which its thread waits."""
    manager = getattr(pool, "_executor_manager_thread", None)
    if manager is not None:
        _break_off(manager)


def _break_off(manager: threading.Thread) -> None:
    """Ends what the thread that manages a pool waits for: its processes, the rest of an answer, a reader of calls."""
    for process in list((getattr(manager, "processes", None) or {}).values()):
        with contextlib.suppress(OSError, ValueError):
            process.kill()  # a stopped one does not hear that it is to terminate, nor one that waits for a lock for ever
    writer = getattr(getattr(manager, "result_queue", None), "_writer", None)
    if writer is not None and not writer.closed:
        writer.close()
    _let_go(manager)


def _break_off_what_is_stuck(managers: list[threading.Thread]) -> None:
    """A process that is killed takes locks with it, or the rest of an answer, which others wait for for ever."""
    since: dict[threading.Thread, float] = {}
    while managers := [manager for manager in managers if manager.is_alive()]:
        for manager in managers:
            if not _is_stuck(manager):
                since.pop(manager, None)
            elif time.monotonic() - since.setdefault(manager, time.monotonic()) > STUCK_AFTER:
                _break_off(manager)
        time.sleep(0.1)


def _is_stuck(manager: Any) -> bool:
    """Whether processes have ended which others may wait for: all is done, or one has crashed."""
    running = getattr(manager, "processes", None)
    if not _have_ended(running):
        return False
    return not getattr(manager, "pending_work_items", None) or any(map(_has_crashed, list((running or {}).values())))


def _has_crashed(process: Any) -> bool:
    """As far as it can be known beside the thread that waits for its status: not of processes of a server."""
    code = getattr(getattr(process, "_popen", None), "returncode", None)
    if code is not None:
        return bool(code)
    with contextlib.suppress(OSError):
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return ended is not None and (ended.si_code != os.CLD_EXITED or ended.si_status != 0)
    return False


def let_go(pool: Pool) -> None:
    """Of one that broke: reads what its thread still writes for processes that are gone. CPython before 3.12 waits for
    that for ever, where f is larger than a pipe holds."""
    manager = getattr(pool, "_executor_manager_thread", None)
    if manager is not None:
        _let_go(manager)


def _let_go(manager: Any) -> None:
    reader = getattr(getattr(manager, "call_queue", None), "_reader", None)
    if reader is not None:
        with interrupts_held_back():  # a thread that a handler breaks off as it starts complains as it ends
            threading.Thread(target=_read_while, args=(manager, reader), daemon=True).start()


def _read_while(manager: threading.Thread, reader: Any) -> None:
    manager.join(1.0)
    with contextlib.suppress(OSError, ValueError):  # it was closed
        while manager.is_alive():
            if reader.poll(0.1):
                os.read(reader.fileno(), 1 << 16)
