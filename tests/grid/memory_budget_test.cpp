// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/sample_storage.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// Keeps samples in memory.
class Kept : public SampleStorage<2> {
 public:
  explicit Kept(bool keeps = true) : keeps_(keeps) {}
  void open(Eigen::Index, int) override {}
  bool find(CornerSample<2>& sample, const Point<2>&, Eigen::Index) override {
    const std::lock_guard lock(mutex_);
    const auto found = samples_.find({sample.x[0], sample.x[1]});
    if (found == samples_.end()) return false;
    sample.jet = found->second.jet;
    sample.reason = found->second.reason;
    return true;
  }
  bool keeps() const override { return keeps_; }
  void keep(const CornerSample<2>& sample) override {
    const std::lock_guard lock(mutex_);
    samples_.try_emplace({sample.x[0], sample.x[1]}, sample);
  }

 private:
  bool keeps_;
  std::mutex mutex_;
  std::map<std::array<double, 2>, CornerSample<2>> samples_;
};

auto waves(std::atomic<int>& calls, int outputs = 40) {
  return exact_function<2>(outputs,
                           [&calls, waves = Waves<2>(outputs)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y,
                                                               Eigen::Ref<Eigen::MatrixXd> J) {
                             ++calls;
                             if ((x - Point<2>(1, 1)).norm() < 0.6) throw std::runtime_error("no answer");
                             y = waves.value(x);
                             J = waves.jacobian(x);
                           },
                           {.concurrent = true});
}

GridOptions<2> limited(std::size_t bytes) {
  return {.spacing = {0.5, 0.5}, .storage = std::make_shared<Kept>(), .memory_budget = bytes};
}

}  // namespace

TEST_CASE("a grid in little memory answers what one in much answers, to the bit, and calls f no more often") {
  std::atomic<int> calls{0}, calls_of_other{0};
  constexpr std::size_t budget = 400000;
  const AdaptiveGrid<2> grid(waves(calls), limited(budget));
  const AdaptiveGrid<2> other(waves(calls_of_other), {.spacing = {0.5, 0.5}});
  const Eigen::MatrixXd C = Eigen::MatrixXd::Random(3, 40);
  const GridView<2> few = grid.linear_output(C), few_of_other = other.linear_output(C);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> anywhere(-12, 12);
  Eigen::VectorXd y, expected;
  Eigen::MatrixXd J, expected_J, X(2, 5), Y, expected_Y;
  std::size_t most = 0;
  for (int query = 0; query < 3000; ++query) {
    const Point<2> x(anywhere(random), anywhere(random));
    const auto compare = [&](const GridView<2>& one, const GridView<2>& two) {
      const Answer answer = one.try_evaluate(x, y, J);
      REQUIRE(answer.trust == two.try_evaluate(x, expected, expected_J).trust);
      if (answer.has_value()) REQUIRE((y == expected && J == expected_J));
    };
    if (query % 4 == 0) compare(few, few_of_other);
    if (query % 4 == 1) compare(grid.at_tolerance(0.05), other.at_tolerance(0.05));
    if (query % 4 > 1) compare(grid.at_level(query % 2), other.at_level(query % 2));
    if (query % 100 == 0) {
      for (double& coordinate : X.reshaped()) coordinate = 2 + std::abs(anywhere(random));
      X = X.cwiseMin(11.0);
      grid.evaluate_batch(X, Y);
      other.evaluate_batch(X, expected_Y);
      REQUIRE(Y == expected_Y);
    }
    most = std::max(most, grid.statistics().bytes);
  }
  CHECK(most <= budget);
  CHECK(most > budget / 2);
  CHECK(other.statistics().bytes > 8 * budget);
  CHECK(calls == calls_of_other);
  CHECK(grid.statistics().evicted_corners > 2 * other.statistics().corners);
}

