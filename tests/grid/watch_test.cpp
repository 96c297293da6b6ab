// SPDX-License-Identifier: BSD-3-Clause
// Long work that tells how far it is and that can be stopped, whatever is between the watch and f.
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/drawn.hpp"
#include "testing/forked.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("a watch counts the calls of f and what is missing, through evaluators, functionals and differences") {
  const Eigen::MatrixXd X = 8 * Eigen::MatrixXd::Random(2, 30);
  const auto value = [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y[0] = x.prod(); };
  struct Case {
    std::shared_ptr<AdaptiveGrid<2>> grid;
    bool through_functional;
    bool differenced;
  };
  const auto waves = [](const Evaluator<2>& evaluator) {
    return std::make_shared<AdaptiveGrid<2>>(counted_waves<2>(new_calls()), GridOptions<2>{}, evaluator);
  };
  const Case cases[] = {
      {waves(ThisThread{}), false, false},
      {waves(Threads{3}), false, false},
      {waves(Threads{3}), true, false},
      {std::make_shared<AdaptiveGrid<2>>(exact_function_without_derivatives<2>(1, value)), false, true},
  };
  for (const Case& c : cases) {
    const GridView<2> view =
        c.through_functional ? c.grid->linear_output(Eigen::MatrixXd::Ones(1, 3)) : c.grid->at_level(0);
    std::vector<Watch::Progress> told;
    {
      const Watch watch({}, [&](const Watch::Progress& progress) { told.push_back(progress); });
      view.prefetch(X);
      CHECK(watch.progress().missing == 0);
      CHECK(watch.progress().evaluated == told.size());
    }
    const std::size_t count = told.size();
    CHECK(count == c.grid->statistics().exact_evaluations);
    REQUIRE(count > 60);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(told[i].evaluated == i + 1);
      if (!c.differenced) CHECK(told[i].missing == count - 1 - i);
      CHECK(told[i].seconds_left >= 0);
    }
    view.prefetch(-X);
    CHECK(told.size() == count);  // the watch is over
  }
}

TEST_CASE("a stop ends queries with Interrupted before the next call of f, and keeps what was evaluated") {
  for (const Evaluator<2>& evaluator : {Evaluator<2>(ThisThread{}), Evaluator<2>(Threads{2})}) {
    const Calls calls = new_calls();
    const AdaptiveGrid<2> grid(counted_waves<2>(calls), {}, evaluator);
    const Eigen::MatrixXd X = 8 * Eigen::MatrixXd::Random(2, 30);
    std::stop_source stop;
    {
      const Watch watch(stop.get_token(), [&](const Watch::Progress& progress) {
        if (progress.evaluated == 10) stop.request_stop();
      });
      CHECK_THROWS_AS(grid.prefetch(X), Interrupted);
      CHECK(*calls >= 10);
      CHECK(*calls <= 11);  // the other thread may have begun one
      CHECK(grid.statistics().corners == static_cast<std::size_t>(*calls));
    }
    grid.prefetch(X);
    CHECK(static_cast<std::size_t>(*calls) == grid.statistics().corners);
    CHECK(grid.statistics().failed_corners == 0);
  }
}

TEST_CASE("watches nest, each to its end") {
  const AdaptiveGrid<1> grid(counted_waves<1>(new_calls()));
  Eigen::VectorXd y;
  const Watch outer((std::stop_token()));
  grid.evaluate(Point<1>(0.5), y);
  {
    const Watch inner((std::stop_token()));
    grid.evaluate(Point<1>(5.5), y);
    CHECK(inner.progress().evaluated == 2);
  }
  grid.evaluate(Point<1>(9.5), y);
  CHECK(outer.progress().evaluated == 4);
}

TEST_CASE("a stop ends a query that waits for another thread's call of f, and leaves that call alone") {
  for (const bool concurrent : {true, false}) {  // waits for the corner, or for its turn
    std::atomic<bool> inside = false, go_on = false;
    const AdaptiveGrid<1> grid(
        exact_function<1>(1,
                          [&](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                            if (!inside.exchange(true))
                              while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                            y[0] = x[0];
                            J(0, 0) = 1;
                          },
                          {.concurrent = concurrent}));
    Eigen::VectorXd y, y_of_other;
    std::jthread other([&] { grid.evaluate(Point<1>(0.5), y_of_other); });
    while (!inside) std::this_thread::yield();
    std::stop_source stop;
    {
      const Watch watch(stop.get_token());
      const std::jthread later([&] { stop.request_stop(); });
      CHECK_THROWS_AS(grid.evaluate(Point<1>(0.5), y), Interrupted);
    }
    go_on = true;
    other.join();
    CHECK(y_of_other[0] == 0.5);
    CHECK(grid.statistics().exact_evaluations == 2);
  }
}

TEST_CASE("an observer may ask grids, also the one that is evaluating, ask for the progress, and fork") {
  std::mt19937 random(seed_wanted());
  const auto below = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
  for (int draw = 0; draw < draws_wanted(20); ++draw) {
    const bool concurrent = below(2), threads = concurrent && below(2);
    const bool forks = below(2) && (!threads || can_fork_among_threads);
    const int at = 1 + below(20);
    CAPTURE(seed_wanted(), draw, concurrent, threads, forks, at);
    const auto line = [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
      y[0] = x[0] + 2 * x[1];
      J << 1, 2;
    };
    const Evaluator<2> evaluator = threads ? Evaluator<2>(Threads{3}) : Evaluator<2>(ThisThread{});
    const AdaptiveGrid<2> grid(exact_function<2>(1, line, {.concurrent = concurrent}), {}, evaluator);
    const AdaptiveGrid<2> other(exact_function<2>(1, line, {.concurrent = concurrent}), {}, evaluator);
    const auto wrong_of = [](const AdaptiveGrid<2>& asked, double x) {
      Eigen::VectorXd y;
      asked.evaluate(Point<2>(x, 0.3), y);
      return std::abs(y[0] - x - 0.6) > 1e-12;
    };
    const Eigen::MatrixXd X = 8 * Eigen::MatrixXd::Random(2, 30);
    const auto wrong_at_end = [&](const AdaptiveGrid<2>& asked) {
      Eigen::VectorXd y;
      asked.evaluate(X.col(29), y);
      return std::abs(y[0] - X(0, 29) - 2 * X(1, 29)) > 1e-12;
    };
    std::size_t told = 0, reported = 0;
    int wrong = 0, refused = 0;
    std::string child;
    std::unique_ptr<Watch> watch;
    watch = std::make_unique<Watch>(std::stop_token(), [&](const Watch::Progress& progress) {
      reported = progress.evaluated;
      wrong += watch->progress().evaluated < progress.evaluated;
      if (++told % 5 == 0) {
        wrong += wrong_of(grid, 20 + static_cast<double>(told)) + wrong_of(other, static_cast<double>(told));
        try {
          wrong += wrong_at_end(grid);
        } catch (const CornerFailure&) {
          ++refused;  // it is in the batch that is being evaluated
        }
      }
      if (forks && told == static_cast<std::size_t>(at))
        child = told_by(forked(20, [&] { return wrong_of(grid, 60) + wrong_of(other, 60) + wrong_of(grid, 21); }));
    });
    grid.prefetch(X);
    CHECK(reported == told);
    CHECK(watch->progress().evaluated == told);  // those of the observer are not among them
    CHECK(wrong == 0);
    if (threads) CHECK(refused > 0);
    CHECK(child.empty());
    CHECK(!wrong_at_end(grid));
  }
}
