# SPDX-License-Identifier: BSD-3-Clause
"""Words print as words, and mistakes are answered with what is right."""

import enum
import importlib
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import quoin


def enums():
    found = set()
    for module in ("quoin", "quoin.identification", "quoin.planning"):
        try:
            named = vars(importlib.import_module(module))
        except ImportError:  # built without it
            continue
        found |= {kind for kind in named.values() if isinstance(kind, type) and issubclass(kind, enum.Enum)}
    return sorted(found, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", enums(), ids=lambda kind: kind.__name__)
def test_a_word_prints_as_its_name(kind):
    for word in kind:
        assert (str(word), f"{word}", f"{word:>20}") == (word.name, word.name, word.name.rjust(20))
        assert f"{word:d}" == str(int(word)) and word == int(word) and kind(int(word)) is word
        assert word == word.name and not word != word.name and word != "no such word" and hash(word) == hash(int(word))


def f(x):
    return np.array([x[0] * x[1]])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"spaceing": [1, 1]}, "did you mean 'spacing'"),
        ({"tolerence": 1e-3}, "did you mean 'tolerance'"),
        ({"xyz": 1}, "it takes accept_by_ancestors"),
        ({"tolerance": -1.0}, "tolerance -1 is not positive"),
        ({"tolerance": float("nan")}, "tolerance nan"),
        ({"lower": [1.0, 0.0], "upper": [0.0, 1.0]}, "lower.* = 1 is not below upper = 0"),
        ({"lower": [0.5, 0.0], "upper": [2.0, 1.0]}, "upper.* = 2 is no lattice point"),
        ({"origin": [0.0, 0.0], "lower": [0.5, 0.0], "upper": [2.0, 1.0]}, "lower.* = 0.5"),
        ({"lower": [0.0]}, r"lower.*expected \(2,\)"),
        ({"deepest_level": -1}, "deepest_level = -1"),
        ({"surplus_generations": 9}, "surplus_generations = 9"),
        ({"failure_splits": -1}, "failure_splits = -1"),
        ({"outside": "clip"}, "outside = 'clip', expected one of"),
        ({"origin": [float("nan"), 0.0]}, "origin.*nan"),
        ({"derivatives": "none"}, "derivatives = 'none', expected 'infer' or 0 to 3"),
        ({"executor": "process"}, "executor = 'process', expected 'threads', 'processes'"),
        ({"memory_budget": 10}, "memory_budget = 10 bytes needs a store"),
        ({"memory_budget": "1GB"}, "memory_budget = '1GB': expected a whole number"),
        ({"tolerance": "1e-3"}, "tolerance = '1e-3': expected a number"),
        ({"tolerance": True}, "tolerance = True: expected a number"),
        ({"deepest_level": 3.5}, "deepest_level = 3.5: expected a whole number"),
        ({"evaluate_ahead": "yes"}, "evaluate_ahead = 'yes': expected True or False"),
        ({"outputs": 0}, "outputs = 0: expected at least 1"),
        ({"outputs": "2"}, "outputs = '2': expected a whole number"),
        ({"samples": np.zeros((3, 2))}, "samples are a ndarray, expected quoin.Samples"),
        ({"spacing": f}, "f comes first"),
    ],
)
def test_an_option_that_no_grid_can_have_is_refused_as_it_is_given(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        quoin.AdaptiveGrid(f, **{"spacing": [1.0, 1.0], **options})


def broken_name(x):
    return undefined + x  # noqa: F821


def broken_type(x):
    return x + "a"


def broken_attribute(x):
    return x.norm()


def forgotten(x):
    x[0] * x[1]


def pair(x):
    return x[0], x[1]


def triple(x):
    return x[0], x[1], x[0]


@pytest.mark.parametrize("executor", [None, "threads"])
@pytest.mark.parametrize(
    "broken, message",
    [
        (broken_name, "NameError: name 'undefined' is not defined$"),
        (broken_type, "TypeError|UFuncTypeError"),
        (broken_attribute, "AttributeError: .* has no attribute 'norm'"),
        (forgotten, "f returned None .* is a return missing"),
        (pair, r"two outputs are one array, as np.array\(\[a, b\]\)$"),
        (triple, "3 outputs are one array"),
    ],
)
def test_a_broken_f_is_called_once_and_its_own_words_end_the_message(broken, message, executor):
    calls = []

    def counted(x):
        calls.append(x)
        return broken(x)

    grid = quoin.AdaptiveGrid(counted, spacing=[1.0, 1.0], executor=executor)
    with pytest.raises(quoin.CornerFailure, match=message):
        grid([0.5, 0.5])
    assert len(calls) == 1


def test_other_likely_mistakes_are_answered_with_what_is_right():
    grid = quoin.AdaptiveGrid(f, spacing=[1.0, 1.0], derivatives=0)
    planless = lambda view, x: (x, 0.0)  # noqa: E731
    for call, message in (
        (lambda: grid.at_level(1.5), "level = 1.5: expected a whole number"),
        (lambda: grid.at_tolerance("1e-3"), "tolerance = '1e-3': expected a number"),
        (lambda: grid.frozen(True), "missing is a bool, expected 'coarser' or 'fail'"),
        (lambda: grid.at_resolution_of(3), "a int, expected a view of a grid"),
        (lambda: grid.insert(np.zeros((2, 2))), "samples are a ndarray"),
        (lambda: quoin.interleave(grid.at_level(1), planless, 0.0), "a GridView, expected an AdaptiveGrid"),
        (lambda: quoin.interleave(planless, grid, 0.0), "a function, expected an AdaptiveGrid"),
        (lambda: quoin.interleave(grid, planless, 0.0, 3), r"a int, expected Levels\(first, last\)"),
        (lambda: quoin.check_derivatives([1.0, 2.0], f), "f comes first"),
        (lambda: quoin.check_derivatives(lambda x: (x, np.eye(2)), [1.0, 2.0], halvings=2.5), "halvings = 2.5"),
        (lambda: quoin.Differenced(f, 2, "1"), "control_size = '1': expected a whole number"),
    ):
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(ValueError, match=r"x \(3,\) and u \(1,\), expected \(2,\) and \(1,\)"):
        quoin.Differenced(lambda x, u: x, 2, 1).step(np.zeros(3), np.zeros(1))
    with pytest.raises(ValueError, match="state_size = 2 and control_size = -1"):
        quoin.Differenced(lambda x, u: x, 2, -1)
    wrong = quoin.check_derivatives(lambda x: (x**2, np.diag(x)), [1.0, 2.0])
    assert not wrong and quoin.check_derivatives(lambda x: (x**2, 2 * np.diag(x)), [1.0, 2.0])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: quoin.KernelInterpolant(2, 1, options=quoin.KernelOptions(jitter="x")), "jitter = 'x': expected a number"),
        (lambda: quoin.KernelInterpolant(2, 1, options=quoin.KernelOptions(neighbours=2.5)), "neighbours = 2.5: expected a whole"),
        (lambda: quoin.check_derivatives(quoin.FunctionMap(lambda x: (x, np.eye(2)), 2, 2), [0, 0], halvings="y"), "halvings = 'y'"),
        (lambda: quoin.KernelSurrogate(small_grid()).refine_at([[0, 0]], value="a"), "value = 'a': expected a number"),
        (lambda: planned(max_iterations="many"), "max_iterations = 'many': expected a whole number"),
        (lambda: planned(relative_tolerance="fine"), "relative_tolerance = 'fine': expected a number"),
        (lambda: planned(max_iterations=True), "max_iterations = True: expected a whole number"),
        (lambda: planned(relative_tolerance=np.True_), "relative_tolerance = .*True.*: expected a number"),
        (lambda: planned(check_curvature=0.5), "check_curvature = 0.5: expected True or False"),
        (lambda: planned(check_curvature="no"), "check_curvature = 'no': expected True or False"),
    ],
)  # fmt: skip
def test_an_option_of_another_kind_is_told_by_its_name(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def small_grid():
    return quoin.AdaptiveGrid(lambda x: x**2, [0.5, 0.5], lower=[-1, -1], upper=[1, 1])


def test_points_outside_are_told_by_their_row():
    with pytest.raises(ValueError, match=r"points\[1, 0\] = 3 is above upper\[0\] = 1"):
        quoin.suggest_surrogate(small_grid(), [[0, 0], [3, 0], [0.5, 0.5]])


def planned(**options):
    planning = pytest.importorskip("quoin.planning")
    dynamics = quoin.LinearDynamics([[1.0]], [[1.0]])
    cost = planning.QuadraticCost(final=[1.0], control=[1.0])
    return planning.ilqr(dynamics, cost, start=[1.0], guess=np.zeros((3, 1)), **options)


def test_a_plan_says_why_it_ended():
    assert planned().message.startswith("converged: a minimum, after ")
    assert planned(max_iterations=0).message.startswith("iteration_limit: the best plan so far; raise max_iterations")
    planning = pytest.importorskip("quoin.planning")
    dynamics = quoin.LinearDynamics([[1.0]], [[1.0]])
    broken = planning.ilqr(dynamics, lambda i, x, u: None, start=[1.0], guess=np.zeros((3, 1)))
    assert broken.message == "initial_failed: at step 0 a residual has no value, or one that is not finite"


def test_what_it_is_stands_in_a_line():
    grid = quoin.AdaptiveGrid(f, spacing=[1.0, 0.5], derivatives=0)
    assert repr(grid) == "AdaptiveGrid(2 variables, spacing [1.0, 0.5], f not called yet)"
    grid([0.5, 0.2])
    asked = grid.statistics
    assert repr(grid) == (
        f"AdaptiveGrid(2 -> 1, spacing [1.0, 0.5], level 0, {asked.corners} corners, {asked.exact_evaluations} calls of f)"
    )
    assert repr(grid.at_tolerance(1e-3)) == "GridView(2 -> 1, spacing [1.0, 0.5], tolerance 0.001)"
    assert repr(grid.frozen()).startswith("FrozenView(2 -> 1, 1 cells, ")
    assert repr(quoin.KernelInterpolant(2, 3)) == "KernelInterpolant(2 -> 3, 0 samples of order 1)"
    assert "tolerance=0.001" in repr(quoin.GridOptions(spacing=[1.0], tolerance=1e-3))
    assert repr(grid.query([0.5, 0.2])).startswith("Answer(y=[0.1], J=[[")
    assert len(repr(grid.query(np.zeros((1000, 2))))) < 200
    assert "does not pay" in str(asked)
    for _ in range(asked.exact_evaluations):
        grid([0.5, 0.2])
    assert "does not pay" not in str(grid.statistics)


def test_messages_have_the_names_that_python_has():
    grid = quoin.AdaptiveGrid(lambda x: np.array([x[0]]), [0.5, 0.5], origin=[8, 0], lower=[8, 0], upper=[10, 2])
    kernel = quoin.KernelInterpolant(2, 1, 0, quoin.KernelOptions(lower=[8, 0]))
    X = np.full((5, 2), 9.0)
    X[:, 1], X[3, 0] = 1, 0
    messages = {
        "AdaptiveGrid.prefetch: X[3, 0] = 0 is below lower[0] = 8": lambda: grid.prefetch(X),
        "X[3, 0] = 0 is below": lambda: grid(X),
        "check: X[3, 0] = 0 is below": lambda: grid.check(X),
        "sample: X[3, 0] = 0 is below": lambda: grid.sample(X),
        "frozen: x[1] = 3 is above upper[1] = 2": lambda: grid.frozen()([9, 3]),
        "x[0] = 7 is outside the domain": lambda: kernel([7, 0]),
        "periodic[0]: the period is": lambda: quoin.AdaptiveGrid(f, [0.5, 0.5], periodic=[True, False])([0, 0]),
        "deepest_level = 99": lambda: quoin.AdaptiveGrid(f, [0.5, 0.5], deepest_level=99)([0, 0]),
        "neighbours = 9999 is not in": lambda: quoin.KernelInterpolant(2, 1, 0, quoin.KernelOptions(neighbours=9999)),
    }
    for words, call in messages.items():
        with pytest.raises(ValueError) as raised:
            call()
        assert words in str(raised.value) and "::" not in str(raised.value) and "<2>" not in str(raised.value)


def test_submodules_come_when_they_are_used():
    assert set(quoin._SUBMODULES) == {
        module.name
        for module in pkgutil.iter_modules(quoin.__path__)
        if module.ispkg or module.name in ("rigid_body", "scipy", "topology", "torch")
    }
    program = (
        "import sys, quoin; assert 'quoin.plot' not in sys.modules and 'matplotlib' not in sys.modules; "
        "quoin.planning; assert 'quoin.planning' in sys.modules; print(hasattr(quoin, 'ploting'))"
    )
    if "planning" in quoin._core.parts:
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert (ran.stdout, ran.stderr) == ("False\n", "")


def test_methods_answer_under_their_names_of_before_and_say_so():
    grid = quoin.AdaptiveGrid(lambda x: x[0] * x[1], spacing=[1.0, 1.0])
    old_and_new = {"functional": ("linear_output", [[2.0]]), "like": ("at_resolution_of", grid.at_level(1))}
    for name in ("prepare", "request", "expect"):
        old_and_new[name] = ({"prepare": "prefetch", "request": "prefetch_async", "expect": "hint"}[name], [[0.5, 0.5]])
    old_and_new["evaluate_known"] = ("evaluate_cached", [0.5, 0.5])
    for old, (new, argument) in old_and_new.items():
        with pytest.warns(DeprecationWarning, match=f"{old} is called {new}"):
            answer = getattr(grid, old)(argument)
        assert type(answer) is type(getattr(grid, new)(argument))
