# SPDX-License-Identifier: BSD-3-Clause
"""What f has answered outlives the grid: in a store, in a file, pickled, in another grid."""

import multiprocessing
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pytest

import quoin
from functions import Counted, waves

X = np.random.default_rng(10).uniform(0, 2, (30, 2))


def test_a_store_resumes_to_the_bit_without_a_call_of_f(tmp_path):
    file = tmp_path / "waves.quoin"
    f = Counted(waves(2))
    with_store = dict(spacing=[0.5, 0.5], store=file, fingerprint="waves 1", outputs=2, derivatives=1)
    grid = quoin.AdaptiveGrid(f, **with_store)
    Y, J = grid.value_and_jacobian(X)
    calls = f.count
    assert calls == grid.statistics.exact_evaluations
    del grid
    again = quoin.AdaptiveGrid(f, **with_store)
    answers = again.value_and_jacobian(X)
    np.testing.assert_array_equal(answers[0], Y)
    np.testing.assert_array_equal(answers[1], J)
    assert f.count == calls and again.statistics.from_storage == calls
    del again
    finer = quoin.AdaptiveGrid(f, spacing=[0.25, 0.25], store=str(file), fingerprint="waves 1")
    finer([0.2, 0.3])
    assert finer.statistics.from_storage == 1


def test_a_store_keeps_failures_and_refuses_another_function(tmp_path):
    file = tmp_path / "waves.quoin"

    def f(x):
        if x[0] > 0.9:
            raise ValueError("no answer")
        return waves(2)(x)

    counted = Counted(f)
    grid = quoin.AdaptiveGrid(counted, spacing=[0.5, 0.5], store=file, fingerprint="one", outputs=2, derivatives=1)
    grid.query([0.7, 0.3])
    calls = counted.count
    del grid
    grid = quoin.AdaptiveGrid(counted, spacing=[0.5, 0.5], store=file, fingerprint="one", outputs=2, derivatives=1)
    with pytest.raises(quoin.CornerFailure, match="no answer"):
        grid([0.7, 0.3])
    assert counted.count == calls
    with pytest.raises(ValueError, match="two"):
        quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], store=file, fingerprint="two")([0.2, 0.3])
    with pytest.raises(ValueError, match="fingerprint"):
        quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], store=file)


def test_a_store_is_read_where_nothing_may_be_written(request):
    folder = pathlib.Path(tempfile.mkdtemp())  # where others may look, as in no folder of pytest's
    request.addfinalizer(lambda: shutil.rmtree(folder))
    stored = dict(spacing=[0.5, 0.5], store=folder / "waves.quoin", fingerprint="waves 1", outputs=2, derivatives=1)
    grid = quoin.AdaptiveGrid(waves(2), **stored)
    Y = grid(X)
    grid.flush()
    del grid
    os.chmod(stored["store"], 0o444)
    os.chmod(folder, 0o555)
    read = multiprocessing.get_context("fork").Process(target=_read_as_nobody, args=(stored, Y))
    read.start()
    read.join(60)
    os.chmod(folder, 0o755)
    assert read.exitcode == 0
    with pytest.raises(OSError, match="missing.quoin"):
        quoin.AdaptiveGrid(waves(2), **{**stored, "store": folder / "missing.quoin"}, read_only=True)
    with pytest.raises(ValueError, match="read_only"):
        quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5], read_only=True)


def _read_as_nobody(stored, Y):
    if os.geteuid() == 0:  # who may write everywhere
        os.setresuid(65534, 65534, 65534)
    with pytest.raises(OSError, match="read_only"):
        quoin.AdaptiveGrid(waves(2), **stored)
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, **stored, read_only=True)
    np.testing.assert_array_equal(grid(X), Y)
    assert f.count == 0
    grid([20.2, 20.2])  # what is new is evaluated, and not kept
    assert f.count == 4 and grid.store_status.unwritten == 0 and grid.store_status.note == ""


def _evaluate_in_child(task):
    path, x = task
    grid = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], outputs=1, derivatives=0, store=path, fingerprint="f")
    return float(grid([x + 0.5])[0])


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_process_of_a_pool_leaves_all_that_it_evaluated_in_the_store(tmp_path, method):
    path = tmp_path / "f.quoin"
    with multiprocessing.get_context(method).Pool(2, maxtasksperchild=1) as pool:
        assert pool.map(_evaluate_in_child, [(path, 10.0 * k) for k in range(4)], chunksize=1) == [
            10.0 * k + 0.5 for k in range(4)
        ]
        pool.close()
        pool.join()
    grid = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], outputs=1, derivatives=0, store=path, fingerprint="f")
    grid([[10.0 * k + 0.5] for k in range(4)])
    assert grid.statistics.exact_evaluations == 0


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_executors_fill_a_store(tmp_path, executor):
    file = tmp_path / "waves.quoin"
    arguments = dict(spacing=[0.5, 0.5], store=file, fingerprint="waves", executor=executor, outputs=2, derivatives=1)
    Y = quoin.AdaptiveGrid(waves(2), **arguments)(X)
    again = quoin.AdaptiveGrid(waves(2), **arguments)
    np.testing.assert_array_equal(again(X), Y)
    assert again.statistics.exact_evaluations == 0


