// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/storage/sqlite_storage.hpp"
#include "testing/storage_faults.hpp"

#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;
using storage::SqliteStorage;

namespace {

auto waves(std::atomic<int>& calls) {
  return exact_function<2>(2,
                           [&calls](const Point<2>& x, auto y, auto J) {
                             ++calls;
                             y << std::sin(x[0] + 2 * x[1]), std::cos(x[0] - x[1]);
                             J << std::cos(x[0] + 2 * x[1]), 2 * std::cos(x[0] + 2 * x[1]), -std::sin(x[0] - x[1]),
                                 std::sin(x[0] - x[1]);
                           },
                           {.concurrent = true});
}

std::shared_ptr<SqliteStorage<2>> open_storage(const std::filesystem::path& path,
                                               const std::string& fingerprint = "waves 1") {
  return std::make_shared<SqliteStorage<2>>(path, fingerprint);
}

GridOptions<2> stored(std::shared_ptr<SqliteStorage<2>> storage, double spacing) {
  GridOptions<2> options;
  options.spacing = Point<2>::Constant(spacing);
  options.storage = std::move(storage);
  return options;
}

Eigen::MatrixXd some_points(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-2, 2);
  return Eigen::MatrixXd::NullaryExpr(2, count, [&] { return place(random); });
}

template <class Map>
Eigen::MatrixXd answers(const Map& map, const Eigen::MatrixXd& X) {
  Eigen::MatrixXd Y, J;
  map.evaluate_batch(X, Y, J);
  Eigen::MatrixXd all(Y.rows() * 3, Y.cols());
  for (Eigen::Index m = 0; m < X.cols(); ++m) all.col(m) << Y.col(m), J.col(2 * m), J.col(2 * m + 1);
  return all;
}

}  // namespace

TEST_CASE("a grid that comes back finds what was evaluated, whatever its spacing, and answers the same to the bit") {
  const TemporaryFolder folder;
  const auto path = folder / "waves.quoin";
  const Eigen::MatrixXd X = some_points(50, 1);
  std::atomic<int> calls = 0, again = 0, coarser = 0, fresh = 0;
  Eigen::MatrixXd wanted;
  {
    AdaptiveGrid<2> grid(waves(calls), stored(open_storage(path), 0.5), Threads(2));
    wanted = answers(grid, X);
    answers(grid.at_tolerance(1e-4), X);
  }
  REQUIRE(calls > 100);
  AdaptiveGrid<2> grid(waves(again), stored(open_storage(path), 0.5));
  CHECK(answers(grid, X) == wanted);
  answers(grid.at_tolerance(1e-4), X);
  CHECK(again == 0);
  CHECK(grid.statistics().exact_evaluations == 0);
  CHECK(grid.statistics().from_storage == static_cast<std::size_t>(calls.load()));

  AdaptiveGrid<2> wider(waves(coarser), stored(open_storage(path), 2)), alone(waves(fresh), stored(nullptr, 2));
  CHECK(answers(wider.at_level(2), X) == wanted);
  CHECK(coarser == 0);
  CHECK(answers(wider.at_level(4), X) == answers(alone.at_level(4), X));
  CHECK(coarser < fresh);
}

TEST_CASE("a grid in little memory finds in its file what has left it") {
  const TemporaryFolder folder;
  const Eigen::MatrixXd X = some_points(2000, 5);
  std::atomic<int> calls = 0, of_other = 0;
  GridOptions<2> options = stored(open_storage(folder / "evicted.quoin"), 0.0625);
  options.memory_budget = 200000;
  const AdaptiveGrid<2> grid(waves(calls), options), other(waves(of_other), stored(nullptr, 0.0625));
  const Eigen::MatrixXd wanted = answers(other, X);
  Eigen::VectorXd y;
  for (int round = 0; round < 2; ++round)
    for (Eigen::Index m = 0; m < X.cols(); ++m) {
      grid.evaluate(X.col(m), y);
      REQUIRE(y == wanted.col(m).head(2));
    }
  CHECK(calls == of_other);
  CHECK(grid.statistics().bytes < 200000);
  CHECK(other.statistics().bytes > 600000);
  CHECK(grid.statistics().from_storage > 2000);
}

