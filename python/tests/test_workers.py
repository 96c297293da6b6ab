# SPDX-License-Identifier: BSD-3-Clause
"""Worker processes in any language under a grid."""

import os
import pickle
import sys
import textwrap

import numpy as np
import pytest

import quoin
from functions import waves
from test_interruption import workers_folder

X = np.random.default_rng(11).uniform(0, 2, (20, 2))


@pytest.fixture
def worker(tmp_path):
    def write(body):
        path = tmp_path / "worker.py"
        path.write_text(
            f"import sys\nsys.path[:0] = [{workers_folder()!r}, {os.path.dirname(os.path.abspath(__file__))!r}]\n"
            "import numpy as np, os\nfrom quoin_worker import serve\nfrom functions import waves\n"
            + textwrap.dedent(body)
        )
        return [sys.executable, str(path)]

    return write


def test_workers_give_the_same_grid_to_the_bit(worker, tmp_path):
    command = worker("serve(lambda x: waves(2)(np.array(x)), outputs=2, order=1, fingerprint='waves 3')")
    workers = quoin.Workers(command, 2)
    grid = quoin.AdaptiveGrid(None, spacing=[0.5, 0.5], executor=workers, store=tmp_path / "waves.quoin")
    expected = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    np.testing.assert_array_equal(grid(X), expected(X))
    assert grid.options.fingerprint == "waves 3" and workers.restarts == 0
    assert grid.statistics.exact_evaluations == expected.statistics.exact_evaluations
    assert pickle.loads(pickle.dumps(workers)) == workers


def test_a_worker_that_crashes_costs_its_own_sample_alone(worker):
    command = worker(
        """
        def f(x):
            if x == [1.0, 1.0]:
                os._exit(7)
            return waves(2)(np.array(x))
        serve(f, outputs=2, order=1, fingerprint="crashes")
        """
    )
    workers = quoin.Workers(command, count=2)
    grid = quoin.AdaptiveGrid(None, spacing=[0.5, 0.5], executor=workers)
    grid.prepare(X)
    assert grid.statistics.failed_corners == 1 and workers.restarts >= 2
    with pytest.raises(quoin.CornerFailure) as failure:
        grid([1.2, 1.2])
    assert failure.value.may_pass


def test_workers_that_do_not_start_or_have_an_f_already_are_refused():
    with pytest.raises((RuntimeError, ValueError)):
        quoin.AdaptiveGrid(None, spacing=[0.5, 0.5], executor=quoin.Workers("/no/such/program"))
    with pytest.raises(ValueError, match="f must be None"):
        quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5], executor=quoin.Workers("/no/such/program"))
    with pytest.raises(ValueError, match="samples are needed"):
        quoin.AdaptiveGrid(None, spacing=[0.5, 0.5])


def test_two_functions_do_not_share_a_file_though_one_fingerprint_is_given(worker, tmp_path):
    def answer(factor, own, **options):
        command = worker(f"serve(lambda x: [{factor} * x[0]], outputs=1, order=0, fingerprint={own!r})")
        stored = dict(spacing=[1.0], executor=quoin.Workers(command), store=tmp_path / "f.quoin", **options)
        return quoin.AdaptiveGrid(None, **stored)([0.5])[0]

    assert answer(1, "one", fingerprint="mine") == 0.5
    with pytest.raises(ValueError, match="mine seven"):
        answer(7, "seven", fingerprint="mine")
    with pytest.raises(ValueError, match="empty fingerprint"):
        answer(7, "", fingerprint="mine")
    with pytest.raises(ValueError, match="outputs = 2: the workers greet with 1"):
        answer(1, "one", fingerprint="mine", outputs=2)
    with pytest.raises(ValueError, match="derivatives = 1: the workers greet with 0"):
        answer(1, "one", fingerprint="mine", derivatives=1)
