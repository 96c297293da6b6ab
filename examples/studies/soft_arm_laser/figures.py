# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of soft_arm_laser: spot_3d.svg, spot_2d.svg, evaluations.svg, cells.svg.

usage: python3 examples/studies/soft_arm_laser/figures.py <folder that the program wrote>
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, GREEN, GRID, ORANGE, OTHER_GRID, PLANNED, PURPLE, TARGET, TRUTH  # noqa: E402

np = pictures.np
COLORS = {"grid": GRID, "grid_enough": ORANGE, "grid_jets": OTHER_GRID, "grid_inertial": PURPLE, "eq8": TRUTH, "eq2": GREEN, "obstacles": BLACK}


def spot_3d(folder):
    return spots(folder, "space", "plan_3d", ("x", "y"))


def spot_2d(folder):
    return spots(folder, "plane", "plan_2d", ("x",))


def spots(folder, arm, prefix, axes):
    """Dashed what was planned with shapes at rest, solid what was planned with inertia or on the full dynamics, or
    finished there."""
    figure, (path, error) = pictures.panels(1, 2, 4.4, 4.1)
    drawn_target = False
    for plan in pictures.read_rows(folder, "plans.json", ("arm", "key", "name", "extrapolated")):
        if plan["arm"] != arm or plan["extrapolated"] or plan["key"] not in ("grid", "grid_inertial", "eq8", "eq2"):
            continue
        kinds = ("target_", "spot_on_eq2_", "spot_finished_")
        columns = [kind + axis for kind in kinds for axis in axes]
        table = pictures.read_table(folder, f"{prefix}_{plan['key']}.csv", ["time", *columns])
        target, spot, finished = (np.array([table[kind + axis] for axis in axes]) for kind in kinds)
        on = np.isfinite(target[0])
        time = table["time"]

        def line(points, **style):
            path.plot(*((points[0], points[1]) if len(axes) == 2 else (time, points[0])), **style)

        if not drawn_target:
            line(target, color=TARGET, lw=7, label="target", zorder=1)
            drawn_target = True
        on_full = plan["key"] in ("eq2", "grid_inertial")
        style = {"color": COLORS[plan["key"]], "lw": 1.4, "ls": "-" if on_full else pictures.DASHED}
        if not on_full and plan["key"] == "eq8":
            style["ls"] = pictures.DOTTED  # it lies on the grid's
        finished_name = f"{plan['name']}, finished on Eq. 2"
        for points, more in ((spot, {"label": plan["name"]}), (finished, {"label": finished_name})):
            if not np.isfinite(points).any():
                continue
            if points is finished:
                if plan["key"] != "grid":
                    continue
                more |= {"ls": "-", "lw": 2}
            line(points, **(style | more))
            error.semilogy(time[on], 1e3 * np.linalg.norm((points - target)[:, on], axis=0), **(style | more))
    path.set_title("The spot on the full dynamics (Eq. 2), over its target")
    if len(axes) == 2:
        path.set_aspect("equal", adjustable="datalim")
        path.set(xlabel="x [m]", ylabel="y [m]")
    else:
        path.set(xlabel="time [s]", ylabel="x [m]")
    error.set(title="Distance from the target", xlabel="time [s]", ylabel="error [mm]")
    pictures.decades(error.yaxis)
    return figure


def evaluations(folder):
    plans = pictures.read_rows(
        folder,
        "plans.json",
        ("arm", "key", "name", "iteration", "evaluations", "level_start", "level_start_evaluations"),
    )
    arms = [arm for arm in ("plane", "space") if any(plan["arm"] == arm for plan in plans)]
    figure, axes = pictures.panels(1, len(arms), 4.4 if len(arms) > 1 else 5.2, 3.4)
    for arm, panel in zip(arms, axes):
        for plan in plans:
            if plan["arm"] != arm or plan["key"] in ("eq2", "obstacles"):
                continue
            color = COLORS[plan["key"]]
            panel.semilogy(plan["iteration"], plan["evaluations"], color=color, lw=2, label=plan["name"])
            ring = {"mfc": "white", "mec": color, "ms": 7, "mew": 1.4, "zorder": 4}
            panel.plot(plan["level_start"], plan["level_start_evaluations"], "o", **ring)
        if any(plan["arm"] == arm and len(plan["level_start"]) for plan in plans):
            panel.plot([], [], "o", mfc="white", mec=BLACK, ms=7, mew=1.4, label="first iterate of a finer level")
        words = {"plane": "plane arm", "space": "arm in space"}[arm]
        panel.set(title=f"Exact evaluations, {words}", xlabel="iteration of the planner")
        panel.set_ylabel("evaluations of f so far")
        pictures.whole_numbers(panel.xaxis)
        pictures.decades(panel.yaxis)
    return figure


def cells(folder):
    """The plane of the plane arm's grid."""
    names = ("alpha1", "alpha2")
    visited = pictures.read_table(folder, "cells_2d.csv", ("level", "spacing", *names))
    corners = pictures.read_table(folder, "corners_2d.csv", names)
    iterates = pictures.read_table(folder, "iterates_2d.csv", ("iterate", *names))
    plan = pictures.read_table(folder, "plan_2d_grid.csv", names)
    figure, (panel,) = pictures.panels(1, 1, 6.2, 5.6)
    for level in np.unique(visited["level"]):
        on = visited["level"] == level
        spacing = visited["spacing"][on][0]
        squares = [
            [(x, y), (x + spacing, y), (x + spacing, y + spacing), (x, y + spacing)]
            for x, y in zip(visited["alpha1"][on], visited["alpha2"][on])
        ]
        fill = pictures.FILLS[min(int(level), len(pictures.FILLS) - 1)]
        words = f"cells of spacing {spacing:g}"
        panel.add_collection(
            pictures.matplotlib.collections.PolyCollection(squares, facecolor=fill, edgecolor=GRID, lw=0.5, label=words)
        )
    panel.plot(corners["alpha1"], corners["alpha2"], ".", color=BLACK, ms=3.5, label="evaluations of f")
    for iterate in np.unique(iterates["iterate"]):
        of = iterates["iterate"] == iterate
        label = "first three iterates" if iterate == iterates["iterate"][0] else None
        panel.plot(iterates["alpha1"][of], iterates["alpha2"][of], color=ORANGE, lw=1, label=label)
    panel.plot(plan["alpha1"], plan["alpha2"], color=PLANNED, lw=1.8, label="plan")
    panel.set_aspect("equal")
    panel.autoscale_view()
    panel.set(title="Cells visited and iterates, plane arm", xlabel="\u03b1\u2081", ylabel="\u03b1\u2082")
    return figure


if __name__ == "__main__":
    pictures.main(
        __doc__,
        {"spot_3d": spot_3d, "spot_2d": spot_2d, "evaluations": evaluations, "cells": cells},
        {"spot_3d": "plan_3d_grid.csv", "spot_2d": "plan_2d_grid.csv", "cells": "cells_2d.csv"},
    )
