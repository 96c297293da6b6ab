# SPDX-License-Identifier: BSD-3-Clause
"""Plans of collocation are those that are known, keep their bounds, and are judged by fine integration."""

import dataclasses
import math

import numpy as np
import pytest

import quoin
from quoin import _core

planning = pytest.importorskip("quoin.planning")
if "collocation" not in _core.parts:
    pytest.skip("quoin was built without Ipopt", allow_module_level=True)


class DoubleIntegrator:
    """q'' = u"""

    state_size, control_size = 2, 1

    def rate_with_derivatives(self, x, u):
        return np.array([x[1], u[0]]), np.array([[0.0, 1], [0, 0]]), np.array([[0.0], [1]])


class Pendulum:
    """q'' = -sin q - 0.1 q' + u, in the inverse form."""

    actuation = np.eye(1)

    def inverse_dynamics_derivatives(self, q, v, a):
        return a + 0.1 * v + np.sin(q), np.cos(q)[:, np.newaxis], 0.1 * np.eye(1), np.eye(1)


class ExplicitPendulum:
    state_size, control_size = 2, 1

    def rate_with_derivatives(self, x, u):
        f = np.array([x[1], u[0] - 0.1 * x[1] - np.sin(x[0])])
        return f, np.array([[0, 1], [-np.cos(x[0]), -0.1]]), np.array([[0.0], [1]])


def effort(t, x, u):
    return u @ u, np.zeros(len(x)), 2 * u


def unit_move(**changes):
    problem = dict(times=np.linspace(0, 1, 6), start=[0, 0], final=[1, 0], guess=[1.0, 0], tolerance=1e-10)
    return planning.collocate(DoubleIntegrator(), effort, **{**problem, **changes})


def swing_up(dynamics, intervals=32, **options):
    times = np.linspace(0, 4, intervals + 1)
    return planning.collocate(
        dynamics, effort, times=times, start=[0, 0], final=[math.pi, 0], guess=[math.pi, 0], **options
    )


def test_the_least_effort_of_a_unit_move_is_found_exactly_on_any_mesh_and_replayed_exactly():
    plan = unit_move(times=[0, 0.2, 0.7, 1])
    assert plan.converged and abs(plan.cost - 12) < 1e-8
    assert plan.intervals == 3 and plan.times.shape == (7,) and plan.largest_defect < 1e-9
    np.testing.assert_array_equal(plan.mesh, [0, 0.2, 0.7, 1])
    t = np.linspace(0, 1, 17)
    np.testing.assert_allclose(plan.control(t)[:, 0], 6 - 12 * t, atol=1e-6)
    np.testing.assert_allclose(plan.state(t), np.c_[t * t * (3 - 2 * t), 6 * t * (1 - t)], atol=1e-7)
    np.testing.assert_array_equal(plan.state(0.3), plan.state([0.3])[0])
    seen = planning.replay(DoubleIntegrator(), plan, 0.03)
    assert seen.status is quoin.StepStatus.ok and len(seen.times) == 1 + 7 + 17 + 10
    np.testing.assert_allclose(seen.states[-1], [1, 0], atol=1e-7)


def test_costs_by_functions_residuals_and_arrays_are_the_same():
    def residual(t, x, u):
        return math.sqrt(2) * u, np.zeros((1, 2)), math.sqrt(2) * np.eye(1)

    for cost in (residual, planning.QuadraticCost(control=[2.0]), [effort, lambda t, x, u: (0.0, 0 * x, 0 * u)]):
        plan = planning.collocate(
            DoubleIntegrator(), cost, times=np.linspace(0, 1, 4), start=[0, 0], final=[1, 0], guess=[1, 0]
        )
        assert plan.converged and abs(plan.cost - 12) < 1e-6


