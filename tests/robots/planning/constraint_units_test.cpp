// SPDX-License-Identifier: BSD-3-Clause
// Bounds and constraints of plans in any unit.
#include "quoin/robots/planning/ilqr.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Core>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A point that moves by its control, in a unit.
struct UnitSteps {
  Eigen::Index state_size() const { return 1; }
  Eigen::Index control_size() const { return 1; }
  StepStatus step(const VectorXd& x, const VectorXd& u, VectorXd& next) const {
    next = x + u;
    return StepStatus::ok;
  }
  StepStatus step(const VectorXd& x, const VectorXd& u, VectorXd& next, MatrixXd& by_x, MatrixXd& by_u) const {
    by_x = by_u = MatrixXd::Identity(1, 1);
    return step(x, u, next);
  }
};

/// It shall go to `goal` units in five steps.
struct UnitGoal {
  double unit, weight, goal;
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r) const {
    r = i < 5 ? VectorXd(0.1 * weight / unit * u) : VectorXd(weight / unit * (x.array() - goal * unit).matrix());
    return true;
  }
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r, MatrixXd& by_x, MatrixXd& by_u) const {
    residual(i, x, u, r);
    by_x = MatrixXd::Constant(1, 1, i < 5 ? 0 : weight / unit);
    by_u = MatrixXd::Constant(1, u.size(), 0.1 * weight / unit);
    return true;
  }
};

/// And stay below `bound` units, which is said in another unit.
struct UnitBound {
  double unit, scale, bound;
  bool constraint(int, const VectorXd& x, const VectorXd&, VectorXd& h) const {
    h = scale * (x.array() / unit - bound).matrix();
    return true;
  }
  bool constraint(int i, const VectorXd& x, const VectorXd& u, VectorXd& h, MatrixXd& by_x, MatrixXd& by_u) const {
    constraint(i, x, u, h);
    by_x = MatrixXd::Constant(1, 1, scale / unit);
    by_u = MatrixXd::Zero(1, u.size());
    return true;
  }
};

}  // namespace

TEST_CASE("plans in any units are converged inside their bounds and constraints alone") {
  std::mt19937_64 random(seed_wanted() + 11);
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  int converged = 0, wrong = 0;
  const int draws = draws_wanted(200);
  for (int k = 0; k < draws; ++k) {
    const double unit = std::pow(10, draw(-8, 6)), weight = std::pow(10, draw(-3, 3)),
                 scale = std::pow(10, draw(-7, 3));
    const double goal = draw(2, 4), bound = draw(0.5, 1.5);
    const auto judge = [&](const IlqrResult& plan) {
      converged += plan.converged();
      wrong += plan.converged() && std::abs(plan.trajectory.states(0, 5) / unit - bound) > 1e-3;
    };
    judge(ilqr(TrajectoryProblem{.dynamics = UnitSteps{},
                                 .residuals = UnitGoal{unit, weight, goal},
                                 .horizon = 5,
                                 .initial_state = VectorXd(VectorXd::Zero(1)),
                                 .upper_state = VectorXd(VectorXd::Constant(1, bound * unit))},
               MatrixXd::Zero(1, 5)));
    judge(ilqr(TrajectoryProblem{.dynamics = UnitSteps{},
                                 .residuals = UnitGoal{unit, weight, goal},
                                 .constraints = UnitBound{unit, scale, bound},
                                 .horizon = 5,
                                 .initial_state = VectorXd(VectorXd::Zero(1))},
               MatrixXd::Zero(1, 5)));
  }
  CHECK(wrong == 0);
  CHECK(converged > draws / 2);
}
