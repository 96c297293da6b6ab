// SPDX-License-Identifier: BSD-3-Clause
// In level mode, what the corners of one cell say of its error: sums of waves that run along the axes, along one of
// them, and across all. QUOIN_DRAWS and QUOIN_SEED draw more and others.
#include "quoin/map/multi_index.hpp"
#include "quoin/quoin.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

enum class Directions { across, along_axes, along_one };

/// Five waves, and another five as a second output.
template <int Dim>
class DrawnWaves {
 public:
  DrawnWaves(Directions directions, double fastest, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform;
    for (auto& output : waves_)
      for (Wave& wave : output) {
        wave = {.size = uniform(random), .phase = 2 * std::numbers::pi * uniform(random), .k = Point<Dim>::Zero()};
        const int axis = directions == Directions::along_axes ? static_cast<int>(random() % Dim) : 0;
        for (int i = 0; i < Dim; ++i)
          if (directions == Directions::across || i == axis)
            wave.k[i] = (0.5 + fastest * uniform(random)) * (random() % 2 ? 1 : -1);
      }
  }
  /// The derivative of an output.
  double operator()(int output, const Point<Dim>& x, const MultiIndex<Dim>& order) const {
    const int all = std::accumulate(order.begin(), order.end(), 0);
    double sum = 0;
    for (const Wave& wave : waves_[static_cast<std::size_t>(output)]) {
      double factor = wave.size;
      for (int i = 0; i < Dim; ++i) factor *= std::pow(wave.k[i], order[static_cast<std::size_t>(i)]);
      sum += factor * std::sin(wave.k.dot(x) + wave.phase + all * std::numbers::pi / 2);
    }
    return sum;
  }
  template <int K>
  auto jet() const {
    return exact_jet<Dim, K>(2, [waves = *this](const Point<Dim>& x, auto jet) {
      Eigen::Index a = 0;
      for (const MultiIndex<Dim>& order : graded_multi_indices<Dim>(K)) {
        for (int output = 0; output < 2; ++output) jet(output, a) = waves(output, x, order);
        ++a;
      }
    });
  }

 private:
  struct Wave {
    double size, phase;
    Point<Dim> k;
  };
  std::array<std::array<Wave, 5>, 2> waves_;
};

struct Estimates {
  int all = 0, exceeded = 0, exceeded_tenfold = 0;
  std::vector<double> caution;  // estimate / error
};

template <int Dim, int K>
Estimates estimates(Directions directions, int functions) {
  Estimates result;
  std::mt19937 random(seed_wanted());
  std::uniform_real_distribution<double> place(-4, 4);
  for (int draw = 0; draw < functions; ++draw) {
    const DrawnWaves<Dim> waves(directions, draw % 2 ? 1 : 2.5, 1000 * seed_wanted() + static_cast<unsigned>(draw));
    const AdaptiveGrid<Dim> grid(waves.template jet<K>(), {.spacing = Point<Dim>::Constant(0.5)});
    Eigen::VectorXd y;
    for (int i = 0; i < 50; ++i) {
      const Point<Dim> x = Point<Dim>::NullaryExpr([&](auto) { return place(random); });
      grid.evaluate(x, y);
      const Answer answer = grid.error_estimate(x);
      if (answer.trust != Trust::estimated) continue;
      const Eigen::Vector2d truth(waves(0, x, {}), waves(1, x, {}));
      const double error = (y - truth).norm() / std::sqrt(2.0);
      if (error < 1e-13) continue;
      ++result.all;
      result.exceeded += error > answer.error;
      result.exceeded_tenfold += error > 10 * answer.error;
      result.caution.push_back(answer.error / error);
    }
  }
  return result;
}

template <int Dim, int K>
void check_estimates(int functions) {
  for (const auto directions : {Directions::across, Directions::along_axes, Directions::along_one}) {
    Estimates found = estimates<Dim, K>(directions, draws_wanted(functions));
    CAPTURE(Dim, K, static_cast<int>(directions), found.all, found.exceeded, found.exceeded_tenfold);
    REQUIRE(found.all > 40 * draws_wanted(functions));
    CHECK(found.exceeded < 0.01 * found.all);
    CHECK(found.exceeded_tenfold < 0.002 * found.all);
    const auto middle = found.caution.begin() + found.all / 2;
    std::nth_element(found.caution.begin(), middle, found.caution.end());
    CHECK(*middle < 40);
  }
}

}  // namespace

