# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of unwrap: unwrap_planners.svg, unwrap_precision.svg, unwrap_writhe.svg.

usage: python3 examples/studies/unwrap/figures.py <folder that the program wrote>
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION  # noqa: E402

np = pictures.np
AICO, RRT, SHORTENED = "hierarchical AICO", "RRT", "RRT-Connect, simplified"
PLANNERS = {
    AICO: (BLUE, "o"),
    RRT: (VERMILION, "s"),
    "RRT-Connect": (GREEN, "^"),
    "inverse kinematics": (GREY, "D"),
}
WINDINGS = (SKY, BLUE, PURPLE, ORANGE, BLACK)
KEYS = ("planner", "winding", "seed", "blocked", "success", "checks", "seconds", "cost")


def median(values):
    return np.median(values) if len(values) else np.nan


def wilson(successes, draws):
    """The shares that the draws leave possible: the 95 % interval of Wilson (1927)."""
    z = 1.96
    middle = (successes + z * z / 2) / (draws + z * z)
    half = z / (draws + z * z) * np.sqrt(successes * (draws - successes) / draws + z * z / 4)
    return middle - half, middle + half


def rates(panel, x, groups, color, marker, label):
    """Success of groups of trials in per cent, with intervals."""
    counts = np.array([(sum(row["success"] for row in group), len(group)) for group in groups], dtype=float).T
    low, high = wilson(*counts)
    panel.fill_between(x, 100 * low, 100 * high, color=color, alpha=0.12, lw=0)
    panel.plot(x, 100 * counts[0] / counts[1], marker=marker, color=color, label=label)


def planners(folder):
    trials = pictures.read_rows(folder, "trials.json", KEYS)
    windings = sorted({row["winding"] for row in trials})

    def of(planner, winding):
        return [row for row in trials if row["planner"] == planner and row["winding"] == winding]

    figure, axes = pictures.panels(2, 3, 3.6, 2.8, title="Planning by the winding (Fig. 7)")
    checks, success, time, cost, blocked, empty = axes
    empty.set_visible(False)
    for name, (color, marker) in PLANNERS.items():
        groups = [of(name, winding) for winding in windings]
        if not any(groups):
            continue
        style = {"color": color, "marker": marker, "label": name}
        counts = [np.array([row["checks"] for row in group]) for group in groups]
        low, high = (np.array([np.quantile(count, part) for count in counts]) for part in (0.1, 0.9))
        checks.fill_between(windings, low, high, color=color, alpha=0.15, lw=0)
        checks.plot(windings, [median(count) for count in counts], **style)
        rates(success, windings, groups, color, marker, name)
        time.plot(windings, [median([row["seconds"] for row in group]) for group in groups], **style)
        costs = [median([row["cost"] for row in group if row["success"]]) for group in groups]
        cost.plot(windings, costs, **style)
        for row in sum(groups, []):
            mark = marker if row["success"] else "x"
            blocked.plot(100 * row["blocked"], row["checks"], mark, color=color, ms=4, mew=1 if mark == "x" else 0)
    shortened = [of(SHORTENED, winding) for winding in windings]
    if any(shortened):
        costs = [median([row["cost"] for row in group if row["success"]]) for group in shortened]
        cost.plot(windings, costs, color=GREEN, ls=pictures.DASHED, label=SHORTENED)
    blocked.plot([], [], "x", color=BLACK, ms=4, label="failed")
    words = (
        (checks, "collision checks, median, 80 % of them"),
        (time, "time [s], median"),
        (cost, "control cost where solved, median"),
    )
    for panel, label in words:
        panel.set(xlabel="turns", ylabel=label, yscale="log")
    success.set(xlabel="turns", ylabel="success [%]", ylim=(-5, 105))
    blocked.set(xlabel="straight line in joint space blocked [%]", ylabel="collision checks", yscale="log")
    for panel in (checks, time, cost, blocked):
        pictures.decades(panel.yaxis)
    return figure


