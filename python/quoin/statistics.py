# SPDX-License-Identifier: BSD-3-Clause
"""The work of a grid so far."""

from typing import NamedTuple


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
    """

    exact_evaluations: int
    batches: int
    from_storage: int
    queries: int
    corners: int
    failed_corners: int
    unused_corners: int
    cells: int
    bytes: int
    seconds_in_function: float
    seconds_per_query: float
    break_even_queries: float
