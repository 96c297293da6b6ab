# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of swimmer_policy: gait.svg, returns.svg, evaluations.svg.

usage: python3 examples/studies/swimmer_policy/figures.py <folder that the program wrote>
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import GREY, GRID, JOINTS, LIMIT, PLANNED, TRUTH  # noqa: E402

np = pictures.np
GAITS = {"learned": GRID, "planned": PLANNED, "searched": GREY}
WORDS = {"learned": "learned", "planned": "planned", "searched": "cross-entropy"}
JOINT_WORDS = ("q\u2081 head", "q\u2082 middle", "q\u2083 tail")
X_LABEL = "iteration (16384 steps)"


def study_of(folder):
    keys = ("seeds", "joint_limit", "planned_distance", "exact_evaluations_of_an_iteration", "searched_distances")
    return pictures.read_rows(folder, "study.json", keys)[0]


def learning(folder):
    """The tables of all seeds."""
    columns = ("iteration", "evaluations", "mean_return", "distance")
    return [
        pictures.read_table(folder, f"learning_{int(seed)}.csv", columns) for seed in study_of(folder)["seeds"]
    ]


def spread(panel, tables, column, **style):
    """Mean, least and greatest over the seeds."""
    count = min(len(table[column]) for table in tables)
    values = np.array([table[column][:count] for table in tables])
    at = tables[0]["iteration"][:count]
    panel.fill_between(at, values.min(axis=0), values.max(axis=0), color=style["color"], alpha=0.2, lw=0)
    panel.plot(at, values.mean(axis=0), lw=1.9, **style)
    return at


def returns(folder):
    study, tables = study_of(folder), learning(folder)
    of_seeds = f", mean and range of {len(tables)} seeds" if len(tables) > 1 else ""
    figure, (swum, gained) = pictures.panels(1, 2, 4.8, 3.4)
    spread(swum, tables, "distance", color=GRID, label="learned")
    searched = study["searched_distances"]
    if np.isfinite(searched).any():
        swum.plot(np.arange(1, len(searched) + 1), searched, color=GREY, lw=1.4, label="cross-entropy")
    swum.axhline(study["planned_distance"], color=PLANNED, lw=1.2, ls=pictures.DASHED, label="planned stroke")
    swum.set(title=f"Swum in 4 s{of_seeds}", xlabel=X_LABEL, ylabel="way forward [m]")
    spread(gained, tables, "mean_return", color=GRID)
    gained.set(title=f"Return while learning{of_seeds}", xlabel=X_LABEL, ylabel="return")
    pictures.whole_numbers(swum.xaxis, gained.xaxis)
    return figure


def evaluations(folder):
    study, tables = study_of(folder), learning(folder)
    without = study["exact_evaluations_of_an_iteration"]
    style = {"color": TRUTH, "ls": pictures.DASHED}
    figure, (so_far, worth) = pictures.panels(1, 2, 4.8, 3.4)
    at = spread(so_far, tables, "evaluations", color=GRID, label="through the grid")
    so_far.plot(at, without * at, label="the same without, four a step", **style)
    so_far.set(title="Exact evaluations of the added mass", xlabel=X_LABEL, ylabel="evaluations so far", yscale="log")
    for table in tables:
        worth.plot(table["evaluations"], table["distance"], color=GRID, lw=1.2)
        worth.plot(without * table["iteration"], table["distance"], lw=1.2, **style)
    worth.set(title="What they buy", xlabel="exact evaluations so far", ylabel="way forward in 4 s [m]", xscale="log")
    pictures.whole_numbers(so_far.xaxis)
    pictures.decades(so_far.yaxis)
    pictures.decades(worth.xaxis)
    return figure


def gait(folder):
    limit = study_of(folder)["joint_limit"]
    columns = ("time", "q1", "q2", "q3", "centre_x")
    figure, axes = pictures.panels(2, 2, 4.8, 2.7)
    loops, forward = axes[2:]
    for name, panel in zip(GAITS, [*axes[:2], None]):
        if name == "searched" and not pictures.is_there(folder, "gait_searched.csv"):
            continue
        table = pictures.read_table(folder, f"gait_{name}.csv", columns)
        style = {"color": GAITS[name], "label": WORDS[name]}
        forward.plot(table["time"], table["centre_x"] - table["centre_x"][0], **style)
        if panel is None:
            continue
        loops.plot(table["q1"], table["q3"], **style)
        for side in (-limit, limit):
            panel.axhline(side, color=LIMIT, lw=1, ls=pictures.DOTTED, label="limit")
        for k in range(3):
            panel.plot(table["time"], table[f"q{k + 1}"], color=JOINTS[k], label=JOINT_WORDS[k])
        panel.set(title=f"Angles, {name}", xlabel="time [s]", ylabel="angle [rad]")
    loops.set(title="Loops of the outer joints", xlabel="q\u2081 [rad]", ylabel="q\u2083 [rad]")
    loops.set_aspect("equal", adjustable="datalim")
    forward.set(title="Way of the centre of mass", xlabel="time [s]", ylabel="forward [m]")
    return figure


if __name__ == "__main__":
    pictures.main(
        __doc__,
        {"gait": gait, "returns": returns, "evaluations": evaluations},
        {"returns": "learning_*.csv", "evaluations": "learning_*.csv"},
    )
