// SPDX-License-Identifier: BSD-3-Clause
// A plan through Surrogate, whatever it chose to be.
#include "quoin/choosing/surrogate.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/robots/planning/ilqr.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::planning;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// A mass in a field of forces that a map answers, in steps of 0.05 s: states (place, rate).
template <class Map>
struct MassInField {
  const Map& field;

  Eigen::Index state_size() const { return 4; }
  Eigen::Index control_size() const { return 2; }
  StepStatus step(const VectorXd& x, const VectorXd& u, VectorXd& next) const {
    MatrixXd dx, du;
    return step(x, u, next, dx, du);
  }
  StepStatus step(const VectorXd& x, const VectorXd& u, VectorXd& next, MatrixXd& dx, MatrixXd& du) const {
    constexpr double h = 0.05;
    VectorXd force;
    MatrixXd by_place;
    if (!field.try_evaluate(x.head<2>(), force, by_place).has_value()) return StepStatus::outside_domain;
    next.resize(4);
    next.tail<2>() = x.tail<2>() + h * (u + force);
    next.head<2>() = x.head<2>() + h * next.tail<2>();
    dx.setIdentity(4, 4);
    dx.bottomLeftCorner<2, 2>() = h * by_place;
    dx.topRows<2>() += h * dx.bottomRows<2>();
    du.setZero(4, 2);
    du.bottomRows<2>().diagonal().setConstant(h);
    du.topRows<2>() = h * du.bottomRows<2>();
    return StepStatus::ok;
  }
};

struct ToPlace {
  VectorXd goal;
  bool residual(int, const VectorXd& x, const VectorXd& u, VectorXd& r) const {
    r.resize(u.size() + 4);
    r << 0.1 * u, (u.size() > 0 ? 0.1 : 10.0) * (x - goal);
    return true;
  }
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r, MatrixXd& dx, MatrixXd& du) const {
    const Eigen::Index m = u.size();
    dx.setZero(m + 4, 4);
    dx.bottomRows<4>().diagonal().setConstant(m > 0 ? 0.1 : 10.0);
    du.setZero(m + 4, m);
    du.topRows(m).diagonal().setConstant(0.1);
    return residual(i, x, u, r);
  }
};

}  // namespace

TEST_CASE("iLQR through a Surrogate finds the plan on f, in drawn fields, to the surrogate's error") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> draw(0.5, 2);
    const double a = draw(random), b = draw(random), c = draw(random);
    const auto force = [=](const Point<2>& x, auto y, auto J) {
      y << -std::sin(a * x[0] + x[1]), c * std::cos(b * x[1]) * x[0];
      if (J.size() == 0) return;
      J << -a * std::cos(a * x[0] + x[1]), -std::cos(a * x[0] + x[1]), c * std::cos(b * x[1]),
          -c * b * std::sin(b * x[1]) * x[0];
    };
    const auto f = exact_function<2>(2, force);
    const Surrogate<2> surrogate(f, Point<2>(-2, -2), Point<2>(2, 2), {.error = 1e-5});
    AdaptiveGrid<2> fine(f, {.tolerance = 1e-9});
    VectorXd start = VectorXd::Zero(4), goal = VectorXd::Zero(4);
    start.head<2>() << -1, 0.5;
    goal.head<2>() << 1, draw(random) - 1;
    const auto plan_on = [&](const auto& map) {
      using Mass = MassInField<std::remove_cvref_t<decltype(map)>>;
      const TrajectoryProblem<Mass, ToPlace> problem{
          .dynamics = {map}, .residuals = {goal}, .horizon = 40, .initial_state = start};
      return ilqr(problem, MatrixXd::Zero(2, 40));
    };
    const IlqrResult plan = plan_on(surrogate), truth = plan_on(fine);
    CHECK(plan.converged());
    CHECK(truth.converged());
    CHECK((plan.trajectory.controls - truth.trajectory.controls).cwiseAbs().maxCoeff() < 1e-3);
    CHECK(surrogate.evaluations() < 400);
  }
}
