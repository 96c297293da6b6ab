// SPDX-License-Identifier: BSD-3-Clause
// Processes that are killed at random moments, 20 times, or as often as the environment's QUOIN_KILLS says.
#include "quoin/storage/sample_file.hpp"
#include "quoin/storage/sqlite_storage.hpp"
#include "testing/storage_faults.hpp"

#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/exact_function.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace quoin;
using namespace quoin::storage;

namespace {

int kills_wanted() {
  const char* const wanted = std::getenv("QUOIN_KILLS");
  return wanted ? std::stoi(wanted) : 20;
}

void wait_a_while(std::mt19937& random) {
  std::this_thread::sleep_for(std::chrono::microseconds(5'000 + random() % 60'000));
}

/// A process that writes the numbers 2 k + which, for k from `first` on, until it is killed.
class KilledWriter {
 public:
  KilledWriter(const std::filesystem::path& path, int which, int first) : written_(first) {
    if (pipe(ends_) != 0) throw std::runtime_error("no pipe");
    child_ = in_child([&] {
      SampleFile file(path, header_of_samples(), {.write_every = 0.002});
      for (int k = first;; ++k) {
        file.keep(sample_of(2 * k + which));
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        if (k % 10 != 9) continue;
        file.flush();
        const int written = k + 1;
        if (write(ends_[1], &written, sizeof written) < 0) return 1;
      }
    });
  }
  void kill() {
    ::kill(child_, SIGKILL);
    CHECK(exit_status(child_) == -SIGKILL);
    close(ends_[1]);
  }
  /// All below this k are in the file, it said. To be called when all of them are killed.
  int written() {
    for (int said = 0; read(ends_[0], &said, sizeof said) == sizeof said;) written_ = said;
    close(ends_[0]);
    return written_;
  }

 private:
  int ends_[2];
  pid_t child_ = 0;
  int written_;
};

using Place = std::pair<double, double>;

/// Where f was called: one that is killed leaves a line here for each evaluation that it began.
class Log {
 public:
  explicit Log(std::filesystem::path path) : path_(std::move(path)) {}
  int open() const { return ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600); }
  /// The places since the last time.
  std::vector<Place> news() {
    std::ifstream in(path_, std::ios::binary);
    in.seekg(read_);
    std::vector<Place> places;
    for (std::array<double, 2> x{}; in.read(reinterpret_cast<char*>(x.data()), sizeof x); read_ += sizeof x)
      places.emplace_back(x[0], x[1]);
    return places;
  }

 private:
  std::filesystem::path path_;
  std::streamoff read_ = 0;
};

/// Samples of the product of the coordinates, which are all right.
std::set<Place> stored_in(const std::filesystem::path& path) {
  std::set<Place> places;
  try {
    const auto samples = read_samples<2>(path);
    for (Eigen::Index m = 0; m < samples.size(); ++m) {
      const auto x = samples.point(m);
      places.emplace(x[0], x[1]);
      CHECK(samples.jet(m)(0, 0) == x[0] * x[1]);
    }
    CHECK(std::ssize(places) == samples.size());
  } catch (const std::runtime_error&) {  // killed before the tables were made
  }
  return places;
}

/// Queries a grid of the product over the file at all points. Returns the exit status: 0 if every answer is right.
int plan(const std::filesystem::path& path, int log, int threads, const Eigen::MatrixXd& X) {
  const auto product = exact_function<2>(1,
                                         [&](const Point<2>& x, auto y, auto J) {
                                           if (write(log, x.data(), 2 * sizeof(double)) < 0) _exit(8);
                                           std::this_thread::sleep_for(std::chrono::microseconds(500));
                                           y[0] = x[0] * x[1];
                                           J << x[1], x[0];
                                         },
                                         {.concurrent = true});
  GridOptions<2> options;
  options.spacing = {0.25, 0.25};
  options.storage = std::make_shared<SqliteStorage<2>>(path, "product 0", FileOptions{.durable = true});
  const AdaptiveGrid<2> grid(product, options, Threads(threads));
  Eigen::VectorXd y;
  for (Eigen::Index m = 0; m < X.cols(); ++m) {
    grid.evaluate(X.col(m), y);
    if (std::abs(y[0] - X(0, m) * X(1, m)) > 1e-12) return 7;
  }
  return 0;
}

