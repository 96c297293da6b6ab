// SPDX-License-Identifier: BSD-3-Clause
// How often errors are what answers state, over drawn functions: jets of every order, norms with weights over decades,
// and functions that fail in a part of their domain.
#include "quoin/quoin.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace quoin::test {
namespace {

/// Sums of three waves of drawn wave vectors, amplitudes and phases, each output in a unit of its own.
template <int Dim>
class PhasedWaves {
 public:
  PhasedWaves(unsigned seed, int outputs, double decades) : outputs_(outputs) {
    std::mt19937 generator(seed * 7919 + 23);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int r = 0; r < outputs; ++r) {
      const double unit = std::pow(10, decades * uniform(generator));
      for (int wave = 0; wave < 3; ++wave) {
        Wave& w = waves_.emplace_back();
        w.amplitude = unit * normal(generator);
        w.phase = 3 * uniform(generator);
        for (double& k : w.k) k = normal(generator);
      }
    }
  }

  double derivative(int output, const MultiIndex<Dim>& a, const Point<Dim>& x) const {
    double sum = 0;
    for (int wave = 0; wave < 3; ++wave) {
      const Wave& w = waves_[static_cast<std::size_t>(3 * output + wave)];
      double factor = w.amplitude;
      int total = 0;
      for (int i = 0; i < Dim; ++i) {
        factor *= std::pow(w.k[i], a[i]);
        total += a[i];
      }
      sum += factor * std::sin(w.k.dot(x) + w.phase + total * std::acos(0.));
    }
    return sum;
  }
  Eigen::VectorXd value(const Point<Dim>& x) const {
    return Eigen::VectorXd::NullaryExpr(
        outputs_, [&](Eigen::Index r) { return derivative(static_cast<int>(r), MultiIndex<Dim>{}, x); });
  }
  /// fails: at which points, by throwing.
  template <int K, class Fails>
  auto jet(Fails fails) const {
    return exact_jet<Dim, K>(outputs_, [waves = *this, fails](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
      if (fails(x)) throw std::runtime_error("there is nothing here");
      Eigen::Index column = 0;
      for (const MultiIndex<Dim>& a : graded_multi_indices<Dim>(K)) {
        for (int r = 0; r < waves.outputs_; ++r) jet(r, column) = waves.derivative(r, a, x);
        ++column;
      }
    });
  }

 private:
  struct Wave {
    double amplitude, phase;
    Point<Dim> k;
  };
  int outputs_;
  std::vector<Wave> waves_;
};

struct StatedRates {
  int answers = 0, above_stated = 0, above_tolerance = 0, unstated = 0;
};

/// Answers to a tolerance, or of a level, of one drawn function in one drawn norm.
template <int Dim, int K>
void ask_to_rate(unsigned seed, double decades, bool failing, bool level, StatedRates& rates) {
  std::mt19937 generator(seed * 104729 + 7);
  const int outputs = 1 + static_cast<int>(seed % 4);
  const PhasedWaves<Dim> waves(seed, outputs, decades);
  std::uniform_real_distribution<double> uniform;
  GridOptions<Dim> options{.deepest_level = 8};
  options.output_weights =
      Eigen::VectorXd::NullaryExpr(outputs, [&] { return std::pow(10, decades * (2 * uniform(generator) - 1)); });
  double size = 0;  // of f in the norm
  for (const Point<Dim>& x : random_points<Dim>(20, Point<Dim>::Zero(), Point<Dim>::Ones(), seed))
    size = std::max(size, waves.value(x).cwiseProduct(options.output_weights).norm());
  const double tolerance = size * std::pow(10, -1 - 2 * uniform(generator));
  if (!level) options.tolerance = tolerance;
  options.on_failure = seed % 2 ? FailurePolicy::call_function : FailurePolicy::coarser;
  Point<Dim> normal;
  for (double& component : normal) component = 2 * uniform(generator) - 1;
  normal.normalize();
  const auto fails = [=](const Point<Dim>& x) { return failing && normal.dot(x) > 0.35; };
  const AdaptiveGrid<Dim> grid(waves.template jet<K>(fails), options);
  Eigen::VectorXd y;
  for (const Point<Dim>& x : random_points<Dim>(20, Point<Dim>::Constant(-0.4), Point<Dim>::Constant(1.3), seed + 1)) {
    if (fails(x)) continue;
    Answer answer = grid.try_evaluate(x, y);
    if (!answer.has_value()) continue;
    if (level) answer = grid.error_estimate(x);
    if (answer.trust != Trust::estimated) {
      ++rates.unstated;
      continue;
    }
    const double error = (y - waves.value(x)).cwiseProduct(options.output_weights).norm();
    ++rates.answers;
    rates.above_stated += error > answer.error;
    if (!level) rates.above_tolerance += error > tolerance;
  }
}

}  // namespace

