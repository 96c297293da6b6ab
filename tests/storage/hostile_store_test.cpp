// SPDX-License-Identifier: BSD-3-Clause
// Damaged and forged files of samples: each is refused, or answers what it was given; nothing else.
#include "quoin/storage/sample_file.hpp"
#include "testing/small_store.hpp"
#include "testing/storage_faults.hpp"

#include <catch2/catch.hpp>

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace quoin::storage;

namespace {

constexpr int given = 60;  // numbers in a file that is then damaged

/// What a damaged file may do: refuse by name, or answer some of the samples, each as it was given. Returns how many.
int survivors(const std::filesystem::path& path, bool& refused, int count = given) {
  refused = false;
  int found = 0;
  try {
    SampleFile file(path, header_of_samples());
    for (int k = 0; k < count; ++k) {
      bool right = true;
      found += has(file, k, right);
      if (!right) FAIL_CHECK("another sample was answered for number " << k);
    }
    file.for_each([&](const StoredSample& sample) {
      if (!is_sample(static_cast<int>(sample.x[0]), sample)) FAIL_CHECK("a sample at " << sample.x[0] << " is torn");
    });
  } catch (const std::runtime_error& problem) {
    CHECK(std::string(problem.what()).find(path.filename().string()) != std::string::npos);
    refused = true;
  } catch (const std::invalid_argument& problem) {  // the header is another function's
    CHECK_THAT(problem.what(), Catch::Contains("wanted"));
    refused = true;
  }
  return found;
}

/// Changes the good bytes so many times; returns how often samples were missing from what was not refused.
template <class Damage>
int times_lost(const std::vector<char>& good, int trials, unsigned seed, Damage&& damage) {
  const TemporaryFolder folder(memory_or_disk());
  std::mt19937 random(seed);
  int losses = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<char> bad = good;
    damage(bad, random);
    write_bytes(folder / "bad.quoin", bad);
    bool refused = false;
    losses += survivors(folder / "bad.quoin", refused) < given && !refused;
  }
  return losses;
}

std::vector<char> good_bytes(bool small) {
  const TemporaryFolder folder(memory_or_disk());
  small ? fill_small(folder / "good.quoin", given) : fill(folder / "good.quoin", 0, given);
  return bytes_of(folder / "good.quoin");
}

void flip_a_bit(std::vector<char>& bytes, std::mt19937& random) {
  bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
}

/// What a forged file is refused with, or "": a reader's words, and a writer's.
std::string refusal(const std::filesystem::path& path) {
  const auto words = [](const auto& open) -> std::string {
    try {
      open();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const std::string reader = words([&] { SampleFile{path}; });
  const std::string writer = words([&] { SampleFile(path, header_of_samples()); });
  CHECK(reader == writer);
  return reader;
}

/// A literal of SQL: these bytes.
std::string blob(const void* data, std::size_t size) {
  std::string text = "x'";
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<const unsigned char*>(data)[i];
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text + "'";
}

/// All literals of SQL that differ from the number in one bit, and are numbers.
std::vector<std::string> one_bit_off(double number) {
  std::vector<std::string> literals;
  for (int bit = 0; bit < 64; ++bit) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    bits ^= std::uint64_t{1} << bit;
    double other = 0;
    std::memcpy(&other, &bits, sizeof other);
    if (std::isfinite(other)) literals.push_back(quoin::to_text(other));
  }
  return literals;
}

}  // namespace

TEST_CASE("a flipped bit anywhere costs samples or the file, and never answers a wrong one") {
  CHECK(times_lost(good_bytes(false), 400, 1, flip_a_bit) > 20);
  CHECK(times_lost(good_bytes(true), 400, 5, flip_a_bit) > 150);  // hardly a byte that says nothing
}

TEST_CASE("a file cut at any offset answers nothing wrong") {
  const TemporaryFolder folder(memory_or_disk());
  for (const bool small : {false, true}) {
    int trial = 0;
    times_lost(good_bytes(small), 60, 2, [&trial](std::vector<char>& bytes, std::mt19937& random) {
      bytes.resize(trial++ < 20 ? random() % 200 : random() % bytes.size());
    });
  }
}

