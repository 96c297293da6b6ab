// SPDX-License-Identifier: BSD-3-Clause
#include "robots/models/soft_arm/branch_prediction.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "robots/models/soft_arm/small_arm.hpp"
#include "robots/models/soft_arm/solution_memory.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <random>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// An equilibrium with its Taylor polynomial, from the derivatives that the statics gives.
KnownEquilibrium<2> known_at(const Statics<2>& statics, const Point<2>& alpha, int order) {
  const SoftArm<2>& arm = statics.arm();
  MatrixXd jet(statics.output_size(), order == 2 ? 6 : 10);
  statics.evaluate_jet(order, alpha, jet);
  auto equilibrium = std::make_shared<Equilibrium<2>>();
  equilibrium->alpha = alpha;
  equilibrium->y = jet.col(0);
  equilibrium->jacobian = jet.middleCols(1, 2);
  auto taylor = std::make_shared<BranchTaylor>();
  taylor->order = order;
  taylor->x.setZero(arm.free_size(), padded_to_eight(static_cast<int>(jet.cols()) - 1));
  const double factorials[] = {1, 1, 2, 1, 2, 6, 2, 2, 6};
  for (Eigen::Index m = 0; m < jet.cols() - 1; ++m)
    taylor->x.col(m) = arm.free_part(jet.col(m + 1).head(arm.size())) / factorials[m];
  return {equilibrium, taylor};
}

struct Errors {
  double value, slope, unexplained;
};

Errors errors_of(const Statics<2>& statics, const KnownEquilibrium<2>& a, const KnownEquilibrium<2>& b,
                 const Point<2>& alpha) {
  const SoftArm<2>& arm = statics.arm();
  const BranchPrediction<2> predicted = predict_branch(arm, a, b, alpha);
  VectorXd y;
  MatrixXd J;
  statics.evaluate(alpha, y, J);
  const VectorXd error = arm.free_part(y.head(arm.size())) - arm.free_part(predicted.x);
  const VectorXd of_slope = J(arm.free_dofs(), Eigen::all) * predicted.direction - predicted.slope;
  return {error.norm(), of_slope.norm(), (of_slope - predicted.error_growth * error).norm()};
}

}  // namespace

TEST_CASE("a branch is predicted to one order more than the Taylor polynomial has, and its slope to that order") {
  const Statics<2> statics(small_arm<2>());
  const Point<2> at(0.4, 0.9), direction = Point<2>(0.8, -0.6);
  for (const int order : {2, 3}) {
    const auto known = known_at(statics, at, order);
    const Errors far = errors_of(statics, known, {}, at + 0.4 * direction),
                 near = errors_of(statics, known, {}, at + 0.2 * direction);
    CAPTURE(order);
    CHECK(std::abs(std::log2(far.value / near.value) - (order + 1)) < 0.3);
    CHECK(std::abs(std::log2(far.slope / near.slope) - order) < 0.3);
    // What the error of the value does not explain of the slope's is of one order more.
    CHECK(far.unexplained < 0.2 * far.slope);
    CHECK(near.unexplained < 0.6 * far.unexplained / far.slope * near.slope);
  }
}

TEST_CASE("two polynomials on a line predict to sixth order, between them and beyond") {
  const Statics<2> statics(small_arm<2>());
  const Point<2> at(0.4, 0.9), direction = Point<2>(0.8, -0.6);
  for (const double where : {0.3, 0.6, 2.0}) {
    const auto error = [&](double h) {
      const auto a = known_at(statics, at, 2), b = known_at(statics, at + h * direction, 2);
      return errors_of(statics, where < 0.5 ? a : b, where < 0.5 ? b : a, at + where * h * direction);
    };
    CAPTURE(where);
    const Errors far = error(0.8), near = error(0.4);
    CHECK(std::abs(std::log2(far.value / near.value) - 6) < 0.8);
    CHECK(far.unexplained < 0.5 * far.slope);
  }
}

TEST_CASE("of the equilibria in memory the nearest polynomials within reach are taken, and a second on their line") {
  const Statics<2> statics(small_arm<2>());
  SolutionMemory<2> memory(16, 16);
  const auto at = [&](double a, double b) { return known_at(statics, {a, b}, 2); };
  CHECK(!memory.polynomials({0, 0}, 1).first.equilibrium);
  memory.remember(at(1, 0));
  memory.remember(at(0, 1.2));
  CHECK(memory.polynomials({0, 0}, 1).first.equilibrium->alpha == Point<2>(1, 0));
  CHECK(!memory.polynomials({0, 0}, 0.9).first.equilibrium);
  CHECK(!memory.polynomials({0, 0}, 1).second.equilibrium);
  memory.remember(at(2, 0));
  CHECK(memory.polynomials({0, 0}, 1).second.equilibrium->alpha == Point<2>(2, 0));
  memory.remember(at(-1, 0));
  CHECK(memory.polynomials({0, 0}, 1).second.equilibrium->alpha == Point<2>(-1, 0));
  memory.remember(at(0.1, 0.1));  // nearer than what a second one is worth
  CHECK(memory.polynomials({0, 0}, 1).first.equilibrium->alpha == Point<2>(0.1, 0.1));
  CHECK(!memory.polynomials({0, 0}, 1).second.equilibrium);
  memory.remember({known_at(statics, {0.05, 0.05}, 2).equilibrium, nullptr});
  CHECK(memory.polynomials({0, 0}, 1).first.equilibrium->alpha == Point<2>(0.1, 0.1));
  memory.remember({known_at(statics, {0.02, 0.02}, 2).equilibrium, nullptr});
  CHECK(!memory.polynomials({0, 0}, 1).first.equilibrium);
}

TEST_CASE("an equilibrium that takes the place of one with a polynomial leaves none to predict from") {
  const Statics<2> statics(small_arm<2>());
  SolutionMemory<2> memory(2, 2);
  memory.remember(known_at(statics, {1, 0}, 2));
  for (const double a : {2.5, 2.6}) memory.remember({known_at(statics, {a, 0}, 2).equilibrium, nullptr});
  CHECK(!memory.polynomials({1.8, 0}, 3).first.equilibrium);
}
