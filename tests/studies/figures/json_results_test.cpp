// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/json_results.hpp"
#include "testing/files.hpp"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

using namespace studies::figures;

namespace {

JsonResults some_results() {
  JsonResults results;
  results.add(ResultRow()
                  .set("example", "arm 3D | \"quoted\"")
                  .set("N", 1575)
                  .set("f_seconds", 0.1 + 0.2)
                  .set("ok", true)
                  .set("error", std::nan(""))
                  .set("bound", std::numeric_limits<double>::infinity())
                  .set("spacings", ResultValue(std::vector<double>{0.5, 0.25, std::nan("")}))
                  .set("names", ResultValue(std::vector<std::string>{"a", "b"})));
  results.add(ResultRow().set("example", "arm 2D").set("N", std::size_t{42}).set("f_seconds", 1.2345e-7));
  return results;
}

}  // namespace

TEST_CASE("results are an array of objects whose numbers keep their bits, NaN and infinity being null") {
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(some_results().to_json());
  REQUIRE(json.is_array());
  REQUIRE(json.size() == 2);
  CHECK(json[0]["example"] == "arm 3D | \"quoted\"");
  CHECK(json[0]["N"] == 1575);
  CHECK(json[0]["N"].is_number_integer());
  CHECK(json[0]["f_seconds"].get<double>() == 0.1 + 0.2);
  CHECK(json[0]["ok"] == true);
  CHECK(json[0]["error"].is_null());
  CHECK(json[0]["bound"].is_null());
  CHECK(json[0]["spacings"][1] == 0.25);
  CHECK(json[0]["spacings"][2].is_null());
  CHECK(json[0]["names"][1] == "b");
  CHECK(json[1]["N"] == 42);
  CHECK(json[0].begin().key() == "example");
}

TEST_CASE("what is written are the results, and where it cannot be, that is said") {
  const ScratchFolder folder("json");
  some_results().write(folder / "a.json");
  CHECK(read_all(folder / "a.json") == some_results().to_json());
  CHECK_THROWS_AS(some_results().write(folder / "no/a.json"), std::runtime_error);
}

TEST_CASE("a text that is not UTF-8 does not stop the writing of results") {
  JsonResults results;
  results.add(ResultRow().set("name", "caf\xe9"));
  CHECK_NOTHROW(nlohmann::json::parse(results.to_json()));
}

TEST_CASE("setting a key again replaces its value and keeps its place") {
  const ResultRow row = ResultRow().set("a", 1).set("b", 2).set("a", "three");
  REQUIRE(row.entries().size() == 2);
  CHECK(row.entries()[0].first == "a");
  CHECK(std::get<std::string>(row.at("a")) == "three");
}

TEST_CASE("the Markdown table aligns, titles and rounds the chosen columns") {
  CHECK(some_results().markdown({{"example", "Example", 3}, {"N"}, {"f_seconds", "f [s]", 2}, {"error"}, {"ok"}}) ==
        "| Example            |    N |   f [s] | error | ok  |\n"
        "| ------------------ | ---: | ------: | ----: | --- |\n"
        "| arm 3D \\| \"quoted\" | 1575 |    0.30 |     - | yes |\n"
        "| arm 2D             |   42 | 1.2e-07 |       |     |\n");
}

TEST_CASE("without chosen columns the Markdown table has the columns that rows show") {
  JsonResults results;
  results.add(ResultRow().set("table", "1").show("N", 42).show("error", 0.123, "error [%]", 2));
  results.add(ResultRow().set("table", "1").show("N", 7).show("more", "yes"));
  CHECK(results.markdown() ==
        "|   N | error [%] | more |\n"
        "| --: | --------: | ---- |\n"
        "|  42 |      0.12 |      |\n"
        "|   7 |           | yes  |\n");
  CHECK(results.with("more").rows().size() == 1);
}

TEST_CASE("without chosen columns the Markdown table has every key that occurs") {
  const std::string table = some_results().markdown();
  CHECK(table.substr(0, table.find('\n')).find("| names |") != std::string::npos);
  CHECK(table.find("0.500, 0.250, -") != std::string::npos);
}

TEST_CASE("format_number gives the asked significant digits, also where rounding carries") {
  CHECK(format_number(0.0) == "0");
  CHECK(format_number(1.0) == "1.00");
  CHECK(format_number(9.999) == "10.0");
  CHECK(format_number(999.6) == "1000");
  CHECK(format_number(123456.0) == "123000");
  CHECK(format_number(999999.0) == "1.00e+06");
  CHECK(format_number(-0.00123456) == "-0.00123");
  CHECK(format_number(0.00099999) == "0.00100");
  CHECK(format_number(7.04e-6, 2) == "7.0e-06");
  CHECK(format_number(22.4, 1) == "20");
  CHECK(format_number(std::nan("")) == "-");
  CHECK(format_number(-std::numeric_limits<double>::infinity()) == "-inf");
}
