// SPDX-License-Identifier: BSD-3-Clause
// Torque-level collocation of a robot from a URDF: the arm moves its hand around a post with the least torques, ends at
// rest with the hand at a place and pointing down exactly, and stays within the limits of the file. Then a simulated
// arm follows. From the root of the repository, with quoin and Ipopt installed:
//   g++ -std=c++20 -O2 -DQUOIN_HAS_IPOPT examples/robot_collocation.cpp $(pkg-config --cflags eigen3)
//     -lquoin_rigid_body -lquoin_planning -lquoin_optimization -lquoin_dynamics -lquoin_geometry -lipopt
//     -lurdfdom_model -lconsole_bridge -ltinyxml
#include <quoin/robots/dynamics/runge_kutta.hpp>
#include <quoin/robots/geometry/margin_map.hpp>
#include <quoin/robots/models/rigid_body/joint_limits.hpp>
#include <quoin/robots/models/rigid_body/tree_dynamics.hpp>
#include <quoin/robots/models/rigid_body/tree_frames.hpp>
#include <quoin/robots/models/rigid_body/urdf.hpp>
#include <quoin/robots/planning/collocation/collocation.hpp>
#include <quoin/robots/planning/collocation/task_constraints.hpp>
#include <quoin/robots/task_maps/orientation_offsets.hpp>
#include <quoin/robots/task_maps/point_offsets.hpp>

#include <algorithm>
#include <cstdio>

using Eigen::MatrixXd, Eigen::VectorXd;
namespace planning = quoin::planning;
namespace rigid_body = quoin::rigid_body;

int main() {
  const char* file = "examples/data/iiwa7.urdf";
  const rigid_body::RigidBodyTree tree(rigid_body::read_urdf(file));
  const rigid_body::TreeDynamics arm(tree);
  const rigid_body::JointLimits limits = rigid_body::joint_limits(tree);
  const rigid_body::RobotCapsules bodies = rigid_body::robot_capsules(tree, rigid_body::read_urdf_capsules(file));
  const quoin::CollisionChecker checker(bodies.model);
  const int n = tree.joints();

  const rigid_body::Frame hand = tree.frame("iiwa_link_ee");
  const quoin::PointOffsets place(rigid_body::TreePoints(tree, {{hand}}));
  const quoin::OrientationOffsets turn(rigid_body::TreeFrames(tree, {hand}));
  const Eigen::Vector3d goal(0.5, -0.35, 0.35);
  const Eigen::Matrix3d down = Eigen::AngleAxisd(M_PI, Eigen::Vector3d::UnitX()).toRotationMatrix();
  const quoin::Obstacles world = {quoin::Capsule{{0.55, 0, 0}, {0.55, 0, 0.5}, 0.05}};
  const auto clear = planning::map_residual(quoin::MarginMap(bodies.points, checker, 0.04), world);

  VectorXd start = VectorXd::Zero(2 * n), guessed_end = start;   // angles and rates
  start.head(n) << 0.28, 0.74, 0.54, -1.35, -0.39, 1.16, -2.29;  // the hand at (0.5, 0.35, 0.35), pointing down
  guessed_end.head(n) << -0.3, 0.7, -0.5, -1.3, 0.4, 1.1, 2.3;
  const planning::CollocationProblem problem{
      .dynamics = planning::node_dynamics(arm),
      .times = VectorXd::LinSpaced(61, 0, 2),
      .initial_state = start,
      .lower_state = limits.lower_state(),
      .upper_state = limits.upper_state(),
      .lower_control = -limits.effort,
      .upper_control = limits.effort,
      .running_cost =
          planning::effort_and_tasks(1e-3 * MatrixXd::Identity(n, n), {{"clear", clear, planning::throughout(0, 1e4)}}),
      .boundary = planning::end_constraint(
          {planning::map_residual(place, goal), planning::map_residual(turn, down), planning::rest_residual()}),
      .lower_boundary = VectorXd::Zero(6 + n),
      .upper_boundary = VectorXd::Zero(6 + n)};
  const planning::CollocationPlan plan = planning::collocation(problem, planning::straight_guess(problem, guessed_end));

  // The truth: a simulated arm under these torques, held for 2 ms each, with feedback, without which it would fall
  const quoin::RungeKutta step(arm, 0.002);
  VectorXd x = start, next, weight, wanted, miss, tilt;
  double clearance = 1, load = 0;
  Eigen::Matrix3Xd points;
  for (int i = 0; i < 1000; ++i) {
    const VectorXd off = plan.state(0.002 * i) - x;
    arm.inverse_dynamics(x.head(n), VectorXd::Zero(n), VectorXd::Zero(n), weight);
    arm.inverse_dynamics(x.head(n), VectorXd::Zero(n), 400 * off.head(n) + 40 * off.tail(n), wanted);
    VectorXd torque = plan.control(0.002 * i) + wanted - weight;
    torque = torque.cwiseMin(limits.effort).cwiseMax(-limits.effort).eval();
    if (step.step(x, torque, next) != quoin::StepStatus::ok) return 1;
    x = next;
    bodies.points.evaluate(x.head(n), points);
    clearance = std::min(clearance, checker.min_distance(points, world).distance);
    load = std::max(load, (torque.array() / limits.effort.array()).abs().maxCoeff());
  }
  place.evaluate(x.head(n), goal, miss);
  turn.evaluate(x.head(n), down, tilt);
  std::printf("%s after %d iterations, cost %.4f\n", to_string(plan.stop), plan.iterations, plan.cost);
  std::printf("followed, the hand ends %.2f mm and %.2f degrees from the goal, never nearer than %.0f mm to the post\n",
              1e3 * miss.norm(), tilt.norm() * 180 / M_PI, 1e3 * clearance);
  std::printf("torques up to %.0f %% of their limits\n", 100 * load);
  const bool good = miss.norm() < 2e-3 && tilt.norm() < 0.01 && clearance > 0.02;
  return plan.converged() && good ? 0 : 1;
}