def test_costs_of_the_end_and_of_maps_pull_as_far_as_they_should():
    c = 30
    reach = dict(final=None, guess=[1, 0])

    def speed(x):
        return x[1:], np.array([[0.0, 1]])

    reaching = dict(boundary=speed, lower_boundary=[0.0], upper_boundary=[0.0], **reach)
    by_function = unit_move(
        final_cost=lambda x: (c / 2 * (x[0] - 1) ** 2, np.array([c * (x[0] - 1), 0])), **reaching
    )
    place = quoin.FunctionMap(lambda x: (x, np.eye(1)), 1, 1)
    by_map = unit_move(final_cost=planning.MapCost(place, [1.0], math.sqrt(c)), **reaching)
    by_array = planning.collocate(
        DoubleIntegrator(),
        planning.QuadraticCost(control=[2.0], final=[c, 0], state_target=[1.0, 0]),
        times=np.linspace(0, 1, 6),
        start=[0, 0],
        boundary=speed,
        lower_boundary=[0],
        upper_boundary=[0],
        guess=[1, 0],
        tolerance=1e-10,
    )
    # integral of u^2 for a move by d with speeds 0 at both ends is 12 d^2: d = c / (24 + c)
    for plan in (by_function, by_map, by_array):
        assert plan.converged and abs(plan.states[-1, 0] - c / (24 + c)) < 1e-6
        assert abs(plan.cost - 12 * c / (24 + c)) < 1e-6


def test_a_bound_of_the_speed_as_bound_as_path_and_as_map_is_the_same():
    fine = dict(times=np.linspace(0, 1, 21), tolerance=1e-9)
    plans = [
        unit_move(upper_state=[10, 1.2], lower_state=[-10, -10], **fine),
        unit_move(
            path=lambda t, x, u: (x[1:], np.array([[0.0, 1]]), np.zeros((1, 1))),
            lower_path=[-math.inf],
            upper_path=[1.2],
            **fine,
        ),
        unit_move(
            path=planning.MapCost(quoin.FunctionMap(lambda x: (x, np.eye(1)), 1, 1), [0.0], begin=1),
            lower_path=[-math.inf],
            upper_path=[1.2],
            **fine,
        ),
    ]
    for plan in plans:
        assert plan.converged and plan.states[:, 1].max() <= 1.2 + 1e-6
        np.testing.assert_allclose(plan.states, plans[0].states, atol=1e-5)
    a = 1.5 * (1 - 1 / 1.2)  # two parabolic ends of this length, at a known cost
    assert abs(plans[0].cost - 2 * 4 / 3 * 1.2**2 / a) < 0.05


def test_explicit_and_inverse_forms_come_to_the_same_plan_to_the_order_of_the_scheme():
    inverse, explicit = swing_up(Pendulum()), swing_up(ExplicitPendulum())
    assert inverse.converged and explicit.converged
    assert inverse.rates.shape == (65, 1) and explicit.rates.shape == (65, 2)
    np.testing.assert_allclose(inverse.states, explicit.states, atol=1e-5)
    truth = swing_up(Pendulum(), 128)
    error = {}
    for scheme in ("trapezoid", "hermite_simpson"):
        miss = []
        for intervals in (16, 32):
            plan = swing_up(Pendulum(), intervals, scheme=scheme, tolerance=1e-9)
            miss.append(np.abs(plan.state(plan.mesh) - truth.state(plan.mesh)).max())
        error[scheme] = math.log2(miss[0] / miss[1])
    assert abs(error["trapezoid"] - 2) < 0.3 and abs(error["hermite_simpson"] - 4) < 0.4


def test_models_in_c_are_taken_in_their_inverse_form():
    rigid_body = pytest.importorskip("quoin.rigid_body")
    rod = rigid_body.Link("rod", type="revolute", axis=(0, 1, 0), mass=1, centre=(0, 0, -1), damping=0.1)
    tree = rigid_body.TreeDynamics(rigid_body.RigidBodyTree([rod]), gravity=(0, 0, -1), friction="viscous")
    plan, same = swing_up(tree), swing_up(Pendulum())
    assert plan.rates.shape == (65, 1) and plan.converged
    np.testing.assert_allclose(np.abs(plan.states), np.abs(same.states), atol=1e-5)


def test_refinement_brings_the_measured_defect_below_its_tolerance():
    class Field:
        """A narrow force at q = 0, through which the motion must pass."""

        state_size, control_size = 2, 1

        def rate_with_derivatives(self, x, u):
            force = 4 * math.exp(-40 * x[0] ** 2)
            return np.array([x[1], u[0] - force]), np.array([[0, 1], [80 * x[0] * force, 0]]), np.array([[0.0], [1]])

    ask = dict(times=3 * np.linspace(0, 1, 13), start=[-2, 0], final=[2, 0], guess=[2, 0])
    plan = planning.collocate(Field(), effort, defect_tolerance=1e-5, **ask)
    course = plan.refinement
    assert plan.converged and course.stop is planning.RefinementStop.tolerance_met
    assert plan.largest_defect <= 1e-5 < 10 * 1e-5 < course.defects[0]
    assert len(course.meshes) == len(course.defects) == len(course.nlp_stops)
    assert len(course.meshes[-1]) == plan.intervals + 1
    limited = planning.collocate(Field(), effort, defect_tolerance=1e-9, max_solves=2, **ask)
    assert limited.refinement.stop is planning.RefinementStop.solve_limit and not limited.converged
    assert limited.message.startswith("solve_limit: the solver converged, the refinement did not")
    assert plan.message.startswith("converged: ")
    again = planning.measure_defects(Field(), plan)
    np.testing.assert_allclose(again.interval_defects, plan.interval_defects, rtol=1e-10)


