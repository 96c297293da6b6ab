# SPDX-License-Identifier: BSD-3-Clause
"""A crane's load on its rope, moved by a trolley: a simulator in a file of its own, which other processes import."""

import math
import time

import numpy as np

GRAVITY = 9.81  # m/s^2
ROPE = 4.0  # m
ACCELERATION = 1.0  # m/s^2, of the trolley
ALLOWED = 0.2  # rad, of swing
STEPS = 100  # of each of the three phases
PAUSE = 0.02  # s, what a larger model would need besides


def swing(angle, rate, acceleration, seconds):
    """The swing of the load, rad and rad/s, after the trolley has accelerated; and its largest on the way."""

    def slope(angle, rate):
        return rate, -(GRAVITY * math.sin(angle) + acceleration * math.cos(angle)) / ROPE

    h, largest = seconds / STEPS, abs(angle)
    for _ in range(STEPS):
        a1, r1 = slope(angle, rate)
        a2, r2 = slope(angle + h / 2 * a1, rate + h / 2 * r1)
        a3, r3 = slope(angle + h / 2 * a2, rate + h / 2 * r2)
        a4, r4 = slope(angle + h * a3, rate + h * r3)
        angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        rate += h / 6 * (r1 + 2 * r2 + 2 * r3 + r4)
        largest = max(largest, abs(angle))
    return angle, rate, largest


def load_at_rest(x):
    """What is left when the trolley stands still again.

    Parameters
    ----------
    x : (2,) array
        How long the trolley accelerates, and how long it then coasts before it brakes as long, s.

    Returns
    -------
    (3,) array
        The trolley's way, m; the load's angle, rad, and its rate, rad/s.

    Raises
    ------
    ValueError
        The load swings too far on the way.
    """
    time.sleep(PAUSE)
    push, coast = x
    angle = rate = largest = 0.0
    for acceleration, seconds in ((ACCELERATION, push), (0.0, coast), (-ACCELERATION, push)):
        angle, rate, most = swing(angle, rate, acceleration, seconds)
        largest = max(largest, most)
    if largest > ALLOWED:
        raise ValueError(f"the load swings to {largest:.2f} rad")
    return np.array([ACCELERATION * push * (push + coast), angle, rate])
