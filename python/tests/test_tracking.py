# SPDX-License-Identifier: BSD-3-Clause
"""Reduced dynamics over any map, and paths that their outputs follow."""

import numpy as np
import pytest

import quoin

planning = pytest.importorskip("quoin.planning")

STEP, STIFF, MASSES = 0.02, 40.0, np.array([0.3, 0.2])


def shape(u):
    """A mass that two springs hold, and pulls move: x = u/k, softer for larger pulls; then the lengths, -x."""
    x = np.tanh(u / STIFF)
    J = np.diag((1 - x**2) / STIFF)
    return np.concatenate([x, -x]), np.vstack([J, -J])


def body(**options):
    arm = quoin.AdaptiveGrid(shape, [1.0, 1.0], lower=[-20, -20], upper=[20, 20], outside="clamp")
    task = {"masses": MASSES, "lengths": arm[2:], "time_step": STEP, "mass_damping": 1.0, "control_scale": 10.0}
    return arm, quoin.ReducedDynamics(arm[:2], **{**task, **options})


class Masses:
    """The same body in time, by smaller steps and with more damping than the model knows."""

    def __init__(self, start, drag=1.5):
        self.start, self.drag = np.array(start), drag

    def reset(self):
        self.x, self.v = np.tanh(self.start / STIFF), np.zeros(2)
        return self.x.copy()

    def step(self, u):
        for _ in range(40):
            h = STEP / 40
            force = u - STIFF * np.arctanh(np.clip(self.x, -0.99, 0.99)) - self.drag * MASSES * self.v
            self.v = self.v + h * force / MASSES
            self.x = self.x + h * self.v
        return self.x.copy()


def path(count=101):
    t = np.arange(count) * STEP
    return 0.1 * np.stack([np.sin(3 * t) * np.minimum(t, 1), 1 - np.cos(np.minimum(2 * t, np.pi))], 1)


def test_a_step_is_that_of_its_equation():
    arm, model = body(stiffness_damping=0.01)
    assert model.state_size == 4 and model.control_size == 2
    random = np.random.default_rng(3)
    for _ in range(20):
        now = random.uniform(-5, 5, 2)
        before, u = now + random.uniform(-0.3, 0.3, 2), random.uniform(-6, 6, 2)
        next = model.step(np.concatenate([now, before]), u)
        assert np.array_equal(next[2:], now)
        q, J = arm.value_and_jacobian(next[:2])
        q_now, q_before = arm(now)[:2], arm(before)[:2]
        acceleration = (q[:2] - 2 * q_now + q_before) / STEP**2 + (q[:2] - q_now) / STEP
        C = -0.5 * (J[2:] + J[2:].T)
        force = C @ (0.01 * (next[:2] - now) / STEP - (u - next[:2]))
        assert J[:2].T @ (MASSES * acceleration) + force == pytest.approx(0, abs=1e-8)


def test_rest_is_rest_and_matrices_are_masses():
    _, model = body()
    _, other = body(masses=np.diag(MASSES))
    rest = model.rest_state([3.0, -2.0])
    assert np.allclose(model.step(rest, [3.0, -2.0]), rest, atol=1e-9)
    x, u = np.array([1.0, 2, 0.9, 2.1]), np.array([3.0, 1])
    assert np.allclose(model.step(x, u), other.step(x, u), atol=1e-9)


def test_derivatives_are_those_of_the_step():
    _, model = body(exact_derivatives=True)
    x, u = np.array([1.0, 2, 0.9, 2.1]), np.array([3.0, 1])
    _, dx, du = model.step_with_derivatives(x, u)
    _, by_x, by_u = quoin.Differenced(model.step, 4, 2, difference=1e-5).step_with_derivatives(x, u)
    assert np.allclose(dx, by_x, atol=1e-4) and np.allclose(du, by_u, atol=1e-4)


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(masses=[1.0]), r"masses: shape \(1,\)"),
        (dict(masses=[1.0, -1]), "masses from -1"),
        (dict(masses=[[1.0, 2], [0, 1]]), "not symmetric"),
        (dict(masses=[[1.0, 2], [2, 1]]), "eigenvalue"),
        (dict(lengths=body()[0][2:]), "one map"),
        (dict(time_step=0), "time_step"),
        (dict(control_scale=0), "control_scale"),
    ],
)
def test_bodies_that_are_none_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        body(**options)


def test_lengths_are_one_for_each_pull():
    arm, _ = body()
    with pytest.raises(ValueError, match="1 outputs, expected one for each of the 2 pulls"):
        quoin.ReducedDynamics(arm[:2], masses=MASSES, lengths=arm[3], time_step=STEP)


