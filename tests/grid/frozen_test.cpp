// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"
#include "quoin/util/errors.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

bool equal_or_nan(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Waves of order K that count their calls, fail in a half space, and jump to another branch in another.
template <int Dim, int K>
auto drawn_function(const Calls& calls, double fails_above, double jumps_below) {
  return exact_jet<Dim, K>(3, [=, indices = graded_multi_indices<Dim>(K), waves = Waves<Dim>(3, 1.3)](
                                  const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
    ++*calls;
    if (x.sum() > fails_above) throw CornerFailure("beyond the line");
    for (std::size_t a = 0; a < indices.size(); ++a)
      for (int r = 0; r < 3; ++r) jet(r, static_cast<Eigen::Index>(a)) = waves.derivative(r, indices[a], x);
    const int branch = x[0] < jumps_below ? 1 : 0;
    jet.col(0).array() += branch;
    return branch;
  });
}

template <int Dim, int K>
void compare_drawn(std::mt19937_64& random) {
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const auto one_of = [&](int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); };
  GridOptions<Dim> options;
  options.spacing.setConstant(0.5);
  options.lower.setConstant(-1);
  options.upper.setConstant(1);
  options.deepest_level = 6;
  options.outside = std::vector{OutsidePolicy::throw_error, OutsidePolicy::clamp, OutsidePolicy::extend}[one_of(3)];
  if (K == 1 && one_of(3) == 0)
    options.fourth_derivatives = [](const Point<Dim>& lower, const Point<Dim>& upper) {
      return FourthDerivativeBounds<Dim>::common(4 + (upper - lower).norm());
    };
  const auto calls = new_calls();
  const bool fails = one_of(2), jumps = one_of(2);
  const AdaptiveGrid<Dim> grid(drawn_function<Dim, K>(calls, fails ? draw(-0.5, 1) : 1e9, jumps ? 0.1 : -1e9), options);
  GridView<Dim> view = grid.at_level(one_of(3));
  if (one_of(2)) view = grid.at_tolerance(std::pow(10, draw(-4, -1)));
  if (one_of(3) == 0) view = view.linear_output(Eigen::MatrixXd::Random(2, 3));
  Eigen::VectorXd y, y_known;
  Eigen::MatrixXd J, J_known;
  std::vector<Point<Dim>> asked_points;
  const auto ask = [&](const GridView<Dim>& asked, int count) {
    for (int i = 0; i < count; ++i) {
      Point<Dim> x;
      for (int k = 0; k < Dim; ++k) x[k] = draw(-1, 1);
      asked.try_evaluate(x, y);
      asked_points.push_back(x);
    }
  };
  ask(view, 12);
  for (const Point<Dim>& x : asked_points) {
    const Answer said = view.try_evaluate(x, y, J), known = view.evaluate_cached(x, y_known, J_known);
    if (!said.has_value() && known.trust == Trust::coarser) continue;
    CHECK(known.trust == said.trust);
    if (said.has_value()) CHECK((known.level == said.level && y_known == y && J_known == J));
  }
  if (one_of(2)) ask(grid.at_level(one_of(2)), 6);
  if (one_of(2)) ask(grid.at_tolerance(1e-2), 4);

  const int before = *calls;
  const FrozenView<Dim> frozen = view.frozen();
  const FrozenView<Dim> strict = view.frozen(MissingPolicy::fail);
  CHECK(frozen.output_size() == view.output_size());
  for (int i = 0; i < 200; ++i) {
    Point<Dim> x;
    bool on_face = false;
    for (int k = 0; k < Dim; ++k) {
      x[k] = one_of(4) ? draw(-1.2, 1.2) : (one_of(17) - 8) / 8.0;
      on_face = on_face || std::abs(std::remainder(x[k], 1.0 / 128)) < 1e-12;
    }
    CAPTURE(Dim, K, x.transpose(), view.level(), view.tolerance().value_or(0));
    const Answer known = view.evaluate_cached(x, y_known, J_known);
    const Answer said = frozen.try_evaluate(x, y, J);
    CAPTURE(to_string(known.trust), to_string(said.trust), known.level, said.level);
    // Where no leaf is there evaluate_cached has the cells on the way to it alone, a frozen view all that hold x.
    if (said.trust == Trust::failed && known.trust == Trust::failed) continue;
    if (on_face && fails) {  // of a cell that fails, perhaps: either may answer from another side
      CHECK((said.has_value() || !known.has_value()));
      continue;
    }
    const bool lacks_leaf =
        known.trust == Trust::coarser || known.trust == Trust::failed || known.trust == Trust::nearest_branch;
    if (lacks_leaf && (said.trust != known.trust || said.level != known.level)) {
      CHECK(said.has_value());
      CHECK((on_face || known.trust == Trust::failed || said.level > known.level));
      continue;
    }
    CHECK(said.trust == known.trust);
    if (said.trust == Trust::extended && (on_face || said.level > known.level)) continue;  // it may be coarser, too
    CHECK(said.level == known.level);
    if (!said.has_value()) continue;
    CHECK(equal_or_nan(said.error, known.error));
    CHECK(equal_or_nan(said.jacobian_error, known.jacobian_error));
    CHECK(y == y_known);
    CHECK(J == J_known);
    const Answer strictly = strict.try_evaluate(x, y_known);
    if (said.trust == Trust::coarser || (said.trust == Trust::nearest_branch && strictly.trust == Trust::failed))
      CHECK(strictly.trust == Trust::failed);
    else if (said.trust != Trust::extended)
      CHECK((strictly.trust == said.trust && y_known == y));
  }
  CHECK(*calls == before);
}

}  // namespace

