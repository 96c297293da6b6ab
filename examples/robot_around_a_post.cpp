// SPDX-License-Identifier: BSD-3-Clause
// Approximate inference with a robot from a URDF: the hand reaches for the same point behind a post, once around its
// left side and once around its right. What chooses the side is a goal in topological space: how much the arm is wound
// around the post. From the root of the repository, with quoin installed:
//   g++ -std=c++20 -O2 examples/robot_around_a_post.cpp $(pkg-config --cflags eigen3) -lquoin_aico -lquoin_rigid_body
//     -lquoin_topology -lquoin_dynamics -lquoin_geometry -lurdfdom_model -lconsole_bridge -ltinyxml
#include <quoin/robots/geometry/margin_map.hpp>
#include <quoin/robots/models/rigid_body/joint_limits.hpp>
#include <quoin/robots/models/rigid_body/tree_points.hpp>
#include <quoin/robots/models/rigid_body/urdf.hpp>
#include <quoin/robots/models/topology/writhe_map.hpp>
#include <quoin/robots/planning/aico/aico.hpp>
#include <quoin/robots/planning/aico/linear_step.hpp>
#include <quoin/robots/planning/aico/task_sum.hpp>
#include <quoin/robots/task_maps/point_offsets.hpp>

#include <algorithm>
#include <cstdio>

using Eigen::MatrixXd, Eigen::VectorXd;
namespace planning = quoin::planning;
namespace rigid_body = quoin::rigid_body;
namespace topology = quoin::topology;

int main() {
  const char* file = "examples/data/iiwa7.urdf";
  const rigid_body::RigidBodyTree tree(rigid_body::read_urdf(file));
  const rigid_body::JointLimits limits = rigid_body::joint_limits(tree);
  const rigid_body::RobotCapsules bodies = rigid_body::robot_capsules(tree, rigid_body::read_urdf_capsules(file));
  const quoin::CollisionChecker checker(bodies.model);
  const int n = tree.joints(), horizon = 50;

  const rigid_body::TreePoints chain(tree, {{tree.frame("iiwa_link_2")},
                                            {tree.frame("iiwa_link_4")},
                                            {tree.frame("iiwa_link_6")},
                                            {tree.frame("iiwa_link_ee")}});
  const topology::WritheMap winding(chain, {.form = topology::WritheForm::scalar});
  const quoin::PointOffsets place(rigid_body::TreePoints(tree, {{tree.frame("iiwa_link_ee")}}));
  const quoin::MarginMap clear(bodies.points, checker, 0.02);
  const Eigen::Vector3d goal(0.62, 0, 0.4);
  const Eigen::Matrix3Xd post{{0.4, 0.4}, {0, 0}, {0, 1.2}};
  const quoin::Obstacles world = {quoin::Capsule{post.col(0), post.col(1), 0.03}};

  const VectorXd start = VectorXd::Zero(2 * n);  // angles and rates: upright
  bool good = true;
  for (const double side : {1.0, -1.0}) {
    planning::AicoProblem problem{.state_size = 2 * n,
                                  .horizon = horizon,
                                  .control_cost = 0.01 * MatrixXd::Identity(n, n),
                                  .initial_state = start,
                                  .dynamics = planning::linear_dynamics(planning::second_order_step(n, 0.1))};
    VectorXd at_start;
    winding.evaluate(start.head(n), post, at_start);
    const auto wound = [&](int t) {  // a straight line in topological space
      return VectorXd(at_start + (VectorXd::Constant(1, 0.4 * side) - at_start) * t / horizon);
    };
    problem.task = planning::TaskSum(
        {{"place", planning::map_residual(place, goal), planning::at_end(horizon, 1e5)},
         {"winding", planning::map_residual(winding, post, wound), planning::throughout(horizon, 1e3)},
         {"clear", planning::map_residual(clear, world), planning::throughout(horizon, 1e4)},
         {"limits", planning::limit_residual(limits.lower, limits.upper, 0.02), planning::throughout(horizon, 1e3)},
         {"rest", planning::rest_residual(), planning::at_end(horizon, 1e2)}});
    // From upright the straight way leads through the post: begin with a turn to the side
    VectorXd turned = VectorXd::Zero(n);
    turned << 0.7 * side, 0.8, 0, -1.2, 0, 0, 0;
    const MatrixXd path = turned * VectorXd::LinSpaced(horizon + 1, 0, 1).transpose();
    const planning::AicoResult plan =
        planning::aico(problem, planning::second_order_controls(path, VectorXd::Zero(n), 0.1),
                       {.max_iterations = 300, .relative_tolerance = 1e-4});

    const VectorXd end = plan.states.rightCols(1).topRows(n);
    VectorXd miss, turns;
    place.evaluate(end, goal, miss);
    winding.evaluate(end, post, turns);
    double clearance = 1;
    Eigen::Matrix3Xd points;
    for (int t = 0; t <= horizon; ++t) {
      bodies.points.evaluate(plan.states.col(t).head(n), points);
      clearance = std::min(clearance, checker.min_distance(points, world).distance);
    }
    std::printf("%s: %s after %d iterations, cost %.2f, %.1f mm from the goal, wound by %.2f, %.0f mm clear\n",
                side > 0 ? "left" : "right", to_string(plan.stop), plan.iterations, plan.cost, 1e3 * miss.norm(),
                turns[0], 1e3 * clearance);
    good = good && plan.converged() && miss.norm() < 2e-3 && turns[0] * side > 0 && clearance > 0;
  }
  return good ? 0 : 1;
}
