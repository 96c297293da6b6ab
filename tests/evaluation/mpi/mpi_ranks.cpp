// SPDX-License-Identifier: BSD-3-Clause
// A program of several ranks: mpi_ranks <what> [<file>]. Rank 0 checks, and the status tells.
#include "quoin/evaluation/mpi/mpi_ranks.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/storage/sqlite_storage.hpp"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

using namespace quoin;

namespace {

int wrong = 0;
void check(bool holds, const std::string& claim) {
  if (holds) return;
  ++wrong;
  std::fprintf(stderr, "does not hold: %s\n", claim.c_str());
}

std::string what;
std::atomic<int> calls{0};

/// Waves with a branch, places without an answer, and whatever else is asked for.
auto function(int outputs = 3) {
  return exact_function<2>(outputs,
                           [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                             const int call = ++calls;
                             if (what == "dies" && call == 20) std::raise(SIGKILL);
                             if (what == "interrupts" && x == Point<2>(1, 1)) throw Interrupted("a key");
                             if (what == "is slow") std::this_thread::sleep_for(std::chrono::milliseconds(2));
                             if (x == Point<2>(2, 1)) throw std::runtime_error("no answer at (2, 1)");
                             if (x == Point<2>(3, 1)) throw RetryableFailure("no licence");
                             for (Eigen::Index i = 0; i < y.size(); ++i) {
                               const double phase = 0.7 * x[0] - 0.4 * x[1] + static_cast<double>(i);
                               y[i] = std::sin(phase);
                               J.row(i) << 0.7 * std::cos(phase), -0.4 * std::cos(phase);
                             }
                             return x[0] > 4 ? 1 : 0;
                           });
}

Eigen::MatrixXd points() {
  Eigen::MatrixXd X(2, 200);
  for (int m = 0; m < 200; ++m) X.col(m) << 0.05 + 0.17 * m, 3 * std::sin(1.0 * m);
  return X;
}

std::string failure_at(const AdaptiveGrid<2>& grid, const Point<2>& x) {
  Eigen::VectorXd y;
  try {
    grid.evaluate(x, y);
  } catch (const CornerFailure& failure) {
    return std::string(failure.may_pass() ? "may pass: " : "permanent: ") + failure.what();
  }
  return "none";
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void query(const MpiRanks& ranks, const std::string& file) {
  if (what == "stores" || what == "dies") {
    GridOptions<2> options;
    options.storage =
        std::make_shared<storage::SqliteStorage<2>>(file, "waves 1", storage::FileOptions{.durable = true});
    const AdaptiveGrid<2> grid(function(), options, ranks);
    grid.prefetch(points());
    const GridStatistics s = grid.statistics();
    std::printf("%zu evaluated, %zu from the file\n", s.exact_evaluations, s.from_storage);
    check(s.from_storage >= 10, "what was stored before the job died is not evaluated again");
    check(s.exact_evaluations + s.from_storage >= s.corners, "every corner comes from one of the two");
    return;
  }
  if (what == "another function") {
    try {
      AdaptiveGrid<2>(function(2), {}, ranks).prefetch(points());
      check(false, "another function is refused");
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      check(text.find("3 outputs") != text.npos && text.find("2 outputs") != text.npos, "with both: " + text);
    }
    return;
  }
  const AdaptiveGrid<2> grid(function(), {}, ranks), alone(function());
  if (what == "interrupts") {
    try {
      grid.prefetch(points());
      check(false, "Interrupted reaches the query");
    } catch (const Interrupted& interruption) {
      check(std::string(interruption.what()) == "a key", "with its words");
    }
    what = "";
    Eigen::VectorXd y;
    check(grid.evaluate({20.5, 0.5}, y).has_value(), "the ranks go on");
    return;
  }
  grid.prefetch(points());
  alone.prefetch(points());
  const Samples<2> a = grid.samples(), b = alone.samples();
  check(a.size() == b.size() && a.size() > 200, "as many corners as one thread evaluates: " + to_text(a.size()));
  check(ranks.workers() == 0 || static_cast<std::size_t>(calls) == alone.statistics().exact_evaluations,
        "rank 0 calls f for the other grid alone");
  for (const Point<2>& x : {Point<2>(0.3, 0.2), Point<2>(3.3, -1.8), Point<2>(4.2, 2.2), Point<2>(17.1, -2.9)}) {
    Eigen::VectorXd y, expected;
    Eigen::MatrixXd J, expected_J;
    check(grid.evaluate(x, y, J).trust == alone.evaluate(x, expected, expected_J).trust, "the same trust");
    check(y == expected && J == expected_J, "the same answer to the bit");
  }
  check(failure_at(grid, {1.5, 0.5}).find("permanent") == 0, failure_at(grid, {1.5, 0.5}));
  check(failure_at(grid, {1.5, 0.5}).find("no answer at (2, 1)") != std::string::npos, "f's words");
  check(failure_at(grid, {3.5, 0.5}).find("may pass") == 0, "a failure that may pass comes as one");
  std::this_thread::sleep_for(std::chrono::seconds(2));  // while the other ranks idle
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  what = argc > 1 ? argv[1] : "";
  {
    const MpiRanks ranks;
    if (ranks.serves()) {
      const double before = processor_seconds();
      const auto began = std::chrono::steady_clock::now();
      ranks.serve<2>(function());
      const double share = (processor_seconds() - before) /
                           std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      if (what.empty()) {
        std::printf("a rank used %.3f of a core\n", share);
        check(share < 0.2, "ranks that wait leave the processor alone");
      }
    } else {
      query(ranks, argc > 2 ? argv[2] : "");
    }
  }
  MPI_Finalize();
  return wrong ? 1 : 0;
}
