# SPDX-License-Identifier: BSD-3-Clause
"""Algorithm 1 with solvers in Python."""

import dataclasses
import math

import numpy as np
import pytest

import quoin
from functions import Counted, waves

SOLUTION = np.array([0.4, 0.7])
TARGET = waves(2)(SOLUTION)[0]


def newton(view, x):
    for _ in range(20):
        y, J = view.value_and_jacobian(x)
        step = np.linalg.solve(J, TARGET - y)
        x = x + step
        if np.abs(step).max() < 1e-12:
            break
    return x, float(np.sum((view(x) - TARGET) ** 2)), True


def test_levels_lead_to_the_solution_of_f_at_few_calls():
    f = Counted(waves(2))
    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    rounds = []
    result = quoin.interleave(
        grid, newton, np.array([0.1, 0.1]), quoin.levels_for(0.5, 0.2), observer=lambda r, x: rounds.append((r, x))
    )
    assert result.stop is quoin.InterleaveStop.converged and result.message == "" and result.exception is None
    np.testing.assert_allclose(result.iterate, SOLUTION, atol=1e-4)
    assert [r.level for r in result.rounds] == [0, 1, 2] == [r.level for r, _ in rounds]
    assert sum(r.exact_evaluations for r in result.rounds) == grid.statistics.exact_evaluations <= f.count
    assert grid.level == 2 and math.isnan(result.exact_cost)


def test_tolerances_and_levels_until_end_where_the_errors_are_small():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    result = quoin.interleave(grid, newton, np.array([0.1, 0.1]), quoin.Tolerances(1e-3, 1e-7))
    np.testing.assert_allclose(result.iterate, SOLUTION, atol=1e-6)
    assert [r.tolerance for r in result.rounds] == [1e-3, 1e-3 / 16, 1e-3 / 256, 1e-3 / 4096, 1e-7]
    until = quoin.LevelsUntil(lambda view, x: view.error_along(x[np.newaxis]), tolerance=1e-6)
    result = quoin.interleave(grid, newton, np.array([0.1, 0.1]), until)
    assert result.stop is quoin.InterleaveStop.converged
    np.testing.assert_allclose(result.iterate, SOLUTION, atol=1e-5)


def test_a_kernel_is_sampled_at_the_points_of_the_iterate():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[1, 1])
    kernel = quoin.KernelSurrogate(grid.at_level(5))
    result = quoin.interleave(kernel, newton, np.array([0.1, 0.1]), points=lambda x: x[np.newaxis])
    assert result.stop in (quoin.InterleaveStop.converged, quoin.InterleaveStop.out_of_reach), result.message
    np.testing.assert_allclose(result.iterate, SOLUTION, atol=1e-4)
    with pytest.raises(ValueError, match="a KernelSurrogate cannot follow Levels"):
        quoin.interleave(kernel, newton, np.array([0.1, 0.1]), quoin.Levels())
    with pytest.raises(ValueError, match="a kernel needs points and"):
        quoin.interleave(kernel, newton, np.array([0.1, 0.1]))


def test_exact_check_accuracy_polish_and_budget():
    f = waves(2)

    def exact(x):
        return float(np.sum((f(x)[0] - TARGET) ** 2))

    def polish(x):
        y, J = f(x)
        x = x + np.linalg.solve(J, TARGET - y)
        return quoin.SolverResult(x, exact(x), True, 1)

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    result = quoin.interleave(grid, newton, np.array([0.1, 0.1]), exact_check=exact, polish=polish)
    assert result.rounds[-1].polish and result.exact_cost < 1e-12 and result.exact_cost == exact(result.iterate)
    result = quoin.interleave(
        grid, newton, np.array([0.1, 0.1]), quoin.Levels(0, 4), exact_check=exact, accuracy=1e-5
    )
    assert result.stop is quoin.InterleaveStop.accuracy_reached and len(result.rounds) < 5
    result = quoin.interleave(grid.__class__(f, [0.5, 0.5]), newton, np.array([0.1, 0.1]), quoin.Levels(0, 4),
                              max_evaluations=1)
    assert result.stop is quoin.InterleaveStop.budget_spent and len(result.rounds) == 1
    result = quoin.interleave(grid.__class__(f, [0.5, 0.5]), newton, np.array([0.1, 0.1]), quoin.Levels(0, 4),
                              observer=lambda r, x: False)
    assert result.stop is quoin.InterleaveStop.stopped_by_observer and len(result.rounds) == 1


