# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of moving_obstacles: cost.svg, sweeps.svg.

usage: python3 examples/studies/moving_obstacles/figures.py <folder that the program wrote>
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLUE, GREEN, GREY, ORANGE, PLANNED, PURPLE, SKY, TRUTH  # noqa: E402

np = pictures.np
# By the names of the columns of levels.csv; quartiles are shown of those that are named here with True.
METHODS = {
    "re-planning": (TRUTH, True),
    "remapping_mesh_and_contact": (BLUE, True),
    "remapping_mesh_alone": (SKY, False),
    "remapping_mesh_as_printed": (PURPLE, False),
    "inverse_kinematics": (GREEN, False),
    "inverse_kinematics_stiff_and_late": (ORANGE, False),
    "inverse_kinematics_on_the_plan": (GREY, False),
    "the_plan_blindly": (PLANNED, False),
}
# The same in the sweeps; families of one damping each go from light to dark with it.
FAMILIES = {
    "mesh and contact": (BLUE, "-"),
    "mesh alone": (SKY, "-"),
    "with the spheres' rows": (SKY, pictures.DASHED),
    "as printed": (PURPLE, "-"),
    "as printed, with the spheres' rows": (PURPLE, pictures.DASHED),
    "inverse kinematics": (GREEN, "-"),
    "on the plan": (GREY, pictures.DASHED),
}


def methods_of(table):
    return [column[: -len("_mean")] for column in table if column.endswith("_mean")]


def cost(folder):
    table = pictures.read_table(folder, "levels.csv", ("displacement",))
    methods = methods_of(table)
    if not methods:
        raise pictures.Refusal("levels.csv has no column '<method>_mean'")
    figure, (costs, share) = pictures.panels(1, 2, 4.7, 3.6)
    at = table["displacement"]
    for method in methods:
        for what in ("quartile_1", "quartile_3", "in_collision"):
            if f"{method}_{what}" not in table:
                raise pictures.Refusal(f"levels.csv has no column '{method}_{what}'")
        color, quartiles = METHODS.get(method, (pictures.BLACK, False))
        style = {"color": color, "marker": "o", "label": method.replace("_", " ")}
        if quartiles:
            low, high = table[f"{method}_quartile_1"], table[f"{method}_quartile_3"]
            costs.fill_between(at, low, high, color=color, alpha=0.15, lw=0)
        costs.plot(at, table[f"{method}_mean"], **style)
        share.plot(at, table[f"{method}_in_collision"], **style)
    words = "displacement of the spheres [m]"
    costs.set(title="Mean cost, for two also the quartiles (Fig. 9)", xlabel=words, ylabel="running cost")
    share.set(title="In collision", xlabel=words, ylabel="share of the motions")
    return figure


def sweeps(folder):
    keys = ("sweep", "displacement", "family", "value", "margin", "cost_over_replanning")
    rows = pictures.read_rows(folder, "sweeps.json", keys)
    figure, axes = pictures.panels(1, 2, 4.7, 3.4, sharey=True)
    strength, gain = axes
    dampings = sorted({row["value"] for row in rows if row["sweep"] == "gain"})
    lines = {}
    for row in rows:
        of_gain = row["sweep"] == "gain"
        if of_gain and row["family"] == "straight to the goal":
            continue
        line = lines.setdefault((of_gain, row["family"], row["value"] if of_gain else 0), [])
        line.append((row["margin"] if of_gain else row["value"], row["cost_over_replanning"]))
    for (of_gain, family, damping), points in sorted(lines.items()):
        color, line = FAMILIES.get(family, (pictures.BLACK, pictures.DOTTED))
        words = f"{family}, damping {damping:g} m" if of_gain else family
        if of_gain:
            part = (1 + dampings.index(damping)) / len(dampings)
            color = tuple(1 - part * (1 - 0.8 * np.array(pictures.matplotlib.colors.to_rgb(color))))
        axes[of_gain].plot(*zip(*points), marker="o", color=color, ls=line, label=words)
    displacement = {row["sweep"]: row["displacement"] for row in rows}
    strength.set(
        title=f"Strength of C, at {displacement['strength']:g} m",
        xlabel="C [1/m\u00b2]",
        ylabel="mean cost over re-planning",
        xscale="log",
        yscale="log",
    )
    gain.set(
        title=f"Inverse kinematics, at {displacement['gain']:g} m",
        xlabel="distance at which it responds [m]",
        yscale="log",
    )
    pictures.plain_ticks(strength.yaxis)
    pictures.decades(strength.xaxis)
    return figure


if __name__ == "__main__":
    pictures.main(__doc__, {"cost": cost, "sweeps": sweeps})