TEST_CASE("pages that are zeroed, scrambled, copied over others or exchanged answer nothing wrong, and reading ends") {
  const std::size_t page = 512;
  const auto damage = [&](std::vector<char>& bytes, std::mt19937& random) {
    const auto place = [&] {
      return bytes.begin() + static_cast<std::ptrdiff_t>(page * (random() % (bytes.size() / page)));
    };
    const auto one = place(), two = place();
    switch (random() % 4) {
      case 0: std::fill_n(one, page, '\0'); break;
      case 1: std::generate_n(one, page, [&] { return static_cast<char>(random()); }); break;
      case 2: std::copy_n(std::vector<char>(one, one + page).begin(), page, two); break;
      default:
        if (one != two) std::swap_ranges(one, one + page, two);
    }
  };
  CHECK(times_lost(good_bytes(true), 400, 6, damage) > 100);
}

TEST_CASE("what a killed process leaves beside its file may be cut or damaged: the first samples are there, whole") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "numbers.quoin", bad = folder / "bad.quoin";
  exit_status(in_child([&]() -> int {
    SampleFile file(path, header_of_samples());
    for (int k = 0; k < given; ++k) {
      file.keep(sample_of(k));
      if (k % 5 == 4) file.flush();
    }
    _exit(0);
  }));
  const std::vector<char> good = bytes_of(path), ahead = bytes_of(path.string() + "-wal");
  REQUIRE(ahead.size() > 20 * 1024);
  std::mt19937 random(7);
  int least = given, most = 0;
  for (int trial = 0; trial < 200; ++trial) {
    write_bytes(bad, good);
    std::vector<char> rest = ahead;
    if (trial > 0) trial % 2 == 0 ? rest.resize(random() % rest.size()) : flip_a_bit(rest, random);
    std::ofstream(bad.string() + "-wal", std::ios::binary).write(rest.data(), std::ssize(rest));
    bool refused = false;
    const int found = survivors(bad, refused);
    if (refused) continue;  // cut before the tables
    CHECK(found % 5 == 0);
    CHECK(survivors(bad, refused, found) == found);
    least = std::min(least, found);
    most = std::max(most, found);
  }
  CHECK(least < 10);
  CHECK(most == given);  // what was not damaged
}

TEST_CASE("a flipped bit in any field of a sample is told by its checksum") {
  const TemporaryFolder folder(memory_or_disk());
  fill(folder / "numbers.quoin", 0, 16);
  SampleFile reader(folder / "numbers.quoin");
  Database forger(folder / "numbers.quoin", Database::Access::write);
  forger.opened();
  const auto told = [&](int k, const std::string& field, const std::string& literal, const std::string& good) {
    const std::string row = " WHERE id = " + std::to_string(k + 1);
    forger.execute("UPDATE samples SET " + field + " = " + literal + row);
    bool right = false;
    if (has(reader, k, right)) FAIL_CHECK("number " << k << " is answered with " << field << " = " << literal);
    int called = 0;
    reader.for_each([&](const StoredSample& sample) { called += is_sample(static_cast<int>(sample.x[0]), sample); });
    CHECK(called == 15);
    forger.execute("UPDATE samples SET " + field + " = " + good + row);
    CHECK((has(reader, k, right) && right));
  };
  for (const int k : {12, 3}) {  // a jet, a failure
    const StoredSample sample = sample_of(k);
    const auto number = [&](const std::string& field, double value) {
      for (const std::string& off : one_bit_off(value)) told(k, field, off, quoin::to_text(value));
    };
    number("x0", sample.x[0]);
    number("x1", sample.x[1]);
    number("seconds", sample.seconds);
    for (int bit = 0; bit < 64; ++bit) {
      const std::string off = std::to_string(static_cast<std::int64_t>(std::uint64_t{1} << bit));
      const auto flipped = [&](const std::string& field) {
        return "(" + field + " | " + off + ") - (" + field + " & " + off + ")";
      };
      const auto flip = [&](const std::string& field) {
        forger.execute("UPDATE samples SET " + field + " = " + flipped(field) + " WHERE id = " + std::to_string(k + 1));
      };
      for (const std::string field : {"derivatives", "branch", "checksum"}) {
        flip(field);
        bool right = false;
        if (has(reader, k, right)) FAIL_CHECK("number " << k << " is answered with bit " << bit << " of " << field);
        flip(field);
        CHECK((has(reader, k, right) && right));
      }
    }
    std::vector<char> jet(static_cast<std::size_t>(sample.jet.size()) * sizeof(double));
    if (!jet.empty()) std::memcpy(jet.data(), sample.jet.data(), jet.size());
    const std::string good_jet = blob(jet.data(), jet.size());
    for (std::size_t bit = 0; bit < 8 * jet.size(); bit += 5) {
      std::vector<char> bad = jet;
      bad[bit / 8] ^= static_cast<char>(1 << bit % 8);
      told(k, "jet", blob(bad.data(), bad.size()), good_jet);
    }
    for (std::size_t bit = 0; bit < 8 * sample.reason.size(); ++bit) {
      std::string bad = sample.reason;
      bad[bit / 8] ^= static_cast<char>(1 << bit % 8);
      told(k, "reason", "CAST(" + blob(bad.data(), bad.size()) + " AS TEXT)", "'" + sample.reason + "'");
    }
  }
}

