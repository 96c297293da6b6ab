// SPDX-License-Identifier: BSD-3-Clause
// Functions that query grids: through other grids, from threads of their own, in circles.
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;

namespace {

using View = GridView<1>;
using Ask = std::function<void(const Point<1>&)>;

/// x, which first makes the given queries.
auto asking(Ask ask, FunctionTraits traits = {}) {
  return exact_function<1>(
      1,
      [ask = std::move(ask)](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        ask(x);
        y[0] = x[0];
        J(0, 0) = 1;
      },
      traits);
}

double value(const View& map, double x) {
  Eigen::VectorXd y;
  map.evaluate(Point<1>(x), y);
  return y[0];
}

std::string failure(const View& map, double x) {
  try {
    value(map, x);
  } catch (const CornerFailure& error) {
    return error.what();
  }
  return "no failure";
}

/// Waits until `count` threads have come, or long enough to see that they cannot.
void meet(std::atomic<int>& come, int count) {
  ++come;
  for (int i = 0; i < 200 && come < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TEST_CASE("grids whose functions are not concurrent and ask each other around a ring answer, from as many threads") {
  constexpr int count = 3;
  std::array<std::optional<View>, count> views;
  std::atomic<int> inside = 0, at_once_of_one = 0;
  std::array<std::atomic<int>, count> running{};
  std::vector<AdaptiveGrid<1>> grids;
  for (int k = 0; k < count; ++k)
    grids.emplace_back(asking([&, k](const Point<1>& x) {
      if (++running[k] > 1) ++at_once_of_one;
      if (x[0] < 50) {  // the next grid is queried far away, where its f queries none
        meet(inside, count);
        --running[k];  // while it waits, it may be called again
        value(*views[(k + 1) % count], x[0] + 100.5);
        ++running[k];
      }
      --running[k];
    }));
  for (int k = 0; k < count; ++k) views[k].emplace(grids[k].at_level(0));
  std::array<double, count> answers{};
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < count; ++k) threads.emplace_back([&, k] { answers[k] = value(*views[k], 10.5 + k); });
  }
  for (int k = 0; k < count; ++k) CHECK(answers[k] == 10.5 + k);
  CHECK(at_once_of_one == 0);
  for (auto& view : views) view.reset();
}

TEST_CASE("a circle through two grids is told, from one thread and from two") {
  for (const bool concurrent : {false, true})
    for (const int count : {1, 2}) {
      std::optional<View> a, b;
      std::atomic<int> inside = 0;
      const auto ask = [&](std::optional<View>& other) {
        return asking(
            [&](const Point<1>&) {
              if (inside < count) meet(inside, count);
              value(*other, 0.5);
            },
            {.concurrent = concurrent});
      };
      const AdaptiveGrid<1> first(ask(b)), second(ask(a));
      a.emplace(first.at_level(0));
      b.emplace(second.at_level(0));
      std::array<std::string, 2> told;
      {
        std::jthread one([&] { told[0] = failure(*a, 0.5); });
        if (count == 2) told[1] = failure(*b, 0.5);
      }
      CHECK_THAT(told[0] + told[1], Catch::Contains("or for one that waits for it"));
      a.reset();
      b.reset();
    }
}

TEST_CASE("f that is not concurrent may ask its grid from a thread of its own, to which it hands its request") {
  std::optional<View> self;
  std::atomic<double> heard = 0;
  const AdaptiveGrid<1> grid(asking([&](const Point<1>& x) {
    if (x[0] > 50) return;
    const Request* request = Request::current();
    std::jthread helper([&, request] {
      const Request::Scope scope(request);
      heard = value(*self, 100.5);
    });
  }));
  self.emplace(grid.at_level(0));
  CHECK(value(*self, 0.5) == 0.5);
  CHECK(heard == 100.5);
  CHECK(Request::current() == nullptr);
  self.reset();
}

TEST_CASE("a function that is not concurrent is called by one of two threads that a concurrent one asks from") {
  std::atomic<int> running = 0, most = 0;
  const AdaptiveGrid<1> inner(asking([&](const Point<1>&) {
    most = std::max<int>(most, ++running);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --running;
  }));
  const View inner_view = inner.at_level(0);
  const AdaptiveGrid<1> outer(
      asking([&](const Point<1>& x) { value(inner_view, 3 * x[0] + 0.5); }, {.concurrent = true}), {}, Threads{4});
  Eigen::MatrixXd X(1, 8);
  X << 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5;
  outer.prefetch(X);
  CHECK(outer.statistics().corners == 9);
  CHECK(most == 1);
}

TEST_CASE("a function that takes a start is given the nearest corner that was solved, of many") {
  struct Offer {
    Point<2> x, start;
  };
  std::vector<Offer> offers;
  const AdaptiveGrid<2> grid(exact_function<2>(1,
                                               [&](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y,
                                                   Eigen::Ref<Eigen::MatrixXd> J, const SolvedCorner<2>* start) {
                                                 if (x[0] + x[1] > 14) throw std::runtime_error("too far");
                                                 if (start != nullptr) offers.push_back({x, start->x});
                                                 y[0] = x.sum();
                                                 J.setOnes();
                                               },
                                               {.repeatable_to = 1e-9}));
  Eigen::VectorXd y;
  for (int i = 0; i < 150; ++i) grid.try_evaluate(Point<2>(i * 37 % 11 - 4.5, i * 53 % 13 - 5.5), y);
  REQUIRE(offers.size() > 100);
  std::vector<Point<2>> solved{Point<2>(-5, -6)};
  int further = 0;
  for (const Offer& offer : offers) {
    double least = std::numeric_limits<double>::infinity();
    for (const Point<2>& x : solved) least = std::min(least, (x - offer.x).norm());
    further += (offer.start - offer.x).norm() != least;
    solved.push_back(offer.x);
  }
  CHECK(further == 0);
}
