// SPDX-License-Identifier: BSD-3-Clause
// A robot from a URDF into a planner: an arm of seven joints brings its hand to a place and rests there, within the
// limits that the file gives. From the root of the repository, with quoin installed:
//   g++ -std=c++20 -O2 examples/robot_from_urdf.cpp $(pkg-config --cflags eigen3) -lquoin_rigid_body -lquoin_planning
//     -lquoin_optimization -lquoin_dynamics -lurdfdom_model -lconsole_bridge -ltinyxml
#include <quoin/dynamics/runge_kutta.hpp>
#include <quoin/models/rigid_body/tree_dynamics.hpp>
#include <quoin/models/rigid_body/tree_points.hpp>
#include <quoin/models/rigid_body/urdf.hpp>
#include <quoin/planning/ilqr.hpp>

#include <cstdio>

using Eigen::MatrixXd, Eigen::VectorXd;
namespace planning = quoin::planning;
namespace rigid_body = quoin::rigid_body;

/// Slow joints and small torques on the way, the hand at the goal and all joints at rest at the end: StageResiduals.
struct Reach {
  rigid_body::TreePoints hand;
  Eigen::Vector3d goal;
  int horizon;

  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r) const {
    MatrixXd dx, du;
    return residual(i, x, u, r, dx, du);
  }
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r, MatrixXd& dx, MatrixXd& du) const {
    const Eigen::Index n = x.size() / 2;  // x: angles and rates
    if (i < horizon) {
      r.resize(2 * n);
      r << 0.3 * x.tail(n), 0.003 * u;
      dx.setZero(2 * n, 2 * n);
      dx.topRightCorner(n, n) = 0.3 * MatrixXd::Identity(n, n);
      du.setZero(2 * n, n);
      du.bottomRows(n) = 0.003 * MatrixXd::Identity(n, n);
      return true;
    }
    Eigen::Matrix3Xd place;
    MatrixXd J;
    hand.evaluate(x.head(n), place, J);
    r.resize(3 + n);
    r << 100 * (place - goal), 10 * x.tail(n);
    dx.setZero(3 + n, 2 * n);
    dx.topLeftCorner(3, n) = 100 * J;
    dx.bottomRightCorner(n, n) = 10 * MatrixXd::Identity(n, n);
    du.resize(3 + n, 0);
    return true;
  }
};

int main() {
  const rigid_body::RigidBodyTree tree(rigid_body::read_urdf("examples/data/iiwa7.urdf"));
  const rigid_body::TreeDynamics arm(tree);
  const int n = tree.joints(), horizon = 50;
  VectorXd torque(n), lower(2 * n), upper(2 * n);
  for (int i = 0; i < n; ++i) {
    const rigid_body::Joint& joint = tree.joint(i);
    torque[i] = joint.effort;
    lower[i] = joint.lower, upper[i] = joint.upper;
    lower[n + i] = -joint.velocity, upper[n + i] = joint.velocity;
  }
  VectorXd start = VectorXd::Zero(2 * n);
  start.head(4) << 0, 0.6, 0, -1.2;

  planning::TrajectoryProblem problem{
      .dynamics = quoin::RungeKutta(arm, 0.02),
      .residuals = Reach{rigid_body::TreePoints(tree, {{tree.frame("iiwa_link_ee")}}), {0.2, 0.5, 0.7}, horizon},
      .horizon = horizon,
      .initial_state = start,
      .lower_control = -torque,
      .upper_control = torque,
      .lower_state = lower,
      .upper_state = upper};
  VectorXd holding;  // against gravity: the initial guess
  arm.inverse_dynamics(start.head(n), VectorXd::Zero(n), VectorXd::Zero(n), holding);
  const planning::IlqrResult plan = planning::ilqr(problem, holding.replicate(1, horizon));

  Eigen::Matrix3Xd place;
  const VectorXd end = plan.trajectory.states.rightCols(1);
  problem.residuals.hand.evaluate(end.head(n), place);
  const double miss = (place - problem.residuals.goal).norm(), speed = end.tail(n).norm();
  const double load = (plan.trajectory.controls.cwiseAbs().array().colwise() / torque.array()).maxCoeff();
  std::printf("%s after %d iterations, cost %.4f\n", to_string(plan.stop), plan.iterations, plan.trajectory.cost);
  std::printf("the hand ends %.2f mm from the goal, joints at %.4f rad/s, torques up to %.0f %% of their limits\n",
              1e3 * miss, speed, 100 * load);
  return plan.converged() && plan.violation < 1e-5 && miss < 2e-3 && speed < 0.05 && load <= 1 ? 0 : 1;
}
