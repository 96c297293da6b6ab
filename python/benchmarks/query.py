#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a query costs from Python, beside what it costs in C++ in the same run.

Checks that batch and query agree to the bit; exits with 1 if they do not.
"""

import argparse
import json
import sys
import timeit

import numpy as np

import quoin
from quoin import _core


class Smooth:
    """A cheap function of N outputs, since the benchmark is about the queries."""

    def __init__(self, outputs):
        self.scale = np.arange(1, outputs + 1) / outputs

    def __call__(self, x):
        return self.scale * np.sin(x.sum()), np.outer(self.scale, np.full(len(x), np.cos(x.sum())))


def fastest(call, number, rounds):
    return min(timeit.repeat(call, number=number, repeat=rounds)) / number


def single(dim, outputs, quick):
    """Seconds of one query whose cell is in the cache."""
    grid = quoin.AdaptiveGrid(Smooth(outputs), spacing=[0.5] * dim)
    x = np.full(dim, 0.2)
    number, rounds = (2000, 5) if quick else (20000, 15)
    repeated = np.repeat(x[np.newaxis], number, axis=0)
    row = {"dim": dim, "outputs": outputs}
    for name, call, jacobian in (("value", lambda: grid(x), False), ("jacobian", lambda: grid.value_and_jacobian(x), True)):
        call()
        row[f"{name}_python"] = fastest(call, number, rounds)
        row[f"{name}_cpp"] = _core.time_queries(grid, repeated, jacobian, rounds) / number
    return row


def batch(dim, outputs, points, quick):
    """Seconds of one batch."""
    grid = quoin.AdaptiveGrid(Smooth(outputs), spacing=[0.5] * dim)
    X = np.random.default_rng(1).uniform(0, 2, (points, dim))
    grid.prefetch(X)
    rounds = 5 if quick else 15
    row = {"dim": dim, "outputs": outputs, "points": points}
    for name, call, jacobian in (("value", lambda: grid(X), False), ("jacobian", lambda: grid.value_and_jacobian(X), True)):
        python, cpp = [], []
        for _ in range(rounds):  # in turns, so that what else the machine does meets both
            python.append(fastest(call, 1, 1))
            cpp.append(_core.time_batch(grid, X, jacobian, 1))
        row[f"{name}_python"], row[f"{name}_cpp"] = min(python), min(cpp)
        row[f"{name}_ratio"] = float(np.median(np.array(python) / np.array(cpp)))
    Y, J = grid.value_and_jacobian(X)
    for m in range(0, points, max(1, points // 50)):
        y, slope = grid.value_and_jacobian(X[m])
        if not (np.array_equal(y, Y[m]) and np.array_equal(slope, J[m])):
            raise SystemExit(f"query.py: batch and query differ at point {m} of {points}, dim {dim}")
    return row


def tables(singles, batches):
    lines = [
        "| d | N | value, Python | C++ | value and Jacobian, Python | C++ |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for r in singles:
        times = [f"{1e6 * r[key]:.2f}" for key in ("value_python", "value_cpp", "jacobian_python", "jacobian_cpp")]
        lines.append(f"| {r['dim']} | {r['outputs']} | " + " | ".join(times) + " |")
    lines += [
        "",
        "| d | N | points | values: Python over C++ | with Jacobians |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for r in batches:
        ratios = f"{r['value_ratio']:.2f} | {r['jacobian_ratio']:.2f}"
        lines.append(f"| {r['dim']} | {r['outputs']} | {r['points']} | {ratios} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few seconds")
    parser.add_argument("--json", metavar="FILE", help="writes all numbers, seconds")
    parser.add_argument("--markdown", metavar="FILE", help="writes the tables")
    options = parser.parse_args()
    points = 10_000 if options.quick else 100_000
    singles = [single(dim, outputs, options.quick) for dim in (2, 3, 4) for outputs in (3, 1575)]
    batches = [batch(dim, 3, points, options.quick) for dim in (2, 3, 4)]
    text = tables(singles, batches)
    print("Microseconds of one query; a batch's time over that of the same batch in C++.\n")
    print(text)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"single": singles, "batch": batches}, file, indent=1)
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write("## query from Python\n\n" + text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
