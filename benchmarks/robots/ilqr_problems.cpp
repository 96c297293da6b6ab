// SPDX-License-Identifier: BSD-3-Clause
// iLQR on problems whose best cost is known: how many iterations it takes, and how close it ends.
#include "benchmarks/support/benchmark_program.hpp"
#include "examples/studies/arm7/iiwa7.hpp"
#include "examples/studies/soft_arm_laser/laser_study_parts.hpp"
#include "examples/studies/swimming/stroke_study.hpp"
#include "testing/robots/planning_problems.hpp"
#include "testing/robots/torque_robot.hpp"

#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <random>

namespace {
using namespace quoin;
using namespace benchmarks;
using namespace quoin::planning;
using namespace quoin::planning::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A tree of n rods that hang from the world, with axes, lengths and masses drawn.
rigid_body::RigidBodyTree random_rods(std::mt19937& generator, int n) {
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  std::vector<rigid_body::Link> links;
  for (int i = 0; i < n; ++i) {
    const double length = 0.2 + 0.3 * uniform(generator), mass = 0.5 + 2 * uniform(generator);
    const double across = mass * length * length / 12;
    rigid_body::Link link{.name = "link" + to_text(i),
                          .inertia = {.mass = mass,
                                      .centre = {0, 0, -length / 2},
                                      .about_centre = Eigen::Vector3d(across, across, 0.1 * across).asDiagonal()}};
    const Eigen::Vector3d axis(normal(generator), normal(generator), normal(generator));
    link.joint = {.name = "joint" + to_text(i), .type = rigid_body::JointType::revolute, .axis = axis.normalized()};
    if (i > 0) {
      link.parent = links.back().name;
      link.placement = Eigen::Isometry3d(Eigen::Translation3d(0, 0, -length));
    }
    links.push_back(link);
  }
  return rigid_body::RigidBodyTree(links);
}

/// Between two drawn postures in 1.5 s, with motors 1.3 times as strong as the goal needs, and 2 N m.
ReachProblem random_reach(const TorqueRobot& robot, std::mt19937& generator) {
  const Eigen::Index n = robot.control_size();
  std::normal_distribution<double> normal;
  VectorXd start = VectorXd::Zero(2 * n), goal = start;
  for (Eigen::Index j = 0; j < n; ++j) {
    start[j] = 0.7 * normal(generator);
    goal[j] = 0.7 * normal(generator);
  }
  const VectorXd limit = 1.3 * robot.holding(goal.head(n)).cwiseAbs() + VectorXd::Constant(n, 2);
  return {.dynamics = robot,
          .residuals = {.goal = goal, .effort = 0.03, .distance = 0.1, .precision = 20},
          .horizon = 75,
          .initial_state = start,
          .lower_control = -limit,
          .upper_control = limit};
}

/// The soft arm's laser plan of the demonstration, on a grid of 2-jets.
void add_laser(const auto& judge) {
  namespace laser = studies::laser;
  const laser::Arm<3> arm;
  const laser::Surrogate<3> surrogate(arm, {.jet_order = 2, .spacing = 0.9, .threshold = 0.9});
  const auto view = surrogate.grid().at_level(0);
  const auto dynamics = surrogate.dynamics(view);
  const auto tip = surrogate.tip(view);
  judge(
      "soft arm's laser, K 200",
      [&](const MatrixXd& guess, IlqrOptions options) {
        options.initial_regularization = arm.setup.first_regularization;
        return laser::solve(arm, dynamics, tip, false, guess, options);
      },
      laser::zero_controls(arm));
}

/// The swimmer's stroke on a grid of its added mass.
void add_stroke(const auto& judge) {
  namespace stroke = studies::stroke;
  const stroke::Fish fish;
  const auto grid = stroke::make_grid(fish, {});
  const auto view = grid.at_level(0);
  judge(
      "swimmer's stroke, K " + to_text(fish.setup.steps),
      [&](const MatrixXd& guess, IlqrOptions options) {
        options.initial_regularization = fish.setup.first_regularization;
        return stroke::solve_on_grid(fish, view, guess, options);
      },
      MatrixXd::Zero(stroke::joints, fish.setup.steps));
}

Report run(bool quick) {
  Report report;
  int close = 0, problems = 0;
  IlqrOptions options;
  options.max_iterations = 300;
  options.relative_tolerance = 1e-9;
  IlqrOptions newton = options;
  newton.relative_tolerance = 0;
  newton.exact_hessians = true;
  // solve: iLQR from these controls, with these options.
  const auto judge = [&](const std::string& name, const auto& solve, const MatrixXd& start) {
    const IlqrResult plan = solve(start, options);
    newton.multipliers = plan.multipliers;
    const IlqrResult best = solve(plan.trajectory.controls, newton);  // of the same basin
    const double excess = (plan.trajectory.cost - best.trajectory.cost) / best.trajectory.cost;
    report.results.add(studies::figures::ResultRow()
                           .set("problem", name)
                           .set("cost", plan.trajectory.cost)
                           .set("best", best.trajectory.cost)
                           .set("excess", excess)
                           .set("iterations", plan.iterations)
                           .set("stop", to_string(plan.stop)));
    ++problems;
    close += plan.converged() && excess < 1e-6;
    return plan;
  };
  const auto add = [&](const std::string& name, const auto& problem, const MatrixXd& start) {
    return judge(
        name, [&](const MatrixXd& guess, const IlqrOptions& with) { return ilqr(problem, guess, with); }, start);
  };

  const TorqueRobot iiwa(rigid_body::RigidBodyTree(studies::iiwa::iiwa7_links()), 7, 0.02);
  const ReachProblem reach = iiwa_reach(iiwa);
  const IlqrResult arm =
      add("iiwa within its torques", reach, iiwa.holding(reach.initial_state.head(7)).replicate(1, reach.horizon));
  report.checks.push_back({"iiwa: in no more iterations than the 156 of Crocoddyl's BoxDDP: " + to_text(arm.iterations),
                           arm.converged() && arm.iterations <= 156});
  report.checks.push_back({"iiwa: at a cost no greater than the 10.6720 of Crocoddyl's BoxDDP: " +
                               studies::figures::format_number(arm.trajectory.cost),
                           arm.trajectory.cost < 10.67205});
  for (const double force : {20.0, 8.0}) {
    auto pole = cart_pole_swing_up();
    pole.horizon = force < 10 ? 150 : 100;
    pole.lower_control.setConstant(-force);
    pole.upper_control.setConstant(force);
    add("cart-pole, at most " + to_text(force) + " N", pole, MatrixXd::Constant(1, pole.horizon, 0.1));
  }
  auto car = car_among_discs();
  car.constraints.discs.clear();
  add("car to a goal", car, gentle_start(car));
  auto box = random_linear_problem(7, 8, 4, 100);
  box.lower_control = VectorXd::Constant(4, -0.1);
  box.upper_control = VectorXd::Constant(4, 0.1);
  const IlqrResult linear = add("box-LQ, n 8, m 4, K 100, unstable", box, MatrixXd::Zero(4, 100));
  report.checks.push_back({"box-LQ: in at most 5 iterations: " + to_text(linear.iterations), linear.iterations <= 5});

  if (!quick) {
    add_laser(judge);
    add_stroke(judge);
  }
  for (unsigned seed = 10001; seed <= (quick ? 10003u : 10010u); ++seed) {
    std::mt19937 generator(seed);
    const int n = 2 + static_cast<int>(seed % 5);
    const TorqueRobot robot(random_rods(generator, n), n, 0.02, 0.1);
    const ReachProblem problem = random_reach(robot, generator);
    const VectorXd holding = robot.holding(problem.initial_state.head(n));
    add(to_text(n) + " rods, seed " + to_text(seed), problem, holding.replicate(1, problem.horizon));
  }
  report.checks.push_back({"within 1e-6 of the basin's best cost on two thirds of the problems: " + to_text(close) +
                               " of " + to_text(problems),
                           3 * close >= 2 * problems});
  report.columns = {{"problem"}, {"cost"}, {"best", "best of the basin"}, {"excess"}, {"iterations"}, {"stop"}};
  report.notes =
      "relative_tolerance 1e-9, at most 300 iterations. The basin's best cost is that of exact Hessians from the "
      "plan.\n";
  return report;
}
}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "ilqr_problems", "iLQR on problems whose best cost is known.", run);
}
