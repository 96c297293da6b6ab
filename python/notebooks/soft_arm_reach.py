# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # A soft arm's reach
#
# A beam of soft and stiff layers, clamped at its base, is bent by two lines. Where its tip rests under their pulls is
# the solution of finite elements; the grid over these solutions answers in microseconds. Needs the components `soft_arm_grid`
# and `io`.

# %%
import numpy as np

import quoin
from quoin import plot, soft_arm

beam = soft_arm.beam(2, cells_across=2, cells_along=10)
arm = soft_arm.SoftArmGrid(beam, spacing=1, lower=0, upper=4)
print(f"{beam.size} coordinates, {beam.lines} lines of {beam.line_force:.3g} N at control 1")

# %% [markdown]
# ## Where the tip can rest
#
# A functional of the grid, the tip, is asked for 2500 pulls between 0 and 4. The equations are solved at the corners
# alone.

# %%
pulls = np.stack(np.meshgrid(np.linspace(0, 4, 50), np.linspace(0, 4, 50)), axis=2).reshape(-1, 2)
tip = arm.tip(arm.grid)
places = tip(pulls)[:, :2]
reach = arm.grid.statistics
assert reach.exact_evaluations <= 25
reach

# %%
from matplotlib import pyplot  # noqa: E402

figure, ax = pyplot.subplots(figsize=(7, 2.6), layout="constrained")
shades = ax.scatter(*places.T, c=pulls.sum(axis=1), s=4, cmap="viridis")
figure.colorbar(shades, label="sum of both controls")
ax.set_xlabel("tip, x [m]")
ax.set_ylabel("tip, y [m]")
ax.set_aspect("equal")
assert np.all(np.linalg.norm(places, axis=1) < 0.51)  # the beam has 0.5 m

# %%
cells = plot.cells(arm.grid, labels=("control of line 1", "control of line 2"))

# %% [markdown]
# ## Reach for a point
#
# Gauss-Newton on the tip's map, on ever finer levels of the grid; the result is judged by the finite elements.

# %%
TARGET = np.array([0.15, 0.45])


def solve(view, pull):
    tip = arm.tip(view)
    for _ in range(30):
        y, J = tip.value_and_jacobian(pull)
        step = np.linalg.lstsq(J[:2], TARGET - y[:2], rcond=None)[0]
        pull = np.clip(pull + np.clip(step, -0.5, 0.5), 0, 4)
        if np.abs(step).max() < 1e-9:
            break
    return pull, 0.5 * np.sum((tip(pull)[:2] - TARGET) ** 2), True


result = quoin.interleave(arm.grid, solve, np.array([1.0, 0.5]), quoin.Levels(0, 2))
assert result.stop is quoin.InterleaveStop.converged, result.message
exact = (beam.tip_rows @ arm.statics(result.iterate))[:2]
miss = np.linalg.norm(exact - TARGET)
assert miss < 1e-4, miss
print(f"controls {result.iterate}, {miss:.1e} m beside the target")
arm.grid.statistics

# %% [markdown]
# ## The body on its way
#
# Positions of the mesh over time are a triangulated body.

# %%
way = np.linspace(0, 1, 11)[:, np.newaxis] * result.iterate
frames = np.array([arm.statics(pull)[: beam.size] for pull in way]).reshape(len(way), -1, 2)
animation = plot.animate(
    frames,
    "soft_arm.gif",
    triangles=beam.mesh.elements,
    still={"target": [TARGET]},
    frames_per_second=5,
)
animation