def test_what_the_solver_raises_ends_the_loop_and_keeps_the_iterate():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])

    def solve(view, x):
        if view.level == 1:
            raise ArithmeticError("no step")
        return newton(view, x)

    result = quoin.interleave(grid, solve, np.array([0.1, 0.1]), quoin.Levels(0, 2))
    assert result.stop is quoin.InterleaveStop.solver_failed and "no step" in result.message
    assert isinstance(result.exception, ArithmeticError) and result.exception.__traceback__ is not None
    np.testing.assert_allclose(result.iterate, SOLUTION, atol=1e-2)
    assert grid.level == 1


def test_ctrl_c_passes_through():
    def solve(view, x):
        raise KeyboardInterrupt("stop")

    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    with pytest.raises(KeyboardInterrupt, match="stop"):
        quoin.interleave(grid, solve, np.array([0.1, 0.1]))


def test_a_failure_of_f_in_a_solve_has_its_cause():
    def f(x):
        if x[0] > 0.9:
            raise ValueError("no answer")
        return waves(2)(x)

    def solve(view, x):
        return view([0.7, 0.3]), 0.0, True

    grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5])
    result = quoin.interleave(grid, solve, np.array([0.1, 0.1]))
    assert isinstance(result.exception, quoin.CornerFailure)
    assert isinstance(result.exception.__cause__, ValueError)


def test_schedules_that_a_grid_cannot_follow_are_refused():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    with pytest.raises(ValueError, match=r"levels 3\.\.1"):
        quoin.interleave(grid, newton, np.array([0.1, 0.1]), quoin.Levels(3, 1))
    with pytest.raises(ValueError, match="must be positive"):
        quoin.levels_for(0.5, 0)
    with pytest.raises(ValueError, match="needs an exact_check"):
        quoin.interleave(grid, newton, np.array([0.1, 0.1]), accuracy=1)


@dataclasses.dataclass
class Plan:
    controls: object
    name: str = "a plan"


class Asked:
    """An iterate of somebody's own class, which says itself whether it is finite."""

    def __init__(self, x):
        self.x = x

    def all_finite(self):
        return bool(np.isfinite(self.x).all())


