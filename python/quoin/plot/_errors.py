# SPDX-License-Identifier: BSD-3-Clause
"""Error against evaluations."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin.grids import AdaptiveGrid
from quoin.plot._axes import COLORS, axes as axes_or_new, check_labels, label_counts

FloatArray = npt.NDArray[np.float64]

_MARKERS = "osD^v<>"


def measured_errors(
    grid: AdaptiveGrid,
    exact: Union[Callable[..., Any], npt.ArrayLike],
    points: npt.ArrayLike,
    *,
    levels: Optional[Sequence[int]] = None,
    tolerances: Optional[Sequence[float]] = None,
) -> FloatArray:
    """The errors of a grid at points, level by level or tolerance by tolerance, and what they cost.

    Parameters
    ----------
    grid : AdaptiveGrid
        It calls f where corners are missing.
    exact : callable or (M, N) array_like
        f, as a grid takes it (not batched), or its values at the points.
    points : (M, dim) array_like
    levels : sequence of int, optional
    tolerances : sequence of float, optional
        One of both.

    Returns
    -------
    (K, 2) array
        Per level or tolerance the evaluations of f that the grid has made or read from its store until then, those for
        earlier rows included, and the largest error over the points, in the root mean square over the outputs.

    Raises
    ------
    ValueError
        Both or none of levels and tolerances are given, or a shape is wrong.
    """
    X = np.asarray(points, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != grid.dim or not len(X):
        raise ValueError(f"points: shape {X.shape}, expected (M, {grid.dim})")
    if (levels is None) == (tolerances is None):
        raise ValueError("measured_errors: give either levels or tolerances")
    Y = np.array([_value(exact(x.copy())) for x in X]) if callable(exact) else np.asarray(exact, dtype=np.float64)
    if Y.shape != (len(X), grid.output_size):
        raise ValueError(f"exact: values of shape {Y.shape}, expected ({len(X)}, {grid.output_size})")
    if levels is not None:
        views = [grid.at_level(level) for level in levels]
    else:
        views = [grid.at_tolerance(tolerance) for tolerance in tolerances or ()]
    rows = []
    for view in views:
        error = np.sqrt(np.mean((view(X) - Y) ** 2, axis=1)).max()
        statistics = grid.statistics
        rows.append((statistics.exact_evaluations + statistics.from_storage, error))
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


def error_against_evaluations(
    runs: Mapping[str, npt.ArrayLike],
    ax: Any = None,
    *,
    labels: Sequence[str] = ("evaluations of f", "error"),
    tolerance: Optional[float] = None,
) -> Any:
    """Draws how errors fall with evaluations, on logarithmic axes.

    Parameters
    ----------
    runs : mapping of str to (K, 2) array_like
        Per name in the legend rows of evaluations and error, such as `measured_errors` returns. A zero error is left
        out.
    ax : matplotlib.axes.Axes, optional
    labels : (str, str)
        Of x and y, with units.
    tolerance : float, optional
        Marked by a line.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        A run is not (K, 2), or there is none.
    """
    texts = check_labels(labels, 2)
    tables = {name: np.asarray(run, dtype=np.float64) for name, run in runs.items()}
    if not tables:
        raise ValueError("error_against_evaluations: no run is given")
    for name, table in tables.items():
        if table.ndim != 2 or table.shape[1] != 2:
            raise ValueError(f"run {name!r}: shape {table.shape}, expected (K, 2)")
    ax = axes_or_new(ax)
    for index, (name, table) in enumerate(tables.items()):
        shown = table[np.all(table > 0, axis=1)]
        style = {"marker": _MARKERS[index % len(_MARKERS)], "color": COLORS[index % len(COLORS)], "markersize": 5}
        ax.plot(shown[:, 0], shown[:, 1], label=name, **style)
    if tolerance is not None:
        ax.axhline(tolerance, color="black", linestyle="--", linewidth=0.8, label=f"tolerance {tolerance:g}")
    label_counts(ax)
    ax.set_yscale("log")
    ax.grid(True, which="major", linewidth=0.4)
    ax.set_xlabel(texts[0])
    ax.set_ylabel(texts[1])
    ax.legend()
    return ax


def _value(answer: Any) -> FloatArray:
    """The value (N,) of what f answered: y, (y, J) or a jet."""
    value = np.asarray(answer[0] if isinstance(answer, tuple) else answer, dtype=np.float64)
    return value[:, 0] if value.ndim == 2 else value
