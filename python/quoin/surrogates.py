# SPDX-License-Identifier: BSD-3-Clause
"""One front for those who do not want to choose."""

from __future__ import annotations

import contextlib
import dataclasses
import heapq
import itertools
import time
from typing import Any, Callable, Literal, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin._forms import Derivatives, jet_size
from quoin._given import real, whole
from quoin._paths import Path
from quoin._tables import seconds_text
from quoin._words import readable
from quoin.functions import FunctionMap
from quoin.grids import AdaptiveGrid
from quoin.kernels import KernelInterpolant, KernelOptions
from quoin.maps import Map, with_root
from quoin.progressing import Progress, progress as progress_of
from quoin.samples import Samples

FloatArray = npt.NDArray[np.float64]
#: of points among which samples are chosen
_CANDIDATES = 1000
#: a call of f that takes no longer needs no surrogate, seconds
_AT_ONCE = 5e-6


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
    failed: int = 0
    reason: str = ""

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
        most_samples: int = 400,
        held_out: int = 8,
        progress: Union[bool, Callable[[Progress], Any]] = False,
    ) -> None:
        low, high = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
        if low.ndim != 1 or low.shape != high.shape or not 1 <= len(low) <= 6:
            raise ValueError(f"lower of shape {low.shape} and upper of shape {high.shape}, expected (dim,), dim 1 to 6")
        for i, (one, other) in enumerate(zip(low, high)):
            if not (np.isfinite(one) and np.isfinite(other) and one < other):
                raise ValueError(f"lower[{i}] = {one} is not below upper[{i}] = {other}, or one is not finite")
        if not 0 < real("error", error) < np.inf:
            raise ValueError(f"error = {error} is not positive and finite")
        if whole("most_samples", most_samples) < 8 or whole("held_out", held_out) < 1:
            raise ValueError(f"most_samples = {most_samples} and held_out = {held_out}: expected at least 8 and 1")
        begun = time.perf_counter()
        self._wanted, self._held_out, self.rounds = float(error), held_out, []
        self._low, self._span, self._most = low, high - low, most_samples
        self.grid = AdaptiveGrid(
            f, high - low, origin=low, lower=low, upper=high, derivatives=derivatives, batched=batched,
            executor=executor, store=store, fingerprint=fingerprint, output_weights=output_weights,
        )  # fmt: skip
        shown = contextlib.nullcontext() if not progress else progress_of(progress if callable(progress) else None)
        with shown:
            self._make_it(f, batched)
        self.seconds = time.perf_counter() - begun
        super().__init__(self.map)

    @property
    def evaluations(self) -> int:
        """Of f so far, those from a store left out."""
        return self.grid.statistics.exact_evaluations

    def samples(self) -> Samples:
        """All that f has answered, those that are held out included."""
        return self.grid.samples()

    def functional(self, C: npt.ArrayLike) -> Map:
        """The map x -> C f(x). C: (M, N)."""
        view: Map = with_root(self.map.functional(C), self, C)
        return view

    def _says(self) -> list[str]:
        if isinstance(self.map, KernelInterpolant):
            jets = "values" if self.map.jet_order == 0 else f"jets of order {self.map.jet_order}"
            kind = f"kernel of {len(self.map)} {jets}"
        else:
            kind = f"grid to {self._wanted:.3g}" if self.kind == "grid" else "f itself"
        held = f"held-out error {self.error:.2g} at {self.held_out} points"
        said = [f"{self.dim} -> {self.output_size}", kind, held, seconds_text(self.seconds)]
        return said if self.failed == 0 else [*said, f"f failed at {self.failed} points: {self.reason}"]

    def _make_it(self, f: Callable[..., Any], batched: bool) -> None:
        random = np.random.default_rng(0)
        dim = len(self._low)
        candidates = self._low + self._span * _spread(random, _CANDIDATES, dim)
        fresh = self._low + self._span * random.uniform(size=(self._held_out, dim))
        weights = self.grid.options.output_weights
        kernel: Optional[KernelInterpolant] = None
        samples = self._sampled(candidates[: 2 * dim + 4])
        quick = samples.jet_order == 1 and not batched and not any(samples.reasons)
        if quick and np.median(samples.seconds) < _AT_ONCE:
            self.kind, self.map = "function", FunctionMap(f, dim, samples.jets.shape[1])
            self.error, self.held_out = 0.0, 0
            return
        smooth = True
        while smooth:
            learnt = self._kernel_of(samples, weights)
            if learnt is None:
                break
            kernel = learnt
            batch = max(4, len(kernel) // 4)
            if len(kernel) + batch > self._most:
                break
            chosen = _least_known(kernel, candidates, batch)
            if len(chosen) == 0:
                break
            new = self._sampled(chosen)
            self.rounds.append(SurrogateRound(len(kernel), self._largest(kernel, new)))
            if self.rounds[-1].error <= self._wanted and self._largest(kernel, self._sampled(fresh)) <= self._wanted:
                return self._keep_kernel(kernel, fresh)
            samples = _joined(samples, new)
            smooth = self._converges()
        self._take_grid(fresh)

    def _sampled(self, X: FloatArray) -> Samples:
        samples = self.grid.sample(X)
        reasons = [reason for reason in samples.reasons if reason]
        self.failed, self.reason = self.failed + len(reasons), self.reason or next(iter(reasons), "")
        return samples

    def _keep_kernel(self, kernel: KernelInterpolant, fresh: FloatArray) -> None:
        self.kind, self.map = "kernel", kernel
        self.error, self.held_out = self._largest(kernel, self._sampled(fresh)), len(fresh)

    def _take_grid(self, fresh: FloatArray) -> None:
        self.kind, self.map = "grid", self.grid.at_tolerance(self._wanted)
        self.map.prepare(fresh)
        check = self.grid.at_tolerance(self._wanted).check(fresh, len(fresh))
        self.error, self.held_out = check.largest, len(check.errors)

    def _kernel_of(self, samples: Samples, weights: Optional[npt.ArrayLike]) -> Optional[KernelInterpolant]:
        if any(samples.reasons) or len(set(samples.branches)) > 1:
            return None
        box = KernelOptions(
            lower=self._low, upper=self._low + self._span, output_weights=weights, localize_above=10 * self._most
        )
        kernel = KernelInterpolant(len(self._low), samples.jets.shape[1], samples.jet_order, box)
        kernel.insert(samples)
        return kernel

    def _largest(self, map: Map, samples: Samples) -> float:
        """The largest error at samples, in the norm; infinite where f failed."""
        if any(samples.reasons):
            return float("inf")
        y = map(samples.points)
        off = y - samples.jets[:, :, 0]
        weights = self.grid.options.output_weights
        scale = np.full(y.shape[1], y.shape[1] ** -0.5) if weights is None else np.asarray(weights, dtype=np.float64)
        return float(np.linalg.norm(off * scale, axis=1).max())

    def _converges(self) -> bool:
        """Whether the errors of the last rounds fall so that the samples allowed will do, as a power of their number."""
        last = self.rounds[-1].samples
        if last < 40:
            return True
        falling = [one for one in self.rounds if one.samples >= last / 3 and 0 < one.error < np.inf]
        if len(falling) < 3:
            return last < self._most / 2
        n, error = np.log([one.samples for one in falling]), np.log([one.error for one in falling])
        slope, level = np.polyfit(n - np.log(last), error, 1)
        return bool(level <= np.log(self._wanted) - min(slope, 0.0) * np.log(self._most / last))


def _spread(random: np.random.Generator, count: int, dim: int) -> FloatArray:
    """Points of the unit box, the first ones far from each other: its middle, its corners in turns, and others."""
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=dim)))
    inside = random.uniform(size=(count, dim))
    inside[: count // 3] = np.where(  # on faces, where an interpolant errs most
        random.uniform(size=(count // 3, dim)) < 0.5, np.round(inside[: count // 3]), inside[: count // 3]
    )
    points = np.concatenate([np.full((1, dim), 0.5), corners, inside])
    points = points[np.sort(np.unique(points, axis=0, return_index=True)[1])]
    order, distance = [0], np.full(len(points), np.inf)
    for _ in range(min(2 * dim + 4, len(points)) - 1):
        distance = np.minimum(distance, np.linalg.norm(points - points[order[-1]], axis=1))
        order.append(int(np.argmax(distance)))
    rest = [i for i in range(len(points)) if i not in set(order)]
    return np.asarray(points[order + rest])


def _least_known(kernel: KernelInterpolant, candidates: FloatArray, count: int) -> FloatArray:
    """The points at which least is known, one after another, each as if f were known at those before."""
    dim, order = kernel.dim, kernel.jet_order
    known = KernelInterpolant(
        dim, 1, order, KernelOptions(length_scale=kernel.length_scale, localize_above=10 * len(candidates))
    )
    nothing = np.zeros((1, jet_size(dim, order)))
    samples = kernel.samples()
    flat = np.zeros((len(samples.points), 1, jet_size(dim, order)))
    known.insert(dataclasses.replace(samples, jets=flat))
    near = 1e-6 * np.ptp(candidates, axis=0)
    there = (np.abs(candidates[:, np.newaxis] - samples.points) <= near).all(axis=2).any(axis=1)
    # What is unknown falls only: what was so before bounds it.
    heap = [(-known.deviation(candidates[i]).value, i) for i in np.flatnonzero(~there).tolist()]
    heapq.heapify(heap)
    chosen: list[FloatArray] = []
    while heap and len(chosen) < count:
        _, i = heapq.heappop(heap)
        now = known.deviation(candidates[i]).value
        if heap and now < -heap[0][0]:
            heapq.heappush(heap, (-now, i))
            continue
        if now < 1e-7:
            break
        known.add(candidates[i], nothing if order > 0 else nothing[:, 0])
        chosen.append(candidates[i])
    return np.array(chosen).reshape(-1, dim)


def _joined(one: Samples, other: Samples) -> Samples:
    return Samples(
        points=np.concatenate([one.points, other.points]),
        jets=np.concatenate([one.jets, other.jets]),
        jet_order=one.jet_order,
        difference_gradients=one.difference_gradients,
        branches=[*one.branches, *other.branches],
        reasons=[*one.reasons, *other.reasons],
        retry=[*one.retry, *other.retry],
        seconds=[*one.seconds, *other.seconds],
    )
