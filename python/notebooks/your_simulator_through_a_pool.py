# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Your simulator through a pool
#
# `crane.py`, beside this notebook, is a simulator like yours: it knows nothing of grids, takes its time, and fails
# where the load swings too far. It has a file of its own, so that other processes can import it.
#
# Here a pool of processes evaluates it, a file keeps what it answers, the run is killed, and the next one goes on.

# %%
import inspect
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import crane
import quoin
from quoin import plot

print(inspect.getdoc(crane.load_at_rest))

# %% [markdown]
# ## A run that is killed
#
# The fingerprint tells this model from others in the file: change it when the model changes. `durable` puts each sample
# on the disk before the grid goes on, which is right for a simulator of seconds.

# %%
STORE = "crane.quoin"
for ending in ("", "-wal", "-shm"):
    if os.path.exists(STORE + ending):
        os.remove(STORE + ending)

OPTIONS = dict(
    spacing=[0.25, 0.25], lower=[0.25, 2.25], upper=[2.0, 4.0], store=STORE, fingerprint="crane 1", durable=True
)
BOX = np.array([(push, coast) for push in np.arange(0.3, 2, 0.25) for coast in np.arange(2.3, 4, 0.25)])

program = f"""
import numpy as np, crane, quoin
grid = quoin.AdaptiveGrid(crane.load_at_rest, executor="processes", **{OPTIONS!r})
grid.prefetch(np.array({BOX.tolist()!r}))
"""
environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
run = subprocess.Popen([sys.executable, "-c", program], env=environment, start_new_session=True)


def stored():
    """How many samples are in the file."""
    try:
        with sqlite3.connect(f"file:{STORE}?mode=ro", uri=True) as file:
            return file.execute("SELECT count(*) FROM samples").fetchone()[0]
    except sqlite3.OperationalError:  # it is not there yet
        return 0


while stored() < 10 and run.poll() is None:
    time.sleep(0.01)
if run.poll() is None:
    os.killpg(run.pid, signal.SIGKILL)  # the run with its pool, as a scheduler kills a job
run.wait()
found = stored()
assert found >= 10
print(f"killed with {found} samples in the file")

# %% [markdown]
# ## The next run goes on
#
# The same grid, in this process, with a pool of our own. It reads what is there, failures included, and calls the
# simulator for the rest alone.

# %%
pool = ProcessPoolExecutor(2)
known = dict(outputs=3, derivatives=0)  # else f is called once more, to learn it
grid = quoin.AdaptiveGrid(crane.load_at_rest, executor=pool, on_failure="coarser", **known, **OPTIONS)
grid.prefetch(BOX)
corners = 8 * 8
assert grid.statistics.from_storage in (found, found + 1)  # one may have been on its way into the file
assert grid.statistics.exact_evaluations == corners - grid.statistics.from_storage
grid.statistics

# %% [markdown]
# Where the load swings too far there is no answer, and the picture says so. Failures are kept as samples are.

# %%
ax = plot.cells(
    grid,
    labels=("the trolley accelerates for [s]", "and coasts for [s]"),
    contours=6,
    output=1,
    output_label="angle left at the end [rad]",
)
assert 0 < grid.samples().failed.sum() < 20
grid.samples()

# %% [markdown]
# ## A plan through the grid
#
# The trolley shall go 3 m, and the load hang still at its end. Gauss-Newton asks the grid for values and Jacobians;
# the simulator gives values alone, and the grid takes the derivatives from its lattice. `interleave` refines the grid
# where the plan goes, and each refinement starts from the plan before.

# %%
TARGET = np.array([3.0, 0, 0])
WEIGHTS = np.array([1.0, 4.0, 2.0])  # 1/m, 1/rad, s/rad


def solve(view, x):
    for _ in range(20):
        y, J = view.value_and_jacobian(x)
        step, *_ = np.linalg.lstsq(WEIGHTS[:, np.newaxis] * J, WEIGHTS * (TARGET - y), rcond=None)
        x = x + np.clip(step, -0.2, 0.2)
        if np.abs(step).max() < 1e-9:
            break
    residual = WEIGHTS * (view(x) - TARGET)
    return x, 0.5 * residual @ residual, True


result = quoin.interleave(grid, solve, np.array([1.0, 3.0]), quoin.Levels(0, 2))
left = crane.load_at_rest(result.iterate)
assert result.stop is quoin.InterleaveStop.converged, result.message
assert np.all(np.abs(left - TARGET) < 1e-3), left
print(f"accelerate for {result.iterate[0]:.4f} s, coast for {result.iterate[1]:.4f} s")
print(f"in the simulator: {left[0]:.4f} m, {left[1]:.5f} rad, {left[2]:.5f} rad/s")
print(f"{sum(r.exact_evaluations for r in result.rounds)} more calls of the simulator")
pool.shutdown()

# %% [markdown]
# ## The motion
#
# Any positions over time make an animation: here the rope, from the trolley to the load.

# %%
push, coast = result.iterate
angle = rate = way = speed = clock = 0.0
times, frames = [], []
for acceleration, seconds, steps in ((1.0, push, 4), (0.0, coast, 16), (-1.0, push, 5)):
    for _ in range(steps):
        times.append(clock)
        frames.append([[way, 0], [way + crane.ROPE * np.sin(angle), -crane.ROPE * np.cos(angle)]])
        h = seconds / steps
        angle, rate, _ = crane.swing(angle, rate, acceleration * crane.ACCELERATION, h)
        way += speed * h + acceleration * crane.ACCELERATION * h**2 / 2
        speed += acceleration * crane.ACCELERATION * h
        clock += h
assert abs(way - 3) < 1e-3 and abs(speed) < 1e-9 and abs(angle) < 1e-3
animation = plot.animate({"rope": frames}, "crane.gif", times=times, trace=-1, frames_per_second=5)
assert os.path.getsize("crane.gif") > 1000
