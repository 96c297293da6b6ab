# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # A first grid
#
# An expensive function goes under a grid. The grid calls it at the corners of the cells that queries meet, once each,
# and answers everything else by an interpolant between them.

# %%
import time

import numpy as np

import quoin
from quoin import plot

calls = 0


def f(x):
    """Two outputs in m of two pulls in N, with the Jacobian in m/N."""
    global calls
    calls += 1
    time.sleep(0.001)  # imagine a second
    y = np.array([np.sin(x[0]) * x[1], np.exp(x[0] - x[1])])
    J = np.array([[np.cos(x[0]) * x[1], np.sin(x[0])], [y[1], -y[1]]])
    return y, J


# %% [markdown]
# Is the Jacobian right? A wrong one spoils every answer, and this check costs a few calls, once.

# %%
check = quoin.check_derivatives(f, [0.3, 0.4])
assert check.passed
check

# %% [markdown]
# ## Queries
#
# The first query calls f at the four corners of its cell; the second, in the same cell, not at all.

# %%
calls = 0
grid = quoin.AdaptiveGrid(f, spacing=[0.25, 0.25])
y, J = grid.value_and_jacobian([0.3, 0.4])
assert calls == 4
y = grid([0.4, 0.3])
assert calls == 4
np.abs(y - f(np.array([0.4, 0.3]))[0]).max()  # the error, m

# %% [markdown]
# `refine` halves the spacing and keeps the corners: three of the four of the finer cell are new. A functional `C f` is
# applied once per corner, so that queries of it cost as many outputs as C has rows.

# %%
calls = 0
grid.refine()
total = grid.linear_output(np.ones((1, 2)))
exact = np.sin(0.4) * 0.3 + np.exp(0.1)
assert abs(total([0.4, 0.3])[0] - exact) < 1e-5
assert calls == 3
grid.statistics

# %% [markdown]
# ## What was visited
#
# A planner asks along a path. The picture has the cells with all of their corners, finer levels darker, and the
# samples.

# %%
t = np.linspace(0, 1, 200)
path = np.column_stack([0.3 + 1.2 * t, 0.4 + 0.8 * np.sin(3 * t)])
values = grid(path)
before = grid.statistics
ax = plot.cells(grid, labels=("pull of line 1 [N]", "pull of line 2 [N]"), contours=6, output_label="tip, x [m]")
ax.plot(*path.T, color="tab:orange", label="path")
ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
assert grid.statistics.exact_evaluations == before.exact_evaluations  # pictures do not call f

# %%
grid.samples()

# %% [markdown]
# ## How good is it?
#
# The error falls by 16 from level to level where f has its Jacobian. With a tolerance each cell is refined until its
# own error is small enough.

# %%
X = np.random.default_rng(1).uniform([0.3, 0.4], [1.5, 1.2], (20, 2))
levels = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
tolerances = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], tolerance=1e-3)
runs = {
    "levels 0 to 2": plot.measured_errors(levels, f, X, levels=range(3)),
    "tolerances 1e-3 to 1e-5 m": plot.measured_errors(tolerances, f, X, tolerances=[1e-3, 1e-4, 1e-5]),
}
plot.error_against_evaluations(runs, labels=("evaluations of f", "largest error [m]"), tolerance=1e-4)
errors = runs["levels 0 to 2"][:, 1]
assert 100 < errors[0] / errors[2] < 600, errors  # 16 * 16 where all points are equally hard
assert np.all(runs["tolerances 1e-3 to 1e-5 m"][:, 1] < [1e-3, 1e-4, 1e-5])

# %% [markdown]
# ## When does it pay?
#
# A grid has called f before it answers, so it pays from some number of queries on. `seconds_per_query` of the
# statistics is without Python's part, which we measure here: a batch spreads it over many queries.

# %%
begin = time.perf_counter()
grid(path)
seconds_per_query = (time.perf_counter() - begin) / len(path)
plot.break_even(before, seconds_per_query=seconds_per_query)
assert 0.999 < before.break_even_queries / before.exact_evaluations < 2  # a query takes less than half a call
before
