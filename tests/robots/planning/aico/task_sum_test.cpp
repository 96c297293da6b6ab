// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/task_sum.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::planning;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Two points of a planar arm of two links.
struct TwoLinks {
  Eigen::Index point_count() const { return 2; }
  void evaluate(const VectorXd& q, Eigen::Matrix3Xd& p) const {
    p.resize(3, 2);
    p.col(0) << std::cos(q[0]), std::sin(q[0]), 0;
    p.col(1) = p.col(0) + Eigen::Vector3d(std::cos(q[0] + q[1]), std::sin(q[0] + q[1]), 0);
  }
  void evaluate(const VectorXd& q, Eigen::Matrix3Xd& p, MatrixXd& J) const {
    evaluate(q, p);
    J.setZero(6, 2);
    J.block<3, 1>(0, 0) << -p(1, 0), p(0, 0), 0;
    J.block<3, 1>(3, 0) << -p(1, 1), p(0, 1), 0;
    J.block<3, 1>(3, 1) << -(p(1, 1) - p(1, 0)), p(0, 1) - p(0, 0), 0;
  }
};

Eigen::Matrix3Xd goals_at(int t) { return Eigen::Matrix3Xd{{0.5, 1.0 + t}, {0.1, -0.4}, {0, 0.2}}; }

TaskSum all_terms(int horizon) {
  return TaskSum(
      {{"points", map_residual(PointOffsets(TwoLinks{}), goals_at), throughout(horizon, 3)},
       {"shifted",
        map_residual(PointOffsets(TwoLinks{}), goals_at,
                     [](int t) { return VectorXd(VectorXd::Constant(6, 0.1 * t)); }),
        at_end(horizon, 7)},
       {"limits", limit_residual(Eigen::Vector2d(-0.5, -0.5), Eigen::Vector2d(1, 1), 0.1), throughout(horizon, 11)},
       {"rest", rest_residual(), at_end(horizon, 0.5)}});
}

}  // namespace

TEST_CASE("A sum of tasks is the sum of their weighted squares, and its gradient that of its cost") {
  const TaskSum task = all_terms(2);
  CHECK(task.horizon() == 2);
  for (const VectorXd& x :
       {VectorXd{{0.3, 0.4, 0.2, -0.7}}, VectorXd{{0.95, -0.47, 1, 2}}, VectorXd{{-0.9, 1.8, 0, 1}}}) {
    for (const int t : {0, 2}) {
      const auto at = [&](const VectorXd& y) {
        LocalTask local;
        local.set_zero(4);
        REQUIRE(task(t, y, local));
        return local;
      };
      const LocalTask local = at(x);
      Eigen::Matrix3Xd p;
      TwoLinks{}.evaluate(x.head(2), p);
      double cost = 1.5 * (p - goals_at(t)).squaredNorm();
      for (int i = 0; i < 2; ++i) {
        const double over = std::max({0.0, x[i] - 0.9, -0.4 - x[i]});
        cost += 5.5 * over * over;
      }
      if (t == 2) {
        cost += 3.5 * (p - goals_at(t) - Eigen::Matrix3Xd::Constant(3, 2, 0.2)).squaredNorm();
        cost += 0.25 * x.tail(2).squaredNorm();
      }
      CHECK(local.cost == Approx(cost).epsilon(1e-13));
      const VectorXd gradient = local.R * x - local.r, v = VectorXd{{0.3, -0.2, 0.5, 0.1}};
      double before = 0;
      for (const double h : {1e-2, 5e-3, 2.5e-3}) {
        const double remainder = std::abs(at(x + h * v).cost - local.cost - h * gradient.dot(v));
        if (before > 0) {
          CHECK(before / remainder > 3.7);
          CHECK(before / remainder < 4.3);
        }
        before = remainder;
      }
    }
  }
}

