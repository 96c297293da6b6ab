// SPDX-License-Identifier: BSD-3-Clause
// Files where nobody may write: closed ones, and ones that a killed process left with their log.
#include "quoin/storage/sample_file.hpp"
#include "quoin/storage/sqlite_storage.hpp"
#include "testing/small_disk.hpp"
#include "testing/storage_faults.hpp"

#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/exact_function.hpp"

#include <catch2/catch.hpp>

#include <sys/mount.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

using namespace quoin;
using namespace quoin::storage;

namespace {

constexpr int when_closed = 20, in_all = 35;  // numbers in the file; with those of the log
constexpr int left_out = 77;

enum class Left { closed, log_and_index, log, unreadable_log };

/// The file with the first numbers in it, and beside it what `left` says.
void leave(const std::filesystem::path& path, Left left) {
  fill(path, 0, when_closed);
  if (left == Left::closed) return;
  exit_status(in_child([&] {
    SampleFile file(path, header_of_samples());
    for (int k = when_closed; k < in_all; ++k) file.keep(sample_of(k));
    file.flush();
    return raise(SIGKILL);
  }));
  if (left != Left::log_and_index) std::filesystem::remove(path.string() + "-shm");
  if (left == Left::unreadable_log) chmod((path.string() + "-wal").c_str(), 0);
}

/// Nobody in particular from now on, where this is root, who may write everywhere.
void be_nobody() {
  constexpr uid_t nobody = 65534;
  if (geteuid() == 0 && setresuid(nobody, nobody, nobody) != 0) throw std::runtime_error("root cannot be another");
}

/// What to open it for writing is refused with.
std::string refusal_to_write(const std::filesystem::path& path) {
  try {
    SampleFile file(path, header_of_samples());
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// 0 if all that can be read is read and told.
int reads(const std::filesystem::path& path, Left left, const std::string& why_not_written) {
  const int count = left == Left::log || left == Left::log_and_index ? in_all : when_closed;
  SampleFile file(path);
  bool right = false;
  for (int k = 0; k < count; ++k)
    if (!has(file, k, right) || !right) return 1;
  if (has(file, count, right)) return 2;
  const FileStatus status = file.status();
  if (status.samples != static_cast<std::size_t>(count) || status.damaged != 0) return 3;
  if (status.note.empty() != (left == Left::closed)) return 4;
  if (status.error.empty() != (left != Left::unreadable_log)) return 5;
  if (read_samples<2>(path).size() != count) return 6;

  GridOptions<2> options;
  options.spacing = {1, 0.5};
  options.storage = std::make_shared<SqliteStorage<2>>(path, "numbers 0", FileOptions{.read_only = true});
  const AdaptiveGrid<2> grid(exact_function<2>(3,
                                               [](const Point<2>&, auto y, auto J) {
                                                 y.setZero();
                                                 J.setZero();
                                               }),
                             options);
  Eigen::VectorXd y;
  grid.evaluate({8, 4}, y);  // a corner, number 8; number 9 is one of its cell
  if (grid.statistics().from_storage != 2 || y != sample_of(8).jet.col(0)) return 7;

  const std::string words = refusal_to_write(path);
  if (words.find(path.string()) == words.npos || words.find(why_not_written) == words.npos) return 8;
  if (words.find("read_only") == words.npos) return 9;
  const int verified = left == Left::unreadable_log ? 1 : 0;
  const auto program = [&](std::initializer_list<std::string> arguments) {
    std::string command = QUOIN_STORE_PROGRAM;
    for (const std::string& argument : arguments) command.append(" '").append(argument).append("'");
    return WEXITSTATUS(std::system(command.append(" >/dev/null 2>&1").c_str()));
  };
  if (access(QUOIN_STORE_PROGRAM, X_OK) != 0) return 0;  // built where nobody else may look
  if (program({"verify", path}) != verified) return 10;
  if (program({"info", path}) != 0) return 11;
  const TemporaryFolder other(memory_or_disk());
  if (program({"export", path, other / "arrays"}) != 0) return 12;
  if (program({"merge", other / "all.quoin", path}) != 0) return 13;
  return SampleFile(other / "all.quoin").status().samples == static_cast<std::size_t>(count) ? 0 : 14;
}

}  // namespace

TEST_CASE("a file in a folder where nobody may write is read with all that was left there, or that is told") {
  for (const auto left : {Left::closed, Left::log_and_index, Left::log, Left::unreadable_log})
    for (const mode_t mode : {0444, 0666}) {
      INFO("left " << static_cast<int>(left) << ", mode " << mode);
      const TemporaryFolder folder(memory_or_disk());
      const auto within = folder / "folder", path = within / "a file?%41#.quoin";
      std::filesystem::create_directory(within);
      chmod((folder / "").c_str(), 0755);
      leave(path, left);
      chmod(path.c_str(), mode);
      chmod(within.c_str(), 0555);
      const std::string why = mode == 0444 ? "for reading alone" : "cannot be written to";
      CHECK(exit_status(in_child([&] {
              be_nobody();
              return reads(path, left, why);
            })) == 0);
      chmod(within.c_str(), 0755);
      CHECK(std::distance(std::filesystem::directory_iterator(within), {}) == (left == Left::closed          ? 1
                                                                               : left == Left::log_and_index ? 3
                                                                                                             : 2));
    }
}

TEST_CASE("who reads a closed file leaves nothing beside it, which would be the reader's and keep the owner out") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "closed.quoin";
  fill(path, 0, when_closed);
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder / ""), {}); };
  {
    SampleFile file(path);
    CHECK(file.status().samples == when_closed);
    CHECK(files() == 1);
    fill(path, when_closed, in_all);  // an owner that writes meanwhile
    CHECK(file.status().samples == in_all);
  }
  CHECK(files() == 1);
}