def precision(folder):
    trials = pictures.read_rows(folder, "precisions.json", (*KEYS, "precision"))
    precisions = sorted({row["precision"] for row in trials})
    windings = sorted({row["winding"] for row in trials})

    def of(planner, at, winding=None):
        return [
            row
            for row in trials
            if row["planner"] == planner and row["precision"] == at and winding in (None, row["winding"])
        ]

    title = "The precision of the writhe in the coupling of both levels"
    figure, (success, cost, ratio) = pictures.panels(1, 3, 3.6, 3.0, title=title)
    rates(success, precisions, [of(AICO, at) for at in precisions], BLUE, "o", None)
    for winding, color in zip(windings, WINDINGS):
        costs, ratios = [], []
        for at in precisions:
            by_seed = {row["seed"]: row["cost"] for row in of(AICO, at, winding) if row["success"]}
            costs.append(median(list(by_seed.values())))
            trees = [row for row in of(RRT, at, winding) if row["success"] and row["seed"] in by_seed]
            ratios.append(median([row["cost"] / by_seed[row["seed"]] for row in trees]))
        style = {"color": color, "marker": "o", "label": f"{winding:g} turns"}
        cost.plot(precisions, costs, **style)
        ratio.plot(precisions, ratios, **style)
    ratio.axhline(100, color=GREY, lw=1, ls=pictures.DASHED, label="the paper's ratio")
    success.set(ylabel="success [%]", ylim=(-5, 105))
    cost.set(ylabel="AICO's control cost where solved, median", yscale="log")
    ratio.set(ylabel="RRT's control cost over AICO's, median", yscale="log")
    for panel in (success, cost, ratio):
        panel.set(xlabel="precision \u03c1 of the writhe", xscale="log")
        pictures.decades(panel.xaxis)
    for panel in (cost, ratio):
        pictures.plain_ticks(panel.yaxis)
    return figure


def writhe(folder):
    table = pictures.read_table(folder, "writhe.csv", ("step", "segment", "wanted", "planned"))
    matrices = pictures.read_table(folder, "writhe_matrices.csv", ("step", "segment", "piece", "turns"))
    steps, segments = int(table["step"].max()) + 1, int(table["segment"].max())
    title = "How much each segment is wound around the pole (Figs. 5 and 6)"
    figure, axes = pictures.panels(2, 3, 3.6, 2.7, title=title)
    wanted, planned = (table[key].reshape(steps, segments).T for key in ("wanted", "planned"))
    most = np.abs(planned).max()
    words = ("wanted in writhe space, y", "of the arm's motion, \u03c6(q)")
    for panel, values, title in zip(axes, (wanted, planned), words):
        image = pictures.matrix(panel, values, most, first=0)
        panel.set(title=title, xlabel="time step", ylabel="segment of the arm")
    figure.colorbar(image, ax=axes[:2], shrink=0.8).set_label("turns")
    total = axes[2]
    total.plot(wanted.sum(axis=0), color=BLACK, ls=pictures.DASHED, label="writhe that is wanted")
    total.plot(planned.sum(axis=0), color=BLUE, label="writhe of the motion")
    total.set(title="of the whole arm", xlabel="time step", ylabel="turns")
    for panel, step, title in zip(axes[3:], np.unique(matrices["step"]), ("at the start", "in the end")):
        of = matrices["step"] == step
        values = matrices["turns"][of].reshape(segments, -1)
        image = pictures.matrix(panel, values, 0.05)
        panel.set(title=f"{title}: {values.sum():.3g} turns", xlabel="piece of the pole, from below")
        panel.set_ylabel("segment of the arm")
    figure.colorbar(image, ax=axes[3:5], shrink=0.8, extend="both").set_label("turns")
    axes[5].set_visible(False)
    return figure


if __name__ == "__main__":
    pictures.main(
        __doc__,
        {"unwrap_planners": planners, "unwrap_precision": precision, "unwrap_writhe": writhe},
        {"unwrap_precision": "precisions.json", "unwrap_writhe": "writhe.csv"},
    )
