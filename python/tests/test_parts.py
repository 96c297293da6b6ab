# SPDX-License-Identifier: BSD-3-Clause
"""A module whose components were not built says which, and the others are there."""

import importlib

import numpy as np
import pytest

import quoin
from quoin import _core
from quoin._parts import need


def test_a_missing_part_is_an_import_error_that_names_its_components():
    with pytest.raises(ImportError, match="quoin.nothing: .* without one or other; .*QUOIN_COMPONENTS .one;other."):
        need("nothing", "one", "other")
    with pytest.raises(ImportError, match="one.; it also needs the Debian package libthing-dev"):
        need("nothing", "one", package="libthing-dev")


def test_planning_is_there_without_ipopt_and_aico(monkeypatch):
    planning = pytest.importorskip("quoin.planning")
    monkeypatch.setattr(_core, "parts", ("planning",))
    plan = planning.ilqr(
        quoin.LinearDynamics([[1.0]], [[1.0]]), planning.QuadraticCost(control=[1.0]), start=[1], guess=np.zeros((3, 1))
    )
    assert plan.converged
    dynamics, start = quoin.LinearDynamics([[1.0]], [[1.0]]), [1.0]
    missing = pytest.raises(ImportError, match="quoin.collocation: .* coinor-libipopt-dev")
    with missing:
        planning.transcribe(dynamics, planning.QuadraticCost(control=[1.0]), start=start, guess=np.zeros((3, 1)))
    with missing:
        planning.collocate(object(), times=[0, 1], start=start, guess=start)
    with pytest.raises(ImportError, match="quoin.aico: .* without aico"):
        planning.aico(dynamics, lambda t, x: (x, [[1]]), start=start, guess=np.zeros((3, 1)), control_cost=[[1]])


@pytest.mark.parametrize("part", ["fluidic_arm", "identification", "planning", "rigid_body", "soft_arm", "swimmer", "topology"])
def test_parts_are_imported_where_they_are_built(part):
    if part in _core.parts:
        assert importlib.import_module(f"quoin.{part}").__doc__
    else:
        with pytest.raises(ImportError, match=f"quoin.{part}"):
            importlib.import_module(f"quoin.{part}")
