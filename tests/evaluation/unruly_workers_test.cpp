// SPDX-License-Identifier: BSD-3-Clause
// Workers that answer late, twice, for another point, or not at all: what is accepted is right, and what is not costs
// an attempt.
#include "quoin/evaluation/workers.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/drawn.hpp"
#include "testing/hostile_files.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <cmath>
#include <string>

using namespace quoin;
using namespace quoin::test;

namespace {

WorkerOptions unruly(const std::string& how, const std::string& what, int count = 1) {
  return {.command = {QUOIN_UNRULY_WORKER, how, what}, .count = count, .time_limit = 20};
}

// Megabytes; sanitizers keep what was given back.
#if defined(__SANITIZE_ADDRESS__)
constexpr double little = 40;
#else
constexpr double little = 2;
#endif

struct Outcome {
  int wrong = 0, failed = 0, for_good = 0;
};

/// Asks at so many points, along a line that leads through many cells and past (1, 1).
Outcome ask(const AdaptiveGrid<2>& grid, int points) {
  Outcome outcome;
  Eigen::VectorXd y;
  for (int i = 0; i < points; ++i) {
    const Point<2> x(0.5 + 0.31 * i, 0.5 - 0.17 * i);
    try {
      grid.evaluate(x, y);
      outcome.wrong += std::abs(y[0] - (x[0] + 10 * x[1])) > 1e-9 * (1 + std::abs(y[0]));
    } catch (const CornerFailure& failure) {
      ++outcome.failed;
      outcome.for_good += !failure.may_pass();
    }
  }
  return outcome;
}

std::string failure_at_corner(const WorkerOptions& options) {
  const AdaptiveGrid<2> grid{Workers<2>(options)};
  Eigen::VectorXd y;
  try {
    grid.evaluate({0.5, 0.5}, y);
  } catch (const CornerFailure& failure) {
    CHECK(failure.may_pass());
    return failure.what();
  }
  CHECK(std::abs(y[0] - 5.5) < 1e-12);
  return "right";
}

}  // namespace

TEST_CASE("whatever workers do, and when, no wrong answer is taken and no failure is for good") {
  const unsigned seed = seed_wanted();
  for (int draw = 0; draw < draws_wanted(6); ++draw) {
    CAPTURE(seed, draw);
    WorkerOptions options = unruly("draws", to_text(1000 * seed + static_cast<unsigned>(draw)), 1 + draw % 3);
    options.time_limit = 0.3;
    options.attempts = 6;
    const Workers<2> workers(options);
    const Outcome outcome = ask(AdaptiveGrid<2>(workers, {.spacing = {0.5, 0.5}}), 12);
    CHECK(outcome.wrong == 0);
    CHECK(outcome.for_good == 0);
    CHECK(outcome.failed <= 6);
    CHECK(workers.restarts() > 0);
  }
}

TEST_CASE("answers that come twice or late are dropped") {
  for (const std::string what :
       {"answers twice", "answers twice, later", "forks, and both answer", "answers what was asked before"}) {
    INFO(what);
    const Workers<2> workers(unruly("does", what));
    const Outcome outcome = ask(AdaptiveGrid<2>(workers), 20);
    CHECK(outcome.wrong == 0);
    CHECK(outcome.failed == 0);
    CHECK(workers.restarts() == 0);
  }
}

TEST_CASE("a worker that answers for another question or point is named, with both") {
  CHECK_THAT(failure_at_corner(unruly("does", "answers what nobody has asked")),
             Catch::Contains(QUOIN_UNRULY_WORKER) && Catch::Contains("it answers question") &&
                 Catch::Contains("each is answered once"));
  CHECK_THAT(failure_at_corner(unruly("does", "answers for another point")),
             Catch::Contains("for the point 0.125 0.25, asked for 1 1"));
}

TEST_CASE("a jet of another size, or of words, is named as it came") {
  CHECK_THAT(failure_at_corner(unruly("says", "jet 1\\n")),
             Catch::Contains("expected 'jet' and 3 numbers, 'failed ...'"));
  CHECK_THAT(failure_at_corner(unruly("says", "jet 1 2 3 4\\n")), Catch::Contains("1 1 jet 1 2 3 4'"));
  CHECK_THAT(failure_at_corner(unruly("says", "jet 1 2 three\\n")), Catch::Contains("jet 1 2 three'"));
  CHECK_THAT(failure_at_corner(unruly("says", "jet binary 7\\n1234567")),
             Catch::Contains("expected 'jet binary 24', came 'answer"));
}

