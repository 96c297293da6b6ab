# SPDX-License-Identifier: BSD-3-Clause
"""Grids as files."""

from __future__ import annotations

from typing import Any, Callable, Optional

from quoin import _saved
from quoin._paths import Path, file_path
from quoin.grids import AdaptiveGrid
from quoin.tables import Table


def save(grid: AdaptiveGrid, path: Path) -> None:
    name = file_path("path", path)
    gone = grid.statistics.evicted_corners
    if gone > 0:
        raise ValueError(
            f"save: {gone} corners have left memory for memory_budget and would be missing: their store has them; save a "
            "grid over that store without a budget"
        )
    _saved.write(name, _saved.Saved(grid.options.keywords(), grid.level, grid.tolerance, grid.samples()))


def load(path: Path, f: Optional[Callable[..., Any]] = None, **keywords: Any) -> Any:
    """What was saved: an `AdaptiveGrid` with its options, its level or tolerance and its samples, or a `Table`.

    The file only describes the surrogate: whatever acts is the caller's. So `store`, `fingerprint`, `durable`,
    `read_only` and `memory_budget` are left out of it, as are f, `batched` and `executor`: give them again.

    Parameters
    ----------
    path : path
        Written by `AdaptiveGrid.save`.
    f : callable, optional
        Called where a corner is missing. None: the grid has failed there, as its policy has it.
    **keywords
        Arguments of `AdaptiveGrid`, beside those saved or in their place.

    Raises
    ------
    ValueError
        The file is none that `AdaptiveGrid.save` writes, or has a field of another kind, or is of a newer format. The
        message names it.
    """
    name = file_path("path", path)
    options, level, tolerance, samples, table = _saved.read(name)
    arguments = {**options, **keywords}
    if f is not None:
        f = f if table is None else Table._function(table, f)
        arguments.setdefault("derivatives", 0 if samples.difference_gradients else samples.jet_order)
        arguments.setdefault("outputs", samples.jets.shape[1])
    try:
        grid = AdaptiveGrid(f, samples=samples, **arguments)
        while grid.tolerance is None and grid.level < level:
            grid.refine()
        while "tolerance" not in keywords and tolerance is not None and (grid.tolerance or 0) > tolerance:
            grid.refine()
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return grid if table is None else Table._of_file(table, grid)
