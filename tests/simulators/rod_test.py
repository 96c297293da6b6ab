# SPDX-License-Identifier: BSD-3-Clause
"""The example's Cosserat rod against the elastica and against itself."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/bring_your_simulator"))
import rod

# Mattiasson 1981, "Numerical results from large deflection beam and frame problems analysed by means of elliptic
# integrals", table 1: a cantilever with a force across its end, P L^2 / EI; deflection and shortening, by L.
for load, deflection, shortening in ((1, 0.30172, 0.05643), (5, 0.71379, 0.38763)):
    bending, length, moment = 1e6 * math.pi * 0.01**4 / 4, 0.4, (0, 0, 0)
    for part in (0.4, 0.7, 1.0):
        beam = rod.Rod(gravity=(0, 0, 0), tip_force=(0, 0, -part * load * bending / length**2),
                       clamp=(math.sqrt(0.5), 0, math.sqrt(0.5), 0), stiff=True, steps=24)
        moment, tip, _ = beam.at_rest((0, 0), moment)
    assert abs(-tip[2] / length - deflection) < 1e-5, (load, tip)
    assert abs(1 - tip[0] / length - shortening) < 1e-5, (load, tip)

# Stretched by its own weight: by rho g L^2 / 2E to first order.
_, tip, _ = rod.Rod().at_rest((0, 0))
assert abs(-tip[2] / 0.4 - 1 - 1000 * 9.81 * 0.4 / 2e6) < 1e-9, tip

# Fourth order in the steps, and derivatives that are those of the answer.
fine = rod.Rod(steps=48).at_rest((1, -0.5))[1]
errors = [math.dist(rod.Rod(steps=steps).at_rest((1, -0.5))[1], fine) for steps in (12, 24)]
assert errors[0] < 1e-6 and errors[0] > 12 * errors[1], errors
_, J = rod.f((1, -0.5))
for j in range(2):
    ahead, behind = [rod.f([1 + h * (j == 0), -0.5 + h * (j == 1)])[0] for h in (1e-4, -1e-4)]
    for i in range(3):
        assert abs((ahead[i] - behind[i]) / 2e-4 - J[i][j]) < 1e-9, (i, j)
