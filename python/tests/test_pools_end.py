# SPDX-License-Identifier: BSD-3-Clause
"""Pools of processes: whatever kills them and whenever Ctrl-C comes, queries and programs end, and nothing is printed."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import quoin

DRAWS = int(os.environ.get("QUOIN_POOL_DRAWS", "8"))
SEED = int(os.environ.get("QUOIN_POOL_SEED", "1"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(quoin.__file__))}

PROGRAM = """
import gc, multiprocessing, os, signal, sys, threading, time, weakref, numpy as np, quoin
from concurrent.futures import ProcessPoolExecutor

def slow(x):
    time.sleep(0.001)
    return x

def slower(x):
    time.sleep(0.2)
    if x[0] == 2:
        os._exit(9)
    return x

def large(x):
    return np.full(2_000_000, x[0])

def identity(x):
    return x

def hangs(x):
    time.sleep(1000 if x[0] > 20 else 0.01)
    return x

class Field:
    def __init__(self, count, raises):
        self.count, self.raises = count, raises

    def __call__(self, x):
        if self.raises and x[0] > 60:
            raise SystemExit(3)
        return np.full(self.count, x[0])

class Heavy:
    def __init__(self):
        self.model = np.zeros(200_000)

    def __call__(self, x):
        if x[0] == 3:
            os._exit(9)
        return x

def grid(f, executor="processes", outputs=1):
    return quoin.AdaptiveGrid(f, spacing=[1.0], executor=executor, outputs=outputs, derivatives=0)

if __name__ == "__main__":
"""


def program(tmp_path, main):
    return started(tmp_path, PROGRAM + textwrap.indent(textwrap.dedent(main), "    "))


def started(tmp_path, text, *options):
    path = tmp_path / "program.py"
    path.write_text(text)
    return subprocess.Popen(
        [sys.executable, *options, path],
        stdin=subprocess.PIPE if options else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )


def ended(process, within=60):
    try:
        out, error = process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, error = process.communicate()
        raise AssertionError(f"not ended within {within} s: {out} {error}") from None
    assert process.returncode == 0, (process.returncode, out, error)
    return out, error


@pytest.mark.parametrize("draw", range(DRAWS))
def test_ctrl_c_in_the_first_batch_ends_it(tmp_path, draw):
    rng = random.Random(SEED * 1000 + draw)
    main = """
        g = grid(slow)
        print("ready", flush=True)
        try:
            g.prefetch(np.arange(0, 20000.0)[:, None])
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    process = program(tmp_path, main)
    process.stdout.readline()
    time.sleep(rng.uniform(0.002, 0.08))
    if rng.random() < 0.5:
        process.send_signal(signal.SIGINT)
    else:  # as a terminal does
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
    assert ended(process) == ("interrupted\n", "")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_ctrl_c_and_then_a_crash_in_a_pool_that_was_given(tmp_path, method):
    main = f"""
        pool = ProcessPoolExecutor(2, multiprocessing.get_context({method!r}))
        pool.submit(int, "3").result()
        g = grid(slower, pool)
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            g.prefetch(np.arange(2, 40.0)[:, None])
        except KeyboardInterrupt:
            time.sleep(1)
        print(g([30.5])[0], flush=True)
        pool.shutdown()
    """
    assert ended(program(tmp_path, main)) == ("30.5\n", "")


def test_a_crash_beside_an_f_that_is_larger_than_a_pipe(tmp_path):
    main = """
        g = grid(Heavy())
        g.prefetch(np.arange(0, 40.0)[:, None])
        print(g.statistics.failed_corners, flush=True)
    """
    assert ended(program(tmp_path, main)) == ("1\n", "")


@pytest.mark.parametrize("draw", range(4))
def test_a_process_that_is_killed_while_it_sends_a_large_answer(tmp_path, draw):
    main = f"""
        g = grid(large, outputs=2_000_000)
        g.prefetch(np.array([[0.0]]))
        process = next(iter(g._source.engine._pool._processes))
        threading.Timer({random.Random(SEED * 1000 + draw).uniform(0.01, 0.2)}, os.kill, (process, signal.SIGKILL)).start()
        g.prefetch(np.arange(0, 6.0)[:, None])
        print(g.statistics.failed_corners, flush=True)
        time.sleep(0.3)
    """
    assert ended(program(tmp_path, main)) == ("0\n", "")


