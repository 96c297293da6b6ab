# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the example's equation of state that Quoin's surrogates and those of scipy and scikit-learn need.

Each rival has logarithmic axes, outputs in parts of their sizes and the direction as an angle that closes; of its
settings (kernels, lengths, shapes of a grid) the one is shown that errs least at 1000 points. What is shown is the
error at 2000 others. Needs scikit-learn, and the package quoin.
"""
import pathlib
import sys
import warnings

import numpy as np
from scipy.interpolate import RBFInterpolator, RegularGridInterpolator, make_interp_spline
from scipy.stats import qmc

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples" / "from_python"))
from equation_of_state import IONIZATION, WEIGHTS, eos  # noqa: E402

TURN = 2 * np.pi
LOWER, UPPER = np.array([np.log(3e3), np.log(1e12), 0, 0]), np.array([np.log(3e4), np.log(1e20), 0.3, TURN])


def values(u):
    """The example's eos at points (M, 4) of log T, log n, x, phi, all at once."""
    T, n, x, phi = np.exp(u[:, 0]), np.exp(u[:, 1]), u[:, 2], u[:, 3]
    K = WEIGHTS[:, None] * 2.4146830e15 * T**1.5 * np.exp(-IONIZATION[:, None] * 11604.518 / T)
    low, high = np.full(len(u), -40.0), np.log(1 + x)
    for _ in range(60):
        middle = (low + high) / 2
        electrons = np.exp(middle)
        r = K / (n * electrons)
        ions = (1 - x) * r[0] / (1 + r[0]) + x * (r[1] + 2 * r[1] * r[2]) / (1 + r[1] + r[1] * r[2])
        more = ions > electrons
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    y = np.exp((low + high) / 2)
    return np.stack([y, y * y * np.sqrt(T / 1e4) * (1 + 0.3 * np.cos(phi))], 1)


def drawn(seed, count):
    u = np.random.default_rng(seed).uniform(LOWER, UPPER, (count, 4))
    return u, values(u)


CHOOSING, SHOWING = drawn(7, 1000), drawn(2026, 2000)
SIZES = np.abs(values(qmc.scale(qmc.Sobol(4, seed=0).random(4096), LOWER, UPPER))).max(axis=0)


def errors(predict, points):
    return np.abs((predict(points[0]) - points[1]) / SIZES).max(axis=1)


def show(name, calls, predict):
    off = errors(predict, SHOWING)
    print(f"{name:<58}{calls:>8}  largest {off.max():.1e}  99 % {np.quantile(off, 0.99):.1e}  rms "
          f"{np.sqrt(np.mean(off**2)):.1e}", flush=True)  # fmt: skip


def best(candidates):
    """Of (name, predict) the one with the least 99 % quantile at the choosing points."""
    return min(candidates, key=lambda one: np.quantile(errors(one[1], CHOOSING), 0.99))


def embedded(u):
    unit = (u - LOWER) / (UPPER - LOWER)
    return np.column_stack([unit[:, :3], np.cos(u[:, 3]), np.sin(u[:, 3])])


def sobol(count):
    u = qmc.scale(qmc.Sobol(4, seed=1).random(count), LOWER, UPPER)
    return u, values(u)


# A full grid: nodes along each axis; the angle closes, so that its nodes are padded without calls.
def full_grid(counts):
    axes = [np.linspace(LOWER[i], UPPER[i], counts[i]) for i in range(3)] + [np.arange(counts[3]) * TURN / counts[3]]
    mesh = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], 1)
    table, pad = values(mesh).reshape(*counts, 2), min(4, counts[3])
    index = np.arange(-pad, counts[3] + pad + 1)
    axes[3] = index * TURN / counts[3]
    return axes, table[:, :, :, index % counts[3]]


def linear(axes, table):
    return RegularGridInterpolator(axes, table, method="linear")


def cubic(axes, table):
    """RegularGridInterpolator(method="cubic"), whose tensor of not-a-knot splines is made here once for all points."""
    splines = [make_interp_spline(axis, np.eye(len(axis)), k=min(3, len(axis) - 1)) for axis in axes]

    def predict(u):
        return np.concatenate([
            np.einsum("ma,mb,mc,md,abcdk->mk", *(s(part[:, i]) for i, s in enumerate(splines)), table, optimize=True)
            for part in np.array_split(u, 40)
        ])  # fmt: skip

    return predict


