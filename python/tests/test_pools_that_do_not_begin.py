# SPDX-License-Identifier: BSD-3-Clause
"""A pool whose processes never get as far as to call f is no fault of f's, is told at once, and may begin later."""

import concurrent.futures as futures
import multiprocessing
import os
import random
import signal
import sys
import time

import numpy as np
import pytest

import quoin

DRAWS = int(os.environ.get("QUOIN_POOL_DRAWS", "4"))
SEED = int(os.environ.get("QUOIN_POOL_SEED", "1"))


class NoLicence(Exception):
    pass


def initialize(way, mended):
    if not os.path.exists(mended):
        END[way]()


def raises():
    raise NoLicence("none left")


def imports():
    import no_such_module  # noqa: F401


END = {
    "raises": raises,
    "imports": imports,
    "sys.exit": lambda: sys.exit(3),
    "os._exit": lambda: os._exit(3),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
}
TOLD = {
    "raises": "their initializer raised NoLicence: none left",
    "imports": "their initializer raised ModuleNotFoundError: No module named 'no_such_module'",
    "sys.exit": "their initializer raised SystemExit: 3",
    "os._exit": "ends with status 3",
    "killed": "is killed by signal 9",
}


class Function:
    """Ends where it is unpickled, if it is told to."""

    def __init__(self, way, mended, called):
        self.way, self.mended, self.called, self.home = way, mended, called, os.getpid()

    def __call__(self, x):
        with open(self.called, "a") as file:
            file.write("x")
        return 3 * x

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.way is not None and os.getpid() != self.home and not os.path.exists(self.mended):
            END[self.way]()


@pytest.mark.parametrize("draw", range(DRAWS))
def test_it_is_told_at_once_and_f_is_called_when_processes_begin(tmp_path, draw):
    rng = random.Random(1000 * SEED + draw)
    method, way = rng.choice(["fork", "spawn", "forkserver"]), rng.choice(list(END))
    mended, called = str(tmp_path / "mended"), str(tmp_path / "called")
    open(called, "w").close()
    of_f = rng.random() < 0.3
    start = dict() if of_f else dict(initializer=initialize, initargs=(way, mended))
    points = np.arange(rng.choice([1.0, 3.0, 30.0]))[:, np.newaxis] + 0.5
    with futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method), **start) as pool:
        f = Function(way if of_f else None, mended, called)
        grid = quoin.AdaptiveGrid(f, spacing=[1.0], outputs=1, derivatives=0, executor=pool)
        begin = time.monotonic()
        with pytest.raises(quoin.CornerFailure, match="the executor.s processes cannot call it") as failure:
            grid(points)
        seconds = time.monotonic() - begin
        told = TOLD[way].replace("their initializer raised", "f cannot be unpickled there:") if of_f else TOLD[way]
        assert told in str(failure.value), (method, of_f)
        assert failure.value.may_pass and isinstance(failure.value.__cause__, quoin.NotEvaluated)
        assert os.path.getsize(called) == 0 and grid.statistics.exact_evaluations == 0
        assert seconds < 20, (method, way)  # 1 s, alone on a machine
        open(mended, "w").close()
        time.sleep(seconds)
        np.testing.assert_allclose(grid(points), 3 * points)
    assert grid.statistics.failed_corners == 0



def test_queries_that_fail_so_keep_nothing_open():
    with futures.ProcessPoolExecutor(1, initializer=raises) as executor:
        grid = quoin.AdaptiveGrid(abs, spacing=[1.0], outputs=1, derivatives=0, executor=executor)
        opened = []
        for i in range(12):
            with pytest.raises(quoin.CornerFailure, match="none left"):
                grid([i + 0.5])
            opened.append(len(os.listdir("/proc/self/fd")))
            time.sleep(0.05)
    assert opened[-1] <= opened[2] + 8