TEST_CASE("failures are stored with their reasons, those that may pass are not; labels come back") {
  const TemporaryFolder folder;
  const auto path = folder / "fragile.quoin";
  std::atomic<int> calls = 0;
  const auto fragile = exact_function<2>(1, [&calls](const Point<2>& x, auto y, auto J) {
    ++calls;
    if (x[0] > 0.9) throw std::runtime_error("the mesh is torn");
    if (x[0] < -0.9) throw RetryableFailure("no licence");
    y[0] = x[1];
    J << 0, 1;
    return x[1] > 0.5 ? 3 : 0;
  });
  Eigen::VectorXd y;
  for (int round = 0; round < 2; ++round) {
    const auto storage = std::make_shared<SqliteStorage<2>>(path, "fragile 0");
    const AdaptiveGrid<2> grid(fragile, stored(storage, 1));
    calls = 0;
    CHECK_THROWS_WITH(grid.evaluate({0.5, 0.5}, y), Catch::Contains("the mesh is torn"));
    CHECK_THROWS_WITH(grid.evaluate({-0.5, 0.5}, y), Catch::Contains("no licence"));
    CHECK(calls == (round == 0 ? 6 : 2));
    storage->flush();
    CHECK(storage->status().samples == 4);
  }
  const auto samples = storage::read_samples<2>(path);
  REQUIRE(samples.size() == 4);
  for (Eigen::Index m = 0; m < 4; ++m) {
    CHECK(samples.failed(m) == (samples.point(m)[0] > 0.9));
    if (!samples.failed(m)) CHECK(samples.branches[static_cast<std::size_t>(m)] == (samples.point(m)[1] > 0.5 ? 3 : 0));
  }
}

TEST_CASE("what is stored of one function is not answered for another") {
  const TemporaryFolder folder;
  const auto path = folder / "waves.quoin";
  std::atomic<int> calls = 0;
  {
    const AdaptiveGrid<2> grid(waves(calls), stored(open_storage(path, Fingerprint("waves").add("a", 1.0).text()), 1));
    Eigen::VectorXd y;
    grid.evaluate({0.1, 0.1}, y);
  }
  CHECK_THROWS_WITH(
      AdaptiveGrid<2>(waves(calls), stored(open_storage(path, Fingerprint("waves").add("a", 2.0).text()), 1)),
      Catch::Contains(Fingerprint("waves").add("a", 1.0).text()) &&
          Catch::Contains(Fingerprint("waves").add("a", 2.0).text()));
  const auto one_output = exact_function<2>(1, [](const Point<2>&, auto y, auto J) { y[0] = J(0, 0) = J(0, 1) = 0; });
  CHECK_THROWS_WITH(
      AdaptiveGrid<2>(one_output, stored(open_storage(path, Fingerprint("waves").add("a", 1.0).text()), 1)),
      Catch::Contains("2 outputs, wanted 1"));
  CHECK_THROWS_AS(storage::read_samples<3>(path), std::invalid_argument);
  CHECK(Fingerprint("a").add("b", 1.0).text() != Fingerprint("a").add("c", 1.0).text());
  CHECK(Fingerprint("a").add("m", Eigen::MatrixXd::Zero(2, 3)).text() !=
        Fingerprint("a").add("m", Eigen::MatrixXd::Zero(3, 2)).text());
}

