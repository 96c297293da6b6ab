// SPDX-License-Identifier: BSD-3-Clause
// One problem, stated once, solved by every planner that applies: a three-link arm is led to rest at a posture. Then
// two planners on drawn problems (docs/notes/planning.md).
#include "known_problems.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/models/rigid_body/tree_dynamics.hpp"
#include "quoin/robots/planning/collocation/collocation.hpp"
#include "quoin/robots/planning/collocation/refinement.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/planning/ipopt_transcription.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>

namespace {
using namespace quoin;
using namespace benchmarks;
using namespace quoin::planning;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using rigid_body::TreeDynamics;

/// Rods of 0.4 m and 1 kg that hang from the world, with damped joints.
TreeDynamics three_links() {
  using namespace rigid_body;
  const Inertia rod{.mass = 1, .centre = {0, 0, -0.2}, .about_centre = Eigen::Vector3d(0.02, 0.02, 1e-3).asDiagonal()};
  std::vector<Link> links;
  for (const char* name : {"upper", "middle", "lower"}) {
    Link link{.name = name, .inertia = rod};
    link.joint = {.name = name, .type = JointType::revolute, .axis = {0, 1, 0}, .damping = 0.1};
    if (!links.empty()) {
      link.parent = links.back().name;
      link.placement = Eigen::Isometry3d(Eigen::Translation3d(0, 0, -0.4));
    }
    links.push_back(link);
  }
  return TreeDynamics(RigidBodyTree(links), {.friction = Friction::viscous});
}

/// Small forces and rates on the way, rest at a posture in the end.
struct Reach {
  VectorXd goal;
  double duration;  ///< of a step, s
  bool residual(int, const VectorXd& x, const VectorXd& u, VectorXd& r) const {
    const Eigen::Index n = goal.size();
    r.resize(2 * n);
    if (u.size() > 0) {
      r << 0.1 * u, 0.3 * x.tail(n);
      r *= std::sqrt(duration);
    } else {
      r << 30 * (x.head(n) - goal), 3 * x.tail(n);
    }
    return true;
  }
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r, MatrixXd& dr_dx, MatrixXd& dr_du) const {
    const Eigen::Index n = goal.size();
    dr_dx.setZero(2 * n, 2 * n);
    dr_du.setZero(2 * n, u.size());
    if (u.size() > 0) {
      dr_du.topRows(n).diagonal().setConstant(0.1 * std::sqrt(duration));
      dr_dx.bottomRightCorner(n, n).diagonal().setConstant(0.3 * std::sqrt(duration));
    } else {
      dr_dx.diagonal() << VectorXd::Constant(n, 30), VectorXd::Constant(n, 3);
    }
    return residual(i, x, u, r);
  }
};

Report run(bool quick) {
  const TreeDynamics arm = three_links();
  const int steps = quick ? 40 : 80;
  const double duration = 1.0 / steps;
  const TrajectoryProblem problem{.dynamics = RungeKutta(arm, duration),
                                  .residuals = Reach{Eigen::Vector3d(0.9, -0.6, 0.4), duration},
                                  .horizon = steps,
                                  .initial_state = VectorXd::Zero(6),
                                  .lower_control = VectorXd::Constant(3, -12),
                                  .upper_control = VectorXd::Constant(3, 12)};
  const MatrixXd start = MatrixXd::Zero(3, steps);
  const CollocationProblem same = collocation_problem(problem);

  Report report;
  double least = 1e300, greatest = 0;
  // A plan is judged by the posture in which its controls leave the arm.
  const auto add = [&](const char* planner, double seconds, bool converged, double cost, int iterations,
                       const CollocationPlan& plan) {
    const auto seen = replay(same.dynamics, plan, 1e-3);
    const VectorXd end = seen.status == StepStatus::ok ? seen.final_state() : VectorXd::Constant(6, NAN);
    const double off = (end.head(3) - problem.residuals.goal).norm();
    report.results.add(studies::figures::ResultRow()
                           .set("planner", planner)
                           .set("cost", cost)
                           .set("iterations", iterations)
                           .set("seconds", seconds)
                           .set("off", off));
    least = std::min(least, cost);
    greatest = std::max(greatest, cost);
    report.checks.push_back({std::string(planner) + " converges, and ends within 0.05 rad of the posture: " +
                                 studies::figures::format_number(off),
                             converged && off < 0.05});
  };
  const auto held =
      [&](const Trajectory&
              trajectory) {  // over each step, as a plan in time: without rates it would be a guess, and linear
        CollocationPlan plan{.scheme = CollocationScheme::euler, .times = same.times, .states = trajectory.states};
        plan.controls.resize(3, steps + 1);
        plan.controls << trajectory.controls, trajectory.controls.rightCols(1);
        plan.rates.setZero(3, steps + 1);
        return plan;
      };

  IlqrResult shot;
  const double shooting = seconds_of([&] { shot = ilqr(problem, start); });
  add("ilqr", shooting, shot.converged(), shot.trajectory.cost, shot.iterations, held(shot.trajectory));
#ifdef QUOIN_HAS_IPOPT
  TranscriptionResult transcribed;
  const double transcribing = seconds_of([&] { transcribed = ipopt_transcription(problem, {.controls = start}); });
  add("ipopt_transcription", transcribing, transcribed.converged(), transcribed.trajectory.cost, transcribed.iterations,
      held(transcribed.trajectory));
  VectorXd goal = VectorXd::Zero(6);
  goal.head(3) = problem.residuals.goal;
  CollocationPlan plan;
  const double collocating = seconds_of([&] { plan = collocation(same, straight_guess(same, goal)); });
  add("collocation", collocating, plan.converged(), plan.cost, plan.iterations, plan);
  CollocationProblem coarse = same;
  coarse.times = VectorXd::LinSpaced(6, 0, 1);
  RefinedCollocation refined;
  const double refining =
      seconds_of([&] { refined = collocation_refined(coarse, straight_guess(coarse, goal), {.tolerance = 1e-4}); });
  add("collocation_refined", refining, refined.converged(), refined.plan.cost, refined.iterations, refined.plan);
#endif
  report.columns = {{"planner"}, {"cost"}, {"iterations"}, {"seconds"}, {"off", "posture missed [rad]"}};
  report.notes = "A damped arm of three links, 1 s in " + to_text(steps) +
                 " steps; one statement of the problem for all. Collocation minimizes the integral, the others the sum "
                 "over steps. Single runs.\n";
  report.checks.push_back(
      {"all find one cost, to 2 %: " + studies::figures::format_number(greatest / least), greatest < 1.02 * least});
  known_problems(report, quick);
  return report;
}
}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "planners", "One trajectory problem by every planner that takes it.", run);
}
