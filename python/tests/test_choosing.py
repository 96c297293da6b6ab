# SPDX-License-Identifier: BSD-3-Clause
"""Resolutions and surrogates are suggested as in C++."""

import numpy as np
import pytest

import quoin
from functions import Counted, waves


def jet_of_sine(x, k):
    """The jet of order 3 of sin(k . x) in two variables."""
    phase, jet = k @ x, []
    for total in range(4):
        derivative = [np.sin, np.cos, lambda t: -np.sin(t), lambda t: -np.cos(t)][total](phase)
        jet += [derivative * k[0] ** i * k[1] ** (total - i) for i in range(total, -1, -1)]
    return [jet]


def test_a_suggested_resolution_meets_its_tolerance():
    k, tolerance = np.array([1.3, 0.9]), 1e-5
    points = np.random.default_rng(16).uniform(0, 2, (4, 2))
    found = quoin.suggest_resolutions(2, [jet_of_sine(x, k) for x in points], tolerance)
    assert sorted(r.order for r in found) == [1, 2, 3] and found[0].relative_cost == 1
    first_order = next(r for r in found if r.order == 1)

    def f(x):
        return np.array([np.sin(k @ x)]), np.array([np.cos(k @ x) * k])

    grid = quoin.AdaptiveGrid(f, spacing=first_order.spacing)
    X = np.random.default_rng(17).uniform(0, 2, (400, 2))
    error = np.abs(grid(X)[:, 0] - np.sin(X @ k)).max()
    assert tolerance / 10 < error < tolerance * 3
    with pytest.raises(ValueError, match="0 jets"):
        quoin.suggest_resolutions(2, np.zeros((0, 1, 10)), tolerance)
    with pytest.raises(ValueError, match="coverage = 'line'"):
        quoin.suggest_resolutions(2, [jet_of_sine(x, k) for x in points], tolerance, coverage="line")


def closed_curve(count):
    """On the plane, around the origin."""
    t = np.linspace(0, 2 * np.pi, count)
    return np.column_stack([np.cos(t), 0.7 * np.sin(t)])


def test_a_suggested_surrogate_meets_its_tolerance_with_the_evaluations_that_it_expects():
    f, plan, tolerance = Counted(waves(2)), closed_curve(60), 1e-5
    grid = quoin.AdaptiveGrid(f, spacing=[1, 1])
    advice = quoin.suggest_surrogate(grid, plan, tolerance=tolerance, queries=1e6)
    assert advice.samples == 16 and advice.resolved
    assert f.count in (16, 17)  # one may have told how many outputs f has
    assert [choice.seconds for choice in advice.choices] == sorted(choice.seconds for choice in advice.choices)
    by_kind = {choice.kind: choice for choice in advice.choices}
    assert set(by_kind) == {"function", "grid", "kernel"}
    assert by_kind["function"].evaluations == 1e6

    def error(map):
        return max(np.sqrt(np.mean((map(x) - f(x)[0]) ** 2)) for x in plan)

    spaced = quoin.AdaptiveGrid(waves(2), spacing=by_kind["grid"].spacing)
    assert error(spaced) < 3 * tolerance
    assert 0.5 < spaced.statistics.corners / by_kind["grid"].evaluations < 2
    best = by_kind["kernel"]
    kernel = quoin.KernelSurrogate(grid.at_level(5), quoin.KernelOptions(jitter=best.jitter))
    kernel.refine_at(plan, *best.threshold, int(best.corners))
    assert error(kernel) < tolerance


def test_of_values_alone_those_that_differences_take_are_expected():
    plan = closed_curve(400)
    advice = quoin.suggest_surrogate(quoin.AdaptiveGrid(lambda x: waves(2)(x)[0], spacing=[1, 1]), plan)
    by_kind = {choice.kind: choice for choice in advice.choices}
    assert by_kind["kernel"].evaluations == 9 * by_kind["kernel"].corners
    of_values = next(choice for choice in advice.choices if choice.kind == "kernel" and choice.order == 0)
    assert of_values.evaluations == of_values.corners < by_kind["kernel"].evaluations
    grid = quoin.AdaptiveGrid(lambda x: waves(2)(x)[0], spacing=by_kind["grid"].spacing)
    grid(plan)
    assert abs(grid.statistics.exact_evaluations / by_kind["grid"].evaluations - 1) < 0.1


def test_a_layer_between_the_samples_is_not_resolved():
    def layer(x):
        t = np.tanh((x[0] - 0.3 * x[1]) / 0.02)
        return np.array([t]), (1 - t * t) / 0.02 * np.array([[1, -0.3]])

    advice = quoin.suggest_surrogate(quoin.AdaptiveGrid(layer, spacing=[1, 1]), 2 * closed_curve(60), tolerance=1e-3)
    assert not advice.resolved and advice.unexplained > 0.1
    assert {choice.kind for choice in advice.choices} == {"function", "grid_tolerance"}


def test_what_cannot_be_suggested_is_refused():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[1, 1])
    plan = closed_curve(60)
    with pytest.raises(ValueError, match="tolerance -1"):
        quoin.suggest_surrogate(grid, plan, tolerance=-1)
    with pytest.raises(ValueError, match="coverage = 'line'"):
        quoin.suggest_surrogate(grid, plan, coverage="line")
    with pytest.raises(ValueError, match="points"):
        quoin.suggest_surrogate(grid, np.zeros((5, 3)))
    with pytest.raises(ValueError, match="2 samples, expected 3 to 200"):
        quoin.suggest_surrogate(grid, plan, samples=2)
    with pytest.raises(TypeError, match="expected an AdaptiveGrid"):
        quoin.suggest_surrogate(grid.at_level(2), plan)


def test_an_exception_of_f_reaches_who_asked():
    class Stop(BaseException):
        pass

    calls = Counted(waves(2))

    def f(x):
        if calls.count == 5:
            raise Stop
        return calls(x)

    with pytest.raises(Stop):
        quoin.suggest_surrogate(quoin.AdaptiveGrid(f, spacing=[1, 1]), closed_curve(60))
