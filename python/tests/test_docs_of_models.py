# SPDX-License-Identifier: BSD-3-Clause
"""The blocks of Python in docs/python_models.md run, one after the other, as they stand."""

import os
import re

import pytest

pytest.importorskip("quoin.soft_arm")
pytest.importorskip("quoin.planning")
pytest.importorskip("quoin.rigid_body")
pytest.importorskip("quoin.topology")
pytest.importorskip("quoin.fluidic_arm")
pytest.importorskip("quoin.swimmer")

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "python_models.md")


def test_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(PAGE) as file:
        blocks = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
    assert len(blocks) == 7
    namespace: dict = {"__name__": "docs"}
    for block in blocks:
        exec(compile(block, PAGE, "exec"), namespace)
