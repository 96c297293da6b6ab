# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a simulator without derivatives, as dynamics: by differences."""

import numpy as np
import pytest

import quoin


def swing(x, u):
    rate = x[1] + 0.05 * (u[0] - 9.81 * np.sin(x[0]) - u[1] * x[1])
    return [x[0] + 0.05 * rate, rate]


def derivatives(x, u):
    by_x = np.array([-9.81 * np.cos(x[0]), -u[1]]) * 0.05 + [0, 1]
    by_u = np.array([1, -x[1]]) * 0.05
    return np.array([[1, 0] + 0.05 * by_x, by_x]), np.array([0.05 * by_u, by_u])


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_its_derivatives_are_right_in_any_unit(unit):
    dynamics = quoin.Differenced(
        lambda x, u: unit * np.array(swing(x / unit, u / unit)),
        2,
        2,
        state_scales=[unit, unit],
        control_scales=[unit, unit],
    )
    rng = np.random.default_rng(1)
    for _ in range(20):
        x, u = rng.normal(size=2), rng.normal(size=2)
        value, by_x, by_u = dynamics.step_with_derivatives(unit * x, unit * u)
        expected_x, expected_u = derivatives(x, u)
        assert np.allclose(value, unit * np.array(swing(x, u)), rtol=1e-12)
        assert np.allclose(by_x, expected_x, atol=1e-8) and np.allclose(by_u, expected_u, atol=1e-8)
        assert np.array_equal(dynamics.step(unit * x, unit * u), value)


def test_it_looks_to_one_side_beside_a_wall():
    def step(x, u):
        if x[0] < 0:
            raise quoin.StepFailure("below", quoin.StepStatus.outside_domain)
        return 2 * x + u

    dynamics = quoin.Differenced(step, 1, 1)
    assert dynamics.step_with_derivatives([0.0], [0.0])[1] == pytest.approx(np.array([[2.0]]))
    with pytest.raises(quoin.StepFailure, match="below"):
        dynamics.step_with_derivatives([-1.0], [0.0])


def test_planners_take_it():
    if "planning" not in quoin._core.parts:
        pytest.skip("built without planning")
    planning = quoin.planning
    cost = planning.QuadraticCost(control=[0.01], final=[100, 100], state_target=[1, 0])
    plan = planning.ilqr(
        quoin.Differenced(lambda x, u: swing(x, [u[0], 0.1]), 2, 1), cost, start=[0, 0], guess=np.zeros((30, 1))
    )
    assert plan.stop is quoin.Stop.converged


@pytest.mark.parametrize(
    "keywords, message",
    [
        ({"difference": 0.0}, "difference = 0.0 is not positive"),
        ({"difference": float("nan")}, "difference = nan"),
        ({"state_scales": [1.0]}, "state_scales = .*expected 2 numbers"),
        ({"control_scales": [0.0]}, "control_scales = .*expected 1 numbers, positive"),
    ],
)
def test_what_means_nothing_is_refused(keywords, message):
    with pytest.raises(ValueError, match=message):
        quoin.Differenced(swing, 2, 1, **keywords)


def test_mistakes_are_told():
    with pytest.raises(TypeError, match="step is a int, expected a function"):
        quoin.Differenced(3, 2, 1)
    with pytest.raises(ValueError, match=r"step returned an array of shape \(3,\), expected \(2,\)"):
        quoin.Differenced(lambda x, u: np.zeros(3), 2, 1).step([0, 0], [0])
