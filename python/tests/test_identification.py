# SPDX-License-Identifier: BSD-3-Clause
"""What is identified is what was simulated, and what measurements do not tell is said."""

import math

import numpy as np
import pytest

import quoin

identification = pytest.importorskip("quoin.identification")

TRUTH = np.array([0.15, 0.012, 0.11, 0.08, 0.3, -0.2])
NAMES = ("m", "b", "k", "c", "q(0)", "v(0)")


class Rod:
    """A rod that swings about one end: m l^2 a = -b v - m g l sin q - k q + c u."""

    state_size, control_size = 2, 1

    def __init__(self, p):
        self.p = p

    def rate_with_derivatives(self, x, u):
        m, b, k, c = self.p[:4]
        inertia = m * 0.3**2
        a = (-b * x[1] - k * x[0] + c * u[0]) / inertia - 9.81 / 0.3 * np.sin(x[0])
        dx = np.array([[0, 1], [-k / inertia - 9.81 / 0.3 * np.cos(x[0]), -b / inertia]])
        return np.array([x[1], a]), dx, np.array([[0], [c / inertia]])


def film(states):
    """The middle and the tip, (frames, 4)."""
    along = np.c_[np.sin(states[:, 0]), -np.cos(states[:, 0])]
    return 0.3 * np.hstack((0.5 * along, along))


TIMES = 0.02 * np.arange(80)
TORQUE = np.sin(5 * TIMES) + 0.7 * np.sin(8.3 * TIMES + 1)
FILMED = identification.SimulatedMotion(
    lambda p: quoin.RungeKutta(Rod(p), 0.02), lambda p: p[4:], TORQUE[:, np.newaxis], film
)


def guesses(weighed=True):
    scales = (0.15, 0.012, 0.11, 0.08, 0.3, 1)
    initial = (0.15, 0.017, 0.08, 0.1, 0, 0)
    bounds = [(0.15, 0.15) if weighed else (0.05, 0.5), (1e-4, 0.1), (0.01, 0.5), (0.01, 0.5)] + 2 * [(-3, 3)]
    return [
        identification.OutputErrorParameter(name, start, low, high, scale)
        for name, start, (low, high), scale in zip(NAMES, initial, bounds, scales)
    ]


@pytest.mark.parametrize("criterion", ["sum_of_norms", "least_squares"])
def test_the_parameters_of_dynamics_in_python_come_from_exact_outputs(criterion):
    measured = FILMED(TRUTH)
    fit = identification.fit_output_error(guesses(), FILMED, measured, criterion=criterion)
    assert fit.converged and fit.norms < 1e-6 < fit.initial_norms
    np.testing.assert_allclose(fit.p, TRUTH, atol=1e-6)
    assert fit.identifiability.complete and fit.identifiability.rank == 5 and fit.at_bounds == []
    assert fit.points == 2 * len(measured) and fit.starts[0].stop is fit.stop
    np.testing.assert_allclose(fit.predicted, measured, atol=1e-7)
    assert fit.deviations[0] == 0 and len(fit.starts[0].log) == fit.iterations + 1


def test_noise_leaves_what_the_deviations_say_and_a_common_scale_is_named():
    noise = 1.5e-3
    measured = FILMED(TRUTH) + noise * np.random.default_rng(3).standard_normal((81, 4))
    fit = identification.fit_output_error(guesses(), FILMED, measured)
    assert abs(fit.residual_deviation / noise - 1) < 0.2
    assert np.all(np.abs(fit.p - TRUTH)[1:] < 4 * fit.deviations[1:])
    free = identification.fit_output_error(guesses(weighed=False), FILMED, measured)
    assert free.converged and len(free.identifiability.weak) == 1
    assert free.identifiability.weak[0].sentence.startswith("not identifiable: m, b, k, c together")
    assert np.all(np.isinf(free.deviations[:4])) and np.all(free.deviations[4:] < 0.05)
    np.testing.assert_allclose(free.p[:4] * 0.15 / free.p[0], fit.p[:4], rtol=1e-3)


