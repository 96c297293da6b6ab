# SPDX-License-Identifier: BSD-3-Clause
"""Every engine gives the same grid to the bit; a crashed process costs one sample and never fails another."""

import concurrent.futures as futures
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import quoin
from functions import waves

X = np.random.default_rng(7).uniform(0, 2, (40, 2))


def answers_of(executor, f=waves(2)):
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], executor=executor)
    Y, J = grid.value_and_jacobian(X)
    y, _ = grid.value_and_jacobian([5.2, 0.3])
    return Y.tobytes(), J.tobytes(), y.tobytes(), grid.statistics.exact_evaluations


HERE = answers_of(None)


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_executors_by_name_give_the_same_bits(executor):
    assert answers_of(executor) == HERE


def test_executors_that_are_given_give_the_same_bits_and_are_left_running():
    with futures.ThreadPoolExecutor(3) as pool:
        assert answers_of(pool) == HERE
        assert pool.submit(int, "3").result() == 3
    with futures.ProcessPoolExecutor(2) as pool:
        assert answers_of(pool) == HERE
        assert pool.submit(int, "3").result() == 3


def test_dask_gives_the_same_bits():
    distributed = pytest.importorskip("distributed", reason="python3-distributed is not installed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        assert answers_of(client) == HERE
        assert answers_of(client.get_executor()) == HERE
        assert answers_of(client, lambda x: waves(2)(x)) == HERE


def test_mpi4py_gives_the_same_bits(tmp_path):
    pytest.importorskip("mpi4py", reason="python3-mpi4py is not installed")
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed")
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            f"""
            import sys
            sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
            from mpi4py.futures import MPIPoolExecutor
            if __name__ == "__main__":
                from test_executors import HERE, answers_of
                with MPIPoolExecutor() as pool:
                    assert answers_of(pool) == HERE
                print("the same")
            """
        )
    )
    command = ["mpirun", "--oversubscribe", "-n", "2"]
    if os.geteuid() == 0:
        command.insert(1, "--allow-run-as-root")
    done = subprocess.run(
        [*command, sys.executable, "-m", "mpi4py.futures", str(program)], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0 and "the same" in done.stdout, done.stderr


class Crashes:
    """Ends its process at one corner: always, or until a file says that it did so this often."""

    def __init__(self, at, count=None, times=10**9):
        self.at, self.count, self.times = at, count, times

    def __call__(self, x):
        if tuple(x) == self.at:
            done = os.path.getsize(self.count)
            if done < self.times:
                with open(self.count, "a") as file:
                    file.write("x")
                os._exit(7)
        return waves(2)(x)


@pytest.fixture
def count(tmp_path):
    file = tmp_path / "count"
    file.touch()
    return str(file)


def test_a_crashed_process_costs_its_own_sample_alone(count):
    f = Crashes((1.0, 1.0), count)
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], executor="processes", outputs=2, derivatives=1)
    grid.prefetch(X)
    statistics = grid.statistics
    assert statistics.failed_corners == 1 and statistics.corners == 25
    with pytest.raises(quoin.CornerFailure, match=r"f at \(1.0, 1.0\) crashed 3 times with status 7: ") as failure:
        grid([1.2, 1.2])
    assert failure.value.may_pass and isinstance(failure.value.__cause__, quoin.RetryableFailure)
    y = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])([0.2, 0.3])
    np.testing.assert_array_equal(grid([0.2, 0.3]), y)


@pytest.mark.parametrize("times", [1, 2])
def test_a_process_that_crashes_once_or_twice_costs_nothing(count, times):
    f = Crashes((1.0, 1.0), count, times)
    assert answers_of("processes", f) == HERE
    assert os.path.getsize(count) == times


