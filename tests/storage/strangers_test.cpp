// SPDX-License-Identifier: BSD-3-Clause
// What other names and other programs do to a file of samples: names that SQLite makes beside another file, second
// names of an open file, and files that are cut short while they are open; drawn, 24 of them or as many as the
// environment's QUOIN_DRAWS says, from the seed QUOIN_SEED on.
#include "quoin/storage/sample_file.hpp"
#include "quoin/storage/sqlite_storage.hpp"
#include "storage/database.hpp"
#include "testing/drawn.hpp"
#include "testing/storage_faults.hpp"

#include <catch2/catch.hpp>

#include <sqlite3.h>
#include <algorithm>
#include <array>

#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

using namespace quoin::storage;
using quoin::test::draws_wanted;
using quoin::test::seed_wanted;

namespace {

constexpr std::array<const char*, 3> made_beside{"-wal", "-shm", "-journal"};

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder / ""), {}));
}

/// What was thrown, or "".
template <class Call>
std::string words_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// That the words have all of these; a matcher of several that outlives its line has lost them.
void check_told(const std::string& words, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) CHECK_THAT(words, Catch::Contains(part));
}

/// How many of the numbers first, ..., last - 1 are in the file for who opens it now; none is another's.
int found(const std::filesystem::path& path, int first, int last) {
  SampleFile file(path);
  int count = 0;
  for (int k = first; k < last; ++k) {
    bool right = true;
    count += has(file, k, right);
    if (!right) FAIL_CHECK("another sample was answered for number " << k);
  }
  return count;
}

}  // namespace

TEST_CASE("a name that SQLite gives to what it makes beside another file is refused for a store, before it is made") {
  for (const std::string base : {"a.quoin", "b", ".c", "d-wal"})
    for (const std::string end : made_beside) {
      CAPTURE(base, end);
      const TemporaryFolder folder(memory_or_disk());
      const auto path = folder / (base + end), link = folder / "link.quoin";
      std::filesystem::create_symlink(path, link);
      std::filesystem::create_symlink("link.quoin", folder / "link to link");
      for (const auto& name : {path, link, folder / "link to link"}) {
        for (const std::string& words : {words_of([&] { SampleFile(name, header_of_samples()); }),
                                         words_of([&] { SqliteStorage<2>(name, "numbers 0"); })})
          check_told(words, {name.string(), end, "another name"});
        CHECK_THROWS_AS(SampleFile(name, header_of_samples()), std::invalid_argument);
      }
      CHECK(files_in(folder) == 2);
      fill(folder / "whole", 0, 10);
      std::filesystem::rename(folder / "whole", path);
      CHECK(found(path, 0, 10) == 10);  // to read it alone makes nothing beside it
      CHECK(files_in(folder) == 3);
      std::filesystem::create_symlink("whole", folder / ("name" + end));
      CHECK_THROWS_AS(SampleFile(folder / ("name" + end), header_of_samples()), std::invalid_argument);
    }
}

TEST_CASE("a database that lies where SQLite would take it for its own is never lost by the file beside it") {
  for (const std::string end : made_beside)
    for (const bool there : {false, true})
      for (const bool linked : {false, true}) {
        CAPTURE(end, there, linked);
        const TemporaryFolder folder(memory_or_disk());
        const auto path = folder / "a.quoin", beside = folder / ("a.quoin" + end), link = folder / "link";
        if (there) fill(path, 0, 10);
        fill(folder / "other", 10, 30);
        std::filesystem::rename(folder / "other", beside);
        std::filesystem::create_symlink(path, link);
        const std::vector<char> before = bytes_of(beside);
        const auto& name = linked ? link : path;
        for (const std::string& words : {words_of([&] { SampleFile(name, header_of_samples()); }),
                                         words_of([&] { SqliteStorage<2>(name, "numbers 0"); })})
          check_told(words, {name.string(), beside.string(), "a database of its own"});
        CHECK(words_of([&] { SampleFile{name}; }) != "");
        CHECK(bytes_of(beside) == before);
        CHECK(std::filesystem::exists(path) == there);
        std::filesystem::rename(beside, folder / "other");
        fill(path, 0, 10);
        CHECK(found(path, 0, 10) == 10);
        CHECK(found(folder / "other", 10, 30) == 20);
      }
}

