# SPDX-License-Identifier: BSD-3-Clause
"""Failures are Python's own errors, with f's exception as their cause."""

import copy
import pickle
import traceback

import numpy as np
import pytest

import quoin
from functions import Counted, waves


def fails_beyond(limit, error):
    def f(x):
        if x[0] > limit:
            raise error
        return waves(2)(x)

    return f


def test_a_corner_failure_has_the_exception_of_f_with_its_traceback_as_its_cause():
    def deep_inside(x):
        raise ZeroDivisionError(f"no mesh at {x[0]}")

    def f(x):
        return deep_inside(x) if x[0] > 0.9 else waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    with pytest.raises(quoin.CornerFailure, match=r"corner \(1, 0\): ZeroDivisionError: no mesh at 1.0") as failure:
        grid([0.7, 0.3])
    cause = failure.value.__cause__
    assert isinstance(cause, ZeroDivisionError) and isinstance(failure.value, RuntimeError)
    assert not failure.value.may_pass
    assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)][-1] == "deep_inside"
    view = grid.at_level(0)
    with pytest.raises(quoin.CornerFailure) as again:
        view.value_and_jacobian([0.7, 0.3])
    assert again.value.__cause__ is cause
    with pytest.raises(quoin.CornerFailure) as prepared:
        grid.corner_jet([1, 0])
    assert prepared.value.__cause__ is cause


def test_a_failed_corner_is_not_tried_again_unless_its_failure_may_pass():
    for error, tries in ((ValueError("no"), 1), (quoin.RetryableFailure("later"), 2), (MemoryError(), 2)):
        f = Counted(fails_beyond(0.9, error))
        grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
        for _ in range(2):
            with pytest.raises(quoin.CornerFailure) as failure:
                grid([0.7, 0.3])
            assert failure.value.may_pass == (tries == 2)
        assert f.called[(1.0, 0.0)] == tries


def test_query_says_failed_and_outside_instead():
    grid = quoin.AdaptiveGrid(fails_beyond(0.9, ValueError("no")), spacing=[0.5, 0.5], lower=[0, 0], upper=[2, 2])
    answer = grid.query([0.7, 0.3])
    assert answer.trust is quoin.Trust.failed and answer.y is None and answer.J is None and not answer.has_value
    assert grid.query([3, 0]).trust is quoin.Trust.outside
    assert grid.query([np.nan, 0]).trust is quoin.Trust.outside
    answer = grid.query([0.2, 0.3])
    assert answer.has_value and answer.trust is quoin.Trust.unchecked and np.isnan(answer.error)


def test_a_query_of_many_points_answers_those_that_have_answers():
    f = Counted(fails_beyond(0.9, ValueError("no")))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, 0], upper=[2, 2])
    points = np.array([[0.7, 0.3], [0.2, 0.3], [3, 0.3], [0.1, 0.9]])
    answers = grid.query(points)
    T = quoin.Trust
    assert answers.trust.tolist() == [T.failed, T.unchecked, T.outside, T.unchecked]
    assert np.isnan(answers.y[[0, 2]]).all() and np.isnan(answers.J[[0, 2]]).all()
    for m in (1, 3):
        y, J = grid.value_and_jacobian(points[m])
        assert np.array_equal(answers.y[m], y) and np.array_equal(answers.J[m], J)
    assert set(f.called.values()) == {1}


def test_policies_answer_where_f_failed_and_outside():
    f = fails_beyond(0.9, ValueError("no"))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, 0], upper=[2, 2], outside="clamp", on_failure="call")
    x = np.array([0.7, 0.3])
    np.testing.assert_array_equal(grid(x), waves(2)(x)[0])
    assert grid.query(x).trust is quoin.Trust.exact
    np.testing.assert_array_equal(grid([-5, 0.2]), grid([0, 0.2]))
    extended = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], lower=[0, 0], upper=[2, 2], outside="extend")
    y, J = extended.value_and_jacobian([0, 0.2])
    np.testing.assert_allclose(extended([-0.1, 0.2]), y - 0.1 * J[:, 0], atol=1e-14)


def test_outside_the_domain_is_a_domain_error_with_the_bound():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5], lower=[0, 0], upper=[2, 2])
    with pytest.raises(quoin.DomainError, match="3") as error:
        grid([3, 0])
    assert isinstance(error.value, ValueError)
    with pytest.raises(quoin.DomainError):
        grid(np.array([[0.1, 0.1], [3, 0]]))


def test_an_f_that_fails_at_first_is_tried_at_the_other_corners_of_the_cell():
    f = Counted(lambda x: 1 / 0 if x[0] == 0 else waves(2)(x))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    with pytest.raises(quoin.CornerFailure, match=r"corner \(0, 0\): ZeroDivisionError") as failure:
        grid([0.1, 0.1])
    assert isinstance(failure.value.__cause__, ZeroDivisionError)
    assert max(f.called.values()) == 1
    grid([0.7, 0.1])
    assert max(f.called.values()) == 1


def test_an_f_that_never_answers_says_so_and_may_answer_later():
    broken = True

    def f(x):
        if broken:
            raise OSError("no licence")
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    with pytest.raises(quoin.CornerFailure, match="the form of its answers is not known: OSError: no licence") as failure:
        grid([0.1, 0.1])
    assert isinstance(failure.value.__cause__, OSError) and failure.value.may_pass
    broken = False
    grid([0.1, 0.1])


def test_errors_can_be_pickled_and_copied():
    failure = pickle.loads(pickle.dumps(quoin.CornerFailure("no answer", True)))
    assert str(failure) == "no answer" and failure.may_pass
    assert copy.copy(failure).may_pass
    assert isinstance(pickle.loads(pickle.dumps(quoin.DomainError("outside"))), quoin.DomainError)


def test_edges_that_are_not_positive_are_refused_where_the_grid_is_made():
    for edges in ([-1.0, 1.0], [0.0, 1.0], [np.inf, 1.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="spacing = .* is not positive and finite"):
            quoin.AdaptiveGrid(lambda x: x, spacing=edges)


def test_a_function_of_several_arguments_is_told_that_it_gets_one_point():
    with pytest.raises(quoin.CornerFailure, match=r"one array of 2 numbers: give lambda x: f\(\*x\)"):
        quoin.AdaptiveGrid(lambda speed, angle: [speed * angle], spacing=[1, 1])([0.3, 0.4])
