// SPDX-License-Identifier: BSD-3-Clause
// Plans on a model that is off, corrected by rollouts of the truth.
#include "quoin/robots/planning/correct_by_rollouts.hpp"
#include "quoin/util/errors.hpp"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

using namespace quoin;
using namespace quoin::planning;

namespace {

/// A pendulum with a torque, by explicit steps that are of second order.
struct Pendulum {
  double stiffness = 9.81, damping = 0.1;

  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    Eigen::MatrixXd dx, du;
    return step(x, u, next, dx, du);
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dx,
                  Eigen::MatrixXd& du) const {
    constexpr double dt = 0.05;
    next.resize(2);
    next[1] = x[1] + dt * (u[0] - stiffness * std::sin(x[0]) - damping * x[1]);
    next[0] = x[0] + dt * next[1];
    dx.resize(2, 2);
    du.resize(2, 1);
    dx(1, 0) = -dt * stiffness * std::cos(x[0]);
    dx(1, 1) = 1 - dt * damping;
    dx(0, 0) = 1 + dt * dx(1, 0);
    dx(0, 1) = dt * dx(1, 1);
    du << dt * dt, dt;
    return StepStatus::ok;
  }
};

/// To an angle from the middle on, with little torque.
struct Reach {
  double angle;
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    Eigen::MatrixXd dx, du;
    return residual(i, x, u, r, dx, du);
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dx,
                Eigen::MatrixXd& du) const {
    const double weight = i >= 20 ? 10 : 0;
    r.setZero(1 + u.size());
    dx.setZero(r.size(), 2);
    du.setZero(r.size(), u.size());
    r[0] = weight * (x[0] - angle);
    dx(0, 0) = weight;
    if (u.size() > 0) {
      r[1] = 0.05 * u[0];
      du(1, 0) = 0.05;
    }
    return true;
  }
};

/// The angle stays below a bound.
struct Below {
  double most;
  bool constraint(int, const Eigen::VectorXd& x, const Eigen::VectorXd&, Eigen::VectorXd& h) const {
    h = Eigen::VectorXd::Constant(1, x[0] - most);
    return true;
  }
  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h, Eigen::MatrixXd& dx,
                  Eigen::MatrixXd& du) const {
    dx.setZero(1, 2);
    dx(0, 0) = 1;
    du.setZero(1, u.size());
    return constraint(i, x, u, h);
  }
};

template <class Constraints>
using Problem = TrajectoryProblem<Pendulum, Reach, Constraints>;

template <class Constraints>
Problem<Constraints> problem_of(const Pendulum& pendulum, double angle, const Constraints& constraints) {
  return {.dynamics = pendulum,
          .residuals = {angle},
          .constraints = constraints,
          .horizon = 40,
          .initial_state = Eigen::VectorXd::Zero(2)};
}

/// The angle ends below a bound: a constraint of the last stage alone.
struct EndsBelow {
  double most;
  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd&, Eigen::VectorXd& h) const {
    h = Eigen::VectorXd::Constant(i == 40 ? 1 : 0, x[0] - most);
    return true;
  }
  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h, Eigen::MatrixXd& dx,
                  Eigen::MatrixXd& du) const {
    constraint(i, x, u, h);
    dx.setZero(h.size(), 2);
    dx.leftCols(1).setOnes();
    du.setZero(h.size(), u.size());
    return true;
  }
};

/// What a problem's motion shows under some controls.
template <class Constraints>
TrueMotion shown_by(const Problem<Constraints>& truth) {
  return [truth](const Eigen::MatrixXd& controls) {
    const Trajectory motion = roll_out(truth, controls).trajectory;
    StageValues shown;
    for (Eigen::Index i = 0; i < motion.states.cols(); ++i) {
      const Eigen::VectorXd u = i < controls.cols() ? controls.col(i) : Eigen::VectorXd();
      truth.residuals.residual(static_cast<int>(i), motion.states.col(i), u, shown.residuals.emplace_back());
      truth.constraints.constraint(static_cast<int>(i), motion.states.col(i), u, shown.constraints.emplace_back());
    }
    return shown;
  };
}

const Eigen::MatrixXd no_torque = Eigen::MatrixXd::Zero(1, 40);

}  // namespace

