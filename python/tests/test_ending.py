# SPDX-License-Identifier: BSD-3-Clause
"""A program ends, with 0, whatever its daemon threads are at: queries, batches, kernels, planners, f itself."""

import os
import random
import subprocess
import sys

import pytest

import quoin

DRAWS = int(os.environ.get("QUOIN_ENDING_DRAWS", "12"))
SEED = int(os.environ.get("QUOIN_ENDING_SEED", "1"))
HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join((os.path.dirname(os.path.dirname(quoin.__file__)), HERE))}

#: what a daemon thread repeats
WORK = {
    "a query": "grid([0.3, 0.4])",
    "a query with its trust": "grid.query([0.3, 0.4])",
    "value and Jacobian": "grid.value_and_jacobian([0.3, 0.4])",
    "products": "grid.jvp([0.3, 0.4], [1, 2]); grid.vjp([0.3, 0.4], [1, 2])",
    "a batch": "grid(X)",
    "batches with trust": "grid.query(X[:300])",
    "queries outside": "bounded.query([9.0, 9.0]); outside()",
    "new grids": "quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])([0.3, 0.4])",
    "a slow f": "quoin.AdaptiveGrid(slow, spacing=[0.5, 0.5])([0.3, 0.4])",
    "a busy f": "quoin.AdaptiveGrid(busy, spacing=[0.5, 0.5])([0.3, 0.4])",
    "prepare": "quoin.AdaptiveGrid(waves(2), spacing=[0.1, 0.1]).prefetch(X)",
    "threads": "quoin.AdaptiveGrid(busy, spacing=[0.5, 0.5], executor=pool).prefetch(X[:5])",
    "a kernel": "k = quoin.KernelInterpolant(2, 2); k.insert(sampled)",
    "queries of a kernel": "kernel([0.3, 0.4])",
    "a kernel of a grid": "quoin.KernelSurrogate(grid.at_level(3)).refine_at(X[:30])",
    "interleaving": "quoin.interleave(grid, lambda view, x: (x - view(x)[0] * 0.01, 1.0), np.array([0.3, 0.4]))",
    "f as a map": "quoin.check_derivatives(waves(2), [0.3, 0.4])",
    "samples and statistics": "grid.samples(); grid.statistics",
    "saving": "grid.save(path); quoin.load(path)",
    "a planner": "plan()",
}

PROGRAM = """
import os, sys, tempfile, threading, time
import numpy as np
import quoin
from concurrent.futures import ThreadPoolExecutor
from functions import waves
from plans import Spring

X = np.random.default_rng(1).uniform(0, 3, (20000, 2))
grid = quoin.AdaptiveGrid(waves(2), spacing=[0.25, 0.25])
grid(X)
sampled = grid.samples()
kernel = quoin.KernelInterpolant(2, 2)
kernel.insert(sampled)
bounded = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5], lower=[0, 0], upper=[4, 4])
path = os.path.join(tempfile.mkdtemp(), "grid.npz")
pool = ThreadPoolExecutor(2)

def slow(x):
    time.sleep(0.01)
    return waves(2)(x)

def busy(x):
    for _ in range(20000):
        pass
    return waves(2)(x)

def outside():
    try:
        bounded([9.0, 9.0])
    except quoin.DomainError:
        pass

def plan():
    from quoin import planning
    cost = planning.QuadraticCost(state=np.eye(2), control=np.eye(1), final=np.eye(2))
    planning.ilqr(Spring(), cost, start=[1.0, -0.5], guess=np.zeros((30, 1)))

def repeat(work):
    begun.release()
    while True:
        exec(work)

begun = threading.Semaphore(0)
works = WORKS
for work in works:
    threading.Thread(target=repeat, args=(compile(work, work, "exec"),), daemon=True).start()
for work in works:
    begun.acquire()
time.sleep(AFTER)
print("ended")
"""


@pytest.mark.parametrize("draw", range(DRAWS))
def test_a_program_ends_while_daemon_threads_work(draw, tmp_path):
    rng = random.Random(SEED * 1000 + draw)
    there = [work for work in WORK if work != "a planner" or "planning" in quoin._core.parts]
    works = rng.sample(there, rng.choice([1, 4])) if draw else ["a query"]
    program = PROGRAM.replace("WORKS", repr([WORK[work] for work in works]))
    program = program.replace("AFTER", rng.choice(["0.02", "0.1", "0.3"]))
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env={**ENVIRONMENT, "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0 and done.stdout == "ended\n", (works, done.returncode, done.stderr[-2000:])
    assert "terminate" not in done.stderr and "Fatal" not in done.stderr
