// SPDX-License-Identifier: BSD-3-Clause
#include "planning/robots/torque_robot.hpp"
#include "quoin/models/rigid_body/urdf.hpp"
#include "quoin/planning/ilqr.hpp"

#include <catch2/catch.hpp>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

TEST_CASE("iLQR does not creep where seven torques meet their limits") {
  const TorqueRobot iiwa(rigid_body::RigidBodyTree(rigid_body::read_urdf(QUOIN_IIWA7_URDF)), 7, 0.02);
  const ReachProblem problem = iiwa_reach(iiwa);
  const Eigen::MatrixXd start = iiwa.holding(problem.initial_state.head(7)).replicate(1, problem.horizon);
  const IlqrResult plan = ilqr(problem, start, {.max_iterations = 156, .relative_tolerance = 1e-9});
  INFO(plan.iterations << " iterations, cost " << plan.trajectory.cost << ", " << to_string(plan.stop));
  // Crocoddyl's SolverBoxDDP: 10.671980 after 156 iterations from the same start.
  CHECK(plan.converged());
  CHECK(plan.trajectory.cost < 10.672);
  CHECK((plan.trajectory.controls.cwiseAbs().rowwise().maxCoeff().array() <= problem.upper_control.array()).all());
}
