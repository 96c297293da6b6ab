# SPDX-License-Identifier: BSD-3-Clause
"""Methods under the names that they had before 0.3; 0.4 drops these."""

from __future__ import annotations

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
