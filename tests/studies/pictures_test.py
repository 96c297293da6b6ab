# SPDX-License-Identifier: BSD-3-Clause
"""A figures.py draws what the program wrote, and refuses what it cannot draw.

usage: python3 tests/studies/pictures_test.py <a study's figures.py> <folder that its quick run wrote> [<the program>]
       python3 tests/studies/pictures_test.py benchmarks/figures.py

The program is run once more for pictures of parts that its quick run leaves out; for those of benchmarks, which take
minutes, rows stand here. Exits with 77 where matplotlib is missing.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("skipped: there is no matplotlib")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))

# What the pictures of a quick run say, and a file of data with a column that figures.py cannot do without.
EXPECTED = {
    "soft_arm_laser": (
        {
            "spot_3d": ["Distance from the target", "target", "finished on Eq. 2"],
            "spot_2d": ["time [s]", "target"],
            "evaluations": ["arm in space", "exact Eq. 8", "first iterate of a finer level"],
            "cells": ["cells of spacing 0.125", "evaluations of f", "plan"],
        },
        ("plans.json", "level_start"),
    ),
    "swimmer_stroke": (
        {
            "joints": ["joint 1, head", "torque [N m]", "way of the grid's plan"],
            "evaluations": ["Exact evaluations of the added mass"],
            "path": ["cells of spacing", "start"],
        },
        ("plan_grid.csv", "centre_x"),
    ),
    "swimmer_policy": ({"gait": ["Angles, planned", "Loops of the outer joints"]}, ("study.json", "joint_limit")),
    "snap_through": (
        {
            "arch_branches": ["Two ways to rest", "grid without labels"],
            "arch_errors": ["one level", "error / jump"],
            "arm_cells": ["no labels, tolerance", "f jumps"],
            "arch_history": ["Two grids of one body"],
            "arch_sheets": ["A plan across both folds", "target of the crown"],
        },
        ("arch_line.csv", "nearest_error"),
    ),
    "moving_obstacles": (
        {"cost": ["In collision", "re-planning"], "sweeps": ["C [1/m\u00b2]", "Inverse kinematics"]},
        ("levels.csv", "displacement"),
    ),
    "identify_iiwa": ({"payload": ["with a payload", "no adaptation"]}, ("payload.csv", "prediction")),
    "reach_through_loop": (
        {
            "sweep": ["what it costs in collision checks", "writhe + mesh"],
            "mouths": ["side of the mouth [cm]"],
            "moving": ["free of collision", "tip remapped"],
            "writhe": ["writhe matrix at the start", "all of the arm"],
        },
        ("mouths.json", "success_least"),
    ),
    "unwrap": (
        {"unwrap_planners": ["hierarchical AICO", "success [%]"], "unwrap_writhe": ["Of the whole arm", "In the end"]},
        ("trials.json", "blocked"),
    ),
    "fluidic_brace": (
        {"stages": ["into contact, every second", "ball"], "plants": ["by raised damping", "servo alone"]},
        ("plants.csv", "alone_error_free"),
    ),
    "fluidic_grab": (
        {
            "cylinder": ["predicted", "reference"],
            "passive_arm": ["Positional error, all ends together", "measured at the start"],
            "reach": ["Where the tip can rest", "the arm, hanging"],
            "grabs": ["Grab D", "goal", "where the tip can rest"],
            "grab_torques": ["segment 4", "torque [N m]"],
            "grab_attempts": ["Experiment 3", "at the grab"],
            "grab_realization": ["Segment 4: volume", "the model, realizable"],
        },
        ("grab_plans.csv", "tau3"),
    ),
    "benchmarks": (
        {
            "accuracy": ["hill, d = 3", "to the tolerance"],
            "alternatives": ["waves, d\u00a0=\u00a02", "grid, K = 1", "a method of tomorrow"],
            "convergence": ["Plane waves, d = 4: Jacobian", "3.98", "Soft arm in space"],
            "convergence_few_dimensions": ["Plane waves, d = 1: value", "values only"],
            "lemma_arm": ["Controls, with fitted orders", "2.77", "of two exact plans"],
            "lemma_swimmer": ["1-jets, minimum", "2.48"],
        },
        ("accuracy.json", "uniform_evaluations"),
    ),
}

# Options under which a part that the quick run leaves out is short, and what its pictures say.
MORE = {
    "unwrap": (
        ["--windings", "1", "--scenes", "1", "--variants", "0", "--sweep", "1", "--precisions", "1,100"],
        {"unwrap_precision": ["RRT over AICO, median", "1 turn"]},
    ),
    "identify_iiwa": (
        ["--parts", "simulation,feedback,online,harder", "--seconds", "20", "--epochs", "2", "--frequencies", "20,60"],
        {
            "convergence": ["Simulation: learning to 0.1", "NoStr"],
            "tracking": ["five reaches", "least squares"],
            "convergence_harder": ["Harder plant: learning until it converges"],
            "tracking_harder": ["Harder plant: five reaches", "given"],
            "feedback": ["natural frequency of the feedback", "ground truth"],
            "online": ["Learning online", "batch", "Tri"],
        },
    ),
}

# Rows as benchmarks write them, few of each kind.
HALVINGS = (1, 0.5, 0.25)
BENCHMARKS = {
    "accuracy": [
        {
            "function": function,
            "path": "curve",
            "dim": dim,
            "tolerances": [1e-4, 1e-2],
            "evaluations": [900, 90],
            "uniform_evaluations": [2000, 200],
        }
        for function, dim in (("hill", 3), ("soft arm, plane", 2))
    ],
    "alternatives": [
        {"workload": "waves", "dim": 2, "method": method, "evaluations": evaluations, "value_errors": errors}
        for method, evaluations, errors in (
            ("grid, K = 1", [4, 9, 25], [0.1, 1e-3, 1e-5]),
            ("network", [], []),
            ("a method of tomorrow", [4, 40], [None, 0.01]),
        )
    ],
    "convergence": [
        {
            "function": function,
            "dim": dim,
            "method": method,
            "value_order": 3.98,
            "jacobian_order": 2.99,
            "spacings": [0.4, 0.2, 0.1],
            "value_errors": [1e-3, 6e-5, 4e-6],
            "jacobian_errors": [1e-2, 1e-3, 1e-4],
        }
        for function, dim in (("waves", 1), ("waves", 2), ("waves", 3), ("waves", 4), ("soft arm", 4))
        for method in ("jets, K = 1", "values only")
    ],
    "lemma": [
        row
        for robot, order in (("plane soft arm", 2.77), ("swimmer", 2.48))
        for row in (
            *(
                {"robot": robot, "method": "1-jets, minimum", "spacing": h, "controls_rms": h**3, "states_rms": h**2}
                for h in HALVINGS
            ),
            {
                "robot": robot,
                "method": "1-jets, minimum, floor and fitted orders",
                "controls_rms": 1e-9,
                "states_rms": 1e-9,
                "controls_local_order": order,
                "states_local_order": order,
            },
            {"robot": f"{robot}, all mass in its tail", "method": "planner says: singular"},
        )
    ],
}


def draw(script, folder, **environment):
    command = [sys.executable, "-B", script, folder]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)


def data_in(folder, to):
    os.makedirs(to)
    for name in os.listdir(folder):
        if name.endswith((".csv", ".json")):
            shutil.copy(os.path.join(folder, name), to)
    return to


def check_picture(path, words):
    tree = xml.etree.ElementTree.parse(path)
    said = " ".join("".join(element.itertext()) for element in tree.iter() if element.tag.endswith("}text"))
    for some in words:
        assert some in said, f"{path} does not say '{some}' but: {said}"
    lines = [element.get("d") for element in tree.iter() if element.tag.endswith("}path")]
    assert lines, f"{path} shows nothing"
    for place in lines + [element.get(key, "") for element in tree.iter() for key in ("x", "y", "transform")]:
        assert not re.search(r"nan|inf", place or "", re.IGNORECASE), f"{path} has a place that is no number: {place}"


def without(path, column):
    """Takes a column out of a file."""
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
        for row in rows:
            del row[column]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rows, file)
        return
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    at = header.index(column)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*row[:at], *row[at + 1 :]] for row in (header, *rows))


def write_rows_of_benchmarks(folder):
    """The rows above; each of their keys stands in the program that is said to write it."""
    for name, rows in BENCHMARKS.items():
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump(rows, file)
        text = ""
        for path, _, files in os.walk(os.path.join(os.path.dirname(HERE), "..", "benchmarks")):
            for file in files:
                if file.endswith(".cpp") and name in os.path.join(path, file):
                    with open(os.path.join(path, file), encoding="utf-8") as source:
                        text += source.read()
        for key in {key for row in rows for key in row}:
            ends = key.removeprefix("controls").removeprefix("states")  # these two are put before an ending
            assert f'"{key}"' in text or f'"{ends}"' in text, f"no source of the benchmark {name} says '{key}'"


def check_more(script, program, options, pictures):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--quick", *options, "--out", folder]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        done = draw(script, folder)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        for name, words in pictures.items():
            check_picture(os.path.join(folder, f"{name}.svg"), words)


def check_refusal(done, *words):
    told = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(told) == 1, f"expected a sentence, exit status 1: {done}"
    for some in words:
        assert some in told[0], f"'{some}' is not in: {told[0]}"


def main(script, folder=None, program=None):
    study = os.path.basename(os.path.dirname(os.path.abspath(script)))
    pictures, (needed, column) = EXPECTED[study]
    with tempfile.TemporaryDirectory() as temporary:
        if study == "benchmarks":
            folder = os.path.join(temporary, "rows")
            os.makedirs(folder)
            write_rows_of_benchmarks(folder)
        first, second = (data_in(folder, os.path.join(temporary, name)) for name in ("first", "second"))
        for copy in (first, second):
            done = draw(script, copy, HOME="/nowhere" if copy == second else os.environ.get("HOME", "/"))
            assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        for name, words in pictures.items():
            paths = [os.path.join(copy, f"{name}.svg") for copy in (first, second)]
            check_picture(paths[0], words)
            with open(paths[0], "rb") as one, open(paths[1], "rb") as other:
                assert one.read() == other.read(), f"{name}.svg is another one when it is drawn again"

        without(os.path.join(second, needed), column)
        check_refusal(draw(script, second), needed, f"'{column}'")
        with open(os.path.join(second, needed), "w", encoding="utf-8") as file:
            file.write("?")
        check_refusal(draw(script, second), needed)
        check_refusal(draw(script, os.path.join(temporary, "nowhere")), "nowhere")

        os.makedirs(os.path.join(temporary, "missing", "matplotlib"))
        with open(os.path.join(temporary, "missing", "matplotlib", "__init__.py"), "w", encoding="utf-8") as file:
            file.write("raise ModuleNotFoundError('gone', name='matplotlib')\n")
        check_refusal(draw(script, first, PYTHONPATH=os.path.join(temporary, "missing")), "python3-matplotlib")
    if program and study in MORE:
        check_more(script, program, *MORE[study])


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
