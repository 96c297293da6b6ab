# SPDX-License-Identifier: BSD-3-Clause
"""A table of an equation of state in four variables: ionized hydrogen and helium by Saha's equations.

Temperature and density lie on logarithmic axes, the direction in which the gas is seen on a periodic one. The table is
filled once, saved, and read again by a program that has no equation of state.
"""
import argparse
import pathlib
import sys
import tempfile

import numpy as np

IONIZATION = np.array([13.598, 24.587, 54.418])  # eV: H, He, He+
WEIGHTS = np.array([1.0, 4.0, 1.0])  # 2 g+/g, Saha's statistical weights


def eos(T, n, x, phi):
    """Electrons for each nucleus, and what a cloud emits towards phi, for n nuclei / cm^3 of which x are helium; T in K.

    Emission is free-free's, n_e n_i sqrt(T) in its unit at n^2 and 1e4 K, of a cloud that is brighter on one side.
    """
    K = WEIGHTS * 2.4146830e15 * T**1.5 * np.exp(-IONIZATION * 11604.518 / T)  # 1/cm^3
    low, high = -40.0, np.log(1 + x)  # of the electrons for each nucleus, in their logarithm
    for _ in range(60):
        middle = (low + high) / 2
        electrons = np.exp(middle)
        r = K / (n * electrons)
        hydrogen = (1 - x) * r[0] / (1 + r[0])
        helium = x * (r[1] + 2 * r[1] * r[2]) / (1 + r[1] + r[1] * r[2])
        low, high = (middle, high) if hydrogen + helium > electrons else (low, middle)
    y = np.exp((low + high) / 2)
    return np.array([y, y * y * np.sqrt(T / 1e4) * (1 + 0.3 * np.cos(phi))])


def main():
    import quoin

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--relative", type=float, default=3e-2, help="error of the table (default: %(default)s)")
    options = parser.parse_args()

    axes = dict(T=quoin.log(3e3, 3e4), n=quoin.log(1e12, 1e20), x=(0, 0.3), phi=quoin.periodic(0, 2 * np.pi))
    table = quoin.Table(eos, axes, relative=options.relative, outputs=["y", "em"])
    table.fill(progress=True)
    print(table)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "eos.npz"
        table.save(file)
        table = quoin.load(file)

    random = np.random.default_rng(1)
    T, n = 10 ** random.uniform(np.log10(3e3), np.log10(3e4), 1000), 10 ** random.uniform(12, 20, 1000)
    x, phi = random.uniform(0, 0.3, 1000), random.uniform(-30, 30, 1000)
    t = table(T=T, n=n, x=x, phi=phi)
    truth = np.array([eos(*point) for point in zip(T, n, x, phi)])
    off = np.abs(np.stack([t.y, t.em], 1) - truth) / table.sizes
    print(f"at 1000 other points: errors of {off[:, 0].max():.1e} and {off[:, 1].max():.1e} of the outputs' sizes at most, "
          f"{100 * np.mean(off.max(axis=1) <= t.error):.1f} % within what is stated")
    return 0 if np.mean(off.max(axis=1) <= 1.5 * options.relative) >= 0.99 else 1


if __name__ == "__main__":
    sys.exit(main())
