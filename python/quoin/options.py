# SPDX-License-Identifier: BSD-3-Clause
"""The options of a grid."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, Optional

import numpy.typing as npt

from quoin._given import or_none, real, truth, truths, whole
from quoin._paths import Path, file_path
from quoin._words import readable

OnFailure = Literal["raise", "coarser", "call"]
Outside = Literal["raise", "clamp", "extend"]
OnBranches = Literal["nearest", "call", "raise"]

_CHECKS = {
    real: ("tolerance",),
    whole: ("deepest_level", "failure_splits", "branch_splits", "surplus_generations", "memory_budget"),
    truth: ("accept_by_ancestors", "evaluate_ahead", "durable", "read_only", "single_precision"),
}
ON_FAILURE = ("raise", "coarser", "call")
OUTSIDE = ("raise", "clamp", "extend")
ON_BRANCHES = ("nearest", "call", "raise")


@readable
@dataclasses.dataclass(frozen=True)
class GridOptions:
    """The options of a grid, as `AdaptiveGrid` takes them by keyword; they can be pickled.

    ``AdaptiveGrid(f, **options.keywords())`` makes another grid with the same options.

    Attributes
    ----------
    spacing : (dim,) array_like
        Edges of the cells of level 0; level l has edges ``spacing * 2**-l``. Its length, 1 to 6, is dim.
    origin : (dim,) array_like, optional
        A lattice point; by default 0, of `AdaptiveGrid` the lower bound along axes where 0 and that cannot both be one.
    lower, upper : (dim,) array_like, optional
        The domain, lattice points of level 0; by default without bounds.
    periodic : (dim,) array_like of bool, optional
        The axes along which f has the period ``upper - lower``, of at least two cells: queries may lie anywhere along
        them, and cells meet at the seam as anywhere.
    tolerance : float, optional
        Cells are refined until the error of the value is at most this, absolute, in the weighted norm of the outputs;
        by default one level answers everywhere.
    output_weights : (N,) array_like, optional
        Of the norm; by default 1/sqrt(N), the root mean square.
    deepest_level : int, optional
        The finest level that can be reached.
    on_failure : {"raise", "coarser", "call"}
        How a cell with a failed corner answers: `CornerFailure`, the finest whole coarser cell, or f itself.
    failure_splits : int, optional
        With a tolerance: how often a cell with a failed corner is split before that.
    outside : {"raise", "clamp", "extend"}
        How a query outside the domain is answered: `DomainError`, the nearest point's value, or that continued along
        the Jacobian.
    on_branches : {"nearest", "call", "raise"}
        How a cell with corners on different branches answers.
    branch_splits : int, optional
        How often such a cell is split before that.
    surplus_generations : int, optional
        With a tolerance: generations of points at which a cell is compared with f.
    accept_by_ancestors : bool, optional
        With a tolerance: cells may be accepted by what their ancestors predict.
    evaluate_ahead : bool, optional
        What planners expect to ask is evaluated before they do, many corners at a time.
    store : path, optional
        A file that keeps what f answers, and is asked before f is called. Made absolute here.
    fingerprint : str, optional
        Tells f from other functions in the store; needed with it.
    durable : bool, optional
        What is stored survives the end of the machine, not only of the process.
    read_only : bool, optional
        The store must be there, also where nobody may write, and nothing new is kept in it.
    memory_budget : int, optional
        Bytes that corners and cells may hold, beside a store. Above it the corners used least recently leave memory,
        and come back from the store.
    single_precision : bool, optional
        Jets are kept as floats: half the memory, and answers rounded to 6e-8 of themselves.
    """

    spacing: npt.ArrayLike
    origin: Optional[npt.ArrayLike] = None
    lower: Optional[npt.ArrayLike] = None
    upper: Optional[npt.ArrayLike] = None
    periodic: Optional[npt.ArrayLike] = None
    tolerance: Optional[float] = None
    output_weights: Optional[npt.ArrayLike] = None
    deepest_level: Optional[int] = None
    on_failure: OnFailure = "raise"
    failure_splits: Optional[int] = None
    outside: Outside = "raise"
    on_branches: OnBranches = "nearest"
    branch_splits: Optional[int] = None
    surplus_generations: Optional[int] = None
    accept_by_ancestors: Optional[bool] = None
    evaluate_ahead: Optional[bool] = None
    store: Optional[Path] = None
    fingerprint: Optional[str] = None
    durable: Optional[bool] = None
    read_only: Optional[bool] = None
    memory_budget: Optional[int] = None
    single_precision: Optional[bool] = None

    def __post_init__(self) -> None:
        if self.store is not None:
            object.__setattr__(self, "store", file_path("store", self.store))
        for check, names in _CHECKS.items():
            for name in names:
                object.__setattr__(self, name, or_none(check, name, getattr(self, name)))
        if self.periodic is not None:
            object.__setattr__(self, "periodic", truths("periodic", self.periodic))
        for name, allowed in (("on_failure", ON_FAILURE), ("outside", OUTSIDE), ("on_branches", ON_BRANCHES)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} = {getattr(self, name)!r}, expected one of {allowed}")
        if self.memory_budget is not None and self.memory_budget < 0:
            raise ValueError(f"memory_budget = {self.memory_budget} bytes is negative")
        if self.memory_budget is not None and self.store is None:
            raise ValueError(f"memory_budget = {self.memory_budget} bytes needs a store, for what leaves memory")
        if self.read_only and self.store is None:
            raise ValueError("read_only: it is the store that is read, and there is none")

    def keywords(self) -> dict[str, Any]:
        """The options by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def _compiled(self) -> dict[str, Any]:
        """As the compiled part reads them."""
        values = self.keywords()
        values["on_failure"] = ON_FAILURE.index(self.on_failure)
        values["outside"] = OUTSIDE.index(self.outside)
        values["on_branches"] = ON_BRANCHES.index(self.on_branches)
        return values
