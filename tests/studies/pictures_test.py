# SPDX-License-Identifier: BSD-3-Clause
"""A study's figures.py draws what the program wrote, and refuses what it cannot draw.

usage: python3 tests/studies/pictures_test.py <a study's figures.py> <folder that its quick run wrote>

Exits with 77 where matplotlib is missing.
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
        {"unwrap_planners": ["hierarchical AICO", "success [%]"], "unwrap_writhe": ["of the whole arm"]},
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
        },
        ("grab_plans.csv", "tau3"),
    ),
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


def check_refusal(done, *words):
    told = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(told) == 1, f"expected a sentence, exit status 1: {done}"
    for some in words:
        assert some in told[0], f"'{some}' is not in: {told[0]}"


def main(script, folder):
    study = os.path.basename(os.path.dirname(os.path.abspath(script)))
    pictures, (needed, column) = EXPECTED[study]
    with tempfile.TemporaryDirectory() as temporary:
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


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
