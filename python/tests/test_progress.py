# SPDX-License-Identifier: BSD-3-Clause
"""Long work shows how far it is, to a function, on a terminal, and nowhere else; and Ctrl-C still ends it."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time

import pytest

import quoin


def slow(x):
    time.sleep(0.01)
    return x


def grid(**options):
    return quoin.AdaptiveGrid(slow, spacing=[1.0], outputs=1, derivatives=0, **options)


@pytest.mark.parametrize("executor", [None, "threads", "processes"])
def test_a_function_is_told_how_many_calls_there_are_and_are_missing(executor):
    told = []
    asked = grid(executor=executor)
    with quoin.progress(told.append):
        asked.fill([0], [99])
    evaluations = asked.statistics.exact_evaluations
    assert told[-1].evaluated == evaluations >= 100 and told[-1].missing == 0
    assert len(told) >= 3 or executor is not None
    assert any(0 < p.missing < evaluations and 0 < p.seconds_left < 10 for p in told[:-1]) or executor is not None
    assert all(a.evaluated <= b.evaluated and a.seconds <= b.seconds for a, b in zip(told, told[1:]))
    assert str(quoin.Progress(3, 5, 1.0, 2.5, "")) == "3 evaluated, 5 missing, 2.5 s left"


def test_what_it_raises_comes_out_at_the_end_and_nothing_is_lost():
    def show(progress):
        raise KeyError("shown")

    asked = grid()
    with pytest.raises(KeyError, match="shown"):
        with quoin.progress(show):
            asked.fill([0], [30])
    assert asked.statistics.exact_evaluations >= 31


def test_it_may_be_nested_and_belongs_to_its_thread():
    outer, inner = [], []
    asked = grid()
    with quoin.progress(outer.append):
        asked.fill([0], [10])
        with quoin.progress(inner.append):
            asked.fill([20], [25])
        elsewhere = threading.Thread(target=asked.fill, args=([40], [45]))
        elsewhere.start()
        elsewhere.join()
    assert 5 <= inner[-1].evaluated <= 12
    assert 11 <= outer[-1].evaluated <= 20


def test_ctrl_c_ends_what_is_watched():
    asked = grid()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        with quoin.progress(lambda p: None):
            timer.start()
            asked.fill([0], [3000])
    assert time.monotonic() - begin < 5
    assert asked([1.5])[0] == 1.5


PROGRAM = """
import sys, time, quoin
sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
def slow(x):
    time.sleep(0.01)
    return x
grid = quoin.AdaptiveGrid(slow, spacing=[1.0], outputs=1, derivatives=0)
with quoin.progress():
    grid.fill([0], [60])
print("done")
"""


def environment():
    return {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(quoin.__file__))}


def test_a_terminal_has_a_line_that_goes_again():
    ours, theirs = pty.openpty()
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=theirs, env=environment(), text=True
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert program.communicate(timeout=30)[0] == "done\n"
    assert b"evaluated" in seen and b"missing" in seen and b" left" in seen
    assert seen.endswith(b"\r\x1b[K")


def test_elsewhere_there_is_nothing():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, env=environment(), text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ("done\n", "")
