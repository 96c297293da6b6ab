# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C passes through f, and records nothing."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import quoin
from functions import waves


@pytest.mark.parametrize("executor", [None, "threads"])
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("kind", ["call", "jacobian", "query", "batch", "prepare", "jvp"])
def test_what_is_no_exception_passes_through_every_query(kind, interruption, executor):
    stop_at = 3
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        if calls == stop_at:
            raise interruption("stop")
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1, executor=executor)
    x = np.array([0.2, 0.3])
    ask = {
        "call": lambda: grid(x),
        "jacobian": lambda: grid.value_and_jacobian(x),
        "query": lambda: grid.query(x),
        "batch": lambda: grid(x[np.newaxis]),
        "prepare": lambda: grid.prefetch(x[np.newaxis]),
        "jvp": lambda: grid.jvp(x, x),
    }[kind]
    with pytest.raises(interruption, match="stop") as raised:
        ask()
    assert raised.value.__traceback__ is not None
    statistics = grid.statistics
    assert statistics.failed_corners == 0 and statistics.corners <= 3
    if executor is None:
        assert statistics.corners == 2
    ask()
    assert grid.statistics.corners == 4


HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join((os.path.dirname(os.path.dirname(quoin.__file__)), HERE))}


def run_until_signal(program, timeout=60):
    """Runs a program that prints "ready", sends it SIGINT, and returns what it prints then."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert process.stdout.readline().strip() == "ready", process.stderr.read()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err
    return out.strip().splitlines()


PROGRAM = """
    import time, numpy as np, quoin
    from functions import waves
    {setup}
    class Slow:
        def __init__(self): self.calls = 0
        def __call__(self, x):
            self.calls += 1
            if {slow_if}:
                print("ready", flush=True)
                time.sleep(60)
            return waves(2)(x)
    grid = quoin.AdaptiveGrid(Slow(), spacing=[0.5, 0.5], outputs=2, derivatives=1{arguments})
    try:
        grid([0.2, 0.3])
    except KeyboardInterrupt:
        print("interrupted", grid.statistics.corners, grid.statistics.failed_corners)
"""


def test_a_signal_ends_a_query_in_f():
    program = PROGRAM.format(setup="", slow_if="self.calls == 3", arguments="")
    assert run_until_signal(program) == ["interrupted 2 0"]


def test_a_signal_ends_a_query_that_waits_for_workers(tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import sys, time\n"
        f"sys.path.insert(0, {workers_folder()!r})\n"
        "from quoin_worker import serve\n"
        "def f(x):\n"
        "    time.sleep(60)\n"
        "serve(f, outputs=2, order=1, fingerprint='slow')\n"
    )
    program = f"""
        import threading, quoin
        workers = quoin.Workers([{sys.executable!r}, {str(worker)!r}])
        grid = quoin.AdaptiveGrid(None, spacing=[0.5, 0.5], executor=workers)
        grid.output_size
        threading.Timer(0.3, lambda: print("ready", flush=True)).start()
        try:
            grid([0.2, 0.3])
        except KeyboardInterrupt:
            print("interrupted", grid.statistics.corners)
    """
    assert run_until_signal(program) == ["interrupted 0"]


def workers_folder():
    return os.path.join(HERE, "..", "..", "share", "workers")


def test_a_signal_ends_a_query_that_waits_for_another_thread():
    program = """
        import threading, quoin
        from functions import waves
        inside, goes_on = threading.Event(), threading.Event()
        def f(x):
            if threading.current_thread() is not threading.main_thread() and not inside.is_set():
                threading.Timer(0.3, lambda: print("ready", flush=True)).start()
                inside.set()
                goes_on.wait()
            return waves(2)(x)
        grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1)
        other = threading.Thread(target=lambda: grid([0.2, 0.3]))
        other.start()
        inside.wait()
        try:
            grid([0.2, 0.3])
        except KeyboardInterrupt:
            print("interrupted", grid.statistics.corners)
        goes_on.set()
        other.join()
        print(grid.statistics.corners)
    """
    assert run_until_signal(program) == ["interrupted 0", "4"]


def test_a_signal_ends_a_query_that_solves_for_many_corners_of_a_model():
    pytest.importorskip("quoin.soft_arm")
    program = """
        import threading, numpy as np, quoin
        from quoin import soft_arm
        arm = soft_arm.SoftArmGrid(soft_arm.beam(3, cells_across=2, cells_along=10), spacing=0.25)
        points = 4 * np.random.default_rng(1).random((20000, 4))
        threading.Timer(0.5, lambda: print("ready", flush=True)).start()
        try:
            arm.grid.prefetch(points)
        except KeyboardInterrupt:
            print("interrupted", 0 < arm.grid.statistics.corners < 17**4)
    """
    assert run_until_signal(program) == ["interrupted True"]


def test_a_program_ends_while_a_thread_of_the_grid_evaluates():
    program = """
        import time, numpy as np, quoin
        from functions import waves
        def f(x):
            time.sleep(0.05)
            return waves(2)(x)
        grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1)
        grid.prefetch_async([[i + 0.2, 0.3] for i in range(1000)])
        time.sleep(0.1)
        print("ended")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        env=ENVIRONMENT,
    )
    assert done.returncode == 0 and done.stdout.strip() == "ended", done.stderr
