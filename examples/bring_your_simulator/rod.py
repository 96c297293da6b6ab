# SPDX-License-Identifier: BSD-3-Clause
"""A Cosserat rod at rest: bending, twist, shear and stretch, gravity and a force at the tip, by shooting.

The rod's statics are those of PyElastica (Gazzola et al. 2018, "Forward and inverse problems in the mechanics of soft
filaments"): r' = R v, R' = R [k], n' + w = 0, m' + r' x n = 0 with n = R diag(GA, GA, EA)(v - e3) and m = R diag(EI,
EI, GJ)(k - k0); r, n, m are in the world's axes, v and k in those of the cross-section. From the clamp (s = 0) to the
free end the equations are integrated by Runge and Kutta's method; the moment at the clamp is found by Newton's
method, so that there is none at the end. Derivatives are those of the steps made, exact.

As a worker: the rod hangs down and is bent by muscles, which give it the curvatures x (1/m); f is where its tip is, m.
"""
import math
import os
import sys

PARTIALS = 5  # by the moment at the clamp (3), by the curvatures (2)


class Dual:
    """A number and its partial derivatives."""

    __slots__ = ("value", "partials")

    def __init__(self, value, partials=(0.0,) * PARTIALS):
        self.value, self.partials = value, partials

    def __add__(self, other):
        if isinstance(other, Dual):
            return Dual(self.value + other.value, [a + b for a, b in zip(self.partials, other.partials)])
        return Dual(self.value + other, self.partials)

    def __mul__(self, other):
        if isinstance(other, Dual):
            x, y = self.value, other.value
            return Dual(x * y, [a * y + x * b for a, b in zip(self.partials, other.partials)])
        return Dual(self.value * other, [a * other for a in self.partials])

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + (-other)

    __radd__, __rmul__ = __add__, __mul__


def variable(value, which):
    return Dual(value, [1.0 if i == which else 0.0 for i in range(PARTIALS)])


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotation(q):
    """Of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return [[w * w + x * x - y * y - z * z, (x * y - w * z) * 2.0, (x * z + w * y) * 2.0],
            [(x * y + w * z) * 2.0, w * w - x * x + y * y - z * z, (y * z - w * x) * 2.0],
            [(x * z - w * y) * 2.0, (y * z + w * x) * 2.0, w * w - x * x - y * y + z * z]]


def times(R, v):
    return [R[i][0] * v[0] + R[i][1] * v[1] + R[i][2] * v[2] for i in range(3)]


def transposed_times(R, v):
    return [R[0][i] * v[0] + R[1][i] * v[1] + R[2][i] * v[2] for i in range(3)]


def solve(A, B):
    """A X = B by elimination with row exchanges."""
    n, rows = len(A), [list(a) + list(b) for a, b in zip(A, B)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        if not abs(rows[pivot][k]) > 0:
            raise ArithmeticError("the rod has no stiffness: it buckles here")
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [v - rows[i][k] * w for v, w in zip(rows[i], rows[k])]
    return [row[n:] for row in rows]


class Rod:
    """A straight rod of round cross-section, clamped at the origin. SI units."""

    def __init__(self, length=0.4, radius=0.01, young=1e6, shear=4e5, density=1000.0, gravity=(0.0, 0.0, -9.81),
                 tip_force=(0.0, 0.0, 0.0), clamp=(0.0, 1.0, 0.0, 0.0), stiff=False, steps=12):
        area, inertia = math.pi * radius**2, math.pi * radius**4 / 4
        self.length, self.steps, self.tip_force, self.clamp = length, steps, tip_force, clamp
        self.weight = [density * area * g for g in gravity]  # N/m
        self.soft_in_bending = [1 / (young * inertia), 1 / (young * inertia), 1 / (2 * shear * inertia)]
        # 4/3: Timoshenko's factor for round sections, as PyElastica has it; stiff: neither shear nor stretch
        self.soft_in_shear = [0.0] * 3 if stiff else [4 / (3 * shear * area)] * 2 + [1 / (young * area)]

    def slope(self, s, state, curvatures):
        q, m = state[3:7], state[7:]
        n = [f + w * (self.length - s) for f, w in zip(self.tip_force, self.weight)]
        R = rotation(q)
        v = [a * c for a, c in zip(transposed_times(R, n), self.soft_in_shear)]
        k = [a * c for a, c in zip(transposed_times(R, m), self.soft_in_bending)]
        v[2] = v[2] + 1.0
        k[0], k[1] = k[0] + curvatures[0], k[1] + curvatures[1]
        tangent = times(R, v)
        w, x, y, z = q
        turn = [-(x * k[0] + y * k[1] + z * k[2]), w * k[0] + y * k[2] - z * k[1],
                w * k[1] + z * k[0] - x * k[2], w * k[2] + x * k[1] - y * k[0]]
        return tangent + [0.5 * t for t in turn] + [-c for c in cross(tangent, n)]

    def shoot(self, moment, curvatures):
        """The state at the tip: place (3), quaternion (4), moment (3)."""
        state = [Dual(0.0) for _ in range(3)] + [Dual(c) for c in self.clamp] + list(moment)
        h = self.length / self.steps
        for i in range(self.steps):
            s = i * h
            k1 = self.slope(s, state, curvatures)
            k2 = self.slope(s + h / 2, [y + h / 2 * k for y, k in zip(state, k1)], curvatures)
            k3 = self.slope(s + h / 2, [y + h / 2 * k for y, k in zip(state, k2)], curvatures)
            k4 = self.slope(s + h, [y + h * k for y, k in zip(state, k3)], curvatures)
            state = [y + h / 6 * (a + 2.0 * b + 2.0 * c + d) for y, a, b, c, d in zip(state, k1, k2, k3, k4)]
        return state

    def at_rest(self, curvatures, moment=(0.0, 0.0, 0.0)):
        """The moment at the clamp, the tip, and the tip's derivatives by the curvatures."""
        moment = list(moment)
        inputs = [variable(c, 3 + j) for j, c in enumerate(curvatures)]
        size = sum(abs(w) for w in self.weight) * self.length**2 + sum(abs(f) for f in self.tip_force) * self.length
        for _ in range(50):
            tip = self.shoot([variable(m, i) for i, m in enumerate(moment)], inputs)
            left = [m.value for m in tip[7:]]
            by_moment = [m.partials[:3] for m in tip[7:]]
            if not all(map(math.isfinite, left)):
                break
            if max(map(abs, left)) < 1e-12 * (size + 1e-6):
                by_inputs = solve(by_moment, [m.partials[3:] for m in tip[7:]])
                J = [[y.partials[3 + j] - sum(y.partials[i] * by_inputs[i][j] for i in range(3)) for j in range(2)]
                     for y in tip[:3]]
                return moment, [y.value for y in tip[:3]], J
            moment = [m - c[0] for m, c in zip(moment, solve(by_moment, [[v] for v in left]))]
        raise ArithmeticError("the rod does not come to rest")


def f(curvatures):
    """In steps from the straight rod: the answer depends on the curvatures alone."""
    rod, moment = Rod(), (0.0, 0.0, 0.0)
    for step in (0.5, 1.0):
        moment, tip, J = rod.at_rest([step * c for c in curvatures], moment)
    return tip, J


if __name__ == "__main__":
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/workers"))
    from quoin_worker import serve

    serve(f, outputs=3, order=1, fingerprint="hanging rod 1")