TEST_CASE("a file on a disk that is mounted for reading is read, by root too") {
  for (const auto left : {Left::closed, Left::log_and_index, Left::log}) {
    INFO("left " << static_cast<int>(left));
    const TemporaryFolder folder(memory_or_disk());
    const auto disk = folder / "disk", path = disk / "file.quoin";
    std::filesystem::create_directory(disk);
    const int status = exit_status(in_child([&] {
      if (!mount_small_disk(disk, 1024)) return left_out;
      leave(path, left);
      if (mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return left_out;
      return reads(path, left, "for reading alone");
    }));
    if (status == left_out)
      WARN("left out: the system lets this user mount no tmpfs");
    else
      CHECK(status == 0);
  }
}

TEST_CASE("who reads where he may not write sees what the owner writes meanwhile") {
  if (geteuid() != 0) {
    WARN("left out: only root is an owner who writes where others may not");
    return;
  }
  for (const bool owner_is_first : {false, true}) {
    INFO("owner is first: " << owner_is_first);
    const TemporaryFolder folder(memory_or_disk());
    const auto path = folder / "owned.quoin";
    chmod((folder / "").c_str(), 0755);
    fill(path, 0, when_closed);
    std::optional<SampleFile> owner;
    if (owner_is_first) owner.emplace(path, header_of_samples());
    int ready[2], go_on[2];
    REQUIRE((pipe(ready) == 0 && pipe(go_on) == 0));
    const pid_t child = in_child([&] {
      alarm(20);
      owner.reset();  // the child's own, which a child of another user could not write with
      be_nobody();
      SampleFile file(path);
      bool right = false;
      char word = 'a';
      for (int written = when_closed; written <= in_all; written += (in_all - when_closed) / 3) {
        for (int k = 0; k < in_all; ++k)
          if (has(file, k, right) != (k < written) || !right) return 1;
        if (!file.status().error.empty()) return 2;
        if (write(ready[1], &word, 1) != 1 || read(go_on[0], &word, 1) != 1) return 3;
      }
      return 0;
    });
    char word = 'b';
    for (int k = when_closed; k <= in_all; k += (in_all - when_closed) / 3) {
      REQUIRE(read(ready[0], &word, 1) == 1);
      if (k < in_all) fill(path, k, k + (in_all - when_closed) / 3);
      REQUIRE(write(go_on[1], &word, 1) == 1);
    }
    CHECK(exit_status(child) == 0);
    for (const int end : {ready[0], ready[1], go_on[0], go_on[1]}) close(end);
  }
}
