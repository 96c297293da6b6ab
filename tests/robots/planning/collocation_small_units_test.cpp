// SPDX-License-Identifier: BSD-3-Clause
// Whether what collocation calls converged keeps constraints whose numbers are small, as those of metres are where
// parts move by nanometres: drawn ends within reach and beyond it. QUOIN_DRAWS and QUOIN_SEED draw more and others.
#include "quoin/robots/planning/collocation/collocation.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace quoin;
using namespace quoin::planning;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// q'' = gain u.
struct Pushed {
  double gain;
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus rate(const VectorXd& x, const VectorXd& u, VectorXd& f) const {
    f = Eigen::Vector2d(x[1], gain * u[0]);
    return StepStatus::ok;
  }
  StepStatus rate(const VectorXd& x, const VectorXd& u, VectorXd& f, MatrixXd& dx, MatrixXd& du) const {
    dx = Eigen::Matrix2d{{0, 1}, {0, 0}};
    du = Eigen::Vector2d(0, gain);
    return rate(x, u, f);
  }
};

/// From rest to rest over `distance` in time 1 at least effort, as |u| <= 1 allows up to a quarter of the gain;
/// `length` is the unit in which the end, or a limit of the speed, is stated.
struct PushedReach {
  double gain, distance, length, max_speed = std::numeric_limits<double>::infinity();

  CollocationPlan plan() const {
    CollocationProblem problem{.dynamics = node_dynamics(Pushed{gain}),
                               .times = VectorXd::LinSpaced(21, 0, 1),
                               .initial_state = VectorXd::Zero(2),
                               .lower_control = VectorXd::Constant(1, -1),
                               .upper_control = VectorXd::Constant(1, 1),
                               .running_cost = effort(MatrixXd::Identity(1, 1))};
    const double size = length;
    problem.boundary = [size](const VectorXd& x, VectorXd& h, MatrixXd& dx) {
      h = size * x;
      dx = size * MatrixXd::Identity(2, 2);
      return true;
    };
    problem.lower_boundary = problem.upper_boundary = Eigen::Vector2d(size * distance, 0);
    if (std::isfinite(max_speed)) {
      problem.path = [size](double, const VectorXd& x, const VectorXd&, VectorXd& g, MatrixXd& dx, MatrixXd& du) {
        g = VectorXd::Constant(1, size * x[1]);
        dx = size * Eigen::RowVector2d(0, 1);
        du.setZero(1, 1);
        return true;
      };
      problem.lower_path = VectorXd::Constant(1, -std::numeric_limits<double>::infinity());
      problem.upper_path = VectorXd::Constant(1, size * max_speed);
    }
    return collocation(problem, straight_guess(problem, Eigen::Vector2d(distance, 0)), {});
  }
};

struct ReachCounts {
  int within = 0, met = 0, beyond = 0, claimed = 0;

  void add(const CollocationPlan& plan, bool possible, double missed) {
    possible ? ++within : ++beyond;
    if (plan.converged()) possible ? met += missed < 1e-3 : ++claimed;
  }
};

}  // namespace

TEST_CASE("what collocation calls converged keeps its end and its path in any units") {
  std::mt19937 random(quoin::test::seed_wanted());
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const int draws = quoin::test::draws_wanted(30);
  ReachCounts small_gains, small_rows, speeds;
  for (int draw = 0; draw < draws; ++draw) {
    const bool possible = draw % 3 == 0;
    const double share = possible ? between(0.5, 0.9) : between(1.07, 1.2), unit = std::pow(10, between(-13, -4));
    const auto missed = [](const CollocationPlan& plan, double distance) {
      return std::abs(plan.states(0, plan.states.cols() - 1) / distance - 1);
    };
    const CollocationPlan near = PushedReach{unit, share * unit / 4, 1}.plan();
    small_gains.add(near, possible, missed(near, share * unit / 4));
    const CollocationPlan stated = PushedReach{1, share / 4, unit}.plan();
    small_rows.add(stated, possible, missed(stated, share / 4));
    // At most half of what the distance takes in the mean, or half more.
    const double distance = 0.15, fastest = distance * (possible ? 1.5 : 0.5);
    const CollocationPlan slow = PushedReach{1, distance, unit, fastest}.plan();
    speeds.add(slow, possible, std::max(missed(slow, distance), slow.states.row(1).maxCoeff() / fastest - 1));
  }
  for (const ReachCounts& counts : {small_gains, small_rows, speeds}) {
    CAPTURE(counts.within, counts.met, counts.beyond, counts.claimed);
    CHECK(counts.claimed == 0);
    CHECK(10 * counts.met >= 9 * counts.within);
  }
}