def test_a_plan_is_a_warm_start_and_any_motion_a_guess():
    cold = swing_up(Pendulum())
    warm = planning.collocate(
        Pendulum(), effort, times=np.linspace(0, 4, 33), start=[0, 0], final=[math.pi, 0], guess=cold
    )
    assert warm.converged and warm.iterations < cold.iterations
    t = np.linspace(0, 4, 9)
    guess = planning.CollocationPlan(t, np.outer(t / 4, [math.pi, 0]), np.zeros((9, 1)), scheme="trapezoid")
    np.testing.assert_allclose(guess.state(1.0), [math.pi / 4, 0])
    plan = planning.collocate(
        Pendulum(), effort, times=np.linspace(0, 4, 33), start=[0, 0], final=[math.pi, 0], guess=guess
    )
    assert plan.converged and abs(plan.cost - cold.cost) < 1e-5


def test_a_free_start_ends_where_its_bounds_allow():
    plan = unit_move(start=None, lower_start=[-1, 0], upper_start=[0.5, 0])
    assert plan.converged and abs(plan.states[0, 0] - 0.5) < 1e-5 and abs(plan.cost - 3) < 1e-4
    held = unit_move(start_control=[0.0])
    assert held.controls[0, 0] == 0 and held.cost > 12.1
    free = unit_move(final=[1, math.nan])
    assert free.converged and abs(free.cost - 3) < 1e-6


def test_controls_that_are_states_do_not_jump():
    rated = planning.ControlRates(DoubleIntegrator())
    assert rated.state_size == 3 and rated.control_size == 1 and rated.known == 0
    np.testing.assert_array_equal(rated.state([1, 2], [3]), [3, 1, 2])
    np.testing.assert_array_equal(rated.x([[3, 1, 2]]), [[1, 2]])
    np.testing.assert_array_equal(rated.u([3, 1, 2]), [3])
    plan = planning.collocate(
        rated, effort, times=np.linspace(0, 1, 33), start=rated.state([0, 0], [0]), final=[0, 1, 0], guess=[0, 1, 0]
    )
    assert plan.converged and abs(plan.states[:, 0]).max() > 5
    assert abs(plan.cost - 720) < 1e-3  # the least jerk of a unit move, to fourth order
    mechanical = planning.ControlRates(Pendulum())
    np.testing.assert_array_equal(mechanical.state([1, 2], [3]), [1, 3, 2])
    with pytest.raises(ValueError, match=r"\(2,\), expected \(..., 3\)"):
        rated.x([1, 2])


def test_why_it_ended_is_told():
    weak = unit_move(lower_control=[-1], upper_control=[1])  # reaches 1/4
    assert weak.stop is quoin.Stop.infeasible and not weak.converged
    assert unit_move(max_iterations=0).stop is quoin.Stop.iteration_limit
    assert swing_up(Pendulum(), max_seconds=0).stop is quoin.Stop.time_limit
    seen = []

    def observer(iteration):
        seen.append(iteration)
        return len(seen) < 3

    plan = swing_up(Pendulum(), observer=observer)
    assert plan.stop is quoin.Stop.stopped_by_observer and [one.iteration for one in seen] == [0, 1, 2]
    assert plan.states.shape == (65, 2)


def test_a_saddle_is_left_or_has_its_name():
    def upright(x):
        return 10 * (1 + np.cos(x[0])) ** 2, [-20 * (1 + np.cos(x[0])) * np.sin(x[0]), 0]

    def hanging(**options):
        return planning.collocate(
            Pendulum(), effort, final_cost=upright, times=np.linspace(0, 4, 17), start=[0, 0], guess=[0, 0], **options
        )

    trusting = hanging(check_curvature=False)
    assert trusting.converged and abs(trusting.states[:, 0]).max() < 1e-6
    plan = hanging()
    assert plan.converged and plan.cost < 0.5 * trusting.cost
    kept = hanging(max_iterations=trusting.iterations + 1)
    assert kept.stop is quoin.Stop.saddle and not kept.converged


