// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/demonstration.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace studies::laser {
namespace {

using figures::format_number;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string screen_line(const std::array<std::string, 5>& columns) {
  return "  " + padded(columns[0], 36) + padded(columns[1], 27) + padded(columns[2], 25) + padded(columns[3], 12) +
         columns[4] + "\n";
}

std::string in_times(double more, double less, const char* word) {
  return "   (" + format_number(more / less, 2) + " times " + word + ")";
}

std::string plan_in_words(const PlannerResult& planner, const PlannerResult& exact) {
  static const std::vector<std::pair<std::string, std::string>> names = {
      {"eq8", "shapes of the mesh at rest"},
      {"grid_enough", "a grid of these, with gradients"},
      {"grid_jets", "a grid, with second derivatives"},
      {"grid_inertial", "the same, with the arm's inertia"}};
  std::string name = planner.name;
  for (const auto& [key, words] : names)
    if (planner.key == key) name = words;
  const bool is_exact = &planner == &exact;
  return screen_line(
      {name,
       quoin::to_text(std::lround(planner.evaluations)) +
           (is_exact ? "" : in_times(exact.evaluations, planner.evaluations, "fewer")),
       format_number(planner.seconds, 2) + " s" + (is_exact ? "" : in_times(exact.seconds, planner.seconds, "less")),
       format_number(1e3 * planner.replay.largest_error, 2) + " mm",
       planner.polished ? format_number(1e3 * planner.polished->largest_error, 2) + " mm" : ""});
}

/// Shows the pictures, each with what it shows, those that are not there left out.
void write_index(const figures::OutputFolder& out) {
  const std::vector<std::pair<std::string, std::string>> pictures = {
      {"arm_3d_moving.svg", "The arm, its laser and the plate"},
      {"spot_3d.svg", "The spot's path against the circle"},
      {"evaluations.svg", "How often the mesh was asked, with and without the grid"},
      {"obstacles.svg", "The same with obstacles"}};
  std::ofstream page(out.path() / "index.html");
  page << "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>A soft arm, planned through a "
          "grid</title>\n"
          "<style>body{font:16px "
          "sans-serif;margin:2em}main{display:flex;flex-wrap:wrap;gap:2em}figure{margin:0;width:46%}"
          "img{width:100%}</style>\n<h1>A soft arm, planned through a grid</h1>\n<main>\n";
  for (const auto& [file, words] : pictures)
    page << "<figure><img src=\"" << file << "\" alt=\"" << words
         << "\" onerror=\"this.parentNode.remove()\"><figcaption>" << words << "</figcaption></figure>\n";
  page << "</main>\n<p><a href=\"report.md\">All numbers and checks</a></p>\n</html>\n";
}

}  // namespace

void shorten(studies::Report& report, const ArmResult<3>& result, const figures::OutputFolder& out) {
  std::ofstream whole(out.path() / "report.md");
  whole << report.tables << "\n";
  for (const std::string& note : report.notes) whole << "- " << note << "\n";
  whole << "\n" << to_markdown(report.checks);
  write_index(out);

  const PlannerResult* exact = result.find("eq8");
  if (exact == nullptr) return;
  report.tables = "  The spot's largest distance from the circle, with the plan run on the mesh in motion:\n\n" +
                  screen_line({"planned on", "asked the mesh", "planning time", "as planned", "corrected"});
  report.tables += plan_in_words(*exact, *exact);
  for (const PlannerResult& planner : result.planners)
    if (planner.grid && planner.key != "grid") report.tables += plan_in_words(planner, *exact);
  if (const PlannerResult* full = result.find("eq2"); full && full->plan.finished)
    report.tables += screen_line({"the mesh in motion", quoin::to_text(std::lround(full->evaluations)) + " steps",
                                  format_number(full->seconds, 2) + " s",
                                  format_number(1e3 * full->replay.largest_error, 2) + " mm", ""});
  report.tables +=
      "\n  Shapes at rest are what the paper plans with (Eq. 8). \"Corrected\" is after a Gauss-Newton step on the "
      "mesh in motion\n  or, with inertia, after rollouts of it: ";
  if (const PlannerResult* inertial = result.find("grid_inertial"); inertial && inertial->plan.polished)
    report.tables += quoin::to_text(inertial->plan.polished->log.size()) + " in " +
                     format_number(inertial->plan.polished->seconds, 2) + " s.\n";
  report.notes.clear();
  report.pictures.clear();  // scripts/demo.sh draws them
  report.files =
      "  index.html   the motion, the spot, what the grid saved        report.md   all numbers and checks\n"
      "Next: docs/first_hour.md (your own function, in Python), docs/tutorial (in C++).\n";
}

}  // namespace studies::laser
