// SPDX-License-Identifier: BSD-3-Clause
// Processes that divide while they have a file open: sequences of events, drawn, 15 of them or as many as the
// environment's QUOIN_DRAWS says, from the seed QUOIN_SEED on.
#include "quoin/storage/sample_file.hpp"
#include "quoin/storage/sqlite_storage.hpp"
#include "testing/drawn.hpp"
#include "testing/storage_faults.hpp"

#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/exact_function.hpp"

#include <catch2/catch.hpp>

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace quoin;
using namespace quoin::storage;
using quoin::test::draws_wanted;
using quoin::test::seed_wanted;

namespace {

/// Where it is false, other threads at a fork leave the sanitizer's own memory locked for ever in the child.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool others_may_allocate = false;
#else
constexpr bool others_may_allocate = true;
#endif

/// What all processes of a sequence know of each number.
struct Model {
  static constexpr int numbers = 4000;
  std::array<std::atomic<bool>, numbers> given, promised;  // to keep(); that it is in the file
  std::atomic<int> next, wrong, forks;

  static Model& shared() {
    void* const memory = mmap(nullptr, sizeof(Model), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return *new (memory) Model{};
  }
  void check(bool holds, const char* what) {
    if (holds) return;
    ++wrong;
    std::fprintf(stderr, "process %d: %s\n", getpid(), what);
  }
};

enum class End { at_once, exit, destroy, flush, kill, exec, count };

/// One process of a sequence. What goes wrong is counted in the model.
class Process {
 public:
  Process(Model& model, std::filesystem::path path, unsigned seed)
      : model_(model), path_(std::move(path)), random_(seed), file_(std::in_place, path_, header_of_samples()) {}

  void run(int events, int depth) {
    std::optional<std::jthread> other;
    for (int event = 0; event < events; ++event) {
      switch (random_() % 10) {
        case 0:
        case 1:
        case 2: keep(); break;
        case 3: flush(); break;
        case 4:
        case 5: find(); break;
        case 6: model_.check(file_->status().damaged == 0, "rows are damaged"); break;
        case 7: read_as_a_file(); break;
        case 8:
          if (others_may_allocate && !other && depth == 0)
            other.emplace([this](const std::stop_token& stop) { disturb(stop); });
          break;
        default:
          if (depth < 3) divide(depth);
      }
    }
  }
  void end() { file_.reset(); }
  void flush() {
    file_->flush();
    for (int k = 0; k < Model::numbers; ++k)
      if (own_[k]) model_.promised[k] = true;
  }

 private:
  void keep() {
    const int k = model_.next++;
    if (k >= Model::numbers) return;
    model_.given[k] = true;
    file_->keep(sample_of(k));
    own_[k] = true;
    if (forked_) model_.promised[k] = true;
  }
  void find() {
    const int k = static_cast<int>(random_() % Model::numbers);
    const bool must = model_.promised[k] || own_[k], may = model_.given[k];
    bool right = true;
    const bool found = has(*file_, k, right);
    model_.check(right, "another sample was answered");
    model_.check(found || !must, "a sample is missing");
    model_.check(may || !found || model_.given[k], "a sample that nobody gave");
  }
  void read_as_a_file() {
    for (const char* end : {"", "-wal", "-shm"}) bytes_of(path_.string() + end);
  }
  void disturb(const std::stop_token& stop) {
    const double x[] = {-5, -5}, within[] = {0.1, 0.1};
    for (StoredSample sample; !stop.stop_requested();) {
      model_.check(!file_->find(x, within, 1, sample), "a sample that nobody gave");
      file_->flush();
    }
  }