TEST_CASE("a frozen view answers as what was known, to the bit, and calls nothing") {
  std::mt19937_64 random(seed_wanted());
  for (int draw = 0; draw < draws_wanted(12); ++draw) {
    CAPTURE(draw);
    compare_drawn<1, 1>(random);
    compare_drawn<2, 0>(random);
    compare_drawn<2, 1>(random);
    compare_drawn<2, 2>(random);
    compare_drawn<3, 1>(random);
  }
}

TEST_CASE("nothing that becomes of the grid changes a frozen view") {
  const auto points = random_points<2>(50, Point<2>(-2, -2), Point<2>(2, 2), 3);
  std::optional<FrozenView<2>> frozen;
  std::vector<Eigen::VectorXd> expected(points.size());
  std::vector<Answer> said(points.size());
  Eigen::VectorXd y;
  const auto check = [&] {
    for (std::size_t m = 0; m < points.size(); ++m) {
      const Answer answer = frozen->try_evaluate(points[m], y);
      CHECK(answer.trust == said[m].trust);
      CHECK(equal_or_nan(answer.error, said[m].error));
      if (answer.has_value()) CHECK(y == expected[m]);
    }
  };
  {
    AdaptiveGrid<2> grid(counted_waves<2>(new_calls()), {.spacing = {0.5, 0.5}, .tolerance = 1e-3});
    for (std::size_t m = 0; m < points.size(); m += 2) grid.evaluate(points[m], y);
    frozen = grid.frozen();
    CHECK(frozen->cells() > 0);
    CHECK(frozen->bytes() > 0);
    for (std::size_t m = 0; m < points.size(); ++m) said[m] = frozen->try_evaluate(points[m], expected[m]);
    for (const auto& x : points) grid.evaluate(x, y);
    check();
    grid.refine();
    for (const auto& x : points) grid.evaluate(x, y);
    grid.trim();
    check();
    const FrozenView<2> later = grid.frozen(MissingPolicy::fail);
    for (const auto& x : points) CHECK(later.try_evaluate(x, y).trust == Trust::estimated);
  }
  check();
}

TEST_CASE("many threads ask a frozen view while the grid grows") {
  AdaptiveGrid<2> grid(counted_waves<2>(new_calls()), {.spacing = {0.5, 0.5}});
  const auto points = random_points<2>(200, Point<2>(-3, -3), Point<2>(3, 3), 4);
  Eigen::VectorXd y;
  for (std::size_t m = 0; m < 50; ++m) grid.evaluate(points[m], y);
  const FrozenView<2> frozen = grid.frozen();
  std::vector<int> unequal(3, 0);
  std::vector<std::thread> threads;
  for (int& count : unequal)
    threads.emplace_back([&] {
      Eigen::VectorXd first, again;
      for (int round = 0; round < 20; ++round)
        for (std::size_t m = 0; m < 50; ++m) {
          frozen.evaluate(points[m], first);
          FrozenView<2>(frozen).evaluate(points[m], again);
          count += first != again;
        }
    });
  for (const auto& x : points) grid.evaluate(x, y);
  for (std::thread& thread : threads) thread.join();
  CHECK(unequal == std::vector<int>(3, 0));
}

