# SPDX-License-Identifier: BSD-3-Clause
"""Maps, and views of grids."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._filled import Filled
from quoin._words import readable
from quoin._given import real, whole
from quoin._renamed import renamed
from quoin._tables import bytes_text
from quoin.answers import ErrorCheck, ErrorEstimate, Trust
from quoin.samples import Samples

FloatArray = npt.NDArray[np.float64]


class Map(_core.Map):
    """A map from dim variables to N outputs, with its Jacobian. Those of grids have 1 to 6.

    ``map(x)``, ``value_and_jacobian``, ``query``, ``jvp`` and ``vjp`` take one point (dim,) or many (..., dim). They
    release the GIL and are safe from many threads.

    Attributes
    ----------
    dim : int
        The number of variables.
    output_size : int
        N, the number of outputs.
    """

    _root: Optional[tuple[Map, FloatArray]] = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._says())})"

    def _says(self) -> list[str]:
        """What its repr tells."""
        return [f"{self.dim} -> {self.output_size}"]

    def linear_output(self, C: npt.ArrayLike) -> Map:
        """The map x -> C f(x). C: (M, N)."""
        map: Map = with_root(Map(_core.linear_output(self, C)), self, C)
        return map

    functional = renamed("functional", "linear_output")

    def __getitem__(self, outputs: Any) -> Map:
        """The map of some of the outputs: ``map[:42]``, ``map[[0, 2]]``, ``map[3]``, of one output."""
        rows = np.atleast_1d(np.arange(self.output_size)[outputs])
        if rows.ndim != 1 or rows.size == 0:
            raise IndexError(f"outputs {outputs!r} of {self.output_size}: expected some of them")
        return linear_outputs(self, np.eye(self.output_size)[rows])

    @property
    def fingerprint(self) -> Optional[str]:
        """What tells a model's map from others in a store, or None where it does not say."""
        return _core.fingerprint_of(self)


def linear_outputs(map: Map, C: FloatArray) -> Map:
    """x -> C f(x), which remembers of what map it is."""
    root, of_root = root_of(map)
    return root.linear_output(C @ of_root)


def with_root(derived: Any, map: Map, C: npt.ArrayLike) -> Any:
    """C f, where f are a map's outputs: it remembers of what they are linear."""
    root, of_root = root_of(map)
    derived._root = (root, np.asarray(C, dtype=np.float64) @ of_root)
    return derived


def root_of(map: Map) -> tuple[Map, FloatArray]:
    """The map whose outputs these are linear in, and how."""
    return map._root if map._root is not None else (map, np.eye(map.output_size))


@readable
class CachedAnswer(NamedTuple):
    """What `GridView.evaluate_cached` answers.

    Attributes
    ----------
    y : (N,) array or None
        None where there is no answer.
    J : (N, dim) array or None
    estimate : ErrorEstimate
    missing : (K, dim) array
        The corners that were wanted and are not there.
    """

    y: Optional[FloatArray]
    J: Optional[FloatArray]
    estimate: ErrorEstimate
    missing: FloatArray


def _estimate(parts: tuple[int, int, float, float]) -> ErrorEstimate:
    return ErrorEstimate(Trust(parts[0]), *parts[1:])


