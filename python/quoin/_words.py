# SPDX-License-Identifier: BSD-3-Clause
"""Words of the compiled part, and what is said of a word that it does not know."""

from __future__ import annotations

import dataclasses
import difflib
import enum
from typing import Any, Iterable, TypeVar

import numpy as np

#: of an array or a list, that are printed
MOST_NUMBERS = 8


class Word(enum.IntEnum):
    """A number of the compiled part that prints as its name, and equals it."""

    def __eq__(self, other: object) -> bool:
        return self.name == other if isinstance(other, str) else int(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = enum.IntEnum.__hash__

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        if spec and spec[-1] in "bcdeEfFgGnoxX%":
            return format(int(self), spec)
        return format(self.name, spec)


def refuse_unknown(who: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises TypeError for a keyword that `who` does not take, with those that it may have meant."""
    names = list(known)
    for name in given:
        if name not in names:
            like = difflib.get_close_matches(name, names, 1, 0.6)
            hint = f"did you mean {like[0]!r}?" if like else "it takes " + ", ".join(sorted(names))
            raise TypeError(f"{who}: unknown keyword {name!r}; {hint}")


Kind = TypeVar("Kind", bound=type)


def readable(kind: Kind) -> Kind:
    """Lets objects of a class of named fields print within a few lines: of arrays the shape, unless they are small."""
    setattr(kind, "__repr__", _repr)
    return kind


def _repr(self: Any) -> str:
    names = getattr(self, "_fields", None) or [field.name for field in dataclasses.fields(self) if field.repr]
    text = ", ".join(f"{name}={_short(getattr(self, name))}" for name in names)
    return f"{type(self).__name__}({text})"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > MOST_NUMBERS:
            return f"array{value.shape}"
        return "[" + ", ".join(map(_short, value)) + "]" if value.ndim else _short(value.item())
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, Word):
        return value.name
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        if len(value) > MOST_NUMBERS:
            return f"{type(value).__name__} of {len(value)}"
        inside = ", ".join(map(_short, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    return repr(value)
