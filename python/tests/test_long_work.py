# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C acts within half a second, whatever C++ works at and wherever f hangs."""

import os
import subprocess
import sys
import textwrap

import pytest

import quoin

#: seconds; the machine may have much else to do
WITHIN = float(os.environ.get("QUOIN_INTERRUPTED_WITHIN", "2.5"))
HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join((os.path.dirname(os.path.dirname(quoin.__file__)), HERE))}


#: what is made before, and what the signal is to end
LONG = {
    "prepare": ("g = grid(batched=True); X = points(300_000)", "g.prefetch(X)"),
    "a batch": ("g = grid(1.0); g([.5] * 4); X = points(10**7)", "g(X)"),
    "a batch with Jacobians": ("g = grid(1.0); g([.5] * 4); X = points(5 * 10**6)", "g.value_and_jacobian(X)"),
    "a batch with trust": ("g = grid(1.0); g([.5] * 4); X = points(5 * 10**6)", "g.query(X)"),
    "products": ("g = grid(1.0); g([.5] * 4); X = points(5 * 10**6)", "g.jvp(X, X)"),
    "a kernel's insert": ("s = samples(2500); k = quoin.KernelInterpolant(4, 1, 0)", "k.insert(s)"),
    "queries of a kernel": ("k = quoin.KernelInterpolant(4, 1, 0); k.insert(samples(300)); X = points(10**6)", "k(X)"),
    "a grid's insert": ("s = samples(4_000_000)", "[grid(2**-20).insert(s) for _ in range(30)]"),
    "a planner": (
        "from quoin import planning; n, m = 60, 20; A, B = 0.99 * np.eye(n), np.eye(n)[:, :m]; "
        "cost = planning.QuadraticCost(state=np.eye(n), control=np.eye(m), final=np.eye(n))",
        "planning.ilqr(quoin.LinearDynamics(A, B), cost, start=np.ones(n), guess=np.zeros((20_000, m)))",
    ),
    "f that hangs in a thread": ("g = hanging(ThreadPoolExecutor(2))", "g([.5])"),
    "f that hangs in a process": ("g = hanging('processes')", "g([.5])"),
    "f that hangs in a process that was given": ("g = hanging(ProcessPoolExecutor(1))", "g([.5])"),
    "f that hangs and was asked for ahead": (
        "g = hanging(ThreadPoolExecutor(2))",
        "g.prefetch_async([[.5]]); time.sleep(0.2); g([.5])",
    ),
    "the end of requests, where f hangs": (
        "g = hanging(None); g.prefetch_async([[.5]]); time.sleep(.1)",
        "g.cancel_requests()",
    ),
    "trim, where f hangs": ("g = hanging(None); g.prefetch_async([[.5]]); time.sleep(.1)", "g.trim()"),
    "the end of a grid, where f hangs": ("g = hanging(None); g.prefetch_async([[.5]]); time.sleep(.1)", "del g; time.sleep(9)"),
    "the end of its last view": (
        "g = hanging(None); g.prefetch_async([[.5]]); v = g.at_level(1); del g; time.sleep(.1)",
        "del v; time.sleep(9)",
    ),
    "the end of a grid whose store another program holds": (
        "warnings.simplefilter('ignore'); g = stored(); hold(); g([9.5])",
        "del g; time.sleep(9)",
    ),
    "the opening of a store that another program holds": ("g = stored(); hold()", "stored()([.5])"),
    "the flush of a store that another program holds": ("g = stored(); hold(); g([9.5])", "g.flush()"),
    "what is kept in a durable store that another program holds": ("g = stored(durable=True); hold()", "g([9.5])"),
    "the same, evaluated by threads": ("g = stored(durable=True, executor=ThreadPoolExecutor(2)); hold()", "g([9.5])"),
}

LONG_PROGRAM = """
    import fcntl, os, struct, sys, tempfile, threading, time, warnings, numpy as np, quoin
    from concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor
    values = dict(outputs=1, derivatives=0)
    def hang(x): time.sleep(60)
    def hanging(executor): return quoin.AdaptiveGrid(hang, spacing=[1.0], executor=executor, **values)
    def grid(edge=.01, **how): return quoin.AdaptiveGrid(lambda X: X[..., :1], spacing=[edge] * 4, **values, **how)
    def points(count): return np.random.default_rng(1).uniform(0, 1, (count, 4))
    def samples(count):
        X = np.random.default_rng(1).integers(0, 2**20, (count, 4)) / 2**20
        none = [0] * count, [""] * count, [False] * count, [0.0] * count
        return quoin.Samples(X, X[:, :1, np.newaxis], 0, True, *none)
    store = os.path.join(tempfile.mkdtemp(), "answers")
    def stored(**how):
        g = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], store=store, fingerprint="same", **values, **how)
        g([.5])
        g.flush()
        return g
    def hold():  # as a program that is stopped while it writes
        turn = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 2**62, 1, 0)
        fcntl.fcntl(os.open(store, os.O_RDWR), fcntl.F_OFD_SETLK, turn)
    {setup}
    signalled = []
    threading.Timer(0.4, lambda: (signalled.append(time.monotonic()), os.kill(os.getpid(), 2))).start()
    try:
        {work}
        print("ended before the signal")
    except KeyboardInterrupt:
        print(time.monotonic() - signalled[0], flush=True)
    import multiprocessing
    time.sleep(0.2)  # nothing is printed by what ended meanwhile
    threading.excepthook = lambda *of_a_pool_that_was_given_and_whose_processes_are_gone: None
    for child in multiprocessing.active_children(): child.kill()
    os._exit(0)
"""


@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_acts_at_once_whatever_runs(work):
    if work == "a planner":
        pytest.importorskip("quoin.planning")
    setup, call = LONG[work]
    program = textwrap.dedent(LONG_PROGRAM).format(setup=setup, work=call)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert float(done.stdout) < WITHIN, f"{done.stdout} s from Ctrl-C"


def test_what_was_left_behind_goes_nowhere_and_the_grid_goes_on():
    program = """
        import os, threading, time, numpy as np, quoin
        from concurrent.futures import ThreadPoolExecutor
        pool, late = ThreadPoolExecutor(16), threading.Event()
        hangs = [True]
        def f(x):
            if hangs[0]:
                late.wait()
                return np.array([-77.0])
            return np.array([grid([x[0] + 10.25])[0] if x[0] < 5 else x[0]])
        grid = quoin.AdaptiveGrid(f, spacing=[1.0], outputs=1, derivatives=0, executor=pool)
        threading.Timer(0.3, os.kill, (os.getpid(), 2)).start()
        try:
            grid([0.5])
        except KeyboardInterrupt:
            print("interrupted", grid.statistics.corners)
        hangs[0] = False
        print(grid([7.5])[0], grid([0.5])[0])
        late.set()
        time.sleep(0.2)
        print(grid([7.5])[0], grid([0.5])[0], grid.statistics.failed_corners)
    """
    program = textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert done.stdout.split("\n")[:3] == ["interrupted 0", "7.5 10.75", "7.5 10.75 0"], done.stdout + done.stderr
