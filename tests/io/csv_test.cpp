// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/io/csv.hpp"
#include "files.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

using namespace quoin::io;

TEST_CASE("every double that CsvWriter writes reads back to the same bits") {
  const ScratchFolder folder("csv");
  const std::vector<double> hard = {0.1,
                                    1.0 / 3,
                                    -0.0,
                                    5e-324,
                                    1.7976931348623157e308,
                                    6.02214076e23,
                                    -1e-17,
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};
  {
    CsvWriter csv(folder / "a.csv", {"value", "its index"});
    for (std::size_t i = 0; i < hard.size(); ++i) {
      csv.row({hard[i], static_cast<double>(i)});
    }
    csv.row(Eigen::Vector2d(std::nan(""), 9));
  }
  const CsvTable table = read_csv(folder / "a.csv");
  REQUIRE(table.header == std::vector<std::string>{"value", "its index"});
  REQUIRE(table.rows.rows() == 10);
  const Eigen::VectorXd values = table.column("value");
  for (std::size_t i = 0; i < hard.size(); ++i) {
    CHECK(std::memcmp(&values[static_cast<Eigen::Index>(i)], &hard[i], sizeof(double)) == 0);
  }
  CHECK(std::isnan(values[9]));
  CHECK(table.column("its index") == Eigen::VectorXd::LinSpaced(10, 0, 9));
}

TEST_CASE("a CSV header with commas and quotes survives") {
  const ScratchFolder folder("csv_header");
  { CsvWriter(folder / "a.csv", {"x, m", "the \"true\" y"}).row({1, 2}); }
  CHECK(read_csv(folder / "a.csv").header == std::vector<std::string>{"x, m", "the \"true\" y"});
}

TEST_CASE("what is wrong with a CSV row, column or file is said with its numbers") {
  const ScratchFolder folder("csv_wrong");
  CsvWriter csv(folder / "a.csv", {"x", "y"});
  CHECK_THROWS_AS(csv.row({1, 2, 3}), std::invalid_argument);
  CHECK(message_of([&] { csv.row({1, 2, 3}); }).find("2 columns, the row has 3 values") != std::string::npos);
  CHECK_THROWS_AS(CsvWriter(folder / "b.csv", {}), std::invalid_argument);
  CHECK_THROWS_AS(CsvWriter(folder / "no/such/folder/b.csv", {"x"}), std::runtime_error);
  write_all(folder / "text.csv", "x,y\n1,2\n3,four\n");
  CHECK(message_of([&] { read_csv(folder / "text.csv"); }).find("line 3: 'four' is not a number") != std::string::npos);
  write_all(folder / "short.csv", "x,y\n1\n");
  CHECK(message_of([&] { read_csv(folder / "short.csv"); }).find("line 2: 1 values under 2 columns") !=
        std::string::npos);
  write_all(folder / "empty.csv", "");
  CHECK_THROWS_AS(read_csv(folder / "empty.csv"), std::runtime_error);
  CHECK_THROWS_AS(read_csv(folder.path()), std::runtime_error);
  write_all(folder / "windows.csv", "x,y\r\n1,2\r\n");
  const CsvTable table = read_csv(folder / "windows.csv");
  CHECK(table.column("y")[0] == 2);
  CHECK(message_of([&] { table.column("z"); }) == "CsvTable::column: no column 'z' among x, y");
}
