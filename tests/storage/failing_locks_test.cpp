// SPDX-License-Identifier: BSD-3-Clause
// File systems whose locks fail or are slow, in place of which this program stands between the library and the system;
// and names that are no file's.
#include "quoin/storage/sample_file.hpp"
#include "quoin/storage/sqlite_storage.hpp"
#include "testing/storage_faults.hpp"

#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/exact_function.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

namespace {

std::atomic<int> error_of_sqlites{0}, error_of_our_own{0}, milliseconds_of_a_lock{0};

int with_faults(int file, int command, void* argument) {
  const bool sqlites = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  const bool our_own = command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
  if (sqlites || our_own) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_of_a_lock));
    if (const int error = sqlites ? error_of_sqlites : error_of_our_own; error != 0) {
      errno = error;
      return -1;
    }
  }
  return static_cast<int>(syscall(SYS_fcntl, file, command, argument));
}

}  // namespace

extern "C" {
int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return with_faults(file, command, argument);
}
int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return with_faults(file, command, argument);
}
}

using namespace quoin::storage;

namespace {

/// What opening the file is refused with, and that it is refused soon; empty if it is not.
std::string refusal_at_opening(const std::filesystem::path& path) {
  const auto start = std::chrono::steady_clock::now();
  std::string words;
  try {
    SampleFile file(path, header_of_samples());
  } catch (const std::exception& error) {
    words = error.what();
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  return words;
}

}  // namespace

TEST_CASE("where locks fail or are slow, a file is refused within 5 s, with what to use instead") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "far.quoin";
  const struct Reset {
    ~Reset() { error_of_sqlites = error_of_our_own = milliseconds_of_a_lock = 0; }
  } reset;
  for (const bool there : {false, true}) {
    if (there) fill(path, 0, 10);
    for (const int error : {ENOLCK, EOPNOTSUPP, EIO, ENOSYS})
      for (const int whose : {0, 1, 2}) {
        error_of_sqlites = whose != 1 ? error : 0;
        error_of_our_own = whose != 0 ? error : 0;
        CHECK_THAT(refusal_at_opening(path), Catch::Contains(path.string()) && Catch::Contains("no locks") &&
                                                 Catch::Contains("a disk of this machine"));
      }
    error_of_sqlites = error_of_our_own = 0;
  }
  for (const int milliseconds : {60, 2000}) {
    milliseconds_of_a_lock = milliseconds;
    CHECK_THAT(refusal_at_opening(path), Catch::Contains(path.string()) &&
                                             Catch::Contains("a lock of its file system takes") &&
                                             Catch::Contains("a disk of this machine"));
  }
  milliseconds_of_a_lock = 10;
  CHECK(refusal_at_opening(path).empty());
  milliseconds_of_a_lock = 0;
  error_of_our_own = EINVAL;  // a system that knows no such locks has SQLite's
  fill(path, 10, 20);
  CHECK(SampleFile(path).status().samples == 20);
}

TEST_CASE("every name is the file that it says, or is refused with the name") {
  const TemporaryFolder folder(memory_or_disk());
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  const struct Back {
    std::filesystem::path to;
    ~Back() { std::filesystem::current_path(to); }
  } back{before};
  for (const char* name :
       {":memory:", "file:uri.quoin", "file:mode.quoin?mode=memory", "with space", "percent%00.quoin",
        "question?mark=1", "hash#", "./dot/../here.quoin", "\xff\xfe not UTF-8", "-option"}) {
    INFO(name);
    std::filesystem::create_directory("dot");
    fill(name, 0, 10);
    REQUIRE(std::filesystem::is_regular_file(name));
    CHECK(SampleFile(name).status().samples == 10);
    CHECK(SampleFile(std::filesystem::absolute(name)).status().samples == 10);
    std::filesystem::remove(name);
  }
  std::filesystem::create_symlink("target.quoin", "link");
  std::filesystem::create_symlink("link", "link to link");
  fill("link to link", 0, 10);
  CHECK(SampleFile("target.quoin").status().samples == 10);
  CHECK(std::filesystem::is_symlink("link"));
  fill("link", 10, 20);
  CHECK(SampleFile("link to link").status().samples == 20);
  std::filesystem::create_symlink("loop", "loop");
  CHECK(mkfifo("pipe", 0600) == 0);
  for (const std::string& name :
       {std::string(), std::string("nul\0behind", 10), std::string(5000, 'a'), "/" + std::string(4000, '/') + "tmp/x",
        std::string(300, 'b'), std::string("dot"), std::string("dot/"), std::string("no/folder"), std::string("loop"),
        std::string("pipe"), std::string("/dev/null"), std::string("/dev/full"), std::string("link/under a file")}) {
    INFO("'" << name << "'");
    const auto said = name.substr(0, name.find('\0'));
    CHECK_THAT(refusal_at_opening(name), Catch::Contains(said) && !Catch::Contains("damaged"));
    CHECK_FALSE(refusal_at_opening(name).empty());
    CHECK_THROWS(SampleFile(name));
  }
  std::string deep = ".";
  for (int i = 0; i < 4; ++i) std::filesystem::create_directory(deep += "/" + std::string(200, 'd'));
  CHECK_THAT(refusal_at_opening(deep + "/x"), Catch::Contains("characters, SQLite takes"));
  CHECK_FALSE(std::filesystem::exists(deep + "/x"));
}

TEST_CASE("a storage is the file that its name meant when it was made, and is refused before f is called") {
  const TemporaryFolder folder(memory_or_disk());
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  quoin::GridOptions<1> options;
  options.storage = std::make_shared<SqliteStorage<1>>("here.quoin", "f");
  std::filesystem::current_path(before);
  int calls = 0;
  const auto with_outputs = [&](Eigen::Index outputs) {
    return quoin::exact_function<1>(outputs, [&calls](const quoin::Point<1>&, auto y, auto J) {
      ++calls;
      y.setZero();
      J.setZero();
    });
  };
  const quoin::AdaptiveGrid<1> grid(with_outputs(1), options);
  CHECK(std::filesystem::exists(folder / "here.quoin"));
  options.storage = std::make_shared<SqliteStorage<1>>(folder / "no" / "folder.quoin", "f");
  CHECK_THROWS_WITH(quoin::AdaptiveGrid<1>(with_outputs(1), options),
                    Catch::Contains("folder.quoin: cannot be opened"));

  // With their derivatives, 62.5 million outputs are a billion bytes.
  options.storage = std::make_shared<SqliteStorage<1>>(folder / "large.quoin", "f");
  CHECK_THROWS_WITH(quoin::AdaptiveGrid<1>(with_outputs(62'500'000), options),
                    Catch::Contains("large.quoin") && Catch::Contains("62500000 outputs") &&
                        Catch::Contains("2 derivatives") && Catch::Contains("124900000 numbers"));
  CHECK(calls == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "large.quoin"));
}
