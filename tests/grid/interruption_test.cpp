// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#ifdef __GLIBC__
#include <pthread.h>
#endif

using namespace quoin;
using namespace quoin::test;

namespace {

/// Waves that throw Interrupted at the call of this number.
auto interrupted_waves(const Calls& calls, int at) {
  return exact_function<2>(
      3,
      [=, waves = Waves<2>(3)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        if (++*calls == at) throw Interrupted("the user pressed a key");
        y = waves.value(x);
        J = waves.jacobian(x);
      },
      {.concurrent = true});
}

}  // namespace

TEST_CASE("an interruption passes through every query, and records nothing") {
  const auto query = [](const auto& map, int kind) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    const Point<2> x(0.5, 0.5);
    if (kind == 0) map.evaluate(x, y, J);
    if (kind == 1) map.try_evaluate(x, y);
    if (kind == 2) map.prefetch(x);
    if (kind == 3) map.evaluate_batch(x, J);
    if (kind == 4) map.jvp(x, Point<2>(1, 1), y);
  };
  for (int kind = 0; kind < 5; ++kind)
    for (const bool functional : {false, true}) {
      const Calls calls = new_calls();
      AdaptiveGrid<2> grid(interrupted_waves(calls, 3));
      const GridView<2> sum = grid.linear_output(Eigen::MatrixXd::Ones(1, 3));
      const GridView<2> map = functional ? sum : grid.at_level(0);
      CHECK_THROWS_WITH(query(map, kind), "the user pressed a key");
      CHECK_THROWS_AS((*calls = 2, query(map, kind)), Interrupted);
      CHECK(grid.statistics().corners == 2);
      CHECK(grid.statistics().failed_corners == 0);
      CHECK(grid.statistics().exact_evaluations == 2);
      query(map, kind);
      CHECK(grid.statistics().corners == 4);
      CHECK(grid.statistics().exact_evaluations == 4);
    }
}

TEST_CASE("who leaves a long prepare keeps what is done, under any evaluator") {
  const Eigen::MatrixXd X = 20 * Eigen::MatrixXd::Random(2, 100);
  const auto left = [&](auto evaluator) {
    const Calls calls = new_calls();
    const AdaptiveGrid<2> grid(interrupted_waves(calls, 200), {}, evaluator);
    CHECK_THROWS_AS(grid.prefetch(X), Interrupted);
    const std::size_t kept = grid.statistics().corners;
    CHECK(kept >= 199);
    CHECK(kept == static_cast<std::size_t>(*calls) - 1);
    grid.prefetch(X);
    CHECK(static_cast<std::size_t>(*calls) == grid.statistics().corners + 1);
  };
  left(ThisThread{});
  left(Threads{3});
}

TEST_CASE("who waits for a corner of another that is interrupted computes it") {
  const Calls calls = new_calls();
  std::atomic<bool> asked = false, inside = false;
  const AdaptiveGrid<1> grid(
      exact_function<1>(1,
                        [&](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                          if (++*calls == 1) {
                            inside = true;
                            while (!asked) std::this_thread::yield();
                            std::this_thread::sleep_for(std::chrono::milliseconds(20));
                            throw Interrupted("the first");
                          }
                          y[0] = x[0];
                          J(0, 0) = 1;
                        },
                        {.concurrent = true}));
  bool interrupted = false;
  std::thread first([&] {
    Eigen::VectorXd y;
    try {
      grid.evaluate(Point<1>(0.5), y);
    } catch (const Interrupted&) {
      interrupted = true;
    }
  });
  while (!inside) std::this_thread::yield();
  asked = true;
  Eigen::VectorXd y;
  grid.evaluate(Point<1>(0.5), y);
  first.join();
  CHECK(interrupted);
  CHECK(y[0] == 0.5);
  CHECK(*calls == 3);
}

// Sanitizers of GCC 12 do not follow the unwinding of a cancelled thread.
#if defined(__GLIBC__) && defined(__GLIBCXX__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a thread that is cancelled in f, or while it waits for f, ends, and leaves the grid to the others") {
  std::atomic<int> inside = 0;
  std::atomic<bool> endless = true;
  const AdaptiveGrid<1> grid(
      exact_function<1>(1,
                        [&](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                          ++inside;
                          while (endless)
                            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // may be cancelled here
                          y[0] = x[0];
                          J(0, 0) = 1;
                        },
                        {.concurrent = true}));
  const auto query = +[](void* of) -> void* {
    Eigen::VectorXd y;
    static_cast<const AdaptiveGrid<1>*>(of)->evaluate(Point<1>(0.5), y);
    return nullptr;
  };
  pthread_t calls, waits;
  void* const argument = const_cast<AdaptiveGrid<1>*>(&grid);
  REQUIRE(pthread_create(&calls, nullptr, query, argument) == 0);
  while (inside == 0) std::this_thread::yield();
  REQUIRE(pthread_create(&waits, nullptr, query, argument) == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  void* end = nullptr;
  pthread_cancel(waits);
  pthread_join(waits, &end);
  CHECK(end == PTHREAD_CANCELED);
  pthread_cancel(calls);
  pthread_join(calls, &end);
  CHECK(end == PTHREAD_CANCELED);
  CHECK(grid.statistics().corners == 0);
  endless = false;
  Eigen::VectorXd y;
  grid.evaluate(Point<1>(0.5), y);
  CHECK(y[0] == 0.5);
}
#endif
