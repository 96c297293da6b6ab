# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks run from their first line to their last, and become notebooks."""

import glob
import json
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
NOTEBOOKS = os.path.join(HERE, "..", "notebooks")
CONVERTER = os.path.join(NOTEBOOKS, "to_ipynb.py")


def is_notebook(path):
    with open(path, encoding="utf-8") as file:
        return "\n# %%" in file.read()


SCRIPTS = sorted(filter(is_notebook, glob.glob(os.path.join(NOTEBOOKS, "*.py"))))


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    """The folder of notebooks that the converter writes."""
    folder = tmp_path_factory.mktemp("notebooks") / "new"
    subprocess.run([sys.executable, CONVERTER, str(folder)], check=True)
    return folder


def test_there_are_the_notebooks_that_the_docs_promise():
    names = set(map(name_of, SCRIPTS))
    assert {"first_grid", "soft_arm_reach", "your_simulator_through_a_pool"} <= names, names


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_the_script_runs_and_its_numbers_hold(script, tmp_path):
    pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
    with open(script, encoding="utf-8") as file:
        text = file.read()
    if "import plot, soft_arm" in text:
        pytest.importorskip("quoin.soft_arm", reason="the components soft_arm_grid and io are not bound")
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=450
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert text.count("\nassert ") >= 3


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_the_notebook_has_the_scripts_code_in_order_and_text_without_marks(script, converted):
    with open(converted / f"{name_of(script)}.ipynb", encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    with open(script, encoding="utf-8") as file:
        text = file.read()
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    written = [line for line in code.splitlines() if line]
    text_cell, expected = False, []
    for line in text.splitlines()[1:]:
        if line.startswith("# %%"):
            text_cell = "markdown" in line
        elif line and not text_cell:
            expected.append(line)
    assert written == expected
    compile(code, script, "exec")
    markdown = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    assert markdown[0].startswith("# ") and not any("\n# " in body[1:] for body in markdown)
    assert len(cells) == text.count("\n# %%")


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_the_notebook_is_valid(script, converted):
    nbformat = pytest.importorskip("nbformat", reason="python3-nbformat is not installed")
    notebook = nbformat.read(converted / f"{name_of(script)}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)


def test_simulators_come_with_the_notebooks(converted):
    assert (converted / "crane.py").is_file()
    assert not (converted / "to_ipynb.py").exists()


@pytest.mark.parametrize("script", ["# %% [raw]\n", "# %% [markdown]\nno comment\n"])
def test_what_is_no_cell_is_refused(script):
    sys.path.insert(0, NOTEBOOKS)
    try:
        from to_ipynb import cells_of
    finally:
        sys.path.remove(NOTEBOOKS)
    with pytest.raises(ValueError, match="a cell"):
        cells_of(script)
