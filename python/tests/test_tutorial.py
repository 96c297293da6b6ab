# SPDX-License-Identifier: BSD-3-Clause
"""The tutorial's programs in Python print what its pages say."""

import contextlib
import importlib.util
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "tutorial").glob("[0-9]*.md"))
PROGRAM = re.compile(r"```python\n(.*?)```\n\n<!-- it prints -->\n```text\n(.*?)```\n", re.DOTALL)


def same():
    """The comparison that the pages' programs in C++ are held to."""
    spec = importlib.util.spec_from_file_location("printed", ROOT / "tests" / "structure" / "printed.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.same


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch):
    section = page.read_text().split("\n## In Python\n")[1]
    for part in re.findall(r"from quoin import (.+)", section):
        for name in part.split(", "):
            pytest.importorskip("quoin." + name)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    [(program, said)] = PROGRAM.findall(section)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, page.name, "exec"), {"__name__": "__main__"})
    assert same()(said, printed.getvalue()), printed.getvalue()


def test_every_page_has_a_program():
    assert len(PAGES) == 6