TEST_CASE("what the corners of jets of order 2 and 3 estimate is exceeded by fewer than one answer in a hundred") {
  check_estimates<1, 2>(40);
  check_estimates<1, 3>(40);
  check_estimates<2, 2>(30);
  check_estimates<2, 3>(20);
}

TEST_CASE(
    "what the corners of jets of order 2 estimate of functions with poles is exceeded by few answers, and by little") {
  struct Family {
    const char* name;
    std::array<double, 3> (*jet)(double);  // of a t
  };
  const Family families[] = {{"log(1 + e^t)",
                              [](double t) {
                                const double s = 1 / (1 + std::exp(-t));
                                return std::array{std::log1p(std::exp(t)), s, s * (1 - s)};
                              }},
                             {"sqrt(1 + t^2)",
                              [](double t) {
                                const double w = std::sqrt(1 + t * t);
                                return std::array{w, t / w, 1 / (w * w * w)};
                              }},
                             {"tanh t",
                              [](double t) {
                                const double y = std::tanh(t);
                                return std::array{y, 1 - y * y, -2 * y * (1 - y * y)};
                              }},
                             {"1/(1 + t^2)", [](double t) {
                                const double y = 1 / (1 + t * t);
                                return std::array{y, -2 * t * y * y, (6 * t * t - 2) * y * y * y};
                              }}};
  std::mt19937 random(seed_wanted());
  std::uniform_real_distribution<double> uniform;
  for (const Family& family : families) {
    int all = 0, exceeded = 0, exceeded_threefold = 0;
    for (int draw = 0; draw < draws_wanted(60); ++draw) {
      const double slope = 0.5 + uniform(random), offset = 2 * uniform(random) - 1;
      const auto f = exact_jet<1, 2>(1, [&](const Point<1>& x, auto jet) {
        const auto y = family.jet(slope * x[0] + offset);
        for (int n = 0; n < 3; ++n) jet(0, n) = std::pow(slope, n) * y[static_cast<std::size_t>(n)];
      });
      const AdaptiveGrid<1> grid(f, {.spacing = Point<1>(std::exp2(-3 * uniform(random)))});
      Eigen::VectorXd y;
      for (int i = 0; i < 100; ++i) {
        const Point<1> x(4 * uniform(random) - 2);
        grid.evaluate(x, y);
        const Answer answer = grid.error_estimate(x);
        const double error = std::abs(y[0] - family.jet(slope * x[0] + offset)[0]);
        if (answer.trust != Trust::estimated || error < 1e-13) continue;
        ++all;
        exceeded += error > answer.error;
        exceeded_threefold += error > 3 * answer.error;
      }
    }
    CAPTURE(family.name, all, exceeded, exceeded_threefold);
    REQUIRE(all > 50 * draws_wanted(60));
    CHECK(exceeded < 0.03 * all);
    CHECK(exceeded_threefold < 0.002 * all);
  }
}

TEST_CASE("what the corners estimate contains what f repeats its answers to") {
  const DrawnWaves<1> waves(Directions::across, 1, 1);
  const auto f = exact_jet<1, 2>(2,
                                 [waves](const Point<1>& x, auto jet) {
                                   for (int output = 0; output < 2; ++output)
                                     for (int n = 0; n <= 2; ++n) jet(output, n) = waves(output, x, {n});
                                 },
                                 {.repeatable_to = 0.25});
  const AdaptiveGrid<1> grid(f, {.spacing = Point<1>(0.1)});
  Eigen::VectorXd y;
  grid.evaluate(Point<1>(0.03), y);
  CHECK(grid.error_estimate(Point<1>(0.03)).error >= 0.25 * 0.9 * y.cwiseAbs().maxCoeff());
}
