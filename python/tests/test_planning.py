# SPDX-License-Identifier: BSD-3-Clause
"""Plans of iLQR are those of the Riccati recursion where it applies, keep their bounds, and call Python where asked."""

import math

import numpy as np
import pytest

import quoin
from plans import A, B, F, Q, R, START, Spring, riccati

planning = pytest.importorskip("quoin.planning")

def effort_and_goal(horizon):
    def residuals(i, x, u):
        if i < horizon:
            return 0.1 * u, np.zeros((1, 2)), 0.1 * np.eye(1)
        return 10 * (x - [1, 0]), 10 * np.eye(2), None

    return residuals


def test_a_linear_quadratic_plan_is_that_of_riccati_in_one_iteration():
    cost = planning.QuadraticCost(state=Q, control=R, final=F)
    plan = planning.ilqr(quoin.LinearDynamics(A, B), cost, start=START, guess=np.zeros((20, 1)))
    controls, value, gains = riccati(20)
    assert plan.converged and plan.iterations <= 2
    np.testing.assert_allclose(plan.controls, controls, rtol=0, atol=1e-10)
    assert plan.cost == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(plan.gains, gains, rtol=0, atol=1e-10)
    np.testing.assert_allclose(plan.states[1:], plan.states[:-1] @ A.T + plan.controls @ B.T, rtol=0, atol=1e-13)


def test_targets_by_arrays_and_by_functions_are_the_same_cost():
    rng = np.random.default_rng(2)
    targets, pulls = rng.normal(size=(11, 2)), rng.normal(size=(10, 1))
    by_arrays = planning.QuadraticCost(
        state=Q, control=[0.7], final=[30, 5], state_target=targets, control_target=pulls
    )
    S = np.linalg.cholesky(Q).T

    def by_function(i, x, u):
        if i == 10:
            root = np.diag(np.sqrt([30.0, 5.0]))
            return root @ (x - targets[i]), root, None
        r = np.concatenate((S @ (x - targets[i]), np.sqrt(0.7) * (u - pulls[i])))
        return r, np.vstack((S, np.zeros((1, 2)))), np.vstack((np.zeros((2, 1)), [[np.sqrt(0.7)]]))

    linear, controls = quoin.LinearDynamics(A, B), rng.normal(size=(10, 1))
    one = planning.judge(linear, by_arrays, start=START, controls=controls, gradient=True)
    other = planning.judge(linear, by_function, start=START, controls=controls, gradient=True)
    assert one.cost == pytest.approx(other.cost, rel=1e-13)
    np.testing.assert_allclose(one.gradient, other.gradient, rtol=1e-11, atol=1e-11)
    both = planning.judge(linear, [by_arrays, by_function], start=START, controls=controls)
    assert both.cost == pytest.approx(2 * one.cost, rel=1e-13)
    for k in range(10):
        moved = controls.copy()
        moved[k] += 1e-5
        up = planning.judge(linear, by_arrays, start=START, controls=moved).cost
        moved[k] -= 2e-5
        down = planning.judge(linear, by_arrays, start=START, controls=moved).cost
        assert one.gradient[k, 0] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_a_class_of_python_is_planned_with_within_bounds_of_controls_and_states():
    spring = Spring()
    plan = planning.ilqr(
        spring,
        effort_and_goal(30),
        start=[0, 0],
        guess=np.zeros((30, 1)),
        lower_control=[-2.5],
        upper_control=[2.5],
        upper_state=[np.inf, 0.6],
    )
    assert plan.converged and plan.violation < 1e-6
    assert np.abs(plan.controls).max() <= 2.5
    assert plan.states[:, 1].max() <= 0.6 + 1e-6 and plan.states[:, 1].max() > 0.6 - 1e-4
    np.testing.assert_allclose(plan.states[-1], [1, 0], atol=0.02)
    assert spring.derived == plan.derivative_calls and spring.plain == plan.dynamics_calls
    assert spring.expected > 0
    assert [i.iteration for i in plan.log] == list(range(len(plan.log)))
    judged = planning.judge(spring, effort_and_goal(30), start=[0, 0], controls=plan.controls)
    assert judged.cost == pytest.approx(plan.cost, rel=1e-12)
    np.testing.assert_array_equal(judged.states, plan.states)


def test_constraints_hold_and_their_multipliers_start_the_next_plan():
    def below(i, x, u):
        return np.array([x[0] - 0.8]), np.array([[1.0, 0.0]]), np.zeros((1, len(u)))

    problem = dict(start=[0, 0], guess=np.zeros((30, 1)), constraints=below)
    plan = planning.ilqr(Spring(), effort_and_goal(30), **problem)
    assert plan.converged and plan.states[:, 0].max() < 0.8 + 1e-5
    assert plan.states[-1, 0] > 0.8 - 1e-3
    problem["guess"] = plan.controls
    again = planning.ilqr(Spring(), effort_and_goal(30), **problem, multipliers=plan.multipliers)
    assert again.converged and again.iterations < plan.iterations
    assert again.cost == pytest.approx(plan.cost, rel=1e-4)


