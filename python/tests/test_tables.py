# SPDX-License-Identifier: BSD-3-Clause
"""Tables of named variables."""

import json
import threading
import time

import numpy as np
import pytest

import quoin


def gas(T, n, phi):
    """Smooth in the logarithms, of very different sizes."""
    return np.array([1 / (1 + (1e4 / T) ** 2 * n**0.05), 1e6 * np.log(n) * (2 + np.cos(phi))])


AXES = dict(T=quoin.log(3e3, 3e4), n=quoin.log(1e2, 1e6), phi=quoin.periodic(0, 2 * np.pi))


@pytest.fixture(scope="module")
def table():
    table = quoin.Table(gas, AXES, relative=1e-3, outputs=["y", "em"])
    table.fill()
    return table


def drawn(seed=2, count=300):
    random = np.random.default_rng(seed)
    T, n = np.exp(random.uniform(np.log(3e3), np.log(3e4), count)), np.exp(random.uniform(np.log(1e2), np.log(1e6), count))
    return T, n, random.uniform(-20, 20, count)


def test_errors_are_within_parts_of_the_sizes_and_nothing_is_called_after_filling(table):
    T, n, phi = drawn()
    calls = table.grid.statistics.exact_evaluations
    t = table(T=T, n=n, phi=phi)
    truth = np.array([gas(*point) for point in zip(T, n, phi)])
    off = np.abs(t.values - truth) / table.sizes
    assert np.mean(off.max(axis=1) > 1e-3) <= 0.01
    assert np.all(t.error <= 1e-3) and table.grid.statistics.exact_evaluations == calls
    assert np.array_equal(t.y, t.values[:, 0]) and np.array_equal(t.em, t.values[:, 1])


def test_variables_broadcast_and_their_order_is_that_of_the_axes(table):
    t = table(T=1e4, n=np.logspace(2, 6, 5)[:, None], phi=np.linspace(0, 30, 7))
    assert t.y.shape == (5, 7) and t.jacobian.shape == (5, 7, 2, 3)
    assert np.array_equal(table(1e4, np.logspace(2, 6, 5)[:, None], np.linspace(0, 30, 7)).values, t.values)
    assert table(T=1e4, n=1e3, phi=0).y.shape == ()


def test_derivatives_are_by_the_variables_themselves(table):
    point = np.array([1.1e4, 3e3, 0.7])
    J = table(*point).jacobian
    for axis, step in enumerate([1.0, 1.0, 1e-4]):
        beside = np.eye(3)[axis] * step
        slope = (table(*(point + beside)).values - table(*(point - beside)).values) / (2 * step)
        assert np.allclose(J[:, axis], slope, rtol=1e-5, atol=1e-9 * np.abs(J).max())


def test_its_map_takes_points_and_serves_where_maps_do(table):
    map, point = table.map, np.array([1.1e4, 3e3, 0.7])
    assert np.allclose(map(point), table(*point).values)
    assert np.allclose(map[1:].value_and_jacobian(point)[1], table(*point).jacobian[1:])
    assert map.query([-1.0, 3e3, 0.7]).trust == "outside"
    with pytest.raises(quoin.DomainError, match=r"x\[0\] = -1"):
        map([-1.0, 3e3, 0.7])


def test_a_saved_table_is_loaded_with_names_and_errors(table, tmp_path):
    table.save(tmp_path / "gas.npz")
    loaded = quoin.load(tmp_path / "gas.npz")
    T, n, phi = drawn(5)
    assert isinstance(loaded, quoin.Table) and loaded.outputs == ("y", "em") and loaded.axes == table.axes
    assert np.array_equal(loaded(T, n, phi).values, table(T, n, phi).values)
    assert loaded.grid.statistics.exact_evaluations == 0
    assert np.allclose(loaded.sizes, table.sizes)


@pytest.mark.parametrize(
    "field, value",
    [("names", ["T", "T", "n"]), ("kinds", ["log", "log", "cubic"]), ("bounds", [[1, 0]] * 3), ("outputs", ["y"]),
     ("sizes", [1.0, -1.0]), ("relative", "x"), ("names", ["a b", "c", "d"])],
)  # fmt: skip
def test_a_damaged_description_is_refused(table, tmp_path, field, value):
    file = tmp_path / "gas.npz"
    table.save(file)
    with np.load(file) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(str(arrays["header"]))
    header["table"][field] = value
    np.savez(file, **{**arrays, "header": np.array(json.dumps(header))})
    with pytest.raises(ValueError, match=field):
        quoin.load(file)


