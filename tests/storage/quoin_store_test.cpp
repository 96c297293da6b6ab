// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/storage/sample_file.hpp"
#include "testing/storage_faults.hpp"

#include <catch2/catch.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace quoin::storage;

namespace {

// The program's exit status, and what it printed.
std::pair<int, std::string> run(const std::string& arguments) {
  std::string command = QUOIN_STORE_PROGRAM;
  command.append(" ").append(arguments).append(" 2>&1");
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no pipe");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), count);
  return {WEXITSTATUS(pclose(pipe)), text};
}

}  // namespace

TEST_CASE("quoin-store tells, verifies, merges and exports what a file holds") {
  const TemporaryFolder folder;
  const std::string one = (folder / "one.quoin").string(), two = (folder / "two.quoin").string();
  fill(one, 0, 20);
  fill(two, 10, 40);
  const auto [told, words] = run("info " + one);
  CHECK(told == 0);
  CHECK_THAT(words, Catch::Contains("numbers 0") && Catch::Contains("20, of which 3 failures; 0 damaged"));
  CHECK(run("verify " + one).first == 0);

  const std::string both = (folder / "both.quoin").string();
  CHECK_THAT(run("merge " + both + " " + one + " " + two).second, Catch::Contains("40 samples, 0 before"));
  bool right = false;
  {
    SampleFile file(both);
    for (int k = 0; k < 40; ++k) CHECK((has(file, k, right) && right));
  }
  const std::string arrays = (folder / "arrays").string();
  CHECK(run("export " + both + " " + arrays).first == 0);
  const std::vector<char> points = bytes_of(arrays + "/points.npy"), jets = bytes_of(arrays + "/jets.npy");
  const std::string header(points.begin() + 10, points.begin() + 128);
  CHECK_THAT(header, Catch::Contains("'fortran_order': True, 'shape': (2, 34)"));
  REQUIRE(points.size() == 128 + 34 * 2 * sizeof(double));
  REQUIRE(jets.size() == 128 + 34 * 9 * sizeof(double));
  double last[2], first_jet[9];
  std::memcpy(last, points.data() + points.size() - sizeof last, sizeof last);
  std::memcpy(first_jet, jets.data() + 128, sizeof first_jet);
  CHECK(last[0] == 39);
  CHECK(last[1] == 19.5);
  CHECK(Eigen::Map<const Eigen::Matrix3d>(first_jet) == sample_of(0).jet);
  std::ifstream failures(arrays + "/failures.csv");
  const std::string csv{std::istreambuf_iterator<char>(failures), {}};
  CHECK_THAT(csv, Catch::Contains("3,1.5,\"number 3 fails\""));
}

TEST_CASE("quoin-store refuses what it cannot read, and finds what is damaged") {
  const TemporaryFolder folder;
  const std::string path = (folder / "numbers.quoin").string();
  fill(path, 0, 20);
  std::vector<char> bytes = bytes_of(path);
  const std::string words = "number 17 fails";
  const auto place = std::search(bytes.begin(), bytes.end(), words.begin(), words.end());
  REQUIRE(place != bytes.end());
  *(place + 7) = '9';
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ssize(bytes));
  const auto [status, told] = run("verify " + path);
  CHECK(status == 1);
  CHECK_THAT(told, Catch::Contains("19 samples are whole, 1 are damaged"));

  CHECK(run("info " + (folder / "absent").string()).first == 2);
  SampleFile(folder / "other.quoin", {.dim = 2, .output_size = 3, .fingerprint = "letters 1", .instruction_set = ""});
  const auto [refused, why] =
      run("merge " + (folder / "into.quoin").string() + " " + path + " " + (folder / "other.quoin").string());
  CHECK(refused == 2);
  CHECK_THAT(why, Catch::Contains("'letters 1'") && Catch::Contains("'numbers 0'"));
}
