// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/models/rigid_body/tree_dynamics.hpp"
#include "quoin/robots/models/rigid_body/urdf.hpp"
#include "quoin/robots/planning/collocation/collocation.hpp"
#include "quoin/robots/planning/collocation/refinement.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/planning/ipopt_transcription.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>

namespace quoin::planning {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using rigid_body::TreeDynamics;

/// Small forces and rates on the way, rest at a posture in the end: one problem for all planners.
struct ReachPosture {
  VectorXd goal;          ///< n, rad
  double duration;        ///< of a step, s
  double effort = 0.1;    ///< of the forces, 1 / (N m sqrt(s))
  double haste = 0.3;     ///< of the rates, sqrt(s) / rad
  double precision = 30;  ///< of posture and rates in the end, 1/rad and s/rad

  bool residual(int, const VectorXd& x, const VectorXd& u, VectorXd& r) const {
    const Eigen::Index n = goal.size();
    r.resize(2 * n);
    if (u.size() > 0) {
      r << std::sqrt(duration) * effort * u, std::sqrt(duration) * haste * x.tail(n);
    } else {
      r << precision * (x.head(n) - goal), 0.1 * precision * x.tail(n);
    }
    return true;
  }
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r, MatrixXd& dr_dx, MatrixXd& dr_du) const {
    const Eigen::Index n = goal.size();
    dr_dx.setZero(2 * n, 2 * n);
    dr_du.setZero(2 * n, u.size());
    if (u.size() > 0) {
      dr_du.topRows(n).diagonal().setConstant(std::sqrt(duration) * effort);
      dr_dx.bottomRightCorner(n, n).diagonal().setConstant(std::sqrt(duration) * haste);
    } else {
      dr_dx.diagonal() << VectorXd::Constant(n, precision), VectorXd::Constant(n, 0.1 * precision);
    }
    return residual(i, x, u, r);
  }
};

/// The first joint must not turn faster than this.
struct SlowBase {
  double limit;
  bool constraint(int, const VectorXd& x, const VectorXd&, VectorXd& h) const {
    h = VectorXd::Constant(1, x[x.size() / 2] - limit);
    return true;
  }
  bool constraint(int i, const VectorXd& x, const VectorXd& u, VectorXd& h, MatrixXd& dh_dx, MatrixXd& dh_du) const {
    dh_dx.setZero(1, x.size());
    dh_dx(0, x.size() / 2) = 1;
    dh_du.setZero(1, u.size());
    return constraint(i, x, u, h);
  }
};

/// Two rods that hang from the world.
TreeDynamics two_links() {
  using namespace rigid_body;
  const Inertia rod{.mass = 1, .centre = {0, 0, -0.2}, .about_centre = Eigen::Vector3d(0.02, 0.02, 1e-3).asDiagonal()};
  const auto hinge = [](const char* name) {
    return Joint{.name = name, .type = JointType::revolute, .axis = {0, 1, 0}, .damping = 0.1};
  };
  const Eigen::Isometry3d below(Eigen::Translation3d(0, 0, -0.4));
  return TreeDynamics(
      RigidBodyTree(
          {{.name = "upper", .joint = hinge("shoulder"), .inertia = rod},
           {.name = "lower", .parent = "upper", .joint = hinge("elbow"), .placement = below, .inertia = rod}}),
      {.friction = Friction::viscous});
}

TrajectoryProblem<RungeKutta<TreeDynamics>, ReachPosture> reach(const TreeDynamics& robot, const VectorXd& goal,
                                                                int horizon, double duration, double limit) {
  const Eigen::Index n = robot.coordinates();
  return {.dynamics = RungeKutta(robot, duration, 2),
          .residuals = {.goal = goal, .duration = duration},
          .horizon = horizon,
          .initial_state = VectorXd::Zero(2 * n),
          .lower_control = VectorXd::Constant(n, -limit),
          .upper_control = VectorXd::Constant(n, limit)};
}

VectorXd at_rest(const VectorXd& q) {
  VectorXd x = VectorXd::Zero(2 * q.size());
  x.head(q.size()) = q;
  return x;
}

}  // namespace

TEST_CASE("two links are led to a posture by iLQR, within the limits of their motors") {
  const VectorXd goal = Eigen::Vector2d(0.9, -0.6);
  const IlqrResult plan = ilqr(reach(two_links(), goal, 40, 0.025, 6), MatrixXd::Zero(2, 40));
  REQUIRE(plan.converged());
  CHECK((plan.trajectory.states.col(40).head(2) - goal).norm() < 0.01);
  CHECK(plan.trajectory.controls.cwiseAbs().maxCoeff() <= 6);
}