class GridView(Map):
    """A map that answers from one level of a grid, or to one tolerance, or from a functional of it.

    A view is immutable, lives on when the grid is gone, and evaluates missing corners on demand; they are kept for all
    views.
    """

    def _says(self) -> list[str]:
        where = f"level {self.level}" if self.tolerance is None else f"tolerance {self.tolerance:.6g}"
        return [*super()._says(), f"spacing {self.spacing.tolist()}", where]

    @property
    def jet_order(self) -> int:
        """The order of the derivatives that corners have; 1 for an f without any, whose gradients are differenced."""
        return _core.jet_order(self)

    @property
    def level(self) -> int:
        """The level that answers; 0 with a tolerance."""
        return _core.level(self)

    @property
    def tolerance(self) -> Optional[float]:
        """The tolerance, or None for a view of one level."""
        return _core.tolerance(self)

    @property
    def spacing(self) -> FloatArray:
        """The edges (dim,) of the cells of this level."""
        return _core.spacing(self)

    def at_level(self, level: int) -> GridView:
        """The same map at another level."""
        return GridView(_core.at_level(self, whole("level", level)))

    def at_tolerance(self, tolerance: float) -> GridView:
        """The same map to a tolerance: the largest error of the value, absolute, in the weighted norm.

        Raises
        ------
        ValueError
            The tolerance is not positive and finite.
        """
        return GridView(_core.at_tolerance(self, real("tolerance", tolerance)))

    def at_resolution_of(self, view: GridView) -> GridView:
        """This map at the level or to the tolerance of another view.

        Raises
        ------
        ValueError
            The other view has another number of variables.
        """
        if not isinstance(view, GridView):
            raise TypeError(f"at_resolution_of: a {type(view).__name__}, expected a view of a grid")
        return GridView(_core.at_resolution_of(self, view))

    def linear_output(self, C: npt.ArrayLike, output_weights: Optional[npt.ArrayLike] = None) -> GridView:
        """The map x -> C f(x), whose queries cost as much as those of a map of M outputs.

        Parameters
        ----------
        C : (M, N) array_like
            Applied once per corner.
        output_weights : (M,) array_like, optional
            Of the norm of its outputs; by default 1/sqrt(M).
        """
        view: GridView = with_root(GridView(_core.view_linear_output(self, C, output_weights)), self, C)
        return view

    def curvature(self, x: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """sum_i v_i d^2 y_i / dx^2.

        Parameters
        ----------
        x : (dim,) array_like
        v : (N,) array_like

        Returns
        -------
        (dim, dim) array
        """
        return _core.curvature(self, x, v)

    def error_estimate(self, x: npt.ArrayLike) -> ErrorEstimate:
        """The error of the answer at x (dim,), as it is known without calling f."""
        return self._told(_estimate(_core.error_estimate(self, x)), x)

    def error_along(self, X: npt.ArrayLike) -> ErrorEstimate:
        """The largest errors of value and Jacobian along points (M, dim), such as those of a plan."""
        return self._told(_estimate(_core.error_along(self, X)), X)

    def _told(self, estimate: ErrorEstimate, X: npt.ArrayLike) -> ErrorEstimate:
        if estimate.error >= 0:
            return estimate
        return estimate._replace(reason=_core.why_unknown(self, np.atleast_2d(np.asarray(X, dtype=np.float64))))

    def sample(self, X: npt.ArrayLike) -> Samples:
        """f itself at the lattice points of the finest level next to X (M, dim): kept, and stored, as corners are.

        They are what a kernel learns from: ``kernel.insert(grid.sample(X))``.

        Raises
        ------
        DomainError
            A point is outside the grid's domain.
        """
        return Samples(**_core.sample(self, X))

    def check(self, X: npt.ArrayLike, calls: int = 8) -> ErrorCheck:
        """Calls f at some of the points X (M, dim), and says how far this map is from it there.

        Parameters
        ----------
        X : (M, dim) array_like
            Such as those of a plan. Which are compared chance says, of the same X always the same; corners of the grid
            are not.
        calls : int
            At most so many. The samples are kept, and stored, as corners are, but no answer changes.

        Raises
        ------
        DomainError
            A point is outside, unless the options say otherwise.
        """
        return ErrorCheck(**_core.check(self, X, whole("calls", calls)))

    def prefetch(self, X: npt.ArrayLike) -> None:
        """Evaluates the missing corners that points (M, dim) need, in batches. Corners that fail are kept as failed."""
        _core.prefetch(self, X)

    def fill(self, lower: Optional[npt.ArrayLike] = None, upper: Optional[npt.ArrayLike] = None) -> Filled:
        """Makes a table: evaluates the missing corners of a box, in batches; queries inside it then call nothing.

        Those on its upper faces belong to the next cells, unless the domain ends there.

        Parameters
        ----------
        lower, upper : (dim,) array_like, optional
            By default those of the grid's domain.

        Returns
        -------
        Filled
            How many cells the box has, those that fail among them; an int, which prints in how many f failed.

        Raises
        ------
        ValueError
            There is no such box, or it has 2^40 cells and more.
        DomainError
            It is not in the domain.
        CornerFailure
            f failed in all of its cells, unless `on_failure` answers there; the message has the first reason.
        """
        return Filled(*_core.fill(self, lower, upper))

    def prefetch_async(self, X: npt.ArrayLike) -> None:
        """Asks for the same without waiting: a thread of the grid evaluates them."""
        _core.prefetch_async(self, X)

    def cancel_requests(self) -> None:
        """Drops what was requested, by any view of the grid, and nobody has begun; waits for the call of f that runs.

        Ctrl-C ends the wait alone, and that call goes on.
        """
        _core.cancel_requests(self)

    def hint(self, X: npt.ArrayLike) -> None:
        """Tells where (M, dim) will soon be asked; evaluated at once with the option `evaluate_ahead`."""
        _core.hint(self, X)

    def evaluate_cached(self, x: npt.ArrayLike) -> CachedAnswer:
        """The answer at x (dim,) from the corners that are there; f is not called."""
        y, J, parts, missing = _core.evaluate_cached(self, x)
        return CachedAnswer(y, J, self._told(_estimate(parts), x), missing)

    def frozen(self, missing: str = "coarser") -> FrozenView:
        """A copy of what is there now, for control loops: it never calls f, and shares nothing with the grid.

        Parameters
        ----------
        missing : "coarser" or "fail"
            Where the wanted cell is not there: the finest other cell that holds the point answers, or none.
        """
        if not isinstance(missing, str):
            raise TypeError(f"frozen: missing is a {type(missing).__name__}, expected 'coarser' or 'fail'")
        return FrozenView(*_core.frozen(self, missing))

    def nearest_corner(self, x: npt.ArrayLike) -> FloatArray:
        """The lattice point (dim,) of this level that is nearest to x (dim,)."""
        return _core.nearest_corner(self, x)

    def corner_jet(self, x: npt.ArrayLike) -> FloatArray:
        """The jet (N, derivatives) at the lattice point that is nearest to x (dim,), evaluated if it is missing."""
        return _core.corner_jet(self, x)

    like = renamed("like", "at_resolution_of")
    prepare = renamed("prepare", "prefetch")
    request = renamed("request", "prefetch_async")
    expect = renamed("expect", "hint")
    evaluate_known = renamed("evaluate_known", "evaluate_cached")


class FrozenView(Map):
    """What a view of a grid knew when it was frozen: a map that calls nothing and waits for nobody.

    It answers as `GridView.evaluate_cached` did. Where it has no answer, calls raise `CornerFailure` or `DomainError`,
    and `query` says so in its trust.

    Attributes
    ----------
    cells : int
        How many there are.
    bytes : int
        The memory that they take.
    """

    def __init__(self, compiled: _core.Map, cells: int, bytes: int) -> None:
        super().__init__(compiled)
        self.cells = cells
        self.bytes = bytes

    def _says(self) -> list[str]:
        return [*super()._says(), f"{self.cells} cells", bytes_text(self.bytes)]