TEST_CASE("an evaluator that gives up loses nothing that it had evaluated; a point between corners is stored too") {
  const TemporaryFolder folder;
  const auto path = folder / "waves.quoin";
  std::atomic<int> calls = 0;
  Eigen::VectorXd y;
  {
    const Evaluator<2> gives_up = [](const CornerFunction<2>& f, std::span<CornerSample<2>> samples) {
      for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i == 3) throw Interrupted("the user pressed a key");
        f.evaluate(samples[i]);
      }
    };
    const AdaptiveGrid<2> grid(waves(calls), stored(open_storage(path), 1), gives_up);
    CHECK_THROWS_AS(grid.evaluate({0.5, 0.5}, y), Interrupted);
  }
  CHECK(calls == 3);
  {
    const AdaptiveGrid<2> grid(waves(calls), stored(open_storage(path), 1));
    grid.evaluate({0.5, 0.5}, y);
    CHECK(calls == 4);
  }
  auto direct = stored(open_storage(path), 1);
  direct.on_branches = BranchPolicy::call_function;
  direct.branch_splits = 0;
  std::atomic<int> labelled_calls = 0;
  const auto labelled = exact_function<2>(2, [&](const Point<2>& x, auto value, auto J) {
    ++labelled_calls;
    value << x;
    J.setIdentity();
    return x[0] > 5.5 ? 1 : 0;
  });
  for (int round = 0; round < 2; ++round) {
    const AdaptiveGrid<2> grid(labelled, [&] {
      auto options = direct;
      options.storage = open_storage(folder / "labelled.quoin");
      return options;
    }());
    CHECK(grid.evaluate({5.3, 5.3}, y).trust == Trust::exact);
    CHECK(labelled_calls == 5);  // four corners and the point itself, once
  }
}

TEST_CASE("what is inserted into a grid is stored") {
  const TemporaryFolder folder;
  const auto path = folder / "waves.quoin";
  std::atomic<int> calls = 0, again = 0;
  AdaptiveGrid<2> alone(waves(calls), stored(nullptr, 1));
  Eigen::VectorXd y;
  alone.evaluate({0.5, 0.5}, y);
  {
    AdaptiveGrid<2> grid(waves(again), stored(open_storage(path), 1));
    CHECK(grid.insert(alone.samples()).used == 4);
  }
  const AdaptiveGrid<2> grid(waves(again), stored(open_storage(path), 1));
  grid.evaluate({0.5, 0.5}, y);
  CHECK(again == 0);
}

TEST_CASE("grids of one process share a storage, from many threads") {
  const TemporaryFolder folder;
  const auto path = folder / "shared.quoin";
  const Eigen::MatrixXd X = some_points(100, 3);
  std::atomic<int> calls = 0, fresh = 0;
  const AdaptiveGrid<2> alone(waves(fresh), stored(nullptr, 0.25));
  const Eigen::MatrixXd wanted = answers(alone, X);
  {
    const auto storage = open_storage(path);
    const AdaptiveGrid<2> one(waves(calls), stored(storage, 0.25)), two(waves(calls), stored(storage, 0.25));
    std::vector<Eigen::MatrixXd> seen(4);
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < seen.size(); ++t)
        threads.emplace_back([&, t] { seen[t] = answers(t % 2 ? one : two, X); });
    }
    for (const auto& answer : seen) CHECK(answer == wanted);
    CHECK(calls <= 2 * fresh);
    storage->flush();
    CHECK(storage->status().samples == static_cast<std::size_t>(fresh.load()));
  }
}

TEST_CASE("a batch is stored sample by sample: a process that dies within it loses what it was evaluating") {
  const TemporaryFolder folder;
  const auto file = std::make_shared<SqliteStorage<2>>(folder / "batch.q", "waves 1");
  GridOptions<2> options;
  options.storage = file;
  std::size_t calls = 0, most_behind = 0;
  const AdaptiveGrid<2> grid(
      exact_function<2>(1,
                        [&](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                          const storage::FileStatus status = file->status();
                          most_behind = std::max(most_behind, calls++ - status.samples - status.unwritten);
                          y[0] = x.sum();
                          J.setOnes();
                        },
                        {.concurrent = true}),
      options, Threads{1});
  grid.prefetch(8 * Eigen::MatrixXd::Random(2, 40));
  CHECK(grid.statistics().batches == 1);
  CHECK(calls > 80);
  CHECK(most_behind == 0);
  file->flush();
  CHECK(file->status().samples == calls);
}