#ifdef QUOIN_HAS_IPOPT
TEST_CASE("one residual and one constraint serve iLQR, transcription and collocation, which find one motion") {
  const VectorXd goal = Eigen::Vector2d(0.9, -0.6);
  const auto free = reach(two_links(), goal, 80, 0.0125, 6);
  const TrajectoryProblem<RungeKutta<TreeDynamics>, ReachPosture, SlowBase> problem{
      .dynamics = free.dynamics,
      .residuals = free.residuals,
      .constraints = {1.2},
      .horizon = free.horizon,
      .initial_state = free.initial_state,
      .lower_control = free.lower_control,
      .upper_control = free.upper_control};
  const IlqrResult shot = ilqr(problem, MatrixXd::Zero(2, 80));
  CAPTURE(to_string(shot.stop), shot.iterations, shot.violation, shot.projected_gradient, shot.trajectory.cost);
  REQUIRE(shot.converged());
  CHECK(shot.trajectory.states.row(2).maxCoeff() > 1.19);  // the constraint is active

  const TranscriptionResult transcribed =
      ipopt_transcription(problem, {.controls = MatrixXd::Zero(2, 80)}, {.ipopt = {.tolerance = 1e-5}});
  CHECK(std::abs(transcribed.trajectory.cost - shot.trajectory.cost) <
        5e-3 * shot.trajectory.cost);  // docs/robots/planning.md

  const CollocationProblem same = collocation_problem(problem);
  const CollocationPlan plan = collocation(same, straight_guess(same, at_rest(goal)));
  REQUIRE(plan.converged());
  CHECK(std::abs(plan.cost - shot.trajectory.cost) < 0.02 * shot.trajectory.cost);  // first order in the step
  for (int i = 0; i <= 80; i += 8) {
    CAPTURE(i, plan.state(i * 0.0125).transpose(), shot.trajectory.states.col(i).transpose());
    CHECK((plan.state(i * 0.0125) - shot.trajectory.states.col(i)).norm() < 0.05);
  }
}

TEST_CASE("the refined plan of a trajectory problem misses its dynamics by no more than was asked") {
  const VectorXd goal = Eigen::Vector2d(0.9, -0.6);
  const CollocationProblem problem = collocation_problem(reach(two_links(), goal, 5, 0.2, 6));
  const RefinedCollocation refined =
      collocation_refined(problem, straight_guess(problem, at_rest(goal)), {.tolerance = 1e-4});
  CHECK(refined.converged());
  CHECK(refined.plan.largest_defect < 1e-4);
  CHECK(refined.meshes.size() > 1);
}
#endif

#if defined(QUOIN_HAS_URDF)
TEST_CASE("an iiwa from its URDF goes into iLQR and collocation by its name alone") {
  const TreeDynamics iiwa(rigid_body::RigidBodyTree(rigid_body::read_urdf(QUOIN_IIWA7_URDF)));
  VectorXd goal(7);
  goal << 0.4, 0.5, -0.2, -0.7, 0.3, 0.4, 0.1;
  const auto problem = reach(iiwa, goal, 30, 0.02, 100);
  const IlqrResult shot = ilqr(problem, MatrixXd::Zero(7, 30));
  CAPTURE(to_string(shot.stop), shot.iterations, shot.violation, shot.projected_gradient, shot.trajectory.cost);
  REQUIRE(shot.converged());
  CHECK((shot.trajectory.states.col(30).head(7) - goal).norm() < 0.05);
#ifdef QUOIN_HAS_IPOPT
  const CollocationProblem same = collocation_problem(problem);
  CHECK_FALSE(same.dynamics.explicit_rate);  // by its inverse dynamics
  const CollocationPlan plan = collocation(same, straight_guess(same, at_rest(goal)),
                                           {.scheme = CollocationScheme::trapezoid, .ipopt = {.max_iterations = 200}});
  REQUIRE(plan.converged());
  CHECK(std::abs(plan.cost - shot.trajectory.cost) < 0.1 * shot.trajectory.cost);
#endif
}
#endif

TEST_CASE("constraints that have no number at the start, or another later, are refused by collocation") {
  struct Blind : NoConstraints {
    bool constraint(int, const VectorXd&, const VectorXd&, VectorXd&) const { return false; }
    using NoConstraints::constraint;
  };
  const auto free = reach(two_links(), VectorXd::Zero(2), 4, 0.1, 6);
  const TrajectoryProblem<RungeKutta<TreeDynamics>, ReachPosture, Blind> problem{
      .dynamics = free.dynamics, .residuals = free.residuals, .horizon = 4, .initial_state = free.initial_state};
  CHECK_THROWS_WITH(collocation_problem(problem), Catch::Contains("4 steps cannot be computed at the initial state"));
}

}  // namespace quoin::planning
