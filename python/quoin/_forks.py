# SPDX-License-Identifier: BSD-3-Clause
"""What is made anew in a process that was forked: locks that threads of the parent may have held."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Renewed(Protocol):
    def _renew(self) -> None:
        """Called in the child, whose one thread this is."""


_owners: weakref.WeakSet[Renewed] = weakref.WeakSet()


def renew_after_fork(owner: Renewed) -> None:
    """Calls owner._renew() in each child that is forked while the owner lives."""
    _owners.add(owner)


def _in_child() -> None:
    for owner in list(_owners):
        owner._renew()


os.register_at_fork(after_in_child=_in_child)
