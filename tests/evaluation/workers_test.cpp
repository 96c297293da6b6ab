// SPDX-License-Identifier: BSD-3-Clause
// f as a program of its own: the same grid to the bit, whatever the program does but answer wrongly.
#include "quoin/evaluation/workers.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"

#include "evaluation/folder.hpp"
#include "evaluation/waves.hpp"

#include <catch2/catch.hpp>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <thread>

using namespace quoin;
using quoin::test::Folder;

namespace {

const std::filesystem::path helpers = QUOIN_WORKERS_FOLDER;

auto pure_waves() {
  return exact_function<2>(3,
                           [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                             Eigen::Matrix3d jet;
                             quoin::test::waves(x.data(), jet.data());
                             y = jet.col(0);
                             J = jet.rightCols(2);
                           },
                           {.concurrent = true});
}

WorkerOptions with_habit(const std::string& habit, int count = 2, const std::string& file = {}) {
  return {.command = {QUOIN_TEST_WORKER, habit, file}, .count = count};
}

Eigen::MatrixXd some_points() {
  Eigen::MatrixXd X(2, 40);
  for (int m = 0; m < 40; ++m) X.col(m) << 0.05 + 0.17 * m, 3 * std::sin(1.0 * m);
  return X;
}

// All answers at those points, and how many corners they took.
struct Answers {
  Eigen::MatrixXd Y, J;
  std::size_t evaluations = 0, failed = 0;
  bool operator==(const Answers&) const = default;
};
Answers answers_of(AdaptiveGrid<2> grid) {
  Answers answers;
  grid.evaluate_batch(some_points(), answers.Y, answers.J);
  grid.refine();
  grid.evaluate_batch(some_points(), answers.Y, answers.J);
  answers.evaluations = grid.statistics().exact_evaluations;
  answers.failed = grid.statistics().failed_corners;
  return answers;
}

// What becomes of the corner (1, 1), whose cell is asked for.
std::string failure_of(const WorkerOptions& options, bool& may_pass) {
  const Workers<2> workers(options);
  const AdaptiveGrid<2> grid(workers);
  Eigen::VectorXd y;
  try {
    grid.evaluate({0.5, 0.5}, y);
  } catch (const CornerFailure& failure) {
    CHECK(grid.statistics().corners == 4);
    CHECK(grid.statistics().failed_corners == 1);
    may_pass = failure.may_pass();
    return failure.what();
  }
  return "no failure";
}

bool there_is(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null").c_str()) == 0;
}

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

TEST_CASE("this thread, threads and workers give the same grid, to the bit") {
  const Answers expected = answers_of(AdaptiveGrid<2>(pure_waves()));
  CHECK(expected.evaluations > 100);
  CHECK(answers_of(AdaptiveGrid<2>(pure_waves(), {}, Threads{3})) == expected);
  for (const int count : {1, 3}) {
    const Workers<2> workers(with_habit("", count));
    CHECK(workers.fingerprint() == "waves 1");
    CHECK(answers_of(AdaptiveGrid<2>(workers)) == expected);
    CHECK(answers_of(AdaptiveGrid<2>(pure_waves(), {}, workers)) == expected);  // the grid's own f is not called
    CHECK(workers.restarts() == 0);
  }
}

TEST_CASE("a worker that crashes or hangs costs one sample a moment, and the grid nothing") {
  const Answers expected = answers_of(AdaptiveGrid<2>(pure_waves()));
  const Folder folder;
  for (const std::string habit : {"crashes once", "hangs once"})
    for (const int count : {1, 2}) {
      CAPTURE(habit, count);
      WorkerOptions options = with_habit(habit, count, folder.write("once", ""));
      options.time_limit = 2;
      const Workers<2> workers(options);
      CHECK(answers_of(AdaptiveGrid<2>(workers)) == expected);
      CHECK(workers.restarts() == 1);
    }
}

TEST_CASE("a point at which every worker fails is a failure that may pass, and says what happened") {
  const struct {
    std::string habit, reason;
  } cases[] = {
      {"crashes at (1, 1)", "was killed by signal 9 (Killed)"},
      {"leaves at (1, 1)", "has ended with status 3"},
      {"hangs at (1, 1)", "no answer within 1 s"},
      {"closes at (1, 1)", "it has closed its descriptor 4"},
      {"chatters at (1, 1)", "expected 'answer' and what stood behind 'evaluate', came 'Iteration 1: residual"},
      {"has no line's end at (1, 1)", "of at most 131648 characters, came 'xxx"},
  };
  for (const auto& c : cases) {
    INFO(c.habit);
    WorkerOptions options = with_habit(c.habit);
    options.time_limit = 1;
    bool may_pass = false;
    const std::string failure = failure_of(options, may_pass);
    CHECK_THAT(failure, Catch::Contains(c.reason) && Catch::Contains("corner (1, 1)") &&
                            Catch::Contains(QUOIN_TEST_WORKER) && Catch::Contains("the last of 3 attempts"));
    CHECK(may_pass);
  }
}

TEST_CASE("a failure that a worker tells is its function's: permanent, unless it says that it may pass") {
  bool may_pass = true;
  CHECK_THAT(failure_of(with_habit("fails at (1, 1)"), may_pass), Catch::Contains("the mesh is inverted"));
  CHECK(!may_pass);
  CHECK_THAT(failure_of(with_habit("retries at (1, 1)"), may_pass), Catch::Contains("no licence"));
  CHECK(may_pass);
  CHECK_THAT(failure_of(with_habit("writes nan at (1, 1)"), may_pass), Catch::Contains("value 1 is nan"));
  CHECK(!may_pass);
}

TEST_CASE("workers that do not start, or evaluate something else, are refused with the reason") {
  const auto start = [](const WorkerOptions& options) { const Workers<2> workers(options); };
  CHECK_THROWS_WITH(start({}), "WorkerOptions::command is empty");
  CHECK_THROWS_WITH(start(with_habit("", 0)), Catch::Contains("count = 0"));
  CHECK_THROWS_WITH(start({.command = {"no_such_simulator"}}),
                    Catch::Contains("cannot start 'no_such_simulator': No such file"));
  CHECK_THROWS_WITH(start({.command = {"false"}}),
                    Catch::Contains("worker 0 ('false')") && Catch::Contains("status 1"));
  WorkerOptions silent = with_habit("is silent");
  silent.time_limit = 0.2;
  CHECK_THROWS_WITH(start(silent), Catch::Contains("no answer within 0.2 s"));
  CHECK_THROWS_WITH(start(with_habit("is another")), Catch::Contains("came 'hello, world'"));
  const Folder folder;
  CHECK_THROWS_WITH(start(with_habit("becomes another", 2, folder.write("once", ""))),
                    Catch::Contains("evaluates another function than the first") && Catch::Contains("2 outputs") &&
                        Catch::Contains("3 outputs"));
  CHECK_THROWS_WITH(Workers<3>(with_habit("")), Catch::Contains("status 1"));  // it has two variables
}

TEST_CASE("a worker that was killed between two queries is started again") {
  const Folder folder;
  const std::string script =
      folder.write("mortal.sh", "echo $$ >> " + (folder.path / "pids").string() + "\nexec " QUOIN_TEST_WORKER "\n");
  const Workers<2> workers({.command = {"sh", script}});
  const AdaptiveGrid<2> grid(workers);
  Eigen::VectorXd y;
  grid.evaluate({0.5, 0.5}, y);
  REQUIRE(kill(std::stoi(folder.read("pids")), SIGKILL) == 0);
  grid.evaluate({4.5, 4.5}, y);
  CHECK(grid.statistics().failed_corners == 0);
  CHECK(workers.restarts() == 1);
}

TEST_CASE("workers end with their last owner, also those that hang, and their own children with them") {
  const Folder folder;
  const std::string pids = (folder.path / "pids").string();
  const std::string script = folder.write("parent.sh", "sleep 1000 & echo $! >> " + pids + "\necho $$ >> " + pids +
                                                           "\nexec " QUOIN_TEST_WORKER " 'hangs at (1, 1)'\n");
  const auto began = std::chrono::steady_clock::now();
  {
    WorkerOptions options{.command = {"sh", script}, .count = 2, .time_limit = 1};
    const AdaptiveGrid<2> grid{Workers<2>(options)};
    Eigen::VectorXd y;
    CHECK_THROWS_AS(grid.evaluate({0.5, 0.5}, y), CornerFailure);
  }
  CHECK(seconds_since(began) < 60);
  std::istringstream all(folder.read("pids"));
  int count = 0;
  for (int pid; all >> pid; ++count) {
    // The orphans are reaped by whoever adopts them, soon.
    for (int i = 0; i < 100 && kill(pid, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::string state = "/proc/" + std::to_string(pid) + "/stat";
    std::string line;
    std::getline(std::ifstream(state), line);
    CHECK((line.empty() || line.find(") Z") != std::string::npos));
  }
  CHECK(count == 6);  // two workers, and one that was started again
}

TEST_CASE("helpers in Python and sh make workers, and print what they like") {
  const Folder folder;
  const std::string bend = folder.write("bend.sh", ". " + (helpers / "quoin_worker.sh").string() + R"(
evaluate() {
  echo "a simulator complains" >&2
  [ "$1" != 4 ] || return 75
  [ "$1" != -4 ] || { echo "it is broken *" >&2; return 2; }
  awk "BEGIN { print $1 * $2; print $1 + 3 }"
}
quoin_serve 2 0 "bend 1"
)");
  const Workers<2> sh({.command = {"sh", bend}, .count = 2});
  CHECK(sh.fingerprint() == "bend 1");
  const AdaptiveGrid<2> values(sh);
  Eigen::VectorXd y;
  values.evaluate({0.5, 0.25}, y);
  CHECK(y[0] == Approx(0.125).epsilon(1e-12));
  CHECK(y[1] == Approx(3.5).epsilon(1e-12));
  const auto evaluate_at = [&](double x) {
    try {
      values.evaluate({x, 0.5}, y);
    } catch (const CornerFailure& failure) {
      return std::string(failure.may_pass() ? "may pass: " : "permanent: ") + failure.what();
    }
    return std::string();
  };
  CHECK_THAT(evaluate_at(4.5), Catch::StartsWith("may pass") && Catch::Contains("a simulator complains (status 75)"));
  CHECK_THAT(evaluate_at(-4.5), Catch::StartsWith("permanent") && Catch::Contains("it is broken * (status 2)"));

  if (!there_is("python3")) {
    WARN("python3 is not there: its helper is not tested");
    return;
  }
  const std::string rod = folder.write("rod.py", "import math, sys\nsys.path.insert(0, '" + helpers.string() + R"(')
from quoin_worker import serve, Retry
def f(x):
    print("a simulator prints")
    if x[0] == 4: raise Retry("no\nlicence")
    if x[0] == -4: return [1 / 0], [[0, 0]]
    return [x[0] * x[1] ** 2], [[x[1] ** 2, 2 * x[0] * x[1]]]
serve(f, outputs=1, order=1, fingerprint="rod 1", branch=lambda x, answer: int(x[0] > 10))
)");
  const Workers<2> python({.command = {"python3", rod}, .count = 2});
  const AdaptiveGrid<2> jets(python);
  Eigen::MatrixXd J;
  jets.evaluate({0.5, 0.25}, y, J);
  CHECK(y[0] == Approx(0.5 * 0.0625));
  CHECK(J(0, 1) == Approx(0.25));
  CHECK_THROWS_WITH(jets.evaluate({4.5, 0.5}, y), Catch::Contains("Retry: no licence"));
  CHECK_THROWS_WITH(jets.evaluate({-4.5, 0.5}, y), Catch::Contains("ZeroDivisionError"));
  CHECK(jets.evaluate({10.01, 0.5}, y).trust == Trust::nearest_branch);
}

TEST_CASE("launchers pass the two descriptors on") {
  const Folder folder;
  // What ssh does: the words behind the host become one line, which a shell at the other end reads.
  const std::string ssh = folder.write(
      "ssh", "#!/bin/sh\necho \"$1\" >> " + (folder.path / "hosts").string() + "\nshift\nexec sh -c \"$*\"\n");
  std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
  std::vector<std::vector<std::string>> launchers = {{"env"}, {ssh, "node{worker}"}};
  if (there_is("mpirun"))
    launchers.push_back({"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun", "-n", "1"});
  const Answers expected = answers_of(AdaptiveGrid<2>(pure_waves()));
  for (const auto& launcher : launchers) {
    CAPTURE(launcher.front(), launcher.back());
    WorkerOptions options = with_habit("it's \"so\" $HOME", 2);
    options.launcher = launcher;
    options.log = folder.path / "log";
    CHECK(answers_of(AdaptiveGrid<2>(Workers<2>(options))) == expected);
    CHECK_THAT(folder.read("log"), Catch::Contains("a simulator prints"));
    std::filesystem::remove(options.log);
  }
  CHECK_THAT(folder.read("hosts"), Catch::Contains("node0") && Catch::Contains("node1"));
}

TEST_CASE("many threads share the workers") {
  const Answers expected = answers_of(AdaptiveGrid<2>(pure_waves()));
  const Workers<2> workers(with_habit("", 3));
  const AdaptiveGrid<2> grid(workers);
  std::vector<std::jthread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      const Eigen::MatrixXd X = some_points();
      Eigen::VectorXd y;
      const GridView<2> view = grid.at_level(1);
      for (int m = 0; m < X.cols(); ++m) {
        const Eigen::Index at = (m * 7 + t * 11) % X.cols();
        view.evaluate(X.col(at), y);
        wrong += y != expected.Y.col(at);
      }
    });
  threads.clear();
  CHECK(wrong == 0);
  CHECK(grid.statistics().exact_evaluations == grid.statistics().corners);
}

TEST_CASE("a stop reaches workers at work, and loses nothing that was finished") {
  const Workers<2> workers(with_habit("hangs at (1, 1)"));
  const AdaptiveGrid<2> grid(workers);
  std::stop_source stop;
  std::size_t evaluated = 0;
  const Watch watch(stop.get_token(), [&](const Watch::Progress& progress) { evaluated = progress.evaluated; });
  const auto began = std::chrono::steady_clock::now();
  std::jthread impatient([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    stop.request_stop();
  });
  Eigen::VectorXd y;
  CHECK_THROWS_AS(grid.evaluate({0.5, 0.5}, y), Interrupted);
  CHECK(seconds_since(began) < 60);
  CHECK(evaluated == 3);
  CHECK(grid.statistics().corners == 3);
}

TEST_CASE("two workers halve the time of a function that takes its time") {
  const auto seconds_with = [](int count) {
    const AdaptiveGrid<2> grid{Workers<2>(with_habit("is slow", count))};
    const auto began = std::chrono::steady_clock::now();
    grid.prefetch(some_points());
    CHECK(grid.statistics().exact_evaluations > 50);
    return seconds_since(began);
  };
  CHECK(seconds_with(2) < 0.7 * seconds_with(1));
}