def test_exact_derivatives_are_used_where_they_are_given_and_missing_points_do_not_count():
    points = np.array([[0.0, 0], [1, 0], [0, 1], [5, 5], [math.nan, 9]])
    asked = []

    def derivatives(p):
        asked.append(p)
        return np.tile(p, (5, 1)), np.tile(np.eye(2), (5, 1, 1))

    place = [identification.OutputErrorParameter("x"), identification.OutputErrorParameter("y")]
    fit = identification.fit_output_error(
        place, lambda p: np.tile(p, (5, 1)), points, derivatives=derivatives, relative_tolerance=1e-14, smoothing=1e-7
    )
    away = points[:4] - fit.p
    assert fit.converged and fit.points == 4 and len(asked) == fit.jacobians
    assert abs(fit.norms - np.linalg.norm(away, axis=1).sum()) < 1e-9
    pulls = np.linalg.norm((away / np.linalg.norm(away, axis=1)[:, np.newaxis]).sum(axis=0))
    assert pulls < 1e-4  # the geometric median
    squares = identification.fit_output_error(
        place, lambda p: np.tile(p, (5, 1)), points, criterion="least_squares", starts=3, seed=2
    )
    np.testing.assert_allclose(squares.p, points[:4].mean(axis=0), atol=1e-6)
    assert len(squares.starts) == 3


def test_a_simulation_that_fails_shortens_the_step_and_other_errors_pass():
    def root(p):
        if p[0] < 0.5:
            raise quoin.StepFailure("below")
        return np.sqrt(p)[np.newaxis]

    one = [identification.OutputErrorParameter("a", 4)]
    square = dict(block_size=1, criterion="least_squares")
    fit = identification.fit_output_error(one, root, [[1.0]], **square)
    assert fit.converged and abs(fit.p[0] - 1) < 1e-5
    assert identification.fit_output_error(one, lambda p: None, [[1.0]], **square).stop is (
        quoin.Stop.initial_failed
    )

    def broken(p):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        identification.fit_output_error(one, broken, [[1.0]], **square)
    for wrong, words in (
        (dict(measured=[1.0]), r"measured: shape \(1,\)"),
        (dict(prediction=lambda p: np.zeros(3)), r"shape \(3,\), expected \(1, 1\)"),
        (dict(criterion="huber"), "criterion = 'huber'"),
        (dict(starts=0), "starts"),
        (dict(difference_step=0), "difference_step = 0"),
        (dict(derivatives=lambda p: np.zeros((1, 1))), "derivatives returned a ndarray"),
    ):
        call = {**square, "prediction": root, "measured": [[1.0]], **wrong}
        with pytest.raises(ValueError, match=words):
            identification.fit_output_error(one, **call)


def test_what_a_jacobian_does_not_tell_is_named():
    J = np.array([[1.0, 2, 0], [2, 4, 0], [0, 0, 0]])
    known = identification.parameter_identifiability(J, ["a", "b", "c"], [1, 1, 1])
    assert known.rank == 1 and not known.complete and len(known.weak) == 2
    np.testing.assert_allclose(np.abs(known.directions[0]), np.array([1, 2, 0]) / math.sqrt(5), atol=1e-12)
    held = identification.parameter_identifiability(J, ["a", "b", "c"], [1, 1, 1], held=[False, True, True])
    assert held.complete and len(held.singular_values) == 1
    with pytest.raises(ValueError):
        identification.parameter_identifiability(J, ["a", "b"], [1, 1, 1])


DRIVE = quoin.LinearSystem(
    [[0, 1], [-((6 * math.pi) ** 2), -1.2 * 6 * math.pi]], [[0], [0.95 * (6 * math.pi) ** 2]], [[1, 0]]
)


