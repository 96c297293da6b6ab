# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of benchmarks from what they wrote with --json: accuracy.svg, alternatives.svg, convergence.svg,
convergence_few_dimensions.svg, lemma_arm.svg, lemma_swimmer.svg, of those that were run.

usage: python3 benchmarks/figures.py <folder with <benchmark>.json>, as scripts/bench.sh does for out/benchmarks
"""

import functools
import os
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "examples", "studies", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION  # noqa: E402

np = pictures.np
BROWN, DARK = "#8a5a1e", "#57606a"
ORDERS = {
    "jets, K = 0": GREY,
    "jets, K = 1": BLUE,
    "jets, K = 2": SKY,
    "jets, K = 3": BLACK,
    "values only": ORANGE,
    "zero twist": VERMILION,
}
# Grids of an order have its colour; what is of one kind has one colour, and dashes where it knows the path.
METHODS = {
    "grid, values only": (ORANGE, "o", "-"),
    "grid, K = 1": (BLUE, "o", "-"),
    "grid, K = 2": (SKY, "o", "-"),
    "grid, K = 3": (BLACK, "o", "-"),
    "grid to a tolerance, K = 1": (BLUE, "s", "-"),
    "Chebyshev, dense": (VERMILION, "s", "-"),
    "sparse grid, R-Leja": (BROWN, "D", "-"),
    "polynomial, gradients": (GREEN, "^", "-"),
    "kriging, values": (PURPLE, "D", "-"),
    "kriging, gradients": (PURPLE, "x", "-"),
    "kriging, gradients, on the path": (PURPLE, "x", pictures.DASHED),
    "nearest neighbour": (GREY, "v", "-"),
    "nearest neighbour, on the path": (GREY, "v", pictures.DASHED),
    "network": (DARK, "P", "-"),
}
LEMMA = {
    "1-jets, minimum": (BLUE, "o"),
    "1-jets, default derivative": (PURPLE, "s"),
    "2-jets, default derivative": (SKY, "s"),
}


def logarithmic(*panels):
    for panel in panels:
        panel.set(xscale="log", yscale="log")
        pictures.decades(panel.xaxis)
        pictures.decades(panel.yaxis)


def grid_of(count, columns, width, height, title):
    rows = -(-count // columns)
    figure, axes = pictures.panels(rows, columns, width, height, title=title)
    for panel in axes[count:]:
        panel.set_visible(False)
    return figure, axes[:count]


def accuracy(folder):
    """Evaluations against the tolerance, of tolerance mode and of the best single level."""
    keys = ("function", "path", "dim", "tolerances", "evaluations", "uniform_evaluations")
    rows = pictures.read_rows(folder, "accuracy.json", keys)
    shown = [row for row in rows if row["path"] == "curve"]
    shown = [row for row in shown if row["function"].startswith("soft arm") or row["dim"] == 3]
    title = "Exact evaluations against the tolerance, along a curve"
    figure, axes = grid_of(len(shown), 3, 3.4, 2.7, title)
    for panel, row in zip(axes, shown):
        panel.plot(row["tolerances"], row["uniform_evaluations"], "s-", color=GREY, label="best level")
        panel.plot(row["tolerances"], row["evaluations"], "o-", color=BLUE, label="to the tolerance")
        panel.set(title=f"{row['function']}, d = {row['dim']}", xlabel="tolerance", ylabel="exact evaluations")
        logarithmic(panel)
    return figure


def alternatives(folder):
    rows = pictures.read_rows(folder, "alternatives.json", ("workload", "dim", "method", "evaluations", "value_errors"))
    workloads = list(dict.fromkeys((row["workload"], row["dim"]) for row in rows))
    figure, axes = grid_of(len(workloads), 3, 3.4, 2.7, "Error against exact evaluations")
    for panel, (workload, dim) in zip(axes, workloads):
        for row in rows:
            if (row["workload"], row["dim"]) != (workload, dim) or len(row["evaluations"]) == 0:
                continue
            color, marker, line = METHODS.get(row["method"], (BLACK, "+", "-"))
            style = {"color": color, "marker": marker, "ls": line, "lw": 1.2, "label": row["method"]}
            panel.plot(row["evaluations"], np.minimum(row["value_errors"], 2), **style)
        title = textwrap.fill(f"{workload}, d\u00a0=\u00a0{dim}", 36)
        panel.set(title=title, xlabel="exact evaluations", ylabel="relative error of value")
        logarithmic(panel)
        panel.set_ylim(1e-9, 3)
    return figure


def orders(cases, folder):
    """Value and Jacobian of the cases; beside each curve's finest point its fitted order."""
    keys = ("function", "dim", "method", "value_order", "jacobian_order", "spacings", "value_errors", "jacobian_errors")
    rows = pictures.read_rows(folder, "convergence.json", keys)
    figure, axes = grid_of(2 * len(cases), 2, 4.4, 3.1, "Error against spacing, with fitted orders")
    for k, (function, dim) in enumerate(cases):
        words = {"waves": "Plane waves", "soft arm": "Soft arm in space"}[function]
        for panel, what in zip(axes[2 * k :], ("value", "jacobian")):
            for row in rows:
                if (row["function"], row["dim"]) != (function, dim):
                    continue
                at, errors = row["spacings"], row[f"{what}_errors"]
                color = ORDERS.get(row["method"], GREEN)
                below = row["method"] == "values only"  # keeps a curve visible under another
                style = {"color": color, "lw": 4 if below else 1.6, "marker": "s" if below else "o"}
                panel.plot(at, errors, label=row["method"], **style)
                text = f"{row[f'{what}_order']:.2f}"
                place = {"textcoords": "offset points", "ha": "right", "va": "center", "fontsize": 7.5, "color": color}
                panel.annotate(text, (at[-1], errors[-1]), (-6, 0), **place)
            panel.set(title=f"{words}, d = {dim}: {'value' if what == 'value' else 'Jacobian'}", xlabel="spacing h")
            panel.set_ylabel("relative error" if function == "soft arm" else "largest error")
            logarithmic(panel)
            pictures.plain_ticks(panel.xaxis)
            panel.margins(x=0.12)
    return figure


