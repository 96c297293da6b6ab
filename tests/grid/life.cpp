// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end of a process that has grids: what no test can show whose process has asked one before.
//   test_grid_life "first query"  a thread asks the process's first query while another forks: the child answers too
//   test_grid_life "static grid"  a grid of static lifetime is at work in the background when the program ends
#include "quoin/quoin.hpp"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;

namespace {

auto identity(useconds_t pause) {
  return exact_function<1>(1, [pause](const Point<1>& x, auto y, auto J) {
    usleep(pause);
    y[0] = x[0];
    J(0, 0) = 1;
  });
}
bool answers(const AdaptiveGrid<1>& grid, double x) {
  Eigen::VectorXd y;
  grid.evaluate(Point<1>(x), y);
  return y[0] == x;
}

std::atomic<bool> forking{false};

int first_query() {
  // As another library's handler does that takes its time: forks wait within it, after the grids' own.
  pthread_atfork(
      [] {
        forking = true;
        usleep(20'000);
      },
      nullptr, nullptr);
  const AdaptiveGrid<1> one(identity(0)), other(identity(0));
  bool right = false;
  std::thread thread([&] {
    while (!forking) std::this_thread::yield();
    right = answers(one, 0.25);
  });
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    _exit(answers(other, 0.5) ? 0 : 1);
  }
  thread.join();
  int status = 1;
  waitpid(child, &status, 0);
  return right && status == 0 ? 0 : 1;
}

std::optional<AdaptiveGrid<1>> static_grid;

// Of a program that uses the heap at its end: what was freed before is written over.
struct Busy {
  std::vector<std::string> words;
  ~Busy() {
    for (int i = 0; i < 3000; ++i) words.emplace_back(40 + i % 40, '\1');
  }
} busy;

int leave_a_grid_at_work() {
  static_grid.emplace(identity(1000));
  for (int i = 0; i < 200; ++i) static_grid->prefetch_async(Eigen::MatrixXd::Constant(1, 1, 2 * i + 0.5));
  usleep(30'000);
  alarm(10);  // for an end that hangs
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return argc > 1 && std::strcmp(argv[1], "first query") == 0 ? first_query() : leave_a_grid_at_work();
}
