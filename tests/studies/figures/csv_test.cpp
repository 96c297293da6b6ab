// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"
#include "testing/files.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

using namespace studies::figures;

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
  std::istringstream in(read_all(folder / "a.csv"));
  std::string line;
  REQUIRE(std::getline(in, line));
  CHECK(line == "value,its index");
  for (std::size_t i = 0; i < hard.size(); ++i) {
    REQUIRE(std::getline(in, line));
    const std::size_t comma = line.find(',');
    double value = 0;
    REQUIRE(quoin::parse_number(line.substr(0, comma), value));
    CHECK(std::memcmp(&value, &hard[i], sizeof(double)) == 0);
    CHECK(line.substr(comma + 1) == quoin::to_text(i));
  }
  REQUIRE(std::getline(in, line));
  CHECK(line == "nan,9");
  CHECK_FALSE(std::getline(in, line));
}

TEST_CASE("a name with commas or quotes stands in quotes in the header of a CSV") {
  const ScratchFolder folder("csv_header");
  { CsvWriter(folder / "a.csv", {"x, m", "the \"true\" y"}).row({1, 2}); }
  CHECK(read_all(folder / "a.csv") == "\"x, m\",\"the \"\"true\"\" y\"\n1,2\n");
}

TEST_CASE("what is wrong with a CSV row or file is said with its numbers") {
  const ScratchFolder folder("csv_wrong");
  CsvWriter csv(folder / "a.csv", {"x", "y"});
  CHECK_THROWS_AS(csv.row({1, 2, 3}), std::invalid_argument);
  CHECK(message_of([&] { csv.row({1, 2, 3}); }).find("2 columns, the row has 3 values") != std::string::npos);
  CHECK_THROWS_AS(CsvWriter(folder / "b.csv", {}), std::invalid_argument);
  CHECK_THROWS_AS(CsvWriter(folder / "no/such/folder/b.csv", {"x"}), std::runtime_error);
}
