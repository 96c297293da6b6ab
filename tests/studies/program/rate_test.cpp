// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/checks.hpp"

#include <catch2/catch.hpp>

using namespace studies;

TEST_CASE("the interval of a rate is Wilson's") {
  // Newcombe, Statistics in Medicine 17 (1998), Table I, method 3
  const RateInterval many = interval({.successes = 81, .draws = 263});
  CHECK(many.least == Approx(0.2553).margin(5e-5));
  CHECK(many.most == Approx(0.3662).margin(5e-5));
  const RateInterval few = interval({.successes = 1, .draws = 29});
  CHECK(few.least == Approx(0.0061).margin(5e-5));
  CHECK(few.most == Approx(0.1718).margin(5e-5));
  const RateInterval none = interval({.successes = 0, .draws = 20});
  CHECK(none.least == 0);
  CHECK(none.most == Approx(0.1611).margin(5e-5));
  CHECK(interval({.successes = 20, .draws = 20}).most == 1);
  CHECK(interval({}).least == 0);
  CHECK(interval({}).most == 1);
}

TEST_CASE("a claim on a rate holds or fails where the draws say so, and is open where they are too few") {
  const Rate few{.successes = 3, .draws = 3}, many{.successes = 98, .draws = 100};
  CHECK(at_least("it succeeds", many, 0.9).holds);
  CHECK_FALSE(at_least("it succeeds", few, 0.9).holds);
  CHECK(at_least("it succeeds", few, 0.9).open);
  CHECK_FALSE(at_least("it succeeds", {.successes = 80, .draws = 100}, 0.9).open);
  CHECK(passed({at_least("it succeeds", few, 0.9), at_least("it succeeds", many, 0.9)}));
  CHECK_FALSE(passed({at_least("it succeeds", {.successes = 80, .draws = 100}, 0.9)}));
  CHECK(at_most("it fails", {.successes = 1, .draws = 100}, 0.1).holds);
  CHECK_FALSE(passed({at_most("it fails", {.successes = 30, .draws = 100}, 0.1)}));
  CHECK(to_markdown({at_least("it succeeds", few, 0.9)}) ==
        "- open: it succeeds: at least 90 % of all; seen 3 of 3 (100.0 %, 43 to 100)\n");
}