TEST_CASE("A goal and a target that do not change in time are given as they are, also as expressions") {
  const Eigen::Matrix3Xd goals = goals_at(0);
  const VectorXd x{{0.3, 0.4, 0.2, -0.7}}, shift = VectorXd::LinSpaced(6, 0, 1);
  const auto at = [](int) { return goals_at(0); };
  const auto residual = [&x](const TaskResidual& of) {
    VectorXd e;
    MatrixXd J;
    REQUIRE(of(0, x, e, J));
    MatrixXd both(e.size(), 1 + J.cols());
    both << e, J;
    return both;
  };
  const PointOffsets points{TwoLinks{}};
  const MatrixXd unshifted = residual(map_residual(points, at));
  CHECK(residual(map_residual(points, goals)) == unshifted);
  CHECK(residual(map_residual(points, 0.5 * (goals + goals))) == unshifted);
  const MatrixXd shifted = residual(map_residual(points, at, [&](int) { return shift; }));
  CHECK(shifted != unshifted);
  CHECK(residual(map_residual(points, goals, shift)) == shifted);
  CHECK(residual(map_residual(points, goals, 0.5 * (shift + shift))) == shifted);
  CHECK(residual(map_residual(points, at, shift)) == shifted);
}

TEST_CASE("Costs by term add up to the costs of the slices") {
  const TaskSum task = all_terms(3);
  const MatrixXd states = MatrixXd::Random(4, 4);
  double sum = 0;
  for (int t = 0; t <= 3; ++t) {
    LocalTask local;
    local.set_zero(4);
    REQUIRE(task(t, states.col(t), local));
    sum += local.cost;
  }
  const VectorXd costs = task.costs(states);
  CHECK(costs.size() == 4);
  CHECK(costs.minCoeff() >= 0);
  CHECK(costs.sum() == Approx(sum).epsilon(1e-13));
}

TEST_CASE("A task without precision is not evaluated, one that fails is said to") {
  const TaskResidual fails = [](int, const VectorXd&, VectorXd&, MatrixXd&) { return false; };
  const TaskSum task({{"later", fails, at_end(2, 1)}});
  LocalTask local;
  local.set_zero(2);
  CHECK(task(0, VectorXd::Zero(2), local));
  CHECK_FALSE(task(2, VectorXd::Zero(2), local));
  CHECK(std::isnan(task.costs(MatrixXd::Zero(2, 3))[0]));
}

TEST_CASE("Sums of tasks refuse what does not fit with the numbers in the message") {
  CHECK_THROWS_WITH(TaskSum({}), Catch::Contains("no terms"));
  CHECK_THROWS_WITH(TaskSum({{"hand", {}, at_end(2, 1)}}), Catch::Contains("'hand' has no residual"));
  CHECK_THROWS_WITH(TaskSum({{"a", rest_residual(), at_end(2, 1)}, {"b", rest_residual(), at_end(3, 1)}}),
                    Catch::Contains("'b' has 4 precisions, the first has 3"));
  CHECK_THROWS_WITH(TaskSum({{"a", rest_residual(), at_end(2, -1)}}), Catch::Contains("precision -1 at time 2"));
  CHECK_THROWS_WITH(limit_residual(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 0.1), 0.1),
                    Catch::Contains("coordinate 1"));
  CHECK_THROWS_WITH(at_end(-1, 1), Catch::Contains("-1"));
  LocalTask local;
  local.set_zero(4);
  const TaskSum wrong_target(
      {{"points", map_residual(PointOffsets(TwoLinks{}), goals_at, [](int) { return VectorXd(VectorXd::Zero(5)); }),
        at_end(0, 1)}});
  CHECK_THROWS_WITH(wrong_target(0, VectorXd::Zero(4), local), Catch::Contains("target of 5 numbers for a map of 6"));
  const TaskSum wrong_state(
      {{"limits", limit_residual(Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(1, 1, 1), 0), at_end(0, 1)}});
  CHECK_THROWS_WITH(wrong_state(0, VectorXd::Zero(4), local), Catch::Contains("limits of 3 coordinates for 2"));
  CHECK_THROWS_WITH(all_terms(2)(3, VectorXd::Zero(4), local), Catch::Contains("time 3"));
  Eigen::VectorXd y;
  CHECK_THROWS_WITH(PointOffsets(TwoLinks{}).evaluate(VectorXd::Zero(2), Eigen::Matrix3Xd::Zero(3, 1), y),
                    Catch::Contains("1 goals for 2 points"));
}
