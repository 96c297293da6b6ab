# SPDX-License-Identifier: BSD-3-Clause
"""Makes iiwa7_log.csv: what a KUKA iiwa 7 would log that swings all joints with a tool in its hand.

python3 examples/data/iiwa7_log.py > examples/data/iiwa7_log.csv

The tool (1.4 kg, its centre 9 cm beyond the last joint and 3 cm aside) and friction other than the URDF's are what
examples/robot_from_log.cpp has to find. 18 s at 50 Hz: seven angles (rad) and seven torques (N m), with the noise of
encoders (2e-5 rad) and torque sensors (0.05 N m).
"""

import numpy as np
from quoin import rigid_body

TIMES = np.arange(900) * 0.02
AMPLITUDES = np.array([0.7, 0.5, 0.7, 0.6, 0.8, 0.7, 0.9])
PERIODS = np.array([4.7, 3.9, 3.3, 2.9, 2.3, 1.9, 1.7])
DAMPING = np.array([0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2])  # N m s/rad


def with_tool(tree: rigid_body.RigidBodyTree) -> rigid_body.RigidBodyTree:
    """The robot with a ball of 1.4 kg, 4 cm in radius, on its last link."""
    mass, centre = 1.4, np.array([0.03, 0.0, 0.09])
    inertia = 0.4 * mass * 0.04**2 * np.eye(3) + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    parameters = np.array(tree.parameters)
    parameters[-1] += np.concatenate([[mass], mass * centre, inertia.ravel()])
    return tree.with_parameters(parameters)


def main() -> None:
    """Prints the log."""
    robot = rigid_body.TreeDynamics(with_tool(rigid_body.read_urdf("examples/data/iiwa7.urdf")))
    random = np.random.default_rng(1)
    print(",".join([f"q{i}" for i in range(1, 8)] + [f"tau{i}" for i in range(1, 8)]))
    rates = 2 * np.pi / PERIODS
    for t in TIMES:
        q = AMPLITUDES * np.sin(rates * t)
        qd, qdd = AMPLITUDES * rates * np.cos(rates * t), -(rates**2) * q
        tau = robot.inverse_dynamics(q, qd, qdd) + DAMPING * qd
        row = [f"{value:.5f}" for value in q + random.normal(0, 2e-5, 7)]
        print(",".join(row + [f"{value:.3f}" for value in tau + random.normal(0, 0.05, 7)]))


if __name__ == "__main__":
    main()
