// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/storage/sample_file.hpp"
#include "testing/small_disk.hpp"
#include "testing/storage_faults.hpp"

#include <catch2/catch.hpp>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

using namespace quoin::storage;

namespace {

constexpr int no_small_disk = 77;

/// Runs work in a child that has a disk of 1 MB at the folder, 600 kB of which the file `ballast` takes. False, with a
/// message, where there is none; `status` becomes what work returns.
bool on_small_disk(const std::filesystem::path& folder, const std::function<int()>& work, int& status) {
  std::filesystem::create_directories(folder);
  status = exit_status(in_child([&] {
    if (!mount_small_disk(folder, 1024)) return no_small_disk;
    std::ofstream(folder / "ballast") << std::string(600'000, 'b');
    return work();
  }));
  if (status == no_small_disk) WARN("left out: the system lets this user mount no tmpfs");
  return status != no_small_disk;
}

/// Gives numbers 0, 1, ... to the file until it is full; returns how many of them are in it for sure.
int fill_up(SampleFile& file) {
  for (int k = 0;; ++k) {
    file.keep(sample_of(k));
    if (k % 50 != 49) continue;
    try {
      file.flush();
    } catch (const std::runtime_error&) {
      return k - 49;
    }
    if (k > 100'000) throw std::logic_error("it is never full");
  }
}

bool has_all(SampleFile& file, int count) {
  bool right = false;
  for (int k = 0; k < count; ++k)
    if (!has(file, k, right) || !right) return false;
  return true;
}

}  // namespace

TEST_CASE("a full disk costs no answer: samples wait in memory, and are written when there is room") {
  const TemporaryFolder folder;
  const auto path = folder / "full.quoin";
  CHECK(exit_status(in_child([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          SampleFile file(path, header_of_samples());
          file.flush();
          rlimit limit{};
          getrlimit(RLIMIT_FSIZE, &limit);
          const rlim_t enough = limit.rlim_cur;
          limit.rlim_cur = 100'000;
          setrlimit(RLIMIT_FSIZE, &limit);
          bool refused = false;
          for (int k = 0; k < 2000; ++k) file.keep(sample_of(k));
          try {
            file.flush();
          } catch (const std::runtime_error&) {
            refused = true;
          }
          if (!refused) return 1;
          const FileStatus status = file.status();
          if (status.unwritten == 0 || status.error.empty()) return 2;
          bool right = false;
          for (int k = 0; k < 2000; ++k)
            if (!has(file, k, right) || !right) return 3;
          limit.rlim_cur = enough;
          setrlimit(RLIMIT_FSIZE, &limit);
          file.flush();
          return file.status().unwritten == 0 && file.status().samples == 2000 ? 0 : 4;
        })) == 0);
  SampleFile file(path, header_of_samples());
  CHECK(file.status().samples == 2000);
}

TEST_CASE(
    "on a small disk that is full, nothing is lost, readers read on, and what waits is written when there is room") {
  const TemporaryFolder folder;
  const auto disk = folder / "disk", path = disk / "full.quoin";
  int status = 0;
  const auto work = [&] {
    SampleFile file(path, header_of_samples());
    const int written = fill_up(file), given = written + 500;
    if (written < 100) return 1;
    for (int k = written + 50; k < given; ++k) file.keep(sample_of(k));
    if (file.status().unwritten < 450 || file.status().error.find("full") == std::string::npos) return 2;
    if (!has_all(file, given)) return 3;
    SampleFile reader(path);
    if (!has_all(reader, written)) return 4;
    std::filesystem::remove(disk / "ballast");
    file.flush();
    return file.status().unwritten == 0 && file.status().error.empty() && has_all(reader, given) ? 0 : 5;
  };
  if (on_small_disk(disk, work, status)) CHECK(status == 0);
}

TEST_CASE("killed while the disk is full, a file has all that was written, and goes on when there is room") {
  const TemporaryFolder folder;
  const auto disk = folder / "disk", path = disk / "full.quoin";
  int status = 0;
  const auto work = [&] {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    const pid_t child = in_child([&] {
      SampleFile file(path, header_of_samples());
      const int written = fill_up(file);
      if (write(ends[1], &written, sizeof written) < 0) return 1;
      for (;;) pause();
    });
    int written = 0;
    if (read(ends[0], &written, sizeof written) != sizeof written || written < 100) return 2;
    kill(child, SIGKILL);
    exit_status(child);
    try {
      SampleFile file(path, header_of_samples());  // on the full disk: it opens, or says why not
      if (!has_all(file, written)) return 3;
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()).find("damaged") != std::string::npos) return 4;
    }
    std::filesystem::remove(disk / "ballast");
    SampleFile file(path, header_of_samples());
    if (!has_all(file, written)) return 5;
    for (int k = written; k < written + 500; ++k) file.keep(sample_of(k));
    file.flush();
    return has_all(file, written + 500) && file.status().damaged == 0 ? 0 : 6;
  };
  if (on_small_disk(disk, work, status)) CHECK(status == 0);
}

TEST_CASE("a file that is to be made on a full disk is refused in the words of the disk") {
  const TemporaryFolder folder;
  const auto disk = folder / "disk";
  int status = 0;
  const auto work = [&] {
    std::ofstream(disk / "more") << std::string(1'000'000, 'b');
    try {
      SampleFile(disk / "new.quoin", header_of_samples());
    } catch (const std::runtime_error& error) {
      const std::string why = error.what();
      return why.find("damaged") == std::string::npos && why.find("new.quoin: ") != std::string::npos ? 0 : 1;
    }
    return 2;
  };
  if (on_small_disk(disk, work, status)) CHECK(status == 0);
}
