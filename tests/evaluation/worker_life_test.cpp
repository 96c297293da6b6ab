// SPDX-License-Identifier: BSD-3-Clause
// Workers and the process that they belong to: they end with it, however it ends, and its children have their own.
#include "evaluation/folder.hpp"
#include "quoin/evaluation/workers.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/drawn.hpp"
#include "testing/forked.hpp"

#include <catch2/catch.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// Workers that write their process, and that of a child of theirs, as a file's name.
WorkerOptions noted(const std::filesystem::path& folder, const std::string& how, const std::string& what) {
  return {.command = {"sh", "-c", "sleep 1000 & : > \"$0/$!\"; : > \"$0/$$\"; exec \"$@\"", folder.string(),
                      QUOIN_UNRULY_WORKER, how, what},
          .count = 2};
}

std::vector<int> processes_in(const std::filesystem::path& folder) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found.push_back(std::stoi(entry.path().filename().string()));
  return found;
}

// A zombie is one that nobody has reaped.
bool runs(int process) {
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat"), line);
  return !line.empty() && line.find(") Z") == std::string::npos;
}

int running_after(const std::vector<int>& processes, std::chrono::milliseconds within) {
  const auto until = std::chrono::steady_clock::now() + within;
  for (;;) {
    const auto count = std::count_if(processes.begin(), processes.end(), runs);
    if (count == 0 || std::chrono::steady_clock::now() > until) return static_cast<int>(count);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

int wrong_answers(const AdaptiveGrid<2>& grid, std::mt19937& random, int points) {
  int wrong = 0;
  Eigen::VectorXd y;
  std::uniform_real_distribution<double> anywhere(-50, 50);
  for (int m = 0; m < points; ++m) {
    const double x0 = anywhere(random);
    const Point<2> x(x0, anywhere(random));
    grid.evaluate(x, y);
    wrong += std::abs(y[0] - (x[0] + 10 * x[1])) > 1e-9 * (1 + std::abs(y[0]));
  }
  return wrong;
}

int wrong_in_child(const AdaptiveGrid<2>& grid, std::mt19937 random, int generations) {
  int wrong = wrong_answers(grid, random, 4);
  if (generations > 0)
    wrong += !told_by(forked(30, [&] { return wrong_in_child(grid, random, generations - 1); })).empty();
  return wrong + wrong_answers(grid, random, 4);
}

}  // namespace

TEST_CASE("workers and what they have started end with their process, whatever they do and however it ends") {
  const std::string doings[] = {"answers twice", "hangs", "stops", "forks, and the child goes on",
                                "signals its group, and hangs"};
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP, SIGSEGV})
    for (const std::string& doing : doings) {
      CAPTURE(signal, doing);
      const Folder folder;
      const pid_t process = forked(60, [&] {
        std::signal(signal, SIG_DFL);
        const AdaptiveGrid<2> grid{Workers<2>(noted(folder.path, "does", doing))};
        Eigen::VectorXd y;
        grid.evaluate({0.5, 0.5}, y);
        for (;;) pause();
        return 1;
      });
      // Both workers are asked at the same time, so that one of them is at (1, 1) by now.
      for (int i = 0; i < 2000 && processes_in(folder.path).size() < 4; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::vector<int> workers = processes_in(folder.path);
      CHECK(workers.size() >= 4);
      kill(process, signal);
      CHECK(told_by(process) == "killed by " + to_text(signal));
      CHECK(running_after(workers, std::chrono::seconds(5)) == 0);
      for (const int left : workers) kill(left, SIGKILL);
    }
}

TEST_CASE("a process that is killed at any moment leaves no worker behind") {
  std::mt19937 random(seed_wanted());
  for (int draw = 0; draw < draws_wanted(10); ++draw) {
    CAPTURE(draw);
    const Folder folder;
    const pid_t process = forked(60, [&] {
      for (;;) {
        const Workers<2> workers(noted(folder.path, "does", "hangs"));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      return 1;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    kill(process, SIGKILL);
    told_by(process);
    // One that has just been started writes its name a moment later.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::vector<int> workers = processes_in(folder.path);
    CHECK(running_after(workers, std::chrono::seconds(5)) == 0);
    for (const int left : workers) kill(left, SIGKILL);
  }
}

TEST_CASE("a forked process and its children ask workers of their own, and every answer is right") {
  if (!can_fork_among_threads) return;
  const unsigned seed = seed_wanted();
  for (int draw = 0; draw < draws_wanted(12); ++draw) {
    CAPTURE(seed, draw);
    std::mt19937 random(seed * 10'007 + static_cast<unsigned>(draw));
    const Folder folder;
    std::vector<int> processes;
    {
      const Workers<2> workers(noted(folder.path, "does", "answers twice"));
      const AdaptiveGrid<2> grid(workers, {.spacing = {0.5, 0.5}});
      std::atomic<int> wrong = 0;
      std::vector<std::string> told;
      {
        std::vector<std::jthread> others;
        for (auto count = random() % 3; count > 0; --count)
          others.emplace_back([&, own = std::mt19937(random())](std::stop_token stop) mutable {
            while (!stop.stop_requested()) wrong += wrong_answers(grid, own, 2);
          });
        std::vector<pid_t> children;
        for (auto count = 1 + random() % 3; count > 0; --count) {
          wrong += wrong_answers(grid, random, 2);
          const std::mt19937 of_child(random());
          const int generations = static_cast<int>(random() % 2);
          children.push_back(forked(60, [&] { return wrong_in_child(grid, of_child, generations); }));
        }
        wrong += wrong_answers(grid, random, 4);
        for (const pid_t child : children) told.push_back(told_by(child));
      }
      for (const std::string& of_child : told) REQUIRE(of_child == "");
      REQUIRE(wrong == 0);
      REQUIRE(workers.restarts() == 0);
      processes = processes_in(folder.path);
    }
    CHECK(running_after(processes, std::chrono::seconds(5)) == 0);
  }
}

TEST_CASE("an observer that forks goes on in both processes") {
  pid_t child = -1;
  const Workers<2> workers({.command = {QUOIN_UNRULY_WORKER, "does", "answers twice"}, .count = 2});
  const AdaptiveGrid<2> grid(workers, {.spacing = {0.5, 0.5}});
  Eigen::VectorXd y;
  {
    const Watch watch({}, [&](const Watch::Progress&) {
      if (child < 0) child = fork();
    });
    grid.evaluate({0.6, 0.2}, y);
  }
  std::mt19937 random(1);
  const int wrong = (std::abs(y[0] - 2.6) > 1e-9) + wrong_answers(grid, random, 4);
  if (child == 0) _exit(wrong);
  CHECK(wrong == 0);
  CHECK(told_by(child) == "");
}

TEST_CASE("a child that does nothing leaves its parent's workers alone, and they do not wait for it") {
  const Folder folder;
  std::vector<int> processes;
  pid_t child = -1;
  {
    const Workers<2> workers(noted(folder.path, "does", "hangs"));
    child = forked(60, [] {
      for (;;) pause();
      return 0;
    });
    processes = processes_in(folder.path);
    CHECK(processes.size() == 4);
  }
  CHECK(running_after(processes, std::chrono::seconds(5)) == 0);
  kill(child, SIGKILL);
  told_by(child);
}
