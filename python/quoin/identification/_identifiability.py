# SPDX-License-Identifier: BSD-3-Clause
"""Which parameters an experiment identifies."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt

from quoin import _core

FloatArray = npt.NDArray[np.float64]


class WeakDirection(NamedTuple):
    """A change of parameters that the outputs hardly show.

    Attributes
    ----------
    relative_singular_value : float
        Of the greatest.
    components : (P,) array
        In units of the scales; of length one.
    sentence : str
        "not identifiable: m1, m2, k, b together (relative singular value 2.7e-16)"
    """

    relative_singular_value: float
    components: FloatArray
    sentence: str


class ParameterIdentifiability(NamedTuple):
    """The singular values of the Jacobian of an experiment's outputs, its columns scaled.

    Attributes
    ----------
    singular_values : (S,) array
        Greatest first, one for each parameter that is not held.
    directions : (S, P) array
        The right singular vectors, of scaled components.
    weak : list of WeakDirection
        Those below the threshold, weakest first.
    """

    singular_values: FloatArray
    directions: FloatArray
    weak: list[WeakDirection]

    @property
    def rank(self) -> int:
        """The number of directions that are not weak."""
        return len(self.singular_values) - len(self.weak)

    @property
    def complete(self) -> bool:
        """True if no direction is weak."""
        return not self.weak


def known_from(fields: tuple[Any, ...]) -> ParameterIdentifiability:
    values, directions, weak = fields
    return ParameterIdentifiability(values, directions, [WeakDirection(*one) for one in weak])


def parameter_identifiability(
    jacobian: npt.ArrayLike,
    names: Sequence[str],
    scales: npt.ArrayLike,
    *,
    held: Optional[Sequence[bool]] = None,
    threshold: float = 1e-6,
) -> ParameterIdentifiability:
    """What outputs tell of parameters.

    Parameters
    ----------
    jacobian : (outputs, P) array_like
        Not scaled.
    names : sequence of str
        P, for the sentences.
    scales : (P,) array_like
        A typical size of each parameter.
    held : sequence of bool, optional
        P; those that are left out.
    threshold : float
        A direction is weak if its singular value is below this times the greatest.

    Raises
    ------
    ValueError
        Sizes differ, scales are not positive, or the Jacobian is not finite.
    """
    out = [] if held is None else [bool(one) for one in held]
    return known_from(_core.parameter_identifiability(jacobian, list(names), scales, out, float(threshold)))
