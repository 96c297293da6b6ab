# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of fluidic_grab, of the parts that the program ran: cylinder.svg, actuator.svg, passive_arm.svg,
reach.svg, grabs.svg, grab_torques.svg, grab_attempts.svg, grab_realization.svg.

usage: python3 examples/studies/fluidic_grab/figures.py <folder that the program wrote>
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, BLUE, GOAL, GREY, JOINTS, LIGHT, LIMIT, TRUTH  # noqa: E402

np = pictures.np
MODEL = BLUE  # what a fitted model says, and the arm as it is planned
WEAK, STRONG = "#7fd3b2", "#00684a"  # where the tip can rest, by the limits of the torques
STATIC = ("0.13 N m in all four segments", "0, 0.12, 0.13, 0.18 N m")


def points_of(folder, name):
    """The rows of a file of points, by their kind."""
    kinds = {}
    for row in pictures.read_rows(folder, name, ("kind", "name", "time", "x", "z")):
        kinds.setdefault(row["kind"], []).append(row)
    return kinds


def of_kind(kinds, name, kind):
    if kind not in kinds:
        raise pictures.Refusal(f"{name} has no row of the kind '{kind}'")
    return kinds[kind]


def shade(part):
    """Of a moment, from light at the start to the model's colour in the end."""
    light, dark = np.array([0.78, 0.87, 0.95]), np.array(pictures.matplotlib.colors.to_rgb(MODEL))
    return tuple(light + part * (dark - light))


def in_space(panel, x=(-0.45, 0.45), z=(-0.6, 0.05)):
    panel.set(xlim=x, ylim=z, xlabel="x [m]")
    panel.set_aspect("equal")


def trial(folder, file, title, y_label, predictions):
    table = pictures.read_table(folder, f"{file}.csv", ("t", "reference", "measured", *predictions))
    figure, (top, bottom) = pictures.panels(2, 1, 6.4, 2.3, title=title, sharex=True)
    top.plot(table["t"], table["measured"], color=TRUTH, lw=2.6, label="measured")
    styles = ({"color": MODEL, "lw": 1.3}, {"color": BLACK, "lw": 1, "ls": pictures.DASHED})
    for (column, words), style in zip(predictions.items(), styles):
        top.plot(table["t"], table[column], label=words, **style)
    top.set_ylabel(y_label)
    bottom.plot(table["t"], table["reference"], color=LIMIT, lw=1.4, label="reference")
    bottom.set(xlabel="time [s]", ylabel="reference [mL]")
    return figure


def cylinder(folder):
    title = "A drive cylinder, a trial that was not fitted"
    return trial(folder, "cylinder", title, "displacement [mL]", {"predicted": "predicted"})


def actuator(folder):
    title = "A blocked actuator, a trial that was not fitted"
    words = {"cubic": "predicted by Eq. 20", "cubic_and_linear": "with a linear term (Eq. 12)"}
    return trial(folder, "actuator", title, "torque [N m]", words)


def passive_arm(folder):
    table = pictures.read_table(folder, "passive_arm.csv", ("t", "error_before", "error_after"))
    kinds = points_of(folder, "passive_arm.json")
    figure, (errors, pose) = pictures.panels(1, 2, 4.4, 3.4, title="The passive arm, let go")
    errors.plot(table["t"], table["error_before"], color=GREY, ls=pictures.DASHED, label="Table 1's initial values")
    errors.plot(table["t"], table["error_after"], color=MODEL, label="identified")
    errors.set(title="Positional error, all ends together", xlabel="time [s]", ylabel="[m]")
    styles = {
        "axis": {"color": MODEL, "lw": 2},
        "masses": {"color": MODEL, "marker": "o", "mfc": "white", "ms": 6, "ls": "none"},
        "ends": {"color": TRUTH, "marker": "o", "ms": 5, "ls": "none"},
    }
    for kind, style in styles.items():
        for row in of_kind(kinds, "passive_arm.json", kind):
            pose.plot(row["x"], row["z"], label=f"{row['name']} at the start", **style)
    pose.set(title="Pose at the start", ylabel="z [m]")
    in_space(pose, (-0.15, 0.45), (-0.5, 0.02))
    return figure


def resting(panel, table, size, sets=(0, 1)):
    for number, color in ((0, STRONG), (1, WEAK)):
        if number not in sets:
            continue
        of = table["set"] == number
        style = {"color": color, "ms": size[number], "zorder": 1, "mew": 0}
        panel.plot(table["x"][of], table["z"][of], ".", label=f"where the tip can rest: {STATIC[number]}", **style)