@pytest.mark.parametrize(
    "rows, words",
    [
        ([[0, 0, 0, 0], [0, 0, 0, 0]], r"at pulls \[0, 0\]: none changes"),
        ([[1.0, 0, 0, 0], [0, 1.0, 0, 0]], "length 0 grows by 0.025 a unit of its own pull"),
        ([[0, 0, 1.0, 1], [0, 0, 0, 1.0]], "length 0 changes by -0.025 a unit of pull 1, length 1 by 0 a unit of pull 0"),
    ],
)
def test_outputs_that_are_no_lengths_are_refused_when_a_path_is_tracked(rows, words):
    arm, _ = body()
    model = quoin.ReducedDynamics(arm[:2], masses=MASSES, lengths=arm.linear_output(rows), time_step=STEP)
    with pytest.raises(ValueError, match=words.replace("0.025", r"0\.02\d*")):
        planning.track(model, arm[:2], path(), control=(-12, 12))
    with pytest.raises(ValueError, match="lengths, at pulls"):
        model.rest_state([0, 0])


@pytest.mark.parametrize("rate, blow", [(None, 0.3), (60.0, 0.06)])
def test_a_path_is_planned_run_learnt_and_held(rate, blow):
    arm, model = body()
    plan = planning.track(model, arm[:2], path(), control=(-12, 12), control_rate=rate)
    assert plan.stop == "converged" and plan.errors.max() < 1e-3 and "converged: the model is" in plan.message
    assert np.all(np.abs(plan.controls) <= 12)
    if rate is not None:
        assert np.abs(np.diff(plan.controls, axis=0)).max() <= rate * STEP * (1 + 1e-6)
    simulator = Masses(plan.states[0][:2])
    first = planning.run(simulator, plan)
    assert first.outputs.shape == path().shape and 1e-4 < first.root_mean_square < 0.02
    learnt = planning.learn(simulator, plan, runs=4)
    assert len(learnt.history) == 4 and planning.run(simulator, learnt).root_mean_square == min(learnt.history)
    assert min(learnt.history) < 0.3 * first.root_mean_square

    def push(i, simulator):
        if i == 30:
            simulator.v += [blow, -blow]

    free = planning.run(simulator, learnt, disturb=push)
    held = planning.run(simulator, learnt.feedback(noise=1e-4), disturb=push, noise=1e-4)
    assert held.root_mean_square < 0.7 * free.root_mean_square
    assert np.all(np.abs(held.controls) <= 12)


def plan_of(model, arm):
    return planning.track(model, arm[:2], path(), control=(-12, 12))


def test_lengths_may_be_linear_in_the_map():
    arm, model = body()
    other = quoin.ReducedDynamics(
        arm[:2], masses=MASSES, lengths=arm.linear_output([[-1.0, 0, 0, 0], [0, -1.0, 0, 0]]), time_step=STEP, mass_damping=1.0
    )
    x, u = np.array([1.0, 2, 0.9, 2.1]), np.array([3.0, 1])
    assert np.allclose(model.step(x, u), other.step(x, u), atol=1e-7)


def test_weights_and_measurements_that_are_none_are_refused():
    motion = planning.linearize_along(quoin.LinearDynamics(np.eye(2), np.eye(2)), np.zeros((4, 2)), np.zeros((3, 2)))
    for state, words in (([[np.nan, 0], [0, 1]], "state: a weight is not finite"), ([[1, 1], [0, 1]], "not symmetric")):
        with pytest.raises(ValueError, match=words):
            planning.time_varying_lqr(motion, state=state, control=np.eye(2), final=np.eye(2))
    with pytest.raises(ValueError, match="not finite"):
        planning.TrajectoryFilter(motion, np.eye(2)).update(np.eye(2), [np.nan, 0], np.eye(2))


def test_a_function_of_all_controls_is_a_simulator_too():
    arm, model = body()
    plan = planning.track(model, arm[:2], path(), control=(-12, 12))
    simulator = Masses(plan.states[0][:2])

    def simulate(controls):
        return np.array([simulator.reset(), *[simulator.step(u) for u in controls]])

    assert planning.run(simulate, plan).root_mean_square == planning.run(simulator, plan).root_mean_square
    assert len(planning.learn(simulate, plan, runs=2).history) == 2
    with pytest.raises(TypeError, match="feeds nothing back"):
        planning.run(simulate, plan.feedback())