#: How an iterate holds three numbers; whether they are counted.
KINDS = {
    "array": (np.array, True),
    "matrix": (lambda x: np.array(x)[np.newaxis], True),
    "float32": (lambda x: np.array(x, dtype=np.float32), True),
    "complex": (lambda x: np.array([complex(0, v) for v in x]), True),
    "list": (list, True),
    "tuple": (tuple, True),
    "list of arrays": (lambda x: [np.array(x[:1]), np.array(x[1:])], False),
    "dictionary": (lambda x: {"first": x[0], "others": np.array(x[1:])}, False),
    "dataclass": (lambda x: Plan(np.array(x)), False),
    "own class": (lambda x: Asked(np.array(x)), False),
    "numbers in objects": (lambda x: np.array([float(v) for v in x], dtype=object), True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_solver_that_answers_what_is_no_answer_has_failed_and_the_last_answer_before_it_is_left(kind):
    make, counted = KINDS[kind]
    for seed in range(15):
        rng = np.random.default_rng([seed, *kind.encode()])
        last, faulty = rng.integers(0, 4), rng.integers(0, 4)
        faulty = min(faulty, last)
        fault = rng.choice(["cost", "iterate", "size"] if counted else ["cost", "iterate"])
        polished = rng.random() < 0.3
        answers = []

        def solve(view, x):
            values, cost = list(rng.normal(size=3)), rng.normal()
            if len(answers) == (last + 1 if polished else faulty):
                if fault == "cost":
                    cost = rng.choice([np.nan, -np.inf])
                elif fault == "iterate":
                    values[rng.integers(3)] = rng.choice([np.nan, np.inf, -np.inf])
                else:
                    values = values[: rng.integers(3)]
            answers.append((make(values) if len(values) == 3 else KINDS["array"][0](values), cost))
            return (*answers[-1], bool(rng.random() < 0.8))

        guess = make([0.1, 0.2, 0.3])
        grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
        polish = (lambda x: solve(None, x)) if polished else None
        result = quoin.interleave(grid, solve, guess, quoin.Levels(0, int(last)), polish=polish)
        assert result.stop is quoin.InterleaveStop.solver_failed and result.exception is None
        assert {"cost": "cost", "iterate": "not finite", "size": "numbers"}[fault] in result.message
        assert len(result.rounds) == len(answers) and not result.rounds[-1].converged
        good = answers[:-1]
        assert result.iterate is (good[-1][0] if good else guess)
        assert result.cost == good[-1][1] if good else math.isnan(result.cost)


def test_a_cost_of_infinity_is_never_converged_and_none_is_no_cost():
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    start = np.array([0.1, 0.1])
    result = quoin.interleave(grid, lambda view, x: (x + 1, math.inf, True), start)
    assert result.stop is quoin.InterleaveStop.solver_failed and "cost is inf" in result.message
    np.testing.assert_array_equal(result.iterate, start + 1)
    for answer in (quoin.SolverResult(start), (start,), (start, None)):
        result = quoin.interleave(grid, lambda view, x: answer, start)
        assert result.stop is quoin.InterleaveStop.converged and math.isnan(result.cost)


def test_iterates_that_cannot_be_looked_into_pass():
    class Closed:
        def __array__(self, *arguments, **keywords):
            raise RuntimeError("closed")

    cyclic = []
    cyclic.append(cyclic)
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    for iterate in (Closed(), cyclic, None, "a name", object(), 10**400, []):
        result = quoin.interleave(grid, lambda view, x: (iterate, 0.0, True), iterate)
        assert result.stop is quoin.InterleaveStop.converged and result.iterate is iterate
    result = quoin.interleave(grid, lambda view, x: ([1.0, 2.0], 0.0, True), [])
    assert result.stop is quoin.InterleaveStop.converged and result.iterate == [1.0, 2.0]


def test_tensors_are_looked_into_though_their_gradient_is_recorded():
    torch = pytest.importorskip("torch")
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    guess = torch.zeros(2, requires_grad=True)
    result = quoin.interleave(grid, lambda view, x: (x * math.nan, 0.0, True), guess)
    assert result.stop is quoin.InterleaveStop.solver_failed and result.iterate is guess


def test_options_that_mean_nothing_are_refused_by_name_before_the_solver_is_called():
    def never(view, x):
        raise AssertionError("called")

    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    kernel = quoin.KernelSurrogate(grid.at_level(3))
    guess = np.array([0.1, 0.1])
    before = grid.statistics.exact_evaluations  # the form of f was learnt from one call

    def refused(surrogate, name, schedule=None, error=ValueError, **options):
        points = {} if surrogate is grid else {"points": lambda x: x[np.newaxis]}
        with pytest.raises(error, match=name):
            quoin.interleave(surrogate, never, guess, schedule, **points, **options)

    for bad in (math.nan, -1, -math.inf, -1e-300):
        refused(grid, "accuracy", accuracy=bad, exact_check=lambda x: 0.0)
        refused(grid, "max_seconds", max_seconds=bad)
        refused(grid, "max_evaluations", max_evaluations=bad, error=(ValueError, TypeError))
        refused(grid, "tolerance", quoin.LevelsUntil(lambda view, x: None, tolerance=bad))
        refused(grid, "jacobian_tolerance", quoin.LevelsUntil(lambda view, x: None, jacobian_tolerance=bad))
        refused(grid, "first", quoin.Tolerances(first=bad))
        refused(grid, "last", quoin.Tolerances(last=bad))
        refused(grid, "factor", quoin.Tolerances(factor=bad))
        refused(kernel, "tolerance", quoin.Thresholds(tolerance=bad))
        refused(kernel, "jacobian_tolerance", quoin.Thresholds(jacobian_tolerance=bad))
        refused(kernel, "rounds_per_stage", quoin.Thresholds(rounds_per_stage=bad), error=(ValueError, TypeError))
        refused(kernel, r"stages\[1\]", quoin.Thresholds(stages=[(1e-3, 1e-2), (1e-4, bad)]))
    refused(grid, "first = 0.5", quoin.Levels(0.5, 2), error=TypeError)
    assert grid.statistics.exact_evaluations == before
    for bad in (np.array([0.1, np.nan]), [math.inf, 0.1], {"x": math.nan}):
        with pytest.raises(ValueError, match="guess is not finite"):
            quoin.interleave(grid, never, bad)
    assert quoin.levels_for(1e-300, 1e300) == quoin.Levels(0, 0)