def test_a_linear_system_is_sampled_exactly_and_comes_back():
    w, z, h = 6 * math.pi, 0.6, 0.02
    sampled = DRIVE.discretized(h)
    t, damped = h * np.arange(12), w * math.sqrt(1 - z * z)
    exact = 0.95 * (1 - np.exp(-z * w * t) * (np.cos(damped * t) + z * w / damped * np.sin(damped * t)))
    np.testing.assert_allclose(sampled.simulate(np.ones(12)), exact, atol=1e-12)
    assert sampled.simulate(np.ones((12, 1))).shape == (12, 1) and sampled.time_step == h
    back = sampled.continuous()
    np.testing.assert_allclose(back.A, DRIVE.A, atol=1e-7)
    np.testing.assert_allclose(back.poles.real, -z * w)
    assert quoin.LinearSystem([[-0.5]], [[1]], [[1]], time_step=0.1).continuous() is None
    ramped = quoin.LinearSystem([[-2]], [[1]], [[1]], [[0.5]])
    y = ramped.discretized(0.2, "first_order").simulate(
        np.full(6, 2.0), start=1 - 2 * ramped.held_state_shift(0.2)[:, 0]
    )
    np.testing.assert_allclose(y, 2, atol=1e-14)
    for wrong in (lambda: quoin.LinearSystem([[0, 1]], [[1]], [[1]]), lambda: DRIVE.simulate(np.ones(3))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError, match="hold = 'x'"):
        DRIVE.discretized(0.1, "x")


def test_a_linear_system_is_found_from_a_wave():
    wave = identification.BretschneiderWave(significant_height=2)
    t = 0.01 * np.arange(1000)
    u = wave.at(t)
    truth = DRIVE.discretized(0.01)
    fit = identification.fit_linear_system(u, truth.simulate(u, start=[0.3, -2]), 0.01)
    assert fit.fit > 100 - 1e-5
    np.testing.assert_allclose(np.abs(fit.system.continuous().poles), 6 * math.pi, rtol=1e-6)
    noisy = truth.simulate(u) + 0.005 * np.random.default_rng(5).standard_normal(1000)
    fit = identification.fit_linear_system(u, noisy, 0.01)
    other = identification.BretschneiderWave(significant_height=2, seed=2).at(t)
    assert fit.converged and fit.arx_fit < 97
    assert identification.fit_percentage(truth.simulate(other), fit.system.simulate(other)) > 98.8
    assert identification.fit_percentage(u, u) == 100
    with pytest.raises(ValueError):
        identification.fit_linear_system(u[:11], u[:11], 0.01)


def test_inputs_follow_a_profile_within_their_bounds():
    planning = pytest.importorskip("quoin.planning")
    sampled = DRIVE.discretized(0.02)
    wanted = 1 - np.cos(0.1 * np.arange(1, 60))
    found = planning.track_output(sampled, wanted, -10, 10, 1e-10)
    np.testing.assert_allclose(found.outputs, sampled.simulate(np.append(found.inputs, 0))[1:], atol=1e-10)
    assert found.largest_error == pytest.approx(np.abs(found.outputs - wanted).max()) and found.largest_error < 1e-3
    held = planning.track_output(sampled, wanted, 0, 1)
    assert held.inputs.min() >= 0 and held.inputs.max() <= 1 and held.largest_error > 0.5
    for wrong in (dict(lower=1, upper=0), dict(lower=0, upper=1, smoothing=0)):
        with pytest.raises(ValueError):
            planning.track_output(sampled, wanted, **wrong)
    with pytest.raises(ValueError):
        planning.track_output(DRIVE, wanted, 0, 1)


def test_a_wave_has_the_spectrums_amplitudes_and_its_seeds_numbers():
    wave = identification.BretschneiderWave(waves=20, peak_frequency=4, significant_height=2, lowest=0.5, highest=3)
    spectrum = identification.bretschneider_spectrum(wave.frequencies, 4, 2)
    np.testing.assert_allclose(wave.amplitudes, np.sqrt(2 * spectrum * 4 * 2.5 / 20))
    assert wave.variance == pytest.approx(0.5 * np.sum(wave.amplitudes**2))
    at = np.sum(wave.amplitudes * np.sin(1.3 * wave.frequencies + wave.phases))
    assert isinstance(wave.at(1.3), float) and wave.at(1.3) == pytest.approx(at)
    assert wave.rate(1.3) == pytest.approx((wave.at(1.3 + 1e-5) - wave.at(1.3 - 1e-5)) / 2e-5, rel=1e-6)
    assert identification.bretschneider_spectrum(0, 4, 2) == 0
    standard = identification.BretschneiderWave(waves=1, peak_frequency=1, lowest=1, highest=2, seed=5489)
    # the first number of the standard's Mersenne twister with this seed
    assert standard.frequencies[0] == pytest.approx(1 + 14514284786278117030 / 2**64, rel=1e-14)
    with pytest.raises(ValueError):
        identification.BretschneiderWave(waves=0)


