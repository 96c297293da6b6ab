# SPDX-License-Identifier: BSD-3-Clause
"""A process that divides while other threads evaluate f goes on on both sides: what they were at is evaluated anew."""

import os
import random
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import quoin
from functions import waves
from test_fork import KINDS, Child, Slow, grid_of, points, right

DRAWS = int(os.environ.get("QUOIN_FORK_DRAWS", "12"))
SEED = int(os.environ.get("QUOIN_FORK_SEED", "1"))


@pytest.mark.parametrize("draw", range(DRAWS))
def test_children_of_a_grid_at_work_are_right(draw):
    rng = random.Random(SEED * 1000 + draw)
    kind = rng.choice(KINDS)
    grid = grid_of(kind, Slow(2), known=rng.random() < 0.7)
    asked = [points(100 * draw + i, 30) for i in range(rng.choice([1, 3]))]
    working = [threading.Thread(target=grid.prefetch, args=(X,)) for X in asked]
    for thread in working:
        thread.start()
    time.sleep(rng.choice([0, 0.003, 0.02]))
    children = [Child(lambda: right(grid, points(100 * draw, 30)) and right(grid, points(5))) for _ in range(2)]
    assert right(grid, points(6))
    answers = [child.answer() for child in children]
    for thread in working:
        thread.join()
    assert answers == ["True", "True"], (kind, answers)


def test_a_child_of_a_request_that_a_thread_evaluates_is_right():
    grid = grid_of(None, Slow(2))
    grid.prefetch_async(points(1, 200))
    time.sleep(0.01)
    child = Child(lambda: right(grid, points(1, 20)))
    assert child.answer() == "True"
    assert right(grid, points(1, 20))


def test_a_child_may_trim_and_end_a_grid_that_queries_of_its_parent_were_at():
    grid = grid_of(None, Slow(2))
    stop = threading.Event()
    begun = threading.Event()

    def work():
        while not stop.is_set():
            grid.prefetch(points(time.monotonic_ns() % 2**31, 40))
            begun.set()

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()

    def in_the_child():
        grid.trim()
        return right(grid, points(3))

    try:
        assert Child(in_the_child).answer() == "True"
    finally:
        stop.set()
        thread.join()


def workers_of(tmp_path):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "share", "workers")
    program = tmp_path / "worker.py"
    program.write_text(
        f"import sys\nsys.path[:0] = [{folder!r}, {os.path.dirname(os.path.abspath(__file__))!r}]\n"
        "from quoin_worker import serve\nfrom functions import waves\n"
        "serve(waves(2), outputs=2, order=1, fingerprint='waves')\n"
    )
    return quoin.Workers([sys.executable, str(program)], 2)


@pytest.mark.parametrize("draw", range(4))
@pytest.mark.parametrize("workers", [False, True])
def test_a_store_and_workers_are_right_on_both_sides(tmp_path, draw, workers):
    rng = random.Random(SEED * 100 + draw)
    stored = dict(spacing=[0.5, 0.5], store=tmp_path / "waves.quoin", fingerprint="waves")
    form = dict(executor=workers_of(tmp_path)) if workers else dict(outputs=2, derivatives=1)
    grid = quoin.AdaptiveGrid(None if workers else Slow(2), **stored, **form)
    assert right(grid, points(0))
    children = []
    for step in range(1, 4):
        children.append(Child(lambda: right(grid, points(10 * step)) and right(grid, points(10 * step + 1, 3))))
        assert right(grid, points(20 * step, rng.choice([1, 8])))
    assert [child.answer() for child in children] == ["True"] * len(children)
    grid.flush()
    again = quoin.AdaptiveGrid(Slow(2), **stored, outputs=2, derivatives=1)
    for seed in (0, 10, 20, 30, 40, 60):
        assert right(again, points(seed))
    assert again.store_status.damaged == 0 and again.store_status.error == ""


IMPORTING = """
    import multiprocessing, sys, threading, time, quoin
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from test_fork import Child, Slow, grid_of, points, right

    class Slowly:  # a module that a thread imports while another forks stays locked in the child
        def find_spec(self, name, path=None, target=None):
            if threading.current_thread() is not threading.main_thread():
                imported.append(name)
                time.sleep(0.5)

    if __name__ == "__main__":
        grid = {grid}
        imported = []
        sys.meta_path.insert(0, Slowly())
        thread = threading.Thread(target=grid.prefetch, args=(points(1, 30),))
        thread.start()
        time.sleep(0.1)
        answer = Child(lambda: right(grid, points(3)), 20).answer()
        thread.join()
        print(answer, imported)
"""
OF_POOL = "quoin.AdaptiveGrid(Slow(2), [.5, .5], outputs=2, derivatives=1, executor=ProcessPoolExecutor(2, {}))"
FIRST_USES = {f"{kind}": f"grid_of({kind!r}, Slow(2))" for kind in KINDS} | {
    f"processes, {method}": OF_POOL.format(f"multiprocessing.get_context({method!r})")
    for method in ("fork", "spawn", "forkserver")
}


@pytest.mark.parametrize("use", FIRST_USES)
def test_no_module_is_imported_by_a_thread_that_evaluates(use, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(IMPORTING).format(grid=FIRST_USES[use]))
    here = os.path.dirname(os.path.abspath(__file__))
    paths = os.pathsep.join((os.path.dirname(os.path.dirname(quoin.__file__)), here))
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": paths}
    )
    assert done.stdout == "True []\n", done.stdout + done.stderr
