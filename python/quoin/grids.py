# SPDX-License-Identifier: BSD-3-Clause
"""The grid."""

from __future__ import annotations

import dataclasses
import inspect
import threading
import weakref
from typing import Any, Callable, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._engines import Engine
from quoin._forks import renew_after_fork
from quoin._forms import Derivatives, Form, FormError, order_of
from quoin._given import whole
from quoin._lattices import corners_around, edges_and_origin
from quoin._paths import Path
from quoin._source import Source
from quoin._stores import GridStore
from quoin._words import refuse_unknown
from quoin.errors import CornerFailure
from quoin.maps import GridView, Map
from quoin.options import GridOptions, OnBranches, OnFailure, Outside
from quoin.samples import InsertedSamples, Samples
from quoin.statistics import GridStatistics, StoreStatus
from quoin.workers import Workers

FloatArray = npt.NDArray[np.float64]


class AdaptiveGrid(GridView):
    """An on-demand surrogate of an expensive function f from dim (1 to 6) variables to N outputs.

    f is called only at the grid corners that queries need, once each; values and Jacobians come from an interpolant
    between them. Queries are those of `Map` and `GridView`, at the grid's present level or tolerance.

    Parameters
    ----------
    f : callable, Map or None
        A `Map` is called with its Jacobian, and brings its fingerprint. Another ``f(x)`` is called with a fresh array
        (dim,) and returns ``y`` (N,), or ``(y, J)`` with ``J`` (N, dim), or the jet (N, derivatives) of `derivatives`,
        in graded lexicographic order. It is called by one thread at a time unless there is an executor. None: the grid
        answers from what `insert` gives it.
    spacing : (dim,) array_like
        Edges of the cells of level 0. Its length is dim.
    cells : sequence of int
        In the place of a spacing: how many cells level 0 has along each axis, from lower to upper.
    derivatives : {"infer", 0, 1, 2, 3}
        The order up to which f gives derivatives. "infer": 0 or 1, by its first answer. With 0, gradients are
        differences on the lattice, at more corners.
    batched : bool
        f takes the missing corners (M, dim) at once and returns Y (M, N), or (Y, J) with J (M, N, dim), or jets
        (M, N, derivatives).
    executor : optional
        Who evaluates f at missing corners: None, the thread that queries; "threads"; "processes"; any
        concurrent.futures.Executor; a client of dask; `Workers`, which have their own f.
    outputs : int, optional
        N. With it and `derivatives` f is not called before a query needs it.
    **options
        See `GridOptions`.

    Notes
    -----
    N is learnt from the first answer: f is first called at a corner of the cell of the first query, or, if N is asked
    for before, at a lattice point near the middle of the domain.
    """

    def __init__(
        self,
        f: Optional[Callable[..., Any]],
        spacing: Optional[npt.ArrayLike] = None,
        lower: Optional[npt.ArrayLike] = None,
        upper: Optional[npt.ArrayLike] = None,
        tolerance: Optional[float] = None,
        *,
        cells: Optional[Sequence[int]] = None,
        origin: Optional[npt.ArrayLike] = None,
        derivatives: Derivatives = "infer",
        batched: bool = False,
        on_failure: OnFailure = "raise",
        outside: Outside = "raise",
        executor: Any = None,
        store: Optional[Path] = None,
        fingerprint: Optional[str] = None,
        outputs: Optional[int] = None,
        samples: Optional[Samples] = None,
        **options: Any,
    ) -> None:
        super().__init__()
        refuse_unknown("AdaptiveGrid", options, _KEYWORDS)
        if outputs is not None and whole("outputs", outputs) < 1:
            raise ValueError(f"outputs = {outputs}: expected at least 1")
        if isinstance(f, Map):
            fingerprint = f.fingerprint if fingerprint is None else fingerprint
            if outputs is None and derivatives in ("infer", 0, 1):  # nothing is to be learnt from a call
                outputs, derivatives = f.output_size, 1 if derivatives == "infer" else derivatives
            f = f if derivatives == 0 else f.value_and_jacobian
        edges, origin = edges_and_origin(spacing, cells, origin, lower, upper)
        self._options = GridOptions(
            spacing=edges if spacing is None else spacing,
            origin=origin,
            lower=lower,
            upper=upper,
            tolerance=tolerance,
            on_failure=on_failure,
            outside=outside,
            store=store,
            fingerprint=fingerprint,
            **options,
        )
        if store is not None and fingerprint is None and not isinstance(executor, Workers):
            raise ValueError("store: a fingerprint is needed, a text that tells f from other functions")
        _core.check_grid_options(len(edges), {**self._options._compiled(), "store": None})
        self._edges = edges
        self._renew()
        renew_after_fork(self)
        self._grid: Optional[_core.Grid] = None
        self._source: Optional[Source] = None
        self._store: Optional[GridStore] = None
        form = Form(len(edges), order_of(derivatives), outputs)
        if isinstance(executor, Workers):
            self._start(executor, f, form, samples)
            return
        if f is None:
            if samples is None:
                raise ValueError("f is None: then samples are needed that the grid answers from, or Workers")
            self._open_store()
            self._build(form, samples)
            return
        if not callable(f):
            raise TypeError(f"f is a {type(f).__name__}, expected a function")
        engine = None if executor is None else Engine(executor)
        if engine is not None:
            engine.check(f)
        self._source = Source(f, form, batched, engine)
        self._open_store()
        if form.known:
            self._build(form, None)
        if samples is not None:
            self.insert(samples)

    def _renew(self) -> None:
        """In a process that was forked."""
        self._making = threading.RLock()

    def _says(self) -> list[str]:
        if self._grid is None:
            return [f"{len(self._edges)} variables", f"spacing {self._edges.tolist()}", "f not called yet"]
        told = self.statistics
        return [*super()._says(), f"{told.corners} corners", f"{told.exact_evaluations} calls of f"]

    @property
    def options(self) -> GridOptions:
        """The options that the grid was made with."""
        return self._options

    @property
    def statistics(self) -> GridStatistics:
        """The work so far."""
        fields = self._made().statistics()
        if self._source is not None:
            fields["exact_evaluations"] += self._source.unasked
        return GridStatistics(**fields)

    @property
    def store_status(self) -> Optional[StoreStatus]:
        """What is in the store, and what is not yet, or cannot be, written; None without a store."""
        self._made()
        return None if self._store is None else self._store.status()

    def flush(self) -> None:
        """Waits until all that f answered is in the store, if there is one.

        A grid that ends with samples which cannot be written warns with a RuntimeWarning.

        Raises
        ------
        OSError
            It cannot be written: the disk is full. It is kept in memory, and the next `flush` tries again.
        """
        self._made()
        if self._store is not None:
            self._store.flush()

    def refine(self) -> None:
        """Halves the spacing; with a tolerance, divides it by 16. Corners are kept, and views stay as they are.

        Raises
        ------
        ValueError
            The deepest level has been reached.
        """
        grid = self._made()
        grid.refine()
        _core.show(self, grid, self._source)

    def trim(self) -> None:
        """Frees the memory of corners that the present level, or queries to a tolerance, have not asked for.

        Raises
        ------
        RuntimeError
            A query is running in another thread.
        """
        self._made().trim()

    def samples(self) -> Samples:
        """All corners of f, of every level, failed ones included."""
        return Samples(**self._made().samples())

    def insert(self, samples: Samples) -> InsertedSamples:
        """Keeps samples of f that lie at lattice points, as if f had been called there.

        Raises
        ------
        ValueError
            The samples do not fit together, or to f's outputs.
        """
        return InsertedSamples(**self._made().insert(_checked(samples)._fields()))

    def save(self, path: Path) -> None:
        """Writes options, level or tolerance and samples to a file, which `load` reads; it says what is left out.

        Raises
        ------
        ValueError
            The path names no file.
        OSError
            The file cannot be written. The one that was there is whole.
        """
        from quoin import storing

        storing.save(self, path)

    def _interleave(self, solve: Any, guess: Any, options: dict[str, Any]) -> dict[str, Any]:
        grid = self._made()
        try:
            return grid.interleave(solve, guess, options, GridView)
        finally:
            _core.show(self, grid, self._source)

    def _suggest(self, points: npt.ArrayLike, task: dict[str, Any]) -> dict[str, Any]:
        if self._grid is None:
            self._make(points)
        return _core.suggest_surrogate(self.dim, self._made(), points, task)

    def _made(self) -> _core.Grid:
        if self._grid is None:
            self._make(None)
        assert self._grid is not None
        return self._grid

    def _make(self, x: Optional[npt.ArrayLike]) -> None:
        """Learns the form of f near x, and makes the grid. Called by the compiled part before the first query."""
        with self._making:
            if self._grid is not None:
                return
            source = self._source
            if source is None:
                raise TypeError("AdaptiveGrid.__init__ has not been called")
            if not source.form.known:
                self._probe(source, x)
            self._build(source.form, None)

    def _probe(self, source: Source, x: Optional[npt.ArrayLike]) -> None:
        first: Optional[FloatArray] = None
        for corner in corners_around(x, self._edges, self._options):
            if first is None:
                first = corner
            if source.probe(corner):
                return
            cause = source.cause_at(corner)
            if isinstance(cause, _BROKEN):
                source.forget_failures()
                several = isinstance(cause, TypeError) and "positional argument" in str(cause)
                remedy = f"; f is called with one array of {len(corner)} numbers: give lambda x: f(*x)" if several else ""
                raise CornerFailure(
                    f"AdaptiveGrid: f cannot be called as it is: at {tuple(corner.tolist())} it raised "
                    f"{type(cause).__name__}: {cause}{remedy}",
                    may_pass=True,
                ) from cause
        assert first is not None
        source.forget_failures()
        cause = source.cause_at(first)
        raise CornerFailure(
            f"AdaptiveGrid: f has no answer at the first corners that it was asked for, from {tuple(first.tolist())} "
            f"on, so that the form of its answers is not known: {type(cause).__name__}: {cause}",
            may_pass=True,
        ) from cause

    def _start(
        self, workers: Workers, f: Optional[Callable[..., Any]], form: Form, samples: Optional[Samples]
    ) -> None:
        if f is not None:
            raise ValueError("executor: Workers have a function of their own; f must be None")
        pool = workers._pool(form.dim)
        if self._options.store is not None:
            of_workers = pool.fingerprint()
            if not of_workers:
                raise ValueError("store: the workers greet with an empty fingerprint, which tells no function from others")
            if self._options.fingerprint not in (None, of_workers):  # what is given says more, and never less
                of_workers = f"{self._options.fingerprint} {of_workers}"
            self._options = dataclasses.replace(self._options, fingerprint=of_workers)
        for name, given, there in (("outputs", form.outputs, pool.outputs()), ("derivatives", form.order, pool.order())):
            if given is not None and given != there:
                raise ValueError(f"{name} = {given}: the workers greet with {there}")
        form.outputs, form.order = pool.outputs(), pool.order()
        self._open_store()
        self._build(form, None, pool)
        if samples is not None:
            self.insert(samples)

    def _open_store(self) -> None:
        options = self._options
        if options.store is not None and options.fingerprint is not None:
            how = bool(options.durable), bool(options.read_only)
            store = GridStore(len(self._edges), options.store, options.fingerprint, *how)
            self._keep(store)

    def _keep(self, store: GridStore) -> None:
        self._store = store
        weakref.finalize(self, store.end)

    def _build(self, form: Form, samples: Optional[Samples], workers: Optional[_core.WorkerPool] = None) -> None:
        if self._store is not None and form.outputs is not None:
            self._store.open(form.outputs)
        values = self._options._compiled()
        values["store"] = None if self._store is None else self._store.compiled
        source = self._source
        values["outputs"], values["order"] = form.outputs, form.order
        values["concurrent"] = source is not None and source.in_batches
        values["in_batches"] = source is not None and source.in_batches
        values["workers"] = workers
        values["samples"] = None if samples is None else _checked(samples)._fields()
        self._grid = _core.make_grid(form.dim, source, values)
        _core.show(self, self._grid, source)
        if self._store is not None:
            self._store.open(self.output_size)


class GridOfModel(AdaptiveGrid):
    """The grid that a model brings, over a function in C++. Made by models."""

    def __init__(self, compiled: _core.Grid, options: GridOptions, store: Optional[GridStore] = None) -> None:
        GridView.__init__(self)
        self._options = options
        self._edges = np.asarray(options.spacing, dtype=np.float64)
        self._renew()
        renew_after_fork(self)
        self._grid = compiled
        self._source = None
        self._store = None
        _core.show(self, compiled, None)
        if store is not None:
            store.open(self.output_size)
            self._keep(store)


_BROKEN = (FormError, TypeError, NameError, AttributeError, ImportError, SyntaxError)  # whatever the point
_KEYWORDS = {
    *(field.name for field in dataclasses.fields(GridOptions)),
    *(name for name in inspect.signature(AdaptiveGrid.__init__).parameters if name not in ("self", "options")),
}


def _checked(samples: Any) -> Samples:
    if not isinstance(samples, Samples):
        raise TypeError(f"samples are a {type(samples).__name__}, expected quoin.Samples, as of grid.samples()")
    return samples