class Killed:
    def __call__(self, x):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("method", "f", "ended"),
    [
        ("fork", Killed(), "by SIGKILL"),
        ("fork", Crashes((0.0, 0.0), os.devnull), "with status 7"),
        ("forkserver", Killed(), "by SIGKILL"),
        ("spawn", Crashes((0.0, 0.0), os.devnull), "with status 7"),
    ],
)
def test_a_crash_says_how_the_process_ended(method, f, ended):
    with futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], executor=pool, outputs=2, derivatives=1)
        with pytest.raises(quoin.CornerFailure, match=f"crashed 3 times {ended}: "):
            grid([0.0, 0.0])


class CrashesFirst(Crashes):
    def __call__(self, x):
        time.sleep(0.1)
        return super().__call__(x)


def test_a_crash_leaves_the_others_as_many_processes_as_before(count):
    f = CrashesFirst((0.0, 0.0), count, 1)
    with futures.ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("fork")) as pool:
        grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], executor=pool, outputs=2, derivatives=1)
        begin = time.monotonic()
        grid.prefetch(np.stack(np.meshgrid(np.arange(0, 5, 0.5), np.arange(0, 2, 0.5)), axis=-1).reshape(-1, 2))
        seconds = time.monotonic() - begin
    corners = grid.statistics.corners
    assert grid.statistics.failed_corners == 0 and os.path.getsize(count) == 1
    assert corners >= 40 and seconds < 0.6 * 0.1 * corners, f"{corners} corners in {seconds} s"


def test_a_broken_pool_that_was_given_is_replaced(count):
    with futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        assert answers_of(pool, Crashes((1.0, 1.0), count, 1)) == HERE
        with pytest.raises(futures.BrokenExecutor):
            pool.submit(int, "3").result()


class Raises:
    def __call__(self, x):
        if x[0] > 0.9:
            raise ArithmeticError(f"no answer at {x[0]}")
        return waves(2)(x)


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_exceptions_come_back_with_their_traceback(executor):
    grid = quoin.AdaptiveGrid(Raises(), spacing=[0.5, 0.5], executor=executor)
    with pytest.raises(quoin.CornerFailure, match="ArithmeticError: no answer at 1.0") as failure:
        grid([0.7, 0.3])
    assert isinstance(failure.value.__cause__, ArithmeticError)
    if executor == "processes":  # the traceback of the other process, in words
        assert "in __call__" in str(failure.value.__cause__.__cause__)


def test_an_f_that_cannot_be_sent_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match="let it be a function of a module"):
        quoin.AdaptiveGrid(lambda x: x, spacing=[1, 1], executor="processes")


def test_what_is_no_executor_is_refused():
    with pytest.raises(TypeError, match="executor is a int"):
        quoin.AdaptiveGrid(waves(2), spacing=[1, 1], executor=8)
    with pytest.raises(ValueError, match="'ranks'"):
        quoin.AdaptiveGrid(waves(2), spacing=[1, 1], executor="ranks")


class BrokenExecutor(futures.Executor):
    """One that cannot be replaced."""

    def submit(self, fn, *args, **kwargs):
        raise futures.BrokenExecutor("gone")


def test_an_executor_that_cannot_be_replaced_fails_in_a_way_that_may_pass():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5], executor=BrokenExecutor(), outputs=2, derivatives=1)
    with pytest.raises(quoin.CornerFailure, match="the executor lost it") as failure:
        grid([0.2, 0.3])
    assert failure.value.may_pass


def test_executors_differ_in_nothing_for_values_alone():
    one = waves(2)
    by_value = ValueOf()
    here = quoin.AdaptiveGrid(by_value, spacing=[0.5, 0.5])(X)
    np.testing.assert_array_equal(quoin.AdaptiveGrid(by_value, spacing=[0.5, 0.5], executor="processes")(X), here)
    assert np.abs(here - np.array([one(x)[0] for x in X])).max() < 0.01


class ValueOf:
    def __call__(self, x):
        return waves(2)(x)[0]


def test_functions_are_sent_by_reference():
    assert pickle.loads(pickle.dumps(ValueOf())).__class__ is ValueOf
