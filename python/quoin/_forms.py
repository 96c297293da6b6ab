# SPDX-License-Identifier: BSD-3-Clause
"""How the answers of f are read: its value, value and Jacobian, or its jet."""

from __future__ import annotations

import math
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from quoin._given import is_masked

FloatArray = npt.NDArray[np.float64]


class FormError(ValueError):
    """f answers in another form than it is to, whatever the point."""


def jet_size(dim: int, order: int) -> int:
    """The number of derivatives of order 0 to `order`."""
    return math.comb(dim + order, order)


def numbers(what: str, value: Any) -> FloatArray:
    """An array of float64. Raises TypeError for what are no real numbers."""
    if value is None:
        raise TypeError(f"f returned None in the place of {what}: is a return missing?")
    if is_masked(value):
        raise TypeError(f"f answered {what} that is a masked array: what is masked is no number; fill it")
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise TypeError(f"f answered {what} that is no array: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"f answered {what} of dtype {array.dtype}, expected real numbers")
    return array.astype(np.float64, copy=False)


def owned(answer: Any) -> Any:
    """A copy of an answer of f as arrays: f may return its own buffer, and overwrite it at its next call."""
    if isinstance(answer, tuple):
        copies = [numbers(what, part).copy() for what, part in zip(("a value", "a Jacobian"), answer)]
        return (*copies, *[None] * (len(answer) - 2))
    return numbers("a value", answer).copy()


class Form:
    """What f answers: derivatives up to an order, of N outputs, in dim variables.

    Parameters
    ----------
    dim : int
    order : int or None
        None: inferred from the first answer, values alone (0) or a pair of value and Jacobian (1).
    outputs : int or None
        None: inferred from the first answer.
    """

    def __init__(self, dim: int, order: Optional[int], outputs: Optional[int]) -> None:
        self.dim = dim
        self.order = order
        self.outputs = outputs

    @property
    def known(self) -> bool:
        return self.order is not None and self.outputs is not None

    def jet(self, answer: Any) -> FloatArray:
        """The jet (N, derivatives) of one answer of f. Raises FormError or TypeError for another form."""
        order = self._order_of(answer)
        if order == 0:
            jet = self._values(answer)[:, np.newaxis]
        elif order == 1 and isinstance(answer, tuple):
            jet = self._value_and_jacobian(answer[0], answer[1])
        else:
            jet = numbers("a jet", answer)
            if jet.ndim != 2 or jet.shape[1] != jet_size(self.dim, order):
                expected = f"(N, {jet_size(self.dim, order)})" + (", or (y, J)" if order == 1 else "")
                raise FormError(f"f answered a jet of shape {jet.shape}, of order {order} it is {expected}")
            self._check_outputs(len(jet))
        self.order, self.outputs = order, len(jet)
        return jet

    def jets(self, answer: Any, count: int) -> FloatArray:
        """The jets (M, N, derivatives) of a batched answer. Raises FormError or TypeError for another form."""
        order = self._order_of(answer)
        if order == 0 or (order == 1 and isinstance(answer, tuple)):
            y = numbers("values", answer[0] if order == 1 else answer)
            if y.ndim != 2 or len(y) != count:
                raise FormError(f"f answered values of shape {y.shape} at {count} points, expected ({count}, N)")
            jets = y[:, :, np.newaxis]
            if order == 1:
                J = numbers("a Jacobian", answer[1])
                if J.shape != (count, y.shape[1], self.dim):
                    raise FormError(
                        f"f answered Jacobians of shape {J.shape}, expected {(count, y.shape[1], self.dim)}"
                    )
                jets = np.concatenate((jets, J), axis=2)
        else:
            jets = numbers("jets", answer)
            size = jet_size(self.dim, order)
            if jets.ndim != 3 or len(jets) != count or jets.shape[2] != size:
                raise FormError(f"f answered jets of shape {jets.shape}, expected ({count}, N, {size})")
        self._check_outputs(jets.shape[1])
        self.order, self.outputs = order, jets.shape[1]
        return jets

    def _order_of(self, answer: Any) -> int:
        pair = isinstance(answer, tuple)
        if pair and len(answer) != 2:
            raise FormError(
                f"f answered a tuple of {len(answer)}, expected y or (y, J); {len(answer)} outputs are one array, as "
                "np.array([a, b, ...])"
            )
        if self.order is None:
            return 1 if pair else 0
        if pair and self.order != 1:
            what = "y" if self.order == 0 else f"a jet of order {self.order}"
            raise FormError(f"f answered a pair, expected {what}: derivatives={self.order}")
        return self.order

    def _values(self, answer: Any) -> FloatArray:
        y = np.atleast_1d(numbers("a value", answer))
        if y.ndim != 1 or len(y) == 0:
            raise FormError(f"f answered a value of shape {y.shape}, expected (N,)")
        self._check_outputs(len(y))
        return y

    def _value_and_jacobian(self, value: Any, jacobian: Any) -> FloatArray:
        y = self._values(value)
        J = numbers("a Jacobian", jacobian)
        if J.ndim == 0:
            raise FormError(
                "f answered a tuple of two numbers, which is no value with its Jacobian; two outputs are one array, as "
                "np.array([a, b])"
            )
        if len(y) == 1 and J.shape == (self.dim,):
            J = J[np.newaxis, :]
        if J.shape != (len(y), self.dim):
            raise FormError(f"f answered a Jacobian of shape {J.shape}, expected {(len(y), self.dim)}")
        return np.concatenate((y[:, np.newaxis], J), axis=1)

    def _check_outputs(self, outputs: int) -> None:
        if outputs == 0 or (self.outputs is not None and outputs != self.outputs):
            expected = "at least 1" if self.outputs is None else str(self.outputs)
            raise FormError(f"f answered {outputs} outputs, expected {expected}")


Derivatives = Union[str, int]


def order_of(derivatives: Derivatives) -> Optional[int]:
    """The order that `derivatives` says, or None for "infer"."""
    if derivatives == "infer":
        return None
    if isinstance(derivatives, int) and not isinstance(derivatives, bool) and 0 <= derivatives <= 3:
        return derivatives
    raise ValueError(f"derivatives = {derivatives!r}, expected 'infer' or 0 to 3")
