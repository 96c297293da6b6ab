# SPDX-License-Identifier: BSD-3-Clause
"""Pictures show the cells, errors, costs and motions that are there, and tables the numbers."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

import quoin
from functions import Counted, waves
from quoin import plot

os.environ["MPLBACKEND"] = "Agg"
pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import PathCollection, PolyCollection  # noqa: E402


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


def cells_of(ax):
    """Per label the rectangles that are drawn, as (lower x, lower y, width, height)."""
    found = {}
    for collection in ax.collections:
        if isinstance(collection, PolyCollection):
            corners = [path.vertices[:4] for path in collection.get_paths()]
            found[collection.get_label()] = sorted((*c.min(0), *(c.max(0) - c.min(0))) for c in corners)
    return found


def samples_of(ax):
    return {c.get_label(): np.array(c.get_offsets()) for c in ax.collections if type(c) is PathCollection}


def legend_of(ax):
    return [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]


def test_the_cells_of_a_plane_are_those_that_queries_met():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.25], origin=[0.1, 0.0])
    grid(np.array([0.3, 0.3]))
    grid(np.array([0.7, 0.3]))
    grid.refine()
    grid(np.array([0.3, 0.3]))
    ax = plot.cells(grid, labels=("pull [N]", "height [m]"))
    drawn = cells_of(ax)
    assert list(drawn) == ["level 0: 2 cells", "level 1: 1 cell"]
    np.testing.assert_allclose(drawn["level 0: 2 cells"], [(0.1, 0.25, 0.5, 0.25), (0.6, 0.25, 0.5, 0.25)])
    np.testing.assert_allclose(drawn["level 1: 1 cell"], [(0.1, 0.25, 0.25, 0.125)])
    (points,) = samples_of(ax).values()
    assert sorted(map(tuple, points)) == sorted(map(tuple, grid.samples().points)) and len(points) == 6 + 3
    assert legend_of(ax) == ["level 0: 2 cells", "level 1: 1 cell", "9 samples"]
    assert ax.get_xlabel() == "pull [N]" and ax.get_ylabel() == "height [m]"


def test_each_cell_with_all_its_corners_is_drawn_once_and_no_other():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    grid(np.random.default_rng(5).uniform(-2, 2, (25, 2)))
    corners = {tuple(np.round(x / 0.5).astype(int)) for x in grid.samples().points}
    whole = [
        (0.5 * i, 0.5 * j)
        for i, j in itertools.product(range(-6, 6), repeat=2)
        if {(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)} <= corners
    ]
    (drawn,) = cells_of(plot.cells(grid)).values()
    assert [(x, y) for x, y, _, _ in drawn] == whole and 10 < len(whole) < 64


def test_a_plane_through_a_grid_of_more_variables_has_the_cells_and_samples_at_it():
    grid = quoin.AdaptiveGrid(waves(3), spacing=[0.5, 0.5, 0.5])
    grid(np.array([0.3, 0.3, 0.3]))
    grid(np.array([0.7, 0.3, 1.2]))
    for at, (lower, samples) in {0.1: ([0.0], 4), 0.4: ([0.0], 4), 0.7: ([], 4), 1.1: ([0.5], 4)}.items():
        ax = plot.cells(grid, axes=(0, 2), at=[9, 0.3, 9])
        assert sum(map(len, cells_of(ax).values())) == 2
        ax = plot.cells(grid, axes=(1, 0), at=[9, 9, at])
        drawn = [cell for cells in cells_of(ax).values() for cell in cells]
        assert [(x, y) for x, y, _, _ in drawn] == [(0.0, y) for y in lower], at
        (points,) = samples_of(ax).values()
        assert len(points) == samples, at
        assert ax.get_xlabel() == "$x_1$" and ax.get_ylabel() == "$x_0$"


def test_on_a_lattice_plane_the_cells_of_both_sides_are_there():
    grid = quoin.AdaptiveGrid(waves(3), spacing=[0.5, 0.5, 0.5])
    grid(np.array([[0.3, 0.3, 0.3], [0.7, 0.3, 0.7]]))
    (drawn,) = cells_of(plot.cells(grid, at=[0, 0, 0.5])).values()
    assert [(x, y) for x, y, _, _ in drawn] == [(0.0, 0.0), (0.5, 0.0)]


def test_failed_samples_have_a_mark_for_each_reason():
    def f(x):
        if x[0] > 0.9:
            raise ValueError(f"no equilibrium at {x[1]} N")
        if x[1] > 0.9:
            raise RuntimeError("the arm touches the wall")
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    grid.prefetch(np.array([[0.2, 0.2], [0.7, 0.2], [0.2, 0.7], [0.7, 0.7]]))
    ax = plot.cells(grid)
    failed = {label.replace("\n", " "): sorted(map(tuple, points)) for label, points in samples_of(ax).items()}
    assert failed == {
        "4 samples": [(0, 0), (0, 0.5), (0.5, 0), (0.5, 0.5)],
        "3 failed: ValueError: no equilibrium at … N": [(1, 0), (1, 0.5), (1, 1)],
        "2 failed: RuntimeError: the arm touches the wall": [(0, 1), (0.5, 1)],
    }
    assert set(failed) < set(legend_of(ax))


def test_many_reasons_share_the_last_mark():
    names = "abcdefg"

    def f(x):
        if x[0] > 0.1:
            raise ValueError("reason " + names[int(round(x[0] / 0.5)) - 1])
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    grid.prefetch(np.array([[0.2 + 0.5 * i, 0.2] for i in range(len(names))]))
    failed = {label: len(points) for label, points in samples_of(plot.cells(grid)).items() if "failed" in label}
    assert sorted(failed.values()) == [2, 2, 2, 2, 6] and "6 failed: other reasons" in failed


@pytest.mark.parametrize("options", [{}, {"tolerance": 1e-3}])
@pytest.mark.parametrize("derivatives", [0, 1])
def test_contours_are_lines_of_the_grids_value_and_do_not_call_f(options, derivatives):
    f = Counted(waves(2) if derivatives else lambda x: waves(2)(x)[0])
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], **options)
    grid(np.random.default_rng(6).uniform(0, 1, (30, 2)))
    before, count = grid.statistics, f.count
    ax = plot.cells(grid, contours=4, output=1, output_label="speed [m/s]", resolution=50)
    assert f.count == count and grid.statistics.queries == before.queries + 2500
    lines = [c for c in ax.collections if c.get_label().startswith("_")]
    on_one_value = 0
    for line in lines:
        for path in line.get_paths():
            values = [waves(2)(x)[0][1] for x in path.vertices]
            on_one_value += len(values)
            assert np.ptp(values) < 2e-2
    assert on_one_value > 40 and "speed [m/s]" in legend_of(ax)


def test_cells_refuses_what_is_no_plane():
    with pytest.raises(ValueError, match="1 variable has no plane"):
        plot.cells(quoin.AdaptiveGrid(waves(1), spacing=[0.5]))
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    with pytest.raises(ValueError, match=r"axes = \(0, 2\)"):
        plot.cells(grid, axes=(0, 2))
    with pytest.raises(ValueError, match="at = .* expected 2 finite numbers"):
        plot.cells(grid, at=[1.0, np.nan])
    with pytest.raises(ValueError, match="output = 2"):
        plot.cells(grid, output=2)
    with pytest.raises(ValueError, match="expected 2 texts"):
        plot.cells(grid, labels=("x",))


def test_errors_are_drawn_against_the_evaluations_that_they_cost():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    X = np.random.default_rng(7).uniform(0, 1, (40, 2))
    table = plot.measured_errors(grid, waves(2), X, levels=range(3))
    assert table.shape == (3, 2) and table[2, 0] == f.count
    exact = np.array([waves(2)(x)[0] for x in X])
    for level, (evaluations, error) in enumerate(table):
        fresh = Counted(waves(2))
        other = quoin.AdaptiveGrid(fresh, spacing=[0.5, 0.5])
        for earlier in range(level + 1):
            other.at_level(earlier).prefetch(X)
        assert evaluations == fresh.count
        assert error == pytest.approx(np.sqrt(np.mean((other.at_level(level)(X) - exact) ** 2, axis=1)).max())
    to_tolerance = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5], tolerance=1e-2)
    second = plot.measured_errors(to_tolerance, exact, X, tolerances=[1e-3, 1e-6])
    assert second[0, 1] < 1e-3 and second[1, 1] < 1e-6 and second[1, 0] > second[0, 0]
    ax = plot.error_against_evaluations(
        {"levels": table, "tolerances": second}, tolerance=1e-4, labels=("evaluations", "error [m]")
    )
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), table)
    np.testing.assert_array_equal(ax.lines[1].get_xydata(), second)
    assert set(ax.lines[2].get_ydata()) == {1e-4}
    assert legend_of(ax) == ["levels", "tolerances", "tolerance 0.0001"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("evaluations", "error [m]")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_errors_refuse_what_does_not_fit():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match="either levels or tolerances"):
        plot.measured_errors(grid, waves(2), X)
    with pytest.raises(ValueError, match=r"points: shape \(3,\)"):
        plot.measured_errors(grid, waves(2), X[:, 0], levels=[0])
    with pytest.raises(ValueError, match=r"values of shape \(3, 1\), expected \(3, 2\)"):
        plot.measured_errors(grid, X[:, :1], X, levels=[0])
    with pytest.raises(ValueError, match=r"run 'a': shape \(3,\)"):
        plot.error_against_evaluations({"a": [1, 2, 3]})
    with pytest.raises(ValueError, match="no run"):
        plot.error_against_evaluations({})


def work(calls, seconds, per_query, queries=10):
    return quoin.GridStatistics(calls, calls, 0, queries, calls, 0, 0, 0, 1, 1000, seconds, per_query, 0.0)


def test_the_break_even_is_where_the_lines_cross():
    ax = plot.break_even(work(100, 1.0, 0.002, queries=40))
    direct, through, crossing, so_far = ax.lines
    np.testing.assert_allclose(crossing.get_xydata(), [[125, 1.25]])
    x = direct.get_xdata()
    np.testing.assert_allclose(direct.get_ydata(), 0.01 * x)
    np.testing.assert_allclose(through.get_ydata(), 1 + 0.002 * x)
    assert x[0] == 1 and x[-1] > 1000 and set(so_far.get_xdata()) == {40}
    assert legend_of(ax) == [
        "f each time: 10 ms a call",
        "grid: 100 calls of f, then 2 ms a query",
        "break-even: 125 queries",
        "so far: 40 queries",
    ]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("queries", "time [s]")


def test_the_break_even_of_a_grid_is_that_of_its_statistics():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    grid(np.random.default_rng(8).uniform(0, 1, (500, 2)))
    statistics = grid.statistics
    crossing = plot.break_even(statistics).lines[2].get_xdata()[0]
    assert crossing == pytest.approx(statistics.break_even_queries)


def test_where_a_query_costs_as_much_as_f_there_is_no_break_even():
    ax = plot.break_even(work(100, 1.0, 0.0), seconds_per_query=0.01)
    assert len(ax.lines) == 3 and not [text for text in legend_of(ax) if text.startswith("break-even")]
    with pytest.raises(ValueError, match="0 calls of f in 0.0 s"):
        plot.break_even(work(0, 0.0, 0.0))
    with pytest.raises(ValueError, match="seconds_per_query = nan"):
        plot.break_even(work(1, 1.0, 0.0), seconds_per_query=np.nan)


def swing(frames, vertices, space):
    t, s = np.linspace(0, 1, frames)[:, np.newaxis], np.linspace(0, 1, vertices)
    return np.stack([np.sin(t + s), np.cos(2 * t + s), t * s][:space], axis=2)


def test_a_motion_is_written_as_a_gif_of_as_many_frames(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="python3-pil is not installed")
    path = tmp_path / "arm.gif"
    plot.animate(swing(7, 5, 2), path, times=np.linspace(0, 1, 7), trace=-1, still={"target": [[1, 0]]})
    with image.open(path) as gif:
        assert gif.n_frames == 7


def test_a_motion_is_written_as_a_page_of_as_many_frames(tmp_path):
    path = tmp_path / "arm.html"
    plot.animate({"arm": swing(4, 5, 3), "rope": swing(4, 9, 3)}, path)
    page = path.read_text()
    assert page.count('] = "data:image/png;base64,') == 4


@pytest.mark.parametrize("space", [2, 3])
def test_each_frame_shows_the_positions_of_its_time(space):
    frames = swing(5, 4, space)
    triangles = [[0, 1, 2], [1, 2, 3]]
    animation = plot.animate(
        {"rope": frames, "arm": frames + 1},
        triangles={"arm": triangles},
        times=[0, 0.1, 0.2, 0.3, 0.4],
        trace=-1,
        labels=["x [mm]", "y [mm]", "z [mm]"][:space],
    )
    (ax,) = animation._fig.axes
    animation._func(3)
    rope = [line for line in ax.lines if line.get_label() == "rope"][0]
    paths = [line for line in ax.lines if line.get_label() not in ("rope", "arm")]
    read = (lambda line: np.array(line.get_data_3d()).T) if space == 3 else (lambda line: line.get_xydata())
    np.testing.assert_array_equal(read(rope), frames[3])
    np.testing.assert_array_equal(read(paths[0]), frames[:4, -1])
    if space == 2:
        (body,) = [c for c in ax.collections if isinstance(c, PolyCollection)]
        shown = np.array([path.vertices[:3] for path in body.get_paths()])
        np.testing.assert_array_equal(shown, frames[3][triangles] + 1)
    assert ax.texts[0].get_text() == "t = 0.30 s"
    assert legend_of(ax) == ["rope", "arm"]
    assert ax.get_xlabel() == "x [mm]" and ax.get_ylabel() == "y [mm]"
    low, high = ax.get_xlim()
    assert low < frames[..., 0].min() and high > frames[..., 0].max() + 1
    animation._draw_was_started = True  # so that it is not missed when it is deleted


def test_a_triangulated_body_in_space_is_drawn_where_it_is():
    frames = swing(3, 4, 3)
    animation = plot.animate(frames, triangles=[[0, 1, 2], [1, 2, 3]])
    (ax,) = animation._fig.axes
    animation._func(2)
    (body,) = ax.collections
    corners = body._vec[:3].T.reshape(2, -1, 3)[:, :3]
    np.testing.assert_array_equal(corners, frames[2][[[0, 1, 2], [1, 2, 3]]])
    assert ax.get_zlabel() == "z [m]" and legend_of(ax) == ["arm"]
    animation._draw_was_started = True


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"frames": np.zeros((3, 4))}, r"shape \(3, 4\), expected \(T, K, 2\)"),
        ({"frames": {"a": swing(3, 4, 2), "b": swing(4, 4, 2)}}, r"'b': shape \(4, 4, 2\), expected \(3, K, 2\)"),
        ({"frames": np.full((3, 4, 2), np.nan)}, "not finite"),
        ({"frames": swing(3, 4, 2), "times": [0, 1]}, r"times: shape \(2,\), expected \(3,\)"),
        ({"frames": swing(3, 4, 2), "triangles": [[0, 1, 4]]}, r"expected \(F, 3\) of 0 to 3"),
        ({"frames": swing(3, 4, 2), "trace": 4}, "trace = 4: 'arm' has 4 vertices"),
        ({"frames": swing(3, 4, 2), "still": {"goal": [[0, 0, 0]]}}, r"still 'goal': shape \(1, 3\)"),
        ({"frames": swing(3, 4, 2), "path": "arm.avi"}, "ends in .gif, .html or .mp4"),
        ({"frames": swing(3, 4, 2), "frames_per_second": 0}, "frames_per_second = 0"),
        ({"frames": {}}, "there is no body"),
    ],
)
def test_animate_refuses_what_does_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        plot.animate(**arguments)


def test_a_film_is_written_or_ffmpeg_is_asked_for(tmp_path):
    from matplotlib.animation import FFMpegWriter

    path = tmp_path / "arm.mp4"
    if FFMpegWriter.isAvailable():
        plot.animate(swing(4, 5, 2), path)
        assert path.stat().st_size > 1000
    else:
        with pytest.raises(RuntimeError, match="Debian: ffmpeg"):
            plot.animate(swing(4, 5, 2), path)


def test_pictures_go_into_axes_that_are_given():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    grid(np.array([0.3, 0.3]))
    figure, (left, right) = pyplot.subplots(1, 2)
    assert plot.cells(grid, ax=left) is left and plot.break_even(grid.statistics, right) is right
    assert pyplot.get_fignums() == [figure.number]


def test_without_matplotlib_importing_works_and_drawing_names_the_package():
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import quoin, numpy as np\nfrom quoin import plot\n"
        "grid = quoin.AdaptiveGrid(lambda x: x, spacing=[0.5, 0.5])\ngrid(np.zeros(2))\n"
        "for draw in (lambda: plot.cells(grid), lambda: plot.break_even(grid.statistics),\n"
        "             lambda: plot.error_against_evaluations({'a': [[1, 2]]}),\n"
        "             lambda: plot.animate(np.zeros((2, 3, 2)))):\n"
        "    try:\n        draw()\n"
        "    except ImportError as error:\n        assert 'python3-matplotlib' in str(error)\n"
        "    else:\n        raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    lazily = "import sys, quoin, quoin.plot; assert not [m for m in sys.modules if m.startswith('matplotlib')]"
    subprocess.run([sys.executable, "-c", lazily], check=True)


def test_every_function_says_what_its_parameters_are():
    validate = pytest.importorskip("numpydoc.validate", reason="python3-numpydoc is not installed")
    for name in plot.__all__:
        errors = validate.validate(f"quoin.plot.{name}")["errors"]
        assert not [error for error in errors if error[0] in {"GL08", "PR01", "PR02", "PR03", "PR10"}], name


def test_statistics_are_tables():
    statistics = work(100, 1.0, 2e-6)._replace(failed_corners=3, bytes=12345, break_even_queries=100.25)
    lines = dict(line.split("  ", 1) for line in str(statistics).splitlines())
    lines = {name: value.strip() for name, value in lines.items()}
    assert lines["calls of f"] == "100 in 100 batches"
    assert lines["time in f"] == "1 s, 10 ms each"
    assert lines["corners"] == "100, of which 3 failed, 0 unused yet"
    assert lines["memory"] == "12.3 kB"
    assert lines["time per query"] == "2 µs"
    assert lines["cheaper than f from"] == "100.2 queries on"
    page = statistics._repr_html_()
    assert page.count("<tr>") == len(lines) and "1 s, 10 ms each" in page and page.startswith("<table>")
    assert repr(statistics).startswith("GridStatistics(exact_evaluations=100, ")


def test_samples_are_tables():
    def f(x):
        if x[0] > 0.4:
            raise ValueError("<no> answer")
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.25], derivatives=1, outputs=2)
    grid.prefetch(np.array([[0.2, -0.1]]))
    samples = grid.samples()
    assert repr(samples).startswith(
        "<Samples: samples 4, failures 2, variables 2, outputs 2, jets of order 1, box [0, 0.5] x [-0.25, 0]"
    )
    assert "failures   2" in str(samples)
    assert "<th" in samples._repr_html_() and "[0, 0.5] x [-0.25, 0]" in samples._repr_html_()


def test_a_plan_and_its_run_are_drawn_with_what_they_miss():
    planning = pytest.importorskip("quoin.planning")

    def shape(u):
        return np.concatenate([np.tanh(u / 40), -np.tanh(u / 40)])

    arm = quoin.AdaptiveGrid(shape, [1.0, 1.0], lower=[-20, -20], upper=[20, 20], outside="clamp")
    model = quoin.ReducedDynamics(arm[:2], masses=[1, 1], lengths=arm[2:], time_step=0.02, control_scale=10)
    path = 0.02 * np.stack([np.linspace(0, 1, 21) ** 2, np.linspace(0, 1, 21) ** 2], 1)
    plan = planning.track(model, arm[:2], path, control=(-9, 9))
    run = planning.run(lambda controls: path + 0.001, plan)
    figure = plot.tracking(plan, run, labels=("x [m]", "y [m]"))
    plane, errors, controls = figure.axes
    drawn = {line.get_label(): line.get_xydata() for line in plane.lines}
    assert np.array_equal(drawn["path"], path) and np.array_equal(drawn["run"], path + 0.001)
    assert np.array_equal(drawn["plan"], plan.planned) and plane.get_xlabel() == "x [m]"
    assert np.allclose(errors.lines[1].get_ydata(), run.errors) and len(controls.lines) == 4
    assert len(plot.tracking(plan).axes[0].lines) == 2
    with pytest.raises(ValueError, match="labels"):
        plot.tracking(plan, labels=["x"])


def test_what_came_from_a_store_pays_too_and_a_plane_beside_the_domain_is_told(tmp_path):
    def f(x):
        return np.array([x.sum()])

    store = dict(store=tmp_path / "f.quoin", fingerprint="f", lower=[-1] * 3, upper=[1] * 3)
    first = quoin.AdaptiveGrid(f, [0.5] * 3, **store)
    first([0.1, 0.2, 0.3])
    first.flush()
    again = quoin.AdaptiveGrid(f, [0.5] * 3, outputs=1, derivatives=0, **store)
    again([0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="give the grid itself"):
        plot.break_even(again.statistics)
    assert len(plot.break_even(again).lines) >= 2
    with pytest.raises(ValueError, match=r"at\[2\] = 3: the plane misses the grid's domain, which is from -1 to 1"):
        plot.cells(again, at=[0, 0, 3])


def test_evaluations_are_drawn_where_f_was_called():
    def f(x):
        if x[0] > 0.9:
            raise ValueError("too far")
        return x**2

    grid = quoin.AdaptiveGrid(f, [0.5, 0.5])
    with pytest.raises(ValueError, match="not called yet"):
        plot.evaluations(quoin.AdaptiveGrid(f, [0.5, 0.5], outputs=2, derivatives=0))
    grid.sample([[0.3, 0.4], [0.1, 0.2], [1.0, 0.2]])
    ax = plot.evaluations(grid, labels=("a", "b"))
    points, failed = [child for child in ax.collections if isinstance(child, PathCollection)]
    assert np.allclose(sorted(points.get_offsets().tolist()), sorted(grid.samples().points.tolist()))
    assert np.allclose(failed.get_offsets(), [[1.0, 0.2]], atol=1e-5) and ax.get_xlabel() == "a"
    with pytest.raises(ValueError, match="axes"):
        plot.evaluations(grid, axes=(0, 2))
