#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: try_wheel.sh <wheel>
# pip installs the wheel into a fresh environment, from no index, beside the system's numpy; a grid in Python, processes
# and all parts that were built work there. On Debian it needs python3-venv and python3-numpy.
set -eu
wheel=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
/usr/bin/python3 -m venv --system-site-packages there
there/bin/pip --disable-pip-version-check -q install --no-index "$wheel"
cat >try.py <<'PYTHON'
import importlib
import sys

import numpy as np
import quoin


def f(x):
    return np.array([x[0] ** 2 * x[1]]), np.array([[2 * x[0] * x[1], x[0] ** 2]])


if __name__ == "__main__":
    for executor in None, "threads", "processes":
        grid = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], executor=executor)
        y, J = grid.value_and_jacobian([0.3, 0.4])
        assert abs(y[0] - 0.036) < 1e-14 and np.allclose(J, [[0.24, 0.09]], atol=1e-13), (y, J)
        assert grid.statistics.exact_evaluations == 4
    stored = quoin.AdaptiveGrid(f, spacing=[0.5, 0.5], store=f"{sys.argv[1]}/calls.quoin", fingerprint="f")
    assert stored([0.3, 0.4]) == y
    parts = [part for part in quoin._core.parts if part not in ("aico", "collocation")]
    for part in parts:
        importlib.import_module(f"quoin.{part}")
    assert quoin.__file__.startswith(sys.prefix), quoin.__file__
    print("quoin", quoin.__version__, "from a wheel, with", ", ".join(parts))
PYTHON
there/bin/python try.py "$work"
there/bin/pip --disable-pip-version-check check | grep -E 'quoin|No broken' || true
there/bin/pip --disable-pip-version-check -q uninstall -y quoin
if there/bin/python -c 'import quoin' 2>/dev/null; then
  echo "quoin is still there when it was uninstalled"
  exit 1
fi
