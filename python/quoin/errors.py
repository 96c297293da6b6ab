# SPDX-License-Identifier: BSD-3-Clause
"""The errors of quoin."""


class DomainError(ValueError):
    """A query lies outside the domain that was declared. The message names the coordinate and the bound."""


class CornerFailure(RuntimeError):
    """A corner that the answer needs could not be evaluated.

    The message names the corner and the reason. ``__cause__`` is the exception of f with its traceback, if f ran in
    this process and raised one.

    Attributes
    ----------
    may_pass : bool
        The next query that needs the corner tries again.
    """

    def __init__(self, message: str, may_pass: bool = False) -> None:
        super().__init__(message)
        self.may_pass = may_pass

    def __reduce__(self) -> tuple[type["CornerFailure"], tuple[str, bool]]:
        return type(self), (str(self), self.may_pass)


class RetryableFailure(RuntimeError):
    """To be raised by f when its failure may pass (no licence, a full disk): the next query calls f again.

    ``MemoryError`` is such a failure too. Any other ``Exception`` is kept, and f is not called there again.
    """


class NotEvaluated(RetryableFailure):
    """f was not called, or its answer was lost on the way: by the executor, which was shut down, cancelled the call or
    lost its connection. The next query tries again."""


class Interrupted(RuntimeError):
    """The query was aborted, by a solver or an evaluator in C++. It leaves no record."""
