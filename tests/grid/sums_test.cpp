// SPDX-License-Identifier: BSD-3-Clause
// Sums of functions of one variable each: the parts of their error, one an axis, may cancel at the centre of a cell,
// where it is measured.
#include "quoin/quoin.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

using namespace quoin;
using namespace quoin::test;

namespace {

/// A quartic, a wave, an exponential or a Gaussian, of drawn size, length and place, and its derivatives to the third.
class DrawnTerm {
 public:
  explicit DrawnTerm(std::mt19937& random) : kind_(static_cast<int>(random() % 4)) {
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    size_ = uniform(-2, 2);
    place_ = uniform(-2, 2);
    rate_ = kind_ == 1 ? uniform(0.5, 3) : kind_ == 2 ? uniform(-1, 1) : 1 / uniform(0.5, 2);
  }
  double derivative(int order, double x) const {
    const double u = rate_ * (x - place_), e = std::exp(-u * u / 2), factor = size_ * std::pow(rate_, order);
    const std::array<double, 4> quartic = {u * u * u * u / 24 - u * u, u * u * u / 6 - 2 * u, u * u / 2 - 2, u};
    const std::array<double, 4> gaussian = {e, -u * e, (u * u - 1) * e, (3 - u * u) * u * e};
    if (kind_ == 1) return factor * std::sin(u + order * std::acos(0.));
    if (kind_ == 2) return factor * std::exp(u);
    return factor * (kind_ == 0 ? quartic : gaussian)[static_cast<std::size_t>(order)];
  }

 private:
  int kind_;
  double size_, place_, rate_;
};

/// One such term for each variable, and perhaps their product times a number.
template <int Dim>
class DrawnSum {
 public:
  explicit DrawnSum(std::mt19937& random) {
    for (std::optional<DrawnTerm>& term : terms_) term.emplace(random);
    product_ = random() % 2 ? 0 : std::uniform_real_distribution<double>(-1, 1)(random);
  }
  double derivative(const MultiIndex<Dim>& a, const Point<Dim>& x) const {
    double sum = 0, product = product_;
    for (std::size_t i = 0; i < Dim; ++i) {
      const bool alone = std::ranges::count(a, 0) >= Dim - (a[i] > 0);
      if (alone) sum += terms_[i]->derivative(a[i], x[static_cast<Eigen::Index>(i)]);
      product *= a[i] == 0 ? x[static_cast<Eigen::Index>(i)] : a[i] == 1;
    }
    return sum + product;
  }
  double operator()(const Point<Dim>& x) const { return derivative({}, x); }

 private:
  std::array<std::optional<DrawnTerm>, std::size_t{Dim}> terms_;
  double product_;
};

struct SumTally {
  int answers = 0, above = 0, far_above = 0, over = 0;
  std::string text() const {
    return "of " + std::to_string(answers) + " answers " + std::to_string(above) + " err by more than is stated, " +
           std::to_string(far_above) + " by over three times, " + std::to_string(over) + " are over the tolerance";
  }
};

/// Answers about one drawn sum, in cells of a drawn shape, to a drawn tolerance or of two levels. K: of the jets that
/// it offers; 0: values alone.
template <int Dim, int K>
void ask_of_sum(unsigned seed, bool of_level, SumTally& tally) {
  std::mt19937 random(seed * 7477 + 61);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto anywhere = [&](double side) -> Point<Dim> {
    return Point<Dim>::NullaryExpr([&](Eigen::Index) { return uniform(-side, side); });
  };
  const DrawnSum<Dim> sum(random);
  GridOptions<Dim> options{.deepest_level = 10};
  for (double& edge : options.spacing) edge = std::exp2(uniform(-1, 1));
  double size = 0;
  for (int i = 0; i < 20; ++i) size = std::max(size, std::abs(sum(anywhere(2))));
  const double tolerance = size * std::pow(10, uniform(-4, -1.5));
  if (!of_level) options.tolerance = tolerance;
  const auto ask = [&](const AdaptiveGrid<Dim>& grid, int level) {
    const Point<Dim> middle = anywhere(2);
    const double side = std::exp2(uniform(-2, 1));
    Eigen::VectorXd y;
    for (int i = 0; i < 20; ++i) {
      const Point<Dim> x = middle + side * anywhere(1);
      if (of_level) grid.at_level(level + 1).evaluate(x, y);
      Answer answer = of_level ? grid.at_level(level).evaluate(x, y) : grid.evaluate(x, y);
      if (of_level) answer = grid.at_level(level).error_estimate(x);
      if (answer.trust != Trust::estimated) continue;
      const double error = std::abs(y[0] - sum(x)) - 1e-13 * size;
      ++tally.answers;
      tally.above += error > answer.error;
      tally.far_above += error > 3 * answer.error;
      tally.over += !of_level && error > tolerance;
    }
  };
  if constexpr (K == 0) {
    const auto value = [&](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) { y[0] = sum(x); };
    ask(AdaptiveGrid<Dim>(exact_function_without_derivatives<Dim>(1, value), options), 0);
  } else {
    const auto jet = [&](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> columns) {
      Eigen::Index column = 0;
      for (const MultiIndex<Dim>& a : graded_multi_indices<Dim>(K)) columns(0, column++) = sum.derivative(a, x);
    };
    const AdaptiveGrid<Dim> grid(exact_jet<Dim, K>(1, jet), options);
    for (int level = 0; level < 1 + of_level; ++level) ask(grid, level);
  }
}

}  // namespace

