// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/brace_report.hpp"
#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace studies::brace {
namespace {

using figures::format_number;

std::string verdict_of(const PoseResult& found) {
  if (found.feasible)
    return "feasible from " + to_text(found.feasible_starts) + " of " + to_text(found.starts) + " starts";
  std::string words;
  for (const auto& [verdict, count] : found.verdicts)
    words += (words.empty() ? "" : ", ") + to_text(count) + " " + verdict;
  return "none (" + words + "): " + found.violated + " missed by at least " + format_number(100 * found.violation, 2) +
         (found.violated.starts_with("statics") ? " N cm" : " cm");
}

void add_search(studies::Report& report, const SceneSearch& search) {
  const BraceScene& scene = search.scene;
  figures::JsonResults table;
  figures::ResultRow without;
  without.set("table", "search").set("scene", scene.name).set("n", "no brace").set("feasible", search.free.feasible);
  without.set("verdict", verdict_of(search.free));
  if (search.free.feasible) without.set("effort", search.free.objective);
  table.add(std::move(without));
  for (const Attempt& attempt : search.attempts) {
    figures::ResultRow row;
    row.set("table", "search").set("scene", scene.name).set("n", to_text(attempt.n));
    row.set("feasible", attempt.found.feasible).set("verdict", verdict_of(attempt.found));
    if (attempt.found.feasible) {
      const Eigen::Vector3d contact = attempt.pose.contact(attempt.found.z);
      row.set("effort", attempt.found.objective).set("normal_force", contact[1]);
      row.set("friction_ratio", std::abs(contact[2]) / contact[1]);
      row.set("indentation_mm", 1e3 * contact[1] / scene.radial_stiffness);
    } else {
      row.set("violation", attempt.found.violation);
    }
    table.add(std::move(row));
  }
  report.add_table("### Eq. 36, ball " + scene.name + ", friction " + format_number(scene.friction), table,
                   {{"n"},
                    {"verdict"},
                    {"effort", "effort [(N m)^2]"},
                    {"normal_force", "Fn [N]"},
                    {"friction_ratio", "Ft / Fn"},
                    {"indentation_mm", "skin gives way [mm]"}});
  if (search.chosen < 0)
    report.notes.push_back("Ball " + scene.name + ": no brace is feasible for any n, so the arm reaches without (" +
                           (search.free.feasible ? "effort " + format_number(search.free.objective)
                                                 : std::string("which is infeasible too")) +
                           ").");
}

bool holds(const BracedMotion& braced, double friction) {
  return braced.held_by[0] > 0 && std::abs(braced.held_by[1]) <= friction * braced.held_by[0];
}

struct Way {
  const char* name;
  std::function<const Motion&(const PlantRuns&)> motion;
  std::function<const BracedMotion*(const PlantRuns&)> braced;
};

std::vector<Way> ways() {
  const auto none = [](const PlantRuns&) -> const BracedMotion* { return nullptr; };
  const auto of = [](const char* name, BracedMotion PlantRuns::*which) {
    return Way{name, [which](const PlantRuns& run) -> const Motion& { return (run.*which).motion; },
               [which](const PlantRuns& run) { return &(run.*which); }};
  };
  return {{"no brace", [](const PlantRuns& run) -> const Motion& { return run.free; }, none},
          of("brace, by damping", &PlantRuns::braced),
          of("the same, not planned again", &PlantRuns::not_replanned),
          of("brace, by the ball's contact", &PlantRuns::touching),
          {"no brace, servo with the plan's torques",
           [](const PlantRuns& run) -> const Motion& { return run.free_forward; }, none},
          of("brace, the same", &PlantRuns::braced_forward)};
}

figures::ResultRow row_of(const std::string& plant, const Way& way, const std::vector<PlantRuns>& runs,
                          std::size_t first, std::size_t last, double friction) {
  double error = 0, worst = 0, effort = 0, spent = 0, slip = 0;
  int held = 0, braces = 0;
  bool touching = false;
  for (std::size_t i = first; i < last; ++i) {
    const Motion& motion = way.motion(runs[i]);
    error += motion.tip_error;
    worst = std::max(worst, motion.tip_error);
    effort += motion.final_effort();
    spent += motion.spent;
    if (const BracedMotion* braced = way.braced(runs[i])) {
      ++braces;
      held += holds(*braced, friction);
      slip = std::max(slip, braced->slip);
      touching = braced == &runs[i].touching;
    }
  }
  const double count = static_cast<double>(last - first);
  figures::ResultRow row;
  row.set("table", "motions").set("plant", plant).set("way", way.name).set("tip_error_cm", 100 * error / count);
  if (count > 1) row.set("worst_cm", 100 * worst);
  row.set("effort", effort / count).set("spent", spent / count);
  if (braces > 0) row.set("slip_mm", 1e3 * slip);
  if (braces > 0 && !touching) row.set("held", to_text(held) + " of " + to_text(braces));
  return row;
}

void add_motions(studies::Report& report, const BraceResults& results) {
  const double friction = results.searches.front().scene.friction;
  figures::JsonResults table;
  const auto add = [&](const std::string& plant, std::size_t first, std::size_t last) {
    for (const Way& way : ways()) table.add(row_of(plant, way, results.runs, first, last, friction));
  };
  for (std::size_t i = 0; i < 3; ++i) add(results.runs[i].plant, i, i + 1);
  add(to_text(results.runs.size() - 3) + " random plants, mean", 3, results.runs.size());
  report.add_table("### Motions, 9 s each", table,
                   {{"plant"},
                    {"way"},
                    {"tip_error_cm", "tip's error [cm]"},
                    {"worst_cm", "worst [cm]"},
                    {"effort", "effort at the end [(N m)^2]"},
                    {"spent", "spent [(N m)^2 s]"},
                    {"slip_mm", "slips, at most [mm]", 2},
                    {"held", "friction would hold"}});
}

void add_checks(studies::Report& report, const BraceResults& results, bool pinned) {
  const auto claim = [&](std::string words, bool holds) {
    report.checks.push_back({.claim = std::move(words), .holds = holds, .binding = pinned});
  };
  const SceneSearch& search = results.searches.front();
  const BraceScene& scene = search.scene;
  const Eigen::Vector3d contact = search.brace().pose.contact(search.brace().found.z);
  claim("n = 1 is infeasible, n = 2 has a brace, as in Fig. 15", search.brace().n == 2);
  claim("the brace at least halves the planned effort: " + format_number(search.free.objective) + " -> " +
            format_number(search.brace().found.objective),
        search.brace().found.objective < 0.5 * search.free.objective);
  claim("condition 1: Ft / Fn = " + format_number(std::abs(contact[2]) / contact[1]) + " is at most " +
            format_number(scene.used_friction * scene.friction) + ", below the friction of " +
            format_number(scene.friction),
        std::abs(contact[2]) <= scene.used_friction * scene.friction * contact[1] + 1e-6);
  claim("condition 2: Fn = " + format_number(contact[1]) + " N makes the skin give way by at most 3 mm",
        contact[1] <= 3e-3 * scene.radial_stiffness);
  const PlantRuns& exact = results.runs[0];
  const PlantRuns& heavy = results.runs[1];
  const auto mean_of = [&](const auto& of, std::size_t first) {
    double sum = 0;
    for (std::size_t i = first; i < results.runs.size(); ++i) sum += of(results.runs[i]);
    return sum / static_cast<double>(results.runs.size() - first);
  };
  const auto error_of = [&](const auto& motion) {  // cm, mean over the random plants
    return mean_of([&](const PlantRuns& run) { return 100 * motion(run).tip_error; }, 3);
  };
  const auto free = [](const PlantRuns& run) -> const Motion& { return run.free; };
  const auto braced = [](const PlantRuns& run) -> const Motion& { return run.braced.motion; };
  const auto touching = [](const PlantRuns& run) -> const Motion& { return run.touching.motion; };
  const auto spent_of = [&](const auto& motion) {  // mean over all plants
    return mean_of([&](const PlantRuns& run) { return motion(run).spent; }, 0);
  };
  const auto compare = [&](const std::string& where, double without, double with, double factor, const char* unit) {
    claim(where + ": " + format_number(without) + " -> " + format_number(with) + unit + ", at most " +
              format_number(factor) + " times",
          with <= factor * without);
  };
  compare("tip's error, the model itself", 100 * exact.free.tip_error, 100 * exact.braced.motion.tip_error, 0.5, " cm");
  compare("tip's error, 20 % more mass", 100 * heavy.free.tip_error, 100 * heavy.braced.motion.tip_error, 0.5, " cm");
  compare("tip's error, random plants", error_of(free), error_of(braced), 0.5, " cm");
  compare("the same, held by the ball's contact", error_of(free), error_of(touching), 0.6, " cm");
  compare("effort spent in 9 s, all plants", spent_of(free), spent_of(braced), 0.5, " (N m)^2 s");
  claim("held by the ball's contact, no plant's arm slips by half a millimetre",
        std::ranges::all_of(results.runs, [](const auto& r) { return r.touching.touched && r.touching.slip < 5e-4; }));
  double fastest = 0;
  for (const PlantRuns& run : results.runs)
    for (const Way& way : ways())
      fastest = std::max(fastest, way.motion(run).states.rightCols(1).bottomRows(4).cwiseAbs().maxCoeff());
  claim("every motion has come to rest: at most " + format_number(fastest, 2) + " rad/s", fastest < 5e-3);
  claim("no arm is pressed deeper into the ball than its skin may give way",
        std::ranges::all_of(results.runs, [&](const auto& r) {
          return std::min(r.braced.motion.ball_gap, r.touching.motion.ball_gap) >= -scene.allowed_indentation;
        }));
  claim("the steep ball braces while it is dry, and not while it is wet: it takes its friction",
        results.searches[1].chosen >= 0 && results.searches[2].chosen < 0);
  claim("a ball out of reach is said to be infeasible for every n, and the arm reaches without a brace",
        results.searches[3].chosen < 0 && results.searches[3].free.feasible);
}

}  // namespace

studies::Report report_on(const BraceResults& results, const MotionOptions& options, bool pinned) {
  studies::Report report;
  for (const SceneSearch& search : results.searches) add_search(report, search);
  add_motions(report, results);
  const BracedMotion& braced = results.runs.front().braced;
  report.notes.push_back("Touched after " + format_number(braced.touched_at) + " s, planned again at " +
                         format_number(options.distal_start) + " s; since the touch the brace point crept by " +
                         format_number(1e3 * braced.slip, 2) + " mm under a damping of " +
                         format_number(options.held_damping) + " N m s, steps of " + format_number(1e3 * options.step) +
                         " ms.");
  report.notes.push_back(
      "\"Friction would hold\": the force that a brace held by damping has to take at the end lies in its friction "
      "cone "
      "on that plant. Raised damping holds where no friction would; the ball's contact has its friction, and the "
      "servo.");
  add_checks(report, results, pinned);
  return report;
}

}  // namespace studies::brace
