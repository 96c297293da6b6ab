# SPDX-License-Identifier: BSD-3-Clause
"""The front for those who do not want to choose."""

import numpy as np
import pytest

import quoin


def waves(x):
    return np.array([np.sin(x[0] + 0.5 * x[1]), np.exp(-0.3 * x @ x), x[0] * x[1] / 4])


def with_jacobian(x):
    e = np.exp(-0.3 * x @ x)
    c = np.cos(x[0] + 0.5 * x[1])
    return waves(x), np.array([[c, 0.5 * c], [-0.6 * x[0] * e, -0.6 * x[1] * e], [x[1] / 4, x[0] / 4]])


def kink(x):
    return np.array([abs(x[0] - 0.3) + abs(x[1] + 0.1)])


def off(surrogate, f, count=300):
    X = np.random.default_rng(7).uniform(-2, 2, (count, 2))
    truth = np.array([np.atleast_1d(f(x)[0] if isinstance(f(x), tuple) else f(x)) for x in X])
    return np.linalg.norm(surrogate(X) - truth, axis=1) / np.sqrt(truth.shape[1])


BOX = dict(lower=[-2, -2], upper=[2, 2])


@pytest.mark.parametrize("f", [waves, with_jacobian])
def test_a_smooth_function_gets_a_kernel_that_is_as_exact_as_asked(f):
    surrogate = quoin.Surrogate(f, **BOX, error=1e-3)
    errors = off(surrogate, f)
    assert surrogate.kind == "kernel" and surrogate.error <= 1e-3 and surrogate.held_out == 8
    assert np.mean(errors <= 1e-3) >= 0.95 and errors.max() < 1e-2
    assert surrogate.evaluations <= 80
    assert "kernel of" in repr(surrogate) and "held-out error" in repr(surrogate)
    assert [one.samples for one in surrogate.rounds] == sorted(one.samples for one in surrogate.rounds)


def test_more_samples_make_it_no_worse():
    worst = [off(quoin.Surrogate(waves, **BOX, error=error), waves).max() for error in (1e-2, 1e-3, 1e-4, 1e-5)]
    assert all(finer < 0.7 * coarser for coarser, finer in zip(worst, worst[1:]))


def test_where_samples_do_not_converge_a_grid_answers():
    surrogate = quoin.Surrogate(kink, **BOX, error=1e-2)
    assert surrogate.kind == "grid" and np.mean(off(surrogate, kink) <= 1e-2) > 0.95
    assert "grid to 0.01" in repr(surrogate)


def test_a_function_that_fails_in_a_part_gets_a_grid():
    def broken(x):
        if x.sum() > 3:
            raise ValueError("too far")
        return waves(x)

    surrogate = quoin.Surrogate(broken, **BOX, error=1e-2)
    assert surrogate.kind == "grid" and surrogate([-1, -1]).shape == (3,)
    assert surrogate.failed > 0 and "too far" in surrogate.reason and "f failed at" in repr(surrogate)
    with pytest.raises(quoin.CornerFailure):
        surrogate([1.9, 1.9])


def test_a_store_serves_the_next_start_and_rows_are_maps(tmp_path):
    calls = []

    def counted(x):
        calls.append(x)
        return waves(x)

    store = dict(store=tmp_path / "waves.quoin", fingerprint="waves")
    first = quoin.Surrogate(counted, **BOX, error=1e-3, **store)
    first.grid.flush()
    before = len(calls)
    again = quoin.Surrogate(counted, **BOX, error=1e-3, **store)
    assert len(calls) <= before + 1
    assert np.array_equal(first([0.3, 0.4]), again([0.3, 0.4]))
    assert np.allclose(first[1:]([0.3, 0.4]), first([0.3, 0.4])[1:])


def test_executors_and_batches():
    threads = quoin.Surrogate(waves, **BOX, error=1e-3, executor="threads")
    batched = quoin.Surrogate(lambda X: np.array([waves(x) for x in X]), **BOX, error=1e-3, batched=True)
    assert np.allclose(threads([0.3, 0.4]), batched([0.3, 0.4]), atol=1e-9)


def test_progress_is_shown():
    told = []
    quoin.Surrogate(waves, **BOX, error=1e-3, progress=told.append)
    assert told and told[-1].evaluated > 8


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(error=0), "error = 0"),
        (dict(error="small"), "error"),
        (dict(lower=[0], upper=[1, 1]), "shape"),
        (dict(lower=[2, 0], upper=[1, 1]), r"lower\[0\] = 2"),
        (dict(upper=[1, np.inf]), r"upper\[1\] = inf"),
        (dict(most_samples=3), "most_samples = 3"),
        (dict(held_out=0), "held_out = 0"),
        (dict(store="waves.quoin"), "fingerprint"),
    ],
)
def test_mistakes_are_told(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        quoin.Surrogate(waves, **{**BOX, "error": 1e-3, **options})


def test_a_function_that_answers_nowhere_is_refused_with_its_reason():
    with pytest.raises(ValueError, match="f has no answer at any of .* points of the box: value 0 is nan"):
        quoin.Surrogate(lambda x: np.array([np.nan]), **BOX, error=1e-3)


def test_a_box_whose_last_corner_rounds_above_it_is_no_error():
    rng = np.random.default_rng(1)
    boxes = [([np.log(3e3), np.log(1e12)], [np.log(3e4), np.log(1e20)])]
    boxes += [(lower, lower + rng.uniform(0.1, 30, 2)) for lower in rng.uniform(-40, 40, (12, 2))]
    for lower, upper in boxes:
        middle = (np.array(lower) + upper) / 2
        surrogate = quoin.Surrogate(lambda x: [np.tanh(0.3 * np.sum(x - middle))], lower, upper, error=3e-2)
        surrogate(np.array([lower, upper]))
