# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of reach_through_loop: sweep.svg, mouths.svg, moving.svg, writhe.svg.

usage: python3 examples/studies/reach_through_loop/figures.py <folder that the program wrote>
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, BLUE, GREEN, GREY, JOINTS, ORANGE, SKY, VERMILION  # noqa: E402

np = pictures.np
SIDES = {
    "writhe + mesh": BLUE,
    "writhe + mesh, end only": SKY,
    "collision avoidance": VERMILION,
    "collision avoidance + way": ORANGE,
    "way alone": GREEN,
    "way alone, end only": GREY,
}
FOLLOWERS = {
    "as planned": GREY,
    "tip remapped": VERMILION,
    "writhe + mesh remapped": SKY,
    "writhe + mesh + tip remapped": BLUE,
}
SEGMENTS = ("base to shoulder", "upper arm", "forearm", "wrist to flange", "rod")
SEGMENT_COLORS = (*JOINTS, GREY, BLUE)


def in_order(rows, key, colors):
    """For each name of the colours its colour and its rows."""
    for name, color in colors.items():
        of = [row for row in rows if row[key] == name]
        if of:
            yield name, color, of


def numbers(rows, key):
    return np.array([row[key] for row in rows])


def sweep(folder):
    scores = pictures.read_rows(folder, "scores.json", ("side", "success", "median_iterations", "checks"))
    chosen = pictures.read_rows(folder, "iterations.json", ("side", "boxes", "iterations_of_successes"))
    figure, (iterations, checks, reached) = pictures.panels(1, 3, 3.7, 3.3)
    for name, color, of in in_order(scores, "side", SIDES):
        style = {"color": color, "alpha": 0.6, "ms": 4.5, "mew": 0}
        for panel, key in ((iterations, "median_iterations"), (checks, "checks")):
            panel.plot(numbers(of, key), numbers(of, "success"), "o", **style)
    iterations.set(title="every setting, boxes to choose by", xlabel="iterations, median", ylabel="success [%]")
    checks.set(title="what it costs in collision checks", xlabel="collision checks a plan, mean", ylabel="success [%]")
    for name, color, (one,) in in_order(chosen, "side", SIDES):
        at = np.concatenate([[0], np.sort(one["iterations_of_successes"]), [60]])
        share = 100 / one["boxes"] * np.concatenate([np.arange(len(at) - 1), [len(at) - 2]])
        reached.step(at, share, where="post", color=color, label=name)
    title = "the chosen ones, other boxes"
    reached.set(title=title, xlabel="iterations", ylabel="boxes reached into so soon [%]", xlim=(0, 60))
    for panel in (iterations, checks, reached):
        panel.set_ylim(0, 104)
    return figure


def rates(panel, x, rows, key, **style):
    """Shares over x, with what their draws leave possible as bars."""
    share = numbers(rows, key)
    bars = np.array([share - numbers(rows, f"{key}_least"), numbers(rows, f"{key}_most") - share])
    panel.errorbar(x, share, np.maximum(bars, 0), fmt="o-", elinewidth=1, **style)


def mouths(folder):
    rows = pictures.read_rows(folder, "mouths.json", ("side", "mouth_cm", "success", "success_least", "success_most"))
    figure, (panel,) = pictures.panels(1, 1, 5.8, 3.4)
    for number, (name, color, of) in enumerate(in_order(rows, "side", SIDES)):
        aside = -0.5 + 0.2 * number  # cm, so that no bar hides another
        rates(panel, numbers(of, "mouth_cm") + aside, of, "success", color=color, label=name)
    panel.set(
        title="the chosen settings, on other boxes; bars: 95 % intervals",
        xlabel="side of the mouth [cm]",
        ylabel="boxes reached into [%]",
        ylim=(0, 104),
    )
    return figure


def moving(folder):
    both = [f"{key}{end}" for key in ("success", "free") for end in ("", "_least", "_most")]
    rows = pictures.read_rows(folder, "moving.json", ("follower", "moved_cm", "turned_rad", "tip_error_cm", *both))
    most_turned = max(rows, key=lambda row: row["turned_rad"])["moved_cm"]
    most_error = max(row["tip_error_cm"] for row in rows)
    figure, axes = pictures.panels(2, 3, 3.5, 2.7)
    cases = (
        ("the box moves by up to [cm]", "moved_cm", lambda row: row["turned_rad"] == 0),
        ("it moves by 10 cm and turns by up to [rad]", "turned_rad", lambda row: row["moved_cm"] == most_turned),
    )
    for k, (words, key, shown) in enumerate(cases):
        success, free, error = axes[3 * k : 3 * k + 3]
        for name, color, of in in_order([row for row in rows if shown(row)], "follower", FOLLOWERS):
            x = numbers(of, key)
            rates(success, x, of, "success", color=color, label=name)
            rates(free, x, of, "free", color=color, label=name)
            error.plot(x, numbers(of, "tip_error_cm"), "o-", color=color, label=name)
        success.set(title="success", ylabel="motions [%]", ylim=(0, 104))
        free.set(title="free of collision", ylabel="motions [%]", ylim=(0, 104))
        error.set(title="the tip, once it is there", ylabel="from the goal [cm]", ylim=(0, 1.05 * most_error))
        for panel in (success, free, error):
            panel.set_xlabel(words)
    return figure


def writhe(folder):
    table = pictures.read_table(folder, "writhe_matrices.csv", ("time", "segment", "side_of_rim", "turns"))
    over_time = pictures.read_table(folder, "writhe.csv", ("time", *(f"segment{k}" for k in range(1, 6))))
    figure, axes = pictures.panels(1, 3, 3.7, 3.0)
    most = np.abs(table["turns"]).max()
    image = None
    for panel, time, words in zip(axes, np.unique(table["time"]), ("writhe matrix at the start", "in the end")):
        of = table["time"] == time
        shape = (int(table["segment"].max()), int(table["side_of_rim"].max()))
        image = pictures.matrix(panel, table["turns"][of].reshape(shape), most)
        panel.set(title=words, xlabel="side of the rim", ylabel="segment of the arm, from the base")
    bar = figure.colorbar(image, ax=axes[:2], shrink=0.8)
    bar.set_label("turns")
    panel = axes[2]
    for k, (words, color) in enumerate(zip(SEGMENTS, SEGMENT_COLORS)):
        panel.plot(over_time["time"], over_time[f"segment{k + 1}"], color=color, label=words)
    total = sum(over_time[f"segment{k}"] for k in range(1, 6))
    panel.plot(over_time["time"], total, color=BLACK, ls=pictures.DASHED, label="all of the arm")
    panel.set(title="over the plan", xlabel="time [s]", ylabel="turns around the rim")
    return figure


if __name__ == "__main__":
    pictures.main(__doc__, {"sweep": sweep, "mouths": mouths, "moving": moving, "writhe": writhe})
