# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of snap_through: of each body <body>_branches.svg, _errors.svg and _cells.svg, and of the arch
arch_history.svg and arch_sheets.svg.

usage: python3 examples/studies/snap_through/figures.py <folder that the program wrote>
"""

import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, GREEN, GREY, GRID, LIGHT, LIMIT, ORANGE, OTHER_GRID, PURPLE, VERMILION  # noqa: E402

np = pictures.np
BRANCHES = (GREEN, VERMILION)
UNLABELLED, LABELLED, NEAREST = ORANGE, GRID, PURPLE
SHAPES = (LIGHT, GREEN, VERMILION, BLACK)
BODY = {"lw": 7, "solid_capstyle": "butt", "zorder": 1}


def setup_of(folder, body):
    keys = ("axes", "observable", "branches", "labels", "lower", "upper", "jump_axis", "line_at", "tolerance")
    more = ("nearest_branch", "jump_at", "jump_observed")
    return pictures.read_rows(folder, f"{body}_setup.json", keys + more)[0]


def line_of(folder, body, setup):
    """The table along the line of queries, and where its queries are."""
    cases = [f"{name}_{what}" for name in ("unlabelled", "nearest") for what in ("observed", "error", "trust")]
    branches = [f"branch_{name}" for name in setup["branches"]]
    table = pictures.read_table(folder, f"{body}_line.csv", ("x0", "x1", *branches, *cases))
    return table, table[f"x{int(setup['jump_axis'])}"]


def branches(body, folder):
    setup = setup_of(folder, body)
    table, at = line_of(folder, body, setup)
    axis = int(setup["jump_axis"])
    figure, (panel, shapes) = pictures.panels(1, 2, 4.6, 3.5)
    panel.plot([setup["jump_at"]] * 2, setup["jump_observed"], color=GREY, lw=1, ls=pictures.DASHED)
    for name in setup["branches"]:
        panel.plot(at, table[f"branch_{name}"], color=LIGHT, label="the body's two branches", **BODY)
    panel.plot(at, table["unlabelled_observed"], color=UNLABELLED, label="grid without labels")
    near = table["nearest_trust"] == setup["nearest_branch"]
    observed = table["nearest_observed"]
    panel.plot(at, np.where(near, np.nan, observed), color=LABELLED, label="grid with labels")
    panel.plot(at[near], observed[near], ".", color=NEAREST, label="with labels, from the nearest corner")
    panel.set(
        title=f"Two ways to rest, {setup['axes'][1 - axis]} = {setup['line_at']:g}",
        xlabel=setup["axes"][axis],
        ylabel=setup["observable"],
    )
    rows = pictures.read_rows(folder, f"{body}_shapes.json", ("name", "x", "z"))
    for shape, color in zip(rows, (*BRANCHES, UNLABELLED)):
        fine = np.isnan(shape["x"]).sum() > 20  # a mesh
        shapes.plot(shape["x"], shape["z"], color=color, lw=0.6 if fine else 2.4, label=shape["name"])
    pictures.drawing(shapes, "At the jump both have the same energy")
    return figure


def errors(body, folder):
    setup = setup_of(folder, body)
    table, at = line_of(folder, body, setup)
    figure, axes = pictures.panels(1, 2, 4.8, 3.2, sharey=True)
    for panel, suffix, words in zip(axes, ("", "_tolerance"), ("one level", f"tolerance {setup['tolerance']:g}")):
        for needed in (f"unlabelled{suffix}_error", f"nearest{suffix}_error", f"nearest{suffix}_trust"):
            if needed not in table:
                raise pictures.Refusal(f"{body}_line.csv has no column '{needed}'")
        error = table[f"nearest{suffix}_error"]
        near = table[f"nearest{suffix}_trust"] == setup["nearest_branch"]
        panel.semilogy(at, table[f"unlabelled{suffix}_error"], color=UNLABELLED, label="without labels")
        panel.plot(at, np.where(near, np.nan, error), color=LABELLED, label="with labels, interpolated")
        panel.plot(at[near], error[near], ".", color=NEAREST, label="with labels, nearest branch")
        panel.set(title=f"Error along the line, {words}", xlabel=setup["axes"][int(setup["jump_axis"])])
        pictures.decades(panel.yaxis)
    axes[0].set_ylabel("error / jump")
    return figure


def cells(body, folder):
    setup = setup_of(folder, body)
    curves = pictures.read_table(folder, f"{body}_curves.csv", ("curve", "x0", "x1"))
    keys = ("key", "name", "evaluations", "cell_x0", "cell_x1", "cell_end_x0", "cell_end_x1", "cell_trust")
    cases = pictures.read_rows(folder, f"{body}_cases.json", (*keys, "corner_x0", "corner_x1", "corner_label"))
    shown = [case for case in cases if not case["key"].startswith("call")]
    columns = [f"{case['key']}_off_equilibrium" for case in shown]
    queries = pictures.read_table(folder, f"{body}_queries.csv", ("x0", "x1", *columns))
    figure, axes = pictures.panels(2, 2, 4.6, 3.3, sharex=True, sharey=True)
    Cells = pictures.matplotlib.collections.PolyCollection
    failed = {"color": UNLABELLED, "ms": 4, "mew": 1, "label": "no equilibrium"}
    for panel, case in zip(axes, shown):
        squares = [
            [(a, b), (c, b), (c, d), (a, d)]
            for a, b, c, d in zip(case["cell_x0"], case["cell_x1"], case["cell_end_x0"], case["cell_end_x1"])
        ]
        mixed = case["cell_trust"] == setup["nearest_branch"]
        for of, color, label in ((~mixed, "#eef4fa", None), (mixed, "#d9a9c6", "cell with both labels")):
            if of.any():
                some = [square for square, yes in zip(squares, of) if yes]
                panel.add_collection(Cells(some, facecolor=color, edgecolor=GREY, lw=0.3, label=label))
        off = queries[f"{case['key']}_off_equilibrium"] >= 0.01
        if off.any():
            panel.plot(queries["x0"][off], queries["x1"][off], "x", **failed)
        for label, name, color in zip(setup["labels"], setup["branches"], BRANCHES):
            of = case["corner_label"] == label
            panel.plot(case["corner_x0"][of], case["corner_x1"][of], ".", color=color, ms=3, label=f"f: {name}")
            fold = curves["curve"] == label
            if fold.any():
                x, y = curves["x0"][fold], curves["x1"][fold]
                panel.plot(x, y, "D", mfc="white", mec=color, ms=3.5, mew=1, label=f"'{name}' ends")
        jump = curves["curve"] == 0
        panel.plot(curves["x0"][jump], curves["x1"][jump], color=BLACK, lw=1.6, label="f jumps")
        panel.set(
            title=f"{case['name']}: {int(case['evaluations'])} evaluations",
            xlim=(setup["lower"][0], setup["upper"][0]),
            ylim=(setup["lower"][1], setup["upper"][1]),
        )
        panel.grid(False)
    for panel in axes[2:]:
        panel.set_xlabel(setup["axes"][0])
    for panel in axes[::2]:
        panel.set_ylabel(setup["axes"][1])
    return figure


def history(folder):
    setup = setup_of(folder, "arch")
    sweeps = ("body_up", "grid_up", "body_down", "grid_back", "fresh_down")
    table = pictures.read_table(folder, "arch_history.csv", ("up", "down", *sweeps))
    figure, (one, two) = pictures.panels(1, 2, 4.6, 3.3, sharey=True)
    for panel in (one, two):
        panel.plot(table["up"], table["body_up"], color=LIGHT, label="the arch, load rising", **BODY)
        panel.plot(table["down"], table["body_down"], color=GREY, alpha=0.5, label="the arch, load falling", **BODY)
        panel.plot(table["up"], table["grid_up"], color=GRID, lw=2, label="a grid asked on the way up")
        panel.set_xlabel(setup["axes"][int(setup["jump_axis"])])
    style = {"color": BLACK, "lw": 1.3, "ls": pictures.DASHED}
    one.plot(table["down"], table["grid_back"], label="the same grid on the way back", **style)
    two.plot(table["down"], table["fresh_down"], color=OTHER_GRID, lw=2, label="a fresh grid asked on the way down")
    one.set(title="One grid asked on the way up and back", ylabel=setup["observable"])
    two.set_title("Two grids of one body")
    return figure


def sheets(folder):
    setup = setup_of(folder, "arch")
    rows = pictures.read_rows(folder, "arch_sheets.json", ("kind", "name"))
    of = {kind: [row for row in rows if row["kind"] == kind] for kind in ("loop", "fold", "plan", "shape", "target")}
    figure, (loop, loads, shapes) = pictures.panels(1, 3, 3.9, 3.4)
    styles = {"rising": {"color": LIGHT}, "falling": {"color": GREY, "alpha": 0.5}}
    for side in of["loop"]:
        loop.plot(side["at"], side["exact"], label=f"the arch, load {side['name']}", **styles[side["name"]], **BODY)
    for side, style in zip(of["loop"], ({"color": GRID, "lw": 2}, {"color": BLACK, "lw": 1.3, "ls": pictures.DASHED})):
        loop.plot(side["at"], side["on_grid"], label=f"on its branches, {side['name']}", **style)
    loop.set(
        title=f"Hysteresis, quarter point {setup['line_at']:g} N",
        xlabel=setup["axes"][int(setup["jump_axis"])],
        ylabel=setup["observable"],
    )
    for fold, color in zip(of["fold"], BRANCHES):
        loads.plot(fold["x0"], fold["x1"], color=color, label=f"'{fold['name']}' ends")
    plan = of["plan"][0]
    loads.plot(plan["x0"], plan["x1"], color=BLACK, lw=1.3, label="the plan")
    loads.plot(plan["x0"][2], plan["x1"][2], "o", color=BLACK, ms=5, label="the crown is at its target")
    loads.set(
        title="A plan across both folds",
        xlabel=setup["axes"][0],
        ylabel=setup["axes"][1],
        xlim=(setup["lower"][0], setup["upper"][0]),
        ylim=(setup["lower"][1], setup["upper"][1]),
    )
    for shape, color in zip(of["shape"], SHAPES):
        shapes.plot(shape["x0"], shape["x1"], color=color, lw=2.6, label=shape["name"])
    target = of["target"][0]
    shapes.plot(target["x0"], target["x1"], "x", color=LIMIT, ms=7, mew=2, label="target of the crown", zorder=5)
    pictures.drawing(shapes, "The arch on its way there")
    return figure


if __name__ == "__main__":
    FIGURES, OPTIONAL = {}, {}
    for BODY_KEY in ("arch", "arm", "pushed_arm"):
        for DRAW in (branches, errors, cells):
            NAME = f"{BODY_KEY}_{DRAW.__name__}"
            FIGURES[NAME] = functools.partial(DRAW, BODY_KEY)
            OPTIONAL[NAME] = f"{BODY_KEY}_setup.json"
    FIGURES["arch_history"], FIGURES["arch_sheets"] = history, sheets
    pictures.main(__doc__, FIGURES, OPTIONAL)
