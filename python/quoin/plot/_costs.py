# SPDX-License-Identifier: BSD-3-Clause
"""From how many queries on a grid pays."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Union

import numpy as np

from quoin._tables import seconds_text
from quoin.grids import AdaptiveGrid
from quoin.plot._axes import BLACK, BLUE, GREY, VERMILION, axes as axes_or_new, check_labels
from quoin.statistics import GridStatistics


def break_even(
    statistics: Union[GridStatistics, AdaptiveGrid],
    ax: Any = None,
    *,
    seconds_per_query: Optional[float] = None,
    labels: Sequence[str] = ("queries", "time [s]"),
) -> Any:
    """Draws the time of queries through a grid against that of calling f each time, and marks where they cross.

    The grid has spent its calls of f before the first of the queries. Times of f are summed over threads and processes.

    Parameters
    ----------
    statistics : GridStatistics or AdaptiveGrid
        Of a grid that has called f; the grid itself where its samples came from a store, which keeps their times.
    ax : matplotlib.axes.Axes, optional
    seconds_per_query : float, optional
        By default the statistics', which are without Python's part.
    labels : (str, str)
        Of x and y.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        The grid has not called f, or f took no time.
    """
    texts = check_labels(labels, 2)
    statistics = getattr(statistics, "grid", statistics)  # of a Surrogate, a Table
    if isinstance(statistics, AdaptiveGrid):
        samples, statistics = statistics.samples(), statistics.statistics
        calls, spent = len(samples), float(sum(samples.seconds))
    else:
        calls, spent = statistics.exact_evaluations, statistics.seconds_in_function
    if not calls or not spent > 0:
        raise ValueError(
            f"break_even: {calls} calls of f in {spent} s tell nothing of its cost; where samples came from a store give "
            "the grid itself"
        )
    per_call = spent / calls
    per_query = statistics.seconds_per_query if seconds_per_query is None else float(seconds_per_query)
    if not per_query >= 0:
        raise ValueError(f"seconds_per_query = {per_query}, expected at least 0")
    crossing = spent / (per_call - per_query) if per_query < per_call else math.inf
    ax = axes_or_new(ax)
    last = 10 * max(crossing if math.isfinite(crossing) else calls, statistics.queries, 1)
    queries = np.geomspace(1, last, 200)
    ax.plot(queries, queries * per_call, color=BLUE, label=f"f each time: {seconds_text(per_call)} a call")
    through = f"grid: {calls} calls of f, then {seconds_text(per_query)} a query"
    ax.plot(queries, spent + queries * per_query, color=VERMILION, linestyle="--", label=through)
    if math.isfinite(crossing):
        ax.plot(crossing, crossing * per_call, "o", color=BLACK, label=f"break-even: {crossing:.4g} queries")
    if statistics.queries:
        ax.axvline(statistics.queries, color=GREY, linestyle=":", label=f"so far: {statistics.queries} queries")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.grid(True, which="major", linewidth=0.4)
    ax.set_xlabel(texts[0])
    ax.set_ylabel(texts[1])
    ax.legend()
    return ax
