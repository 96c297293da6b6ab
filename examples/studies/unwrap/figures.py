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
    share = counts[0] / counts[1]
    ranges(panel, x, 100 * share, *(100 * end for end in wilson(*counts)), color, marker, label)


def ranges(panel, x, middle, low, high, color, marker, label):
    """A line with bars from low to high: bands of several planners over each other could not be told apart."""
    reach = np.maximum([middle - low, high - middle], 0)
    panel.errorbar(x, middle, reach, color=color, marker=marker, lw=1.4, elinewidth=1, capsize=2, label=label)


def planners(folder):
    trials = pictures.read_rows(folder, "trials.json", KEYS)
    windings = sorted({row["winding"] for row in trials})

    def of(planner, winding):
        return [row for row in trials if row["planner"] == planner and row["winding"] == winding]

    title = "Planning by the winding (Fig. 7)"
    figure, panels = pictures.mosaic(["abc", "dee"], 3.6, 2.8, title=title)
    checks, success, time, cost, blocked = panels.values()
    shown = [name for name in PLANNERS if any(row["planner"] == name for row in trials)]
    for number, name in enumerate(shown):
        color, marker = PLANNERS[name]
        groups = [of(name, winding) for winding in windings]
        style = {"color": color, "marker": marker, "lw": 1.4, "label": name}
        beside = np.array(windings) + 0.035 * (number - (len(shown) - 1) / 2)
        counts = [np.array([row["checks"] for row in group]) for group in groups]
        low, high = (np.array([np.quantile(count, part) for count in counts]) for part in (0.1, 0.9))
        ranges(checks, beside, np.array([median(count) for count in counts]), low, high, color, marker, name)
        rates(success, beside, groups, color, marker, name)
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
    checks.set(title="Median, and range of 80 %", ylabel="collision checks", yscale="log")
    success.set(title="Share, with its 95 % interval", ylabel="success [%]", ylim=(-5, 105))
    time.set(title="Median", ylabel="time [s]", yscale="log")
    cost.set(title="Median where solved", ylabel="control cost", yscale="log")
    for panel in (checks, success, time, cost):
        panel.set(xlabel="turns", xticks=windings)
    blocked.set(title="Every scene", xlabel="straight line in joint space blocked [%]", ylabel="collision checks")
    blocked.set_yscale("log")
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
        style = {"color": color, "marker": "o", "label": f"{winding:g} turn{'s' if winding != 1 else ''}"}
        cost.plot(precisions, costs, **style)
        ratio.plot(precisions, ratios, **style)
    ratio.axhline(100, color=GREY, lw=1, ls=pictures.DASHED, label="the paper's ratio")
    success.set(title="AICO's share, with its 95 % interval", ylabel="success [%]", ylim=(-5, 105))
    cost.set(title="AICO, median where solved", ylabel="control cost", yscale="log")
    ratio.set(title="RRT over AICO, median", ylabel="ratio of control costs", yscale="log")
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
    figure, panels = pictures.mosaic(["ab", "cd", "tt"], 4.0, 2.5, title=title)
    wanted, planned = (table[key].reshape(steps, segments).T for key in ("wanted", "planned"))
    most = np.abs(planned).max()
    for name, values, words in (("a", wanted, "Wanted, y"), ("b", planned, "Of the motion, \u03c6(q)")):
        image = pictures.matrix(panels[name], values, most, first=0)
        panels[name].set(title=words, xlabel="time step")
    figure.colorbar(image, ax=[panels["a"], panels["b"]], shrink=0.8).set_label("turns")
    for name, step, words in zip("cd", np.unique(matrices["step"]), ("At the start", "In the end")):
        values = matrices["turns"][matrices["step"] == step].reshape(segments, -1)
        image = pictures.matrix(panels[name], values, 0.05)
        panels[name].set(title=f"{words}: {values.sum():.3g} turns", xlabel="piece of the pole, from below")
    figure.colorbar(image, ax=[panels["c"], panels["d"]], shrink=0.8, extend="both").set_label("turns")
    for name in "ac":
        panels[name].set_ylabel("segment of the arm")
    pictures.whole_numbers(*(panels[name].yaxis for name in "abcd"))
    total = panels["t"]
    total.plot(wanted.sum(axis=0), color=BLACK, ls=pictures.DASHED, label="wanted")
    total.plot(planned.sum(axis=0), color=BLUE, label="of the motion")
    total.set(title="Of the whole arm", xlabel="time step", ylabel="turns")
    return figure


if __name__ == "__main__":
    pictures.main(
        __doc__,
        {"unwrap_planners": planners, "unwrap_precision": precision, "unwrap_writhe": writhe},
        {"unwrap_precision": "precisions.json", "unwrap_writhe": "writhe.csv"},
    )