def test_a_map_is_followed_without_python_and_from_some_stages_on():
    calls = []

    def place(x):
        calls.append(1)
        return np.array([np.sin(x[0]), x[0] ** 2]), np.array([[np.cos(x[0])], [2 * x[0]]])

    place_map = quoin.FunctionMap(place, 1, 2)
    terms = [
        planning.QuadraticCost(control=[0.01]),
        planning.MapCost(place_map, [np.sin(0.5), 7.0], [10.0, 0.0], first=25),
    ]
    plan = planning.ilqr(Spring(), terms, start=[0, 0], guess=np.zeros((30, 1)))
    assert plan.converged and calls
    np.testing.assert_allclose(plan.states[25:, 0], 0.5, atol=0.01)
    at_end = planning.judge(Spring(), terms, start=[0, 0], controls=plan.controls)
    by_hand = 0.5 * 0.01 * (plan.controls**2).sum()
    by_hand += 0.5 * 100 * ((np.sin(plan.states[25:, 0]) - np.sin(0.5)) ** 2).sum()
    assert at_end.cost == pytest.approx(by_hand, rel=1e-12)
    with pytest.raises(ValueError, match="entries 2 to 2 of a state of 2"):
        planning.ilqr(
            Spring(), planning.MapCost(place_map, [0, 0], begin=2), start=[0, 0], guess=np.zeros((30, 1))
        )


def test_planned_within_interleave_on_views_of_a_grid():
    def force(x):
        return np.array([-x[0] - x[0] ** 3]), np.array([[-1 - 3 * x[0] ** 2, 0]])

    class OnMap:
        state_size, control_size = 2, 1

        def __init__(self, map):
            self.map = map

        def step_with_derivatives(self, x, u):
            f, J = self.map.value_and_jacobian(x)
            h, rate = 0.1, x[1] + 0.1 * (u[0] + f[0])
            dx = np.array([[1 + h * h * J[0, 0], h], [h * J[0, 0], 1]])
            return np.array([x[0] + h * rate, rate]), dx, np.array([[h * h], [h]])

    def solve(view, controls):
        plan = planning.ilqr(OnMap(view), effort_and_goal(30), start=[0, 0], guess=controls)
        return plan.controls, plan.cost, plan.converged

    grid = quoin.AdaptiveGrid(force, spacing=[0.8, 1.6])
    result = quoin.interleave(grid, solve, np.zeros((30, 1)), quoin.Levels(0, 3))
    assert result.stop is quoin.InterleaveStop.converged and len(result.rounds) == 4
    exact = planning.ilqr(Spring(), effort_and_goal(30), start=[0, 0], guess=np.zeros((30, 1)))
    judged = planning.judge(Spring(), effort_and_goal(30), start=[0, 0], controls=result.iterate)
    assert judged.cost == pytest.approx(exact.cost, rel=1e-4)


def test_failures_shorten_steps_and_other_exceptions_end_the_planner():
    def goal(i, x, u):
        if x[0] > 1.5:
            return None
        return effort_and_goal(30)(i, x, u)

    plan = planning.ilqr(Spring(), goal, start=[0, 0], guess=np.zeros((30, 1)))
    assert plan.converged and plan.states[:, 0].max() <= 1.5
    stuck = planning.ilqr(Spring(), effort_and_goal(30), start=[2.5, 0], guess=np.zeros((30, 1)))
    assert stuck.stop is quoin.Stop.initial_failed and stuck.failed_step == 0
    assert stuck.failed_status is quoin.StepStatus.map_failed

    def broken(i, x, u):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        planning.ilqr(Spring(), broken, start=[0, 0], guess=np.zeros((30, 1)))

    def interrupted(i, x, u):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        planning.ilqr(Spring(), interrupted, start=[0, 0], guess=np.zeros((30, 1)), threads=2)


def test_an_observer_sees_iterations_and_stops():
    seen = []

    def observer(iteration, states, controls):
        seen.append((iteration.cost, states.shape, controls.shape))
        return len(seen) < 3

    plan = planning.ilqr(
        Spring(), effort_and_goal(30), start=[0, 0], guess=np.zeros((30, 1)), observer=observer
    )
    assert plan.stop is quoin.Stop.stopped_by_observer and len(seen) == 3
    assert seen[0][1:] == ((31, 2), (30, 1)) and seen[2][0] < seen[0][0]


