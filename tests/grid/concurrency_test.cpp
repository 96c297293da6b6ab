// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

// Catch's assertions are not thread-safe: threads store their results, which are checked afterwards.
namespace {

/// Runs body(0), ..., body(count - 1), each on its own thread, all started together.
template <class Body>
void on_threads(int count, Body&& body) {
  std::atomic<int> waiting{count};
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back([&, k] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      body(k);
    });
  for (std::thread& thread : threads) thread.join();
}

/// A thread for every corner of a batch.
struct ThreadPerCorner {
  template <int Dim>
  void operator()(const CornerFunction<Dim>& f, std::span<CornerSample<Dim>> samples) const {
    std::vector<std::thread> threads;
    for (CornerSample<Dim>& sample : samples) threads.emplace_back([&f, &sample] { f.evaluate(sample); });
    for (std::thread& thread : threads) thread.join();
  }
};

/// The calls of f: how often, where, and how many at once.
struct Log {
  std::mutex mutex;
  std::map<std::pair<double, double>, int> calls;
  std::atomic<int> inside{0}, most_inside{0};

  void enter(const Point<2>& x) {
    const int now = ++inside;
    int most = most_inside;
    while (now > most && !most_inside.compare_exchange_weak(most, now)) {
    }
    const std::lock_guard lock(mutex);
    ++calls[{x[0], x[1]}];
  }
  void leave() { --inside; }
  int most_calls() const {
    int most = 0;
    for (const auto& [x, count] : calls) most = std::max(most, count);
    return most;
  }
};

auto logged_waves(const std::shared_ptr<Log>& log, bool concurrent) {
  return exact_function<2>(
      9,
      [log, waves = Waves<2>(9)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        log->enter(x);
        std::this_thread::yield();
        y = waves.value(x);
        J = waves.jacobian(x);
        log->leave();
      },
      {.concurrent = concurrent});
}

std::vector<Point<2>> some_points(int count, unsigned seed) {
  return random_points<2>(count, Point<2>::Constant(-3), Point<2>::Constant(3), seed);
}

/// A function over the line that queries the grid above it; the grid is set once it exists.
struct Asking {
  std::shared_ptr<std::optional<GridView<1>>> view = std::make_shared<std::optional<GridView<1>>>();
  void ask(double x) const {
    Eigen::VectorXd y;
    (*view)->evaluate(Point<1>(x), y);
  }
};

}  // namespace

TEST_CASE("threads that miss the same corners evaluate each once, under any evaluator") {
  for (const bool concurrent : {true, false})
    for (const Evaluator<2>& evaluator :
         {Evaluator<2>(ThisThread{}), Evaluator<2>(Threads{2}), Evaluator<2>(ThreadPerCorner{})}) {
      const auto log = std::make_shared<Log>();
      const AdaptiveGrid<2> grid(logged_waves(log, concurrent), {}, evaluator);
      const auto points = some_points(60, 1);
      on_threads(6, [&](int) {
        Eigen::VectorXd y;
        for (std::size_t n = 0; n < points.size(); ++n) grid.at_level(static_cast<int>(n % 2)).evaluate(points[n], y);
      });
      CHECK(log->most_calls() == 1);
      CHECK(grid.statistics().exact_evaluations == log->calls.size());
      CHECK(grid.statistics().corners == log->calls.size());
      CHECK(grid.statistics().queries == 6 * 60);
      if (!concurrent) CHECK(log->most_inside == 1);
    }
}

TEST_CASE("answers do not depend on the order of queries, the number of threads or the evaluator, to the bit") {
  const auto points = some_points(80, 2);
  const auto answers = [&](int threads, Evaluator<2> evaluator, bool with_prepare) {
    AdaptiveGrid<2> grid(logged_waves(std::make_shared<Log>(), true), {}, std::move(evaluator));
    const GridView<2> tip = grid.linear_output(Eigen::MatrixXd::Ones(2, 9));
    std::vector<Eigen::VectorXd> values(2 * points.size());
    std::vector<Eigen::MatrixXd> jacobians(2 * points.size());
    if (with_prepare) {
      Eigen::MatrixXd X(2, 80);
      for (int m = 0; m < 80; ++m) X.col(m) = points[m];
      grid.prefetch(X);
    }
    std::atomic<std::size_t> next{0};
    on_threads(threads, [&](int) {
      for (std::size_t n; (n = next++) < points.size();) {
        const std::size_t at = threads == 1 ? n : (n * 37) % points.size();
        const int level = static_cast<int>(at % 3);
        grid.at_level(level).evaluate(points[at], values[at], jacobians[at]);
        tip.at_level(level).evaluate(points[at], values[at + points.size()], jacobians[at + points.size()]);
      }
    });
    return std::pair(values, jacobians);
  };
  const auto alone = answers(1, ThisThread{}, false);
  for (const auto& other : {answers(5, ThisThread{}, false), answers(2, Threads{3}, true),
                            answers(3, ThreadPerCorner{}, false), answers(2, ThreadPerCorner{}, true)})
    for (std::size_t n = 0; n < 2 * points.size(); ++n) {
      REQUIRE((other.first[n].array() == alone.first[n].array()).all());
      REQUIRE((other.second[n].array() == alone.second[n].array()).all());
    }
}

