# SPDX-License-Identifier: BSD-3-Clause
"""Tables of two columns, as text and for notebooks."""

from __future__ import annotations

import html
from typing import Sequence

Rows = Sequence[tuple[str, str]]


def text_table(rows: Rows) -> str:
    """One line a row; the second column begins where the first has room."""
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def html_table(rows: Rows) -> str:
    """The same as HTML."""
    cells = "".join(
        f'<tr><th style="text-align: left">{html.escape(name)}</th>'
        f'<td style="text-align: left">{html.escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table><tbody>{cells}</tbody></table>"


def seconds_text(seconds: float) -> str:
    """A time in the unit that suits it: 1.2 µs, 35 ms, 4 s."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns" if seconds else "0 s"


def bytes_text(count: int) -> str:
    """A size in the unit that suits it, in powers of 1000."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
