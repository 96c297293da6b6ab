# SPDX-License-Identifier: BSD-3-Clause
"""A grid answers by the laws of Hermite interpolation, from the corners that it needs and no other."""

import itertools
import math

import numpy as np
import pytest

import quoin
from functions import Counted, cubic, waves


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 6])
def test_cubic_polynomials_are_reproduced_with_their_jacobians(dim):
    f = cubic(dim)
    grid = quoin.AdaptiveGrid(f, spacing=[0.5] * dim)
    x = np.linspace(-0.4, 0.9, dim)
    y, J = grid.value_and_jacobian(x)
    expected, slope = f(x)
    assert y.shape == (2,) and J.shape == (2, dim)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(J, slope, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(grid(x), y)


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 6])
def test_a_query_calls_f_at_the_corners_of_its_cell_once_each(dim):
    f = Counted(waves(dim))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5] * dim)
    x = np.full(dim, 0.3)
    grid(x)
    corners = {tuple(c) for c in itertools.product([0.0, 0.5], repeat=dim)}
    assert f.called == {corner: 1 for corner in corners}
    assert grid.statistics.exact_evaluations == 2**dim
    grid.value_and_jacobian(np.full(dim, 0.2))
    assert f.count == 2**dim


def test_values_agree_with_the_interpolant_written_in_numpy():
    f = waves(2)
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.25], origin=[0.1, 0.2])
    rng = np.random.default_rng(1)
    for x in rng.uniform(-1, 1, (50, 2)):
        np.testing.assert_allclose(grid(x), adini(f, x, np.array([0.1, 0.2]), np.array([0.5, 0.25])), atol=1e-13)


def adini(f, x, origin, spacing):
    """The closed form for K = 1 of docs/notes/grid.md."""
    lower = np.floor((x - origin) / spacing)
    t = (x - origin) / spacing - lower
    total = 0
    for corner in itertools.product([0, 1], repeat=len(x)):
        c = np.array(corner)
        value, gradient = f(origin + spacing * (lower + c))
        s, sigma = np.where(c, t, 1 - t), np.where(c, 1, -1)
        alpha = -sigma * spacing * s * (1 - s)
        total = total + s.prod() * ((1 + ((1 - s) * (2 * s - 1)).sum()) * value + gradient @ alpha)
    return total


def test_the_error_falls_by_16_from_level_to_level():
    f = waves(2)
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    X = np.random.default_rng(2).uniform(0, 1, (200, 2))
    exact = np.array([f(x)[0] for x in X])
    errors = [np.abs(grid.at_level(level)(X) - exact).max() for level in range(4)]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(slopes > 3.4) and np.all(slopes < 4.6), slopes


def test_a_tolerance_is_kept_and_its_errors_are_stated():
    f = waves(2)
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], tolerance=1e-6)
    for x in np.random.default_rng(3).uniform(0, 1, (30, 2)):
        answer = grid.query(x)
        assert answer.trust is quoin.Trust.estimated and answer.error <= 1e-6
        assert math.sqrt(np.mean((answer.y - f(x)[0]) ** 2)) < 1e-6


def test_jets_in_single_precision_answer_to_their_rounding():
    f = waves(3)
    box = dict(spacing=[0.5] * 3)
    wide, narrow = quoin.AdaptiveGrid(f, **box), quoin.AdaptiveGrid(f, single_precision=True, **box)
    X = np.random.default_rng(1).uniform(-1, 1, (40, 3))
    difference = np.abs(wide(X) - narrow(X)).max()
    assert 1e-9 < difference < 1e-6
    assert narrow.options.single_precision
    assert narrow.statistics.corners == wide.statistics.corners


def test_a_function_of_values_alone_has_its_gradients_from_the_lattice():
    def f(x):
        return np.array([x[0] ** 3 + x[0] * x[1], x[1] ** 2])

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    y, J = grid.value_and_jacobian(np.array([0.3, 0.4]))
    np.testing.assert_allclose(y, f([0.3, 0.4]), atol=1e-13)
    np.testing.assert_allclose(J, [[3 * 0.09 + 0.4, 0.3], [0, 0.8]], atol=1e-12)
    assert grid.statistics.exact_evaluations == 20