TEST_CASE("a sample in another's place, or with a field of another's, is told by its checksum") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "numbers.quoin";
  fill(path, 0, 40);
  SampleFile reader(path);
  Database forger(path, Database::Access::write);
  forger.opened();
  const auto answered = [&] {
    int count = 0;
    for (int k = 0; k < 40; ++k) {
      bool right = true;
      count += has(reader, k, right);
      if (!right) FAIL_CHECK("another sample was answered for number " << k);
    }
    reader.for_each([&](const StoredSample& sample) {
      if (!is_sample(static_cast<int>(sample.x[0]), sample)) FAIL_CHECK("a sample at " << sample.x[0] << " is torn");
    });
    return count;
  };
  REQUIRE(answered() == 40);
  // Two jets, two failures, and one of each.
  for (const std::string field : {"x0", "x1", "derivatives", "branch", "reason", "seconds", "jet", "checksum"})
    for (const auto& [one, two] : {std::pair(5, 27), std::pair(3, 10), std::pair(3, 5)}) {
      CAPTURE(field, one, two);
      forger.execute("BEGIN");
      forger.execute("CREATE TEMP TABLE others AS SELECT id, " + field + " AS other FROM samples WHERE id IN (" +
                     std::to_string(one + 1) + ", " + std::to_string(two + 1) + ")");
      forger.execute("UPDATE samples SET " + field + " = -id WHERE id IN (SELECT id FROM others)");
      forger.execute("UPDATE samples SET " + field + " = (SELECT other FROM others WHERE others.id <> samples.id) " +
                     "WHERE id IN (SELECT id FROM others)");
      forger.execute("COMMIT");
      const bool alike =
          (field == "derivatives" && two != 5) || (field == "jet" && two == 10) || (field == "reason" && two == 27);
      CHECK(answered() == (alike ? 40 : 38));
      forger.execute("BEGIN");
      forger.execute("UPDATE samples SET " + field + " = -id WHERE id IN (SELECT id FROM others)");
      forger.execute("UPDATE samples SET " + field + " = (SELECT other FROM others WHERE others.id = samples.id) " +
                     "WHERE id IN (SELECT id FROM others)");
      forger.execute("DROP TABLE others");
      forger.execute("COMMIT");
      CHECK(answered() == 40);
    }
}

