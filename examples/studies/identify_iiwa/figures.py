# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of identify_iiwa: convergence.svg, tracking.svg, the same as *_harder.svg, feedback.svg,
online.svg and payload.svg, of the parts that the program ran.

usage: python3 examples/studies/identify_iiwa/figures.py <folder that the program wrote>
"""

import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures"))
import pictures  # noqa: E402
from pictures import BLACK, BLUE, GREEN, GREY, LIGHT, LIMIT, ORANGE, PURPLE, SKY, VERMILION  # noqa: E402

np = pictures.np
# By the names that the program gives them.
COLORS = {
    "given": GREY,
    "MLP": VERMILION,
    "MLP, standardized": "#8a3b00",
    "DeLaN": ORANGE,
    "NoStr": PURPLE,
    "Symm": BLACK,
    "SPD": SKY,
    "Tri": GREEN,
    "Cov": BLUE,
    "least squares": "#57606a",
    "no adaptation": GREY,
    "Cov, Adam": BLUE,
    "NoStr, Adam": PURPLE,
}
WORDS = {"convergence": "learning to 0.1 in every joint", "convergence_harder": "learning until it converges"}


def color_of(name):
    return COLORS.get(name, BLACK)


def by_name(folder, of, table, column):
    """The parts of the table by the name of what the column numbers."""
    rows = pictures.read_rows(folder, "names.json", ("of", "number", "name"))
    for row in rows:
        if row["of"] != of:
            continue
        these = table[column] == row["number"]
        if these.any():
            yield row["name"], {key: values[these] for key, values in table.items()}


def runs(table):
    """The parts of the table by their seed."""
    for seed in np.unique(table["seed"]):
        these = table["seed"] == seed
        yield {key: values[these] for key, values in table.items()}


def convergence(name, folder):
    table = pictures.read_table(folder, f"{name}.csv", ("model", "seed", "epoch", "worst_nmse"))
    plant = "Harder plant" if name.endswith("harder") else "Simulation"
    figure, (panel,) = pictures.panels(1, 1, 6.4, 4.0)
    for model, of_model in by_name(folder, "model", table, "model"):
        for run in runs(of_model):
            later = run["epoch"] > 0
            panel.loglog(
                run["epoch"][later], run["worst_nmse"][later], ".-", color=color_of(model), lw=1.2, ms=4, label=model
            )
    panel.axhline(0.1, color=LIMIT, lw=1, ls=pictures.DASHED)
    panel.set(title=f"{plant}: {WORDS[name]}", xlabel="epoch", ylabel="NMSE of tau, worst joint")
    pictures.plain_ticks(panel.xaxis)
    pictures.decades(panel.yaxis)
    return figure


def tracking(name, folder):
    table = pictures.read_table(folder, f"{name}.csv", ("model", "time", "error"))
    plant = "Harder plant" if name.endswith("harder") else "Simulation"
    figure, (panel,) = pictures.panels(1, 1, 7.4, 3.8)
    for model, run in by_name(folder, "model", table, "model"):
        style = {"lw": 1.6, "ls": pictures.DASHED, "zorder": 5} if model == "given" else {"lw": 1.1}
        panel.semilogy(run["time"], np.maximum(run["error"], 1e-7), color=color_of(model), label=model, **style)
    panel.set(title=f"{plant}: five reaches, first seed", xlabel="time [s]", ylabel="error of the end effector [m]")
    pictures.decades(panel.yaxis)
    return figure


def online(folder):
    """A panel for each model, with all the others in grey: bands over each other would be mud."""
    table = pictures.read_table(folder, "online.csv", ("model", "seed", "batch", "mean_nmse"))
    curves = {}
    for model, of_model in by_name(folder, "model", table, "model"):
        all_runs = list(runs(of_model))
        count = min(len(run["batch"]) for run in all_runs)
        errors = np.array([run["mean_nmse"][:count] for run in all_runs])
        curves[model] = all_runs[0]["batch"][:count], errors
    columns = 3 if len(curves) in (3, 5, 6) else min(len(curves), 4)
    rows = -(-len(curves) // columns)
    title = "Learning online, batches of 256 in the order of time: mean and range over the seeds"
    figure, axes = pictures.panels(rows, columns, 2.4, 2.0, title=title, sharex=True, sharey=True)
    for panel, (model, (at, errors)) in zip(axes, curves.items()):
        for other_at, other in curves.values():
            panel.semilogy(other_at, np.exp(np.log(other).mean(axis=0)), color=LIGHT, lw=0.8, zorder=1)
        color = color_of(model)
        panel.fill_between(at, errors.min(axis=0), errors.max(axis=0), color=color, alpha=0.2, lw=0)
        panel.plot(at, np.exp(np.log(errors).mean(axis=0)), color=color, lw=1.8)
        panel.set_title(model)
        pictures.decades(panel.yaxis)
    for panel in axes[len(curves) :]:
        panel.set_visible(False)
    for k in range(len(curves)):
        if k + columns >= len(curves):
            axes[k].set_xlabel("batch")
            axes[k].tick_params(labelbottom=True)
    for panel in axes[::columns]:
        panel.set_ylabel("NMSE of tau")
    return figure


def feedback(folder):
    table = pictures.read_table(folder, "feedback.csv", ("model", "seed", "frequency", "stable", "q", "qd"))
    figure, axes = pictures.panels(1, 2, 4.3, 3.4, sharey=True)
    for panel, column, words, printed in zip(axes, ("q", "qd"), ("q", "dq/dt"), (0.0005, 0.0015)):
        for model, run in by_name(folder, "model", table, "model"):
            if model not in ("given", "MLP", "DeLaN", "Cov"):
                continue
            stable = run["stable"] > 0
            at = np.unique(run["frequency"][stable])
            mean = [run[column][stable & (run["frequency"] == frequency)].mean() for frequency in at]
            words_of = "ground truth" if model == "given" else model
            panel.semilogy(at, mean, "o-", color=color_of(model), label=words_of)
        # the greatest error that the paper's table would print as what it has there
        panel.axhline(printed, color=LIMIT, lw=1, ls=pictures.DASHED, label="paper's networks, as printed")
        panel.set(title=words, xlabel="natural frequency of the feedback [rad/s]")
        pictures.decades(panel.yaxis)
    axes[0].set_ylabel("NMSE on the sines, mean")
    return figure


def payload(folder):
    columns = ("tracking", "prediction", "impossible_bodies")
    table = pictures.read_table(folder, "payload.csv", ("adaptation", "time", *columns))
    times = pictures.read_rows(folder, "payload.json", ("picked_up", "put_down"))[0]
    figure, axes = pictures.panels(3, 1, 7.0, 2.1, sharex=True)
    for panel in axes:
        panel.axvspan(times["picked_up"], times["put_down"], color=LIGHT, alpha=0.45, lw=0, label="with a payload")
    for adaptation, run in by_name(folder, "adaptation", table, "adaptation"):
        color = color_of(adaptation)
        for panel, column in zip(axes, columns):
            panel.plot(run["time"], run[column], color=color, lw=1.5, label=adaptation)
    axes[0].set(title="Tracking", ylabel="rms error of q [rad]", yscale="log")
    axes[1].set(title="The model's torques", ylabel="rms error of tau [N m]", yscale="log", ylim=(1e-3, 30))
    axes[2].set(title="Bodies of the estimate that cannot be", ylabel="of 7", xlabel="time [s]")
    for panel in axes[:2]:
        pictures.decades(panel.yaxis)
    pictures.whole_numbers(axes[2].yaxis)
    return figure


if __name__ == "__main__":
    FIGURES = {}
    for SUFFIX in ("", "_harder"):
        FIGURES[f"convergence{SUFFIX}"] = functools.partial(convergence, f"convergence{SUFFIX}")
        FIGURES[f"tracking{SUFFIX}"] = functools.partial(tracking, f"tracking{SUFFIX}")
    FIGURES |= {"feedback": feedback, "online": online, "payload": payload}
    pictures.main(__doc__, FIGURES, {name: f"{name}.csv" for name in FIGURES})
