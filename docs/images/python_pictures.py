# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of docs/python_plots.md.

usage: python3 python_pictures.py <folder>
"""

import os
import sys

import numpy as np

import quoin
from quoin import plot

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "notebooks"))
import crane  # noqa: E402


def crane_cells():
    """A crane's load, which fails where it swings too far; refined where it hangs still at the end."""
    crane.PAUSE = 0
    grid = quoin.AdaptiveGrid(crane.load_at_rest, spacing=[0.25, 0.25], lower=[0.25, 2.25], upper=[2, 4])
    box = [(push, coast) for push in np.arange(0.3, 2, 0.25) for coast in np.arange(2.3, 4, 0.25)]
    still = [(push, 4.006 - push) for push in np.linspace(0.5, 1.2, 20)]
    for points, level in ((box, 0), (still, 1), (still[10:], 2)):
        grid.at_level(level).prefetch(np.array(points))
    return plot.cells(
        grid,
        labels=("the trolley accelerates for [s]", "and coasts for [s]"),
        contours=7,
        output=1,
        output_label="angle left at the end [rad]",
    )


def errors():
    """What derivatives save."""
    K = np.array([[0.7, 1.0], [1.1, 0.9]])

    def f(x):
        phase = K @ x
        return np.sin(phase), np.cos(phase)[:, np.newaxis] * K

    X = np.random.default_rng(1).uniform(0, 2, (40, 2))
    exact = np.array([f(x)[0] for x in X])
    runs = {}
    for name, function in {"f gives values alone": lambda x: f(x)[0], "f gives its Jacobian": f}.items():
        grid = quoin.AdaptiveGrid(function, spacing=[1, 1])
        runs[name] = plot.measured_errors(grid, exact, X, levels=range(5))
    return plot.error_against_evaluations(runs, tolerance=1e-4, labels=("evaluations of f", "largest error [m]"))


def main(folder):
    from matplotlib import pyplot

    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "quoin", "figure.figsize": (6.4, 4.2)})
    for name, draw in {"python_cells": crane_cells, "python_errors": errors}.items():
        draw().figure.savefig(os.path.join(folder, f"{name}.svg"), metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
