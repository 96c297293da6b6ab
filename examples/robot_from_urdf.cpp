// SPDX-License-Identifier: BSD-3-Clause
// A robot from a URDF into a planner: an arm of seven joints turns its hand from one side of a post to the other, where
// it rests and points down; torques, joints and rates keep the limits of the file, its links keep clear of the post and
// of each other. From the root of the repository, with quoin installed:
//   g++ -std=c++20 -O2 examples/robot_from_urdf.cpp $(pkg-config --cflags eigen3) -lquoin_rigid_body -lquoin_planning
//     -lquoin_optimization -lquoin_dynamics -lquoin_geometry -lurdfdom_model -lconsole_bridge -ltinyxml
#include <quoin/robots/dynamics/runge_kutta.hpp>
#include <quoin/robots/geometry/margin_map.hpp>
#include <quoin/robots/models/rigid_body/joint_limits.hpp>
#include <quoin/robots/models/rigid_body/tree_dynamics.hpp>
#include <quoin/robots/models/rigid_body/tree_frames.hpp>
#include <quoin/robots/models/rigid_body/urdf.hpp>
#include <quoin/robots/planning/ilqr.hpp>
#include <quoin/robots/planning/task_residuals.hpp>
#include <quoin/robots/task_maps/orientation_offsets.hpp>
#include <quoin/robots/task_maps/point_offsets.hpp>

#include <algorithm>
#include <cstdio>

using Eigen::VectorXd;
namespace planning = quoin::planning;
namespace rigid_body = quoin::rigid_body;

int main() {
  const char* file = "examples/data/iiwa7.urdf";
  const rigid_body::RigidBodyTree tree(rigid_body::read_urdf(file));
  const rigid_body::TreeDynamics arm(tree);
  const rigid_body::JointLimits limits = rigid_body::joint_limits(tree);
  const rigid_body::RobotCapsules bodies = rigid_body::robot_capsules(tree, rigid_body::read_urdf_capsules(file));
  const quoin::CollisionChecker checker(bodies.model);
  const int n = tree.joints(), horizon = 100;

  // What the hand shall do, and what the arm shall not touch
  const rigid_body::Frame hand = tree.frame("iiwa_link_ee");
  const quoin::PointOffsets place(rigid_body::TreePoints(tree, {{hand}}));
  const quoin::OrientationOffsets turn(rigid_body::TreeFrames(tree, {hand}));
  const quoin::MarginMap clear(bodies.points, checker, 0.03);
  const Eigen::Vector3d goal(0.5, -0.35, 0.35);
  const Eigen::Matrix3d down = Eigen::AngleAxisd(M_PI, Eigen::Vector3d::UnitX()).toRotationMatrix();
  const quoin::Obstacles world = {quoin::Capsule{{0.55, 0, 0}, {0.55, 0, 0.5}, 0.05}};

  VectorXd start = VectorXd::Zero(2 * n);                        // angles and rates
  start.head(n) << 0.28, 0.74, 0.54, -1.35, -0.39, 1.16, -2.29;  // the hand at (0.5, 0.35, 0.35), pointing down
  planning::TrajectoryProblem problem{
      .dynamics = quoin::RungeKutta(arm, 0.02),
      .residuals =
          planning::TaskResiduals({{"place", planning::map_residual(place, goal), planning::at_end(horizon, 1e6)},
                                   {"turn", planning::map_residual(turn, down), planning::at_end(horizon, 1e4)},
                                   {"clear", planning::map_residual(clear, world), planning::throughout(horizon, 1e4)},
                                   {"slow", planning::rest_residual(), planning::throughout(horizon, 0.1)},
                                   {"rest", planning::rest_residual(), planning::at_end(horizon, 1e3)}},
                                  VectorXd::Constant(n, 1e-5)),
      .horizon = horizon,
      .initial_state = start,
      .lower_control = -limits.effort,
      .upper_control = limits.effort,
      .lower_state = limits.lower_state(),
      .upper_state = limits.upper_state()};
  VectorXd holding;  // against gravity: the initial guess
  arm.inverse_dynamics(start.head(n), VectorXd::Zero(n), VectorXd::Zero(n), holding);
  const planning::IlqrResult plan = planning::ilqr(problem, holding.replicate(1, horizon));

  const VectorXd end = plan.trajectory.states.rightCols(1).topRows(n);
  VectorXd miss, tilt;
  place.evaluate(end, goal, miss);
  turn.evaluate(end, down, tilt);
  double clearance = 1;
  Eigen::Matrix3Xd points;
  for (int i = 0; i <= horizon; ++i) {
    bodies.points.evaluate(plan.trajectory.states.col(i).head(n), points);
    clearance = std::min(clearance, checker.min_distance(points, world).distance);
  }
  const double load = (plan.trajectory.controls.cwiseAbs().array().colwise() / limits.effort.array()).maxCoeff();
  std::printf("%s after %d iterations, cost %.4f\n", to_string(plan.stop), plan.iterations, plan.trajectory.cost);
  std::printf("the hand ends %.2f mm and %.2f degrees from the goal, never nearer than %.0f mm to the post\n",
              1e3 * miss.norm(), tilt.norm() * 180 / M_PI, 1e3 * clearance);
  std::printf("torques up to %.0f %% of their limits\n", 100 * load);
  const bool good = miss.norm() < 1e-3 && tilt.norm() < 0.02 && clearance > 0.02 && load <= 1;
  return plan.converged() && plan.violation < 1e-5 && good ? 0 : 1;
}