TEST_CASE("of answers in three and four dimensions by jets of order 1, 2 and 3 few err by more than is estimated") {
  const unsigned first = seed_wanted();
  const int draws = draws_wanted(40);
  StatedRates to_tolerance[4], of_level[4];
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    ask_to_rate<3, 1>(seed, 0, false, true, of_level[1]);
    ask_to_rate<3, 2>(seed, 0, false, true, of_level[2]);
    ask_to_rate<3, 3>(seed, 0, false, true, of_level[3]);
    ask_to_rate<4, 3>(seed, 0, false, true, of_level[3]);
    ask_to_rate<3, 1>(seed, 0, false, false, to_tolerance[1]);
    ask_to_rate<3, 2>(seed, 0, false, false, to_tolerance[2]);
    ask_to_rate<3, 3>(seed, 0, false, false, to_tolerance[3]);
    if (seed % 4 == 0) ask_to_rate<4, 3>(seed, 0, false, false, to_tolerance[3]);
  }
  for (int K = 1; K <= 3; ++K) {
    INFO("order " << K << ": of " << of_level[K].answers << " answers of a level " << of_level[K].above_stated
                  << " err by more, to a tolerance " << to_tolerance[K].above_stated << " of "
                  << to_tolerance[K].answers << ", above the tolerance " << to_tolerance[K].above_tolerance);
    CHECK(of_level[K].above_stated <= 0.02 * of_level[K].answers);
    CHECK(to_tolerance[K].above_stated <= 0.01 * to_tolerance[K].answers);
    CHECK(to_tolerance[K].above_tolerance <= 0.01 * to_tolerance[K].answers);
  }
}

TEST_CASE("a tolerance in a norm of weights over six decades, of outputs over six decades, holds as in any other") {
  const unsigned first = seed_wanted();
  const int draws = draws_wanted(150);
  StatedRates rates;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    ask_to_rate<2, 1>(seed, 3, false, false, rates);
    ask_to_rate<2, 2>(seed, 3, false, false, rates);
    ask_to_rate<2, 3>(seed, 3, false, false, rates);
  }
  INFO("of " << rates.answers << " answers " << rates.above_stated << " err by more than is estimated, "
             << rates.above_tolerance << " by more than the tolerance, " << rates.unstated << " state nothing");
  CHECK(rates.above_stated <= 0.01 * rates.answers);
  CHECK(rates.above_tolerance <= 0.01 * rates.answers);
  CHECK(rates.answers > 0.95 * (rates.answers + rates.unstated));
}

TEST_CASE("beside a region where f fails errors are what answers state, as often as elsewhere") {
  const unsigned first = seed_wanted();
  const int draws = draws_wanted(150);
  StatedRates rates;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    ask_to_rate<2, 1>(seed, 0, true, false, rates);
    ask_to_rate<2, 2>(seed, 0, true, false, rates);
    ask_to_rate<3, 1>(seed, 0, true, false, rates);
  }
  INFO("of " << rates.answers << " answers " << rates.above_stated << " err by more than is estimated, "
             << rates.above_tolerance << " by more than the tolerance, " << rates.unstated << " state nothing");
  CHECK(rates.above_stated <= 0.01 * rates.answers);
  CHECK(rates.above_tolerance <= 0.01 * rates.answers);
}

}  // namespace quoin::test
