# SPDX-License-Identifier: BSD-3-Clause
"""Collocation."""

from __future__ import annotations

from typing import Callable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from quoin import _core
from quoin._given import reals
from quoin.planning._collocation_plan import SCHEMES, CollocationPlan, Scheme, compiled_plan, plan_from
from quoin.planning._continuous_costs import EndTerm, PathTerm, RunningTerm, terms_of
from quoin.planning._nlp import NlpIteration, ipopt_options
from quoin.planning._node_dynamics import AnyContinuousDynamics, compiled_nodes
from quoin.planning._problems import told


def collocate(
    dynamics: AnyContinuousDynamics,
    cost: Union[RunningTerm, Sequence[RunningTerm]] = (),
    *,
    times: npt.ArrayLike,
    guess: Union[CollocationPlan, npt.ArrayLike],
    start: Optional[npt.ArrayLike] = None,
    lower_start: Optional[npt.ArrayLike] = None,
    upper_start: Optional[npt.ArrayLike] = None,
    start_control: Optional[npt.ArrayLike] = None,
    final_cost: Union[EndTerm, Sequence[EndTerm]] = (),
    lower_state: Optional[npt.ArrayLike] = None,
    upper_state: Optional[npt.ArrayLike] = None,
    lower_control: Optional[npt.ArrayLike] = None,
    upper_control: Optional[npt.ArrayLike] = None,
    path: Union[PathTerm, Sequence[PathTerm]] = (),
    lower_path: Optional[npt.ArrayLike] = None,
    upper_path: Optional[npt.ArrayLike] = None,
    final: Optional[npt.ArrayLike] = None,
    boundary: Union[EndTerm, Sequence[EndTerm]] = (),
    lower_boundary: Optional[npt.ArrayLike] = None,
    upper_boundary: Optional[npt.ArrayLike] = None,
    scheme: Scheme = "hermite_simpson",
    tolerance: Optional[float] = None,
    constraint_tolerance: Optional[float] = None,
    max_iterations: Optional[int] = None,
    limited_memory: Optional[bool] = None,
    max_seconds: Optional[float] = None,
    state_scale: Optional[npt.ArrayLike] = None,
    control_scale: Optional[npt.ArrayLike] = None,
    rate_scale: Optional[npt.ArrayLike] = None,
    dynamics_scale: Optional[npt.ArrayLike] = None,
    cost_scale: Optional[float] = None,
    defect_substeps: Optional[int] = None,
    check_curvature: Optional[bool] = None,
    curvature_tolerance: Optional[float] = None,
    defect_tolerance: Optional[float] = None,
    max_solves: Optional[int] = None,
    max_intervals: Optional[int] = None,
    max_split: Optional[int] = None,
    observer: Optional[Callable[[NlpIteration], Optional[bool]]] = None,
) -> CollocationPlan:
    """Direct collocation by Ipopt (von Stryk 1993; Marchese, Tedrake, Rus 2015): minimizes the integral of `cost` and
    `final_cost` over motions ``dx/dt = f(x, u)`` of given times, with constraints on the way and at the end.

    Scale constraints such that a violation of `constraint_tolerance` is harmless and values are around 1, and give
    norms as squares, which are smooth at 0.

    Parameters
    ----------
    dynamics : ContinuousDynamics, ControlRates, or object
        See `quoin.RatesWithDerivatives` and `InverseDynamics`. Of models that have both forms, such as
        `rigid_body.TreeDynamics`, the inverse one is taken.
    cost : QuadraticCost, MapCost, callable, or a sequence of these, optional
        Integrated over time. ``f(t, x, u)`` returns ``(cost, dx, du)`` of shapes (), (n,), (m,), or a residual with its
        Jacobians, (p,), (p, n), (p, m), which costs ``1/2 |r|^2``. It returns None, or raises `DomainError` or
        `CornerFailure`, where it cannot be computed. `final` of a QuadraticCost counts at the end. Targets do not
        change.
    times : (N + 1,) array_like
        Of the mesh, ascending, of any spacing, s.
    guess : CollocationPlan or (n,) array_like
        A plan on any mesh; on the same mesh and scheme it is a warm start. Or a final state, to which states go
        straight.
    start : (n,) array_like, optional
        The first state; without it there are `lower_start`, `upper_start` and the bounds of states.
    lower_start, upper_start : (n,) array_like, optional
        Infinite where it is free.
    start_control : (m,) array_like, optional
        The first control; by default it is free.
    final_cost : MapCost, callable, or a sequence of these, optional
        ``f(x)`` returns ``(cost, dx)`` or a residual with its Jacobian.
    lower_state, upper_state : (n,) array_like, optional
    lower_control, upper_control : (m,) array_like, optional
    path : MapCost, callable, or a sequence of these, optional
        ``g(t, x, u)`` returns ``(g, dx, du)`` of shapes (p,), (p, n), (p, m). Of a MapCost it is the weighted residual.
    lower_path, upper_path : (p,) array_like, optional
        Required with a path; they hold at every node.
    final : (n,) array_like, optional
        The last state; NaN where it is free. In the place of a boundary.
    boundary : MapCost, callable, or a sequence of these, optional
        ``h(x)`` of the last state returns ``(h, dx)`` of shapes (p,), (p, n).
    lower_boundary, upper_boundary : (p,) array_like, optional
        Required with a boundary.
    scheme : {"hermite_simpson", "trapezoid", "euler"}
        Of fourth, second and first order.
    tolerance : float, optional
        Of the scaled optimality conditions; by default 1e-7.
    constraint_tolerance : float, optional
        Of the scaled constraints; by default 1e-7.
    max_iterations : int, optional
        By default 500.
    limited_memory : bool, optional
        A quasi-Newton Hessian; by default that of differences of exact gradients.
    max_seconds : float, optional
        Of wall time, for all solves together; by default without limit.
    state_scale : (n,) array_like, optional
    control_scale : (m,) array_like, optional
    rate_scale, dynamics_scale : (k,) array_like, optional
        Of the rates, and what the node equations are multiplied by.
    cost_scale : float, optional
        What the cost is multiplied by. All scales only condition the program, and are automatic by default.
    defect_substeps : int, optional
        Runge-Kutta steps an interval, to measure defects; by default 10.
    check_curvature : bool, optional
        Second derivatives decide whether the plan is a minimum; where it is not, further solves begin on either side of
        it, within the same limits. By default True; False trusts first-order conditions, which a saddle meets.
    curvature_tolerance : float, optional
        How far the Lagrangian may bend down at a minimum, beside its own Hessian; by default 1e-6.
    defect_tolerance : float, optional
        If given the mesh is refined until the defect of every interval is below it, in the states' units.
    max_solves : int, optional
        Of a refinement; by default 8.
    max_intervals : int, optional
        By default 1000.
    max_split : int, optional
        Of an interval at once; by default 4.
    observer : callable, optional
        ``observer(iteration)`` is called after every iteration; False stops.

    Returns
    -------
    CollocationPlan

    Raises
    ------
    ImportError
        quoin was built without Ipopt.
    ValueError
        Sizes or bounds do not fit, or times do not ascend.
    Exception
        What dynamics, terms or observer raise.
    """
    compiled = compiled_nodes(dynamics)
    n, m = compiled.state_size(), compiled.control_size()
    if scheme not in SCHEMES:
        raise ValueError(f"scheme = {scheme!r}, expected one of {SCHEMES}")
    if final is not None:
        if boundary != () or lower_boundary is not None or upper_boundary is not None:
            raise ValueError("final and a boundary exclude each other")
        boundary, lower_boundary = _at(final, n)
        upper_boundary = lower_boundary
    options = {
        **terms_of(cost, final_cost, path, boundary, n, m),
        **ipopt_options(tolerance, constraint_tolerance, max_iterations, limited_memory, max_seconds),
        "times": times,
        "start": start,
        "lower_start": lower_start,
        "upper_start": upper_start,
        "start_control": start_control,
        "lower_state": lower_state,
        "upper_state": upper_state,
        "lower_control": lower_control,
        "upper_control": upper_control,
        "lower_path": lower_path,
        "upper_path": upper_path,
        "lower_boundary": lower_boundary,
        "upper_boundary": upper_boundary,
        "scheme": SCHEMES.index(scheme),
        "state_scale": state_scale,
        "control_scale": control_scale,
        "rate_scale": rate_scale,
        "dynamics_scale": dynamics_scale,
        "cost_scale": cost_scale,
        "defect_substeps": defect_substeps,
        "check_curvature": check_curvature,
        "curvature_tolerance": curvature_tolerance,
        "defect_tolerance": defect_tolerance,
        "max_solves": max_solves,
        "max_intervals": max_intervals,
        "max_split": max_split,
        "observer": told(observer, NlpIteration),
    }
    begin = compiled_plan(guess) if isinstance(guess, CollocationPlan) else guess
    return plan_from(*_core.collocate(compiled, begin, options))


def _at(final: npt.ArrayLike, n: int) -> tuple[EndTerm, npt.NDArray[np.float64]]:
    """x of the entries that are given, and what they shall be."""
    wanted = reals("final", final)
    if wanted.shape != (n,):
        raise ValueError(f"final: shape {wanted.shape}, expected ({n},)")
    given = ~np.isnan(wanted)
    return lambda x: (x[given], np.eye(n)[given]), wanted[given]