  void divide(int depth) {
    ++model_.forks;
    const auto seed = static_cast<unsigned>(random_());
    const auto how = static_cast<End>(random_() % static_cast<unsigned>(End::count));
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // for one that hangs
      random_.seed(seed);
      own_ = {};
      forked_ = true;
      run(static_cast<int>(random_() % 20), depth + 1);
      end_child(how);
    }
    if (random_() % 2) run(static_cast<int>(random_() % 6), 3);
    const int status = exit_status(child), wanted = how == End::kill ? -SIGKILL : 0;
    const std::string ended = "a child ended with " + std::to_string(status) + ", not " + std::to_string(wanted);
    model_.check(status == wanted, ended.c_str());
  }
  [[noreturn]] void end_child(End how) {
    if (how == End::flush) flush();
    if (how == End::destroy) end();
    if (how == End::kill) raise(SIGKILL);
    if (how == End::exit) std::exit(0);
    if (how == End::exec) execl("/bin/true", "true", nullptr);
    _exit(0);
  }

  Model& model_;
  std::filesystem::path path_;
  std::mt19937 random_;
  std::array<bool, Model::numbers> own_{};
  bool forked_ = false;
  std::optional<SampleFile> file_;
};

auto product(FunctionTraits traits = {}) {
  return exact_function<2>(
      1,
      [](const Point<2>& x, auto y, auto J) {
        y[0] = x[0] * x[1];
        J << x[1], x[0];
      },
      traits);
}
bool right(const AdaptiveGrid<2>& grid, const Point<2>& x) {
  Eigen::VectorXd y;
  grid.evaluate(x, y);
  return std::abs(y[0] - x[0] * x[1]) < 1e-12;
}
Point<2> somewhere(std::mt19937& random) {
  std::uniform_real_distribution<double> place(-2, 2);
  return {place(random), place(random)};
}

}  // namespace

TEST_CASE("processes that fork with a file, and end in any way, have every answer right and leave the file whole") {
  const int sequences = draws_wanted(15), first = static_cast<int>(seed_wanted());
  int forks = 0;
  for (int seed = first; seed < first + sequences; ++seed) {
    INFO("QUOIN_SEED=" << seed);
    const TemporaryFolder folder(memory_or_disk());
    Model& model = Model::shared();
    std::fflush(nullptr);  // children that exit would print it again
    const int status = exit_status(in_child([&] {
      alarm(60);
      Process process(model, folder / "forked.quoin", static_cast<unsigned>(seed));
      process.run(40, 0);
      process.flush();
      process.end();
      return 0;
    }));
    CHECK(status == 0);
    CHECK(model.wrong == 0);
    SampleFile file(folder / "forked.quoin");
    int lost = 0, foreign = 0;
    for (int k = 0; k < model.next; ++k) {
      bool right = true;
      const bool there = has(file, k, right);
      lost += model.promised[k] && !there;
      foreign += !right || (there && !model.given[k]);
    }
    CHECK(lost == 0);
    CHECK(foreign == 0);
    CHECK(file.status().damaged == 0);
    CHECK(file.status().error.empty());
    forks += model.forks;
    munmap(&model, sizeof(Model));
  }
  CHECK(forks > 2 * sequences);
}

TEST_CASE("a file is in one piece when its programs have ended, also one that was not used behind a fork") {
  const TemporaryFolder folder(memory_or_disk());
  for (const bool child_uses_it : {false, true})
    for (const bool parent_uses_it : {false, true}) {
      CAPTURE(child_uses_it, parent_uses_it);
      const std::filesystem::path path =
          folder / (std::to_string(child_uses_it) + std::to_string(parent_uses_it) + ".quoin");
      {
        SampleFile file(path, header_of_samples());
        for (int k = 0; k < 30; ++k) file.keep(sample_of(k));
        file.flush();
        const pid_t child = in_child([&] {
          bool right = true;
          return !child_uses_it || has(file, 3, right) ? 0 : 1;
        });
        CHECK(exit_status(child) == 0);
        bool right = false;
        if (parent_uses_it) CHECK((has(file, 5, right) && right));
      }
      CHECK_FALSE(std::filesystem::exists(path.string() + "-wal"));
      CHECK_FALSE(std::filesystem::exists(path.string() + "-shm"));
      const std::filesystem::path copy = folder / "copy.quoin";
      std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
      CHECK(read_samples<2>(copy).size() == 30);
    }
}

