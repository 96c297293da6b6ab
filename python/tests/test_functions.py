# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives are checked, and maps restricted, as in C++."""

import numpy as np
import pytest

import quoin
from functions import Counted, waves


def test_right_derivatives_pass_and_wrong_ones_do_not():
    check = quoin.check_derivatives(waves(3), [0.1, 0.2, 0.3])
    assert check.passed and 1.9 < check.slope < 2.2 and check.relative_error < 1e-6, check

    def wrong(x):
        y, J = waves(3)(x)
        J = J.copy()
        J[1, 2] += 1e-3
        return y, J

    check = quoin.check_derivatives(wrong, [0.1, 0.2, 0.3])
    assert not check.passed and "the Jacobian is wrong in row 1" in check.message
    assert (check.verdict, check.row) == ("wrong", 1)
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    assert quoin.check_derivatives(grid, [0.2, 0.3], largest_step=0.05).passed


@pytest.mark.parametrize("sign, passed", [(1, True), (-1, False)])
def test_units_of_outputs_and_inputs_hide_no_wrong_sign(sign, passed):
    def f(x):
        a, b = np.asarray(x) / 1e-3
        J = np.array([[1e6 * np.cos(a) * b, 1e6 * np.sin(a)], [sign * np.exp(a - b), -sign * np.exp(a - b)]])
        return np.array([1e6 * np.sin(a) * b, np.exp(a - b)]), J / 1e-3

    check = quoin.check_derivatives(f, [0.3e-3, 0.4e-3])
    assert check.passed == passed and check.row == (-1 if passed else 1), check


def test_differences_that_do_not_agree_are_unclear():
    check = quoin.check_derivatives(lambda x: (1e13 + np.sin(x), np.cos(x).reshape(1, 1)), [0.3])
    assert (check.passed, check.verdict, check.row) == (False, "unclear", 0) and "unclear" in check.message
    with pytest.raises(ValueError, match="largest_step -1"):
        quoin.check_derivatives(waves(2), [0.1, 0.2], largest_step=-1)


def test_the_calls_of_a_check_are_those_that_its_options_say():
    f = Counted(waves(2))
    quoin.check_derivatives(f, [0.1, 0.2], directions=3, halvings=5)
    assert f.count == 1 + 1 + 3 * (1 + 5) * 2

    def fails(x):
        raise OSError("no licence")

    with pytest.raises(OSError):
        quoin.check_derivatives(fails, [0.1, 0.2])
    with pytest.raises(ValueError, match=r"expected \(dim,\)"):
        quoin.check_derivatives(f, np.zeros(7))


def test_a_map_is_restricted_to_some_of_its_variables_with_its_fingerprint_and_failures():
    def f(x):
        if x[0] > 2:
            raise ValueError("too far")
        return np.array([x[0] * x[1] + x[2] ** 2, x[2]]), np.array([[x[1], x[0], 2 * x[2]], [0, 0, 1.0]])

    whole = quoin.FunctionMap(f, 3, 2)
    part = quoin.restrict_to(whole, [2, 0], [0.5, 3.0, 0.7])
    y, J = part.value_and_jacobian([1.5, 0.25])
    np.testing.assert_array_equal(y, [0.25 * 3 + 1.5**2, 1.5])
    np.testing.assert_array_equal(J, [[3.0, 3.0], [1, 0]])
    assert (part.dim, part.output_size, part.fingerprint) == (2, 2, None)
    assert part.query([0.0, 3.0]).trust is quoin.Trust.failed
    with pytest.raises(ValueError, match="too far"):
        part([0.0, 3.0])
    grid = quoin.AdaptiveGrid(part, spacing=[0.5, 0.5])
    np.testing.assert_allclose(grid([0.3, 0.2]), part([0.3, 0.2]), atol=1e-12)
    with pytest.raises(ValueError, match="axis 3 of a map of 3"):
        quoin.restrict_to(whole, [3], np.zeros(3))
    with pytest.raises(ValueError, match=r"base: shape \(2,\), expected \(3,\)"):
        quoin.restrict_to(whole, [0], np.zeros(2))
    with pytest.raises(ValueError, match="no axes"):
        quoin.restrict_to(whole, [], np.zeros(3))