TEST_CASE("a failure in bytes that are no text is told with replacement characters") {
  CHECK_THAT(failure_at_corner(unruly("says", "retry no \\377 licence\\n")),
             Catch::Contains("no \xEF\xBF\xBD licence"));
  CHECK_THAT(failure_at_corner(unruly("does", "writes what is no text")), Catch::Contains("\xEF\xBF\xBD"));
}

TEST_CASE("a failure in very many words is f's, and its beginning is kept") {
  for (const int characters : {65'700, 70'000, 100'000, 131'000}) {
    CAPTURE(characters);
    const Workers<2> workers(unruly("fails", to_text(characters)));
    const AdaptiveGrid<2> grid(workers);
    Eigen::VectorXd y;
    try {
      grid.evaluate({0.5, 0.5}, y);
      FAIL();
    } catch (const CornerFailure& failure) {
      CHECK(!failure.may_pass());
      CHECK(std::string(failure.what()).size() > 65'536);
      CHECK(std::string(failure.what()).size() < 66'000);
    }
    CHECK(workers.restarts() == 0);
  }
}

TEST_CASE("a sample whose worker has ended is asked again at once, though the worker's child holds its descriptors") {
  WorkerOptions options = unruly("does", "forks and crashes");
  options.time_limit = 1000;
  const auto began = std::chrono::steady_clock::now();
  CHECK_THAT(failure_at_corner(options), Catch::Contains("was killed by signal 9") && Catch::Contains("3 attempts"));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
}

TEST_CASE("what a worker says without end costs little memory, and is named") {
  failure_at_corner(unruly("does", "answers for another point"));  // what the first one takes
  const double before = peak_megabytes();
  for (const std::string what : {"writes lines without end", "writes one line without end", "answers without end"})
    CHECK_THAT(failure_at_corner(unruly("does", what)),
               what == "answers without end" ? Catch::Contains("right") : Catch::Contains("came '"));
  for (const std::string text : {"x...", "\\n...", "quoin 2 outputs 1 order 1 fingerprint x..."})
    CHECK_THROWS_WITH(Workers<2>(unruly("greets", text)),
                      Catch::Contains(QUOIN_UNRULY_WORKER) && Catch::Contains("came '"));
  CHECK(peak_megabytes() - before < little);
}

TEST_CASE("a worker that has left its process group is ended all the same") {
  WorkerOptions options = unruly("does", "leaves its group, and hangs");
  options.time_limit = 0.3;
  const auto began = std::chrono::steady_clock::now();
  CHECK_THAT(failure_at_corner(options), Catch::Contains("no answer within 0.3 s"));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
}

TEST_CASE("a worker that announces answers of gigabytes is refused before memory is taken for one") {
  const double before = peak_megabytes();
  CHECK_THROWS_WITH(Workers<2>(unruly("greets", "quoin 2 outputs 2147483647 order 3 fingerprint f\\n")),
                    Catch::Contains(QUOIN_UNRULY_WORKER) && Catch::Contains("2147483647 outputs of 10 derivatives"));
  CHECK(peak_megabytes() - before < little);
}

TEST_CASE("a program or a log that cannot be what its name says is refused by name") {
  WorkerOptions options = unruly("does", "answers twice");
  options.log = "/no/such/folder/log";
  CHECK_THROWS_WITH(Workers<2>(options), Catch::Contains("WorkerOptions::log = /no/such/folder/log"));
  options.log = "/";
  CHECK_THROWS_WITH(Workers<2>(options), Catch::Contains("is no file"));
  options = unruly("does", std::string("answers\0twice", 13));
  CHECK_THROWS_WITH(Workers<2>(options), Catch::Contains("'answers' and a NUL"));
}

TEST_CASE("a worker of the protocol's first version is refused with what to change") {
  CHECK_THROWS_WITH(Workers<2>(unruly("greets", "quoin 1 outputs 1 order 1 fingerprint old\\n")),
                    Catch::Contains("version 1") && Catch::Contains("'answer' and all that stands behind 'evaluate'"));
}

TEST_CASE("a worker that is silent or stopped is told of in the progress") {
  WorkerOptions options = unruly("does", "stops");
  options.time_limit = 1.5;
  options.attempts = 1;
  const AdaptiveGrid<2> grid{Workers<2>(options)};
  std::string waiting_for;
  const Watch watch({}, [&](const Watch::Progress& progress) {
    if (!progress.waiting_for.empty()) waiting_for = progress.waiting_for;
  });
  Eigen::VectorXd y;
  CHECK_THROWS_WITH(grid.evaluate({0.5, 0.5}, y), Catch::Contains("no answer within 1.5 s"));
  CHECK_THAT(waiting_for, Catch::Contains("worker 0 (") && Catch::Contains("is stopped by signal 19"));
}
