// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/sample_storage.hpp"
#include "testing/drawn.hpp"
#include "testing/forked.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

using Engine = std::mt19937;

/// x0 + 10 x1, which a grid answers exactly wherever its corners are right. Takes its time, so that forks meet calls.
auto plane(bool concurrent) {
  return exact_function<2>(1,
                           [](const Point<2>& x, auto y, auto J) {
                             std::this_thread::sleep_for(std::chrono::microseconds(100));
                             y << x[0] + 10 * x[1];
                             J << 1, 10;
                           },
                           {.concurrent = concurrent});
}

/// Where corners go that leave memory.
class ForgetfulStorage : public SampleStorage<2> {
 public:
  void open(Eigen::Index, int) override {}
  bool find(CornerSample<2>&, const Point<2>&, Eigen::Index) override { return false; }
  void keep(const CornerSample<2>&) override {}
};

Point<2> drawn_point(Engine& random) {
  std::uniform_real_distribution<double> anywhere(-3, 3);
  const double x = anywhere(random);
  return {x, anywhere(random)};
}

/// The answers at drawn points that are wrong.
int wrong_answers(const AdaptiveGrid<2>& grid, Engine& random, int count) {
  Eigen::MatrixXd X(2, count), Y(1, count);
  for (int m = 0; m < count; ++m) X.col(m) = drawn_point(random);
  if (random() % 3 == 0) grid.prefetch(X);
  if (random() % 3 == 0) grid.prefetch_async(X);
  int wrong = 0;
  if (random() % 2 == 0) {
    grid.evaluate_batch(X, Y);
    for (int m = 0; m < count; ++m) wrong += std::abs(Y(0, m) - (X(0, m) + 10 * X(1, m))) > 1e-9;
    return wrong;
  }
  Eigen::VectorXd y;
  for (int m = 0; m < count; ++m) {
    grid.evaluate(Point<2>(X.col(m)), y);
    wrong += std::abs(y[0] - (X(0, m) + 10 * X(1, m))) > 1e-9;
  }
  return wrong;
}

/// What a child of fork does with its parent's grid: queries, from several threads, and again in a child of its own.
int wrong_in_child(AdaptiveGrid<2>& grid, Engine random, int generations) {
  int wrong = wrong_answers(grid, random, 8);
  std::atomic<int> of_others = 0;
  std::jthread other([&, seed = random()] {
    Engine own(seed);
    of_others += wrong_answers(grid, own, 5);
  });
  wrong += wrong_answers(grid, random, 5);
  other.join();
  wrong += of_others;
  if (generations > 0)
    wrong += !told_by(forked(20, [&] { return wrong_in_child(grid, random, generations - 1); })).empty();
  if (random() % 2 == 0) grid.refine();
  if (random() % 2 == 0) grid.trim();
  wrong += wrong_answers(grid, random, 3);
  if (random() % 2 == 0) {
    auto gone = std::make_unique<AdaptiveGrid<2>>(std::move(grid));
    gone.reset();
  }
  return wrong;
}

}  // namespace

TEST_CASE("a forked process and its child both go on with a grid, whatever other threads do with it") {
  if (!can_fork_among_threads) return;
  const int draws = draws_wanted(30);
  const unsigned seed = seed_wanted();
  for (int draw = 0; draw < draws; ++draw) {
    CAPTURE(seed, draw);
    Engine random(seed * 10'007 + static_cast<unsigned>(draw));
    GridOptions<2> options{.spacing = {0.1, 0.1}};
    if (random() % 3 == 0) {
      options.storage = std::make_shared<ForgetfulStorage>();
      options.memory_budget = random() % 20'000;
    }
    const bool concurrent = random() % 2 == 0;
    const bool threads = concurrent && random() % 2 == 0;
    AdaptiveGrid<2> grid =
        threads ? AdaptiveGrid<2>(plane(true), options, Threads{2}) : AdaptiveGrid<2>(plane(concurrent), options);
    std::atomic<int> wrong = 0;
    std::vector<std::string> told;
    {
      std::vector<std::jthread> others;
      for (auto count = random() % 3; count > 0; --count)
        others.emplace_back([&, own = Engine(random())](std::stop_token stop) mutable {
          while (!stop.stop_requested()) wrong += wrong_answers(grid, own, 3);
        });
      std::vector<pid_t> children;
      for (auto count = 1 + random() % 3; count > 0; --count) {
        wrong += wrong_answers(grid, random, 4);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
        const Engine of_child(random());
        const int generations = static_cast<int>(random() % 2);
        children.push_back(forked(60, [&] { return wrong_in_child(grid, of_child, generations); }));
      }
      wrong += wrong_answers(grid, random, 4);
      for (const pid_t child : children) told.push_back(told_by(child));
    }
    for (const std::string& of_child : told) REQUIRE(of_child == "");
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("a function that forks answers in both processes, where it is called on the thread that queries") {
  if (!can_fork_among_threads) return;
  pid_t child = -1;
  const auto f = exact_function<2>(1, [&](const Point<2>& x, auto y, auto J) {
    if (child < 0 && x[0] > 0) child = fork();
    y << x[0] + 10 * x[1];
    J << 1, 10;
  });
  AdaptiveGrid<2> grid(f, {.spacing = {0.1, 0.1}});
  Eigen::VectorXd y;
  grid.evaluate({0.23, 0.47}, y);
  Engine random(1);
  const int wrong = (std::abs(y[0] - 4.93) > 1e-9) + wrong_answers(grid, random, 20);
  if (child == 0) _exit(wrong);
  CHECK(wrong == 0);
  CHECK(told_by(child) == "");
}

TEST_CASE("a function that forks while other threads call it is told in the child that these are gone") {
  if (!can_fork_among_threads) return;
  std::atomic<pid_t> child = -1;
  const std::thread::id querying = std::this_thread::get_id();
  const auto f = exact_function<2>(1,
                                   [&](const Point<2>& x, auto y, auto J) {
                                     std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                     if (child < 0 && x[0] > 0.5 && std::this_thread::get_id() == querying)
                                       child = fork();
                                     y << x[0] + 10 * x[1];
                                     J << 1, 10;
                                   },
                                   {.concurrent = true});
  AdaptiveGrid<2> grid(f, {.spacing = {0.1, 0.1}}, Threads{3});
  Eigen::MatrixXd X = Eigen::MatrixXd::Random(2, 60);
  std::string told;
  try {
    grid.prefetch(X);
  } catch (const std::exception& error) {
    told = error.what();
  }
  if (child == 0) {
    Engine random(1);  // what comes later is evaluated by threads of the child
    _exit(told.find("forked") == std::string::npos ? 50 : wrong_answers(grid, random, 20));
  }
  CHECK(told == "");
  CHECK(told_by(child) == "");
}