def test_mistakes_are_told_with_their_numbers():
    linear = quoin.LinearDynamics(A, B)
    with pytest.raises(ValueError, match=r"\(5, 2\), expected \(K, 1\)"):
        planning.ilqr(linear, planning.QuadraticCost(state=Q), start=START, guess=np.zeros((5, 2)))
    with pytest.raises(ValueError, match="eigenvalue -1"):
        planning.QuadraticCost(state=[1, -1])
    with pytest.raises(ValueError, match="not symmetric"):
        planning.QuadraticCost(state=[[1, 2], [0, 1]])
    with pytest.raises(ValueError, match=r"state: shape"):
        planning.ilqr(linear, planning.QuadraticCost(state=np.eye(3)), start=START, guess=np.zeros((5, 1)))
    with pytest.raises(TypeError, match="QuadraticCost, MapCost or a function"):
        planning.ilqr(linear, 3, start=START, guess=np.zeros((5, 1)))

    def wrong(i, x, u):
        return np.zeros(3), np.zeros((3, 1)), None

    with pytest.raises(ValueError, match=r"dr_dx returned an array of shape \(3, 1\), expected \(3, 2\)"):
        planning.ilqr(linear, wrong, start=START, guess=np.zeros((5, 1)))


def test_numbers_that_are_none_are_refused_by_name_wherever_plans_take_them():
    horizon, hidden = 10, np.ma.array([[1.0]] * 10, mask=True)
    plan = dict(start=START, guess=np.zeros((horizon, 1)))
    dynamics = quoin.LinearDynamics(A, B)
    cost = planning.QuadraticCost(control=R, final=F)
    for value, what in ((hidden, "guess: a masked array"), (hidden.data + 1j, "guess: an array of complex128")):
        with pytest.raises(TypeError, match=what):
            planning.ilqr(dynamics, cost, start=START, guess=value)
    for weight, what in (([1, 2j], "complex128"), (np.ma.array([1.0, 2], mask=[0, 1]), "masked"), (["1", "2"], "<U1")):
        with pytest.raises(TypeError, match=f"state: .*{what}"):
            planning.QuadraticCost(state=weight)
    with pytest.raises(ValueError, match="state: a weight is not finite"):
        planning.QuadraticCost(state=[1, math.nan])
    for unit in (1e-13, 1.0, 1e13):  # of weights, which are as small as squares of states are large
        planning.QuadraticCost(state=unit * np.ones((2, 2)))
        with pytest.raises(ValueError, match="negative eigenvalue"):
            planning.QuadraticCost(state=unit * np.diag([1, -1e-3]))
        with pytest.raises(ValueError, match="not symmetric"):
            planning.QuadraticCost(state=unit * np.array([[1, 0.5], [0, 1]]))

    def hides(i, x, u):
        return np.ma.array(x, mask=[0, 1]), np.eye(2), np.zeros((2, len(u)))

    with pytest.raises(TypeError, match="a residual: a masked array"):
        planning.ilqr(dynamics, [cost, hides], **plan)
    with pytest.raises(TypeError, match="step returned a masked array"):
        quoin.Differenced(lambda x, u: np.ma.array(x, mask=[0, 1]), 2, 1).step([0, 1], [0])
    with pytest.raises(TypeError, match="x: a masked array"):
        quoin.Differenced(lambda x, u: x, 2, 1).step(np.ma.array([0, 1], mask=[0, 1]), [0])


def test_a_truth_that_shows_nothing_corrects_nothing_and_what_it_does_to_its_controls_is_its_own():
    shape = quoin.AdaptiveGrid(lambda x: np.array([math.sin(x[0]), x[1]]), [0.2, 0.2])
    cost = [planning.MapCost(shape, [0.5, 0.2]), planning.QuadraticCost(control=[0.1])]
    dynamics, other = quoin.LinearDynamics(A, B), quoin.LinearDynamics(1.05 * A, B)

    def shown(controls):
        states = other.rollout(START, controls).states
        controls.fill(7)
        return np.stack([np.sin(states[:, 0]), states[:, 1]], 1)

    def correct(truth=shown, **options):
        begin = dict(start=START, guess=np.zeros((10, 1)))
        return planning.correct_by_rollouts(dynamics, cost, truth, **begin, **options)

    plan = correct(max_rollouts=20)
    assert plan.converged and not np.any(plan.controls == 7)
    with pytest.raises(ValueError, match="truth returned None in the place of outputs"):
        correct(lambda controls: None)
    with pytest.raises(TypeError, match="truth returned: a masked array"):
        correct(lambda controls: np.ma.array(np.ones((11, 2)), mask=True))
    with pytest.raises(TypeError, match="truth is a int, expected a function"):
        correct(3)
    for options in (dict(max_rollouts=2.5), dict(max_rollouts=math.nan), dict(tolerance="1e-3")):
        with pytest.raises(TypeError, match=next(iter(options))):
            correct(**options)
