# SPDX-License-Identifier: BSD-3-Clause
"""What came of filling a box."""

from __future__ import annotations


class Filled(int):
    """How many cells were filled; an int, which prints where f failed too.

    Attributes
    ----------
    failed : int
        Of these cells, how many have a corner at which f failed.
    reason : str
        The first such corner, and why; empty where f failed nowhere.
    """

    failed: int
    reason: str

    def __new__(cls, cells: int, failed: int, reason: str) -> Filled:
        self = super().__new__(cls, cells)
        self.failed, self.reason = failed, reason
        return self

    def __str__(self) -> str:
        if not self.failed:
            return f"{int(self)} cells"
        return f"{int(self)} cells; f failed in {self.failed} of them, first at {self.reason}"

    __repr__ = __str__
