# SPDX-License-Identifier: BSD-3-Clause
"""A process that divides goes on on both sides: right answers, no waits, whatever evaluates f and whenever it forks."""

import concurrent.futures as futures
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import quoin
from functions import waves

DRAWS = int(os.environ.get("QUOIN_FORK_DRAWS", "24"))
SEED = int(os.environ.get("QUOIN_FORK_SEED", "1"))
KINDS = [None, "threads", "processes", "given threads", "given processes", "batched"]
VARIANTS = {"given threads": futures.ThreadPoolExecutor, "given processes": futures.ProcessPoolExecutor}


class Slow(waves):
    def __call__(self, x):
        time.sleep(0.001)
        return super().__call__(x)


def rows(X):
    pairs = [waves(2)(x) for x in X]
    return np.array([y for y, _ in pairs]), np.array([J for _, J in pairs])


def grid_of(kind, f=waves(2), known=True):
    form = dict(outputs=2, derivatives=1) if known else {}
    if kind == "batched":
        return quoin.AdaptiveGrid(rows, spacing=[0.5, 0.5], batched=True, **form)
    executor = VARIANTS[kind](2) if kind in VARIANTS else kind
    return quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], executor=executor, **form)


def points(seed, count=8):
    return np.random.default_rng(seed).uniform(0, 6, (count, 2))


def right(grid, X):
    return np.array_equal(grid(X), quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])(X))


class Child:
    def __init__(self, work, seconds=60):
        ours, theirs = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            answer = "nothing"
            try:
                os.close(ours)
                signal.alarm(seconds)
                answer = repr(work())
            except BaseException as error:
                answer = f"{type(error).__name__}: {error}"
            finally:
                os.write(theirs, answer.encode()[:4000])
                os._exit(0)
        os.close(theirs)
        os.set_blocking(ours, False)
        self.pipe = ours

    def answer(self):
        status = os.waitpid(self.process, 0)[1]
        # Not to the pipe's end: a pool's process that another thread has begun meanwhile holds it open.
        try:
            answer = os.read(self.pipe, 4000).decode()
        except BlockingIOError:
            answer = ""
        os.close(self.pipe)
        return answer if status == 0 else f"ended by {status}: {answer}"


@pytest.mark.parametrize("draw", range(DRAWS))
def test_parent_and_children_are_right_whenever_they_divide(draw):
    rng = random.Random(SEED * 1000 + draw)
    kind = rng.choice(KINDS)
    grid = grid_of(kind, Slow(2), known=rng.random() < 0.7)
    steps = []
    for step in range(rng.randrange(2, 5)):
        what = rng.choice(["query", "fork", "grandchild", "fork from a thread"])
        steps.append(what)
        seed = 100 * draw + step
        if what == "query":
            assert right(grid, points(seed))
            continue

        def work(depth=1 if what == "grandchild" else 0):
            ok = right(grid, points(seed)) and right(grid, points(seed + 1))
            if depth:
                return ok and Child(lambda: work(depth - 1)).answer() == "True"
            return ok

        if what == "fork from a thread":
            children = []
            thread = threading.Thread(target=lambda: children.append(Child(work)))
            thread.start()
            thread.join()
        else:
            children = [Child(work) for _ in range(rng.choice([1, 2]))]
        assert right(grid, points(seed + 2))
        answers = [child.answer() for child in children]
        assert answers == ["True"] * len(answers), (kind, steps, answers)


GRIDS = {}


def ask(kind, seed):
    """In a process of multiprocessing."""
    if kind not in GRIDS:
        GRIDS[kind] = grid_of(kind)
    return right(GRIDS[kind], points(seed))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_multiprocessing_are_right(method):
    kinds = [None, "threads", "processes", "given threads"]
    for kind in kinds:
        assert ask(kind, 1)
    with multiprocessing.get_context(method).Pool(2) as pool:
        asked = [(kind, seed) for seed in range(3) for kind in kinds]
        assert pool.starmap_async(ask, asked).get(100) == [True] * len(asked)
    for kind in kinds:
        assert ask(kind, 2)
    GRIDS.clear()


class Elsewhere(futures.Executor):
    """One that quoin cannot make another of."""

    def submit(self, fn, *args):
        future = futures.Future()
        future.set_result(fn(*args))
        return future


def test_an_executor_that_cannot_be_made_anew_says_so():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5], executor=Elsewhere(), outputs=2, derivatives=1)
    assert right(grid, points(1))
    answer = Child(lambda: right(grid, points(1)) and grid(points(2))).answer()
    assert answer.startswith("RuntimeError: executor: this process was forked, and the grid's Elsewhere belongs to its")
    assert right(grid, points(2))


def test_processes_of_a_pool_that_imported_the_grid_call_f_themselves(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing, quoin\n"
        "def f(x): return x[:1]\n"
        "grid = quoin.AdaptiveGrid(f, spacing=[1.0], executor='processes', outputs=1, derivatives=0)\n"
        "def task(x): return float(grid([x])[0])\n"
        "if __name__ == '__main__':\n"
        "    for method in ('fork', 'spawn', 'forkserver'):\n"
        "        with multiprocessing.get_context(method).Pool(2) as pool:\n"
        "            assert pool.map(task, [0.5, 1.5, 20.5]) == [0.5, 1.5, 20.5], method\n"
    )
    done = subprocess.run([sys.executable, program], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 0, done.stderr
