# SPDX-License-Identifier: BSD-3-Clause
"""What the program's own handlers of signals raise, as a limit of time, is no failure of an executor's, wherever it
comes, and leaves no pool half made."""

import concurrent.futures as futures
import random
import signal
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from test_pools_end import DRAWS, ENVIRONMENT, SEED, ended, program

import quoin


class OutOfTime(Exception):
    pass


@pytest.mark.parametrize("draw", range(2 * DRAWS))
def test_it_comes_out_of_the_first_batch_of_a_pool(tmp_path, draw):
    rng = random.Random(SEED * 1000 + draw)
    executor = rng.choice(['"processes"', '"processes"', '"threads"', "ProcessPoolExecutor(3)"])
    main = f"""
        class OutOfTime(Exception):
            pass
        def out_of_time(*_):
            raise OutOfTime
        number = signal.{rng.choice(["SIGALRM", "SIGTERM", "SIGUSR1", "SIGRTMIN"])}
        signal.signal(number, out_of_time)
        g = grid(slow, {executor})
        try:
            timer = threading.Timer({rng.uniform(1e-4, 0.03)}, os.kill, (os.getpid(), number))
            timer.start()
            g.prefetch(np.arange(0, 4000.0)[:, None])
            print("it never came out", flush=True)
        except OutOfTime:
            pass
        print(g([4000.5])[0], flush=True)
    """
    assert ended(program(tmp_path, main), 30) == ("4000.5\n", "")


class InSubmit(futures.ThreadPoolExecutor):
    """In which a signal comes whenever it takes a call."""

    def submit(self, *arguments, **keywords):
        signal.raise_signal(signal.SIGALRM)
        return super().submit(*arguments, **keywords)


def test_it_is_not_what_an_executor_raised():
    def out_of_time(number, frame):
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, out_of_time)
    try:
        with InSubmit(2) as executor:
            grid = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], outputs=1, derivatives=0, executor=executor)
            for ask in (grid.prefetch, grid):
                with pytest.raises(OutOfTime):
                    ask(np.arange(0, 5.0)[:, None])
            with pytest.raises(OutOfTime):
                grid([0.5])
            signal.signal(signal.SIGALRM, lambda number, frame: None)
            assert grid([0.5])[0] == 0.5
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_sets_another_keeps_it():
    def once(number, frame):
        signal.signal(signal.SIGALRM, later)

    def later(number, frame):
        pass

    before = signal.signal(signal.SIGALRM, once)
    try:
        with InSubmit(2) as executor:
            grid = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], outputs=1, derivatives=0, executor=executor)
            assert grid([0.5])[0] == 0.5
        assert signal.getsignal(signal.SIGALRM) is later
    finally:
        signal.signal(signal.SIGALRM, before)


def out_of_time(number, frame):
    raise OutOfTime("limit")


class LateRuntimeError(RuntimeError):
    pass


def out_of_time_at_runtime(number, frame):
    raise LateRuntimeError("limit")


@pytest.mark.parametrize("batched", [False, True])
def test_a_limit_of_time_comes_out_of_f_and_the_query_and_leaves_no_record(tmp_path, batched):
    signalled = [True]

    def f(x):
        if signalled.pop() if signalled else False:
            signal.raise_signal(signal.SIGALRM)
        return x

    def grid():
        store = str(tmp_path / "f.quoin")
        return quoin.AdaptiveGrid(
            f, spacing=[1.0], outputs=1, derivatives=0, batched=batched, executor=None, store=store, fingerprint="f"
        )

    before = signal.signal(signal.SIGALRM, out_of_time)
    try:
        asked = grid()
        with pytest.raises(OutOfTime, match="limit"):
            asked([0.5])
        assert not signalled
        assert asked([0.5])[0] == 0.5
        del asked
        assert grid()([0.5])[0] == 0.5
    finally:
        signal.signal(signal.SIGALRM, before)


SYNC = """
import signal, sys, time, numpy as np, quoin
class OutOfTime(Exception):
    pass
def out_of_time(*_):
    raise OutOfTime("limit")
def f(x):
    end = time.perf_counter() + 2e-4
    while time.perf_counter() < end:
        pass
    return x
batched, seed = sys.argv[2] == "1", int(sys.argv[3])
rng = np.random.default_rng(seed)
signal.signal(signal.SIGALRM, out_of_time)
X, came = np.arange(0.0, 20)[:, None], 0
for k in range(40):
    def grid():
        return quoin.AdaptiveGrid(f, spacing=[1.0], outputs=1, derivatives=0, batched=batched,
                                  store=f"{sys.argv[1]}/{k}.quoin", fingerprint="f")
    asked = grid()
    try:
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 4e-3))
        asked.prefetch(X)
        time.sleep(0.01)
    except OutOfTime:
        came += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert np.array_equal(asked(X), X)
    asked.flush()
    del asked
    assert np.array_equal(grid()(X), X)
print(came, flush=True)
"""


