# SPDX-License-Identifier: BSD-3-Clause
"""What f may answer, what it is called with, and what is said of anything else."""

import numpy as np
import pytest

import quoin
from functions import Counted, waves


def test_f_is_called_with_a_fresh_array_that_it_may_keep_and_change():
    seen = []

    def f(x):
        assert x.dtype == np.float64 and x.shape == (2,) and x.flags.writeable
        seen.append(x)
        y = np.array([x[0] * x[1]])
        x[:] = -99
        return y, np.array([[0.0, 0.0]])

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    grid([0.1, 0.1])
    assert len({array.__array_interface__["data"][0] for array in seen}) == 4
    assert {tuple(p) for p in grid.samples().points} == {(0, 0), (0.5, 0), (0, 0.5), (0.5, 0.5)}


@pytest.mark.parametrize(
    "answer, order",
    [
        (lambda x: x[0], 0),
        (lambda x: [x[0], 2], 0),
        (lambda x: np.float32(x[0]), 0),
        (lambda x: (x[0], [1, 0]), 1),
        (lambda x: ([x[0], x[1]], [[1, 0], [0, 1]]), 1),
    ],
)
def test_the_form_is_inferred_from_the_first_answer(answer, order):
    grid = quoin.AdaptiveGrid(answer, spacing=[0.5, 0.5])
    y, J = grid.value_and_jacobian([0.2, 0.3])
    assert y[0] == pytest.approx(0.2, abs=1e-7)
    np.testing.assert_allclose(J[0], [1, 0], atol=1e-6)
    assert grid.samples().jet_order == order
    assert grid.samples().difference_gradients == (order == 0)


def test_the_first_call_is_at_a_corner_that_the_first_query_needs():
    f = Counted(waves(3))
    grid = quoin.AdaptiveGrid(f, spacing=[0.1, 0.3, 0.7], origin=[0.1, 0.1, 0.1])
    grid(np.array([-7.31, 2.22, 100.05]))
    assert f.count == 8 and set(f.called.values()) == {1}
    assert grid.statistics.exact_evaluations == 8


def test_asked_for_its_outputs_a_grid_calls_f_in_the_middle_of_its_domain():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[1, -1], upper=[2, 1])
    assert grid.output_size == 2
    assert f.called == {(1.5, 0.0): 1}
    grid([1.6, 0.1])
    assert f.count == 4


def test_with_outputs_and_derivatives_f_is_not_called_before_a_query():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], outputs=2, derivatives=1)
    assert grid.output_size == 2 and grid.at_level(3).level == 3 and f.count == 0


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda x: np.zeros((2, 3)), r"a value of shape \(2, 3\), expected \(N,\)"),
        (lambda x: [], r"a value of shape \(0,\)"),
        (lambda x: (np.zeros(2), np.zeros((2, 3))), r"a Jacobian of shape \(2, 3\), expected \(2, 2\)"),
        (lambda x: (np.zeros(2), np.zeros((3, 2))), r"a Jacobian of shape \(3, 2\), expected \(2, 2\)"),
        (lambda x: (1, 2, 3), "a tuple of 3, expected y or"),
        (lambda x: np.array([1j]), "a value of dtype complex128, expected real numbers"),
        (lambda x: "text", "a value of dtype <U4"),
        (lambda x: None, "f returned None in the place of a value"),
        (lambda x: [[1], [2, 3]], "no array"),
    ],
)
def test_another_form_is_an_error_with_the_numbers_in_it(answer, message):
    grid = quoin.AdaptiveGrid(answer, spacing=[0.5, 0.5])
    with pytest.raises(quoin.CornerFailure) as failure:
        grid([0.1, 0.1])
    assert isinstance(failure.value.__cause__, (TypeError, ValueError))
    with pytest.raises(type(failure.value.__cause__), match=message):
        raise failure.value.__cause__