TEST_CASE("a failure wakes every thread that waits for the corner, with the same reason") {
  std::atomic<int> asked{0}, calls{0};
  const AdaptiveGrid<1> grid(
      exact_function<1>(1,
                        [&](const Point<1>&, Eigen::Ref<Eigen::VectorXd>, Eigen::Ref<Eigen::MatrixXd>) {
                          ++calls;
                          while (asked < 4) std::this_thread::yield();
                          std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most of the others wait by now
                          throw std::runtime_error("buckled");
                        },
                        {.concurrent = true}));
  std::vector<std::string> reasons(4);
  on_threads(4, [&](int k) {
    Eigen::VectorXd y;
    ++asked;
    try {
      grid.evaluate(Point<1>(0.5), y);
    } catch (const CornerFailure& error) {
      reasons[k] = error.what();
    }
  });
  CHECK_THAT(reasons[0], Catch::Contains("buckled"));
  for (const std::string& reason : reasons) CHECK(reason == reasons[0]);
  CHECK(calls == 2);
}

TEST_CASE("an evaluator that throws leaves the corners to the next who asks") {
  std::atomic<int> attempts{0};
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), {},
                             [&](const CornerFunction<2>& f, std::span<CornerSample<2>> samples) {
                               if (++attempts <= 3) throw std::runtime_error("no workers");
                               ThisThread{}(f, samples);
                             });
  std::atomic<int> thrown{0};
  on_threads(6, [&](int) {
    Eigen::VectorXd y;
    try {
      grid.evaluate(Point<2>(0.5, 0.5), y);
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  });
  CHECK(thrown == 3);
  CHECK(*calls == 4);
  CHECK(grid.statistics().failed_corners == 0);
}

TEST_CASE("f may ask the grid at other places, also at corners of the cell that it is evaluated for") {
  struct Case {
    bool concurrent;
    Evaluator<1> evaluator;
    double behind;  // f(x) queries x - behind; below 2 this meets corners of its own batch
  };
  for (const Case& c : {Case{true, ThisThread{}, 1.5}, Case{false, ThisThread{}, 1.5},
                        Case{false, ThreadPerCorner{}, 1.5}, Case{true, ThreadPerCorner{}, 2.5}}) {
    CAPTURE(c.concurrent, c.behind);
    const Asking grid_above;
    const Calls calls = new_calls();
    auto grid = std::make_unique<AdaptiveGrid<1>>(
        exact_function<1>(1,
                          [&grid_above, calls, behind = c.behind](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y,
                                                                  Eigen::Ref<Eigen::MatrixXd> J) {
                            ++*calls;
                            if (x[0] > 0) {
                              Eigen::VectorXd y_behind;
                              (*grid_above.view)->evaluate(Point<1>(x[0] - behind), y_behind);
                              y[0] = y_behind[0] + behind;
                            } else {
                              y[0] = x[0];
                            }
                            J(0, 0) = 1;
                          },
                          {.concurrent = c.concurrent}),
        GridOptions<1>{}, c.evaluator);
    grid_above.view->emplace(grid->at_level(0));
    std::vector<double> answers(3);
    on_threads(3, [&](int k) {
      Eigen::VectorXd y;
      grid->evaluate(Point<1>(12.25), y);
      answers[k] = y[0];
    });
    for (const double answer : answers) CHECK(answer == Approx(12.25));  // f is the identity
    CHECK(grid->statistics().failed_corners == 0);
    CHECK(grid->statistics().corners == static_cast<std::size_t>(*calls));
    grid_above.view->reset();
  }
}