TEST_CASE("a path through a folder that is not there is refused, as the system refuses it") {
  const TemporaryFolder folder(memory_or_disk());
  std::filesystem::create_directory(folder / "there");
  for (const std::string name : {"no/../t", "there/no/../t", "no/../there/t", "there/../no/../there/t"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(SampleFile(folder / name, header_of_samples()), Catch::Contains("No such file"));
  }
  CHECK(files_in(folder) == 1);
  fill(folder / "there/../t", 0, 5);
  CHECK(found(folder / "t", 0, 5) == 5);
}

TEST_CASE("a second name of a file that is open, or was left open, is told as that, whoever opens it") {
  for (const bool killed : {false, true})
    for (const int closed_with : {0, 10}) {
      CAPTURE(killed, closed_with);
      const TemporaryFolder folder(memory_or_disk());
      const auto path = folder / "numbers.quoin", other = folder / "other.quoin";
      if (closed_with > 0) fill(path, 0, closed_with);
      std::optional<SampleFile> file;
      const auto open = [&] {
        file.emplace(path, header_of_samples());
        for (int k = closed_with; k < closed_with + 5; ++k) file->keep(sample_of(k));
        file->flush();
        return raise(killed ? SIGKILL : 0);
      };
      killed ? static_cast<void>(exit_status(in_child(open))) : static_cast<void>(open());
      std::filesystem::create_hard_link(path, other);
      const std::string several = "2 names (hard links)";
      check_told(words_of([&] { SampleFile(other, header_of_samples()); }), {other.string(), several});
      if (killed && closed_with > 0) {  // nobody has it open: what is in it is read, and that there may be more is told
        SampleFile reader(other);
        CHECK(reader.status().samples == static_cast<std::size_t>(closed_with));
        check_told(reader.status().note, {other.string(), several});
      } else {
        check_told(words_of([&] { SampleFile{other}; }), {other.string(), several, "by that name"});
      }
      if (file) {
        file->keep(sample_of(50));
        file->flush();
        file.reset();
      }
      std::filesystem::remove(other);
      CHECK(found(path, 0, closed_with + 5) == closed_with + 5);
      CHECK(found(path, 50, 51) == (killed ? 0 : 1));
    }
}

TEST_CASE(
    "a log or file that is cut short while it is open is told by flush, unless all that was given is in the file") {
  const int cases = draws_wanted(24), first = static_cast<int>(seed_wanted());
  int told = 0;
  for (int seed = first; seed < first + cases; ++seed) {
    INFO("QUOIN_SEED=" << seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    const TemporaryFolder folder(memory_or_disk());
    const auto path = folder / "cut.quoin";
    const int closed = draw(3) * 20, before = closed + 1 + draw(60), after = before + draw(4) * 10;
    const bool of_log = draw(3) > 0, by_two = draw(2) > 0, to_nothing = draw(2) > 0;
    CAPTURE(closed, before, after, of_log, by_two, to_nothing);
    if (closed > 0) fill(path, 0, closed);
    std::string words;
    {
      std::optional<SampleFile> second;
      SampleFile file(path, header_of_samples());
      if (by_two) second.emplace(path, header_of_samples());
      for (int k = closed; k < before; ++k) file.keep(sample_of(k));
      file.flush();
      const std::string cut = path.string() + (of_log ? "-wal" : "");
      std::filesystem::resize_file(cut, to_nothing ? 0 : random() % std::filesystem::file_size(cut));
      for (int k = before; k < after; ++k) (by_two && k % 2 == 0 ? *second : file).keep(sample_of(k));
      words = words_of([&] {
        if (second) second->flush();
        file.flush();
      });
      if (words.empty()) {
        CHECK(file.status().unwritten == 0);
      } else {
        ++told;
        CHECK_THAT(words, Catch::Contains(path.string()));
        std::size_t waiting = file.status().unwritten;
        if (second) waiting += second->status().unwritten;
        CHECK(waiting == static_cast<std::size_t>(after - before));
        CHECK_FALSE((file.status().error + (second ? second->status().error : "")).empty());
      }
      for (int k = before; k < after; ++k) {  // what waits is answered
        bool right = false;
        CHECK((has(by_two && k % 2 == 0 ? *second : file, k, right) && right));
      }
    }
    if (words.empty()) {
      CHECK(found(path, 0, after) == after);
    } else if (of_log) {  // what was in the file itself is still there, and what waited is written at the end
      if (closed > 0) CHECK(found(path, 0, closed) == closed);
      if (after > before) CHECK(found(path, before, after) >= (after - before) / (by_two ? 2 : 1));
      fill(path, 0, after);
      CHECK(found(path, 0, after) == after);
    }
  }
  CHECK(told > cases / 2);
}

TEST_CASE("a file whose log was replaced while it was open has all that was written when it is closed") {
  for (const std::string instead : {"", "something else", "a long text"}) {
    CAPTURE(instead);
    const TemporaryFolder folder(memory_or_disk());
    const auto path = folder / "numbers.quoin";
    {
      SampleFile file(path, header_of_samples());
      for (int k = 0; k < 30; ++k) file.keep(sample_of(k));
      file.flush();
      std::filesystem::remove(path.string() + "-wal");
      std::ofstream(path.string() + "-wal") << instead << std::string(instead == "a long text" ? 1'000'000 : 0, 'a');
      check_told(words_of([&] { file.flush(); }), {path.string(), "deleted or replaced"});
      file.keep(sample_of(30));
      check_told(words_of([&] { file.flush(); }), {path.string(), "deleted or replaced"});
    }
    CHECK(found(path, 0, 31) == 31);
  }
}

TEST_CASE("a log that another program empties and cuts as SQLite does it is no harm") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "emptied.quoin";
  SampleFile file(path, header_of_samples());
  for (int round = 0; round < 3; ++round) {
    for (int k = 20 * round; k < 20 * round + 10; ++k) file.keep(sample_of(k));
    file.flush();
    for (const char* command : {"PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"}) {
      Database other(path, Access::write);
      other.opened();
      CHECK(sqlite3_exec(other.handle(), command, nullptr, nullptr, nullptr) == SQLITE_OK);
    }
    CHECK(std::filesystem::file_size(path.string() + "-wal") == 0);
    for (int k = 20 * round + 10; k < 20 * round + 20; ++k) file.keep(sample_of(k));
    file.flush();
    CHECK(file.status().error.empty());
    CHECK(file.status().samples == static_cast<std::size_t>(20 * round + 20));
  }
}
