# SPDX-License-Identifier: BSD-3-Clause
"""A function of a table's variables as one of the grid under it."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


class FunctionOfTable:
    """f as a function of the grid's variables."""

    def __init__(self, f: Callable[..., Any], names: tuple[str, ...], logs: npt.NDArray[np.bool_]) -> None:
        self._f, self._names, self._logs = f, names, logs
        self._by_name = _takes(f, names)

    def __call__(self, u: FloatArray) -> Any:
        x = np.array(u)
        x[self._logs] = np.exp(x[self._logs])
        answer = self._f(**dict(zip(self._names, x.tolist()))) if self._by_name else self._f(x)
        if isinstance(answer, tuple) and len(answer) == 2 and np.ndim(answer[1]) >= 1:
            J = np.atleast_2d(np.array(answer[1], dtype=np.float64))
            if J.shape[-1] == len(x):
                J[:, self._logs] *= x[self._logs]
            return answer[0], J
        return answer


def _takes(f: Callable[..., Any], names: tuple[str, ...]) -> bool:
    """Whether f can be called with these names, and needs no other."""
    try:
        parameters = inspect.signature(f).parameters.values()
        inspect.signature(f).bind(**dict.fromkeys(names))
    except (TypeError, ValueError):
        return False
    # A function of one point whose name is that of the only axis takes the number.
    return any(parameter.name in names or parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
