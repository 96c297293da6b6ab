# SPDX-License-Identifier: BSD-3-Clause
"""Paths as users give them."""

from __future__ import annotations

import os
import stat
from typing import Union

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def file_path(what: str, path: Path) -> str:
    """The absolute path of a file that is there or can be made, links followed.

    Raises ValueError, or the OSError of looking for it, for what names no file; both say the name.
    """
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{what} = {path!r}: expected a path") from None
    if not name or name.endswith(os.sep):
        raise ValueError(f"{what} = {path!r} names no file")
    try:
        if "\0" in name:
            raise ValueError("a NUL")
        os.fsencode(name)
    except ValueError as error:
        raise ValueError(f"{what} = {path!r} can be no path: {error}") from None
    try:
        name = _followed(name)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, name) from None
    try:
        mode = os.stat(name).st_mode
    except FileNotFoundError:
        return name
    if not stat.S_ISREG(mode):
        raise ValueError(f"{what} = {path!r}: {name} is no regular file")
    return name


def _followed(name: str) -> str:
    """As the system goes, which needs every folder on its way, also one that `..` leaves again."""
    for _ in range(40):
        folder = os.path.dirname(name) or os.curdir
        os.stat(os.path.join(folder, os.curdir))
        if not os.path.islink(name):
            break
        name = os.path.join(folder, os.readlink(name))
    return os.path.realpath(name)
