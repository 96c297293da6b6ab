# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of swimmer_stroke: joints.svg, evaluations.svg, path.svg.

usage: python3 examples/studies/swimmer_stroke/figures.py <folder that the program wrote>
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, FILLS, GRID, JOINTS, LIMIT, OTHER_GRID, PLANNED, PURPLE, TRUTH  # noqa: E402

np = pictures.np
COLORS = {"grid": GRID, "grid_one_level": OTHER_GRID, "grid_as_exact": PURPLE, "exact": TRUTH}
NAMES = ("q\u2081", "q\u2082", "q\u2083")
PLACES = ("head", "middle", "tail")


def plans_of(folder):
    keys = ("key", "name", "extrapolated", "iterations_wanted", "joint_limit", "iteration", "evaluations")
    return pictures.read_rows(folder, "plans.json", (*keys, "level_start", "level_start_evaluations"))


def joints(folder):
    """Solid the grid's plan, dashed the exact one."""
    shown = [plan for plan in plans_of(folder) if plan["key"] in ("grid", "exact") and not plan["extrapolated"]]
    figure, (angles, torques, forward) = pictures.panels(3, 1, 6.6, 2.2, sharex=True)
    limit = shown[0]["joint_limit"]
    for side in (-limit, limit):
        angles.axhline(side, color=LIMIT, lw=1, ls=pictures.DOTTED, label="limit")
    for plan in shown:
        exact = plan["key"] == "exact"
        columns = [f"{what}{k}" for what in ("q", "torque") for k in (1, 2, 3)]
        table = pictures.read_table(folder, f"plan_{plan['key']}.csv", ("time", "centre_x", *columns))
        style = {"ls": pictures.DASHED if exact else "-", "lw": 1.2 if exact else 1.8}
        for k in range(3):
            label = None if exact else f"joint {k + 1}, {PLACES[k]}"
            angles.plot(table["time"], table[f"q{k + 1}"], color=JOINTS[k], label=label, **style)
            torques.plot(*pictures.stairs(table["time"], table[f"torque{k + 1}"]), color=JOINTS[k], **style)
        words = "way on exact dynamics, dashed" if exact else "way of the grid's plan"
        style["color"] = COLORS[plan["key"]]
        forward.plot(table["time"], table["centre_x"] - table["centre_x"][0], label=words, **style)
    angles.set_ylabel("joint angle [rad]")
    torques.set_ylabel("torque [N m]")
    forward.set(ylabel="way forward [m]", xlabel="time [s]")
    return figure


def evaluations(folder):
    figure, (panel,) = pictures.panels(1, 1, 6.2, 3.8)
    starts = False
    for plan in plans_of(folder):
        color, at, count = COLORS[plan["key"]], plan["iteration"], plan["evaluations"]
        panel.semilogy(at, count, color=color, lw=2, label=plan["name"])
        if plan["iterations_wanted"] > at[-1]:
            later = np.array([at[-1], plan["iterations_wanted"]])
            slope = (count[-1] - count[0]) / at[-1]
            later = np.linspace(*later, 40)
            panel.plot(later, count[0] + slope * later, color=color, ls=pictures.DASHED, label="the same, extrapolated")
        panel.plot(plan["level_start"], plan["level_start_evaluations"], "o", mfc="white", mec=color, ms=7, mew=1.4)
        starts = starts or len(plan["level_start"]) > 0
    if starts:
        panel.plot([], [], "o", mfc="white", mec=BLACK, ms=7, mew=1.4, label="first iterate of a finer level")
    panel.set(title="Exact evaluations of the added mass", xlabel="iteration of the planner")
    panel.set_ylabel("evaluations so far")
    pictures.whole_numbers(panel.xaxis)
    pictures.decades(panel.yaxis)
    return figure


def cells_passed(x, y, spacing):
    """The lower corners of the cells that the line passes."""
    part = np.linspace(0, 1, 9)[:, None]
    points = np.array([(a[:-1] + part * np.diff(a)).ravel() for a in (x, y)])
    return np.unique(np.floor(points / spacing), axis=1).T * spacing


def path(folder):
    grid = next(plan for plan in pictures.read_rows(folder, "plans.json", ("key",)) if plan["key"] == "grid")
    if "spacing" not in grid or "last_level" not in grid:
        raise pictures.Refusal("plans.json: the grid's plan has no 'spacing' and 'last_level'")
    table = pictures.read_table(folder, "plan_grid.csv", ("q1", "q2", "q3"))
    figure, axes = pictures.panels(1, 2, 3.9, 4.4)
    for k, panel in enumerate(axes):
        x, y = table[f"q{k + 1}"], table[f"q{k + 2}"]
        for level in sorted({0, int(grid["last_level"])}):
            spacing = grid["spacing"] / 2**level
            squares = [
                [(a, b), (a + spacing, b), (a + spacing, b + spacing), (a, b + spacing)]
                for a, b in cells_passed(x, y, spacing)
            ]
            style = {"facecolor": FILLS[0 if level == 0 else 2], "edgecolor": GRID, "lw": 0.5}
            collection = pictures.matplotlib.collections.PolyCollection(
                squares, label=f"cells of spacing {spacing:g}", **style
            )
            panel.add_collection(collection)
        panel.plot(x, y, color=PLANNED, lw=1.8, label="plan")
        panel.plot(x[:1], y[:1], "o", color=PLANNED, ms=6, label="start")
        panel.set(xlabel=f"{NAMES[k]} [rad]", ylabel=f"{NAMES[k + 1]} [rad]", xlim=(-1.25, 1.25), ylim=(-1.25, 1.95))
        panel.set_aspect("equal")
    axes[0].set_title("The plan among the joint angles")
    return figure


if __name__ == "__main__":
    pictures.main(__doc__, {"joints": joints, "evaluations": evaluations, "path": path})
