# SPDX-License-Identifier: BSD-3-Clause
"""Words count as they do in C++, and old names lead to the new ones."""

import pytest

import quoin
from quoin import _core


@pytest.mark.parametrize("name", sorted(_core.words))
def test_words_count_as_in_cpp(name):
    words = list(getattr(quoin, name))
    assert [word.name.replace("_", " ") for word in words] == _core.words[name]
    assert [int(word) for word in words] == list(range(len(words)))


@pytest.mark.parametrize(
    "module, name", [("planning", "IlqrStop"), ("planning", "NlpStop"), ("identification", "OutputErrorStop")]
)
def test_old_names_of_stops_warn(module, name):
    if module not in _core.parts:
        pytest.skip(f"quoin.{module} was not built")
    with pytest.warns(DeprecationWarning, match=f"quoin.{module}.{name} is called quoin.Stop"):
        assert getattr(getattr(quoin, module), name) is quoin.Stop
    assert quoin.Stop.constraints_violated is quoin.Stop.infeasible


def test_unknown_names_are_still_unknown():
    for module in set(_core.parts) & {"planning", "identification"}:
        with pytest.raises(AttributeError, match="has no attribute 'Stopp'"):
            getattr(getattr(quoin, module), "Stopp")
