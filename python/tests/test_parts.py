# SPDX-License-Identifier: BSD-3-Clause
"""A module whose components were not built says which, and the others are there."""

import importlib

import pytest

from quoin import _core
from quoin._parts import need


def test_a_missing_part_is_an_import_error_that_names_its_components():
    with pytest.raises(ImportError, match="quoin.nothing: .* without one or other; .*QUOIN_COMPONENTS .one;other."):
        need("nothing", "one", "other")


@pytest.mark.parametrize("part", ["fluidic_arm", "planning", "rigid_body", "soft_arm", "swimmer", "topology"])
def test_parts_are_imported_where_they_are_built(part):
    if part in _core.parts:
        assert importlib.import_module(f"quoin.{part}").__doc__
    else:
        with pytest.raises(ImportError, match=f"quoin.{part}"):
            importlib.import_module(f"quoin.{part}")