TEST_CASE("a header that no version has written is refused with its numbers") {
  const TemporaryFolder folder(memory_or_disk());
  const auto path = folder / "numbers.quoin";
  fill(path, 0, 5);
  Database forger(path, Database::Access::write);
  forger.opened();
  const auto refused = [&](const std::string& name, const std::string& value, const std::string& good,
                           const std::string& why) {
    forger.execute("UPDATE header SET value = " + value + " WHERE name = '" + name + "'");
    CHECK_THAT(refusal(path), Catch::Contains("numbers.quoin") && Catch::Contains(why));
    forger.execute("UPDATE header SET value = " + good + " WHERE name = '" + name + "'");
    REQUIRE(refusal(path).empty());
  };
  for (const std::string format : {"2", "0", "-1", "4294967297", "9223372036854775807"})
    refused("format", format, "1", "written in format " + format + ", this library reads 1 to 1");
  refused("format", "'new'", "1", "written in format 0, this library reads 1 to 1");
  refused("dim", "0", "2", "the header says 'dim' 0, wanted 1 to 64");
  refused("dim", "65", "2", "'dim' 65, wanted 1 to 64");
  refused("dim", "4294967298", "2", "'dim' 4294967298, wanted 1 to 64");
  refused("dim", "3", "2", "'samples' is made by 'CREATE TABLE samples (id INTEGER PRIMARY KEY, x0 REAL NOT NULL, x1 ");
  refused("outputs", "0", "3", "'outputs' 0, wanted 1 to 2147483647");
  refused("outputs", "4611686018427387904", "3", "'outputs' 4611686018427387904, wanted 1 to 2147483647");
  for (const std::string name : {"format", "dim", "outputs", "fingerprint", "instruction_set"}) {
    forger.execute("UPDATE header SET name = 'x' WHERE name = '" + name + "'");
    CHECK_THAT(refusal(path), Catch::Contains("the header has no '" + name + "'"));
    forger.execute("UPDATE header SET name = '" + name + "' WHERE name = 'x'");
  }
}

TEST_CASE("tables that are others than the format's, views and triggers are refused or do nothing") {
  const TemporaryFolder folder(memory_or_disk());
  const auto forged = [&](const std::vector<std::string>& commands) {
    const auto path = folder / "forged.quoin";
    for (const char* beside : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + beside);
    fill(path, 0, 5);
    Database forger(path, Database::Access::write);
    forger.opened();
    for (const std::string& command : commands) forger.execute(command);
    return path;
  };
  // A view that has no end.
  const std::string endless =
      "CREATE VIEW samples AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
      "SELECT i AS id, 1.0 AS x0, 1.0 AS x1, 1 AS derivatives, 0 AS branch, '' AS reason, 0.0 AS "
      "seconds, x'00' AS jet, 0 AS checksum FROM n";
  CHECK_THAT(refusal(forged({"ALTER TABLE samples RENAME TO hidden", endless})),
             Catch::Contains("'samples' is made by 'CREATE VIEW samples"));
  CHECK_THAT(refusal(forged({"ALTER TABLE header RENAME TO hidden", "CREATE VIEW header AS SELECT * FROM hidden"})),
             Catch::Contains("'header' is made by 'CREATE VIEW header"));
  CHECK_THAT(refusal(forged({"DROP INDEX points"})), Catch::Contains("'points' is missing"));
  CHECK_THAT(refusal(forged({"DROP TABLE samples"})), Catch::Contains("'samples' is missing"));
  CHECK_THAT(refusal(forged({"ALTER TABLE samples ADD COLUMN more"})), Catch::Contains("'samples' is made by"));

  const auto path = forged({"CREATE TRIGGER eats AFTER INSERT ON samples BEGIN DELETE FROM samples; END"});
  fill(path, 5, 10);
  CHECK(SampleFile(path).status().samples == 10);
}

TEST_CASE("a damaged sample is dropped, and what is given in its place is kept") {
  const TemporaryFolder folder(memory_or_disk());
  fill(folder / "good.quoin", 0, given);
  std::vector<char> bytes = bytes_of(folder / "good.quoin");
  // The first number of the jet of number 12.
  const double number = sample_of(12).jet(0, 0);
  std::vector<char> pattern(sizeof number);
  std::memcpy(pattern.data(), &number, sizeof number);
  const auto place = std::search(bytes.begin(), bytes.end(), pattern.begin(), pattern.end());
  REQUIRE(place != bytes.end());
  *place ^= 1;
  write_bytes(folder / "bad.quoin", bytes);
  bool right = false;
  SampleFile file(folder / "bad.quoin", header_of_samples());
  CHECK_FALSE(has(file, 12, right));
  CHECK(file.status().damaged == 1);
  file.keep(sample_of(12));
  file.flush();
  CHECK(has(file, 12, right));
  CHECK(right);
  CHECK(file.status().samples == given);
}