def test_a_saved_grid_is_the_same_to_the_bit(tmp_path):
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.25], origin=[0.1, 0], on_failure="coarser")
    grid.refine()
    Y, J = grid.value_and_jacobian(X)
    grid.save(tmp_path / "grid.npz")
    calls = f.count
    loaded = quoin.load(tmp_path / "grid.npz", f)
    answers = loaded.value_and_jacobian(X)
    np.testing.assert_array_equal(answers[0], Y)
    np.testing.assert_array_equal(answers[1], J)
    assert f.count == calls and loaded.level == 1 and loaded.options.on_failure == "coarser"
    frozen = quoin.load(tmp_path / "grid.npz")
    np.testing.assert_array_equal(frozen(X), Y)
    with pytest.raises(quoin.CornerFailure, match="no function"):
        frozen([50, 50])
    (tmp_path / "other").write_bytes(b"no grid")
    with pytest.raises(ValueError, match="no grid saved by quoin"):
        quoin.load(tmp_path / "other")


@pytest.mark.parametrize("derivatives", [0, 1])
def test_a_saved_grid_keeps_failures_and_values_alone(tmp_path, derivatives):
    def f(x):
        if x[0] > 3.9:
            raise ValueError("no answer")
        return waves(2)(x)[: 1 + derivatives] if derivatives else waves(2)(x)[0]

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, 0], upper=[8, 8])
    grid.query([3.7, 0.3])
    y = grid([0.2, 0.3])
    grid.save(tmp_path / "grid.npz")
    loaded = quoin.load(tmp_path / "grid.npz")
    np.testing.assert_array_equal(loaded([0.2, 0.3]), y)
    with pytest.raises(quoin.CornerFailure, match="no answer"):
        loaded([3.7, 0.3])


def test_samples_and_options_can_be_pickled_and_make_the_same_grid():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5], outside="clamp", lower=[0, 0], upper=[4, 4])
    Y = grid(X)
    samples, options = pickle.loads(pickle.dumps((grid.samples(), grid.options)))
    np.testing.assert_array_equal(samples.jets, grid.samples().jets)
    again = quoin.AdaptiveGrid(None, samples=samples, **options.keywords())
    np.testing.assert_array_equal(again(X), Y)
    f = Counted(waves(2))
    finer = quoin.AdaptiveGrid(f, spacing=[0.25, 0.25], outputs=2, derivatives=1)
    use = finer.insert(samples)
    assert use.used == len(samples) and sum(use) == len(samples)
    finer([0.1, 0.1])
    assert f.count == 3
    assert finer.insert(samples).known == len(samples)


def test_samples_that_do_not_fit_are_refused_with_the_numbers():
    import dataclasses

    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    grid([0.2, 0.3])
    samples = grid.samples()
    for change, message in (
        (dict(jets=samples.jets[:3]), r"jets: shape \(3, 2, 3\), expected \(4, N, 3\)"),
        (dict(points=samples.points[:, :1]), r"points: shape \(4, 1\), expected \(M, 2\)"),
        (dict(jet_order=7), "jet order 7"),
        (dict(branches=[0]), "1 branches for 4 points"),
        (dict(jets=samples.jets[:, :1]), "samples of 1 outputs, expected 2"),
        (dict(jets=samples.jets * np.nan), "not finite"),
    ):
        with pytest.raises(ValueError, match=message):
            grid.insert(dataclasses.replace(samples, **change))
    assert grid.statistics.corners == 4


def test_with_a_budget_of_memory_corners_leave_and_come_back_to_the_bit(tmp_path):
    f = Counted(waves(2))
    spacing = [0.1, 0.1]
    everything = quoin.AdaptiveGrid(waves(2), spacing=spacing)
    grid = quoin.AdaptiveGrid(
        f, spacing=spacing, store=tmp_path / "waves.quoin", fingerprint="waves 3", memory_budget=150_000
    )
    for _ in range(2):
        for x in np.random.default_rng(11).uniform(0, 4, (300, 2)):
            np.testing.assert_array_equal(grid(x), everything(x))
    assert f.count == everything.statistics.exact_evaluations
    assert grid.statistics.bytes <= 150_000 < everything.statistics.bytes
    assert grid.statistics.evicted_corners > 300
    for wrong in (dict(memory_budget=-1, store="a", fingerprint="b"), dict(memory_budget=150_000)):
        with pytest.raises(ValueError, match=f"memory_budget = {wrong['memory_budget']} bytes"):
            quoin.AdaptiveGrid(f, spacing=spacing, **wrong)


def test_a_save_that_the_disk_has_no_room_for_says_so_alone_and_leaves_the_old_file(tmp_path):
    program = """
import os, random, resource, signal, sys, numpy as np, quoin
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path, rng = sys.argv[1], random.Random(int(sys.argv[2]))
grid = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], outputs=1, derivatives=0)
grid([0.5])
grid.save(path)
old = open(path, "rb").read()
grid(np.arange(3000.0)[:, np.newaxis])
grid.save(path + " whole")
size = os.path.getsize(path + " whole")
for room in [0, 1, size - 1, *(rng.randrange(size) for _ in range(20))]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    try:
        grid.save(path)
    except OSError:
        pass
    else:
        print("saved in", room, "of", size)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if open(path, "rb").read() != old or len(os.listdir(os.path.dirname(path))) != 2:
        print("left behind", os.listdir(os.path.dirname(path)))
grid.save(path)
np.testing.assert_array_equal(quoin.load(path)([1.5]), grid([1.5]))
"""
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(quoin.__file__))}
    command = [sys.executable, "-c", program, str(tmp_path / "grid.npz"), "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
