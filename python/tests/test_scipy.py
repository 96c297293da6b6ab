# SPDX-License-Identifier: BSD-3-Clause
"""scipy's solvers on a grid end where they end on f."""

import numpy as np
import pytest

import quoin
from functions import Counted, waves

optimize = pytest.importorskip("scipy.optimize", reason="python3-scipy is not installed")


def test_least_squares_and_minimize_end_at_the_solution_of_f():
    from quoin.scipy import half_square, residual

    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], tolerance=1e-8)
    solution = np.array([0.4, 0.7])
    target = waves(2)(solution)[0]
    r = residual(grid, target, weights=[1, 2])
    found = optimize.least_squares(r.fun, [0.1, 0.1], jac=r.jac, xtol=1e-12, ftol=1e-14, gtol=1e-14)
    np.testing.assert_allclose(found.x, solution, atol=1e-6)
    found = optimize.minimize(half_square(grid, target), [0.1, 0.1], jac=True, tol=1e-12)
    np.testing.assert_allclose(found.x, solution, atol=1e-5)
    assert optimize.check_grad(lambda x: half_square(grid)(x)[0], lambda x: half_square(grid)(x)[1], [0.21, 0.3]) < 1e-6
    with pytest.raises(ValueError, match=r"target: shape \(3,\), expected \(2,\)"):
        residual(grid, [1, 2, 3])


def test_value_and_jacobian_at_one_point_are_one_query():
    from quoin.scipy import residual

    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    r = residual(grid)
    x = np.array([0.2, 0.3])
    y, J = r.fun(x), r.jac(x)
    assert grid.statistics.queries == 1
    np.testing.assert_array_equal(y, grid(x))
    x[0] = 0.25  # the point is remembered by its numbers
    np.testing.assert_array_equal(r.fun(x), grid(x))
    np.testing.assert_array_equal(J, grid.value_and_jacobian([0.2, 0.3])[1])