def reach(folder):
    table = pictures.read_table(folder, "reach.csv", ("set", "x", "z"))
    kinds = points_of(folder, "reach.json")
    figure, (panel,) = pictures.panels(1, 1, 6.2, 4.4)
    resting(panel, table, (8, 5))
    for row in of_kind(kinds, "reach.json", "shape"):
        panel.plot(row["x"], row["z"], color=MODEL, lw=2.6, label="the arm, hanging")
    for row in of_kind(kinds, "reach.json", "goal"):
        panel.plot(row["x"], row["z"], "x", color=GOAL, ms=8, mew=2, label="goals")
        panel.annotate(row["name"], (row["x"][0], row["z"][0]), (7, 3), textcoords="offset points", weight="bold")
    panel.set(title="Where the tip can rest", ylabel="z [m]", xlabel="x [m]")
    panel.set_aspect("equal")
    return figure


def grabs(folder):
    kinds = points_of(folder, "grabs.json")
    names = [row["name"] for row in of_kind(kinds, "grabs.json", "goal")]
    static = None
    if pictures.is_there(folder, "reach.csv"):
        static = pictures.read_table(folder, "reach.csv", ("set", "x", "z"))
        # of a raster of 1 cm every second point each way
        coarse = np.all([np.round(100 * static[axis]) % 2 == 0 for axis in ("x", "z")], axis=0)
        static = {column: values[coarse] for column, values in static.items()}
    title = "Grabs A to D: the neutral axis on its way, lightest first, and at the goal"
    figure, axes = pictures.panels(2, 2, 4.3, 3.4, title=title, sharex=True, sharey=True)
    for panel, goal in zip(axes, kinds["goal"]):
        shapes = sorted((row for row in kinds["shape"] if row["name"] == goal["name"]), key=lambda row: row["time"])
        if static is not None:
            resting(panel, static, (8, 8), sets=(1,))
        for number, shape in enumerate(shapes):
            part = number / (len(shapes) - 1)
            style = {"color": shade(part), "lw": 3 if part == 1 else 1.4, "zorder": 2 + part}
            panel.plot(shape["x"], shape["z"], solid_capstyle="round", **style)
        tips = np.array([(shape["x"][-1], shape["z"][-1]) for shape in shapes])
        style = {"color": BLACK, "lw": 0.7, "ls": pictures.DOTTED, "zorder": 4}
        panel.plot(*tips.T, label="way of the tip, with the time [s]", **style)
        named = []
        for place, shape in reversed(list(zip(tips, shapes))):
            if any(np.hypot(*(place - other)) < 0.06 for other in named):
                continue
            named.append(place)
            label = panel.annotate(
                f"{shape['time']:.2f}", place, (0, -10), textcoords="offset points", fontsize=7, ha="center", zorder=6
            )
            label.set_path_effects([pictures.matplotlib.patheffects.withStroke(linewidth=2, foreground="white")])
        panel.plot(goal["x"], goal["z"], "x", color=GOAL, ms=8, mew=2, label="goal", zorder=5)
        panel.set_title(f"Grab {goal['name']}")
        in_space(panel)
        panel.set_xlabel(None)
    for panel in axes[2:]:
        panel.set_xlabel("x [m]")
    for panel in axes[::2]:
        panel.set_ylabel("z [m]")
    for panel in axes[len(names) :]:
        panel.set_visible(False)
    return figure


def grab_torques(folder):
    columns = ("tau2", "tau3", "tau4")
    table = pictures.read_table(folder, "grab_plans.csv", ("goal", "t", *columns))
    figure, axes = pictures.panels(2, 2, 4.3, 2.6, title="Torques of the grabs", sharey=True)
    for panel, goal in zip(axes, np.unique(table["goal"])):
        of = table["goal"] == goal
        for k, column in enumerate(columns):
            panel.plot(table["t"][of], table[column][of], color=JOINTS[k], label=f"segment {k + 2}")
        panel.set_title(f"Grab {'ABCD'[int(goal)]}")
    for panel in axes[2:]:
        panel.set_xlabel("time [s]")
    for panel in axes[::2]:
        panel.set_ylabel("torque [N m]")
    return figure


