# SPDX-License-Identifier: BSD-3-Clause
"""What the program's own handlers of signals raise, as a limit of time, is no failure of an executor's, wherever it
comes, and leaves no pool half made."""

import concurrent.futures as futures
import random
import signal

import numpy as np
import pytest
from test_pools_end import DRAWS, SEED, ended, program

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
            g.prepare(np.arange(0, 4000.0)[:, None])
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
            for ask in (grid.prepare, grid):
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
