// SPDX-License-Identifier: BSD-3-Clause
// How often intervals of 95 % hold the truth where few of the points tell of a parameter: drawn curves of two to five
// parameters. QUOIN_DRAWS and QUOIN_SEED draw more and others.
#include "quoin/robots/identification/output_error.hpp"

#include "testing/drawn.hpp"
#include "tests/robots/identification/drawn_noise.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace quoin::identification;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using quoin::test::Coverage;

namespace {

/// A point at 0 <= t < 1, and from where to where each parameter is drawn.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> parameters;
  std::function<Vector2d(const VectorXd&, double)> at;
};

std::vector<Curve> curves() {
  const auto logistic = [](double z) { return 1 / (1 + std::exp(-z)); };
  return {
      {"logistic, its rate shown",
       {{0.5, 1.5}, {4, 12}},
       [=](const VectorXd& p, double t) {
         const double s = logistic(p[1] * (t - 0.5));
         return Vector2d(p[0] * s, p[0] * s * (1 - s));
       }},
      {"logistic over time",
       {{0.5, 1.5}, {4, 12}, {0.3, 0.7}},
       [=](const VectorXd& p, double t) { return Vector2d(p[0] * logistic(p[1] * (t - p[2])), 0.3 * t); }},
      {"bump",
       {{0.5, 1.5}, {0.3, 0.7}, {0.1, 0.3}},
       [](const VectorXd& p, double t) {
         const double z = (t - p[1]) / p[2], s = p[0] * std::exp(-z * z / 2);
         return Vector2d(s, s * z);
       }},
      {"saturation",
       {{0.5, 1.5}, {0.1, 0.5}},
       [](const VectorXd& p, double t) {
         const double rate = p[0] / (p[1] + t + 0.05);
         return Vector2d(t * rate, 0.3 * rate);
       }},
      {"power over time",
       {{0.5, 1.5}, {0.5, 3}},
       [](const VectorXd& p, double t) { return Vector2d(p[0] * std::pow(t + 0.1, p[1]), t); }},
      {"spring with an offset", {{0.5, 1.5}, {0.1, 1}, {3, 6}, {0, 1}, {-0.2, 0.2}}, [](const VectorXd& p, double t) {
         const double size = p[0] * std::exp(-p[1] * t), phase = p[2] * t + p[3];
         return Vector2d(p[4] + size * std::cos(phase), -size * std::sin(phase));
       }}};
}

OutputPrediction along(const Curve& curve, Index frames) {
  return [&curve, frames](const VectorXd& p, MatrixXd& Y, MatrixXd* dY_dp) {
    constexpr double step = 1e-5;
    Y.resize(2, frames);
    if (dY_dp != nullptr) dY_dp->resize(2 * frames, p.size());
    for (Index i = 0; i < frames; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(frames);
      Y.col(i) = curve.at(p, t);
      if (dY_dp == nullptr) continue;
      for (Index j = 0; j < p.size(); ++j) {
        const VectorXd by = step * VectorXd::Unit(p.size(), j);
        dY_dp->block<2, 1>(2 * i, j) = (curve.at(p + by, t) - curve.at(p - by, t)) / (2 * step);
      }
    }
    return true;
  };
}

void cover(Coverage& result, OutputErrorCriterion criterion, const Curve& curve, Index frames, int draws) {
  for (const auto law : quoin::test::noise_laws) {
    std::mt19937_64 random(1000 * quoin::test::seed_wanted() + 10 * static_cast<unsigned>(frames) +
                           static_cast<unsigned>(law));
    std::uniform_real_distribution<double> uniform;
    for (int draw = 0; draw < draws; ++draw) {
      VectorXd truth(static_cast<Index>(curve.parameters.size()));
      std::vector<OutputErrorParameter> unknown;
      for (Index j = 0; j < truth.size(); ++j) {
        const auto [from, to] = curve.parameters[static_cast<std::size_t>(j)];
        truth[j] = from + (to - from) * uniform(random);
        unknown.push_back({.name = "p", .initial = truth[j] + 0.02 * (uniform(random) - 0.5)});
      }
      MatrixXd measured;
      const OutputPrediction prediction = along(curve, frames);
      prediction(truth, measured, nullptr);
      measured += quoin::test::noise_of(law, 0.01, frames, random);
      const OutputErrorFit fit = fit_output_error(unknown, prediction, measured, {.criterion = criterion});
      if (!fit.converged()) continue;
      result.add(fit, truth);
    }
  }
}

}  // namespace

TEST_CASE("intervals of 95 % hold the truth as often where few points tell of a parameter") {
  const int draws = quoin::test::draws_wanted(30);
  for (const auto criterion : {OutputErrorCriterion::least_squares, OutputErrorCriterion::sum_of_norms})
    for (const Index frames : {8, 20}) {
      Coverage all;
      for (const Curve& curve : curves()) {
        Coverage found;
        cover(found, criterion, curve, frames, draws);
        all.held += found.held;
        all.intervals += found.intervals;
        CAPTURE(to_string(criterion), curve.name, frames, found.intervals);
        CHECK(found.share() > 0.87);  // of 240 to 600 that depend on each other
      }
      CAPTURE(to_string(criterion), frames, all.intervals);
      CHECK(all.share() > 0.935);
      CHECK(all.share() < 0.985);
      CHECK(all.intervals > 66 * draws);  // of 68
    }
}
