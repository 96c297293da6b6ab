// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/verified.hpp"

#include "quoin/quoin.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "robots/models/soft_arm/small_arm.hpp"

#include <catch2/catch.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace quoin;
using namespace quoin::soft_arm;
using Eigen::MatrixXd;
using Eigen::VectorXd;

static_assert(Verifiable<Statics<2>, 2>);
static_assert(Verifiable<Statics<3>, 4>);

namespace {

double rms(const VectorXd& v) { return v.norm() / std::sqrt(static_cast<double>(v.size())); }

struct Quality {
  double min_ratio = std::numeric_limits<double>::infinity(), largest_ratio = 0;  // of estimate and error
  double most_left = 0;  // of the error, in the corrected value
  int verified_answers = 0;
};

/// The standard arm on a grid, at random points of the whole domain of cells of that edge.
template <int SpaceDim>
Quality quality(double spacing, int points, unsigned seed, const MatrixXd& functional = {}) {
  constexpr int lines = line_count<SpaceDim>;
  static const Statics<SpaceDim> statics{SoftArm<SpaceDim>(make_beam<SpaceDim>())};
  GridOptions<lines> options;
  options.origin.setConstant(-1);
  options.spacing.setConstant(spacing);
  options.lower.setConstant(-1);
  options.upper.setConstant(6);
  const AdaptiveGrid<lines> grid(statics, options);
  const GridView<lines> view = grid.at_level(0);
  const auto map = verified<lines>(view, statics, {.functional = functional});
  const auto corrected = verified<lines>(view, statics, {.corrected = true, .functional = functional});
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> pull(-1, 6);
  Quality quality;
  for (int i = 0; i < points; ++i) {
    Point<lines> alpha;
    for (int k = 0; k < lines; ++k) alpha[k] = pull(random);
    VectorXd y, better, truth;
    const Answer answer = map.evaluate(alpha, y);
    if (answer.trust != Trust::verified) continue;
    ++quality.verified_answers;
    corrected.evaluate(alpha, better);
    statics.evaluate(alpha, truth);
    if (functional.size() > 0) truth = functional * truth;
    const double error = rms(y - truth);
    quality.min_ratio = std::min(quality.min_ratio, answer.error / error);
    quality.largest_ratio = std::max(quality.largest_ratio, answer.error / error);
    quality.most_left = std::max(quality.most_left, rms(better - truth) / error);
  }
  return quality;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("what f_s says of a guess is what it is off by", "", ((int SpaceDim), SpaceDim), 2, 3) {
  constexpr int lines = line_count<SpaceDim>;
  const Statics<SpaceDim> statics(small_arm<SpaceDim>());
  const ErrorNorm norm(statics.output_size());
  const Point<lines> alpha = Point<lines>::LinSpaced(0.3, 1.1);
  VectorXd y, dy;
  statics.evaluate(alpha, y);
  const long solves = statics.solves();
  REQUIRE(statics.correction(alpha, y, norm, dy));
  CHECK(rms(dy) < 1e-11);
  VectorXd neighbour;
  statics.evaluate(alpha + Point<lines>::Constant(1e-3), neighbour);
  REQUIRE(statics.correction(alpha, neighbour, norm, dy));
  CHECK((neighbour + dy - y).norm() <= 0.02 * (neighbour - y).norm());
  // Lengths and clamped coordinates of the guess do not matter.
  VectorXd spoiled = y;
  spoiled.tail(lines).array() += 0.1;
  spoiled[SpaceDim * statics.arm().mesh().clamped.front()] += 0.1;
  REQUIRE(statics.correction(alpha, spoiled, norm, dy));
  CHECK(rms(spoiled + dy - y) < 1e-11);
  CHECK(statics.solves() == solves + 1);  // the neighbour's
}

TEST_CASE("f_s says nothing of a guess that is far from equilibrium, and refuses one of another size") {
  const Statics<2> statics(small_arm<2>());
  const ErrorNorm norm(statics.output_size());
  VectorXd y, dy;
  statics.evaluate({5, 0}, y);
  CHECK_FALSE(statics.correction({0, 5}, y, norm, dy));
  y[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(statics.correction({5, 0}, y, norm, dy));
  CHECK_THROWS_WITH(statics.correction({5, 0}, VectorXd::Zero(3), norm, dy),
                    Catch::Contains("a guess of 3 outputs given"));
  CHECK_THROWS_WITH(statics.correction({std::nan(""), 0}, VectorXd::Zero(statics.output_size()), norm, dy),
                    Catch::Contains("not finite"));
}

TEST_CASE("the verified error of the arm on a grid is its error, and the corrected value is off by 5 % of it") {
  const Quality plane_half = quality<2>(0.5, 100, 501), plane_quarter = quality<2>(0.25, 100, 502);
  const Quality space_half = quality<3>(0.5, 24, 503), space_quarter = quality<3>(0.25, 24, 504);
  const Quality tip = quality<3>(0.25, 12, 505, SoftArm<3>(make_beam<3>()).tip_rows());
  for (const Quality& half : {plane_half, space_half}) {
    CHECK(half.min_ratio >= 0.95);
    CHECK(half.largest_ratio <= 1.3);
    CHECK(half.most_left <= 0.05);
  }
  for (const Quality& quarter : {plane_quarter, space_quarter, tip}) {
    CHECK(quarter.min_ratio >= 0.98);
    CHECK(quarter.largest_ratio <= 1.05);
    CHECK(quarter.most_left <= 0.05);
  }
  CHECK(plane_half.verified_answers >= 95);  // the others are interpolated to too far from equilibrium
  CHECK(plane_quarter.verified_answers == 100);
  CHECK(space_half.verified_answers >= 8);
  CHECK(space_quarter.verified_answers == 24);
  CHECK(tip.verified_answers == 12);
}

TEST_CASE(
    "corrected answers with f behind them are an exact_check: interleave stops where it would on f, with fewer "
    "equilibria") {
  const Statics<2> statics(small_arm<2>());
  const MatrixXd tip_rows = statics.arm().tip_rows();
  VectorXd reached;
  statics.evaluate({2.2, 0.7}, reached);
  const Eigen::Vector2d target = (tip_rows * reached).head<2>();
  const auto off = [&](const auto& map, const Point<2>& alpha, MatrixXd* J) {  // tip from target, m
    VectorXd y;
    if (J)
      map.evaluate(alpha, y, *J);
    else
      map.evaluate(alpha, y);
    return Eigen::Vector2d((tip_rows * y).head<2>() - target);
  };
  const auto solve = [&](const GridView<2>& view, const Point<2>& guess) {
    Point<2> alpha = guess;
    MatrixXd J;
    for (int i = 0; i < 30; ++i) {
      const Eigen::Vector2d r = off(view, alpha, &J);
      if (r.norm() < 1e-13) break;
      alpha -= (tip_rows * J).topRows<2>().partialPivLu().solve(r);
    }
    return SolverResult<Point<2>>{.iterate = alpha, .cost = off(view, alpha, nullptr).norm(), .converged = true};
  };
  const auto run = [&](bool by_verified) {
    AdaptiveGrid<2> grid(statics, {.spacing = {1, 1}});
    InterleaveOptions<Point<2>, GridSchedule<2, Point<2>>> options{.schedule = Levels{.last = 6}, .accuracy = 1e-7};
    options.exact_check = [&](const Point<2>& alpha) {
      if (!by_verified) return off(statics, alpha, nullptr).norm();
      // Where an answer cannot be verified, f must be asked: the grid's own value would agree with itself.
      const auto map = verified<2>(grid.at_level(grid.level()), statics, {.corrected = true});
      return off(with_fallback<2>(map, statics, {.value = 1e-3}), alpha, nullptr).norm();
    };
    return interleave(grid, solve, Point<2>(1.5, 0.5), options);
  };
  const auto exact = run(false);
  const long by_exact = statics.solves();
  statics.forget();
  const auto measured = run(true);
  const long by_measured = statics.solves() - by_exact;
  REQUIRE(exact.stop == InterleaveStop::accuracy_reached);
  CHECK(measured.stop == InterleaveStop::accuracy_reached);
  CHECK((measured.iterate - exact.iterate).norm() < 1e-7);
  CHECK(exact.rounds.size() > 1);
  CHECK(measured.rounds.size() == exact.rounds.size());
  CHECK(std::abs(measured.exact_cost - exact.exact_cost) <= 0.05 * exact.exact_cost);
  CHECK(by_measured < by_exact - 1);  // which include the target
}