def test_sines_and_smoothed_logs_have_the_rates_of_their_positions():
    sines = identification.SineExcitation([0.5, 2], [3, 7])
    now, h = sines.at(1.3), 1e-5
    np.testing.assert_allclose((sines.at(1.3 + h).q - sines.at(1.3 - h).q) / (2 * h), now.qd, atol=1e-8)
    np.testing.assert_allclose((sines.at(1.3 + h).qd - sines.at(1.3 - h).qd) / (2 * h), now.qdd, atol=1e-8)
    np.testing.assert_array_equal(sines.at([0.0, 1.3]).q[1], now.q)
    with pytest.raises(ValueError, match="periods must be positive"):
        identification.SineExcitation([1, 1], [1, 0])
    t = 0.01 * np.arange(40)[:, np.newaxis]
    motion = identification.smoothed_motion(1 - 2 * t + 3 * t**2 - 4 * t**3, 5 * t**3, 0.01, 6)
    t = t[6:-6]
    assert len(motion) == 28 and motion.joints == 1 and len(motion[3:10]) == 7
    np.testing.assert_allclose(motion.qdd, 6 - 24 * t, atol=1e-6)
    np.testing.assert_allclose(motion.tau, 5 * t**3, atol=1e-13)
    with pytest.raises(ValueError, match="half window 1"):
        identification.smoothed_motion(np.zeros((10, 2)), np.zeros((10, 2)), 0.1, 1)
    with pytest.raises(ValueError, match="alike"):
        identification.RobotMotion(t, t, t, t[1:])


class Gain:
    """The machine is x = 2 u + 0.3 u^3, the model x = gain u of its last run."""

    def __init__(self):
        self.seen, self.attempts = [], []

    def learn(self, **options):
        def plan(gain, attempt):
            self.attempts.append(attempt)
            return 3.0

        def run(u):
            self.seen.append(u)
            return u, 2 * u + 0.3 * u**3

        return identification.iterative_learning(
            1.0,
            **{
                "plan": plan,
                "invert": lambda gain, position: (min(position / gain, 10), abs(min(position / gain, 10) * gain - 3)),
                "run": run,
                "met": lambda seen: abs(seen[1] - 3) < 1e-9,
                "identify": lambda gain, recordings: recordings[-1][1] / recordings[-1][0],
                **options,
            },
        )


def test_learning_ends_where_the_run_meets_the_goal():
    machine = Gain()
    result = machine.learn(max_runs=100)
    assert result.met and len(result.rounds) == len(machine.seen)
    u = machine.seen[-1]
    assert 2 * u + 0.3 * u**3 == pytest.approx(3, abs=1e-9) and result.model == pytest.approx(3 / u)
    assert [one.identified for one in result.rounds] == (len(machine.seen) - 1) * [True] + [False]
    assert machine.attempts[0] == identification.PlanAttempt(0, 0, None)


def test_each_way_to_end_is_told_apart():
    stop = identification.LearningStop
    assert Gain().learn(max_runs=2).stop is stop.iteration_limit
    none = Gain().learn(plan=lambda gain, attempt: None, max_replans=2)
    assert none.stop is stop.no_plan and none.rounds[0].failures == 3
    machine = Gain()
    missing = machine.learn(invert=lambda gain, position: ("u", 2.0), max_miss=0.5, max_replans=3)
    assert missing.stop is stop.not_realizable and machine.seen == [] and missing.rounds[0].planned == 4
    assert [one.refused for one in machine.attempts] == [None, "u", "u", "u"]
    assert Gain().learn(invert=lambda gain, position: (1, math.nan)).stop is stop.not_realizable
    assert Gain().learn(run=lambda u: None).stop is stop.run_failed
    assert Gain().learn(identify=lambda gain, all: None).stop is stop.identification_failed
    with pytest.raises(ValueError, match="max_runs is 0"):
        Gain().learn(max_runs=0)
    with pytest.raises(ValueError, match="invert returned a int"):
        Gain().learn(invert=lambda gain, position: 1)
    with pytest.raises(ZeroDivisionError):
        Gain().learn(run=lambda u: 1 / 0)