TEST_CASE("the corners that leave memory are those that were used least recently") {
  std::atomic<int> calls{0};
  const AdaptiveGrid<2> grid(waves(calls), limited(400000));
  Eigen::VectorXd y;
  const auto visit_home = [&] {
    for (double s = 0; s < 3; s += 0.25) grid.evaluate({-5 + s, -5}, y);
  };
  visit_home();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> anywhere(-20, 20);
  for (int wandering = 0; wandering < 2000; ++wandering) {
    const Point<2> x(anywhere(random), anywhere(random));
    grid.try_evaluate(x, y);
    const std::size_t before = grid.statistics().from_storage;
    visit_home();
    REQUIRE(grid.statistics().from_storage == before);
  }
  CHECK(grid.statistics().evicted_corners > 1000);
}

TEST_CASE("eight threads in little memory, some of which wait for f: no answer differs, and memory is given back") {
  std::atomic<int> calls{0}, calls_of_other{0};
  constexpr std::size_t budget = 300000;
  const AdaptiveGrid<2> grid(waves(calls), limited(budget));
  const AdaptiveGrid<2> other(waves(calls_of_other), {.spacing = {0.5, 0.5}});
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      std::uniform_real_distribution<double> anywhere(-9, 9);
      Eigen::VectorXd y, expected;
      Eigen::MatrixXd J, expected_J;
      for (int query = 0; query < 400; ++query) {
        const Point<2> x(anywhere(random), anywhere(random));
        if (query % 10 == 0) grid.prefetch_async(x);
        const Answer answer = grid.try_evaluate(x, y, J);
        if (answer.trust != other.try_evaluate(x, expected, expected_J).trust) ++wrong;
        if (answer.has_value() && (y != expected || J != expected_J)) ++wrong;
      }
    });
  threads.clear();
  CHECK(wrong == 0);
  Eigen::VectorXd y;
  for (int i = 0; i < 100; ++i) {  // in quiet, as after a pause
    grid.evaluate({100.0 + i, 0}, y);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(grid.statistics().bytes <= budget);
  CHECK(grid.statistics().evicted_corners > 500);
}

TEST_CASE("while one thread waits for f, others go on beyond the budget, and f may ask its grid") {
  constexpr std::size_t budget = 100000;
  std::atomic<bool> begun{false}, go_on{false};
  const AdaptiveGrid<2>* itself = nullptr;
  const auto f = exact_function<2>(
      40,
      [&, waves = Waves<2>(40)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y = waves.value(x);
        J = waves.jacobian(x);
        if (x != Point<2>(0, 0)) return;
        begun = true;
        while (!go_on) std::this_thread::yield();
        Eigen::VectorXd z;
        for (int i = 0; i < 300; ++i) itself->evaluate({50.0 + i, 7.0}, z);
      },
      {.concurrent = true});
  const AdaptiveGrid<2> grid(f, limited(budget));
  itself = &grid;
  Eigen::VectorXd y, expected;
  Eigen::MatrixXd J, expected_J;
  std::jthread waiting([&] { grid.evaluate({0.2, 0.3}, expected, expected_J); });
  while (!begun) std::this_thread::yield();
  for (int i = 0; i < 300; ++i) grid.evaluate({1000.0 + i, 7.0}, y);
  CHECK(grid.statistics().bytes > budget);
  CHECK(grid.statistics().evicted_corners == 0);
  go_on = true;
  waiting.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  grid.evaluate({2000, 7}, y);
  CHECK(grid.statistics().bytes <= budget);
  grid.evaluate({0.2, 0.3}, y, J);
  CHECK((y == expected && J == expected_J));
}

TEST_CASE("a budget without a storage that keeps what leaves memory is refused") {
  std::atomic<int> calls{0};
  GridOptions<2> options{.memory_budget = 12345};
  CHECK_THROWS_WITH(AdaptiveGrid<2>(waves(calls), options),
                    Catch::Matchers::Contains("12345") && Catch::Matchers::Contains("GridOptions::storage"));
  options.storage = std::make_shared<Kept>(false);
  CHECK_THROWS_WITH(AdaptiveGrid<2>(waves(calls), options),
                    Catch::Matchers::Contains("12345") && Catch::Matchers::Contains("only read"));
}