TEST_CASE("a frozen view says where it has no answer, and what to do") {
  GridOptions<2> options;
  options.spacing.setConstant(0.5);
  options.lower.setConstant(0);
  options.upper.setConstant(2);
  const AdaptiveGrid<2> grid(counted_waves<2>(new_calls()), options);
  Eigen::VectorXd y = Eigen::VectorXd::Constant(3, 7), before = y;
  Eigen::MatrixXd J;
  const FrozenView<2> empty = grid.frozen();
  CHECK(empty.cells() == 0);
  CHECK(empty.try_evaluate({0.3, 0.4}, y).trust == Trust::failed);
  CHECK(y == before);
  CHECK_THROWS_WITH(empty.evaluate({0.3, 0.4}, y),
                    Catch::Contains("no cell answers around (0.3, 0.4)") && Catch::Contains("prefetch()"));
  grid.evaluate({0.3, 0.4}, y);
  const FrozenView<2> frozen = grid.frozen(), fine = grid.at_level(1).frozen(MissingPolicy::fail);
  CHECK(frozen.evaluate({0.3, 0.4}, y, J).trust == Trust::unchecked);
  CHECK_THROWS_AS(frozen.evaluate({1.3, 0.4}, y), CornerFailure);
  CHECK_THROWS_WITH(fine.evaluate({0.3, 0.4}, y), Catch::Contains("other cells may not answer"));
  CHECK(grid.at_level(1).frozen().evaluate({0.3, 0.4}, y).trust == Trust::coarser);
  CHECK_THROWS_WITH(frozen.evaluate({2.5, 0.4}, y), Catch::Contains("x[0] = 2.5 is above"));
  CHECK(frozen.try_evaluate({std::nan(""), 0.4}, y).trust == Trust::outside);
}

TEST_CASE("values alone make gradients without a call: of samples, frozen, known, and of a functional") {
  GridOptions<2> options;
  options.spacing.setConstant(0.25);
  options.lower.setConstant(-1);
  options.upper.setConstant(1);
  const auto f = exact_function_without_derivatives<2>(
      3, [waves = Waves<2>(3)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y = waves.value(x); });
  for (const std::optional<double> tolerance : {std::optional<double>{}, std::optional(1e-2)}) {
    options.tolerance = tolerance;
    const AdaptiveGrid<2> grid(f, options);
    grid.fill(options.lower, options.upper);
    const AdaptiveGrid<2> table(grid.samples(), options), asked(grid.samples(), options);
    const FrozenView<2> frozen = table.frozen(MissingPolicy::fail);
    const Eigen::MatrixXd C = Eigen::MatrixXd::Ones(1, 3);
    const FrozenView<2> sum = table.linear_output(C).frozen(MissingPolicy::fail);
    Eigen::VectorXd y, expected;
    Eigen::MatrixXd J, expected_J;
    for (const auto& x : random_points<2>(100, options.lower, options.upper, 9)) {
      grid.evaluate(x, expected, expected_J);
      REQUIRE(frozen.try_evaluate(x, y, J).has_value());
      CHECK((y == expected && J == expected_J));
      REQUIRE(asked.evaluate_cached(x, y, J).trust == Trust::unchecked);  // of samples alone nothing is measured
      CHECK((y == expected && J == expected_J));
      REQUIRE(sum.try_evaluate(x, y).has_value());
      CHECK(y[0] == Approx(expected.sum()).margin(1e-12));
    }
  }
}

TEST_CASE("a functional's frozen view is made of the function's corners") {
  const auto calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), {.spacing = {0.5, 0.5}});
  Eigen::VectorXd y, all;
  grid.evaluate({0.3, 0.4}, all);
  const FrozenView<2> sum = grid.linear_output(Eigen::MatrixXd::Ones(1, 3)).frozen();
  CHECK(sum.evaluate({0.3, 0.4}, y).trust == Trust::unchecked);
  CHECK(y[0] == Approx(all.sum()));
  CHECK(*calls == 4);
}
