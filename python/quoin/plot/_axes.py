# SPDX-License-Identifier: BSD-3-Clause
"""What all pictures share. Colours follow Okabe and Ito and stay apart for every kind of colour vision."""

from __future__ import annotations

import importlib
from typing import Any, Sequence

BLACK = "#000000"
BLUE = "#0072B2"
GREY = "#888888"
VERMILION = "#D55E00"
COLORS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", BLACK)


def matplotlib(part: str) -> Any:
    """The module matplotlib.<part>. Raises ImportError that says what to install."""
    return _module(f"matplotlib.{part}")


def toolkits(part: str) -> Any:
    """The module mpl_toolkits.<part>, which comes with matplotlib."""
    return _module(f"mpl_toolkits.{part}")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("matplotlib", "mpl_toolkits"):
            raise
        raise ImportError(
            "quoin.plot draws with matplotlib, which is not installed (Debian: python3-matplotlib, "
            "elsewhere: pip install matplotlib)",
            name="matplotlib",
        ) from error


def axes(ax: Any, **keywords: Any) -> Any:
    """The axes that are given, or those of a new figure."""
    if ax is not None:
        return ax
    pyplot = matplotlib("pyplot")
    return pyplot.subplots(layout="constrained", subplot_kw=keywords)[1]


def check_labels(labels: Sequence[str], count: int) -> Sequence[str]:
    if isinstance(labels, str) or len(labels) != count:
        raise ValueError(f"labels = {labels!r}, expected {count} texts, one per axis")
    return labels


def label_counts(ax: Any) -> None:
    """A logarithmic x axis of counts has ticks at 1, 2 and 5 times powers of ten, written out where they are short."""
    ticker = matplotlib("ticker")
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(ticker.NullFormatter())
