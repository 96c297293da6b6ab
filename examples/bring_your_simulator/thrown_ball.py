# SPDX-License-Identifier: BSD-3-Clause
"""A simulator in Python: a ball thrown with (5 + u, 5 + v) m/s through air; where it is after a second, m."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/workers"))
from quoin_worker import serve


def f(x):
    place, velocity = 0j, complex(5 + x[0], 5 + x[1])
    steps = 2000
    for _ in range(steps):  # Euler's method, symplectic
        velocity += (-9.81j - 0.05 * abs(velocity) * velocity) / steps
        place += velocity / steps
    return [place.real, place.imag]


serve(f, outputs=2, order=0, fingerprint="thrown ball 1")
