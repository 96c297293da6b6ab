// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/threads.hpp"
#include "quoin/quoin.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/request.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

template <int Dim>
void fill_drawn(std::mt19937_64& random) {
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const auto one_of = [&](int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); };
  GridOptions<Dim> options;
  options.spacing.setConstant(0.5);
  options.lower.setConstant(-2);
  options.upper.setConstant(2);
  options.deepest_level = 6;
  const auto calls = new_calls();
  const double fails_above = one_of(2) ? draw(0, 2) : 1e9, jumps_below = one_of(2) ? 0.1 : -1e9;
  const auto f = exact_jet<Dim, 1>(2, [=, waves = Waves<Dim>(2)](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
    ++*calls;
    if (x.sum() > fails_above) throw CornerFailure("beyond the line");
    jet << waves.value(x), waves.jacobian(x);
    jet.col(0).array() += x[0] < jumps_below;
    return x[0] < jumps_below ? 1 : 0;
  });
  const AdaptiveGrid<Dim> grid(f, options);
  GridView<Dim> view = grid.at_level(one_of(2));
  if (one_of(2)) view = grid.at_tolerance(std::pow(10, draw(-3, -1)));
  if (one_of(3) == 0) view = view.linear_output(Eigen::MatrixXd::Ones(1, 2));
  Point<Dim> lower, upper;
  const bool aligned = one_of(2);
  for (int i = 0; i < Dim; ++i) {
    lower[i] = aligned ? 0.5 * one_of(6) - 2 : draw(-2, 1.5);
    // On a face of a cell that fails queries look at its other side, too.
    upper[i] = std::min(2.0, lower[i] + (aligned ? 0.5 * (one_of(3) + (fails_above < 3)) : draw(0, 2)));
  }
  CAPTURE(Dim, lower.transpose(), upper.transpose(), view.level(), view.tolerance().value_or(0));
  Eigen::VectorXd y;
  std::size_t leaves = 0;
  try {
    const Filled box = view.fill(lower, upper);
    leaves = box;
    CHECK(leaves > 0);
    CHECK(box.failed < leaves);
    CHECK(box.reason.empty() == (box.failed == 0));
    if (box.failed > 0) CHECK_THAT(box.reason, Catch::StartsWith("corner (") && Catch::Contains("beyond the line"));
  } catch (const CornerFailure& nothing) {
    CHECK_THAT(nothing.what(), Catch::Contains("cells of the box, first at corner (") && Catch::Contains("beyond"));
    CHECK(upper.sum() > fails_above);
    if (!view.tolerance()) CHECK_FALSE(view.try_evaluate((lower + upper) / 2, y).has_value());
    return;
  }
  const int filled = *calls;
  for (int k = 0; k < 300; ++k) {
    Point<Dim> x;
    for (int i = 0; i < Dim; ++i) x[i] = lower[i] + (upper[i] - lower[i]) * draw(0, 1);
    view.try_evaluate(x, y);
  }
  CHECK(*calls == filled);
  CHECK(view.fill(lower, upper) == leaves);
  CHECK(*calls == filled);
  // Not many more than queries all over the box want for, some of whose cells may be thin slivers.
  if (!aligned || Dim == 3) return;
  const AdaptiveGrid<Dim> asked(f, options);
  GridView<Dim> like = view.tolerance() ? asked.at_tolerance(*view.tolerance()) : asked.at_level(view.level());
  if (view.output_size() == 1) like = like.linear_output(Eigen::MatrixXd::Ones(1, 2));
  *calls = 0;
  for (int k = 0; k < 50'000; ++k) {
    Point<Dim> x;
    for (int i = 0; i < Dim; ++i) x[i] = lower[i] + (upper[i] - lower[i]) * draw(0, 1);
    like.try_evaluate(x, y);
  }
  CHECK(filled + 3 >= *calls);  // looks at f inside cells come now and then
  CHECK(filled <= 8 + 1.3 * *calls);
}

}  // namespace

TEST_CASE("queries in a box that was filled call nothing, and filling it costs what they would") {
  std::mt19937_64 random(seed_wanted());
  for (int draw = 0; draw < draws_wanted(10); ++draw) {
    CAPTURE(draw);
    fill_drawn<1>(random);
    fill_drawn<2>(random);
    fill_drawn<3>(random);
  }
}