def grab_attempts(folder):
    table = pictures.read_table(folder, "grab_attempts.csv", ("experiment", "attempt", "t", "x", "z", "dx_dt", "dz_dt"))
    keys = ("experiment", "name", "grab_time", "predicted_tip", "ball_radius")
    experiments = pictures.read_rows(folder, "grab_experiments.json", keys)
    title = "The tip's velocity over its position, from rest to the grab"
    figure, axes = pictures.panels(len(experiments), 2, 4.3, 2.4, title=title)
    for k, one in enumerate(experiments):
        of_one = table["experiment"] == one["experiment"]
        for axis, (place, speed) in enumerate((("x", "dx_dt"), ("z", "dz_dt"))):
            panel = axes[2 * k + axis]
            for attempt in np.unique(table["attempt"][of_one]):
                of = of_one & (table["attempt"] == attempt) & (table["t"] <= one["grab_time"] + 1e-9)
                panel.plot(table[place][of], table[speed][of], color=TRUTH, lw=0.8, alpha=0.6, label="attempts")
                panel.plot(table[place][of][-1], table[speed][of][-1], "o", color=TRUTH, ms=4, label="at the grab")
            middle, room = one["predicted_tip"][axis], one["ball_radius"]
            panel.axvspan(middle - room, middle + room, color=LIGHT, alpha=0.6, lw=0, label="predicted, 2 cm around")
            panel.set(
                title=f"Experiment {one['name']}",
                xlabel=f"{place} [m]",
                ylabel=f"d{place}/dt [m/s]",
                xlim=(-0.22, 0.25) if axis == 0 else (-0.53, -0.31),
                ylim=(-1.5, 1.5),
            )
            panel.xaxis.set_major_locator(pictures.ticker.MaxNLocator(5))
    return figure


def grab_realization(folder):
    kinds = points_of(folder, "grab_realization.json")
    parts = ("reference", "volume_wanted", "volume_realized", "torque_planned", "torque_realized")
    columns = [f"{part}{k}" for k in (2, 3, 4) for part in parts]
    table = pictures.read_table(folder, "grab_realization.csv", ("t", *columns))
    goal = of_kind(kinds, "grab_realization.json", "goal")[0]
    title = f"A grab as planned and as realized (experiment {goal['name']})"
    figure, axes = pictures.panels(2, 4, 3.0, 2.6, title=title)
    planned, both = axes[0], axes[4]
    shapes = of_kind(kinds, "grab_realization.json", "planned")
    for number, shape in enumerate(shapes):
        part = number / (len(shapes) - 1)
        planned.plot(shape["x"], shape["z"], color=shade(part), lw=1.2 + 1.4 * (part == 1))
    for masses in of_kind(kinds, "grab_realization.json", "masses"):
        planned.plot(masses["x"], masses["z"], ".", color=MODEL, ms=6)
    styles = {
        # wide below thin, so that what coincides is seen
        "plan": {"color": MODEL, "lw": 4, "alpha": 0.45, "label": "planned"},
        "model": {"color": BLACK, "lw": 1.8, "ls": pictures.DOTTED, "label": "the model, realizable"},
        "machine": {"color": TRUTH, "lw": 1.1, "label": "the machine"},
    }
    for kind, style in styles.items():
        for row in of_kind(kinds, "grab_realization.json", kind):
            both.plot(row["x"], row["z"], **style)
    for panel, words in ((planned, "Planned, lightest first"), (both, "Plan, model, machine")):
        panel.plot(goal["x"], goal["z"], "x", color=GOAL, ms=7, mew=1.8, label="goal", zorder=5)
        panel.set(title=words, ylabel="z [m]")
        in_space(panel, (-0.4, 0.4))
    for k in (2, 3, 4):
        volumes, torques = axes[k - 1], axes[k + 3]
        style = {"color": LIMIT, "ls": pictures.DOTTED}
        volumes.plot(table["t"], table[f"reference{k}"], label="reference of the volume", **style)
        volumes.plot(table["t"], table[f"volume_wanted{k}"], **styles["plan"])
        volumes.plot(table["t"], table[f"volume_realized{k}"], **styles["machine"])
        torques.plot(table["t"], table[f"torque_planned{k}"], **styles["plan"])
        torques.plot(table["t"], table[f"torque_realized{k}"], **styles["machine"])
        volumes.set_title(f"Segment {k}: volume [mL]")
        torques.set(title=f"Segment {k}: torque [N m]", xlabel="time [s]")
    for some in (axes[1:4], axes[5:8]):
        most = 1.05 * max(max(abs(end) for end in panel.get_ylim()) for panel in some)
        for panel in some:
            panel.set_ylim(-most, most)
    return figure


if __name__ == "__main__":
    pictures.main(
        __doc__,
        {
            "cylinder": cylinder,
            "actuator": actuator,
            "passive_arm": passive_arm,
            "reach": reach,
            "grabs": grabs,
            "grab_torques": grab_torques,
            "grab_attempts": grab_attempts,
            "grab_realization": grab_realization,
        },
        {
            "cylinder": "cylinder.csv",
            "actuator": "actuator.csv",
            "passive_arm": "passive_arm.csv",
            "reach": "reach.csv",
            "grabs": "grabs.json",
            "grab_torques": "grab_plans.csv",
            "grab_attempts": "grab_attempts.csv",
            "grab_realization": "grab_realization.csv",
        },
    )
