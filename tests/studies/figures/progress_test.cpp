// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/progress.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <sstream>

using namespace studies::figures;

TEST_CASE("progress off a terminal is a plain line every so often, with the time left") {
  std::ostringstream out;
  double now = 100;
  Progress progress(out, "planning", 40, {.line_seconds = 10, .seconds = [&] { return now; }});
  progress.update(0);
  now = 105;
  progress.update(5);
  CHECK(out.str().empty());
  now = 110;
  progress.update(10, "cost 3");
  CHECK(out.str() == "planning: 10 of 40 (25 %), 30.0 s left, cost 3\n");
  now = 119;
  progress.update(20);
  now = 141;
  progress.update(40);
  progress.finish("cost 1");
  progress.finish("twice");
  CHECK(out.str() ==
        "planning: 10 of 40 (25 %), 30.0 s left, cost 3\n"
        "planning: 40 of 40 (100 %), 0.0 us left\n"
        "planning: 40 in 41.0 s, cost 1\n");
}

TEST_CASE("progress on a terminal redraws one line and wipes what was longer") {
  std::ostringstream out;
  double now = 0;
  {
    Progress progress(out, "a", 2, {.terminal = true, .redraw_seconds = 0.1, .seconds = [&] { return now; }});
    progress.update(0, "a long note");
    now = 0.05;
    progress.update(1, "too soon");
    now = 1;
    progress.update(1);
  }
  const std::string first = "a: 0 of 2 (0 %), 0.0 us, a long note";
  const std::string second = "a: 1 of 2 (50 %), 1.0 s left";
  CHECK(out.str() == "\r" + first + "\r" + second + std::string(first.size() - second.size(), ' ') + "\n");
}

TEST_CASE("progress without a total shows count and time, and an interrupted one its part") {
  std::ostringstream out;
  double now = 0;
  Progress open(out, "solving", 0, {.line_seconds = 1, .seconds = [&] { return now; }});
  now = 2;
  open.update(7);
  open.finish();
  Progress stopped(out, "plan", 10, {.seconds = [&] { return now; }});
  stopped.update(3);
  stopped.finish("converged");
  CHECK(out.str() == "solving: 7, 2.0 s\nsolving: 7 in 2.0 s\nplan: 3 of 10 in 0.0 us, converged\n");
}

TEST_CASE("durations read as people say them") {
  CHECK(format_seconds(3.21e-6) == "3.2 us");
  CHECK(format_seconds(41e-6) == "41 us");
  CHECK(format_seconds(2.14e-3) == "2.1 ms");
  CHECK(format_seconds(0.0214) == "21 ms");
  CHECK(format_seconds(0.42) == "0.42 s");
  CHECK(format_seconds(8.13) == "8.1 s");
  CHECK(format_seconds(59.97) == "1 min 00 s");
  CHECK(format_seconds(185) == "3 min 05 s");
  CHECK(format_seconds(3599.6) == "1 h 00 min");
  CHECK(format_seconds(8040) == "2 h 14 min");
  CHECK(format_seconds(-1) == "unknown");
  CHECK(format_seconds(std::numeric_limits<double>::infinity()) == "unknown");
}
