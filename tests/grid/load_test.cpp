// SPDX-License-Identifier: BSD-3-Clause
// Everything at once: threads that query at random, f that fails, is interrupted and asks to be tried again,
// refinement, functionals, requests, and trim between phases.
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// Waves that have no answer in a disc, and whose calls may be interrupted or have to be tried again, by chance.
struct Unreliable {
  std::atomic<unsigned> calls{0}, interrupted{0}, retried{0};

  auto function() {
    return exact_function<2>(
        3,
        [this, waves = Waves<2>(3)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
          const unsigned call = calls++;
          if (call % 31 == 7) {
            ++interrupted;
            throw Interrupted("a key");
          }
          if (call % 17 == 3) {
            ++retried;
            throw RetryableFailure("no licence");
          }
          if ((x - Point<2>(1, 1)).norm() < 0.6) throw std::runtime_error("no answer");
          y = waves.value(x);
          J = waves.jacobian(x);
        },
        {.concurrent = true});
  }
};

}  // namespace

TEST_CASE("eight threads, an unreliable f, refinement and trim: no answer differs from that of one quiet thread") {
  AdaptiveGrid<2> quiet(exact_function<2>(
      3,
      [waves = Waves<2>(3)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        if ((x - Point<2>(1, 1)).norm() < 0.6) throw std::runtime_error("no answer");
        y = waves.value(x);
        J = waves.jacobian(x);
      },
      {.concurrent = true}));
  for (const Evaluator<2>& evaluator : {Evaluator<2>(ThisThread{}), Evaluator<2>(Threads{2})}) {
    Unreliable f;
    AdaptiveGrid<2> grid(f.function(), {}, evaluator);
    const GridView<2> sum = grid.linear_output(Eigen::MatrixXd::Ones(1, 3));
    const GridView<2> quiet_sum = quiet.linear_output(Eigen::MatrixXd::Ones(1, 3));
    std::atomic<int> wrong{0}, failed{0}, answered{0};
    for (int phase = 0; phase < 3; ++phase) {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t, phase] {
          std::mt19937 random(static_cast<unsigned>(100 * phase + t));
          std::uniform_real_distribution<double> anywhere(-3, 3);
          Eigen::VectorXd y, expected;
          Eigen::MatrixXd J, expected_J;
          for (int query = 0; query < 150; ++query) {
            const Point<2> x(anywhere(random), anywhere(random));
            const int kind = static_cast<int>(random() % 6);
            const bool functional = kind == 1;
            const auto of = [&](const AdaptiveGrid<2>& g, const GridView<2>& s) {
              return kind == 0 ? g.at_tolerance(1e-3) : functional ? s.at_level(phase) : g.at_level(phase);
            };
            try {
              if (kind == 2) grid.prefetch_async(x);
              if (kind == 3) {
                std::vector<Point<2>> missing;
                of(grid, sum).evaluate_cached(x, y, &missing);
                continue;
              }
              const Answer answer = of(grid, sum).try_evaluate(x, y, J);
              if (!answer.has_value()) {
                ++failed;
                continue;
              }
              of(quiet, quiet_sum).try_evaluate(x, expected, expected_J);
              ++answered;
              // To a tolerance, cells around a failure that passes may have been split before it passed.
              wrong += kind == 0 ? !((y - Waves<2>(3).value(x)).norm() < 5e-3) : y != expected || J != expected_J;
            } catch (const Interrupted&) {
            }
          }
        });
      threads.clear();
      grid.refine();
      if (phase == 1) grid.trim();
    }
    CHECK(wrong == 0);
    CHECK(answered > 1500);
    CHECK(failed > 20);
    CHECK(f.interrupted > 10);
    CHECK(f.retried > 20);
  }
}
