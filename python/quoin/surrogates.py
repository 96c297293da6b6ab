# SPDX-License-Identifier: BSD-3-Clause
"""One front for those who do not want to choose."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Literal, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._forms import Derivatives
from quoin._given import real, reals, whole
from quoin._paths import Path
from quoin._words import readable
from quoin.functions import FunctionMap
from quoin.grids import AdaptiveGrid
from quoin.kernels import KernelInterpolant
from quoin.maps import Map, with_root
from quoin.progressing import Progress, progress as progress_of
from quoin.samples import Samples


@readable
class SurrogateRound(NamedTuple):
    """One round of a `Surrogate`'s kernel.

    Attributes
    ----------
    samples : int
        That the kernel had.
    error : float
        The largest error at the samples that came next: where least was known.
    """

    samples: int
    error: float


class Surrogate(Map):
    """A surrogate of f in a box, to an error: a kernel of few samples where f is smooth, else a grid to a tolerance.

    f is called where least is known, until its values there were predicted to the error; then at points that chance
    chooses and that nothing is learnt from, which say what the error is. Where samples do not converge, a grid is made
    that calls f on demand. The same f in the same box is sampled at the same points: with a store a program that is
    started again calls it once, to learn the form of its answers.

    Parameters
    ----------
    f : callable
        As of `AdaptiveGrid`.
    lower, upper : (dim,) array_like
        The box.
    error : float
        Of the value, absolute, in the norm of `output_weights`.
    output_weights : (N,) array_like, optional
        By default 1/sqrt(N), the root mean square.
    derivatives, batched, executor, store, fingerprint : optional
        As of `AdaptiveGrid`.
    most_samples : int
        Of the kernel; beyond it a grid is taken.
    held_out : int
        Points that nothing is learnt from.
    progress : bool or callable
        Shows it, as `quoin.progress` does.

    Attributes
    ----------
    kind : {"kernel", "grid", "function"}
        What answers; "function": f itself, which is as fast.
    error : float
        The largest at the held-out points.
    held_out : int
        How many there were.
    evaluations : int
        Of f so far, those from a store left out.
    seconds : float
        That it took to make.
    failed : int
        Points, of those that were sampled for the choice, at which f failed; then a grid is taken.
    reason : str
        Of the first of them.
    rounds : list of SurrogateRound
    map : Map
        The kernel or the grid.

    Raises
    ------
    ValueError
        The box is none, or the error is not positive.
    """

    kind: Literal["kernel", "grid", "function"]
    error: float
    held_out: int
    seconds: float
    rounds: list[SurrogateRound]
    map: Map
    failed: int
    reason: str

    def __init__(
        self,
        f: Callable[..., Any],
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        error: float,
        *,
        output_weights: Optional[npt.ArrayLike] = None,
        derivatives: Derivatives = "infer",
        batched: bool = False,
        executor: Any = None,
        store: Optional[Path] = None,
        fingerprint: Optional[str] = None,
        most_samples: int = 800,
        held_out: int = 8,
        progress: Union[bool, Callable[[Progress], Any]] = False,
    ) -> None:
        low, high = reals("lower", lower).copy(), reals("upper", upper).copy()
        if low.ndim != 1 or low.shape != high.shape or not 1 <= len(low) <= 6:
            raise ValueError(f"lower of shape {low.shape} and upper of shape {high.shape}, expected (dim,), dim 1 to 6")
        options = {
            "error": real("error", error),
            "most_samples": whole("most_samples", most_samples),
            "held_out": whole("held_out", held_out),
        }
        _core.check_surrogate(low, high, options)
        self.grid = AdaptiveGrid(
            f, cells=[_core.first_cells(len(low))] * len(low), lower=low, upper=high,
            derivatives=derivatives, batched=batched,
            executor=executor, store=store, fingerprint=fingerprint, output_weights=output_weights,
        )  # fmt: skip
        shown = contextlib.nullcontext() if not progress else progress_of(progress if callable(progress) else None)
        with shown:
            made = _core.make_surrogate(self.grid, self.grid._made(), options, not batched and self.grid.jet_order == 1)
        kernel: Optional[_core.Kernel] = made["kernel"]
        if kernel is not None:
            self.kind, self.map = "kernel", KernelInterpolant._of(kernel, len(low), self.grid.output_size)
        elif made["itself"]:
            self.kind, self.map = "function", FunctionMap(f, len(low), self.grid.output_size)
        else:
            self.kind, self.map = "grid", self.grid.at_tolerance(error)
        if made["failed"] and bool(self.grid.samples().failed.all()):
            raise ValueError(f"f has no answer at any of {made['failed']} points of the box: {made['reason']}")
        self.error, self.held_out, self.seconds = made["error"], made["held_out"], made["seconds"]
        self.failed, self.reason, self._message = made["failed"], made["reason"], made["message"]
        self.rounds = [SurrogateRound(*one) for one in made["rounds"]]
        super().__init__(self.map)

    @property
    def evaluations(self) -> int:
        """Of f so far, those from a store left out."""
        return self.grid.statistics.exact_evaluations

    def samples(self) -> Samples:
        """All that f has answered, those that are held out included."""
        return self.grid.samples()

    def linear_output(self, C: npt.ArrayLike) -> Map:
        """The map x -> C f(x). C: (M, N)."""
        view: Map = with_root(self.map.linear_output(C), self, C)
        return view

    def _says(self) -> list[str]:
        return [self._message]
