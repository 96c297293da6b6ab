# SPDX-License-Identifier: BSD-3-Clause
"""Makes a Python function a worker of quoin (docs/evaluators.md).

    from quoin_worker import serve, Retry
    serve(f, outputs=3, order=1, fingerprint="my rod 1")

f(x) gets a list of floats. It returns y (order 0) or (y, J), J[i][j] = dy_i/dx_j (order 1), as lists or arrays; with
order 2 or 3 the whole jet, a list of columns. It raises Retry for failures that may pass; any other exception is kept.
"""
import array
import itertools
import math
import os
import sys

_LONGEST_REASON = 60000  # bytes; no more is kept
_NO_LISTS = (str, bytes, bytearray, dict, set, frozenset)


class Retry(Exception):
    """A failure that may pass: the point is asked for again."""


def _columns(answer, order):
    if order == 0:
        return (answer,)
    if order == 1:
        y, jacobian = answer
        return (y, *zip(*jacobian))
    return answer


def _is_as_expected(answer, jet, outputs, order, variables):
    """Whether no row is longer than the others, which zip would cut, and no Jacobian stands on its side."""
    if len(jet) != outputs * math.comb(variables + order, order):
        return False
    if order == 0:
        return True
    if order > 1:
        return all(len(column) == outputs for column in answer)
    return len(answer[0]) == outputs == len(answer[1]) and sum(map(len, answer[1])) == outputs * variables


def _misfit(answer, outputs, order, variables):
    """What another shape is to be."""
    if order > 1:
        sizes = " or ".join(map(str, sorted({len(column) for column in answer})))
        count = math.comb(variables + order, order)
        return ValueError(f"f answered {len(answer)} columns of {sizes}, expected {count} of {outputs}")
    y = answer[0] if order == 1 else answer
    if len(y) != outputs:
        return ValueError(f"f answered {len(y)} numbers, expected {outputs}")
    rows = " or ".join(map(str, sorted({len(row) for row in answer[1]})))
    return ValueError(
        f"f answered a Jacobian of {len(answer[1])} rows of {rows}, expected J[i][j] = dy_i/dx_j: "
        f"{outputs} rows of {variables}"
    )


def _jet(answer, outputs, order, variables):
    y = answer[0] if order == 1 and isinstance(answer, (tuple, list)) and answer else answer
    if isinstance(y, _NO_LISTS):
        raise TypeError(f"f answered {y!r:.80}, a {type(y).__name__}, expected y, a list of {outputs} numbers, first")
    if order > 0 and isinstance(answer, (tuple, list)):
        for part in answer:
            no_list = next(filter(_NO_LISTS.__contains__, map(type, part)), None) if type(part) in (tuple, list) else None
            if no_list or isinstance(part, _NO_LISTS):
                among, lists = ("values", "numbers") if part is answer[0] else ("derivatives", "lists")
                raise TypeError(f"f answered a {(no_list or type(part)).__name__} among its {among}, expected {lists}")
    if order == 1 and (not isinstance(answer, (tuple, list)) or len(answer) != 2):
        raise ValueError(f"f answered {answer!r:.80}, expected (y, J) for order 1: order=0 is for values alone")
    try:
        jet = array.array("d", itertools.chain.from_iterable(_columns(answer, order)))  # numbers, not texts of numbers
        if _is_as_expected(answer, jet, outputs, order, variables):
            return jet
        raise _misfit(answer, outputs, order, variables)
    except TypeError:
        if order == 1 and not all(hasattr(row, "__len__") for row in getattr(answer[1], "__iter__", list)()):
            raise TypeError(
                "f answered a Jacobian without rows, expected J[i][j] = dy_i/dx_j, a row for each output"
            ) from None
        if not hasattr(y, "__len__"):
            raise TypeError(f"f answered {answer!r:.80}, expected y, a list of {outputs} numbers, first") from None
        raise


def _reason(error):
    try:
        text = str(error)
    except Exception:
        text = "its text cannot be told"
    text = f"{type(error).__name__}: {' '.join(text.split())}".encode(errors="replace")
    return text[:_LONGEST_REASON].decode(errors="ignore").encode()


def serve(f, outputs, order, fingerprint, branch=None):
    """Answers until there are no more questions. branch: x, answer -> int, the label of the function's branch."""
    questions, answers = os.fdopen(3, "rb"), os.fdopen(4, "wb")
    binary = b"binary little-endian" in questions.readline() and sys.byteorder == "little"
    answers.write(f"quoin 2 outputs {outputs} order {order} fingerprint {' '.join(fingerprint.split())}\n".encode())
    answers.flush()
    for question in questions:
        asked = question[len("evaluate ") :].rstrip()  # the number of the question, and the point
        x = list(map(float, asked.split()[1:]))
        try:
            answer = f(x)
            jet = _jet(answer, outputs, order, len(x))
            label = b"" if branch is None else b"branch %d " % branch(x, answer)
            if binary:
                line = b"answer %b %bjet binary %d\n%b" % (asked, label, 8 * len(jet), jet)
            else:
                line = b"answer %b %bjet %b\n" % (asked, label, " ".join(map(repr, jet)).encode())
        except Exception as error:  # a worker that dies would be started again for every such point
            kind = b"retry" if isinstance(error, (Retry, MemoryError)) else b"failed"
            line = b"answer %b %b %b\n" % (asked, kind, _reason(error))
        try:
            answers.write(line)
            answers.flush()
        except BrokenPipeError:  # who asked has gone
            os._exit(0)
