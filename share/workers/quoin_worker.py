# SPDX-License-Identifier: BSD-3-Clause
"""Makes a Python function a worker of quoin (docs/evaluators.md).

    from quoin_worker import serve, Retry
    serve(f, outputs=3, order=1, fingerprint="my rod 1")

f(x) gets a list of floats. It returns y (order 0) or (y, J), J[i][j] = dy_i/dx_j (order 1), as lists or arrays; with
order 2 or 3 the whole jet, a list of columns. It raises Retry for failures that may pass; any other exception is kept.
"""
import array
import os
import sys


class Retry(Exception):
    """A failure that may pass: the point is asked for again."""


def _columns(answer, order):
    if order == 0:
        return [answer]
    if order == 1:
        y, jacobian = answer
        if not all(hasattr(row, "__len__") for row in jacobian):
            raise TypeError("f answered a Jacobian without rows, expected J[i][j] = dy_i/dx_j, a row for each output")
        return [y, *zip(*jacobian)]
    return answer


def serve(f, outputs, order, fingerprint, branch=None):
    """Answers until there are no more questions. branch: x, answer -> int, the label of the function's branch."""
    questions, answers = os.fdopen(3, "r"), os.fdopen(4, "wb")
    binary = "binary little-endian" in questions.readline() and sys.byteorder == "little"
    answers.write(f"quoin 2 outputs {outputs} order {order} fingerprint {' '.join(fingerprint.split())}\n".encode())
    answers.flush()
    for question in questions:
        _, asked = question.split(maxsplit=1)  # the number of the question, and the point
        x = [float(word) for word in asked.split()[1:]]
        try:
            answer = f(x)
            columns = _columns(answer, order)
            if not all(hasattr(column, "__len__") for column in columns):
                raise TypeError(f"f answered {answer!r:.80}, expected y, a list of {outputs} numbers, first")
            jet = array.array("d", (float(v) for column in columns for v in column))
            label = "" if branch is None else f"branch {branch(x, answer)} "
            if binary:
                line = f"{label}jet binary {8 * len(jet)}\n".encode() + jet.tobytes()
            else:
                line = (label + "jet " + " ".join(map(repr, jet)) + "\n").encode()
        except Exception as error:  # a worker that dies would be started again for every such point
            kind = "retry" if isinstance(error, (Retry, MemoryError)) else "failed"
            line = f"{kind} {type(error).__name__}: {' '.join(str(error).split())}\n".encode(errors="replace")
        answers.write(b"answer " + asked.strip().encode() + b" " + line)
        answers.flush()