def test_a_filter_and_feedback_are_those_of_the_textbook():
    A, B = np.array([[1, 0.1], [0, 0.9]]), np.array([[0.0], [0.2]])
    controls = np.zeros((30, 1))
    motion = planning.linearize_along(quoin.LinearDynamics(A, B), np.zeros((31, 2)), controls)
    assert np.allclose(motion.A, A) and np.allclose(motion.B, B) and motion.largest_defect == 0
    Q, R = np.diag([2.0, 1]), np.array([[0.5]])
    lqr = planning.time_varying_lqr(motion, state=Q, control=R, final=Q)
    S = Q
    for i in reversed(range(30)):
        K = np.linalg.solve(R + B.T @ S @ B, B.T @ S @ A)
        assert np.allclose(lqr.gains[i], K)
        S = Q + A.T @ S @ (A - B @ K)
        assert np.allclose(lqr.cost_to_go[i], S)
    P, C, V, W = np.eye(2), np.array([[1.0, 0]]), np.array([[0.1]]), 0.01 * np.eye(2)
    kalman, mean = planning.TrajectoryFilter(motion, P), np.zeros(2)
    for i in range(5):
        y = np.array([0.3 * i])
        gain = P @ C.T @ np.linalg.inv(C @ P @ C.T + V)
        mean, P = mean + gain @ (y - C @ mean), P - gain @ C @ P
        kalman.update(C, y, V)
        assert np.allclose(kalman.estimate, mean) and np.allclose(kalman.covariance, P)
        mean, P = A @ mean + B @ [0.1], A @ P @ A.T + W
        kalman.predict([0.1], W)
    assert kalman.step == 5


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda m, a: planning.track(m, a[:2], np.zeros((5, 3)), control=(0, 1)), r"path: shape \(5, 3\)"),
        (lambda m, a: planning.track(m, a[:2], np.zeros((5, 2)), control=(0, 1)), "single point"),
        (lambda m, a: planning.track(m, a[:2], path(), control=(1, 0)), "not below upper"),
        (lambda m, a: planning.track(m, a[:2], path(), control=5), "lower, upper"),
        (lambda m, a: planning.track(m, a[:2], path(), control=(0, [1, 1, 1])), r"control\[1\]"),
        (lambda m, a: planning.track(m, a[:2], path(), control=(0, 1), control_rate=0), "control_rate"),
        (lambda m, a: planning.track(m, a[:2], path() * np.nan, control=(0, 1)), "not finite"),
        (lambda m, a: planning.track(m, [0, 1], path(), control=(0, 1)), "expected a map, as a grid's view.*not 'list'"),
        (lambda m, a: planning.track(3, a[:2], path(), control=(0, 1)), "model is a int"),
        (lambda m, a: planning.run(3, planning.track(m, a[:2], path(), control=(-9, 9))), "no reset"),
        (lambda m, a: planning.run(Masses([0, 0]), 3), "plan is a int"),
        (lambda m, a: planning.run(Masses([0, 0]), plan_of(m, a), noise=-1), "noise = -1"),
        (lambda m, a: planning.run(Masses([0, 0]), plan_of(m, a), noise=0.1), "noise = 0.1: a plan is told no outputs"),
        (lambda m, a: planning.MapCost(a[:2], [0, np.nan]), "a target is not finite"),
        (lambda m, a: planning.MapCost(a[:2], [0, 0], [1, np.inf]), "a weight is not finite"),
        (lambda m, a: planning.QuadraticCost(state_target=[np.nan]), "a state_target is not finite"),
        (lambda m, a: planning.learn(Masses([0, 0]), plan_of(m, a).feedback()), "plan is a TrackingLoop"),
        (lambda m, a: plan_of(m, a).feedback(disturbance=-1), "disturbance = -1"),
        (lambda m, a: plan_of(m, a).feedback(output_weight=np.inf), "output_weight = inf"),
        (lambda m, a: plan_of(m, a).feedback().control([np.nan, 0]), "not finite"),
        (lambda m, a: quoin.ReducedDynamics(shape, masses=MASSES, lengths=a[2:], time_step=0.1), "shape is a function"),
    ],
)
def test_mistakes_are_told(call, words):
    arm, model = body()
    with pytest.raises((ValueError, TypeError), match=words):
        call(model, arm)


def test_paths_and_outputs_that_hide_numbers_are_refused():
    arm, model = body()
    hidden = np.ma.array(path(), mask=path() > 0.05)
    for wrong, what in ((hidden, "masked array"), (path() + 0.1j, "complex128")):
        with pytest.raises(TypeError, match=f"path: an? .*{what}"):
            planning.track(model, arm[:2], wrong, control=(-15, 15))
    plan = planning.track(model, arm[:2], path(), control=(-15, 15))
    with pytest.raises(TypeError, match="simulator returned: a masked array"):
        planning.run(lambda controls: hidden, plan)
    with pytest.raises(TypeError, match="noise = 'loud'"):
        planning.run(Masses([0, 0]), plan, noise="loud")
    with pytest.raises(TypeError, match="estimate = 'no': expected True or False"):
        plan.feedback(estimate="no")
