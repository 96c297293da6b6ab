# SPDX-License-Identifier: BSD-3-Clause
"""Worker processes in any language under a grid."""

import os
import pickle
import random
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import quoin
from functions import waves
from test_interruption import workers_folder

DRAWS = int(os.environ.get("QUOIN_WORKER_DRAWS", "6"))
SEED = int(os.environ.get("QUOIN_WORKER_SEED", "1"))
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
    grid.prefetch(X)
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


def long_text(draw):
    """Longer than an answer may be, of characters of one to four bytes and blanks."""
    rng = random.Random(draw)
    letters = rng.choice(["x", "x ", "xé", "€", "\U0001d70b", "xé€\U0001d70b "])
    return "no mesh " + "".join(rng.choices(letters, k=rng.choice([100, 14900, 30000, 59990, 60000, 65600, 200000])))


WRITTEN = {
    "python": """
        import sys
        sys.path.insert(0, {folder!r})
        from quoin_worker import serve
        def f(x):
            open({called!r}, "a").write("x")
            if x == [1.0]:
                raise ValueError(open({text!r}, encoding="utf-8").read())
            return x
        serve(f, outputs=1, order=0, fingerprint="long")
        """,
    "sh": """
        . {folder}/quoin_worker.sh
        evaluate() {{
          printf x >> {called}
          if [ "$1" = 1 ]; then cat {text} >&2; return 3; fi
          echo $1
        }}
        quoin_serve 1 0 long
        """,
    "c": """
        #include "{folder}/quoin_worker.h"
        static char text[1000000];
        static const char* f(const double* x, double* jet) {{
          fputc('x', fopen("{called}", "a")), fflush(NULL);
          jet[0] = x[0];
          return x[0] == 1 ? text : NULL;
        }}
        int main(void) {{
          (void)!fread(text, 1, sizeof text - 1, fopen("{text}", "r"));
          return quoin_serve(f, 1, 1, 0, "long");
        }}
        """,
}


@pytest.mark.parametrize("draw", range(DRAWS))
@pytest.mark.parametrize("language", list(WRITTEN))
def test_a_failure_of_any_length_is_told_once_in_whole_characters(tmp_path, language, draw):
    text = long_text(SEED * 1000 + draw)
    (tmp_path / "text").write_text(text, encoding="utf-8")
    names = dict(folder=workers_folder(), called=str(tmp_path / "called"), text=str(tmp_path / "text"))
    source = tmp_path / f"worker.{language[:2]}"
    source.write_text(textwrap.dedent(WRITTEN[language]).format(**names))
    command = {"python": [sys.executable, str(source)], "sh": ["sh", str(source)], "c": [str(tmp_path / "worker")]}
    if language == "c":
        if shutil.which("cc") is None:
            pytest.skip("no C compiler")
        subprocess.run(["cc", "-o", tmp_path / "worker", source], check=True)
    workers = quoin.Workers(command[language])
    grid = quoin.AdaptiveGrid(None, spacing=[1.0], executor=workers)
    for _ in range(2):
        grid.prefetch([[1.0]])
    samples = grid.samples()
    (reason,) = [reason for reason in samples.reasons if reason]
    told = reason.replace("ValueError: ", "").replace("(status 3)", "").rstrip()
    asked = " ".join(text.split()) if language == "python" else text
    assert "\ufffd" not in reason and asked.startswith(told), reason[-100:]
    assert len(told) == len(asked.rstrip()) or len(told.encode()) > 59900, (len(told), len(asked))
    assert not any(samples.retry) and workers.restarts == 0
    assert os.path.getsize(tmp_path / "called") == len(samples.reasons)


def test_an_exception_without_text_is_a_failure_and_no_crash(worker):
    command = worker(
        """
        class HasNoText(Exception):
            def __str__(self):
                raise RuntimeError
        def f(x):
            raise HasNoText
        serve(f, outputs=1, order=0, fingerprint="no text")
        """
    )
    workers = quoin.Workers(command)
    grid = quoin.AdaptiveGrid(None, spacing=[1.0], executor=workers)
    with pytest.raises(quoin.CornerFailure, match="HasNoText: its text cannot be told") as failure:
        grid([0.5])
    assert not failure.value.may_pass and workers.restarts == 0


@pytest.mark.parametrize(
    ("order", "answer", "told"),
    [
        (0, "x", "ValueError: f answered 2 numbers, expected 3"),
        (0, "None", "TypeError: f answered None, expected y"),
        (1, "np.zeros(3)", "expected \\(y, J\\) for order 1"),
        (1, "(np.zeros(2), np.zeros((3, 2)))", "f answered 2 numbers, expected 3"),
        (1, "(np.zeros(3), np.zeros((2, 3)))", "a Jacobian of 2 rows of 3, expected .*: 3 rows of 2"),
        (1, "(np.zeros(3), [[0, 0], [0, 0, 0], [0, 0]])", "a Jacobian of 3 rows of 2 or 3, expected"),
        (1, "([None, 1.0, 2.0], np.zeros((3, 2)))", "must be real number, not NoneType"),
        (0, "['1', '2', '3']", "must be real number, not str"),
        (0, "'123'", "TypeError: f answered '123', a str, expected y, a list of 3 numbers"),
        (0, "b'123'", "a bytes, expected y"),
        (0, "{1.0, 2.0, 3.0}", "a set, expected y"),
        (1, "({1: 0, 2: 0, 3: 0}, np.zeros((3, 2)))", "a dict, expected y"),
        (1, "(np.zeros(3), ['12', '34', '56'])", "a str among its derivatives, expected lists"),
        (1, "(np.zeros(3), np.zeros(6))", "a Jacobian without rows, expected"),
        (2, "np.zeros((5, 3))", "f answered 5 columns of 3, expected 6 of 3"),
    ],
)
def test_answers_of_another_shape_are_failures_of_f_that_say_what_is_expected(worker, order, answer, told):
    command = worker(f"serve(lambda x: {answer}, outputs=3, order={order}, fingerprint='shapes')")
    workers = quoin.Workers(command)
    grid = quoin.AdaptiveGrid(None, spacing=[1.0, 1.0], executor=workers)
    calls = []
    for _ in range(2):
        with pytest.raises(quoin.CornerFailure, match=told) as failure:
            grid([0.5, 0.5])
        assert not failure.value.may_pass and workers.restarts == 0
        calls.append(grid.statistics.exact_evaluations)
    assert calls[1] == calls[0]