def test_processes_end_with_their_parent_though_another_child_of_it_lives(tmp_path):
    main = """
        g = grid(slow)
        g([0.5])
        print(*g._source.engine._pool._processes, flush=True)
        if os.fork() == 0:
            os.close(1)
            os.close(2)
            time.sleep(20)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    process = program(tmp_path, main)
    out, _ = process.communicate(timeout=60)
    pids = [int(pid) for pid in out.split()]
    assert pids
    end = time.monotonic() + 10
    while any(os.path.exists(f"/proc/{pid}") for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    alive = [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
    os.killpg(process.pid, signal.SIGKILL)
    assert not alive


LAST = {
    "by f, in the thread of its request": """
        def f(x):
            here = known()
            time.sleep(0.3)
            return x
        g = grid(f, None)
        known = weakref.ref(g)
        g.prefetch_async([[0.5], [9.5]])
        time.sleep(0.1)
        del g
    """,
    "by Python's collector, there": """
        class Owner:
            def __init__(self):
                self.grid, self.cycle = grid(f, None), self
        def f(x):
            gc.collect()
            time.sleep(0.05)
            return x
        owner = Owner()
        owner.grid.prefetch_async(np.arange(0, 100.0)[:, None])
        time.sleep(0.1)
        del owner
    """,
}


@pytest.mark.parametrize("how", LAST)
def test_the_last_reference_to_a_grid_may_be_dropped(tmp_path, how):
    assert ended(program(tmp_path, LAST[how])) == ("", "")


def test_ctrl_c_ends_the_wait_for_a_request_where_the_program_ends(tmp_path):
    main = """
        g = grid(lambda x: time.sleep(600), None)
        g.prefetch_async([[0.5]])
        time.sleep(0.1)
        print("ready", flush=True)
    """
    process = program(tmp_path, main)
    process.stdout.readline()
    for _ in range(20):
        time.sleep(0.3)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGINT)
    out, error = ended(process)
    assert error.count("KeyboardInterrupt") <= 2


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("draw", range(max(1, DRAWS // 4)))
def test_ctrl_c_beside_a_request_in_the_same_pool(tmp_path, method, draw):
    main = f"""
        multiprocessing.set_start_method({method!r})
        g = grid(slow)
        g([0.5])
        g.prefetch_async(np.arange(50, 150.0)[:, None])
        threading.Timer({random.Random(SEED * 1000 + draw).uniform(0, 0.12)}, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            g(np.arange(200, 3000.0)[:, None])
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    assert ended(program(tmp_path, main)) == ("interrupted\n", "")


def test_ctrl_c_ends_no_call_of_another_thread_s_batch(tmp_path):
    main = """
        def counted(x):
            with open("calls", "a") as calls:
                calls.write(f"{x[0]}\\n")
            time.sleep(0.1)
            return x
        g = grid(counted)
        g([0.5])
        other = threading.Thread(target=g.prefetch, args=(np.arange(50, 62.0)[:, None],))
        other.start()
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            g.prefetch(np.arange(100, 400.0)[:, None])
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        other.join()
        called = [float(line) for line in open("calls")]
        print(*[x for x in range(50, 62) if called.count(x) != 1], flush=True)
    """
    main = main.replace('"calls"', repr(str(tmp_path / "calls")))
    assert ended(program(tmp_path, main)) == ("interrupted\n\n", "")


@pytest.mark.parametrize("executor", ['"threads"', "ThreadPoolExecutor(16)"])
@pytest.mark.parametrize("draw", range(DRAWS // 2))
def test_ctrl_c_while_threads_start(tmp_path, executor, draw):
    main = f"""
        from concurrent.futures import ThreadPoolExecutor
        def busy(x):
            end = time.perf_counter() + 0.01
            while time.perf_counter() < end:
                pass
            return x
        g = grid(busy, {executor})
        threading.Timer({random.Random(SEED * 1000 + draw).uniform(0, 0.1)}, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            g.prefetch(np.arange(0, 2000.0)[:, None])
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    assert ended(program(tmp_path, main)) == ("interrupted\n", "")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_program_may_end_behind_a_crash(tmp_path, method):
    main = f"""
        multiprocessing.set_start_method({method!r})
        g = grid(slow)
        g.prefetch(np.arange(0, 8.0)[:, None])
        g.prefetch_async(np.arange(50, 150.0)[:, None])
        os.kill(next(iter(g._source.engine._pool._processes)), signal.SIGKILL)
        time.sleep({random.Random(SEED).uniform(0, 0.1)})
    """
    assert ended(program(tmp_path, main)) == ("", "")


@pytest.mark.parametrize("where", ["inherited", "global", "local"])
def test_a_child_of_multiprocessing_that_asked_processes_ends(tmp_path, where):
    main = f"""
        def work():
            if {where!r} == "inherited":
                own = g
            elif {where!r} == "global":
                global kept
                own = kept = grid(slow)
            else:
                own = grid(slow)
            print(own([2.5])[0], flush=True)
        g = grid(slow)
        child = multiprocessing.Process(target=work)
        child.start()
        child.join(20)
        print(child.exitcode, flush=True)
        if child.exitcode is None:
            os.killpg(0, signal.SIGKILL)
    """
    assert ended(program(tmp_path, main)) == ("2.5\n0\n", "")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_what_starts_a_pool_may_ask_a_grid(tmp_path, method):
    main = f"""
        table = grid(slow)
        table([0.5])
        class Pool(ProcessPoolExecutor):
            def submit(self, *arguments):
                table([float(len(asked))])
                asked.append(0)
                return super().submit(*arguments)
        asked = []
        pool = Pool(2, multiprocessing.get_context({method!r}))
        print(grid(slow, pool)([0.5])[0], len(asked) > 0, flush=True)
        pool.shutdown()
    """
    assert ended(program(tmp_path, main)) == ("0.5 True\n", "")


def test_a_grid_goes_on_at_a_prompt_behind_the_script(tmp_path):
    process = started(tmp_path, PROGRAM + "    g = grid(slow)\n", "-i")
    out, _ = process.communicate("print(g([2.5])[0])\n", timeout=60)
    assert out == "2.5\n"


def test_two_interrupts_in_a_row_behind_a_crash(tmp_path):
    main = """
        g = grid(stuck)
        threading.Thread(target=twice, daemon=True).start()
        try:
            g.prefetch(np.arange(0, 6.0)[:, None])
        except KeyboardInterrupt:
            pass
        try:
            time.sleep(0.5)
        except KeyboardInterrupt:
            pass
        print("end", flush=True)
    """
    functions = """
def stuck(x):
    if x[0] == 1:
        os._exit(9)
    time.sleep(1000)

def twice():
    time.sleep(1.5)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.002)
    os.kill(os.getpid(), signal.SIGINT)

if __name__ =="""
    text = PROGRAM.replace("\nif __name__ ==", functions) + textwrap.indent(textwrap.dedent(main), "    ")
    process = started(tmp_path, text)
    assert ended(process)[0] == "end\n"
