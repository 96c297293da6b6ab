# SPDX-License-Identifier: BSD-3-Clause
"""Plans that track a path, and where f was called."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin.plot._axes import BLACK, COLORS, GREY, axes as axes_or_new, check_labels, matplotlib

FloatArray = npt.NDArray[np.float64]


def tracking(plan: Any, run: Any = None, *, labels: Optional[Sequence[str]] = None) -> Any:
    """Path, plan and run of outputs beside each other, how far they are apart, and the controls.

    Parameters
    ----------
    plan : TrackingPlan
        Of `quoin.planning.track`.
    run : Run, optional
        Of `quoin.planning.run`.
    labels : sequence of str, optional
        Of the outputs, with units.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if not hasattr(plan, "task"):
        raise TypeError(f"plan is a {type(plan).__name__}, expected what quoin.planning.track returns")
    path, planned = plan.task.path, plan.planned
    outputs = path.shape[1]
    if run is not None and run.outputs.shape != path.shape:
        raise ValueError(f"run: outputs of shape {run.outputs.shape}, the plan's path has {path.shape}")
    texts = check_labels(labels if labels is not None else [f"output {i}" for i in range(outputs)], outputs)
    figure = matplotlib("pyplot").figure(figsize=(10, 4.5), layout="constrained")
    grid = figure.add_gridspec(2, 2)
    times = np.arange(len(path)) * plan.task.model.time_step
    ax = figure.add_subplot(grid[:, 0])
    curves = [("path", path, BLACK, "--"), ("plan", planned, COLORS[0], "-")]
    curves += [] if run is None else [("run", run.outputs, COLORS[1], "-")]
    for name, values, color, style in curves:
        if outputs == 2:
            ax.plot(values[:, 0], values[:, 1], style, color=color, label=name, linewidth=1.2)
        else:
            for i in range(outputs):
                ax.plot(times, values[:, i], style, color=color, label=name if i == 0 else None, linewidth=1.2)
    if outputs == 2:
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel(texts[0])
        ax.set_ylabel(texts[1])
    else:
        ax.set_xlabel("time [s]")
        ax.set_ylabel(", ".join(texts))
    ax.legend(frameon=False)

    errors = figure.add_subplot(grid[0, 1])
    errors.plot(times, np.linalg.norm(planned - path, axis=1), color=COLORS[0], linewidth=1.2)
    if run is not None:
        errors.plot(times, run.errors, color=COLORS[1], linewidth=1.2)
    errors.set_yscale("log")
    errors.set_ylabel("distance from the path")

    controls = figure.add_subplot(grid[1, 1], sharex=errors)
    taken = plan.controls if run is None else run.controls
    for k in range(taken.shape[1]):
        controls.step(times[:-1], taken[:, k], where="post", color=COLORS[k % len(COLORS)], label=f"{k}", linewidth=1.2)
    lower, upper = plan.task.control
    for bound in (lower.min(), upper.max()):
        controls.axhline(bound, color=GREY, linewidth=0.8)
    controls.set_ylabel("controls")
    controls.set_xlabel("time [s]")
    controls.legend(frameon=False, ncols=taken.shape[1])
    return figure


def evaluations(
    surrogate: Any, ax: Any = None, *, axes: tuple[int, int] = (0, 1), labels: Optional[Sequence[str]] = None
) -> Any:
    """Where f was called, along two of the variables, in the order of the calls.

    Parameters
    ----------
    surrogate : AdaptiveGrid, Surrogate, Table, KernelInterpolant or KernelSurrogate
    ax : matplotlib.axes.Axes, optional
    axes : (int, int)
        The variables; of a function of one both are it, against the order.
    labels : sequence of str, optional
        Of these variables, with units.

    Returns
    -------
    matplotlib.axes.Axes
    """
    samples = surrogate.samples()
    if len(samples) == 0:
        raise ValueError("f was not called yet")
    points, failed, dim = samples.points, samples.failed, samples.points.shape[1]
    for axis in axes:
        if not 0 <= axis < dim:
            raise ValueError(f"axes = {axes}: the function has {dim} variables")
    order = np.arange(len(points))
    across = order if dim == 1 else points[:, axes[1]]
    names = list(getattr(surrogate, "axes", [f"variable {axis}" for axis in range(dim)]))
    texts = check_labels(labels if labels is not None else [names[axis] for axis in axes], 2)
    ax = axes_or_new(ax)
    drawn = ax.scatter(points[:, axes[0]], across, c=order, s=14, cmap="viridis", linewidths=0)
    if failed.any():
        ax.scatter(points[failed, axes[0]], across[failed], marker="x", s=30, color=BLACK, label="failed")
        ax.legend(frameon=False)
    ax.set_xlabel(texts[0])
    ax.set_ylabel("order of the calls" if dim == 1 else texts[1])
    ax.figure.colorbar(drawn, ax=ax, label="order of the calls")
    ax.set_title(f"{len(points)} evaluations")
    return ax
