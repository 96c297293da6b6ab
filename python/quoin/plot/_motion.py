# SPDX-License-Identifier: BSD-3-Clause
"""A motion of bodies, animated."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin.plot._axes import BLACK, COLORS, GREY, axes as axes_or_new, check_labels, matplotlib, toolkits

FloatArray = npt.NDArray[np.float64]
#: of frames in a page; beyond this matplotlib drops frames
_MEGABYTES = 1000
Bodies = Union[npt.ArrayLike, Mapping[str, npt.ArrayLike]]


def animate(
    frames: Bodies,
    path: Optional[Union[str, "os.PathLike[str]"]] = None,
    ax: Any = None,
    *,
    triangles: Optional[Bodies] = None,
    times: Optional[npt.ArrayLike] = None,
    trace: Optional[int] = None,
    still: Optional[Mapping[str, npt.ArrayLike]] = None,
    labels: Optional[Sequence[str]] = None,
    frames_per_second: float = 20,
) -> Any:
    """Animates a motion of arms, in a plane or in space, as polylines or triangulated bodies.

    Parameters
    ----------
    frames : (T, K, 2) or (T, K, 3) array_like, or mapping of str to these
        K vertices over T frames; per name in the legend, if there are several bodies.
    path : path, optional
        Where to write it: .gif, .html (a player with its frames in the file) or .mp4 (needs ffmpeg).
    ax : matplotlib.axes.Axes, optional
        Of projection "3d" for bodies in space.
    triangles : (F, 3) array_like of int, or mapping of str to these, optional
        The triangles of bodies; one without any is a line from vertex to vertex.
    times : (T,) array_like, optional
        Seconds, shown in each frame.
    trace : int, optional
        The vertex whose path is drawn; -1 is the last, an arm's tip.
    still : mapping of str to (P, 2) or (P, 3) array_like, optional
        Points that do not move, such as a target.
    labels : sequence of str, optional
        Of the axes, with units; by default x, y and z in metres.
    frames_per_second : float

    Returns
    -------
    matplotlib.animation.FuncAnimation
        Keep it as long as it plays; ``to_jshtml()`` is for notebooks.

    Raises
    ------
    ValueError
        Shapes do not fit together, or the path ends in none of these.
    RuntimeError
        There is no ffmpeg for .mp4.
    """
    bodies = _named(frames, "frames", np.float64)
    meshes = {} if triangles is None else _named(triangles, "triangles", np.int64, next(iter(bodies)))
    points = {name: np.asarray(value, dtype=np.float64) for name, value in (still or {}).items()}
    count, space = _checked(bodies, meshes, points)
    clock = None if times is None else np.asarray(times, dtype=np.float64)
    if clock is not None and clock.shape != (count,):
        raise ValueError(f"times: shape {clock.shape}, expected ({count},)")
    if not frames_per_second > 0:
        raise ValueError(f"frames_per_second = {frames_per_second}, expected more than 0")
    texts = check_labels(labels if labels is not None else ("x [m]", "y [m]", "z [m]")[:space], space)
    writer = None if path is None else _writer(path, frames_per_second)
    ax = axes_or_new(ax, projection="3d") if space == 3 else axes_or_new(ax)
    _frame_axes(ax, [*bodies.values(), *points.values()], texts)
    for name, value in points.items():
        ax.scatter(*value.T, marker="*", s=70, color=BLACK, zorder=5, label=name)
    artists = [
        _Body(ax, name, positions, meshes.get(name), COLORS[index % len(COLORS)], trace)
        for index, (name, positions) in enumerate(bodies.items())
    ]
    text = getattr(ax, "text2D", ax.text)(0.02, 0.97, "", transform=ax.transAxes, va="top")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)

    def show(frame: int) -> list[Any]:
        for artist in artists:
            artist.show(frame)
        if clock is not None:
            text.set_text(f"t = {clock[frame]:.2f} s")
        return [text]

    show(0)
    animation = matplotlib("animation").FuncAnimation(
        ax.figure, show, frames=count, interval=1000 / frames_per_second, blit=False
    )
    if path is not None:
        animation.save(os.fspath(path), writer=writer)
    return animation


def _named(value: Bodies, what: str, kind: Any, name: str = "arm") -> dict[str, Any]:
    bodies = dict(value) if isinstance(value, Mapping) else {name: value}
    if not bodies:
        raise ValueError(f"{what}: there is no body")
    return {key: np.asarray(array, dtype=kind) for key, array in bodies.items()}


def _checked(
    bodies: dict[str, FloatArray], meshes: dict[str, npt.NDArray[np.int64]], points: dict[str, FloatArray]
) -> tuple[int, int]:
    """The number of frames, and 2 or 3 coordinates."""
    shape = next(iter(bodies.values())).shape
    for name, positions in bodies.items():
        if positions.ndim != 3 or positions.shape[2] not in (2, 3) or not positions.size:
            raise ValueError(f"frames of {name!r}: shape {positions.shape}, expected (T, K, 2) or (T, K, 3)")
        if positions.shape[0] != shape[0] or positions.shape[2] != shape[2]:
            raise ValueError(f"frames of {name!r}: shape {positions.shape}, expected ({shape[0]}, K, {shape[2]})")
        if not np.all(np.isfinite(positions)):
            raise ValueError(f"frames of {name!r}: a coordinate is not finite")
    for name, mesh in meshes.items():
        if name not in bodies:
            raise ValueError(f"triangles of {name!r}: there is no such body in {sorted(bodies)}")
        vertices = bodies[name].shape[1]
        if mesh.ndim != 2 or mesh.shape[1] != 3 or mesh.min(initial=0) < 0 or mesh.max(initial=0) >= vertices:
            raise ValueError(f"triangles of {name!r}: shape {mesh.shape}, expected (F, 3) of 0 to {vertices - 1}")
    for name, value in points.items():
        if value.ndim != 2 or value.shape[1] != shape[2]:
            raise ValueError(f"still {name!r}: shape {value.shape}, expected (P, {shape[2]})")
    return shape[0], shape[2]


def _writer(path: Union[str, "os.PathLike[str]"], frames_per_second: float) -> Any:
    animation = matplotlib("animation")
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending == ".gif":
        return animation.PillowWriter(fps=frames_per_second)
    if ending == ".html":
        return animation.HTMLWriter(fps=frames_per_second, embed_frames=True, embed_limit=_MEGABYTES)
    if ending != ".mp4":
        raise ValueError(f"{os.fspath(path)}: expected a name that ends in .gif, .html or .mp4")
    if not animation.FFMpegWriter.isAvailable():
        raise RuntimeError(f"{os.fspath(path)}: there is no ffmpeg (Debian: ffmpeg); .gif and .html need none")
    return animation.FFMpegWriter(fps=frames_per_second)


def _frame_axes(ax: Any, arrays: list[FloatArray], labels: Sequence[str]) -> None:
    """Labels, and limits that hold all frames, with the same scale along each axis."""
    everything = np.concatenate([array.reshape(-1, array.shape[-1]) for array in arrays])
    lower, upper = everything.min(axis=0), everything.max(axis=0)
    margin = 0.08 * max(float((upper - lower).max()), 1e-12)
    for axis, label, low, high in zip("xyz", labels, lower - margin, upper + margin):
        getattr(ax, f"set_{axis}lim")(low, high)
        getattr(ax, f"set_{axis}label")(label)
    if len(labels) == 3:
        ax.set_box_aspect(upper - lower + 2 * margin)
    else:
        ax.set_aspect("equal")


class _Body:
    """The artists of one body."""

    def __init__(
        self,
        ax: Any,
        name: str,
        positions: FloatArray,
        triangles: Optional[npt.NDArray[np.int64]],
        color: str,
        trace: Optional[int],
    ) -> None:
        self._positions = positions
        self._triangles = triangles
        space = positions.shape[2]
        if trace is not None and not -positions.shape[1] <= trace < positions.shape[1]:
            raise ValueError(f"trace = {trace}: {name!r} has {positions.shape[1]} vertices")
        self._trace = trace
        start: list[list[float]] = [[]] * space
        self._path = ax.plot(*start, color=GREY, linewidth=1)[0]
        if triangles is None:
            self._line = ax.plot(*start, color=color, linewidth=2.5, solid_capstyle="round", label=name)[0]
            return
        corners = positions[0][triangles]
        style = {"facecolor": color, "edgecolor": "white", "linewidth": 0.3}
        if space == 2:
            self._line = matplotlib("collections").PolyCollection(corners, **style)
        else:
            self._line = toolkits("mplot3d.art3d").Poly3DCollection(corners, **style)
        ax.add_collection(self._line)
        ax.plot(*start, color=color, linewidth=6, label=name)  # of which the legend is made

    def show(self, frame: int) -> None:
        if self._triangles is not None:
            self._line.set_verts(self._positions[frame][self._triangles])
        else:
            _set(self._line, self._positions[frame])
        if self._trace is not None:
            _set(self._path, self._positions[: frame + 1, self._trace])


def _set(line: Any, points: FloatArray) -> None:
    if points.shape[1] == 3:
        line.set_data_3d(*points.T)
    else:
        line.set_data(*points.T)
