// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/storage/sample_file.hpp"
#include "storage_faults.hpp"

#include <catch2/catch.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace quoin::storage;

namespace {

void write_bytes(const std::filesystem::path& path, const std::vector<char>& bytes) {
  std::filesystem::remove(path.string() + "-wal");
  std::filesystem::remove(path.string() + "-shm");
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ssize(bytes));
}

constexpr int in_file = 60;

// What a damaged file may do: refuse, or answer some of the samples, each as it was given. Returns how many.
int survivors(const std::filesystem::path& path, bool& refused) {
  refused = false;
  int found = 0;
  try {
    SampleFile file(path, header_of_samples());
    for (int k = 0; k < in_file; ++k) {
      bool right = true;
      found += has(file, k, right);
      CHECK(right);
    }
    file.for_each([&](const StoredSample& sample) {
      const int k = static_cast<int>(sample.x[0]);
      CHECK(is_sample(k, sample));
    });
  } catch (const std::exception& problem) {
    CHECK(std::string(problem.what()).find(path.filename().string()) != std::string::npos);
    refused = true;
  }
  return found;
}

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

TEST_CASE("a flipped bit anywhere costs samples or the file, and never answers a wrong one") {
  const TemporaryFolder folder;
  fill(folder / "good.quoin", 0, in_file);
  const std::vector<char> good = bytes_of(folder / "good.quoin");
  std::mt19937 random(1);
  int refusals = 0, losses = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<char> bad = good;
    bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    write_bytes(folder / "bad.quoin", bad);
    bool refused = false;
    const int found = survivors(folder / "bad.quoin", refused);
    refusals += refused;
    losses += !refused && found < in_file;
  }
  CHECK(refusals < 100);
  CHECK(losses > 20);
}

TEST_CASE("a file cut at any offset answers nothing wrong") {
  const TemporaryFolder folder;
  fill(folder / "good.quoin", 0, in_file);
  const std::vector<char> good = bytes_of(folder / "good.quoin");
  std::mt19937 random(2);
  for (int trial = 0; trial < 60; ++trial) {
    const auto size = static_cast<std::ptrdiff_t>(trial < 20 ? random() % 200 : random() % good.size());
    write_bytes(folder / "cut.quoin", {good.begin(), good.begin() + size});
    bool refused = false;
    survivors(folder / "cut.quoin", refused);
  }
}

TEST_CASE("a damaged sample is dropped, and what is given in its place is kept") {
  const TemporaryFolder folder;
  fill(folder / "good.quoin", 0, in_file);
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
  CHECK(file.status().samples == in_file);
}

TEST_CASE("killed at any moment, a file has every sample that was written, and only whole ones") {
  const TemporaryFolder folder;
  const auto path = folder / "killed.quoin";
  std::mt19937 random(3);
  int next = 0;
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = in_child([&] {
      SampleFile file(path, header_of_samples(), {.write_every = 0.002});
      for (int k = next;; ++k) {
        file.keep(sample_of(k));
        if (k % 10 == 9) {
          file.flush();
          const int written = k + 1;
          if (write(ends[1], &written, sizeof written) < 0) return 1;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(20'000 + random() % 60'000));
    kill(child, SIGKILL);
    CHECK(exit_status(child) == -SIGKILL);
    close(ends[1]);
    int written = 0, said = 0;
    while (read(ends[0], &said, sizeof said) == sizeof said) written = said;
    close(ends[0]);
    if (written == 0) continue;  // killed before the first flush
    SampleFile file(path, header_of_samples());
    bool right = false;
    for (int k = 0; k < written; ++k) {
      REQUIRE(has(file, k, right));
      REQUIRE(right);
    }
    next = written;
  }
  CHECK(next > 0);
}

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
