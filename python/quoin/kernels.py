# SPDX-License-Identifier: BSD-3-Clause
"""Kernel interpolants: for smooth functions, from far fewer samples than a grid needs."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._forms import Form
from quoin._given import or_none, real, whole
from quoin._words import readable
from quoin.maps import GridView, Map, with_root
from quoin.samples import InsertedSamples, Samples

FloatArray = npt.NDArray[np.float64]


@readable
@dataclasses.dataclass(frozen=True)
class KernelOptions:
    """The assumptions of a kernel about its function; they can be pickled.

    Attributes
    ----------
    length_scale : (dim,) array_like, optional
        The distance over which values are correlated; by default chosen by the samples.
    jitter : float, optional
        Added to the diagonal of the correlations.
    localize_above : int, optional
        Up to this many samples all of them contribute to every answer; above, errors may grow. By default as many as
        know 1000 numbers, at least 200.
    neighbours : int, optional
        How many contribute above that: the nearest. By default as many as know 200 numbers, at least 40.
    output_weights : (N,) array_like, optional
        Of the norm of errors; by default 1/sqrt(N).
    lower, upper : (dim,) array_like, optional
        Queries outside have no answer.
    """

    length_scale: Optional[npt.ArrayLike] = None
    jitter: Optional[float] = None
    localize_above: Optional[int] = None
    neighbours: Optional[int] = None
    output_weights: Optional[npt.ArrayLike] = None
    lower: Optional[npt.ArrayLike] = None
    upper: Optional[npt.ArrayLike] = None

    def _compiled(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


class Deviation(NamedTuple):
    """What is unknown at a point, independent of the outputs: from 1 (nothing is known) down to sqrt(jitter).

    Attributes
    ----------
    value : float
    gradient : float
        The largest over the axes, times the length scale.
    """

    value: float
    gradient: float


class KernelView(Map):
    """A kernel as it was when the view was made, or a functional of it. Immutable, safe from many threads."""

    def linear_output(self, C: npt.ArrayLike) -> KernelView:
        """The map x -> C f(x). C: (M, N)."""
        view: KernelView = with_root(KernelView(_core.kernel_functional(self, C)), self, C)
        return view


class _Kernel(Map):
    _kernel: _core.Kernel

    def __len__(self) -> int:
        return self._kernel.size()

    def _says(self) -> list[str]:
        nearest = ", of which the nearest answer" if self._kernel.local() else ""
        return [*super()._says(), f"{len(self)} samples of order {self.jet_order}{nearest}"]

    @property
    def jet_order(self) -> int:
        """The order of the derivatives of the samples."""
        return self._kernel.jet_order()

    @property
    def length_scale(self) -> FloatArray:
        """The length scales (dim,) in use: those given, or those chosen at last."""
        return self._kernel.length_scale()

    def samples(self) -> Samples:
        """Its samples; jets to rounding."""
        return Samples(**self._kernel.samples())

    def deviation(self, x: npt.ArrayLike) -> Deviation:
        """What is unknown at x (dim,)."""
        return Deviation(*self._kernel.deviation(x))

    def view(self) -> KernelView:
        """The map in its present state; later samples do not change it."""
        return KernelView(self)

    def linear_output(self, C: npt.ArrayLike) -> KernelView:
        """The map x -> C f(x) in its present state. C: (M, N)."""
        view: KernelView = with_root(self.view().linear_output(C), self, C)
        return view


class KernelInterpolant(_Kernel):
    """A gradient-enhanced kernel interpolant: a smooth map with an estimate of its errors, from jets at any points.

    Parameters
    ----------
    dim : int
        1 to 6.
    outputs : int
        N.
    jet_order : {1, 0, 2, 3}
        Up to which samples give derivatives.
    options : KernelOptions, optional

    Notes
    -----
    Queries are those of `Map`. `add` and `insert` belong to one thread; hand views to the others.
    """

    def __init__(
        self, dim: int, outputs: int, jet_order: int = 1, options: KernelOptions = KernelOptions()
    ) -> None:
        super().__init__()
        self._form = Form(dim, jet_order, outputs)
        values = options._compiled()
        values.update(outputs=outputs, jet_order=jet_order)
        self._kernel = _core.make_kernel(dim, None, values)
        _core.show_kernel(self, self._kernel, None)

    @classmethod
    def _of(cls, kernel: _core.Kernel, dim: int, outputs: int) -> KernelInterpolant:
        self = cls.__new__(cls)
        Map.__init__(self)
        self._form, self._kernel = Form(dim, kernel.jet_order(), outputs), kernel
        _core.show_kernel(self, kernel, None)
        return self

    def add(self, x: npt.ArrayLike, answer: Any) -> None:
        """Adds a sample.

        Parameters
        ----------
        x : (dim,) array_like
        answer : y, (y, J) or jet
            As f of `AdaptiveGrid` returns it, with the derivatives of the kernel.

        Raises
        ------
        ValueError
            There is a sample at x, or the answer has another shape or is not finite.
        """
        self._kernel.add(x, self._form.jet(answer))
        _core.show_kernel(self, self._kernel, None)

    def insert(self, samples: Samples) -> InsertedSamples:
        """Adds those that did not fail, at points without a sample."""
        use = InsertedSamples(**self._kernel.insert(samples._fields()))
        _core.show_kernel(self, self._kernel, None)
        return use


@readable
class KernelRefinement(NamedTuple):
    """The outcome of `KernelSurrogate.refine_at`.

    Attributes
    ----------
    added : int
        Samples.
    failed : int
        Corners at which f failed.
    unreachable : int
        Points around which no corner is left.
    above : int
        Points above the threshold at the end.
    over_budget : bool
    largest : Deviation
        Over all points, at the end.
    """

    added: int
    failed: int
    unreachable: int
    above: int
    over_budget: bool
    largest: Deviation


class KernelSurrogate(_Kernel):
    """A kernel interpolant that samples its function, at corners of a grid, where a plan needs it.

    Parameters
    ----------
    sampler : GridView
        Of the grid that keeps the samples.
    options : KernelOptions, optional
    """

    def __init__(self, sampler: GridView, options: KernelOptions = KernelOptions()) -> None:
        super().__init__()
        sampler.output_size  # the grid is made
        self._sampler = sampler
        self._source = _core.source_of(sampler)
        self._kernel = _core.make_kernel(sampler.dim, sampler, options._compiled())
        _core.show_kernel(self, self._kernel, self._source)

    def refine_at(
        self, X: npt.ArrayLike, value: float = 1e-3, gradient: float = 1e-2, allowed: Optional[int] = None
    ) -> KernelRefinement:
        """Samples until the deviation at points X (M, dim) is below the thresholds.

        Parameters
        ----------
        X : (M, dim) array_like
        value, gradient : float
        allowed : int, optional
            The largest number of corners to evaluate.
        """
        fields = self._kernel.refine_at(
            X, real("value", value), real("gradient", gradient), or_none(whole, "allowed", allowed)
        )
        _core.show_kernel(self, self._kernel, self._source)
        fields["largest"] = Deviation(*fields["largest"])
        return KernelRefinement(**fields)

    def _interleave(self, solve: Any, guess: Any, options: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._kernel.interleave(solve, guess, options, KernelView)
        finally:
            _core.show_kernel(self, self._kernel, self._source)