/// Kills a planning process at random moments until it has finished; returns how often. After each kill, what had been
/// begun and is not stored is what was in flight, at most one evaluation a thread, and nothing that was stored was
/// begun again.
int kills_until_planned(int threads, std::mt19937& random) {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "killed.quoin";
  Log log(folder / "begun");
  std::uniform_real_distribution<double> place(-2, 2);
  const Eigen::MatrixXd X = Eigen::MatrixXd::NullaryExpr(2, 60, [&] { return place(random); });
  std::set<Place> stored;
  std::size_t begun_in_all = 0, in_flight_in_all = 0;
  for (int kills = 0;; ++kills) {
    const pid_t child = in_child([&] { return plan(path, log.open(), threads, X); });
    wait_a_while(random);
    kill(child, SIGKILL);
    const int status = exit_status(child);
    CHECK((status == 0 || status == -SIGKILL));
    const std::vector<Place> begun = log.news();
    const std::set<Place> now = stored_in(path), distinct(begun.begin(), begun.end());
    CHECK(distinct.size() == begun.size());
    for (const Place& x : begun) CHECK(stored.count(x) == 0);
    CHECK(std::includes(now.begin(), now.end(), stored.begin(), stored.end()));
    const std::size_t in_flight = begun.size() - (now.size() - stored.size());
    CHECK(in_flight <= static_cast<std::size_t>(status == 0 ? 0 : threads));
    begun_in_all += begun.size();
    in_flight_in_all += in_flight;
    stored = now;
    if (status != -SIGKILL) {
      CHECK(begun_in_all == stored.size() + in_flight_in_all);
      return kills;
    }
  }
}

}  // namespace

TEST_CASE("two writers killed at any moment leave every sample that was written, and only whole ones") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "killed.quoin";
  std::mt19937 random(3);
  std::array<int, 2> next{};
  const auto require = [&](SampleFile& file, int k) {
    bool right = false;
    REQUIRE(has(file, k, right));
    REQUIRE(right);
  };
  for (int kills = 0; kills < kills_wanted(); kills += 2) {
    KilledWriter even(path, 0, next[0]), odd(path, 1, next[1]);
    wait_a_while(random);
    even.kill();
    odd.kill();
    const std::array<int, 2> written{even.written(), odd.written()};
    if (written == std::array<int, 2>{}) continue;  // killed before the first flush
    SampleFile file(path, header_of_samples());
    for (int which = 0; which < 2; ++which) {
      for (int k = next[which]; k < written[which]; ++k) require(file, 2 * k + which);
      for (int old = 0; old < std::min(20, written[which]); ++old)
        require(file, 2 * static_cast<int>(random() % written[which]) + which);
    }
    next = written;
  }
  CHECK(std::min(next[0], next[1]) > 0);
  SampleFile file(path, header_of_samples());
  std::set<int> there;
  file.for_each([&](const StoredSample& sample) {
    const int k = static_cast<int>(sample.x[0]);
    if (!is_sample(k, sample)) FAIL_CHECK("number " << k << " is torn");
    there.insert(k);
  });
  for (int which = 0; which < 2; ++which)
    for (int k = 0; k < next[which]; ++k)
      if (there.count(2 * k + which) == 0) FAIL_CHECK("number " << 2 * k + which << " is lost");
  CHECK(file.status().damaged == 0);
}

TEST_CASE("a grid that is killed goes on where it was: all that is evaluated again is what was in flight") {
  std::mt19937 random(4);
  for (const int threads : {1, 3}) {
    int kills = 0;
    while (kills < kills_wanted() / 2) kills += kills_until_planned(threads, random);
    CHECK(kills >= kills_wanted() / 2);
  }
}
