# SPDX-License-Identifier: BSD-3-Clause
"""Kernels interpolate their samples, state errors that hold, and fall back to what is more reliable."""

import pickle

import numpy as np
import pytest

import quoin
from functions import Counted, waves


def sampled(count, dim=2):
    kernel = quoin.KernelInterpolant(dim, 2)
    for x in np.random.default_rng(13).uniform(0, 1, (count, dim)):
        kernel.add(x, waves(dim)(x))
    return kernel


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 6])
def test_a_kernel_reproduces_its_samples(dim):
    kernel = sampled(6, dim)
    assert len(kernel) == 6 and kernel.dim == dim and kernel.output_size == 2 and kernel.jet_order == 1
    for x in kernel.samples().points:
        y, J = kernel.value_and_jacobian(x)
        np.testing.assert_allclose(y, waves(dim)(x)[0], atol=1e-5)
        np.testing.assert_allclose(J, waves(dim)(x)[1], atol=1e-4)
    assert kernel.deviation(np.full(dim, 50.0)).value == pytest.approx(1)
    assert kernel.length_scale.shape == (dim,)


def test_stated_errors_hold():
    kernel = sampled(20)
    estimated = 0
    for x in np.random.default_rng(14).uniform(0.1, 0.9, (50, 2)):
        answer = kernel.query(x)
        if answer.trust is quoin.Trust.unchecked:  # further from the samples than they are from each other
            assert np.isnan(answer.error)
            continue
        assert answer.trust is quoin.Trust.estimated
        assert np.sqrt(np.mean((answer.y - waves(2)(x)[0]) ** 2)) <= answer.error
        estimated += 1
    assert estimated > 40


def test_views_do_not_change_and_batches_are_loops():
    kernel = sampled(5)
    view = kernel.view()
    X = np.random.default_rng(15).uniform(0, 1, (7, 2))
    before = view(X)
    for x, y in zip(X, before):
        np.testing.assert_array_equal(view(x), y)
    kernel.add([0.77, 0.33], waves(2)(np.array([0.77, 0.33])))
    np.testing.assert_array_equal(view(X), before)
    assert np.any(kernel(X) != before)
    C = np.array([[1.0, -1.0]])
    np.testing.assert_allclose(view.linear_output(C)(X), before @ C.T, atol=1e-10)
    h, x = 1e-5, np.array([0.4, 0.4])
    difference = (view.value_and_jacobian(x + [h, 0])[1] - view.value_and_jacobian(x - [h, 0])[1]) / (2 * h)
    np.testing.assert_allclose(view.second_derivatives(x)[:, :, 0], difference, atol=1e-5)


def test_samples_go_from_a_grid_into_a_kernel():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    grid.prefetch([[0.2, 0.3], [0.7, 0.7]])
    kernel = quoin.KernelInterpolant(2, 2, options=pickle.loads(pickle.dumps(quoin.KernelOptions(jitter=1e-10))))
    samples = grid.samples()
    assert kernel.insert(samples).used == len(samples)
    assert kernel.insert(samples).known == len(samples)
    np.testing.assert_allclose(kernel([0.3, 0.3]), waves(2)(np.array([0.3, 0.3]))[0], atol=1e-3)


def test_wrong_samples_and_options_are_refused_with_the_numbers():
    kernel = sampled(3)
    with pytest.raises(ValueError, match="3 outputs, expected 2"):
        kernel.add([0, 0], (np.zeros(3), np.zeros((3, 2))))
    with pytest.raises(ValueError, match="already"):
        kernel.add(kernel.samples().points[0], waves(2)(kernel.samples().points[0]))
    with pytest.raises(ValueError, match="not finite"):
        kernel.add([0, 0], (np.array([np.nan, 0]), np.zeros((2, 2))))
    with pytest.raises(ValueError, match="7 variables"):
        quoin.KernelInterpolant(7, 2)
    with pytest.raises(ValueError, match="jitter = 2"):
        quoin.KernelInterpolant(2, 2, options=quoin.KernelOptions(jitter=2))
    with pytest.raises(quoin.CornerFailure, match="no sample yet"):
        quoin.KernelInterpolant(2, 2)([0, 0])
    with pytest.raises(quoin.DomainError):
        bounded = quoin.KernelInterpolant(2, 2, options=quoin.KernelOptions(lower=[0, 0], upper=[1, 1]))
        bounded.add([0.5, 0.5], waves(2)(np.array([0.5, 0.5])))
        bounded([2, 0])


def test_a_surrogate_samples_where_it_is_asked_to():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[1, 1])
    kernel = quoin.KernelSurrogate(grid.at_level(4))
    plan = np.column_stack((np.linspace(0, 1, 20), np.linspace(0, 0.5, 20)))
    done = kernel.refine_at(plan, value=1e-4, gradient=1e-3)
    assert done.added == len(kernel) and done.above == 0 and done.largest.value <= 1e-4
    assert f.count <= done.added + 1
    exact = np.array([waves(2)(x)[0] for x in plan])
    assert np.abs(kernel(plan) - exact).max() < 1e-4


def test_fall_back_answers_with_the_first_map_where_it_is_allowed():
    kernel = sampled(20)
    f = Counted(waves(2))
    both = quoin.with_fallback(kernel.view(), quoin.FunctionMap(f, 2, 2), value=1e-4, jacobian=1e-2)
    near, far = np.array([0.5, 0.5]), np.array([9.0, 9.0])
    np.testing.assert_array_equal(both(near), kernel(near))
    assert f.count == 0
    np.testing.assert_array_equal(both(far), waves(2)(far)[0])
    assert f.count == 1 and both.query(far).trust is quoin.Trust.exact
    with pytest.raises(ValueError, match="must be positive"):
        quoin.with_fallback(kernel.view(), kernel.view(), value=-1)
    with pytest.raises(ValueError, match="3 variables, expected 2|variables"):
        quoin.with_fallback(kernel.view(), sampled(3, 3).view())


def test_failures_behind_a_fall_back_have_their_cause():
    def f(x):
        if x[0] > 0.9:
            raise ValueError("no answer")
        return waves(2)(x)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    both = quoin.with_fallback(sampled(3).view(), grid.at_level(0), value=1e-9)
    with pytest.raises(quoin.CornerFailure) as failure:
        both([0.7, 0.3])
    assert isinstance(failure.value.__cause__, ValueError)
