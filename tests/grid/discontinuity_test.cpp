// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// Waves to which a step is added in the first output, beyond a plane.
template <int Dim>
struct Step {
  Waves<Dim> waves = Waves<Dim>(outputs, 1.5);
  double height = 0.7;
  static constexpr int outputs = 3;

  static double beyond(const Point<Dim>& x) {
    Point<Dim> normal = Point<Dim>::Ones();
    normal[0] = 2;
    return normal.normalized().dot(x) - 0.137;
  }
  Eigen::VectorXd value(const Point<Dim>& x) const {
    Eigen::VectorXd y = waves.value(x);
    y[0] += beyond(x) > 0 ? height : 0;
    return y;
  }
  auto values() const {
    return exact_function_without_derivatives<Dim>(
        outputs, [step = *this](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) { y = step.value(x); });
  }
  template <int K>
  auto jet() const {
    return exact_jet<Dim, K>(outputs, [step = *this](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
      const auto indices = graded_multi_indices<Dim>(K);
      for (std::size_t a = 1; a < indices.size(); ++a)
        for (int r = 0; r < outputs; ++r)
          jet(r, static_cast<Eigen::Index>(a)) = step.waves.derivative(r, indices[a], x);
      jet.col(0) = step.value(x);
    });
  }
};

template <int Dim>
std::vector<Point<Dim>> around() {
  return random_points<Dim>(2000, Point<Dim>::Constant(-1), Point<Dim>::Constant(1), 21);
}

/// A function of two variables, from its value and gradient, asked at four levels: how many answers are discontinuous.
int called_discontinuous(const std::function<double(const Point<2>&)>& value,
                         const std::function<Point<2>(const Point<2>&)>& gradient, double tolerance) {
  const auto f =
      exact_function<2>(1, [&](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y[0] = value(x);
        J.row(0) = gradient(x).transpose();
      });
  const AdaptiveGrid<2> grid(f, {.deepest_level = 4, .tolerance = tolerance});
  Eigen::VectorXd y;
  int count = 0;
  for (const Point<2>& x : around<2>()) count += grid.evaluate(x, y).trust == Trust::discontinuous;
  return count;
}

constexpr int deepest = 4;
constexpr double tolerance = 0.02;

/// Answers that are off by more than `spoilt` say so, and only cells that are crossed do.
template <int Dim, class F>
void says_discontinuous(const F& f, const Step<Dim>& step, double spoilt = tolerance) {
  const AdaptiveGrid<Dim> grid(f, {.deepest_level = deepest, .tolerance = tolerance});
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  int found = 0, wrong = 0;
  for (const Point<Dim>& x : around<Dim>()) {
    const Answer answer = grid.evaluate(x, y, J);
    const bool off = (y - step.value(x)).norm() / std::sqrt(1.0 * step.outputs) > spoilt;
    if (off) CHECK(answer.trust == Trust::discontinuous);
    wrong += off;
    if (answer.trust != Trust::discontinuous) continue;
    ++found;
    CHECK(answer.has_value());
    CHECK(std::isnan(answer.error));
    CHECK(std::isnan(answer.jacobian_error));
    CHECK(answer.level == deepest);
    CHECK(std::abs(step.beyond(x)) <= std::ldexp(std::sqrt(1.0 * Dim), -deepest));
    CHECK(grid.error_estimate(x).trust == Trust::discontinuous);
  }
  CHECK(wrong > 10);
  CHECK(found < 5 * wrong);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG(
    "to a tolerance, every answer spoilt by a jump says so, and none beyond the cells that it crosses", "",
    ((int Dim), Dim), 1, 2, 3) {
  const Step<Dim> step;
  says_discontinuous<Dim>(step.template jet<1>(), step);
  says_discontinuous<Dim>(step.template jet<2>(), step);
}

TEMPLATE_TEST_CASE_SIG("without derivatives, answers of the cells that a jump crosses say so", "", ((int Dim), Dim), 1,
                       2) {
  // A gradient that is differenced across the jump spoils the next cells too, as a kink would: along each axis by less
  // than an eighth of the jump.
  const Step<Dim> step;
  says_discontinuous<Dim>(step.values(), step, Dim * step.height / 8 / std::sqrt(3.0));
}

TEST_CASE("a batch says of a jump what single queries say, and calls no more") {
  const Step<2> step;
  const GridOptions<2> options{.deepest_level = 4, .tolerance = 0.01};
  const AdaptiveGrid<2> one_by_one(step.jet<1>(), options), at_once(step.jet<1>(), options);
  const auto points = around<2>();
  Eigen::MatrixXd X(2, points.size()), Y;
  for (std::size_t m = 0; m < points.size(); ++m) X.col(static_cast<Eigen::Index>(m)) = points[m];
  const std::vector<Answer> answers = at_once.evaluate_batch(X, Y);
  Eigen::VectorXd y;
  int discontinuous = 0;
  for (std::size_t m = 0; m < points.size(); ++m) {
    CHECK(one_by_one.evaluate(points[m], y).trust == answers[m].trust);
    discontinuous += answers[m].trust == Trust::discontinuous;
  }
  CHECK(discontinuous > 10);
  CHECK(one_by_one.statistics().exact_evaluations == at_once.statistics().exact_evaluations);
}

TEST_CASE("kinks, cusps and smooth functions at too few levels are not called discontinuous") {
  const Point<2> normal(0.8, 0.6), at(0.13, -0.21);
  CHECK(called_discontinuous([&](const Point<2>& x) { return std::abs(normal.dot(x) - 0.13); },
                             [&](const Point<2>& x) -> Point<2> { return (normal.dot(x) < 0.13 ? -1 : 1) * normal; },
                             1e-6) == 0);
  CHECK(called_discontinuous([&](const Point<2>& x) { return std::pow((x - at).norm(), 1.5); },
                             [&](const Point<2>& x) -> Point<2> { return 1.5 / std::sqrt((x - at).norm()) * (x - at); },
                             1e-6) == 0);
  for (const double k : {1.0, 3.0, 6.0})
    CHECK(called_discontinuous([&](const Point<2>& x) { return std::sin(k * normal.dot(x)); },
                               [&](const Point<2>& x) -> Point<2> { return k * std::cos(k * normal.dot(x)) * normal; },
                               1e-9) == 0);
}

TEST_CASE("a jump that is lower than the tolerance is not called discontinuous") {
  const auto step = [](double height) { return [height](const Point<2>& x) { return height * (x[0] > 0.137); }; };
  const auto flat = [](const Point<2>&) -> Point<2> { return {0, 0}; };
  CHECK(called_discontinuous(step(0.9e-2), flat, 1e-2) == 0);
  CHECK(called_discontinuous(step(10e-2), flat, 1e-2) > 50);
}