TEST_CASE("a box of a level has the cells that it meets in more than a face") {
  const auto calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), {.spacing = {0.5, 0.25}}, Threads{2});
  CHECK(grid.fill({0, 0}, {1, 0.5}) == 4);
  CHECK(*calls == 9);
  CHECK(grid.fill({0.1, 0.1}, {0.9, 0.4}) == 4);
  CHECK(grid.fill({0.2, 0.2}, {0.2, 0.2}) == 1);
  CHECK(grid.fill({0, 0}, {0, 0}) == 1);
  CHECK(*calls == 9);
  CHECK(grid.at_level(1).fill({0, 0}, {1, 0.5}) == 16);
  CHECK(*calls == 25);
  CHECK(grid.statistics().batches < 12);
}

TEST_CASE("a grid over a box has the cells that were asked for, wherever the box lies") {
  std::mt19937_64 random(seed_wanted());
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int round = 0; round < draws_wanted(200); ++round) {
    const Point<2> lower(draw(-9, 9), 1e3 * draw(-9, 9));
    const Point<2> upper = lower + Point<2>(draw(0.1, 3), draw(1e-2, 1e4));
    const std::array<int, 2> cells = {1 + round % 7, 1 + round % 5};
    const AdaptiveGrid<2> grid(
        exact_function_without_derivatives<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y[0] = x[0]; }),
        GridOptions<2>::over(lower, upper, cells));
    CHECK(grid.fill(lower, upper) == static_cast<std::size_t>(cells[0] * cells[1]));
  }
}

TEST_CASE("a filled box tells in how many of its cells f failed, and why first") {
  const auto f = exact_jet<2, 1>(1, [](const Point<2>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
    if (x[0] > 0.9) throw CornerFailure("no contact");
    jet << x[0], 1, 0;
  });
  for (const FailurePolicy policy : {FailurePolicy::throw_error, FailurePolicy::coarser}) {
    GridOptions<2> options;
    options.spacing = {0.5, 0.5};
    options.on_failure = policy;
    const AdaptiveGrid<2> grid(f, options);
    const Filled all = grid.fill({0, 0}, {2, 1});
    CHECK(all.cells == 8);
    CHECK(all.failed == 6);
    CHECK_THAT(all.reason, Catch::StartsWith("corner (1, ") && Catch::EndsWith("no contact"));
    CHECK(grid.at_level(1).fill({0, 0}, {2, 1}).failed == 20);
    const Filled whole = grid.fill({0, 0}, {0.5, 1});
    CHECK(whole.failed == 0);
    CHECK(whole.reason.empty());
    if (policy == FailurePolicy::throw_error)
      CHECK_THROWS_WITH(grid.fill({1.5, 0}, {2, 1}),
                        Catch::Contains("f failed in all 2 cells of the box, first at corner "
                                        "(1.5, ") &&
                            Catch::Contains("no contact"));
    else
      CHECK(grid.fill({1.5, 0}, {2, 1}).failed == 2);
  }
}

TEST_CASE("what is no box is refused, with what to do") {
  GridOptions<2> options;
  options.lower.setConstant(0);
  options.upper.setConstant(8);
  const auto calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), options);
  CHECK_THROWS_WITH(grid.fill({0, 3}, {1, 2}), Catch::Contains("lower[1] = 3 is above upper[1] = 2"));
  CHECK_THROWS_AS(grid.fill({0, std::nan("")}, {1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(grid.fill({0, 0}, {1, 9}), DomainError);
  const AdaptiveGrid<2> large(counted_waves<2>(calls));
  CHECK_THROWS_WITH(large.at_level(20).fill({0, 0}, {10, 10}), Catch::Contains("a coarser spacing or level"));
  CHECK(*calls == 0);
}

TEST_CASE("a table that is being filled shows its progress, and stops") {
  const auto calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), {.spacing = {0.1, 0.1}});
  std::stop_source stop;
  std::size_t all = 0;
  {
    const Watch watch(stop.get_token(), [&](const Watch::Progress& p) {
      all = std::max(all, p.evaluated + p.missing);
      if (p.evaluated > 20) stop.request_stop();
    });
    CHECK_THROWS_AS(grid.fill({0, 0}, {2, 2}), Interrupted);
  }
  CHECK(all == 441);
  CHECK(*calls < 441);
  CHECK(grid.fill({0, 0}, {2, 2}) == 400);
  CHECK(*calls == 441);
}
