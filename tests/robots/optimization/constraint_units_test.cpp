// SPDX-License-Identifier: BSD-3-Clause
// A constraint in a unit in which it is tiny is no constraint that is met.
#include "quoin/robots/optimization/constrained_least_squares.hpp"
#include "quoin/robots/optimization/constraint_size.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

using namespace quoin::optimization;
using namespace quoin::test;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("constrained least squares in any units are converged at the constrained minimum alone") {
  std::mt19937_64 random(seed_wanted() + 3);
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  int converged = 0, wrong = 0;
  const int draws = draws_wanted(300);
  for (int k = 0; k < draws; ++k) {
    // min 1/2 a^2 |D x - g|^2 under s n . (D x) <= s b: the foot of g on that plane, if it lies beyond.
    const double a = std::pow(10, draw(-6, 6)), s = std::pow(10, draw(-8, 6)), b = draw(0.5, 2);
    const VectorXd D = VectorXd::NullaryExpr(3, [&](Index) { return std::pow(10, draw(-4, 4)); });
    const VectorXd g = VectorXd::NullaryExpr(3, [&](Index) { return draw(-4, 4); });
    const VectorXd n = VectorXd::NullaryExpr(3, [&](Index) { return draw(-1, 1); }).normalized();
    const VectorXd truth = g - std::max(0.0, n.dot(g) - b) * n;
    const auto residuals = [&](const VectorXd& x, VectorXd& r, VectorXd& h) {
      r = a * (D.cwiseProduct(x) - g);
      h = VectorXd::Constant(1, s * (n.dot(D.cwiseProduct(x)) - b));
      return true;
    };
    const auto jacobians = [&](const VectorXd& x, const std::vector<Index>& active, VectorXd& r, MatrixXd& J,
                               VectorXd& h, MatrixXd& H) {
      residuals(x, r, h);
      J = a * MatrixXd(D.asDiagonal());
      H.resize(static_cast<Index>(active.size()), 3);
      for (Index row = 0; row < H.rows(); ++row) H.row(row) = s * n.cwiseProduct(D).transpose();
      return true;
    };
    const VectorXd far = VectorXd::Constant(3, 1e9);
    const auto found = constrained_least_squares(residuals, jacobians, VectorXd::Zero(3), -far, far);
    converged += found.converged();
    wrong += found.converged() && (D.cwiseProduct(found.x) - truth).norm() > 1e-3 * truth.norm();
  }
  CHECK(wrong == 0);
  CHECK(converged > draws / 2);  // where residuals and constraint are far apart the penalty does not get there
}

TEST_CASE("a constraint's own unit counts but where it hardly varies") {
  CHECK(constraint_size(3) == 1);
  CHECK(constraint_size(0.01) == 1);
  CHECK(constraint_size(1e-6) == 1e-6);
  CHECK(constraint_size(1e-12) == 1);
  CHECK(constraint_size(0) == 1);
}
