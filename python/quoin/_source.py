# SPDX-License-Identifier: BSD-3-Clause
"""What the compiled part calls at missing corners: f, and who evaluates it."""

from __future__ import annotations

import re
from typing import Any, Callable, Optional

import numpy as np

from quoin._causes import Causes
from quoin._engines import Engine
from quoin._forms import FloatArray, Form, owned
from quoin._outcomes import Raised, outcome_of
from quoin.errors import NotEvaluated

_CORNER = re.compile(r"corner \(([^)]*)\): ")


class Source:
    """f under a grid.

    Grids and views own it, the compiled part knows it weakly: a cycle from f to its grid lies in Python.

    Parameters
    ----------
    f : callable
    form : Form
    batched : bool
        f takes many points (M, dim).
    engine : Engine or None
        Evaluates batches of corners; None: f is called on the thread that queries.
    """

    def __init__(self, f: Callable[..., Any], form: Form, batched: bool, engine: Optional[Engine]) -> None:
        self.f = f
        self.form = form
        self.batched = batched
        self.engine = engine
        self._known: dict[bytes, Any] = {}
        self._causes = Causes()

    @property
    def in_batches(self) -> bool:
        """Many corners are asked for at once."""
        return self.batched or self.engine is not None

    @property
    def unasked(self) -> int:
        """Calls of f whose answers the grid has not asked for yet."""
        return len(self._known)

    def probe(self, x: FloatArray) -> bool:
        """Evaluates at a corner, and learns the form of f. The answer is kept for when the corner is asked for.

        Returns False if f failed there.
        """
        outcome: list[Any] = []
        self.evaluate(x[np.newaxis, :], lambda _, jet, seconds: outcome.append(jet), lambda *_: None)
        if outcome:
            self._known[x.tobytes()] = outcome[0]
            return True
        cause = self.cause_at(x)
        if cause is not None:
            self._known[x.tobytes()] = cause
        return False

    def forget_failures(self) -> None:
        """Drops failures at probed corners: no grid has been made that would keep them."""
        self._known = {key: known for key, known in self._known.items() if not isinstance(known, BaseException)}

    def call_at(self, x: FloatArray) -> FloatArray:
        """The jet (N, derivatives) at one corner. Called by the compiled part."""
        known = self._known.pop(x.tobytes(), None) if self._known else None
        if known is not None:
            if isinstance(known, BaseException):
                self._causes.remember(tuple(x.tolist()), known)
                raise known
            jet: FloatArray = known
            return jet
        try:
            return self.form.jet(owned(self.f(x)))
        except Exception as error:
            self._causes.remember(tuple(x.tolist()), error)
            raise

    def evaluate(
        self,
        points: FloatArray,
        answered: Callable[[int, FloatArray, float], None],
        failed: Callable[[int, str, bool, float, bool], None],
    ) -> None:
        """Evaluates a batch of corners (M, dim). Called by the compiled part, which hears of each as it is done."""
        causes = self._causes.batch()

        def take(m: int, answer: Any, seconds: float) -> None:
            try:
                jet = self.form.jets(answer, 1)[0] if self.batched else self.form.jet(answer)
            except (TypeError, ValueError) as error:
                refuse(m, Raised(error), seconds)
            else:
                answered(m, jet, seconds)

        def refuse(m: int, raised: Raised, seconds: float) -> None:
            causes.remember(m, tuple(points[m].tolist()), raised.error)
            called = not isinstance(raised.error, NotEvaluated)
            failed(m, raised.reason, raised.may_pass, seconds, called)

        try:
            missing = []
            for m in range(len(points)):
                known = self._known.pop(points[m].tobytes(), None) if self._known else None
                if known is None:
                    missing.append(m)
                elif isinstance(known, BaseException):
                    refuse(m, Raised(known), 0.0)
                else:
                    answered(m, known, 0.0)
            if self.engine is None:
                self._evaluate_here(points, missing, answered, take, refuse)
            elif missing:
                self.engine.evaluate(self.f, points, missing, self.batched, take, refuse)
        finally:
            causes.end()

    def cause_at(self, x: FloatArray) -> Optional[BaseException]:
        """The exception of f at a corner, if it is still known."""
        return self._causes.of([tuple(x.tolist())], "")

    def cause_of(self, message: str) -> Optional[BaseException]:
        """The exception of f behind the failure that this message tells of, if it is still known. Called by the thread
        that hears of it."""
        corners = _CORNER.findall(message)  # where gradients are differences, that of f comes last
        if corners:
            return self._causes.of([tuple(map(float, corner.split(","))) for corner in corners], message)
        return self._causes.last_of_this_thread() if "called at the query point" in message else None

    def _evaluate_here(
        self,
        points: FloatArray,
        missing: list[int],
        answered: Callable[[int, FloatArray, float], None],
        take: Callable[[int, Any, float], None],
        refuse: Callable[[int, Raised, float], None],
    ) -> None:
        groups = [missing] if self.batched and missing else [[m] for m in reversed(missing)]
        while groups:
            group = groups.pop()
            at = points[group] if self.batched else points[group[0]].copy()
            answer, seconds, raised, _ = outcome_of(self.f, at)
            if raised is None and not self.batched:
                take(group[0], answer, seconds)
                continue
            if raised is None:
                try:
                    jets = self.form.jets(answer, len(group))
                except (TypeError, ValueError) as error:
                    raised = Raised(error)
                else:
                    for m, jet in zip(group, jets):
                        answered(m, jet, seconds / len(group))
                    continue
            if not raised.is_failure:
                raise raised.error
            if len(group) == 1:
                refuse(group[0], raised, seconds)
            else:  # one by one, so that each failure is that of its own point
                groups.extend([m] for m in reversed(group))
