# SPDX-License-Identifier: BSD-3-Clause
"""Algorithm 1 with solvers in Python."""

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
    with pytest.raises(ValueError, match="KernelSchedule::points"):
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
