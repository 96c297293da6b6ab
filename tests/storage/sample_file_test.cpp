// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/storage/sample_file.hpp"
#include "quoin/storage/sqlite_storage.hpp"
#include "testing/storage_faults.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace quoin::storage;

namespace {

constexpr int in_file = 60;

}  // namespace

TEST_CASE("a file of samples gives back what it was given, to another process too") {
  const TemporaryFolder folder;
  const auto path = folder / "numbers.quoin";
  CHECK(exit_status(in_child([&] {
          fill(path, 0, in_file);
          return 0;
        })) == 0);
  SampleFile file(path, header_of_samples());
  CHECK(file.status().samples == in_file);
  CHECK(file.header().fingerprint == "numbers 0");
  CHECK(file.header().format == 1);
  bool right = false;
  for (int k = 0; k < in_file; ++k) {
    CHECK(has(file, k, right));
    CHECK(right);
  }
  CHECK_FALSE(has(file, in_file, right));
  int read = 0;
  SampleFile reader(path);
  reader.for_each([&](const StoredSample& sample) { CHECK(is_sample(read++, sample)); });
  CHECK(read == in_file);
  CHECK_THROWS_AS(reader.keep(sample_of(0)), std::logic_error);
}

TEST_CASE("a file of format 1, made by the first version that had one, is read") {
  const TemporaryFolder folder;
  std::filesystem::copy_file(QUOIN_FORMAT_1_FILE, folder / "old.quoin");
  SampleFile file(folder / "old.quoin", header_of_samples());
  CHECK(file.header().format == 1);
  bool right = false;
  for (int k = 0; k < 12; ++k) CHECK((has(file, k, right) && right));
  file.keep(sample_of(12));
  file.flush();
  CHECK(file.status().samples == 13);
}

TEST_CASE("more derivatives take the place of fewer, an answer that of a failure, and nothing else changes a sample") {
  const TemporaryFolder folder;
  SampleFile file(folder / "orders.quoin", header_of_samples());
  const double x[] = {1, 0.5}, within[] = {1e-12, 1e-12};
  StoredSample found;
  file.keep({.x = {1, 0.5}, .jet = {}, .reason = "not yet"});
  file.flush();
  REQUIRE(file.find(x, within, 3, found));
  CHECK(found.reason == "not yet");
  file.keep(sample_of(1, 1));
  file.flush();
  CHECK_FALSE(file.find(x, within, 3, found));
  REQUIRE(file.find(x, within, 1, found));
  CHECK(found.jet == sample_of(1, 1).jet);
  file.keep(sample_of(1, 6));
  file.keep(sample_of(1, 3));
  file.flush();
  REQUIRE(file.find(x, within, 3, found));
  CHECK(found.jet == sample_of(1, 6).jet);
  CHECK(file.status().samples == 1);
}

TEST_CASE("a file of another function, or of something else, is refused with both values") {
  const TemporaryFolder folder;
  const auto path = folder / "numbers.quoin";
  fill(path, 0, in_file);
  auto wanted = header_of_samples();
  wanted.fingerprint = "letters 1";
  CHECK_THROWS_WITH(SampleFile(path, wanted), Catch::Contains("'numbers 0', wanted 'letters 1'"));
  wanted = header_of_samples();
  wanted.dim = 3;
  CHECK_THROWS_WITH(SampleFile(path, wanted), Catch::Contains("2 variables, wanted 3"));
  wanted = header_of_samples();
  wanted.output_size = 7;
  CHECK_THROWS_WITH(SampleFile(path, wanted), Catch::Contains("3 outputs, wanted 7"));
  std::ofstream(folder / "text") << std::string(5000, 'a');
  CHECK_THROWS_WITH(SampleFile(folder / "text", header_of_samples()), Catch::Contains("not a database"));
  CHECK_THROWS_AS(SampleFile(folder / "no" / "folder", header_of_samples()), std::runtime_error);
  CHECK_THROWS_AS(SampleFile(folder / "absent"), std::runtime_error);
}