TEST_CASE("a few rollouts bring plans on drawn wrong models to the truth's own optimum, and say so") {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> off(0.92, 1.08), angle(0.3, 1.2);
  int near = 0, converged = 0;
  constexpr int draws = 30;
  for (int draw = 0; draw < draws; ++draw) {
    const Pendulum truth{.stiffness = 9.81 * off(random), .damping = 0.1 * off(random)};
    const double to = angle(random);
    const auto on_truth = problem_of(truth, to, NoConstraints{});
    const double best = ilqr(on_truth, no_torque).trajectory.cost;
    const double uncorrected =
        roll_out(on_truth, ilqr(problem_of(Pendulum{}, to, NoConstraints{}), no_torque).trajectory.controls)
            .trajectory.cost;
    const CorrectedPlan plan = correct_by_rollouts(problem_of(Pendulum{}, to, NoConstraints{}), no_torque,
                                                   shown_by(on_truth), {.max_rollouts = 5});
    CAPTURE(draw, uncorrected / best, plan.cost / best, to_string(plan.stop));
    CHECK(plan.cost <= uncorrected * (1 + 1e-12));
    CHECK(plan.cost == Approx(roll_out(on_truth, plan.plan.trajectory.controls).trajectory.cost));
    REQUIRE(plan.log.size() == static_cast<std::size_t>(plan.iterations));
    near += plan.cost < 1.01 * best;
    converged += plan.converged();
    if (plan.converged())
      CHECK(std::abs(plan.log.back().cost - plan.log.back().promised) <= 1e-3 * plan.log.back().cost);
  }
  CHECK(near >= 28);
  CHECK(converged >= 28);
}

TEST_CASE("a model that is right needs one rollout") {
  const auto problem = problem_of(Pendulum{}, 0.8, NoConstraints{});
  const CorrectedPlan plan = correct_by_rollouts(problem, no_torque, shown_by(problem));
  CHECK(plan.converged());
  CHECK(plan.iterations == 1);
  CHECK(plan.cost == Approx(plan.plan.trajectory.cost));
}

TEST_CASE("constraints hold on the truth after corrections, where they did not as planned") {
  const Pendulum truth{.stiffness = 9.3, .damping = 0.08};
  const auto on_truth = problem_of(truth, 1.0, Below{0.9});
  const CorrectedPlan plan = correct_by_rollouts(problem_of(Pendulum{}, 1.0, Below{0.9}), no_torque, shown_by(on_truth),
                                                 {.max_rollouts = 8, .violation_tolerance = 1e-4});
  CHECK(plan.log.front().violation > 1e-3);
  CHECK(plan.converged());
  CHECK(plan.violation <= 1e-4);
  CHECK(roll_out(on_truth, plan.plan.trajectory.controls).violation <= 1e-4);
}

TEST_CASE("bounds that the truth cannot show are refused, and so is a truth that leaves constraints out") {
  using Catch::Matchers::Contains;
  auto bounded = problem_of(Pendulum{}, 0.8, NoConstraints{});
  bounded.upper_state = Eigen::Vector2d(0.7, std::numeric_limits<double>::infinity());
  CHECK_THROWS_WITH(correct_by_rollouts(bounded, no_torque, shown_by(bounded)),
                    Contains("upper_state 0 is 0.7") && Contains("give bounds of these as constraints"));
  bounded.upper_state[0] = std::numeric_limits<double>::infinity();
  CHECK(correct_by_rollouts(bounded, no_torque, shown_by(bounded)).converged());

  const auto ends = problem_of(Pendulum{}, 0.8, EndsBelow{2.0});  // which the model keeps with room to spare
  CHECK_THROWS_WITH(correct_by_rollouts(ends, no_torque,
                                        [&](const Eigen::MatrixXd& controls) {
                                          StageValues shown = shown_by(ends)(controls);
                                          shown.constraints.clear();
                                          return shown;
                                        }),
                    Contains("0 stages, where the problem has 41, of constraints"));
}

TEST_CASE("a truth without a motion, with other sizes, or that is interrupted, is told") {
  using Catch::Matchers::Contains;
  const auto problem = problem_of(Pendulum{}, 0.8, NoConstraints{});
  const TrueMotion right = shown_by(problem);
  const CorrectedPlan failed = correct_by_rollouts(
      problem, no_torque, [](const Eigen::MatrixXd&) -> StageValues { throw std::runtime_error("the motor stalled"); });
  CHECK(failed.stop == Stop::evaluation_failed);
  CHECK_THAT(failed.message, Contains("the motor stalled"));
  CHECK(failed.plan.trajectory.controls.cols() == 40);
  CHECK_THROWS_AS(correct_by_rollouts(problem, no_torque,
                                      [](const Eigen::MatrixXd&) -> StageValues { throw Interrupted("enough"); }),
                  Interrupted);
  CHECK_THROWS_WITH(correct_by_rollouts(problem, no_torque,
                                        [&](const Eigen::MatrixXd& controls) {
                                          StageValues shown = right(controls);
                                          shown.residuals.pop_back();
                                          return shown;
                                        }),
                    Contains("40 stages, where the problem has 41"));
  CHECK_THROWS_WITH(correct_by_rollouts(problem, no_torque,
                                        [&](const Eigen::MatrixXd& controls) {
                                          StageValues shown = right(controls);
                                          shown.residuals[3].resize(5);
                                          return shown;
                                        }),
                    Contains("5 numbers at stage 3, where the problem has 2"));
  CHECK_THROWS_WITH(correct_by_rollouts(problem, no_torque, {}), Contains("no truth"));
  CHECK_THROWS_WITH(correct_by_rollouts(problem, no_torque, right, {.max_rollouts = 0}), Contains("max_rollouts = 0"));
}
