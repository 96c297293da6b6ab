# SPDX-License-Identifier: BSD-3-Clause
"""The file of samples under a grid."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import warnings
from typing import Optional

from quoin import _core
from quoin._paths import Path, file_path
from quoin._signals import is_of_a_handler
from quoin.statistics import StoreStatus


class GridStore:
    """A file of samples, opened as far as it can be before f is called.

    Parameters
    ----------
    dim : int
    path : path
    fingerprint : str
    durable : bool
    read_only : bool
        The file must be there, and nothing is kept in it.

    Raises
    ------
    ValueError, OSError
        The file cannot be opened or made, or it is no file of samples of this function. The message names it.
    """

    def __init__(self, dim: int, path: Path, fingerprint: str, durable: bool, read_only: bool = False) -> None:
        if not fingerprint:
            raise ValueError("store: the fingerprint is empty; it is a text that tells f from other functions")
        self._path = file_path("store", path)
        at_once = multiprocessing.parent_process() is not None  # such a process ends by os._exit
        try:
            self.compiled = _core.Store(dim, os.fsencode(self._path), fingerprint, durable, at_once, read_only)
        except RuntimeError as error:
            raise _told(error) from None
        self._open = False
        if read_only or os.path.exists(self._path) and os.path.getsize(self._path) > 0:
            self.open(None)
        else:
            for beside in (self._path + end for end in ("-wal", "-shm", "-journal")):
                if os.path.isdir(beside) or os.path.islink(beside):
                    raise OSError(f"{self._path}: {beside}, where the store needs a file, is none")
            try:
                with tempfile.TemporaryFile(dir=os.path.dirname(self._path)):
                    pass  # as the file will be made, once f has answered
            except OSError as error:
                raise OSError(error.errno, error.strerror, self._path) from None

    def open(self, outputs: Optional[int]) -> None:
        """For a function of this many outputs, or of as many as the file has."""
        try:
            self.compiled.open(_core.stored_outputs(os.fsencode(self._path)) if outputs is None else outputs)
        except RuntimeError as error:
            raise _told(error) from None
        self._open = True

    def flush(self) -> None:
        """Raises OSError if it cannot be written."""
        try:
            if self._open:
                self.compiled.flush()
        except RuntimeError as error:
            raise _told(error) from None

    def status(self) -> StoreStatus:
        return StoreStatus(*self.compiled.status()) if self._open else StoreStatus(0, 0, 0, "", "")

    def end(self) -> None:
        """With the grid: tells what could not be written."""
        try:
            self.flush()
        except OSError as error:
            lost = self.status().unwritten
            warnings.warn(f"{self._path}: {lost} samples are not in the store: {error}", RuntimeWarning, stacklevel=2)
        except KeyboardInterrupt:  # nobody sees what a finalizer raises
            self.compiled.interrupted = True
            lost = self.status().unwritten
            warnings.warn(
                f"{self._path}: {lost} samples are not in the store: Ctrl-C has ended the wait for another program",
                RuntimeWarning,
                stacklevel=2,
            )


def _told(error: RuntimeError) -> Exception:
    """What the compiled store says; or what a handler of a signal has raised meanwhile, which is not the file's."""
    return error if is_of_a_handler(error) else OSError(str(error))