def test_failures_of_functions_are_told_apart():
    class Walled(ExplicitPendulum):
        def rate_with_derivatives(self, x, u):
            raise quoin.StepFailure("a wall")

    assert swing_up(Walled()).stop is quoin.Stop.evaluation_failed

    def broken(t, x, u):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        planning.collocate(DoubleIntegrator(), broken, times=[0, 1], start=[0, 0], guess=[1, 0])

    def interrupted(t, x, u):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        planning.collocate(DoubleIntegrator(), interrupted, times=[0, 1], start=[0, 0], guess=[1, 0])


@pytest.mark.parametrize(
    "changes, words",
    [
        (dict(times=[0, 0.5, 0.5]), "time 2 = 0.5"),
        (dict(start=[0, 0, 0]), "3 entries, must have 2"),
        (dict(lower_control=[0, 0]), "2 entries, must have 1"),
        (dict(final=[0]), r"final: shape \(1,\), expected \(2,\)"),
        (dict(boundary=lambda x: (x, np.eye(2))), "exclude"),
        (dict(scheme="rk4"), "scheme = 'rk4'"),
        (dict(guess=[1]), r"\(1,\)"),
        (dict(rate_scale=[1, 1, 1]), "rate_scale has 3"),
        (dict(final_cost=lambda x: (x[0], [1.0])), r"final_cost returned an array of shape \(1,\), expected \(2,\)"),
        (dict(path=lambda t, x, u: x, lower_path=[0], upper_path=[0]), "path returned a ndarray, expected .value"),
        (dict(defect_tolerance=0.0), "tolerance = 0"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_numbers(changes, words):
    with pytest.raises(ValueError, match=words):
        unit_move(**changes)


def test_what_is_no_plan_and_no_dynamics_is_refused():
    good = dict(times=[0.0, 1], states=np.zeros((2, 2)), controls=np.zeros((2, 1)))
    for wrong in (dict(times=[1.0, 0]), dict(states=np.zeros((3, 2))), dict(rates=np.zeros((2, 3))), dict(scheme="x")):
        with pytest.raises(ValueError):
            planning.CollocationPlan(**{**good, **wrong})
    with pytest.raises(dataclasses.FrozenInstanceError):
        planning.CollocationPlan(**good).cost = 1
    with pytest.raises(TypeError, match="has no rate_with_derivatives|no state_size"):
        planning.replay(object(), planning.CollocationPlan(**good), 0.1)
    with pytest.raises(ValueError, match="step = 0"):
        planning.replay(DoubleIntegrator(), planning.CollocationPlan(**good), 0)
    with pytest.raises(TypeError, match="cost: a int"):
        planning.collocate(DoubleIntegrator(), 3, times=[0, 1], start=[0, 0], guess=[1, 0])


def test_transcription_solves_a_bounded_linear_quadratic_problem_to_ilqrs_solution():
    A, B = np.array([[1.0, 0.1], [-0.2, 0.95]]), np.array([[0.02], [0.3]])
    cost = planning.QuadraticCost(state=[2.0, 0.5], control=[0.7], final=[30.0, 5.0])
    problem = dict(start=[1, -0.5], guess=np.zeros((15, 1)), lower_control=[-0.15], upper_control=[0.2])
    dynamics = quoin.LinearDynamics(A, B)
    reference = planning.ilqr(dynamics, cost, relative_tolerance=1e-14, **problem)
    seen = []

    def observer(iteration, states, controls):
        seen.append((iteration.objective, states.shape, controls.shape))

    plan = planning.transcribe(dynamics, cost, tolerance=1e-9, observer=observer, **problem)
    assert plan.converged and plan.largest_defect < 1e-9
    assert abs(plan.cost - reference.cost) < 1e-7 * reference.cost
    np.testing.assert_allclose(plan.controls, reference.controls, atol=1e-5)
    assert len(seen) == plan.iterations + 1 and seen[-1][1:] == ((16, 2), (15, 1))
    warm = planning.transcribe(
        dynamics, cost, **{**problem, "guess": plan.controls}, states=plan.states, multipliers=plan.multipliers
    )
    assert warm.converged and warm.iterations < plan.iterations
    with pytest.raises(ValueError, match="states"):
        planning.transcribe(dynamics, cost, states=np.zeros((3, 2)), **problem)
