# SPDX-License-Identifier: BSD-3-Clause
"""What is requested ahead changes no answer, and nothing waits for it in vain: neither trim, nor forks, nor the end."""

import os
import random
import subprocess
import sys

import pytest

import quoin
from functions import waves
from test_fork import KINDS, Child, Slow, grid_of, points

DRAWS = int(os.environ.get("QUOIN_REQUEST_DRAWS", "24"))
SEED = int(os.environ.get("QUOIN_REQUEST_SEED", "1"))
HERE = os.path.dirname(os.path.abspath(__file__))


def right(view, X):
    truth = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    return (view(X) == truth.at_level(view.level)(X)).all()


def drawn_life(draw):
    """Of a grid: what happens to it, one after the other."""
    rng = random.Random(SEED * 1000 + draw)
    grid = grid_of(rng.choice(KINDS), Slow(2), known=rng.random() < 0.7)
    views = [grid]
    for step in range(rng.randrange(6, 14)):
        X = points(100 * draw + step, rng.choice([1, 8, 30]))
        view = rng.choice(views)
        what = rng.choice(["request", "request", "query", "cancel", "trim", "refine", "view", "drop", "fork", "expect"])
        if what == "request":
            view.prefetch_async(X)
        elif what == "query":
            assert right(view, X)
        elif what == "cancel":
            view.cancel_requests()
        elif what == "trim":
            grid.trim()
        elif what == "refine" and grid.level < 3:
            grid.refine()
        elif what == "view":
            views.append(grid.at_level(rng.randrange(3)))
        elif what == "drop" and len(views) > 1:
            views.pop()
        elif what == "fork":
            child = Child(lambda: bool(right(view, X)) and grid.trim() is None, 30)
            assert child.answer() == "True"
        elif what == "expect":
            view.hint(X)
        print(step, what, flush=True)
    if rng.random() < 0.5:  # else with the program
        del grid, view
        views.clear()


@pytest.mark.parametrize("draw", range(DRAWS))
def test_a_drawn_life_of_a_grid_with_requests_is_right_and_ends(draw):
    paths = os.pathsep.join((os.path.dirname(os.path.dirname(quoin.__file__)), HERE))
    program = f"import test_requests; test_requests.drawn_life({draw}); print('ended')"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": paths}
    )
    assert done.returncode == 0 and done.stdout.endswith("ended\n") and done.stderr == "", done.stdout + done.stderr
