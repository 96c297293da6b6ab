// SPDX-License-Identifier: BSD-3-Clause
// Corners before queries need them, and answers without waiting for them.
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/interleave.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

using namespace quoin;
using namespace quoin::test;

namespace {

bool within_seconds(double limit, const std::function<bool()>& holds) {
  const auto began = std::chrono::steady_clock::now();
  while (!holds()) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// f waits at every call for a permit, or until nobody wants its answer any more.
struct Held {
  std::shared_ptr<std::atomic<int>> permits = std::make_shared<std::atomic<int>>(0);
  Calls calls = new_calls();
  auto function() const {
    return exact_function<2>(3,
                             [permits = permits, calls = calls, waves = Waves<2>(3)](
                                 const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                               ++*calls;
                               while (*permits <= 0 && !stopped())
                                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
                               --*permits;
                               y = waves.value(x);
                               J = waves.jacobian(x);
                             },
                             {.concurrent = true});
  }

 private:
  static bool stopped() {
    try {
      if (Watch::current() != nullptr) Watch::current()->throw_if_stopped();
      return false;
    } catch (const Interrupted&) {
      return true;
    }
  }
};

// f that hears of no stop.
struct Deaf {
  std::shared_ptr<std::atomic<bool>> free = std::make_shared<std::atomic<bool>>(false);
  Calls calls = new_calls();
  auto function() const {
    return exact_function<2>(1, [free = free, calls = calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y,
                                                             Eigen::Ref<Eigen::MatrixXd> J) {
      ++*calls;
      while (!*free) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      y[0] = x[0];
      J << 1, 0;
    });
  }
};

}  // namespace

TEST_CASE("a request returns at once, and its corners are there later") {
  const Held held;
  AdaptiveGrid<2> grid(held.function());
  const Eigen::MatrixXd X = (Eigen::MatrixXd(2, 2) << 0.5, 3.5, 0.5, 0.5).finished();
  grid.prefetch_async(X);
  CHECK(grid.statistics().corners == 0);
  *held.permits = 8;
  REQUIRE(within_seconds(20, [&] { return grid.statistics().unused_corners == 8; }));  // kept first, then counted
  CHECK(grid.statistics().corners == 8);
  Eigen::VectorXd y;
  grid.evaluate({0.5, 0.5}, y);  // would wait for a permit if it called f
  CHECK(grid.statistics().unused_corners == 4);
  CHECK(grid.statistics().exact_evaluations == 8);
  grid.trim();  // what no query has used is given back
  CHECK(grid.statistics().corners == 4);
}

TEST_CASE("requests end with the grid, and with trim, whatever still waits") {
  const Held held;
  {
    AdaptiveGrid<2> grid(held.function());
    grid.prefetch_async(100 * Eigen::MatrixXd::Random(2, 1000));
    REQUIRE(within_seconds(20, [&] { return *held.calls == 1; }));
    grid.trim();
    CHECK(*held.calls == 1);
    Eigen::VectorXd y;
    *held.permits = 4;
    CHECK(grid.try_evaluate({0.5, 0.5}, y).has_value());
    grid.prefetch_async(100 * Eigen::MatrixXd::Random(2, 1000));
    *held.permits = 5;
  }
  CHECK(*held.calls < 20);
}

TEST_CASE("who waits for the end of requests is stopped by its watch, and f goes on") {
  const Held held;
  AdaptiveGrid<2> grid(held.function());
  CHECK_FALSE(grid.has_requests());
  grid.prefetch_async(100 * Eigen::MatrixXd::Random(2, 1000));
  REQUIRE(within_seconds(20, [&] { return *held.calls == 1; }));
  CHECK(grid.has_requests());
  SECTION("cancel_requests") { CHECK_NOTHROW(grid.cancel_requests()); }
  SECTION("trim") { CHECK_NOTHROW(grid.trim()); }
  CHECK_FALSE(grid.has_requests());

  const Deaf deaf;
  AdaptiveGrid<2> hanging(deaf.function());
  hanging.prefetch_async(Eigen::MatrixXd::Random(2, 10));
  REQUIRE(within_seconds(20, [&] { return *deaf.calls == 1; }));
  std::stop_source stop;
  const std::jthread after([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  {
    const Watch watch(stop.get_token());
    CHECK_THROWS_AS(hanging.cancel_requests(), Interrupted);
    CHECK_THROWS_AS(hanging.trim(), Interrupted);
  }
  CHECK(hanging.has_requests());
  *deaf.free = true;
  hanging.cancel_requests();
  CHECK(*deaf.calls == 1);
  CHECK(hanging.statistics().corners == 1);
}

TEST_CASE("requests leave out what lies outside, and failures wait for the query that meets them") {
  const AdaptiveGrid<1> grid(
      exact_function<1>(1,
                        [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                          if (x[0] == 2) throw std::runtime_error("no answer at 2");
                          y[0] = J(0, 0) = x[0];
                        }),
      {.lower = Point<1>(0), .upper = Point<1>(10)});
  grid.prefetch_async((Eigen::MatrixXd(1, 4) << -5, 1.5, 12, 5.5).finished());
  REQUIRE(within_seconds(20, [&] { return grid.statistics().corners == 4; }));
  Eigen::VectorXd y;
  CHECK_THROWS_WITH(grid.evaluate(Point<1>(1.5), y), Catch::Contains("no answer at 2"));
  CHECK(grid.evaluate(Point<1>(5.5), y).has_value());
  CHECK(grid.statistics().exact_evaluations == 4);
}

TEST_CASE("who may not wait is answered from what is there, coarser if it must, and told what is missing") {
  for (const bool by_tolerance : {false, true})
    for (const bool functional : {false, true}) {
      CAPTURE(by_tolerance, functional);
      const Calls calls = new_calls();
      AdaptiveGrid<2> grid(counted_waves<2>(calls));
      GridView<2> base = grid.at_level(0);
      if (functional) base = grid.linear_output(Eigen::MatrixXd::Ones(1, 3));
      const GridView<2> fine = by_tolerance ? base.at_tolerance(1e-4) : base.at_level(2);
      const Point<2> x(0.3, 0.6);
      Eigen::VectorXd y, expected;
      Eigen::MatrixXd J, expected_J;
      std::vector<Point<2>> missing;
      CHECK(fine.evaluate_cached(x, y, J, &missing).trust == Trust::failed);
      CHECK(missing.size() == 4);
      CHECK(y.size() == 0);
      CHECK(*calls == 0);

      base.at_level(0).evaluate(x, expected, expected_J);
      missing.clear();
      const Answer coarse = fine.evaluate_cached(x, y, J, &missing);
      // To a tolerance the cell of level 0 is the one to begin with: it is not known whether it is good enough.
      if (!by_tolerance) CHECK(coarse.trust == Trust::coarser);
      CHECK(coarse.level == 0);
      CHECK(y == expected);
      CHECK(J == expected_J);
      CHECK(missing.size() == (by_tolerance ? 0 : 4));
      CHECK(*calls == 4);

      const Answer answer = fine.evaluate(x, expected, expected_J);
      const int before = *calls;
      missing.clear();
      const Answer known = fine.evaluate_cached(x, y, J, &missing);
      CHECK(known.trust == answer.trust);
      CHECK(known.level == answer.level);
      CHECK((known.error == answer.error || by_tolerance == false));
      CHECK(missing.empty());
      CHECK(y == expected);
      CHECK(J == expected_J);
      CHECK(*calls == before);
    }
}

TEST_CASE("who may not wait does not, while another thread waits for f") {
  const Held held;
  const AdaptiveGrid<2> grid(held.function());
  std::jthread other([&] {
    Eigen::VectorXd y;
    grid.evaluate({0.5, 0.5}, y);
  });
  REQUIRE(within_seconds(20, [&] { return *held.calls == 1; }));
  Eigen::VectorXd y;
  std::vector<Point<2>> missing;
  CHECK(grid.evaluate_cached({0.5, 0.5}, y, &missing).trust == Trust::failed);
  CHECK(missing.size() == 4);
  *held.permits = 4;
}

TEST_CASE("what is expected is evaluated in one batch where the options say so, and nowhere else") {
  const Eigen::MatrixXd X = 8 * Eigen::MatrixXd::Random(2, 30);
  for (const bool ahead : {false, true}) {
    const AdaptiveGrid<2> grid(counted_waves<2>(new_calls()), {.evaluate_ahead = ahead}, Threads{2});
    grid.hint(X);
    CHECK((grid.statistics().exact_evaluations > 60) == ahead);
    CHECK(grid.statistics().batches == (ahead ? 1 : 0));
    CHECK(grid.statistics().unused_corners == grid.statistics().exact_evaluations);
    Eigen::MatrixXd Y;
    grid.evaluate_batch(X, Y);
    CHECK(grid.statistics().unused_corners == 0);
    CHECK(grid.statistics().batches == 1);
  }
}

TEST_CASE("interleave expects the points of the last iterate before each solve") {
  AdaptiveGrid<1> grid(counted_waves<1>(new_calls()), {.evaluate_ahead = true}, Threads{2});
  const auto solve = [](const GridView<1>& map, const Eigen::VectorXd& guess) {
    Eigen::VectorXd y;
    for (const double x : guess) map.evaluate(Point<1>(x), y);
    return SolverResult<Eigen::VectorXd>{.iterate = guess, .cost = 0, .converged = true};
  };
  const auto result = interleave(grid, solve, Eigen::VectorXd(Eigen::VectorXd::LinSpaced(20, -7.3, 7.9)),
                                 {.schedule = Levels{0, 2}, .points = [](const Eigen::VectorXd& guess) {
                                    return Eigen::MatrixXd(guess.transpose());
                                  }});
  CHECK(result.stop == InterleaveStop::converged);
  CHECK(grid.statistics().batches == 3);
  CHECK(grid.statistics().unused_corners == 0);
}