TEST_CASE("f that asks for its own corner is told so, and does not hang") {
  for (const bool concurrent : {true, false})
    for (const bool through_functional : {false, true})
      for (const Evaluator<1>& evaluator : {Evaluator<1>(ThisThread{}), Evaluator<1>(ThreadPerCorner{})}) {
        CAPTURE(concurrent, through_functional);
        const Asking own;
        std::atomic<int> told_by_trust{0};
        AdaptiveGrid<1> grid(
            exact_function<1>(1,
                              [&](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd>) {
                                Eigen::VectorXd again;
                                if ((*own.view)->try_evaluate(x, again).trust == Trust::failed) ++told_by_trust;
                                (*own.view)->evaluate(x, again);
                                y = again;
                              },
                              {.concurrent = concurrent}),
            {}, evaluator);
        GridView<1> view = grid.at_level(0);
        if (through_functional) view = view.linear_output(Eigen::MatrixXd::Ones(1, 1));
        own.view->emplace(view);
        Eigen::VectorXd y;
        CHECK_THROWS_WITH(view.evaluate(Point<1>(0.5), y), Catch::Contains("asks the grid for the corner"));
        CHECK(told_by_trust >= 1);
        CHECK(view.try_evaluate(Point<1>(0.5), y).trust == Trust::failed);
        own.view->reset();
      }
}

TEST_CASE("two threads whose functions wait for each other's corners are told so, and do not hang") {
  for (int repetition = 0; repetition < 20; ++repetition) {
    const Asking other;
    std::atomic<int> inside{0};
    AdaptiveGrid<1> grid(
        exact_function<1>(1,
                          [&](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                            y.setZero();
                            J.setZero();
                            if (x[0] != 0 && x[0] != 10) return;
                            ++inside;
                            while (inside < 2) std::this_thread::yield();
                            other.ask(x[0] == 0 ? 10.5 : 0.5);
                          },
                          {.concurrent = true}));
    other.view->emplace(grid.at_level(0));
    std::vector<std::string> reasons(2);
    on_threads(2, [&](int k) {
      Eigen::VectorXd y;
      try {
        grid.evaluate(Point<1>(k == 0 ? 0.5 : 10.5), y);
      } catch (const CornerFailure& error) {
        reasons[k] = error.what();
      }
    });
    for (const std::string& reason : reasons) REQUIRE_THAT(reason, Catch::Contains("asks the grid for the corner"));
    other.view->reset();
  }
}

TEST_CASE("functionals and views are added, statistics read and the grid refined while others query") {
  const auto log = std::make_shared<Log>();
  AdaptiveGrid<2> grid(logged_waves(log, true));
  const GridView<2> view = grid.at_level(1);
  const auto points = some_points(100, 4);
  std::atomic<bool> wrong{false}, done{false};
  std::thread owner([&] {  // the thread that the grid itself belongs to
    for (int n = 0; !done; ++n) {
      if (n < 3) grid.refine();
      if (grid.statistics().corners > 10000) wrong = true;
      std::this_thread::yield();
    }
  });
  on_threads(4, [&](int k) {
    Eigen::VectorXd y, z;
    Eigen::MatrixXd J;
    for (int round = 0; round < 3; ++round) {
      const GridView<2> sum = view.linear_output(Eigen::MatrixXd::Constant(1, 9, k + 1.0));
      for (const Point<2>& x : points) {
        view.evaluate(x, y, J);
        sum.evaluate(x, z);
        if (std::abs(z[0] - (k + 1) * y.sum()) > 1e-12) wrong = true;
      }
    }
  });
  done = true;
  owner.join();
  CHECK_FALSE(wrong);
  CHECK(grid.level() == 3);
  CHECK(log->most_calls() == 1);
  CHECK(grid.statistics().queries == 4 * 3 * 200);
}

TEST_CASE("batches from many threads evaluate each corner once") {
  const auto log = std::make_shared<Log>();
  const AdaptiveGrid<2> grid(logged_waves(log, true), {}, ThreadPerCorner{});
  std::vector<Eigen::MatrixXd> Y(4);
  on_threads(4, [&](int k) {
    Eigen::MatrixXd X(2, 40);
    const auto points = some_points(40, 9);
    for (int m = 0; m < 40; ++m) X.col(m) = points[m];
    grid.evaluate_batch(X, Y[k]);
  });
  for (int k = 1; k < 4; ++k) CHECK((Y[k].array() == Y[0].array()).all());
  CHECK(log->most_calls() == 1);
}