TEST_CASE("sums of functions of one variable each, whose errors cancel at centres, are as far off as is stated") {
  const unsigned first = seed_wanted() * 100000;
  for (const bool of_level : {false, true}) {
    SumTally tally[4];
    for (unsigned seed = first; seed < first + static_cast<unsigned>(draws_wanted(60)); ++seed) {
      if (!of_level) ask_of_sum<2, 0>(seed, of_level, tally[0]), ask_of_sum<3, 0>(seed, of_level, tally[0]);
      ask_of_sum<2, 1>(seed, of_level, tally[1]), ask_of_sum<3, 1>(seed, of_level, tally[1]);
      ask_of_sum<2, 2>(seed, of_level, tally[2]), ask_of_sum<3, 2>(seed, of_level, tally[2]);
      ask_of_sum<2, 3>(seed, of_level, tally[3]), ask_of_sum<3, 3>(seed, of_level, tally[3]);
      if (seed % 8 == 0) ask_of_sum<4, 1>(seed, of_level, tally[1]), ask_of_sum<4, 2>(seed, of_level, tally[2]);
    }
    for (int K = of_level; K <= 3; ++K) {
      INFO((of_level ? "of a level, K = " : "to a tolerance, K = ") << K << ": " << tally[K].text());
      CHECK(tally[K].answers > (draws_wanted(60) * 20));
      CHECK(tally[K].above <= 0.02 * tally[K].answers);
      CHECK(tally[K].far_above <= 0.003 * tally[K].answers);
      CHECK(tally[K].over <= 0.005 * tally[K].answers);
    }
  }
}

TEST_CASE("sums are answered alike one by one, in batches, after other tolerances, and from what is known") {
  int calls_for_edges = 0;
  for (unsigned seed = seed_wanted(); seed < seed_wanted() + 20; ++seed) {
    std::mt19937 random(seed);
    const DrawnSum<3> sum(random);
    const auto f = exact_jet<3, 1>(1, [&](const Point<3>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
      Eigen::Index column = 0;
      for (const MultiIndex<3>& a : graded_multi_indices<3>(1)) jet(0, column++) = sum.derivative(a, x);
    });
    const AdaptiveGrid<3> one_by_one(f), in_batch(f), after_others(f);
    Eigen::MatrixXd X(3, 40), Y;
    for (double& x : X.reshaped()) x = std::uniform_real_distribution<double>(-2, 2)(random);
    const double tolerance = 0.02;
    const auto answers = in_batch.at_tolerance(tolerance).evaluate_batch(X, Y);
    Eigen::VectorXd y;
    for (Eigen::Index i = 0; i < X.cols(); ++i) {
      for (const double other : {1., 0.1, 1e-3}) after_others.at_tolerance(other).evaluate(X.col(i), y);
      const Answer answer = one_by_one.at_tolerance(tolerance).evaluate(X.col(i), y);
      const auto same = [&](const Answer& also, double value) {
        CHECK(value == y[0]);
        CHECK(also.error == answer.error);
        CHECK(also.level == answer.level);
        CHECK(also.trust == answer.trust);
      };
      same(answers[static_cast<std::size_t>(i)], Y(0, i));
      Eigen::VectorXd again;
      const Answer known = one_by_one.at_tolerance(tolerance).evaluate_cached(X.col(i), again);
      same(known, again[0]);
      const Answer late = after_others.at_tolerance(tolerance).evaluate(X.col(i), again);
      same(late, again[0]);
    }
    CHECK(one_by_one.statistics().exact_evaluations == in_batch.statistics().exact_evaluations);
    const AdaptiveGrid<3> only_centres(f);
    for (Eigen::Index i = 0; i < X.cols(); ++i) {
      only_centres.at_tolerance(10).evaluate(X.col(i), y);
      const Answer known = only_centres.at_tolerance(tolerance).evaluate_cached(X.col(i), y);
      calls_for_edges += known.trust == Trust::unchecked;
    }
  }
  CHECK(calls_for_edges > 0);
}

