# SPDX-License-Identifier: BSD-3-Clause
"""The work of a grid so far."""

from __future__ import annotations

from typing import NamedTuple

from quoin._tables import bytes_text, html_table, seconds_text, text_table


class StoreStatus(NamedTuple):
    """What has become of the samples of a store.

    Attributes
    ----------
    samples : int
        In the file.
    unwritten : int
        Given to it, and not yet in the file.
    damaged : int
        Met with a wrong checksum, and not answered.
    error : str
        The last; empty if there was none.
    note : str
        What was met as it was opened for reading: the log of a program that was killed, and whether it could be read.
    """

    samples: int
    unwritten: int
    damaged: int
    error: str
    note: str


class GridStatistics(NamedTuple):
    """The work of a grid so far, and its cost.

    Attributes
    ----------
    exact_evaluations : int
        Calls of f.
    batches : int
        Calls of what has f evaluated.
    from_storage : int
        Samples found in the store instead.
    queries : int
        Answers given; each point of a batch is one.
    corners : int
        Corners of f that are kept, failed ones included.
    failed_corners : int
    evicted_corners : int
        That left memory for `memory_budget`, each time.
    unused_corners : int
        Evaluated ahead, and asked for by no query yet.
    cells : int
    bytes : int
        Memory held by corners, cells and tables.
    seconds_in_function : float
        Summed over threads and processes.
    seconds_per_query : float
        Mean over a sample of the queries that called nothing, without Python's part.
    break_even_queries : float
        The number of queries from which on the grid is cheaper than f.
    doubts : str
        What cells show against f: a Jacobian that is not the derivative of the values, values that are not smooth, a
        period that divides an edge. Empty: nothing so far. A RuntimeWarning tells it once, as it is found.
    """

    exact_evaluations: int
    batches: int
    from_storage: int
    queries: int
    corners: int
    failed_corners: int
    evicted_corners: int
    unused_corners: int
    cells: int
    bytes: int
    seconds_in_function: float
    seconds_per_query: float
    break_even_queries: float
    doubts: str = ""

    def __str__(self) -> str:
        return text_table(self._rows())

    def _repr_html_(self) -> str:
        """Shown by notebooks."""
        return html_table(self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        calls = self.exact_evaluations
        mean = f", {seconds_text(self.seconds_in_function / calls)} each" if calls else ""
        rows = [
            ("calls of f", f"{calls} in {self.batches} batch{'' if self.batches == 1 else 'es'}"),
            ("time in f", seconds_text(self.seconds_in_function) + mean),
            ("from the store", str(self.from_storage)),
            ("corners", f"{self.corners}, of which {self.failed_corners} failed, {self.unused_corners} unused yet"),
            ("cells", str(self.cells)),
            ("memory", bytes_text(self.bytes)),
            ("queries", str(self.queries)),
            ("time per query", seconds_text(self.seconds_per_query) if self.seconds_per_query else "not measured yet"),
            ("cheaper than f from", f"{self.break_even_queries:.4g} queries on"),
        ]
        if calls >= self.queries > 0:
            rows.append(("does not pay", f"{calls} calls for {self.queries} queries: f itself would have cost no more"))
        return [*rows, ("doubts", self.doubts)] if self.doubts else rows
