// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/support/benchmark_program.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "testing/files.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iostream>
#include <sstream>

using namespace studies;

namespace {

/// A program's output, and how it ended.
struct Ended {
  int status = 0;
  std::string out = {}, error = {};
};

template <class Run>
Ended run(std::vector<std::string> words, Run&& program) {
  words.insert(words.begin(), "program");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  std::ostringstream out, error;
  std::streambuf* const old_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const old_error = std::cerr.rdbuf(error.rdbuf());
  const int status = program(static_cast<int>(arguments.size()), arguments.data());
  std::cout.rdbuf(old_out);
  std::cerr.rdbuf(old_error);
  std::cout.clear();
  return {status, out.str(), error.str()};
}

Ended benchmark(const std::vector<std::string>& words) {
  return run(words, [](int argc, char** argv) {
    return benchmarks::run_benchmark(argc, argv, "program", "What it does.", [](bool) {
      benchmarks::Report report;
      report.results.add(figures::ResultRow().set("count", 1));
      return report;
    });
  });
}

Ended example(const std::vector<std::string>& words, const std::filesystem::path& out) {
  return run(words, [&](int argc, char** argv) {
    studies::CommonOptions options;
    studies::StudyCommandLine line("program", "What it does.", "Little of it", options);
    double spacing = 1, weight = 1;
    std::vector<double> list;
    std::uint64_t seed = 1;
    line.add("--seed", seed, "s");
    line.add("--spacing", spacing, "h").between(1e-9, 0.75);
    line.add_with_quick("--weight", weight, 0.5, "w");
    line.add("--list", list, "l").comma_separated();
    options.out = out;
    return line.run(argc, argv, [&](const figures::OutputFolder&) {
      studies::Report report;
      report.rows.add(figures::ResultRow().set("spacing", spacing).set("weight", weight));
      return report;
    });
  });
}

}  // namespace

TEST_CASE("numbers that are none are refused where they are given") {
  const ScratchFolder folder("options");
  for (const auto& [words, complaint] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--spacing", "nan"}, "--spacing: 'nan' is not a number from 1e-09 to 0.75"},
           {{"--spacing", "inf"}, "'inf' is not a number from"},
           {{"--spacing", "-1"}, "'-1' is not a number from"},
           {{"--spacing", "0"}, "'0' is not a number from"},
           {{"--spacing", "0.5m"}, "'0.5m' is not a number from"},
           {{"--seed", "-1"}, "--seed: '-1' is negative"},
           {{"--weight", "nan"}, "--weight: 'nan' is not a finite number"},
           {{"--weight", "-inf"}, "'-inf' is not a finite number"},
           {{"--list", "1,nan,2"}, "'nan' is not a finite number"}}) {
    const Ended ended = example(words, folder / "out");
    CHECK(ended.status == 2);
    CHECK_THAT(ended.error, Catch::Contains(complaint));
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
  }
  CHECK(example({"--spacing", "0.5", "--weight", "-1e3", "--list", "1,2.5"}, folder / "out").status == 0);
}

TEST_CASE("an option of a study has another default with --quick, which its help names") {
  const ScratchFolder folder("quick");
  const auto weight_of = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--json", folder / "json"});
    CHECK(example(words, folder / "out").status == 0);
    return read_all(folder / "json");
  };
  CHECK_THAT(weight_of({}), Catch::Contains("\"weight\": 1.0"));
  CHECK_THAT(weight_of({"--quick"}), Catch::Contains("\"weight\": 0.5"));
  CHECK_THAT(weight_of({"--quick", "--weight", "1"}), Catch::Contains("\"weight\": 1.0"));
  CHECK_THAT(example({"--help"}, folder / "out").out, Catch::Contains("w; 1, with --quick 0.5, if not set"));
}

TEST_CASE("a program that cannot write its results says so and exits with 1") {
  const ScratchFolder folder("results");
  for (const char* option : {"--json", "--markdown"}) {
    CAPTURE(option);
    const Ended full = benchmark({option, "/dev/full"});
    CHECK(full.status == 1);
    CHECK(full.error == "program: cannot write '/dev/full': No space left on device\n");
    const Ended nowhere = benchmark({option, folder / "none/a"});
    CHECK(nowhere.status == 1);
    CHECK(nowhere.out.empty());  // checked before the work
    CHECK(benchmark({option, folder / "file"}).status == 0);
    CHECK_FALSE(read_all(folder / "file").empty());
  }
  CHECK(example({"--json", "/dev/full"}, folder / "out").status == 1);
  CHECK(example({"--json", folder / "none/a"}, folder / "out").status == 1);
  CHECK(example({"--json", folder / "json"}, folder / "out").status == 0);
}

TEST_CASE("a program whose run fails leaves results of before as they were, and none where none were") {
  const ScratchFolder folder("failed");
  write_all(folder / "old", "results");
  for (const char* name : {"old", "new"}) {
    const std::string file = folder / name;
    const Ended ended = run({"--json", file, "--markdown", file}, [](int argc, char** argv) {
      return benchmarks::run_benchmark(argc, argv, "program", "",
                                       [](bool) -> benchmarks::Report { throw std::runtime_error("out of luck"); });
    });
    CHECK(ended.status == 1);
    CHECK(ended.error == "program: out of luck\n");
  }
  CHECK(read_all(folder / "old") == "results");
  CHECK_FALSE(std::filesystem::exists(folder / "new"));
}

TEST_CASE("what is printed and lost is an error") {
  const ScratchFolder folder("printed");
  const Ended ended = run({}, [&](int argc, char** argv) {
    std::filebuf full;
    full.open("/dev/full", std::ios::out);
    std::streambuf* const old = std::cout.rdbuf(&full);
    studies::CommonOptions options;
    studies::StudyCommandLine line("program", "What it does.", "Little of it", options);
    options.out = folder / "out";
    const int status = line.run(argc, argv, [](const figures::OutputFolder&) { return studies::Report{}; });
    std::cout.rdbuf(old);
    return status;
  });
  CHECK(ended.status == 1);
  CHECK(ended.error == "program: cannot write to the standard output: No space left on device\n");
}
