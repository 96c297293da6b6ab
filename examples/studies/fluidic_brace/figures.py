# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of fluidic_brace: stages.svg, plants.svg.

usage: python3 examples/studies/fluidic_brace/figures.py <folder that the program wrote>
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, BLUE, GOAL, GREY, ORANGE, PURPLE  # noqa: E402

np = pictures.np
BRACES = {"damping": (ORANGE, "by raised damping"), "contact": (PURPLE, "by contact")}
SERVOS = {"planned": "servo with the plan's torques", "alone": "servo alone"}


def stages(folder):
    """Fig. 15; later shapes darker."""
    scene = pictures.read_rows(folder, "scene.json", ("goal", "ball", "ball_radius", "brace_distance"))[0]
    rows = pictures.read_rows(folder, "stages.json", ("stage", "time", "with_ball", "x", "z", "ends_x", "ends_z"))
    titles = list(dict.fromkeys(row["stage"] for row in rows))
    figure, axes = pictures.panels(1, len(titles), 3.4, 3.8, sharey=True)
    for panel, title in zip(axes, titles):
        of = [row for row in rows if row["stage"] == title]
        if of[0]["with_ball"]:
            ball = {"fc": "#dfe3e8", "ec": BLACK, "lw": 1.2}
            contact = {"fill": False, "ec": GREY, "lw": 1, "ls": pictures.DASHED}
            for radius, style in ((scene["ball_radius"], ball), (scene["brace_distance"], contact)):
                panel.add_patch(pictures.pyplot.Circle(scene["ball"], radius, **style))
            panel.plot([], [], "o", mfc="#dfe3e8", mec=BLACK, ms=9, label="ball")
            panel.plot([], [], color=GREY, lw=1, ls=pictures.DASHED, label="the axis of an arm that touches")
        for number, row in enumerate(of):
            part = number / (len(of) - 1)
            label = "arm, later shapes darker" if part == 1 else None
            panel.plot(row["x"], row["z"], color=BLUE, lw=1.8, alpha=0.25 + 0.75 * part, label=label)
        panel.plot(of[-1]["ends_x"], of[-1]["ends_z"], "o", color=BLUE, ms=4)
        panel.plot(*scene["goal"], "x", color=GOAL, ms=8, mew=2, label="goal", zorder=5)
        panel.set(title=title, xlabel="x [m]", xlim=(-0.14, 0.34), ylim=(-0.52, 0.02))
        panel.set_aspect("equal")
    axes[0].set_ylabel("z [m]")
    return figure


def plants(folder):
    """Of each random plant a quantity with a brace above the same without."""
    kinds = [f"{what}_{brace}" for what in ("error", "spent") for brace in ("free", *BRACES)]
    columns = [f"{servo}_{kind}" for servo in SERVOS for kind in kinds]
    table = pictures.read_table(folder, "plants.csv", columns)
    figure, axes = pictures.panels(2, 2, 3.9, 3.1)
    words = {"error": "tip's error [cm]", "spent": "spent in 9 s [(N m)\u00b2 s]"}
    for k, (what, name) in enumerate(words.items()):
        most = max(table[column].max() for column in columns if f"_{what}_" in column)
        for panel, (servo, title) in zip(axes[2 * k :], SERVOS.items()):
            panel.plot([0, most], [0, most], color=GREY, lw=1, ls=pictures.DASHED, label="no difference")
            without = table[f"{servo}_{what}_free"]
            for brace, (color, label) in BRACES.items():
                style = {"color": color, "alpha": 0.7, "ms": 5, "mew": 0, "label": label}
                panel.plot(without, table[f"{servo}_{what}_{brace}"], "o", **style)
            ends = (-0.03 * most, 1.05 * most)
            panel.set(title=title, xlim=ends, ylim=ends, xlabel=f"{name}, without a brace", ylabel="with a brace")
    return figure


if __name__ == "__main__":
    pictures.main(__doc__, {"stages": stages, "plants": plants})