def lemma(robot, words, folder):
    """Distances between plans on grids and the exact plan, with fitted orders; dashed the solver's own floor."""
    keys = ("robot", "method", "controls_rms", "states_rms")
    rows = [row for row in pictures.read_rows(folder, "lemma.json", ("robot", "method")) if robot in row["robot"]]
    suffix = ", floor and fitted orders"
    title = f"Plans on grids and the exact plan, {words}"
    figure, axes = pictures.panels(1, 2, 4.4, 3.4, title=title)
    for panel, what in zip(axes, ("controls", "states")):
        for method, (color, marker) in LEMMA.items():
            levels = [row for row in rows if row["method"] == method]
            floor = next((row for row in rows if row["method"] == method + suffix), None)
            if not levels or floor is None:
                continue
            for row in (*levels, floor):
                if any(key not in row for key in keys):
                    raise pictures.Refusal(f"lemma.json has a row without one of {', '.join(keys)}")
            at = np.array([row["spacing"] for row in levels])
            distances = [row[f"{what}_rms"] for row in levels]
            panel.plot(at, distances, marker=marker, color=color, label=method)
            place = {"textcoords": "offset points", "ha": "right", "va": "center", "fontsize": 8, "color": color}
            panel.annotate(f"{floor[f'{what}_local_order']:.2f}", (at[-1], distances[-1]), (-6, 0), **place)
            panel.plot(at[[0, -1]], [floor[f"{what}_rms"]] * 2, color=color, lw=1, ls=pictures.DASHED)
        panel.plot([], [], color=GREY, lw=1, ls=pictures.DASHED, label="of two exact plans")
        panel.set(title=f"{what.capitalize()}, with fitted orders", xlabel="spacing h", ylabel="distance")
        logarithmic(panel)
        pictures.plain_ticks(panel.xaxis)
        panel.margins(x=0.17)
    return figure


if __name__ == "__main__":
    FIGURES = {
        "accuracy": accuracy,
        "alternatives": alternatives,
        "convergence": functools.partial(orders, [("waves", 4), ("soft arm", 4)]),
        "convergence_few_dimensions": functools.partial(orders, [("waves", 1), ("waves", 2), ("waves", 3)]),
        "lemma_arm": functools.partial(lemma, "arm", "soft arm"),
        "lemma_swimmer": functools.partial(lemma, "swimmer", "swimmer"),
    }
    pictures.main(__doc__, FIGURES, {name: f"{name.split('_')[0]}.json" for name in FIGURES})
