# SPDX-License-Identifier: BSD-3-Clause
"""Methods and classes under the names that they had before; the next minor version drops these."""

from __future__ import annotations

import importlib
import warnings
from typing import Any, Callable


def renamed(old: str, new: str) -> Callable[..., Any]:
    """The method `new` of the object, under its old name, with a DeprecationWarning."""

    def method(self: Any, *values: Any, **named: Any) -> Any:
        warnings.warn(f"{type(self).__name__}.{old} is called {new}", DeprecationWarning, stacklevel=2)
        return getattr(self, new)(*values, **named)

    method.__name__ = old
    method.__doc__ = f"`{new}`, as it was called before 0.3."
    return method


def renamed_names(module: str, names: dict[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module, with DeprecationWarnings for old names: of each, where it is now."""

    def attribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is called {names[name]}", DeprecationWarning, stacklevel=2)
        where, new = names[name].rsplit(".", 1)
        return getattr(importlib.import_module(where), new)

    return attribute
