// SPDX-License-Identifier: BSD-3-Clause
// Programs that hold a file and never give it back, as one does that is stopped while it writes: who waits for them can
// be stopped, and keeps no fork waiting.
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/storage/sample_file.hpp"
#include "quoin/storage/sqlite_storage.hpp"
#include "quoin/util/request.hpp"
#include "storage/store_lock.hpp"
#include "testing/forked.hpp"
#include "testing/storage_faults.hpp"

#include <catch2/catch.hpp>

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

using namespace quoin;
using namespace quoin::storage;

namespace {

constexpr std::chrono::milliseconds soon{700};

/// A process that holds the file until this ends: in the library's way, or by SQLite alone.
class Holder {
 public:
  Holder(const std::string& path, bool by_sqlite, const char* holds_by = "BEGIN IMMEDIATE") {
    int told[2];
    REQUIRE(pipe(told) == 0);
    process_ = fork();
    if (process_ == 0) {
      bool held = false;
      try {
        if (by_sqlite) {
          sqlite3* database = nullptr;
          held = sqlite3_open(path.c_str(), &database) == SQLITE_OK &&
                 sqlite3_exec(database, holds_by, nullptr, nullptr, nullptr) == SQLITE_OK;
        } else {
          auto& lock = *new StoreLock(path, Access::write, false, true);
          held = lock.take_turn(std::chrono::seconds(1), {});
        }
      } catch (...) {
      }
      if (!held || write(told[1], "h", 1) != 1) _exit(1);
      for (;;) pause();
    }
    close(told[1]);
    char held = 0;
    const bool holds = read(told[0], &held, 1) == 1;
    close(told[0]);
    REQUIRE(holds);
  }
  ~Holder() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  pid_t process_;
};

std::chrono::milliseconds since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
}

/// How long it takes until a stop after 0.1 s has ended the call with Interrupted.
template <class Call>
std::chrono::milliseconds stopped(Call&& call) {
  std::stop_source stop;
  const Watch watch(stop.get_token());
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(call(), Interrupted);
  return since(start);
}

}  // namespace

TEST_CASE("who opens, flushes or looks into a file that another program holds can be stopped, and loses nothing") {
  for (const bool by_sqlite : {false, true}) {
    CAPTURE(by_sqlite);
    const TemporaryFolder folder;
    const std::string path = folder / "numbers.quoin";
    fill(path, 0, 10);
    {
      SampleFile file(path, header_of_samples());
      {
        const Holder holder(path, by_sqlite);
        file.keep(sample_of(10));
        CHECK(stopped([&] { file.flush(); }) < soon);
        if (!by_sqlite) {
          CHECK(stopped([&] { SampleFile(path, header_of_samples()); }) < soon);
          CHECK(test::told_by(test::forked(10,
                                           [&] {  // opens the file anew
                                             bool right = false;
                                             return stopped([&] { has(file, 3, right); }) >= soon;
                                           }))
                    .empty());
        }
      }
      file.flush();
    }
    SampleFile file(path, header_of_samples());
    for (int k = 0; k <= 10; ++k) {
      bool right = false;
      CHECK(has(file, k, right));
      CHECK(right);
    }
  }
}

TEST_CASE("to open a file that another program holds is refused within 5 s, by who may hold it and what to do") {
  for (const std::string how :
       {"", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"})
    for (const bool open_already : {false, true}) {
      if (open_already && how.starts_with("PRAGMA")) continue;  // which is then not granted
      CAPTURE(how, open_already);
      const TemporaryFolder folder;
      const std::string path = folder / "numbers.quoin";
      fill(path, 0, 10);
      std::optional<SampleFile> open;
      if (open_already) open.emplace(path, header_of_samples());
      const Holder holder(path, !how.empty(), how.c_str());
      const auto start = std::chrono::steady_clock::now();
      CHECK_THROWS_WITH(SampleFile(path, header_of_samples()),
                        Catch::Contains(path) && Catch::Contains("another program") && Catch::Contains("close it"));
      CHECK(since(start) < std::chrono::seconds(5));
    }
}

TEST_CASE("a query whose samples are to be durable can be stopped while another program holds the file") {
  for (const bool by_sqlite : {false, true})
    for (const int threads : {1, 3}) {
      CAPTURE(by_sqlite, threads);
      const TemporaryFolder folder;
      const std::string path = folder / "sums.quoin";
      std::atomic<int> calls{0};
      const auto f = exact_function<1>(1,
                                       [&](const Point<1>& x, auto y, auto J) {
                                         ++calls;
                                         y[0] = x[0] * x[0];
                                         J(0, 0) = 2 * x[0];
                                       },
                                       {.concurrent = true});
      GridOptions<1> options;
      options.spacing = Point<1>(0.1);
      options.storage = std::make_shared<SqliteStorage<1>>(path, "squares", FileOptions{.durable = true});
      {
        const AdaptiveGrid<1> grid(f, options, Threads{threads});
        Eigen::VectorXd y;
        grid.evaluate(Point<1>(0.05), y);
        {
          const Holder holder(path, by_sqlite);
          CHECK(stopped([&] { grid.prefetch(Eigen::RowVectorXd::LinSpaced(20, 1.05, 2.95)); }) < soon);
        }
      }
      CHECK(read_samples<1>(path).size() == calls);
    }
}

TEST_CASE("a fork does not wait for a program that holds the file, and what waits is written behind it") {
  for (const bool by_sqlite : {false, true}) {
    CAPTURE(by_sqlite);
    const TemporaryFolder folder;
    const std::string path = folder / "numbers.quoin";
    SampleFile file(path, header_of_samples(), {.write_every = 0.01});
    file.keep(sample_of(0));
    file.flush();
    {
      const Holder holder(path, by_sqlite);
      file.keep(sample_of(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the thread that writes waits now
      const auto start = std::chrono::steady_clock::now();
      const pid_t child = test::forked(10, [] { return 0; });
      CHECK(since(start) < soon);
      CHECK(test::told_by(child).empty());
    }
    file.flush();
    bool right = false;
    CHECK(has(file, 1, right));
    CHECK(right);
  }
}
