// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"
#include "testing/files.hpp"

#include <catch2/catch.hpp>

using namespace studies::figures;

TEST_CASE("an output folder is made with its parents and left empty") {
  const ScratchFolder folder("out");
  const OutputFolder out(folder / "a/b/c");
  CHECK(std::filesystem::is_directory(folder / "a/b/c"));
  CHECK(std::filesystem::is_empty(folder / "a/b/c"));
  CHECK(out / "x.csv" == folder / "a/b/c/x.csv");
  write_all(out / "x.csv", "kept");
  const OutputFolder again(folder / "a/b/c");
  CHECK(read_all(again / "x.csv") == "kept");
}

TEST_CASE("a folder that cannot be made or written is refused with what to do") {
  const ScratchFolder folder("out_wrong");
  write_all(folder / "file", "x");
  const std::string below = (folder / "file/below").string();
  CHECK(message_of([&] { OutputFolder{below}; }) ==
        "cannot write to '" + below + "': Not a directory; choose another folder with --out");
  const std::string file = (folder / "file").string();
  const std::string message = message_of([&] { OutputFolder{file}; });
  CHECK(message.find("cannot write to '" + file + "': ") == 0);
  CHECK(message.find("; choose another folder with --out") != std::string::npos);
  CHECK_THROWS_AS(OutputFolder(""), std::runtime_error);
}
