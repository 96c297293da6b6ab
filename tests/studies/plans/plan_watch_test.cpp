// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/plans/plan_watch.hpp"
#include "quoin/quoin.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace quoin;

TEST_CASE("progress is told in words: what is done, what is missing, and for how long it will last") {
  const auto words = [](std::size_t evaluated, std::size_t missing, double left) {
    return examples::to_words({.evaluated = evaluated, .missing = missing, .seconds_left = left});
  };
  CHECK(words(12, 0, 0) == "12 evaluated");
  CHECK(words(0, 4, std::numeric_limits<double>::quiet_NaN()) == "0 evaluated, 4 missing");
  CHECK(words(1, 4, 2.5) == "1 evaluated, 4 missing, 2.5 s left");
  CHECK(words(1, 4, 31.2) == "1 evaluated, 4 missing, 31 s left");
  CHECK(words(1, 99, 600) == "1 evaluated, 99 missing, 10 min left");
  CHECK(words(1, 99, 9000) == "1 evaluated, 99 missing, 2.5 h left");
}

TEST_CASE("where no terminal is, work is shown nowhere and goes on") {
  const auto f = exact_function<1>(1, [](const Point<1>& x, auto y, auto J) {
    y = x;
    J(0, 0) = 1;
  });
  const AdaptiveGrid<1> grid(f);
  {
    const examples::TerminalProgress progress;
    REQUIRE(Watch::current() != nullptr);
    grid.prefetch(Eigen::RowVectorXd::LinSpaced(20, 0.5, 19.5));
    CHECK(Watch::current()->progress().evaluated == 21);
    CHECK(Watch::current()->progress().missing == 0);
  }
  CHECK(Watch::current() == nullptr);
}