@pytest.mark.parametrize("batched", [0, 1])
def test_wherever_it_comes_without_an_executor_it_comes_out_and_no_file_keeps_it(tmp_path, batched):
    path = tmp_path / "sync.py"
    path.write_text(SYNC)
    ran = subprocess.run(
        [sys.executable, path, tmp_path, str(batched), str(SEED)], capture_output=True, text=True, env=ENVIRONMENT, timeout=120
    )
    assert ran.stderr == "" and int(ran.stdout) == 40


def test_a_limit_of_time_is_not_what_a_file_says(tmp_path):
    path = str(tmp_path / "f.quoin")
    grid = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], outputs=1, derivatives=0, store=path, fingerprint="f")
    grid([0.5])
    grid.flush()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    before = signal.signal(signal.SIGALRM, out_of_time_at_runtime)
    try:
        grid([7.5])
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(LateRuntimeError):
            grid.flush()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        other.execute("COMMIT")
        other.close()
    grid.flush()


def test_a_handler_may_ask_while_a_broken_off_pool_is_replaced(tmp_path):
    main = """
        asked, at_work = [], []
        def ask(*_):
            if not at_work:
                at_work.append(True)
                try:
                    asked.append(g([100000.5 + len(asked)]))
                finally:
                    at_work.clear()
        g = grid(slow)
        g([0.5])
        signal.signal(signal.SIGALRM, ask)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        rng, begin = np.random.default_rng(SEED), time.time()
        while time.time() - begin < 3:
            interrupt = threading.Timer(rng.uniform(0.003, 0.03), os.kill, (os.getpid(), signal.SIGINT))
            try:
                try:
                    interrupt.start()
                    g.prefetch(np.random.default_rng(len(asked)).uniform(0, 30000, (60, 1)))
                finally:
                    interrupt.join()
                    time.sleep(0.01)
            except KeyboardInterrupt:
                pass
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(len(asked) > 10, g([4000.5])[0], flush=True)
        os._exit(0)
    """.replace("SEED", str(SEED))
    out, _ = ended(program(tmp_path, main), 60)
    assert out == "True 4000.5\n"


@pytest.mark.parametrize("draw", range(max(2, DRAWS // 4)))
def test_a_second_signal_a_moment_behind_ctrl_c_finds_the_pool_given_up(tmp_path, draw):
    main = """
        class OutOfTime(Exception):
            pass
        def out_of_time(*_):
            raise OutOfTime
        signal.signal(signal.SIGALRM, out_of_time)
        rng, me = np.random.default_rng(DRAW), os.getpid()
        g = grid(hangs)
        g([0.5])
        for _ in range(6):
            second = [signal.SIGALRM, signal.SIGINT][rng.integers(2)]
            gap = rng.uniform(0, 1e-3)
            def send():
                time.sleep(0.1)
                os.kill(me, signal.SIGINT)
                end = time.perf_counter() + gap
                while time.perf_counter() < end:
                    pass
                os.kill(me, second)
            sender = threading.Thread(target=send)
            try:
                try:
                    sender.start()
                    g.prefetch(np.arange(30.0, 34.0)[:, None])
                finally:
                    sender.join()
                    time.sleep(0.05)
            except (KeyboardInterrupt, OutOfTime):
                pass
            print(g([0.5 + _])[0], flush=True)
    """.replace("DRAW", str(SEED * 1000 + draw))
    assert ended(program(tmp_path, main), 60)[0] == "".join(f"{0.5 + k}\n" for k in range(6))


@pytest.mark.parametrize("executor", ['"processes"', '"threads"'])
def test_a_handler_may_ask_in_the_child_of_a_fork(tmp_path, executor):
    main = """
        asked, at_work = [], []
        def ask(*_):
            if not at_work:
                at_work.append(True)
                try:
                    asked.append(g([float(len(asked) % 50)]))
                finally:
                    at_work.clear()
        g = grid(identity, EXECUTOR)
        g.prefetch(np.arange(0.0, 20)[:, None])
        signal.signal(signal.SIGALRM, ask)
        for _ in range(5):
            child = os.fork()
            if child == 0:
                signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
                X = np.arange(1000.0, 1100)[:, None]
                right = np.array_equal(g(X), X)
                signal.setitimer(signal.ITIMER_REAL, 0)
                os._exit(0 if right else 1)
            print(os.waitpid(child, 0)[1], flush=True)
    """.replace("EXECUTOR", executor)
    out, _ = ended(program(tmp_path, main), 60)
    assert out == "0\n" * 5
