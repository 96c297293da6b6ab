# SPDX-License-Identifier: BSD-3-Clause
"""The cells and samples of a plane."""

from __future__ import annotations

import re
import textwrap
from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin.grids import AdaptiveGrid
from quoin.plot._axes import BLACK, GREY, VERMILION, axes as axes_or_new, check_labels, matplotlib
from quoin.options import GridOptions
from quoin.plot._lattice import cells_in_plane, levels_of
from quoin.samples import Samples

FloatArray = npt.NDArray[np.float64]

_MARKERS = ("x", "+", "1", "2", "*")
_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")


def cells(
    grid: AdaptiveGrid,
    axes: tuple[int, int] = (0, 1),
    at: Optional[npt.ArrayLike] = None,
    ax: Any = None,
    *,
    labels: Optional[Sequence[str]] = None,
    contours: int = 0,
    output: int = 0,
    output_label: Optional[str] = None,
    resolution: int = 61,
) -> Any:
    """Draws the cells and the samples of a grid of 2 variables, or of a plane through a grid of more.

    A cell is drawn if all of its 2**dim corners are samples: where f gives no derivatives, samples that served the
    differences alone can complete cells that no query met. Finer levels are darker. Samples are drawn that are at most
    half an edge of their own level from the plane; where f failed, they have a mark for each reason (reasons that
    differ by numbers alone are one). f is not called; with contours the statistics count resolution**2 queries more.

    Parameters
    ----------
    grid : AdaptiveGrid
    axes : (int, int)
        The variables along x and y.
    at : (dim,) array_like, optional
        A point of the plane; its entries along `axes` are not used. By default the median of the samples.
    ax : matplotlib.axes.Axes, optional
    labels : (str, str), optional
        Of x and y, with units.
    contours : int
        About how many lines of equal value to draw, of what the grid answers where its corners are there.
    output : int
        Whose value.
    output_label : str, optional
        Of the lines, with unit.
    resolution : int
        Points along each axis at which the grid is asked for them.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        The axes are not two different ones of the grid's, or a shape is wrong.
    """
    samples = grid.samples()
    dim = grid.dim
    first, second = _checked_axes(axes, dim)
    texts = check_labels(labels if labels is not None else (f"$x_{first}$", f"$x_{second}$"), 2)
    if not 0 <= output < grid.output_size:
        raise ValueError(f"output = {output}, expected one of {grid.output_size}")
    edges = np.asarray(grid.options.spacing, dtype=np.float64)
    origin = np.zeros(dim) if grid.options.origin is None else np.asarray(grid.options.origin, dtype=np.float64)
    point = _point_of_plane(at, samples.points, dim)
    _require_inside(point, grid.options, (first, second))
    ax = axes_or_new(ax)
    levels = levels_of(samples.points, edges, origin)
    _draw_cells(ax, (samples.points - origin) / edges, levels, edges, origin, point, (first, second))
    if contours and len(samples):
        _draw_contours(ax, grid, point, (first, second), contours, output, output_label, resolution)
    _draw_samples(ax, samples, _near_plane(samples.points, levels, edges, point, (first, second)), (first, second))
    ax.set_xlabel(texts[0])
    ax.set_ylabel(texts[1])
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)
    return ax


def _checked_axes(axes: tuple[int, int], dim: int) -> tuple[int, int]:
    if dim < 2:
        raise ValueError(f"cells: a grid of {dim} variable has no plane")
    if len(axes) != 2 or axes[0] == axes[1] or not all(0 <= axis < dim for axis in axes):
        raise ValueError(f"axes = {axes!r}, expected two different ones of 0 to {dim - 1}")
    return axes[0], axes[1]