TEST_CASE("a file of two names, of which each would have a log of its own, is refused for writing and can be read") {
  const TemporaryFolder folder;
  const auto path = folder / "numbers.quoin", other = folder / "other.quoin";
  fill(path, 0, 10);
  std::filesystem::create_hard_link(path, other);
  for (const auto& name : {path, other}) {
    CHECK_THROWS_WITH(SampleFile(name, header_of_samples()),
                      Catch::Contains(name.string()) && Catch::Contains("2 names (hard links)"));
    CHECK(read_samples<2>(name).size() == 10);
  }
  std::filesystem::remove(other);
  fill(path, 10, 20);
  CHECK(read_samples<2>(path).size() == 20);
}

TEST_CASE("a pause between writes that is none is refused, and an endless one ends with the file") {
  const TemporaryFolder folder;
  for (const double bad : {std::nan(""), -1.0, -HUGE_VAL})
    CHECK_THROWS_WITH(SampleFile(folder / "refused", header_of_samples(), {.write_every = bad}),
                      Catch::Contains("write_every"));
  CHECK_FALSE(std::filesystem::exists(folder / "refused"));
  { SampleFile(folder / "kept", header_of_samples(), {.write_every = HUGE_VAL}).keep(sample_of(1)); }
  int kept = 0;
  SampleFile(folder / "kept").for_each([&](const StoredSample&) { ++kept; });
  CHECK(kept == 1);
}

TEST_CASE("several processes and threads write one file") {
  const TemporaryFolder folder;
  const auto path = folder / "shared.quoin";
  std::vector<pid_t> children;
  for (int process = 0; process < 3; ++process)
    children.push_back(in_child([&, process] {
      SampleFile file(path, header_of_samples(), {.write_every = 0.001});
      std::vector<std::thread> threads;
      for (int thread = 0; thread < 2; ++thread)
        threads.emplace_back([&, thread] {
          for (int k = 0; k < 200; ++k) {
            file.keep(sample_of(100 * process + 50 * thread + k));
            bool right = true;
            has(file, k, right);
            if (!right) _exit(5);
          }
        });
      for (auto& thread : threads) thread.join();
      file.flush();
      return 0;
    }));
  for (const pid_t child : children) CHECK(exit_status(child) == 0);
  SampleFile file(path, header_of_samples());
  CHECK(file.status().samples == 450);
  bool right = false;
  for (int k = 0; k < 450; ++k) {
    REQUIRE(has(file, k, right));
    REQUIRE(right);
  }
}

TEST_CASE("a durable file has each sample when keep returns") {
  const TemporaryFolder folder;
  SampleFile file(folder / "durable.quoin", header_of_samples(), {.durable = true});
  for (int k = 0; k < 5; ++k) {
    file.keep(sample_of(k));
    CHECK(file.status().unwritten == 0);
    CHECK(file.status().samples == static_cast<std::size_t>(k + 1));
  }
}

TEST_CASE("a sample that does not fit its file is refused with the numbers, and holds nothing up") {
  const TemporaryFolder folder;
  SampleFile file(folder / "numbers.quoin", header_of_samples());
  const auto refused = [&](StoredSample sample, const std::string& why) {
    CHECK_THROWS_WITH(file.keep(sample), Catch::Contains(why));
    CHECK_THROWS_AS(file.keep(sample), std::invalid_argument);
  };
  const Eigen::MatrixXd jet = Eigen::MatrixXd::Ones(3, 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused({.x = {1}, .jet = jet}, "1 variables, wanted 2");
  refused({.x = {1, nan}, .jet = jet}, "the coordinate nan, wanted a finite one");
  refused({.x = {1, 2}, .jet = Eigen::MatrixXd::Ones(4, 3)}, "4 outputs, wanted 3");
  refused({.x = {1, 2}, .jet = jet, .reason = "broken"}, "9 numbers and the reason 'broken', wanted one of the two");
  refused({.x = {1, 2}, .jet = {}}, "0 numbers and the reason ''");
  file.keep({.x = {-0.0, 2}, .jet = jet, .seconds = nan});
  file.flush();
  const double x[] = {0, 2}, within[] = {1e-9, 1e-9};
  StoredSample found;
  REQUIRE(file.find(x, within, 3, found));
  CHECK(found.jet == jet);
  CHECK(found.seconds == 0);
}