TEST_CASE("errors along axes and pairs of axes that cancel at centres are as large as is stated") {
  SumTally tally;
  for (unsigned seed = 0; seed < static_cast<unsigned>(draws_wanted(60)); ++seed) {
    std::mt19937 random(1000 * seed_wanted() + seed);
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto f = [fourth = Point<3>(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)),
                    mixed = Point<3>(uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)),
                    place = Point<3>(uniform(-2, 2), uniform(-2, 2), uniform(-2, 2))](const Point<3>& x, Point<3>& J) {
      const Point<3> u = x - place, square = u.cwiseProduct(u), next(square[1], square[2], square[0]);
      const Point<3> before(square[2], square[0], square[1]), mixed_before(mixed[2], mixed[0], mixed[1]);
      J = 2 * u.cwiseProduct(2 * fourth.cwiseProduct(square) + mixed.cwiseProduct(next) +
                             mixed_before.cwiseProduct(before));
      return fourth.dot(square.cwiseProduct(square)) + mixed.dot(square.cwiseProduct(next));
    };
    const AdaptiveGrid<3> grid(
        exact_function<3>(1, [&](const Point<3>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
          Point<3> gradient;
          y[0] = f(x, gradient);
          J = gradient.transpose();
        }));
    const double tolerance = std::pow(10, uniform(-4, 0));
    Eigen::VectorXd y;
    for (int i = 0; i < 40; ++i) {
      const Point<3> x = Point<3>::NullaryExpr([&](Eigen::Index) { return uniform(-2, 2); });
      Point<3> gradient;
      const Answer answer = grid.at_tolerance(tolerance).evaluate(x, y);
      const double error = std::abs(y[0] - f(x, gradient)) - 1e-13;
      if (answer.trust != Trust::estimated) continue;
      ++tally.answers;
      tally.above += error > answer.error;
      tally.far_above += error > 3 * answer.error;
      tally.over += error > tolerance;
    }
  }
  INFO(tally.text());
  CHECK(tally.answers > draws_wanted(60) * 20);
  CHECK(tally.above <= 0.02 * tally.answers);
  CHECK(tally.far_above <= 0.003 * tally.answers);
  CHECK(tally.over <= 0.005 * tally.answers);
}

TEST_CASE("beside corners that fail, on faces, an answer does not depend on who has asked on the other side") {
  const auto f =
      exact_function<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        if ((x - Point<2>(0.5, 0)).norm() < 0.1) throw std::runtime_error("nothing is here");
        y[0] = 1.125 * std::pow(x[0], 4) + 0.1 * std::pow(x[0], 5) - std::pow(x[1], 4);
        J << 4.5 * std::pow(x[0], 3) + 0.5 * std::pow(x[0], 4), -4 * std::pow(x[1], 3);
      });
  Eigen::VectorXd y;
  for (const double along : {0.02, 0.1, 0.2, 0.3}) {
    const AdaptiveGrid<2> fresh(f, {.tolerance = 0.004}), asked(f, {.tolerance = 0.004});
    const Point<2> x(0, along);
    for (const double beside : {-0.3, -0.1, 0.1, 0.3}) asked.try_evaluate(Point<2>(beside, along), y);
    const Answer answer = fresh.evaluate(x, y);
    const double value = y[0];
    const Answer late = asked.evaluate(x, y);
    CHECK(late.level == answer.level);
    CHECK(late.error == answer.error);
    CHECK(y[0] == value);
  }
}

TEST_CASE("the error of x^4 - y^4, none at the centres of cells on the diagonal, is told") {
  const AdaptiveGrid<2> grid(
      exact_function<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y[0] = std::pow(x[0], 4) - std::pow(x[1], 4);
        J << 4 * std::pow(x[0], 3), -4 * std::pow(x[1], 3);
      }));
  Eigen::VectorXd y;
  for (const double tolerance : {0.1, 0.07, 0.03, 1e-3}) {
    const Point<2> x(0.5, 0.02);
    const Answer answer = grid.at_tolerance(tolerance).evaluate(x, y);
    const double error = std::abs(y[0] - (std::pow(x[0], 4) - std::pow(x[1], 4)));
    CHECK(answer.trust == Trust::estimated);
    CHECK(error <= answer.error);
    CHECK(answer.error <= tolerance);
  }
}
