# SPDX-License-Identifier: BSD-3-Clause
"""Writes the notebooks as .ipynb into a folder, with the simulators that they import.

usage: python3 to_ipynb.py <folder>

A notebook is a script here in the percent format: "# %%" begins a cell of code, "# %% [markdown]" one of text. Editors
that know the format run it cell by cell as it stands.
"""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CELL = "# %%"
TEXT = "# %% [markdown]"


def cells_of(script):
    """The cells of a script as (kind, lines); what stands before the first is none."""
    cells = []
    for line in script.splitlines():
        if line.startswith(CELL):
            if line not in (CELL, TEXT):
                raise ValueError(f"a cell begins with {line!r}, expected {CELL!r} or {TEXT!r}")
            cells.append(("markdown" if line == TEXT else "code", []))
        elif cells:
            kind, lines = cells[-1]
            if kind == "markdown" and line and not line.startswith("#"):
                raise ValueError(f"a cell of text has the line {line!r}, which is no comment")
            lines.append(line[1:].removeprefix(" ") if kind == "markdown" else line)
    return cells


def notebook_of(script):
    """The notebook, nbformat 4.5, as what json writes."""
    cells = []
    for number, (kind, lines) in enumerate(cells_of(script)):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        cell["source"] = "\n".join(lines).strip("\n").splitlines(keepends=True)
        if kind == "code":
            cell.update(execution_count=None, outputs=[])
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".py") or name == os.path.basename(__file__):
            continue
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            script = file.read()
        if f"\n{CELL}" not in script:
            shutil.copy(os.path.join(HERE, name), folder)
            continue
        with open(os.path.join(folder, name[:-3] + ".ipynb"), "w", encoding="utf-8") as file:
            json.dump(notebook_of(script), file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