def test_functions_of_points_with_derivatives_on_logarithmic_axes():
    calls = []

    def f(x):
        calls.append(x)
        return np.array([x[0] ** 3 * x[1]]), np.array([[3 * x[0] ** 2 * x[1], x[0] ** 3]])

    table = quoin.Table(f, dict(a=quoin.log(1, 100), b=(0, 1)), relative=1e-3)
    t = table(a=[2.0, 50.0], b=0.5)
    assert t.y0 == pytest.approx([4, 62500], abs=1e-3 * table.sizes[0])
    assert t.jacobian[1, 0] == pytest.approx([3750, 125000], rel=0.02)
    assert all(1 <= x[0] <= 100.001 for x in calls)


def test_tables_on_other_axes_share_no_store(tmp_path):
    calls = []

    def square(x):
        calls.append(x)
        return np.array([x**2])

    kept = dict(store=tmp_path / "squares.quoin", fingerprint="squares")
    quoin.Table(square, dict(x=(10, 20)), **kept)(x=15)
    with pytest.raises(ValueError, match="wanted 'squares, by the logarithms of x'"):
        quoin.Table(square, dict(x=quoin.log(10, 20)), **kept)(x=15)
    other = dict(store=tmp_path / "logarithms.quoin", fingerprint="squares")
    first = quoin.Table(square, dict(x=quoin.log(10, 20)), **other)
    assert first(x=15).y0 == pytest.approx(225, abs=0.5)
    first.grid.flush()
    before = len(calls)
    quoin.Table(square, dict(x=quoin.log(10, 20)), **other)(x=15)
    assert len(calls) <= before + 1


def test_a_table_that_cannot_be_made_says_so_again_over_the_same_store(tmp_path):
    kept = dict(store=tmp_path / "zero.quoin", fingerprint="zero")
    table = quoin.Table(lambda x: np.zeros(1), dict(x=quoin.log(1, 10)), **kept)
    for _ in range(2):
        with pytest.raises(ValueError, match="all outputs are 0"):
            table(x=2)


def test_what_fails_is_told_with_the_axes_that_are_logarithms():
    def hot(T, x):
        if T > 1e4:
            raise ValueError("too hot")
        return np.array([T * x])

    table = quoin.Table(hot, dict(T=quoin.log(3e3, 3e4), x=(1, 2)))
    with pytest.raises(quoin.CornerFailure, match=r"too hot \(here T are logarithms\)") as failure:
        table(T=2e4, x=1.5)
    assert isinstance(failure.value.__cause__, ValueError)
    with pytest.raises(quoin.DomainError, match=r"X\[1, 0\] = .* is below lower\[0\] = 8.* logarithms"):
        table.map([[5e3, 1], [2e3, 1]])


def test_what_is_outside_is_told_by_name_and_row_or_left_out(table):
    with pytest.raises(quoin.DomainError, match=r"T\[1, 0\] = 100 is below lower = 3000"):
        table(T=[[5e3], [100]], n=1e3, phi=0)
    with pytest.raises(quoin.DomainError, match="n = inf is not finite"):
        table(T=5e3, n=np.inf, phi=0)
    t = table(T=[[5e3], [100], [np.nan]], n=1e3, phi=[0, 1], missing="nan")
    assert np.array_equal(np.isnan(t.y), [[False] * 2, [True] * 2, [True] * 2]) and np.isnan(t.error[1, 0])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda t: t(T=1e4, n=1e3), "phi"),
        (lambda t: t(T=1e4, n=1e3, ph=0), "did you mean 'phi'"),
        (lambda t: t(1e4, 1e3, 0, 1), "4 variables"),
        (lambda t: t(1e4, 1e3, 0, T=1), "T is given twice"),
        (lambda t: t(T=[1e4] * 2, n=[1e3] * 3, phi=0), r"T \(2,\), n \(3,\)"),
        (lambda t: t(T="hot", n=1e3, phi=0), "T: an array"),
        (lambda t: t(T=1e4, n=1e3, phi=0, missing="none"), "missing = 'none'"),
        (lambda t: t(T=1e4, n=1e3, phi=0).z, "outputs are y, em"),
        (lambda t: t.fill(executor="threads"), "executor"),
        (lambda t: quoin.log(0, 1), "logarithm"),
        (lambda t: quoin.periodic(1, 1), "lower one first"),
        (lambda t: quoin.Table(gas, dict(T=(1, 0))), "axis T"),
        (lambda t: quoin.Table(gas, dict(T=(1, 2, "log"))), r"axis T: expected \(lower, upper\), quoin.log"),
        (lambda t: quoin.Table(gas, {"a b": (0, 1)}), "a b"),
        (lambda t: quoin.Table(gas, AXES, cells=[1, 2]), "cells"),
        (lambda t: quoin.Table(gas, AXES, cells=[2, 2, 1]), "cells of phi = 1"),
        (lambda t: quoin.Table(gas, AXES, relative=0), "relative"),
        (lambda t: quoin.Table(gas, AXES, relative=[1e-3] * 3)(1e4, 1e3, 0), "relative: 3 for 2"),
        (lambda t: quoin.Table(gas, AXES, outputs=["y"])(1e4, 1e3, 0), "outputs: 1 for 2"),
        (lambda t: quoin.Table(gas, AXES, outputs=["values", "em"]), "values"),
        (lambda t: quoin.Table(gas, AXES, derivatives=2), "derivatives = 2"),
        (lambda t: quoin.Table(3, AXES), "f is a int"),
    ],
)
def test_mistakes_are_told(table, call, words):
    with pytest.raises((ValueError, TypeError, AttributeError), match=words):
        call(table)