def test_answers_that_differ_in_form_fail_at_their_own_corner():
    def f(x):
        return np.zeros(2 if x[0] == 0 else 3)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, 0], upper=[4, 4])
    with pytest.raises(quoin.CornerFailure, match="3 outputs, expected 2"):
        grid([0.1, 0.1])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_failures_that_name_the_output(bad):
    def f(x):
        return np.array([1.0, bad if x[0] > 0.9 else 0.0]), np.zeros((2, 2))

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    with pytest.raises(quoin.CornerFailure, match=r"corner \(1, 0\): value 1 is (nan|inf)"):
        grid([0.7, 0.3])


@pytest.mark.parametrize("executor", [None, "threads"])
@pytest.mark.parametrize("derivatives", [0, 1])
def test_a_batched_f_is_called_with_all_missing_corners_and_answers_to_the_same_bits(executor, derivatives):
    one = waves(2)
    calls = []

    def single(x):
        return one(x) if derivatives else one(x)[0]

    def many(X):
        calls.append(X.shape)
        answers = [one(x) for x in X]
        Y = np.array([y for y, _ in answers])
        return (Y, np.array([J for _, J in answers])) if derivatives else Y

    X = np.random.default_rng(5).uniform(0, 2, (40, 2))
    expected = quoin.AdaptiveGrid(single, spacing=[0.5, 0.5]).value_and_jacobian(X)
    grid = quoin.AdaptiveGrid(many, spacing=[0.5, 0.5], batched=True, executor=executor)
    answer = grid.value_and_jacobian(X)
    np.testing.assert_array_equal(answer[0], expected[0])
    np.testing.assert_array_equal(answer[1], expected[1])
    if executor is None:
        assert calls[0] == (1, 2) and max(shape[0] for shape in calls) >= 16
    assert sum(shape[0] for shape in calls) == grid.statistics.exact_evaluations


def test_a_batched_f_that_raises_fails_at_its_own_points_alone():
    def f(X):
        if np.any(X[:, 0] > 0.9):
            raise ArithmeticError(f"no answer for {len(X)}")
        return X**2, 2 * X[:, :, np.newaxis] * np.eye(2)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], batched=True)
    grid.prefetch([[0.7, 0.3], [0.2, 0.3]])
    assert grid.statistics.corners == 6 and grid.statistics.failed_corners == 2
    np.testing.assert_allclose(grid([0.2, 0.3]), [0.04, 0.09], atol=1e-14)
    with pytest.raises(quoin.CornerFailure, match="no answer for 1"):
        grid([0.7, 0.3])


def test_wrong_arguments_are_refused_with_the_numbers():
    f = waves(2)
    with pytest.raises(ValueError, match=r"shape \(7,\), expected \(dim,\) with dim from 1 to 6"):
        quoin.AdaptiveGrid(f, spacing=[1] * 7)
    with pytest.raises(ValueError, match="spacing"):
        quoin.AdaptiveGrid(f, spacing=[0.5, -1], outputs=2, derivatives=1)
    with pytest.raises(ValueError, match="derivatives = 4"):
        quoin.AdaptiveGrid(f, spacing=[1, 1], derivatives=4)
    with pytest.raises(ValueError, match="on_failure = 'ignore'"):
        quoin.AdaptiveGrid(f, spacing=[1, 1], on_failure="ignore")
    with pytest.raises(TypeError, match="expected a function"):
        quoin.AdaptiveGrid(3, spacing=[1, 1])
    with pytest.raises(TypeError, match="surplus"):
        quoin.AdaptiveGrid(f, spacing=[1, 1], surplus=3)
    grid = quoin.AdaptiveGrid(f, spacing=[1, 1])
    for x in ([1, 2, 3], np.zeros((3, 3)), np.zeros((1, 1, 3)), 1.0):
        with pytest.raises(ValueError, match="expected"):
            grid(x)
    with pytest.raises(TypeError, match="complex"):
        grid(np.array([1j, 0]))
    with pytest.raises(TypeError):
        grid()
    with pytest.raises(ValueError, match=r"v: shape \(3,\), expected \(2,\)"):
        grid.vjp([0.1, 0.1], [1, 2, 3])
    with pytest.raises(ValueError, match=r"C: shape \(1, 3\), expected \(M, 2\)"):
        grid.linear_output(np.ones((1, 3)))
    with pytest.raises(ValueError, match="at_level|level"):
        grid.at_level(99)
