# SPDX-License-Identifier: BSD-3-Clause
"""An arm that three tendons bend, simulated in numpy: from a slow function to a plan, and to a loop that holds it.

The arm is a tower of 15 rings of three masses, joined by springs; each tendon runs down the outer masses of all rings.
`rest` finds where it stands still under three pulls: the slow function. `Arm` moves it in time: what the plan is tried
on. Nothing in here knows of quoin but `main`.
"""
import argparse
import sys

import numpy as np

RINGS, RADIUS, HEIGHT = 15, 0.02, 0.28  # the first ring is held
MASS, GRAVITY, DAMPING = 0.004, 9.81, 2.4  # of a joint: kg; m/s^2, hanging; 1/s
STEP, SUBSTEPS = 0.02, 4  # seconds


def springs():
    """Pairs of masses, with their stiffness, N/m."""
    pairs, stiffness = [], []
    for ring in range(RINGS):
        for k in range(3):
            here, beside = 3 * ring + k, 3 * ring + (k + 1) % 3
            pairs += [(here, beside)]
            stiffness += [8000.0]
            if ring + 1 < RINGS:
                pairs += [(here, here + 3), (here, beside + 3), (beside, here + 3)]
                stiffness += [1500.0, 400.0, 400.0]
    return np.array(pairs), np.array(stiffness)


ANGLE = np.arange(3) * 2 * np.pi / 3
START = np.concatenate(
    [np.stack([RADIUS * np.cos(ANGLE), RADIUS * np.sin(ANGLE), np.full(3, -z)], 1) for z in np.linspace(0, HEIGHT, RINGS)]
)
PAIRS, STIFFNESS = springs()
LENGTHS = np.linalg.norm(START[PAIRS[:, 0]] - START[PAIRS[:, 1]], axis=1)
TENDONS = np.array([[(3 * r + k, 3 * r + 3 + k) for r in range(RINGS - 1)] for k in range(3)])
FREE = np.arange(9, 9 * RINGS)  # coordinates of all but the first ring
ENDS = np.concatenate([PAIRS, TENDONS.reshape(-1, 2)])
ROWS = (3 * ENDS[:, :, None] + np.arange(3)).reshape(len(ENDS), 6)  # the six coordinates of each bar


def forces(x, pulls):
    """The gradient of the energy at masses x under pulls, and its derivative."""
    d = x[ENDS[:, 0]] - x[ENDS[:, 1]]
    length = np.linalg.norm(d, axis=1)
    n = d / length[:, None]
    pull = np.repeat(pulls, RINGS - 1)
    tension = np.concatenate([STIFFNESS * (length[: len(PAIRS)] - LENGTHS), pull])
    along = np.concatenate([STIFFNESS, np.zeros(len(pull))])
    block = (tension / length)[:, None, None] * np.eye(3) + (along - tension / length)[:, None, None] * (
        n[:, :, None] * n[:, None, :]
    )
    gradient, hessian = np.zeros(x.size), np.zeros((x.size, x.size))
    np.add.at(gradient, ROWS, np.concatenate([n, -n], axis=1) * tension[:, None])
    np.add.at(hessian, (ROWS[:, :, None], ROWS[:, None, :]), np.block([[block, -block], [-block, block]]))
    gradient[2::3] += MASS * GRAVITY
    return gradient[FREE], hessian[np.ix_(FREE, FREE)]


def solve(x, pulls, inertia=0.0, resists=None):
    """Newton's method for forces + inertia (x - resists) = 0, from x; steps are cut to a hundredth of a metre."""
    x = x.copy()
    for _ in range(200):
        g, H = forces(x, pulls)
        if resists is not None:
            g = g + inertia * (x.reshape(-1)[FREE] - resists)
        step = np.linalg.solve(H + inertia * np.eye(len(g)), -g)
        step *= min(1.0, 0.01 / np.abs(step).max())
        x.reshape(-1)[FREE] += step
        if np.abs(step).max() < 1e-11:
            return x
    raise RuntimeError(f"the arm does not come to rest under {pulls}")


