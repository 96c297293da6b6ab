// SPDX-License-Identifier: BSD-3-Clause
// Processes that share a file, and read, rename, delete and replace it while it is open: sequences of events, drawn, 12
// of them or as many as the environment's QUOIN_DRAWS says, from the seed QUOIN_SEED on.
#include "quoin/storage/sample_file.hpp"
#include "testing/drawn.hpp"
#include "testing/storage_faults.hpp"

#include <catch2/catch.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

using namespace quoin::storage;
using quoin::test::draws_wanted;
using quoin::test::seed_wanted;

namespace {

constexpr std::array<const char*, 3> ends{"", "-wal", "-shm"};

/// What the processes of a sequence have done.
struct Shared {
  static constexpr int processes = 3, numbers = 600;  // of each process
  std::atomic<bool> written[processes][numbers];
  std::atomic<int> wrong;
};

/// One of them: gives its numbers to the file, reads them back, reads its own open file as a file, closes it, opens it
/// again. It ends by itself, or killed.
int take_part(Shared& shared, int which, const std::filesystem::path& path, unsigned seed) {
  alarm(60);
  std::mt19937 random(seed);
  std::optional<SampleFile> file(std::in_place, path, header_of_samples(), FileOptions{.write_every = 0.001});
  const auto number = [&](int k) { return Shared::processes * k + which; };
  // All the time: any descriptor of these files that is closed drops SQLite's locks.
  const std::jthread reads_as_files([&](const std::stop_token& stop) {
    for (unsigned round = 0; !stop.stop_requested(); ++round) bytes_of(path.string() + ends[round % 3]);
  });
  for (int k = 0; k < Shared::numbers;) {
    const int before = k, wanted = 1 + static_cast<int>(random() % 40);
    for (; k < std::min(before + wanted, Shared::numbers); ++k) file->keep(sample_of(number(k)));
    switch (random() % 4) {
      case 0:  // closed, by which all is written
        file.reset();
        file.emplace(path, header_of_samples(), FileOptions{.write_every = 0.001});
        break;
      case 1: std::this_thread::sleep_for(std::chrono::milliseconds(random() % 10)); [[fallthrough]];
      default: file->flush();
    }
    for (int i = before; i < k; ++i) shared.written[which][i] = true;
    const int old = static_cast<int>(random() % static_cast<unsigned>(k));
    bool right = true;
    if (!has(*file, number(old), right) || !right) ++shared.wrong;
    if (!file->status().error.empty()) {
      std::fprintf(stderr, "process %d: %s\n", which, file->status().error.c_str());
      ++shared.wrong;
    }
    if (which == 2 && random() % 30 == 0) raise(SIGKILL);
  }
  return 0;
}

}  // namespace

TEST_CASE("processes that read their own open file as a file, close it and are killed lose nothing that was written") {
  const int sequences = draws_wanted(12), first = static_cast<int>(seed_wanted());
  for (int seed = first; seed < first + sequences; ++seed) {
    INFO("QUOIN_SEED=" << seed);
    const TemporaryFolder folder(memory_or_disk());
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    Shared& shared = *new (memory) Shared{};
    std::array<pid_t, Shared::processes> children{};
    for (int which = 0; which < Shared::processes; ++which)
      children[static_cast<std::size_t>(which)] = in_child([&] {
        return take_part(shared, which, folder / "shared.quoin",
                         static_cast<unsigned>(Shared::processes * seed + which));
      });
    for (const pid_t child : children) {
      const int status = exit_status(child);
      CHECK((status == 0 || (status == -SIGKILL && child == children[2])));
    }
    CHECK(shared.wrong == 0);
    SampleFile file(folder / "shared.quoin", header_of_samples());
    int lost = 0;
    for (int which = 0; which < Shared::processes; ++which)
      for (int k = 0; k < Shared::numbers; ++k) {
        bool right = true;
        lost += shared.written[which][k] && !(has(file, Shared::processes * k + which, right) && right);
      }
    CHECK(lost == 0);
    CHECK(file.status().damaged == 0);
    munmap(memory, sizeof(Shared));
  }
}

TEST_CASE(
    "a file that is renamed, deleted or replaced while it is open is told at the next write, and nothing is lost") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "open.quoin", away = folder / "away";
  const auto told = [&](SampleFile& file, int k, const std::string& what) {
    file.keep(sample_of(k));
    CHECK_THROWS_WITH(file.flush(), Catch::Contains(path.string()) && Catch::Contains(what) &&
                                        Catch::Contains("1 samples are not written"));
    CHECK(file.status().unwritten == 1);
    CHECK(file.status().error.find(what) != std::string::npos);
    bool right = false;
    CHECK((has(file, k, right) && right));
  };
  {
    SampleFile file(path, header_of_samples());
    file.keep(sample_of(0));
    file.flush();
    std::filesystem::rename(path, away);
    told(file, 1, "renamed, deleted or replaced");
    std::ofstream(path) << "something else";
    CHECK_THROWS_WITH(file.flush(), Catch::Contains("renamed, deleted or replaced"));
    std::filesystem::rename(away, path);
    file.flush();
    CHECK(file.status().samples == 2);
    std::filesystem::rename(path.string() + "-wal", away);
    told(file, 2, "-wal was deleted");
    std::filesystem::rename(away, path.string() + "-wal");
    file.flush();
    std::filesystem::rename(path, away);
    std::filesystem::create_symlink(away, path);  // the same file under another name
    file.keep(sample_of(3));
    file.flush();
    std::filesystem::remove(path);
    std::filesystem::rename(away, path);
  }
  fill(path, 4, 10);
  SampleFile file(path, header_of_samples());
  CHECK(file.status().samples == 10);
  std::filesystem::remove(path);
  told(file, 10, "renamed, deleted or replaced");
  bool right = false;
  for (int k = 0; k < 10; ++k) CHECK((has(file, k, right) && right));
}
