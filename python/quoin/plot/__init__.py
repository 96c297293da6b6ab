# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of grids and of motions, by matplotlib.

Importing this needs no matplotlib; its functions do, and raise ImportError with the package's name without it. They
draw into `ax`, or into a figure of their own, never show it, and return what they drew into.

>>> from quoin import plot
>>> ax = plot.cells(grid, labels=("pull of line 1 [N]", "pull of line 2 [N]"))
>>> ax.figure.savefig("cells.svg")
"""

from quoin.plot._cells import cells
from quoin.plot._costs import break_even
from quoin.plot._errors import error_against_evaluations, measured_errors
from quoin.plot._motion import animate
from quoin.plot._tracking import evaluations, tracking

__all__ = [
    "animate",
    "break_even",
    "cells",
    "error_against_evaluations",
    "evaluations",
    "measured_errors",
    "tracking",
]
