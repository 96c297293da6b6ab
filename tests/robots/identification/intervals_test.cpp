// SPDX-License-Identifier: BSD-3-Clause
// How often intervals of 95 % hold the truth: drawn motions of a point, with few and many frames, under noise of
// several laws. QUOIN_DRAWS and QUOIN_SEED draw more and others.
#include "quoin/robots/identification/output_error.hpp"

#include "testing/drawn.hpp"
#include "tests/robots/identification/drawn_noise.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace quoin::identification;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using quoin::test::Coverage;
using quoin::test::noise_laws;
using quoin::test::noise_of;
using quoin::test::NoiseLaw;

namespace {

/// A decaying turn of a point about a centre: amplitude, damping, frequency, phase, and the centre's two coordinates.
OutputPrediction decaying_turn(Index frames) {
  return [frames](const VectorXd& p, MatrixXd& Y, MatrixXd* dY_dp) {
    Y.resize(2, frames);
    if (dY_dp != nullptr) dY_dp->setZero(2 * frames, p.size());
    for (Index i = 0; i < frames; ++i) {
      const double t = 2 * static_cast<double>(i) / static_cast<double>(frames);
      const Eigen::Vector2d along =
          std::exp(-p[1] * t) * Eigen::Vector2d(std::cos(p[2] * t + p[3]), std::sin(p[2] * t + p[3]));
      const Eigen::Vector2d across(-along[1], along[0]);
      Y.col(i) = p[0] * along;
      if (p.size() == 6) Y.col(i) += p.tail<2>();
      if (dY_dp == nullptr) continue;
      auto rows = dY_dp->middleRows<2>(2 * i);
      rows.leftCols<4>() << along, -t * p[0] * along, t * p[0] * across, p[0] * across;
      if (p.size() == 6) rows.rightCols<2>().setIdentity();
    }
    return true;
  };
}

void cover(Coverage& result, OutputErrorCriterion criterion, NoiseLaw law, double scale, Index frames, int parameters,
           int draws) {
  std::mt19937_64 random(1000 * quoin::test::seed_wanted() + 10 * static_cast<unsigned>(frames) +
                         static_cast<unsigned>(law));
  std::uniform_real_distribution<double> uniform;
  for (int draw = 0; draw < draws; ++draw) {
    VectorXd truth(6);
    truth << 0.5 + uniform(random), uniform(random), 2 + 3 * uniform(random), uniform(random), 0.2, -0.1;
    truth.conservativeResize(parameters);
    MatrixXd measured;
    const OutputPrediction prediction = decaying_turn(frames);
    prediction(truth, measured, nullptr);
    measured += noise_of(law, scale, frames, random);
    std::vector<OutputErrorParameter> unknown;
    for (const double value : truth)
      unknown.push_back({.name = "p", .initial = value + 0.02 * (uniform(random) - 0.5)});
    const OutputErrorFit fit = fit_output_error(unknown, prediction, measured, {.criterion = criterion});
    if (!fit.converged()) continue;
    result.add(fit, truth);
  }
}

}  // namespace

TEST_CASE("intervals of 95 % hold the truth as often, from 8 points on, under any noise that is independent") {
  const int draws = quoin::test::draws_wanted(40);
  for (const auto criterion : {OutputErrorCriterion::least_squares, OutputErrorCriterion::sum_of_norms})
    for (const NoiseLaw law : noise_laws) {
      Coverage all;
      for (const int parameters : {4, 6})
        for (const Index frames : {8, 20, 50}) {
          Coverage found;
          cover(found, criterion, law, 0.01, frames, parameters, draws);
          all.held += found.held;
          all.intervals += found.intervals;
          CAPTURE(to_string(criterion), name_of(law), parameters, frames, found.intervals);
          CHECK(found.share() > 0.88);  // of 160 or 240 that depend on each other
        }
      CAPTURE(to_string(criterion), name_of(law), all.intervals);
      CHECK(all.share() > 0.93);
      // Intervals by each point's own error are long where some err much more: the sums are then of few.
      const bool few_tell = criterion == OutputErrorCriterion::least_squares && law == NoiseLaw::outliers;
      CHECK(all.share() < (few_tell ? 0.99 : 0.98));
      CHECK(all.intervals > 29 * draws);  // of 30
    }
}

TEST_CASE(
    "intervals of norms hold the truth as often where noise is below or about the smoothing, 1e-4 of the motion") {
  const int draws = quoin::test::draws_wanted(40);
  for (const double scale : {1e-8, 1e-6, 1e-4})
    for (const Index frames : {8, 20, 50}) {
      Coverage all;
      for (const NoiseLaw law : noise_laws)
        for (const int parameters : {4, 6}) {
          Coverage found;
          cover(found, OutputErrorCriterion::sum_of_norms, law, scale, frames, parameters, draws);
          all.held += found.held;
          all.intervals += found.intervals;
          CAPTURE(scale, name_of(law), parameters, frames, found.intervals);
          CHECK(found.share() > 0.86);  // of 160 or 240 that depend on each other
        }
      CAPTURE(scale, frames, all.intervals);
      CHECK(all.share() > 0.925);
      CHECK(all.share() < 0.985);
      CHECK(all.intervals > 38 * draws);  // of 40
    }
}

TEST_CASE("where no interval can be given, the margins are infinite") {
  std::mt19937_64 random(1);
  MatrixXd measured;
  const VectorXd truth{{1, 0.5, 3, 0.2}};
  const auto fitted = [&](Index frames, const OutputErrorOptions& options) {
    decaying_turn(frames)(truth, measured, nullptr);
    measured += noise_of(NoiseLaw::normal, 0.01, frames, random);
    std::vector<OutputErrorParameter> unknown;
    for (const double value : truth) unknown.push_back({.name = "p", .initial = value});
    return fit_output_error(unknown, decaying_turn(frames), measured, options);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto few = fitted(7, {});
  CHECK((few.margins.array() == infinity).all());
  CHECK(few.deviations.allFinite());
  CHECK(fitted(8, {}).margins.allFinite());
  CHECK(fitted(3, {.criterion = OutputErrorCriterion::least_squares}).margins.allFinite());
  const auto as_many = fitted(2, {.criterion = OutputErrorCriterion::least_squares});  // numbers as parameters
  CHECK((as_many.margins.array() == infinity).all());
  const auto without = fitted(20, {.resamples = 0});
  CHECK((without.deviations.array() == infinity).all());
  CHECK((without.margins.array() == infinity).all());
  CHECK_THROWS_WITH(fitted(20, {.resamples = -1}), "fit_output_error: resamples = -1 must be at least 0");
}
