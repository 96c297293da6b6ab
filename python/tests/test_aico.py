# SPDX-License-Identifier: BSD-3-Clause
"""AICO plans as the Riccati recursion and iLQR do, with the covariance of the posterior."""

import numpy as np
import pytest

import quoin
from plans import A, B, F, Q, R, START, Spring, riccati
from quoin import _core

planning = pytest.importorskip("quoin.planning")
if "aico" not in _core.parts:
    pytest.skip("quoin was built without aico", allow_module_level=True)


def test_aico_plans_as_riccati_does_with_the_covariance_of_the_posterior():
    def task(t, x):
        if t == 20:
            root = np.diag(np.sqrt([30.0, 5.0]))
            return root @ x, root
        S = np.linalg.cholesky(Q).T
        return S @ x, S

    linear = quoin.LinearDynamics(A, B)
    problem = dict(start=START, guess=np.zeros((20, 1)), control_cost=R)
    plan = planning.aico(linear, task, **problem, initial_damping=0.0)
    controls, value, gains = riccati(20)
    assert plan.converged
    np.testing.assert_allclose(plan.controls, controls, rtol=0, atol=1e-8)
    assert plan.cost == pytest.approx(value, rel=1e-10)
    assert plan.cost == pytest.approx(plan.control_cost + plan.task_costs.sum(), rel=1e-12)
    np.testing.assert_allclose(plan.gains, gains, rtol=0, atol=1e-8)
    # The posterior of all controls has the Hessian of the cost as its precision.
    effect = np.zeros((21, 2, 20))
    for t in range(20):
        effect[t + 1] = A @ effect[t]
        effect[t + 1, :, t] += B[:, 0]
    hessian = R[0, 0] * np.eye(20)
    for t in range(21):
        hessian += effect[t].T @ (F if t == 20 else Q) @ effect[t]
    assert plan.covariances.shape == (21, 2, 2)
    for t in (5, 20):
        np.testing.assert_allclose(
            plan.covariances[t], effect[t] @ np.linalg.solve(hessian, effect[t].T), rtol=1e-6, atol=1e-12
        )
    assert len(planning.aico(linear, task, **problem, covariances=False).covariances) == 0


def test_aico_and_ilqr_find_the_same_plan_of_a_class_of_python():
    place = quoin.FunctionMap(lambda x: (np.sin(x), np.cos(x)[:, np.newaxis]), 1, 1)
    term = planning.MapCost(place, [np.sin(0.7)], 10.0, first=25)
    guess = np.zeros((30, 1))
    one = planning.aico(Spring(), term, start=[0, 0], guess=guess, control_cost=[[0.01]], relative_tolerance=1e-10)
    other = planning.ilqr(
        Spring(), [term, planning.QuadraticCost(control=[0.01])], start=[0, 0], guess=guess
    )
    assert one.converged and other.converged
    assert one.cost == pytest.approx(other.cost, rel=1e-6)
    np.testing.assert_allclose(one.controls, other.controls, atol=1e-2)
    with pytest.raises(ValueError, match="control_cost"):
        planning.aico(Spring(), term, start=[0, 0], guess=guess, control_cost=np.eye(2))
    with pytest.raises(TypeError, match="MapCost or a function"):
        planning.aico(Spring(), planning.QuadraticCost(), start=[0, 0], guess=guess, control_cost=[[1]])
    with pytest.raises(ValueError, match="expected .e, de_dx."):
        planning.aico(Spring(), lambda t, x: x, start=[0, 0], guess=guess, control_cost=[[1]])


def test_a_top_is_left_or_has_its_name():
    still = quoin.LinearDynamics([[1.0]], [[1.0]])

    def well(t, x):
        return (1 - x**2, [-2 * x]) if t == 3 else (np.zeros(1), np.zeros((1, 1)))

    problem = dict(start=[0], guess=np.zeros((3, 1)), control_cost=[[0.01]])
    trusting = planning.aico(still, well, **problem, check_curvature=False)
    assert trusting.converged and trusting.cost == pytest.approx(0.5)
    plan = planning.aico(still, well, **problem)
    assert plan.converged and plan.cost < 0.01

    def pinned(t, x):
        return well(t, x) if abs(x[0]) < 1e-4 else None

    plan = planning.aico(still, pinned, **problem)
    assert plan.stop is quoin.Stop.saddle and not plan.converged
    with pytest.raises(ValueError, match="curvature_tolerance"):
        planning.aico(still, well, **problem, curvature_tolerance=-1)
