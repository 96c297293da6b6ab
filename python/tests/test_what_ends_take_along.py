# SPDX-License-Identifier: BSD-3-Clause
"""What the end of a process takes along, a lock or the rest of an answer, keeps no program waiting; nor do signals that
it does not hear, and queries out of the middle of a pool's own work."""

import random
import textwrap

import pytest
from test_pools_end import DRAWS, PROGRAM, SEED, ended, program, started


@pytest.mark.parametrize("draw", range(DRAWS // 2))
@pytest.mark.parametrize("how", ["interrupt", "exit"])
def test_a_batch_of_large_answers_is_broken_off(tmp_path, how, draw):
    rng = random.Random(SEED * 1000 + draw)
    main = f"""
        count = {rng.choice([5000, 20000, 100000])}
        g = grid(Field(count, {how == "exit"}), outputs=count)
        g([0.0])
        if {how == "interrupt"}:
            threading.Timer({rng.uniform(0.05, 0.3)}, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            g.prefetch(np.arange(0, 4000.0)[:, None])
        except (KeyboardInterrupt, SystemExit):
            print("broken off", flush=True)
        print(g([0.5])[0], flush=True)
    """
    assert ended(program(tmp_path, main)) == ("broken off\n0.5\n", "")


@pytest.mark.parametrize("draw", range(DRAWS // 2))
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_an_idle_process_that_is_killed_as_the_program_ends_or_the_grid(tmp_path, method, draw):
    rng = random.Random(SEED * 1000 + draw)
    main = f"""
        g = grid(slow, ProcessPoolExecutor(2, multiprocessing.get_context({method!r})))
        g.prefetch(np.arange(0, 8.0)[:, None])
        time.sleep(0.05)
        os.kill(multiprocessing.active_children()[{draw % 2}].pid, signal.SIGKILL)
        time.sleep({rng.choice([0, rng.uniform(0, 1e-3)])})
        if {rng.random() < 0.5}:
            del g
    """
    assert ended(program(tmp_path, main)) == ("", "")


CHILDREN = """
def crashes(x):
    if x[0] in (30, 31):
        os._exit(9)
    return x

def raises():
    os.close(2)
    raise ValueError

def answered(executor):
    g = grid(crashes, executor)
    try:
        print(g([30.5]), flush=True)
    except quoin.CornerFailure as error:
        print("failed", flush=True)

def crashing(method):
    multiprocessing.set_start_method(method, force=True)
    answered("processes")

def not_beginning(method):
    answered(ProcessPoolExecutor(2, multiprocessing.get_context(method), initializer=raises))

if __name__"""


@pytest.mark.parametrize(
    ("outer", "inner"), [("fork", "fork"), ("fork", "spawn"), ("spawn", "fork"), ("forkserver", "forkserver")]
)
def test_a_child_of_multiprocessing_ends_behind_processes_that_crashed_or_never_began(tmp_path, outer, inner):
    main = f"""
        for child in (crashing, not_beginning):
            process = multiprocessing.get_context({outer!r}).Process(target=child, args=({inner!r},))
            process.start()
            process.join(20)
            print(process.exitcode, flush=True)
            process.kill()
    """
    text = PROGRAM.replace("if __name__", CHILDREN) + textwrap.indent(textwrap.dedent(main), "    ")
    assert ended(started(tmp_path, text))[0] == "failed\n0\nfailed\n0\n"


STOPPED = "[os.kill(process.pid, signal.SIGSTOP) for process in multiprocessing.active_children()]"


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", ""),
        ("signal.signal(signal.SIGTERM, lambda number, frame: None)", ""),
        ("signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))", ""),
        ("", STOPPED),
    ],
)
def test_a_process_that_does_not_hear_its_end_keeps_no_batch_that_is_broken_off(tmp_path, before, behind):
    main = f"""
        {before}
        g = grid(hangs)
        g([0.0])
        {behind}
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            g.prefetch(np.arange(0, 40.0)[:, None])
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    assert ended(program(tmp_path, main), 30) == ("interrupted\n", "")


@pytest.mark.parametrize("executor", ["threads", "processes"])
@pytest.mark.parametrize("hook", ["finalizers", "signals"])
def test_queries_while_a_pool_takes_calls(tmp_path, hook, executor):
    main = f"""
        busy = asked = 0
        def ask(*_):
            global busy, asked
            if not busy and asked < 300:
                busy, asked = 1, asked + 1
                x = 1000.5 + asked
                assert g([x])[0] == x
                busy = 0
        class Asks:
            def __init__(self):
                self.me = self
            def __del__(self):
                ask()
        g = grid(identity, {executor!r})
        g([0.0])
        if {hook == "finalizers"}:
            gc.set_threshold(20, 2, 2)
        else:
            signal.signal(signal.SIGALRM, ask)
            signal.setitimer(signal.ITIMER_REAL, 0.002, 0.003)
        batches = 0  # a quick machine fills three between two signals
        while batches < 3 or (asked <= 3 and batches < 1000):
            for _ in range(60):
                Asks()
            g.prefetch(np.arange(30.0 * batches, 30.0 * (batches + 1))[:, None])
            batches += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        busy = 1
        print(asked > 3, flush=True)
    """
    assert ended(program(tmp_path, main), 30) == ("True\n", "")