def test_a_table_of_processes(tmp_path):
    table = quoin.Table(gas, AXES, relative=0.1, outputs=["y", "em"], store=tmp_path / "gas.quoin", fingerprint="gas")
    assert table.fill(executor="processes") > 0
    table.grid.flush()
    again = quoin.Table(gas, AXES, relative=0.1, outputs=["y", "em"], store=tmp_path / "gas.quoin", fingerprint="gas")
    again.fill()
    assert again.grid.statistics.exact_evaluations <= 1
    assert np.array_equal(again(1e4, 1e3, 1).values, table(1e4, 1e3, 1).values)


def test_where_f_fails_a_table_raises_or_leaves_nan():
    def partly(a, b):
        if a > 0.7:
            raise ValueError("too far")
        return [1 + a * b]

    table = quoin.Table(partly, dict(a=(0, 1), b=(0, 1)), relative=1e-2)
    with pytest.raises(quoin.CornerFailure, match="too far"):
        table(a=[0.1, 0.9], b=0.5)
    t = table(a=[0.1, 0.9], b=0.5, missing="nan")
    assert np.isnan(t.y0).tolist() == [False, True]


def test_sizes_are_not_those_of_corners_at_which_f_happens_to_vanish():
    table = quoin.Table(lambda a: [np.sin(2 * np.pi * a)], dict(a=(0, 1)), relative=1e-3)
    a = np.linspace(0, 1, 200)
    assert np.abs(table(a=a).y0 - np.sin(2 * np.pi * a)).max() < 2e-3 and 0.5 < table.sizes[0] <= 1


@pytest.mark.parametrize(
    "f",
    [lambda T, n, phi, k=3: gas(T, n, phi), lambda **named: gas(**named), lambda x: gas(*x), lambda *x: gas(*x[0])],
)
def test_functions_are_called_by_name_where_they_can_be(f):
    assert quoin.Table(f, AXES, relative=0.1)(1e4, 1e3, 1).values.shape == (2,)


def test_threads_that_ask_first_call_f_once_a_point():
    calls, at_once, most = [], [0], [0]

    def slow(a):
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        calls.append(a)
        time.sleep(0.001)
        at_once[0] -= 1
        return [np.exp(a)]

    table = quoin.Table(slow, dict(a=(0, 1)), relative=1e-2)
    threads = [threading.Thread(target=table, args=(0.1 * i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(calls)) == len(calls) and most[0] == 1


def test_samples_are_in_the_table_s_own_variables(table):
    samples = table.samples()
    assert samples.points[:, 0].min() == pytest.approx(3e3) and samples.points[:, 0].max() == pytest.approx(3e4)
    assert samples.values[0] == pytest.approx(gas(*samples.points[0]))


def test_a_table_prints_all_calls_of_f_those_for_its_sizes_too():
    calls = []

    def counted(a):
        calls.append(a)
        return [np.sin(a)]

    table = quoin.Table(counted, dict(a=(0, 3)), relative=1e-2, derivatives=0)
    table.fill()
    assert f"{len(calls)} calls of f" in repr(table)


def wave(a, b, c, d):
    """Bends along a, hardly along the others."""
    return np.array([np.sin(6 * a) * np.cos(b) + 0.3 * c, np.exp(-d) * np.cos(3 * a)])


def test_cells_are_chosen_along_each_axis():
    def filled(cells=None):
        table = quoin.Table(wave, dict.fromkeys("abcd", (0, 1)), cells=cells)
        table.fill()
        return len(table.samples().points)

    assert filled() < 2 * filled([8, 1, 1, 1]) and 2 * filled() < filled([4, 2, 2, 2])


def test_cells_are_chosen_where_f_fails_somewhere():
    def partly(a, b):
        if a > 0.9:
            raise ValueError("too far")
        return [np.sin(9 * b)]

    table = quoin.Table(partly, dict(a=(0, 1), b=(0, 1)))
    assert table(a=0.3, b=0.5).y0 == pytest.approx(np.sin(4.5), abs=1e-3)
