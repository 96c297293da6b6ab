// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/evaluator.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "testing/taylor.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

using namespace quoin::soft_arm;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using quoin::jet_size;
using quoin::Point;

static_assert(quoin::JetFunction<JetStatics<2, 1>, 2>);
static_assert(quoin::JetFunction<JetStatics<3, 3>, 4>);
static_assert(!quoin::JetFunction<Statics<3>, 4>);

namespace {

template <int D>
using Controls = typename Statics<D>::Controls;

// An arm that hangs or leans under gravity, without any symmetry.
template <int D>
Statics<D> leaning_arm() {
  ArmOptions<D> options;
  options.gravity.setConstant(2);
  options.gravity[D - 1] = 5;
  return Statics<D>(SoftArm<D>(make_beam<D>({.cells_across = 2, .cells_along = 10}), options));
}

template <int D>
std::pair<Controls<D>, Controls<D>> point_and_direction() {
  if constexpr (D == 2)
    return {{1.1, -0.3}, {0.6, -0.8}};
  else
    return {{1.1, -0.3, 0.7, 2.1}, {0.3, -0.5, 0.8, 0.2}};
}

template <int D>
MatrixXd jet_of(const Statics<D>& statics, int order, const Controls<D>& alpha) {
  MatrixXd jet(statics.output_size(), jet_size(statics.lines, order));
  statics.evaluate_jet(order, alpha, jet);
  return jet;
}

template <int D>
VectorXd taylor_polynomial(const MatrixXd& jet, int order, const Controls<D>& change) {
  constexpr int n = line_count<D>;
  VectorXd sum = VectorXd::Zero(jet.rows());
  const auto indices = quoin::graded_multi_indices<n>(order);
  for (std::size_t m = 0; m < indices.size(); ++m) {
    double monomial = 1;
    for (int i = 0; i < n; ++i)
      for (int power = 1; power <= indices[m][i]; ++power) monomial *= change[i] / power;
    sum += monomial * jet.col(static_cast<Eigen::Index>(m));
  }
  return sum;
}

// Least and greatest slope of log remainder over log h.
struct Slopes {
  double least, greatest;
};

template <int D>
Slopes remainder_slopes(const Statics<D>& statics, int order, bool lengths) {
  const auto [alpha, direction] = point_and_direction<D>();
  const MatrixXd jet = jet_of<D>(statics, order, alpha);
  Slopes slopes{1e9, -1e9};
  double h = order == 1 ? 0.1 : 0.4, previous = 0;
  for (int halving = 0; halving <= 4; ++halving, h /= 2) {
    VectorXd y;
    statics.evaluate(alpha + h * direction, y);
    const VectorXd remainder = y - taylor_polynomial<D>(jet, order, h * direction);
    const double size = lengths ? remainder.tail(statics.lines).norm() : remainder.head(statics.arm().size()).norm();
    if (halving > 0) {
      slopes.least = std::min(slopes.least, std::log2(previous / size));
      slopes.greatest = std::max(slopes.greatest, std::log2(previous / size));
    }
    previous = size;
  }
  return slopes;
}

template <int D>
void check_remainders() {
  const auto statics = leaning_arm<D>();
  for (const int order : {1, 2, 3})
    for (const bool lengths : {false, true}) {
      const Slopes slopes = remainder_slopes(statics, order, lengths);
      CAPTURE(D, order, lengths, slopes.least, slopes.greatest);
      CHECK(slopes.least > order + 0.7);
      CHECK(slopes.greatest < order + 1.3);
    }
}

template <int D>
double relative(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

}  // namespace

TEST_CASE(
    "the remainder of the K-jet's Taylor polynomial of f_s is of order K + 1, shapes and lengths, under gravity") {
  check_remainders<2>();
  check_remainders<3>();
}

TEST_CASE("every derivative of third order of f_s is the difference quotient of one of second order") {
  const auto statics = leaning_arm<3>();
  const auto alpha = point_and_direction<3>().first;
  const MatrixXd jet = jet_of<3>(statics, 3, alpha);
  const auto indices = quoin::graded_multi_indices<4>(3);
  const double h = 1e-3;
  for (int k = 0; k < 4; ++k) {
    const Point<4> step = h * Point<4>::Unit(k);
    const MatrixXd quotient = (jet_of<3>(statics, 2, alpha + step) - jet_of<3>(statics, 2, alpha - step)) / (2 * h);
    for (std::size_t m = 5; m < 15; ++m) {
      auto raised = indices[m];
      ++raised[k];
      const auto at = std::find(indices.begin(), indices.end(), raised) - indices.begin();
      CAPTURE(k, m, at);
      // The error of the quotient is h^2 / 6 times a fifth derivative.
      CHECK(relative<3>(quotient.col(static_cast<Eigen::Index>(m)), jet.col(at)) < 1e-5);
    }
  }
}

TEST_CASE("jets of lower order are the first columns of those of higher order, and values and Jacobians are f_s's") {
  const auto statics = leaning_arm<3>();
  const auto alpha = point_and_direction<3>().first;
  VectorXd y;
  MatrixXd J;
  statics.evaluate(alpha, y, J);
  const MatrixXd first = jet_of<3>(statics, 1, alpha), second = jet_of<3>(statics, 2, alpha);
  const MatrixXd third = jet_of<3>(statics, 3, alpha);
  CHECK(first.col(0) == y);
  CHECK(first.rightCols(4) == J);
  CHECK(second.leftCols(5) == first);
  CHECK(third.leftCols(5) == first);
  CHECK(relative<3>(third.middleCols(5, 10), second.rightCols(10)) < 1e-12);
  // Once known, a jet contains those of lower order.
  CHECK(jet_of<3>(statics, 2, alpha) == third.leftCols(15));
  CHECK(statics.solves() == 1);
}

TEST_CASE("jets do not depend on where the search started, with or without remembered jets") {
  const auto [alpha, direction] = point_and_direction<3>();
  const SoftArm<3> arm = leaning_arm<3>().arm();
  const MatrixXd cold = jet_of<3>(Statics<3>(arm), 3, alpha);
  for (const int remembered_jets : {0, 1, 64}) {
    const Statics<3> statics(arm, {.remembered_jets = remembered_jets});
    for (const double away : {0.5, 0.3, 0.1}) jet_of<3>(statics, 3, alpha + away * direction);
    const MatrixXd warm = jet_of<3>(statics, 3, alpha);
    for (Eigen::Index m = 0; m < cold.cols(); ++m) {
      CAPTURE(remembered_jets, m);
      CHECK(relative<3>(warm.col(m), cold.col(m)) < 1e-7);
    }
  }
}

TEST_CASE("jumps from one jet to the next, and by two of them, end where the path from rest does") {
  const SoftArm<2> arm = leaning_arm<2>().arm();
  const Statics<2> statics(arm);
  std::mt19937 random(11);
  std::uniform_int_distribution<int> lattice(-3, 9);
  int jumps = 0;
  for (int i = 0; i < 60; ++i) {
    const Controls<2> alpha(0.5 * lattice(random), 0.5 * lattice(random));
    CAPTURE(alpha.transpose());
    VectorXd y;
    const bool solved = Statics<2>(arm).solve(alpha, y).status == StaticsStatus::ok;
    MatrixXd jet(statics.output_size(), 6);
    const long before = statics.newton_iterations();
    if (!solved) {
      CHECK_THROWS_AS(statics.evaluate_jet(2, alpha, jet), StaticsFailure);
      continue;
    }
    statics.evaluate_jet(2, alpha, jet);
    jumps += statics.newton_iterations() - before <= 3;
    CHECK((jet.col(0) - y).norm() < 1e-9 * y.norm());
  }
  CHECK(jumps > 20);
}

TEST_CASE("on a long way a jet's polynomial helps in the first step alone: elsewhere it would lead astray") {
  const SoftArm<2> arm = leaning_arm<2>().arm();
  const Controls<2> alpha(1.1, 0.3), far = alpha + 3 * Controls<2>(0.75, -1);
  for (const int order : {2, 3}) {
    const auto way = [&](int remembered_jets) {
      const Statics<2> statics(arm, {.remembered_jets = remembered_jets});
      jet_of<2>(statics, order, alpha);
      VectorXd y;
      return statics.solve(far, y);
    };
    const StaticsResult with = way(64), without = way(0);
    CHECK(with.status == StaticsStatus::ok);
    CHECK(with.continuation_steps == without.continuation_steps);
    CHECK(with.continuation_steps >= 6);
    CHECK(with.iterations < without.iterations);  // three times as many if the polynomial is kept
  }
}

TEST_CASE("a jet of a wrong size or order is refused with the numbers in the message") {
  const auto statics = leaning_arm<2>();
  MatrixXd jet(3, 6);
  CHECK_THROWS_WITH(statics.evaluate_jet(2, {1, 0}, jet), Catch::Contains("3 x 6"));
  CHECK_THROWS_WITH(statics.evaluate_jet(4, {1, 0}, jet), Catch::Contains("order 4"));
}
