# SPDX-License-Identifier: BSD-3-Clause
"""The blocks of Python in the docs and README.md run, one after the other, as they stand."""

import os
import re

import pytest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


@pytest.mark.parametrize(
    "page, needs",
    [
        ("docs/python.md", "scipy"),
        ("docs/notes/python.md", "numpy"),
        ("docs/python_plots.md", "matplotlib"),
        ("README.md", "numpy"),
    ],
)
def test_blocks_of_python_run(page, needs, tmp_path, monkeypatch):
    pytest.importorskip(needs)
    monkeypatch.chdir(tmp_path)
    with open(os.path.join(ROOT, page)) as file:
        text = file.read()
    namespace: dict = {"__name__": "docs"}
    blocks = re.findall(r"(<!-- untested[^>]*-->\n)?```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    for untested, block in blocks:
        compiled = compile(block, page, "exec")
        if not untested:
            exec(compiled, namespace)
