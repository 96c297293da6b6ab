# SPDX-License-Identifier: BSD-3-Clause
"""The blocks of Python in docs/python_models.md and its note run, one after the other, as they stand."""

import os
import re

import pytest

from quoin import _core

for part in ("soft_arm", "planning", "rigid_body", "identification", "topology", "fluidic_arm", "swimmer"):
    if part not in _core.parts:
        pytest.skip(f"quoin was built without {part}", allow_module_level=True)

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
PAGES = [os.path.join(DOCS, "python_models.md"), os.path.join(DOCS, "notes", "python_models.md")]


def test_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = []
    for page in PAGES:
        with open(page) as file:
            blocks += [(page, block) for block in re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)]
    assert len(blocks) == 10
    namespace: dict = {"__name__": "docs"}
    for page, block in blocks:
        if "planning.collocate" in block and "collocation" not in _core.parts:
            continue
        exec(compile(block, page, "exec"), namespace)
