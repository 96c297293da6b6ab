# SPDX-License-Identifier: BSD-3-Clause
"""Every answer of f is owned before f runs again, its form is learnt from f, and what is masked is no number."""

import concurrent.futures as futures
import itertools
import threading

import numpy as np
import pytest

import quoin

#: y = (x0 + 10 x1, x0 x1) with its derivatives
EXACT = {
    0: lambda x: np.array([[x[0] + 10 * x[1]], [x[0] * x[1]]]),
    2: lambda x: np.array([[x[0] + 10 * x[1], 1, 10, 0, 0, 0], [x[0] * x[1], x[1], x[0], 0, 1, 0]]),
}


class Buffer:
    """f that returns its own buffers, in one of the forms, and overwrites them at its next call."""

    def __init__(self, form, batched, alone):
        self.form, self.batched = form, batched
        self.local = threading.local() if alone else None
        self.shared = {}

    def memory(self, count):
        held = self.shared if self.local is None else self.local.__dict__
        if count not in held:
            held[count] = np.zeros((count, 2, 6))
        return held[count]

    def __call__(self, x):
        X = np.atleast_2d(x)
        jets = self.memory(len(X))
        jets[:] = [EXACT[2](one) for one in X]
        if not self.batched:
            jets = jets[0]
        return {
            "y": lambda: jets[..., 0],
            "pair": lambda: (jets[..., 0], jets[..., 1:3]),
            "shown": lambda: Lazy(jets[..., 0]),
            "jet": lambda: jets,
        }[self.form]()


class Lazy:
    """Shows the memory of another as an array."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


EXECUTORS = {"here": None, "threads": lambda: futures.ThreadPoolExecutor(3)}
FORMS = {"y": {}, "pair": {}, "shown": {}, "jet": dict(derivatives=2)}


@pytest.mark.parametrize(
    "form, batched, executor, known", list(itertools.product(FORMS, [False, True], EXECUTORS, [False, True]))
)
def test_what_f_overwrites_later_is_not_in_an_answer(form, batched, executor, known):
    make = EXECUTORS[executor]
    f = Buffer(form, batched, alone=make is not None)
    options = dict(FORMS[form])
    if known:
        options.setdefault("derivatives", 1 if form == "pair" else 0)
        options["outputs"] = 2
    grid = quoin.AdaptiveGrid(f, spacing=[1.0, 1.0], batched=batched, executor=make and make(), **options)
    grid.output_size  # f is called at (0, 0), unless its form is known
    f(np.array([7.0, 7.0]))
    X = np.random.default_rng(3).uniform(0, 4, (30, 2))
    grid([5.5, 5.5])
    f(np.array([-3.0, 9.0]))
    exact = np.array([EXACT[0](x)[:, 0] for x in X])
    np.testing.assert_allclose(grid(X), exact, atol=1e-9)
    np.testing.assert_allclose([grid(x) for x in X], exact, atol=1e-9)


def test_f_that_overwrites_its_points_changes_nothing():
    def f(x):
        y = np.array([x.sum()])
        x[:] = np.nan
        return y

    X = np.random.default_rng(4).uniform(0, 4, (20, 2))
    for batched in (False, True):
        g = f if not batched else lambda X: np.array([f(x) for x in X])
        for executor in (None, "threads"):
            grid = quoin.AdaptiveGrid(g, spacing=[1.0, 1.0], batched=batched, executor=executor)
            np.testing.assert_allclose(grid(X), X.sum(axis=1, keepdims=True), atol=1e-12)


MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])


@pytest.mark.parametrize(
    "answer",
    [
        MASKED,
        (np.zeros(2), np.ma.zeros((2, 1))),
        (MASKED, np.zeros((2, 1))),
        [np.ma.masked, 1.0],
        [[MASKED[0]], MASKED[1:]],
    ],
    ids=range(5),
)
@pytest.mark.parametrize("executor", [None, "threads"])
@pytest.mark.parametrize("form", [{}, dict(outputs=2, derivatives=0), dict(outputs=2, derivatives=1)])
def test_a_masked_array_is_no_answer(answer, executor, form):
    grid = quoin.AdaptiveGrid(lambda x: answer, spacing=[1.0], executor=executor, **form)
    with pytest.raises(quoin.CornerFailure) as failure:
        grid([0.5])
    cause = failure.value.__cause__
    assert isinstance(cause, (TypeError, ValueError))
    assert "masked" in str(cause) or "pair" in str(cause)


def test_a_masked_array_is_no_point():
    grid = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0, 1.0])
    many = np.ma.masked_array(np.zeros((3, 2)))
    for points in (MASKED, many, [MASKED, MASKED], [[0.0, np.ma.masked]], (np.ma.masked, 1)):
        for ask in (grid, grid.value_and_jacobian, grid.query, grid.prefetch, grid.error_estimate, grid.at_level(0)):
            with pytest.raises(TypeError, match="masked"):
                ask(points)
    loop = []
    loop.append(loop)
    with pytest.raises((TypeError, ValueError)):
        grid(loop)
    np.testing.assert_array_equal(grid(np.asmatrix([[0.5, 0.25]])), [[0.5, 0.25]])


@pytest.mark.parametrize("first", [0, 1])
def test_the_form_is_learnt_from_f_and_never_from_a_store(tmp_path, first):
    """What f gives may have changed since the file was made: more or fewer derivatives of the same function."""
    forms = [lambda x: 2 * x, lambda x: (2 * x, np.full((1, 1), 2.0))]
    stored = dict(spacing=[1.0], store=tmp_path / "f.quoin", fingerprint="f")
    quoin.AdaptiveGrid(forms[first], **stored)([0.5])
    for derivatives in ("infer", 1 - first, "infer"):
        grid = quoin.AdaptiveGrid(forms[1 - first], derivatives=derivatives, **stored)
        assert grid([0.5]) == 1.0 and grid([7.5]) == 15.0
        assert grid.statistics.failed_corners == 0
        grid.flush()


def test_a_store_answers_a_known_form_without_a_call_and_an_inferred_one_with_one(tmp_path):
    calls = []
    f = lambda x: calls.append(x) or 2 * x
    stored = dict(spacing=[1.0], store=tmp_path / "f.quoin", fingerprint="f")
    quoin.AdaptiveGrid(f, **stored)([0.5])
    for form, count in ((dict(outputs=1, derivatives=0), 0), ({}, 1)):
        calls.clear()
        grid = quoin.AdaptiveGrid(f, **stored, **form)
        grid([0.5])
        assert len(calls) == grid.statistics.exact_evaluations == count
