# SPDX-License-Identifier: BSD-3-Clause
"""Tables of functions of named variables: on linear, logarithmic and periodic axes, to a relative error."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._cells import STEPS, cells_along, lines
from quoin._filled import Filled
from quoin._forms import Derivatives
from quoin._given import reals, whole
from quoin._of_table import FunctionOfTable
from quoin._paths import Path, file_path
from quoin._words import refuse_unknown
from quoin.answers import Trust
from quoin.axes import Axis, axis_of, complaint, in_grid, outside_of
from quoin.errors import DomainError
from quoin.grids import AdaptiveGrid
from quoin.maps import Map
from quoin.progressing import Progress, progress as progress_of
from quoin.samples import Samples

FloatArray = npt.NDArray[np.float64]
#: corners of level 0 at which sizes of outputs are looked at
_LOOKS = 64


class TableAnswer:
    """What a table answers; each output is an attribute too, by its name.

    Attributes
    ----------
    values : (..., N) array
        In the shape that the arguments have together; NaN where ``missing="nan"`` leaves a place without an answer.
    jacobian : (..., N, dim) array
        By the variables themselves, also along logarithmic axes.
    error : (...) array
        What is stated of the error, in parts of the outputs' sizes: of the outputs together, the strictest counting
        most. NaN where nothing is.
    """

    def __init__(self, names: tuple[str, ...], values: FloatArray, jacobian: FloatArray, error: FloatArray) -> None:
        self._names, self.values, self.jacobian, self.error = names, values, jacobian, error

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("_names", ())
        if name not in names:
            raise AttributeError(f"the table's outputs are {', '.join(names)}: {name!r} is none of them")
        return self.values[..., names.index(name)]

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._names]

    def __repr__(self) -> str:
        worst = np.nanmax(self.error) if self.error.size and not np.all(np.isnan(self.error)) else np.nan
        return f"TableAnswer({', '.join(self._names)} of shape {self.error.shape}, error at most {worst:.2g})"


class Table:
    """A table of f over a box of named variables: f is called where the error asks for it, or all at once by `fill`.

    >>> table = quoin.Table(eos, dict(T=quoin.log(3e3, 3e4), x=(0, 0.3)), relative=1e-3, outputs=["y", "em"])
    >>> table(T=1e4, x=[0.1, 0.2]).y

    Parameters
    ----------
    f : callable
        ``f(T=..., x=...)`` where its parameters have the names of the axes, else ``f(point)`` with a point (dim,). It
        returns N numbers, or a pair of these and their derivatives (N, dim) by the variables.
    axes : mapping of str to Axis or (lower, upper)
        One to six.
    relative : float or (N,) array_like
        The error allowed, in parts of each output's size over the table: the largest value that was looked at, or as `sizes`
        has it.
    outputs : sequence of str, optional
        Their names; by default y0, y1, ...
    sizes : (N,) array_like, optional
    cells : sequence of int, optional
        Of level 0 along each axis: no feature of f should be narrower. By default 1 to 8, as values on four lines along
        each axis ask for: some 160 calls of f for four axes, which the table keeps.
    derivatives, executor, store, fingerprint : optional
        As of `AdaptiveGrid`; derivatives up to order 1.

    Raises
    ------
    ValueError
        Axes, cells or errors are none; the message has the name.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        axes: Mapping[str, Union[Axis, tuple[float, float]]],
        *,
        relative: npt.ArrayLike = 1e-3,
        outputs: Optional[Sequence[str]] = None,
        sizes: Optional[npt.ArrayLike] = None,
        cells: Optional[Sequence[int]] = None,
        derivatives: Derivatives = "infer",
        executor: Any = None,
        store: Optional[Path] = None,
        fingerprint: Optional[str] = None,
    ) -> None:
        if not callable(f):
            raise TypeError(f"f is a {type(f).__name__}, expected a function")
        if not isinstance(axes, Mapping) or not 1 <= len(axes) <= 6:
            raise ValueError("axes: expected a mapping of 1 to 6 names to quoin.linear, log or periodic, or (lower, upper)")
        self.axes = {str(name): axis_of(name, axis) for name, axis in axes.items()}
        self._relative = reals("relative", relative)
        if self._relative.ndim > 1 or not np.all((self._relative > 0) & np.isfinite(self._relative)):
            raise ValueError(f"relative = {self._relative.tolist()}: expected a number above 0, or one for each output")
        self._names = None if outputs is None else _checked_names(outputs)
        self._sizes = None if sizes is None else reals("sizes", sizes)
        if self._sizes is not None and not (self._sizes.ndim == 1 and np.all(self._sizes > 0)):
            raise ValueError(f"sizes = {self._sizes.tolist()}: expected a number above 0 for each output")
        if derivatives not in ("infer", 0, 1):
            raise ValueError(f"derivatives = {derivatives!r}, expected 'infer', 0 or 1")
        counts = [STEPS] * len(self.axes) if cells is None else list(cells)
        if len(counts) != len(self.axes):
            raise ValueError(f"cells = {counts}: expected one for each of {', '.join(self.axes)}")
        for name, count in zip(self.axes, counts):
            least = 2 if self.axes[name].kind == "periodic" else 1
            if whole(f"cells of {name}", count) < least:
                raise ValueError(f"cells of {name} = {count}, expected at least {least}")
        bounds = np.array([in_grid(axis) for axis in self.axes.values()])
        self._chooses_cells = cells is None
        self._lattice: dict[str, Any] = {
            "spacing": (bounds[:, 1] - bounds[:, 0]) / counts,
            "origin": bounds[:, 0],
            "lower": bounds[:, 0],
            "upper": bounds[:, 1],
            "periodic": [axis.kind == "periodic" for axis in self.axes.values()],
        }
        self._f = FunctionOfTable(f, tuple(self.axes), np.array([axis.kind == "log" for axis in self.axes.values()]))
        self._calling = {"executor": executor, "store": store, "fingerprint": fingerprint, "derivatives": derivatives}
        self._made: Optional[AdaptiveGrid] = None
        self._sizing_calls = 0  # of f, before the grid was made
        self._making = threading.RLock()

    @property
    def grid(self) -> AdaptiveGrid:
        """The grid under it, whose variables are logarithms along logarithmic axes."""
        with self._making:
            if self._made is None:
                self._made = self._make()
            return self._made

    @property
    def map(self) -> Map:
        """The table as a map of a point (dim,), in the order of the axes."""
        self.grid.output_size  # the grid is made
        logs = [name for name, axis in self.axes.items() if axis.kind == "log"]
        note = f" (here {', '.join(logs)} are logarithms)" if logs else ""
        return Map(_core.in_logarithms(self.grid, [name in logs for name in self.axes], note))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs."""
        if self._names is None:
            self._names = tuple(f"y{i}" for i in range(self.grid.output_size))
        return self._names

    @property
    def sizes(self) -> FloatArray:
        """Of the outputs (N,), in parts of which errors are."""
        self.grid
        assert self._sizes is not None
        return self._sizes

    def __repr__(self) -> str:
        names = ", ".join(self.axes)
        if self._made is None:
            return f"Table({names}, f not called yet)"
        told = self.grid.statistics
        failed = f" ({told.failed_corners} failed)" if told.failed_corners else ""
        calls = f"{told.corners} corners{failed}, {self._sizing_calls + told.exact_evaluations} calls of f"
        return f"Table({names} -> {', '.join(self.outputs)}, relative error {self._relative.min():.3g}, {calls})"

    def __call__(self, *points: npt.ArrayLike, missing: str = "raise", **named: npt.ArrayLike) -> TableAnswer:
        """The outputs at variables of any shapes that numpy broadcasts, by name, or in the order of the axes.

        Parameters
        ----------
        missing : {"raise", "nan"}
            Where a point is outside, or f fails.
        """
        if missing not in ("raise", "nan"):
            raise ValueError(f"missing = {missing!r}, expected 'raise' or 'nan'")
        if len(points) > len(self.axes):
            raise TypeError(f"{len(points)} variables, the table has {', '.join(self.axes)}")
        refuse_unknown("Table", named, self.axes)
        given: dict[str, Any] = dict(zip(self.axes, points))
        for name, value in named.items():
            if name in given:
                raise TypeError(f"{name} is given twice")
            given[name] = value
        absent = [name for name in self.axes if name not in given]
        if absent:
            raise TypeError(f"variables {', '.join(absent)} are missing")
        arrays = [_numbers(name, given[name]) for name in self.axes]
        try:
            broadcast = np.broadcast_arrays(*arrays)
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(self.axes, arrays))
            raise ValueError(f"variables of shapes that do not go together: {shapes}") from None
        inside = np.ones(broadcast[0].shape, dtype=bool)
        for (name, axis), array in zip(self.axes.items(), arrays):
            out = outside_of(axis, array)
            if missing == "raise" and out.any():
                raise DomainError(complaint(name, axis, array, out))
            inside &= ~np.broadcast_to(out, inside.shape)
        X = np.stack([array[inside] for array in broadcast], axis=-1)
        return self._answers(X, inside, missing)

    def _answers(self, X: FloatArray, inside: npt.NDArray[np.bool_], missing: str) -> TableAnswer:
        of = self.map
        outputs, dim = of.output_size, of.dim
        values = np.full((*inside.shape, outputs), np.nan)
        jacobian = np.full((*inside.shape, outputs, dim), np.nan)
        error = np.full(inside.shape, np.nan)
        if missing == "raise":
            found = of.query(X)
            for x in X[found.trust >= Trust.outside][:1]:
                of.value_and_jacobian(x)  # raises
            values[inside], jacobian[inside], error[inside] = found.y, found.J, found.error
        else:
            for place, x in zip(zip(*np.nonzero(inside)), X):
                one = of.query(x)
                if one.has_value:
                    values[place], jacobian[place], error[place] = one.y, one.J, one.error
        return TableAnswer(self.outputs, values, jacobian, error)

    def fill(self, *, executor: Any = None, progress: Union[bool, Callable[[Progress], Any]] = False) -> Filled:
        """Evaluates all of the table; it calls nothing after that.

        Parameters
        ----------
        executor : optional
            As of `AdaptiveGrid`; before the first call of f.
        progress : bool or callable
            Shows it, as `quoin.progress` does.

        Returns
        -------
        Filled
            How many cells it has; an int, which prints in how many f failed. All of them is a `CornerFailure`.
        """
        if executor is not None:
            if self._made is not None:
                raise ValueError("fill: f was called already: give the executor to the table")
            self._calling["executor"] = executor
        shown = contextlib.nullcontext() if not progress else progress_of(progress if callable(progress) else None)
        with shown:
            return self.grid.fill()

    def samples(self) -> Samples:
        """All that f has answered, at points of the table's own variables."""
        samples = self.grid.samples()
        logs = np.array([axis.kind == "log" for axis in self.axes.values()])
        points = samples.points.copy()
        points[:, logs] = np.exp(points[:, logs])
        jets = samples.jets.copy()
        if samples.jet_order == 1:
            jets[:, :, 1:][:, :, logs] /= points[:, np.newaxis, logs]
        return dataclasses.replace(samples, points=points, jets=jets)

    def save(self, path: Path) -> None:
        """Writes the table to a file, which `quoin.load` reads; what acts (f, executor, store) is left out."""
        from quoin import _saved

        grid, described = self.grid, {
            "names": list(self.axes),
            "kinds": [axis.kind for axis in self.axes.values()],
            "bounds": [[axis.lower, axis.upper] for axis in self.axes.values()],
            "outputs": list(self.outputs),
            "sizes": self.sizes.tolist(),
            "relative": np.broadcast_to(self._relative, self.sizes.shape).tolist(),
        }
        saved = _saved.Saved(grid.options.keywords(), grid.level, grid.tolerance, grid.samples(), described)
        _saved.write(file_path("path", path), saved)

    @staticmethod
    def _function(described: Mapping[str, Any], f: Callable[..., Any]) -> Callable[..., Any]:
        """f as the grid of a table in a file calls it."""
        return FunctionOfTable(f, tuple(described["names"]), np.array([kind == "log" for kind in described["kinds"]]))

    @classmethod
    def _of_file(cls, described: Mapping[str, Any], grid: AdaptiveGrid) -> Table:
        table = cls.__new__(cls)
        table.axes = {
            name: Axis(lower, upper, kind)
            for name, (lower, upper), kind in zip(described["names"], described["bounds"], described["kinds"])
        }
        table._names = tuple(described["outputs"])
        table._sizes, table._relative = np.array(described["sizes"]), np.array(described["relative"])
        table._made, table._making, table._sizing_calls = grid, threading.RLock(), 0
        return table

    def _make(self) -> AdaptiveGrid:
        if self._calling["store"] is not None and self._calling["fingerprint"] is None:
            raise ValueError("store: a fingerprint is needed, a text that tells f from other functions")
        logs = [name for name, axis in self.axes.items() if axis.kind == "log"]
        calling = dict(self._calling)
        if calling["store"] is not None and logs:  # which what is stored is by
            calling["fingerprint"] += f", by the logarithms of {', '.join(logs)}"
        coarse = AdaptiveGrid(self._f, **self._lattice, **calling)
        samples = coarse.sample(np.concatenate([self._on_lines() if self._chooses_cells else self._corners(), self._inside()]))
        values = samples.values[~samples.failed]
        if len(values) == 0:
            raise ValueError(f"f has no answer at any of {len(samples)} points: {samples.reasons[0]}")
        sizes = np.abs(values).max(axis=0) if self._sizes is None else self._sizes
        if not sizes.any():
            raise ValueError(f"all outputs are 0 at {len(values)} points: give sizes")
        sizes = np.where(sizes == 0, sizes.max(), sizes)
        for name, given in (("relative", self._relative), ("sizes", sizes), ("outputs", self._names)):
            if given is not None and np.shape(given) not in ((), (values.shape[1],)):
                raise ValueError(f"{name}: {np.shape(given)[0]} for {values.shape[1]} outputs")
        least = float(self._relative.min())
        weights = np.broadcast_to(least / self._relative, sizes.shape) / sizes
        if self._chooses_cells:
            self._choose_cells(samples, weights / least)
        form = {"derivatives": samples.jet_order, "outputs": values.shape[1]}
        grid = AdaptiveGrid(
            self._f, **self._lattice, **{**calling, **form}, tolerance=least, output_weights=weights,
            samples=coarse.samples(),
        )  # fmt: skip
        self._sizes = sizes
        self._sizing_calls = coarse.statistics.exact_evaluations
        return grid

    def _on_lines(self) -> FloatArray:
        """The corners of the box, where f is often largest, and points on lines, of which cells are chosen."""
        lower, upper = self._lattice["lower"], self._lattice["upper"]
        dim = len(lower)
        ends = np.stack(np.meshgrid(*[[0.0, 1.0]] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
        return np.asarray(lower + (upper - lower) * np.concatenate([lines(dim).reshape(-1, dim), ends]))

    def _choose_cells(self, samples: Samples, weights: FloatArray) -> None:
        dim = len(self.axes)
        on_lines = np.where(samples.failed[:, np.newaxis], np.nan, samples.values * weights)[: dim * 4 * (STEPS + 1)]
        counts = cells_along(on_lines.reshape(dim, 4, STEPS + 1, -1), self._lattice["periodic"])
        self._lattice["spacing"] = (self._lattice["upper"] - self._lattice["lower"]) / counts

    def _inside(self) -> FloatArray:
        """Points that are no corners: where f is 0 at these it may be large between them."""
        lower, upper = self._lattice["lower"], self._lattice["upper"]
        return np.asarray(lower + (upper - lower) * np.random.default_rng(0).uniform(size=(_LOOKS // 4, len(lower))))

    def _corners(self) -> FloatArray:
        """Some corners of level 0, spread; all if they are few."""
        lattice = self._lattice
        counts = np.round((lattice["upper"] - lattice["lower"]) / lattice["spacing"]).astype(int)
        counts += ~np.array(lattice["periodic"])
        total = int(np.prod(counts, dtype=float)) if np.prod(counts, dtype=float) < 2**53 else 2**53
        chosen = np.unique(np.linspace(0, total - 1, min(total, _LOOKS)).round().astype(np.int64))
        index = np.stack(np.unravel_index(chosen, counts), axis=-1)
        return np.asarray(lattice["lower"] + lattice["spacing"] * index)


def _checked_names(outputs: Sequence[str]) -> tuple[str, ...]:
    names = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    taken = [name for name in dir(TableAnswer) if not name.startswith("__")] + ["values", "jacobian", "error"]
    for name in names:
        if not isinstance(name, str) or not name.isidentifier() or name in taken:
            raise ValueError(f"outputs: {name!r} can be no name of an output")
    if not names or len(set(names)) != len(names):
        raise ValueError(f"outputs = {list(names)}: expected names, each once")
    return names


def _numbers(name: str, value: Any) -> FloatArray:
    return reals(name, value).copy()
