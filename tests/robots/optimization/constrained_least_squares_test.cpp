// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/constrained_least_squares.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace quoin::optimization;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Eigen::Index;

namespace {

/// The point of the intersection of a disc of radius 1 about 0 and the half plane x + y <= 1 that is nearest to
/// `wanted`, with residuals that are not linear: of sinh.
struct NearestPoint {
  Eigen::Vector2d wanted;
  mutable long rows_asked = 0;

  bool residuals(const Vector& x, Vector& r, Vector& h) const {
    r = (x - wanted).array().sinh().matrix();
    h = Eigen::Vector2d(x.squaredNorm() - 1, x.sum() - 1);
    return x.norm() < 10;
  }
  bool jacobians(const Vector& x, const std::vector<Index>& active, Vector& r, Matrix& J, Vector& h, Matrix& H) const {
    if (!residuals(x, r, h)) return false;
    J = (x - wanted).array().cosh().matrix().asDiagonal();
    H.resize(static_cast<Index>(active.size()), 2);
    for (std::size_t k = 0; k < active.size(); ++k)
      H.row(static_cast<Index>(k)) = active[k] == 0 ? Eigen::RowVector2d(2 * x.transpose()) : Eigen::RowVector2d(1, 1);
    rows_asked += H.rows();
    return true;
  }
  ConstrainedLeastSquaresResult solve(const ConstrainedLeastSquaresOptions& options = {}, double bound = 5) const {
    return constrained_least_squares([this](const Vector& x, Vector& r, Vector& h) { return residuals(x, r, h); },
                                     [this](const Vector& x, const std::vector<Index>& active, Vector& r, Matrix& J,
                                            Vector& h, Matrix& H) { return jacobians(x, active, r, J, h, H); },
                                     Eigen::Vector2d(0.1, -0.2), Vector::Constant(2, -bound),
                                     Vector::Constant(2, bound), options);
  }
};

}  // namespace

TEST_CASE("constrained least squares ends at a point that meets the conditions of Karush, Kuhn and Tucker") {
  for (const Eigen::Vector2d& wanted : {Eigen::Vector2d(0.2, 0.3), Eigen::Vector2d(-1.5, 0.4), Eigen::Vector2d(1, 1.1),
                                        Eigen::Vector2d(2, -0.9), Eigen::Vector2d(3, 0.1)}) {
    CAPTURE(wanted.transpose());
    const NearestPoint problem{wanted};
    const auto result = problem.solve();
    REQUIRE(result.converged());
    CHECK(result.violation <= 1e-6);
    Vector r, h;
    Matrix J, H;
    problem.jacobians(result.x, {0, 1}, r, J, h, H);
    CHECK(result.cost == Approx(0.5 * r.squaredNorm()));
    REQUIRE((result.multipliers.array() >= 0).all());
    // The terms' slopes at the end are the multipliers that hold.
    const Vector lambda = (result.multipliers + result.penalty * h).cwiseMax(0.0);
    CHECK((J.transpose() * r + H.transpose() * lambda).norm() < 1e-4 * (1 + r.norm()));
    CHECK(std::abs(lambda.dot(h)) < 1e-4);
  }
}

TEST_CASE("a constraint that nothing presses against costs no rows; bounds hold exactly") {
  const NearestPoint inside{Eigen::Vector2d(0.2, 0.3)};
  CHECK(inside.solve().converged());
  CHECK(inside.rows_asked == 0);
  const NearestPoint outside{Eigen::Vector2d(-1.5, 0.4)};
  const auto bounded = outside.solve({}, 0.5);
  CHECK(bounded.converged());
  CHECK(bounded.x[0] == -0.5);
  CHECK(bounded.x[1] == Approx(0.4));
}

TEST_CASE("from a solution's multipliers it is found again at once, and a budget of iterations is kept") {
  const NearestPoint problem{Eigen::Vector2d(1, 1.1)};
  const auto first = problem.solve();
  REQUIRE(first.converged());
  const auto again =
      constrained_least_squares([&](const Vector& x, Vector& r, Vector& h) { return problem.residuals(x, r, h); },
                                [&](const Vector& x, const std::vector<Index>& active, Vector& r, Matrix& J, Vector& h,
                                    Matrix& H) { return problem.jacobians(x, active, r, J, h, H); },
                                first.x, Vector::Constant(2, -5), Vector::Constant(2, 5),
                                {.initial_penalty = first.penalty, .multipliers = first.multipliers});
  CHECK(again.converged());
  CHECK(again.iterations <= 2);
  CHECK(first.iterations > 4);
  for (const int budget : {0, 1, 3}) {
    const auto cut = problem.solve({.least_squares = {.max_iterations = budget}});
    CHECK(cut.iterations == budget);
    CHECK(cut.jacobian_calls == budget);
    CHECK_FALSE(cut.converged());
  }
}

TEST_CASE("constrained least squares refuses multipliers that do not fit, and says when it cannot begin") {
  const NearestPoint problem{Eigen::Vector2d(1, 1)};
  CHECK_THROWS_WITH(problem.solve({.multipliers = Vector::Zero(3)}), Catch::Contains("3 multipliers"));
  CHECK_THROWS_AS(problem.solve({.multipliers = Vector::Constant(2, -1)}), std::invalid_argument);
  const auto result = constrained_least_squares(
      [](const Vector&, Vector&, Vector&) { return false; },
      [](const Vector&, const std::vector<Index>&, Vector&, Matrix&, Vector&, Matrix&) { return false; },
      Vector::Zero(2), Vector::Constant(2, -1), Vector::Constant(2, 1));
  CHECK(result.stop == quoin::Stop::initial_failed);
  CHECK_FALSE(result.converged());
}

TEST_CASE("options of constrained least squares that mean nothing are refused with their name and value") {
  const NearestPoint problem{Eigen::Vector2d(1, 1)};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](const ConstrainedLeastSquaresOptions& options, const char* what) {
    CHECK_THROWS_AS(problem.solve(options), std::invalid_argument);
    CHECK_THROWS_WITH(problem.solve(options), Catch::Contains(what));
  };
  refused({.least_squares = {.relative_tolerance = nan}}, "relative_tolerance = nan");
  refused({.constraint_tolerance = nan}, "constraint_tolerance = nan");
  refused({.initial_penalty = -1}, "initial_penalty = -1");
  refused({.penalty_factor = nan}, "penalty_factor = nan");
  refused({.max_penalty = 0}, "max_penalty = 0");
  refused({.max_updates = -1}, "max_updates = -1");
}