def measured(x):
    """The middles of the rings but the first (42 numbers), m, and the lengths of the tendons (3), m."""
    middles = x.reshape(RINGS, 3, 3).mean(axis=1)[1:]
    d = x[TENDONS[:, :, 0]] - x[TENDONS[:, :, 1]]
    return np.concatenate([middles.reshape(-1), np.linalg.norm(d, axis=2).sum(axis=1)])


def rest(pulls):
    """The slow function: 3 pulls, N -> 45 numbers."""
    return measured(solve(START, pulls))


class Arm:
    """The arm in time, by implicit Euler with steps of a quarter of the model's; what is measured is its tip, x and y."""

    def __init__(self, pulls):
        self.at_rest = solve(START, np.asarray(pulls))

    def reset(self):
        self.x, self.before = self.at_rest, self.at_rest
        return self.tip()

    def tip(self):
        return measured(self.x)[39:41]

    def step(self, pulls):
        h = STEP / SUBSTEPS
        inertia = MASS * (1 / h**2 + DAMPING / h)
        for _ in range(SUBSTEPS):
            now, before = self.x.reshape(-1)[FREE], self.before.reshape(-1)[FREE]
            resists = now + (now - before) / (1 + DAMPING * h)
            self.x, self.before = solve(self.x, pulls, inertia, resists), self.x
        return self.tip()

    def push(self, speed):
        """A blow to the tip, m/s."""
        self.before = self.before.copy()
        self.before[-3:, 0] -= speed * STEP / SUBSTEPS


def main():
    import quoin
    from quoin import planning

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--error", type=float, default=1e-4, help="of the surrogate, m (default: %(default)s)")
    parser.add_argument("--store", help="a file that keeps what `rest` answers")
    parser.add_argument("--pictures", help="a folder for tracking.png and evaluations.png")
    options = parser.parse_args()

    arm = quoin.Surrogate(rest, lower=[0] * 3, upper=[6] * 3, error=options.error, store=options.store,
                          fingerprint="tendon arm, 15 rings" if options.store else None)
    print(arm)
    masses = np.full(42, 3 * MASS)
    model = quoin.ReducedDynamics(
        arm[:42], masses=masses, lengths=arm[42:], time_step=STEP, mass_damping=DAMPING, control_scale=6
    )
    turns = np.arange(101) * STEP / 2
    grow = 3 * turns**2 - 2 * turns**3
    path = 0.05 * grow[:, None] * np.stack([np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)], 1)
    plan = planning.track(model, arm[39:41], path, control=(0, 6), control_rate=15)
    print(plan.message)

    simulator = Arm(plan.states[0][:3])
    run = planning.run(simulator, plan)
    print(f"the plan as it is: {1e3 * run.root_mean_square:.2f} mm off its path")
    plan = planning.learn(simulator, plan, runs=3)
    print(f"after {len(plan.history)} runs: " + ", ".join(f"{1e3 * error:.2f}" for error in plan.history) + " mm")

    def blow(i, simulator):
        if i == 40:
            simulator.push(0.5)

    loop = plan.feedback(noise=5e-4)
    pushed = planning.run(simulator, plan, disturb=blow)
    held = planning.run(simulator, loop, disturb=blow, noise=5e-4)
    print(f"with a blow to the tip: {1e3 * pushed.root_mean_square:.2f} mm, held by feedback "
          f"{1e3 * held.root_mean_square:.2f} mm")
    if options.pictures:
        from quoin import plot

        plot.tracking(plan, held).savefig(f"{options.pictures}/tracking.png")
        plot.evaluations(arm).figure.savefig(f"{options.pictures}/evaluations.png")
    learnt = plan.history and min(plan.history) < 1e-3
    return 0 if learnt and held.root_mean_square < pushed.root_mean_square else 1


if __name__ == "__main__":
    sys.exit(main())
