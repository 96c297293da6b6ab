// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/figures/svg_drawing.hpp"
#include "quoin/util/to_text.hpp"
#include "testing/writing_laws.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace studies::figures;
namespace fs = std::filesystem;

namespace {

JsonResults results() {
  JsonResults results;
  for (int i = 0; i < 200; ++i) results.add(ResultRow().set("number", i).set("its eighth", i / 8.0));
  return results;
}

SvgDrawing drawing() {
  SvgDrawing drawing({.title = "drawing"});
  Eigen::Matrix2Xd points(2, 500);
  points << Eigen::RowVectorXd::LinSpaced(500, 0, 12345.5), Eigen::RowVectorXd::LinSpaced(500, 0.5, 9000);
  drawing.panel().line(points, {.label = "line"});
  return drawing;
}

}  // namespace

TEST_CASE("on a full disk results and pictures stay as they were, and nothing is left beside them") {
  leaves_files_as_they_were_on_a_full_disk("json_disk", [](const fs::path& file) { results().write(file); });
  leaves_files_as_they_were_on_a_full_disk("svg_disk", [](const fs::path& file) { drawing().write(file); });
}

TEST_CASE("results, pictures and tables that cannot be written say which file and why") {
  const ScratchFolder folder("why");
  fs::create_symlink("/dev/full", folder / "full");
  const std::string full = "cannot write '" + (folder / "full").string() + "': No space left on device";
  CHECK(message_of([&] { results().write(folder / "full"); }) == full);
  CHECK(message_of([&] { drawing().write(folder / "full"); }) == full);
  CHECK(message_of([&] { CsvWriter(folder / "full", {"x"}); }) == full);
  CHECK(message_of([&] { CsvWriter(folder / "none/a", {"x"}); }).find("No such file or directory") !=
        std::string::npos);
}

TEST_CASE("every row that a CSV took is in the file, also when the disk is full") {
  const ScratchFolder folder("csv_disk");
  CsvWriter csv(folder / "rows.csv", {"a", "b"});
  int taken = 0;
  std::string message;
  {
    const FullDisk disk(5000);
    message = message_of([&] {
      for (; taken < 700; ++taken) csv.row({1.0 * taken, 0.25});
    });
  }
  CHECK(message == "cannot write '" + (folder / "rows.csv").string() + "': File too large");
  CHECK(taken < 700);
  const auto expected = [](int rows) {
    std::string text = "a,b\n";
    for (int k = 0; k < rows; ++k) text += quoin::to_text(k) + ",0.25\n";
    return text;
  };
  CHECK(read_all(folder / "rows.csv") == expected(taken));
  for (; taken < 700; ++taken) csv.row({1.0 * taken, 0.25});  // space was freed
  CHECK(read_all(folder / "rows.csv") == expected(700));
  csv.close();
  CHECK(message_of([&] { csv.row({1, 2}); }).find("cannot write") != std::string::npos);
  CHECK(read_all(folder / "rows.csv") == expected(700));
}

TEST_CASE("a folder that turns out to be full is refused, and nothing is left in it") {
  const ScratchFolder folder("full_folder");
  {
    const FullDisk disk(3);
    CHECK(message_of([&] { OutputFolder out(folder.path()); }).find("File too large") != std::string::npos);
  }
  CHECK(names_in(folder.path()).empty());
}