def grids(name, make, shapes):
    for shares in shapes:
        chosen = best([(counts, make(*full_grid(counts))) for counts in shares])
        show(f"RegularGridInterpolator, {name}, {chosen[0]}", int(np.prod(chosen[0])), chosen[1])


def fitted_kernels():
    """By marginal likelihood of 512 points, a length for each axis and output."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

    warnings.simplefilter("ignore", ConvergenceWarning)
    start, bounds = np.array([0.3, 0.5, 2, 3, 3]), (1e-2, 1e3)
    kinds = {"RBF": RBF(start, bounds), "Matern 5/2": Matern(start, bounds, nu=2.5), "Matern 3/2": Matern(start, bounds, nu=1.5)}
    fitted = {}
    u, y = sobol(512)
    for name, kernel in kinds.items():
        fitted[name] = [
            GaussianProcessRegressor(ConstantKernel(1, (1e-3, 1e6)) * kernel, alpha=1e-9, normalize_y=True)
            .fit(embedded(u), y[:, k] / SIZES[k]).kernel_ for k in range(2)
        ]  # fmt: skip
    return fitted


def gaussian_processes(fitted):
    from sklearn.gaussian_process import GaussianProcessRegressor

    for count in (512, 1024, 2048, 4096):
        u, y = sobol(count)
        tried = []
        for name, kernels in fitted.items():
            models = [
                GaussianProcessRegressor(kernels[k], alpha=1e-9, normalize_y=True, optimizer=None)
                .fit(embedded(u), y[:, k] / SIZES[k]) for k in range(2)
            ]  # fmt: skip
            tried.append((name, lambda v, m=models: np.stack([m[k].predict(embedded(v)) * SIZES[k] for k in range(2)], 1)))
        chosen = best(tried)
        show(f"GaussianProcessRegressor, {chosen[0]}", count, chosen[1])


def radial_functions(fitted):
    lengths, last = [k.k2.length_scale for kernels in fitted.values() for k in kernels], None
    for count in (512, 1024, 2048, 4096):
        u, y = sobol(count)
        tried = []
        for kernel in ("thin_plate_spline", "cubic", "quintic"):
            for which, scale in enumerate([np.ones(5), *np.clip(lengths, 0.05, 10)] if count <= 1024 else [last]):
                model = RBFInterpolator(embedded(u) / scale, y / SIZES, kernel=kernel)
                tried.append(((kernel, scale), lambda v, m=model, s=scale: m(embedded(v) / s) * SIZES))
        chosen = best(tried)
        last = chosen[0][1]
        show(f"RBFInterpolator, {chosen[0][0]}", count, chosen[1])


def tables():
    import quoin

    axes = dict(T=quoin.log(3e3, 3e4), n=quoin.log(1e12, 1e20), x=(0, 0.3), phi=quoin.periodic(0, TURN))
    for relative in (1e-1, 3e-2, 1e-2, 3e-3, 1e-3):
        table = quoin.Table(eos, axes, relative=relative, sizes=SIZES)
        looked = len(table.samples().points)
        # The table's own grid, which is given f for many points at once: the example's takes half a millisecond a point.
        grid = quoin.AdaptiveGrid(values, **table.grid.options.keywords(), batched=True, derivatives=0, outputs=2,
                                  samples=table.grid.samples())  # fmt: skip
        grid.fill()
        show(f"Table, relative = {relative}", looked + grid.statistics.exact_evaluations, grid)


def main():
    what = sys.argv[1:] or ["grids", "processes", "radial", "tables"]
    if "grids" in what:
        cubes = [
            [(c * a, c * b, x, p) for a, b in ((3, 2), (2, 2), (2, 1), (3, 1), (4, 1)) for x, p in ((3, 8), (2, 8), (3, 12))]
            for c in (4, 8, 12, 16)
        ]
        grids("cubic", cubic, cubes)
        lines = [
            [(c * a, c * b, x, p) for a, b in ((3, 2), (2, 2), (2, 1), (3, 1)) for x, p in ((2, 16), (3, 16), (3, 32))]
            for c in (8, 16, 32, 48)
        ]
        grids("linear", linear, lines)
    if "processes" in what or "radial" in what:
        fitted = fitted_kernels()
        if "processes" in what:
            gaussian_processes(fitted)
        if "radial" in what:
            radial_functions(fitted)
    if "tables" in what:
        tables()


if __name__ == "__main__":
    main()
