# SPDX-License-Identifier: BSD-3-Clause
"""Grids as files."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Callable, Optional, Union

import numpy as np

from quoin.grids import AdaptiveGrid
from quoin.samples import Samples

Path = Union[str, "os.PathLike[str]"]
_FORMAT = 1


def save(grid: AdaptiveGrid, path: Path) -> None:
    samples = grid.samples()
    keywords = {
        name: np.asarray(value).tolist() if name in _ARRAYS and value is not None else value
        for name, value in grid.options.keywords().items()
        if name not in ("store", "fingerprint", "durable")
    }
    header = {
        "format": _FORMAT,
        "options": keywords,
        "level": grid.level,
        "tolerance": grid.tolerance,
        "jet_order": samples.jet_order,
        "difference_gradients": samples.difference_gradients,
        "branches": samples.branches,
        "reasons": samples.reasons,
        "retry": samples.retry,
        "seconds": samples.seconds,
    }
    part = os.fspath(path) + ".part"
    with open(part, "wb") as file:
        np.savez(file, header=np.array(json.dumps(header)), points=samples.points, jets=samples.jets)
    os.replace(part, path)


def load(path: Path, f: Optional[Callable[..., Any]] = None, **keywords: Any) -> AdaptiveGrid:
    """A grid with the options, the level and the samples of the one that was saved.

    Parameters
    ----------
    path : path
        Written by `AdaptiveGrid.save`.
    f : callable, optional
        Called where a corner is missing. None: the grid has failed there, as its policy has it.
    **keywords
        Arguments of `AdaptiveGrid` in the place of those saved.

    Raises
    ------
    ValueError
        The file is none that `AdaptiveGrid.save` writes.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            header = json.loads(str(arrays["header"]))
            points, jets = arrays["points"], arrays["jets"]
        if header["format"] != _FORMAT:
            raise ValueError(f"format {header['format']}")
    except (KeyError, ValueError, TypeError) as error:
        raise ValueError(f"{os.fspath(path)}: no grid saved by quoin ({error})") from error
    names = [field.name for field in dataclasses.fields(Samples)]
    samples = Samples(points=points, jets=jets, **{name: header[name] for name in names if name in header})
    arguments = {**header["options"], **keywords}
    if f is not None:
        order = 0 if samples.difference_gradients else samples.jet_order
        arguments.setdefault("derivatives", order)
        arguments.setdefault("outputs", jets.shape[1])
    grid = AdaptiveGrid(f, samples=samples, **arguments)
    while grid.tolerance is None and grid.level < header["level"]:
        grid.refine()
    return grid


_ARRAYS = ("spacing", "origin", "lower", "upper", "output_weights")
