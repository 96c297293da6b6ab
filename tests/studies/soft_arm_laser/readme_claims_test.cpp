// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/readme_claims.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

namespace laser = studies::laser;

namespace {

/// The first number of each cell of a row of a Markdown table, not_measured where there is none.
std::vector<double> numbers_of(const std::string& row) {
  std::vector<double> numbers;
  std::istringstream cells(row.substr(1));
  for (std::string cell; std::getline(cells, cell, '|');) {
    std::istringstream words(cell);
    words.imbue(std::locale::classic());
    double number = laser::not_measured;
    if (cell.find("to 1 %") == std::string::npos && !(words >> number)) number = laser::not_measured;
    numbers.push_back(number);
  }
  return numbers;
}

bool same(double claimed, double printed) { return (std::isnan(claimed) && std::isnan(printed)) || claimed == printed; }

bool all_hold(const std::vector<studies::Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const studies::Check& check) { return check.holds; });
}

}  // namespace

TEST_CASE("README's table of the soft arm has the figures that the programs are held to") {
  std::ifstream readme(QUOIN_ROOT "/README.md");
  REQUIRE(readme);
  std::string line;
  while (std::getline(readme, line) && line.rfind("| the soft arm above, 200 steps, planned on |", 0) != 0) {
  }
  REQUIRE(std::getline(readme, line));  // the table's rule
  const auto figures = [](const std::string& key) {
    const auto& rows = laser::readme_rows();
    return std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.key == key; })->figures;
  };
  for (const std::string key : {"eq8", "grid_jets", "grid_inertial", "corrected", "eq2"}) {
    REQUIRE(std::getline(readme, line));
    INFO(line);
    const std::vector<double> numbers = numbers_of(line);
    REQUIRE(numbers.size() == 4);
    if (key == "corrected") {
      CHECK(same(figures("grid_inertial").seconds_in_all, numbers[2]));
      continue;
    }
    CHECK(same(figures(key).evaluations, numbers[1]));
    CHECK(same(figures(key).seconds, numbers[2]));
    CHECK(same(figures(key).spot, numbers[3]));
  }
}

TEST_CASE("the page's table of the soft arm has the figures that the programs are held to") {
  std::ifstream page(QUOIN_ROOT "/docs/studies/soft_arm_laser.md");
  REQUIRE(page);
  std::string line;
  while (std::getline(page, line) && line.rfind("| planned on |", 0) != 0) {
  }
  REQUIRE(std::getline(page, line));  // the table's rule
  for (const laser::ReadmeRow& row : laser::readme_rows()) {
    REQUIRE(std::getline(page, line));
    INFO(row.key << ": " << line);
    const std::vector<double> numbers = numbers_of(line);
    REQUIRE(numbers.size() == 7);
    CHECK(same(row.figures.evaluations, numbers[1]));
    CHECK(same(row.figures.seconds, numbers[2]));
    CHECK(same(row.figures.cost, numbers[3]));
    CHECK(same(row.figures.finished, numbers[5]));
    CHECK(same(row.figures.seconds_in_all, numbers[6]));
  }
  REQUIRE(std::getline(page, line));
  CHECK(line.empty());
}

TEST_CASE("what is as good as README says holds its claims, and one figure that is worse fails") {
  const auto row = [](std::size_t i) { return laser::readme_rows()[i].figures; };
  const auto checks = [&](const laser::PlanFigures& plan) {
    return laser::check_readme_counts("", "grid", plan, row(0), row(5));
  };
  CHECK(checks(row(1)).size() == 6);
  CHECK(all_hold(checks(row(1))));
  for (double laser::PlanFigures::*figure :
       {&laser::PlanFigures::evaluations, &laser::PlanFigures::cost, &laser::PlanFigures::finished}) {
    laser::PlanFigures worse = row(1);
    worse.*figure *= 1.001;
    CHECK_FALSE(all_hold(checks(worse)));
  }
  laser::PlanFigures missing = row(1);
  missing.spot *= 1.03;
  CHECK_FALSE(all_hold(checks(missing)));
  laser::PlanFigures cheap_exact = row(0);
  cheap_exact.evaluations *= 0.9;
  CHECK_FALSE(all_hold(laser::check_readme_counts("", "grid", row(1), cheap_exact, row(5))));
  // Without the exact planners: the evaluations and costs.
  CHECK(laser::check_readme_counts("", "grid", row(1), {}, {}).size() == 4);

  const double faster = row(0).seconds / row(2).seconds, in_all = row(5).seconds / row(2).seconds_in_all;
  CHECK(all_hold(laser::check_readme_times("", "grid_enough", faster, in_all)));
  CHECK(all_hold(laser::check_readme_times("", "grid_enough", 0.51 * faster, 0.51 * in_all)));
  CHECK_FALSE(all_hold(laser::check_readme_times("", "grid_enough", 0.49 * faster, in_all)));
  CHECK_FALSE(all_hold(laser::check_readme_times("", "grid_enough", faster, 0.49 * in_all)));
}