@pytest.mark.parametrize("order", [2, 3])
def test_jets_of_higher_order_reproduce_polynomials_of_degree_2K_plus_1(order):
    degree = 2 * order + 1

    def f(x):
        jet = []
        for total in range(order + 1):
            for i in range(total, -1, -1):
                a, b = i, total - i
                da = math.perm(degree, a) * x[0] ** (degree - a) if b == 0 else 0
                db = math.perm(degree, b) * x[1] ** (degree - b) if a == 0 else 0
                jet.append(da + db)
        return np.array([jet])

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], derivatives=order)
    x = np.array([0.3, -0.2])
    y, J = grid.value_and_jacobian(x)
    np.testing.assert_allclose(y, [0.3**degree + (-0.2) ** degree], atol=1e-13)
    np.testing.assert_allclose(J, [[degree * 0.3 ** (degree - 1), degree * 0.2 ** (degree - 1)]], atol=1e-12)


def test_products_with_the_jacobian_and_functionals_are_those_of_the_jacobian():
    grid = quoin.AdaptiveGrid(waves(3), spacing=[0.5] * 3)
    x, w, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, -2, 0.5]), np.array([0.3, -1.0])
    y, J = grid.value_and_jacobian(x)
    np.testing.assert_allclose(grid.jvp(x, w), J @ w, atol=1e-13)
    np.testing.assert_allclose(grid.vjp(x, v), J.T @ v, atol=1e-13)
    X = np.random.default_rng(4).uniform(0, 1, (7, 3))
    _, JX = grid.value_and_jacobian(X)
    np.testing.assert_allclose(grid.jvp(X, np.tile(w, (7, 1))), JX @ w, atol=1e-13)
    np.testing.assert_allclose(grid.vjp(X, np.tile(v, (7, 1))), np.einsum("mij,i->mj", JX, v), atol=1e-13)
    C = np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 0.0]])
    functional = grid.linear_output(C)
    np.testing.assert_allclose(functional(x), C @ y, atol=1e-13)
    np.testing.assert_allclose(functional.value_and_jacobian(x)[1], C @ J, atol=1e-12)


def test_second_derivatives_and_curvature_are_those_of_the_interpolant():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    x, v, h = np.array([0.21, 0.34]), np.array([2.0, -1.0]), 1e-5
    H = grid.second_derivatives(x)
    assert H.shape == (2, 2, 2)
    for k, e in enumerate(np.eye(2)):
        difference = (grid.value_and_jacobian(x + h * e)[1] - grid.value_and_jacobian(x - h * e)[1]) / (2 * h)
        np.testing.assert_allclose(H[:, :, k], difference, atol=1e-7)
    np.testing.assert_allclose(grid.curvature(x, v), np.einsum("i,ijk->jk", v, H), atol=1e-12)


def test_refinement_keeps_corners_and_leaves_views_as_they_are():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    x = np.array([0.3, 0.3])
    coarse = grid.at_level(0)
    before = grid(x)
    grid.refine()
    assert grid.level == 1 and coarse.level == 0
    np.testing.assert_array_equal(grid.spacing, [0.25, 0.25])
    after = grid(x)
    assert f.count == 4 + 3
    np.testing.assert_array_equal(coarse(x), before)
    assert np.any(after != before)
    grid.trim()
    assert grid.statistics.corners == 4


def test_what_is_requested_expected_and_known():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], evaluate_ahead=True, derivatives=1, outputs=2)
    x = np.array([0.3, 0.3])
    known = grid.evaluate_cached(x)
    assert known.y is None and known.estimate.trust is quoin.Trust.failed
    assert {tuple(c) for c in known.missing} == {(0, 0), (0.5, 0), (0, 0.5), (0.5, 0.5)}
    assert f.count == 0
    grid.hint(x[np.newaxis])
    assert f.count == 4 and grid.statistics.unused_corners == 4
    np.testing.assert_array_equal(grid.evaluate_cached(x).y, grid(x))
    grid.prefetch(np.array([[0.7, 0.3], [0.7, 0.7]]))
    assert f.count == 8
    np.testing.assert_array_equal(grid.nearest_corner(x), [0.5, 0.5])
    value, slope = waves(2)(np.array([0.5, 0.5]))
    np.testing.assert_array_equal(grid.corner_jet(x), np.column_stack((value, slope)))