TEST_CASE("parent and child go on with a grid over a file: every answer is right, and in the file") {
  const TemporaryFolder folder(memory_or_disk());
  for (const bool durable : {false, true}) {
    const auto path = folder / (durable ? "durable.quoin" : "grid.quoin");
    {
      GridOptions<2> options;
      options.spacing = {0.1, 0.1};
      options.memory_budget = 1;
      options.storage = std::make_shared<SqliteStorage<2>>(path, "product", FileOptions{.durable = durable});
      const AdaptiveGrid<2> grid(product(), options);
      CHECK(right(grid, {0.15, 0.15}));
      const pid_t child = in_child([&] {
        alarm(20);
        return right(grid, {0.85, 0.85}) && right(grid, {0.15, 0.15}) && right(grid, {0.55, 0.85}) ? 0 : 1;
      });
      CHECK(right(grid, {0.55, 0.55}));
      CHECK(exit_status(child) == 0);
      CHECK(right(grid, {0.85, 0.85}));
    }
    CHECK(read_samples<2>(path).size() == 16);
  }
}

TEST_CASE("a process forks while its threads query a grid over a file: every answer is right in all of them") {
  if (!others_may_allocate) return;
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "busy.quoin";
  const int status = exit_status(in_child([&] {
    alarm(60);
    GridOptions<2> options;
    options.spacing = {0.1, 0.1};
    options.memory_budget = 20'000;
    options.storage = std::make_shared<SqliteStorage<2>>(path, "product");
    const AdaptiveGrid<2> grid(product({.concurrent = true}), options, Threads(2));
    std::atomic<int> wrong{0};
    {
      std::vector<std::jthread> threads;
      for (unsigned t = 0; t < 3; ++t)
        threads.emplace_back([&, t](const std::stop_token& stop) {
          std::mt19937 random(t);
          while (!stop.stop_requested()) wrong += !right(grid, somewhere(random));
        });
      std::mt19937 random(9);
      for (int k = 0; k < 20; ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const pid_t child = in_child([&] {
          alarm(20);
          for (int i = 0; i < 20; ++i)
            if (!right(grid, somewhere(random))) return 1;
          return 0;
        });
        wrong += exit_status(child) != 0;
      }
    }
    return wrong == 0 ? 0 : 1;
  }));
  CHECK(status == 0);
  const auto samples = read_samples<2>(path);
  CHECK(samples.size() > 100);
  for (Eigen::Index m = 0; m < samples.size(); ++m)
    CHECK(samples.jet(m)(0, 0) == samples.point(m)[0] * samples.point(m)[1]);
}

TEST_CASE("a file that is gone behind a fork is told, and what was given to it waits for its return") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "gone.quoin", elsewhere = folder / "elsewhere.quoin";
  SampleFile file(path, header_of_samples());
  file.keep(sample_of(0));
  file.flush();
  CHECK(exit_status(in_child([&] { return file.status().samples == 1 ? 0 : 1; })) == 0);
  for (const char* end : {"", "-wal", "-shm"})
    if (std::filesystem::exists(path.string() + end))
      std::filesystem::rename(path.string() + end, elsewhere.string() + end);
  file.keep(sample_of(1));
  CHECK_THROWS_WITH(file.flush(), Catch::Contains("gone.quoin") && Catch::Contains("1 samples are not written"));
  CHECK_FALSE(std::filesystem::exists(path));
  bool right = false;
  CHECK((has(file, 1, right) && right));
  for (const char* end : {"", "-wal", "-shm"})
    if (std::filesystem::exists(elsewhere.string() + end))
      std::filesystem::rename(elsewhere.string() + end, path.string() + end);
  file.flush();
  CHECK(file.status().samples == 2);
}