def _point_of_plane(at: Optional[npt.ArrayLike], points: FloatArray, dim: int) -> FloatArray:
    if at is None:
        if not len(points):
            return np.zeros(dim)
        median: FloatArray = np.sort(points, axis=0)[len(points) // 2]
        return median
    point = np.asarray(at, dtype=np.float64)
    if point.shape != (dim,) or not np.all(np.isfinite(point)):
        raise ValueError(f"at = {point.tolist()}, expected {dim} finite numbers")
    return point


def _require_inside(point: FloatArray, options: GridOptions, axes: tuple[int, int]) -> None:
    for i, x in enumerate(point.tolist()):
        lower = -np.inf if options.lower is None else np.asarray(options.lower, dtype=np.float64)[i]
        upper = np.inf if options.upper is None else np.asarray(options.upper, dtype=np.float64)[i]
        if i not in axes and not lower <= x <= upper:
            raise ValueError(f"at[{i}] = {x:g}: the plane misses the grid's domain, which is from {lower:g} to {upper:g}")


def _near_plane(
    points: FloatArray, levels: npt.NDArray[np.int64], edges: FloatArray, at: FloatArray, axes: tuple[int, int]
) -> npt.NDArray[np.bool_]:
    others = [axis for axis in range(len(at)) if axis not in axes]
    half = 0.5 * edges[others] * 2.0 ** -levels[:, np.newaxis]
    near: npt.NDArray[np.bool_] = np.all(np.abs(points - at)[:, others] <= half * (1 + 1e-9), axis=1)
    return near


def _draw_cells(
    ax: Any,
    steps: FloatArray,
    levels: npt.NDArray[np.int64],
    edges: FloatArray,
    origin: FloatArray,
    at: FloatArray,
    axes: tuple[int, int],
) -> None:
    collections = matplotlib("collections")
    finest = int(levels.max(initial=0))
    shades = matplotlib("pyplot").get_cmap("Blues")
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    for level in range(finest + 1):
        lower = cells_in_plane(steps[levels <= level], level, (at - origin) / edges, axes)
        if not len(lower):
            continue
        size = edges[list(axes)] * 2.0**-level
        corners = origin[list(axes)] + size * (lower[:, np.newaxis, :] + square)
        ax.add_collection(
            collections.PolyCollection(
                corners,
                facecolor=shades(0.12 + 0.63 * level / max(finest, 3)),
                edgecolor=GREY,
                linewidth=0.5,
                label=f"level {level}: {len(lower)} cell{'s' if len(lower) > 1 else ''}",
            )
        )
    ax.autoscale_view()


def _draw_samples(ax: Any, samples: Samples, near: npt.NDArray[np.bool_], axes: tuple[int, int]) -> None:
    flat = samples.points[:, list(axes)]
    answered = near & ~samples.failed
    count = int(answered.sum())
    size = min(1.0, 300 / max(int(near.sum()), 1))
    if count:
        label = f"{count} sample{'s' if count > 1 else ''}"
        ax.scatter(*flat[answered].T, s=2 + 7 * size, color=BLACK, linewidths=0, zorder=3, label=label)
    by_reason: dict[str, list[int]] = {}
    for index in np.flatnonzero(near & samples.failed).tolist():
        by_reason.setdefault(_NUMBER.sub("…", samples.reasons[index]), []).append(index)
    texts = sorted(by_reason, key=lambda reason: -len(by_reason[reason]))
    for kind, reason in enumerate(texts[: len(_MARKERS)]):
        where = by_reason[reason]
        if kind == len(_MARKERS) - 1 and len(texts) > len(_MARKERS):
            reason, where = "other reasons", sum((by_reason[text] for text in texts[kind:]), [])
        label = textwrap.fill(textwrap.shorten(f"{len(where)} failed: {reason}", 90, placeholder=" …"), 32)
        style = {"marker": _MARKERS[kind], "s": 8 + 28 * size, "linewidths": 0.8 + 0.7 * size, "color": VERMILION}
        ax.scatter(*flat[where].T, zorder=4, label=label, **style)


def _draw_contours(
    ax: Any,
    grid: AdaptiveGrid,
    at: FloatArray,
    axes: tuple[int, int],
    count: int,
    output: int,
    label: Optional[str],
    resolution: int,
) -> None:
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    across, up = np.linspace(left, right, resolution), np.linspace(bottom, top, resolution)
    values = np.full((resolution, resolution), np.nan)
    point = at.copy()
    for row, y in enumerate(up):
        for column, x in enumerate(across):
            point[axes[0]], point[axes[1]] = x, y
            known = grid.evaluate_cached(point)
            if known.y is not None:
                values[row, column] = known.y[output]
    if np.all(np.isnan(values)):
        return
    lines = ax.contour(across, up, values, count, colors=BLACK, linewidths=0.8, linestyles="-")
    ax.clabel(lines, fontsize="small")
    ax.plot([], [], color=BLACK, linewidth=0.8, label=label or f"output {output}")
