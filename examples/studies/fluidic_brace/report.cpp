// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/brace_report.hpp"
#include "examples/studies/program/statistics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

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

/// One of the motions of a plant.
struct Way {
  const char* servo;
  const char* name;
  std::function<const Motion&(const PlantRuns&)> motion;
  std::function<const BracedMotion*(const PlantRuns&)> braced;  ///< null without a brace
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = [] {
    std::vector<Way> ways;
    const auto add_free = [&](const char* servo, const char* name, auto which) {
      ways.push_back({servo, name, which, [](const PlantRuns&) -> const BracedMotion* { return nullptr; }});
    };
    const auto add_braced = [&](const char* servo, const char* name, auto which) {
      ways.push_back({servo, name, [which](const PlantRuns& run) -> const Motion& { return which(run).motion; },
                      [which](const PlantRuns& run) { return &which(run); }});
    };
    for (const auto& [servo, runs] :
         {std::pair{"with the plan's torques", &PlantRuns::planned}, std::pair{"alone", &PlantRuns::alone}}) {
      add_free(servo, "no brace", [runs = runs](const PlantRuns& run) -> const Motion& { return (run.*runs).free; });
      add_braced(servo, "brace, by contact",
                 [runs = runs](const PlantRuns& run) -> const BracedMotion& { return (run.*runs).contact; });
      add_braced(servo, "brace, by raised damping",
                 [runs = runs](const PlantRuns& run) -> const BracedMotion& { return (run.*runs).damping; });
      if (runs != &PlantRuns::planned) continue;
      add_braced(servo, "brace, by contact, not planned again",
                 [](const PlantRuns& run) -> const BracedMotion& { return run.not_replanned; });
      add_braced(servo, "brace, by contact without friction",
                 [](const PlantRuns& run) -> const BracedMotion& { return run.frictionless; });
      add_free(servo, "no brace, corrected by what is measured",
               [](const PlantRuns& run) -> const Motion& { return run.corrected; });
    }
    return ways;
  }();
  return all;
}

template <class Quantity>
std::vector<double> all_of(const std::vector<PlantRuns>& runs, const Quantity& quantity) {
  std::vector<double> values;
  for (const PlantRuns& run : runs) values.push_back(quantity(run));
  return values;
}

template <class Event>
studies::Rate rate_of(const std::vector<PlantRuns>& runs, const Event& event) {
  studies::Rate rate;
  for (const PlantRuns& run : runs) rate.count(event(run));
  return rate;
}

constexpr double close = 0.01;  // m, the grabs' tolerance

/// The comparison that counts: both reaches have the plan's torques, and the ball's contact holds the brace.
void add_comparison(studies::Report& report, const BraceResults& results) {
  figures::JsonResults table;
  const auto add = [&](const std::string& plant, const std::vector<PlantRuns>& runs, double part) {
    figures::ResultRow row;
    row.set("table", "comparison").show("plant", plant);
    const auto show = [&](const std::string& key, const std::string& title, const auto& quantity) {
      row.show(key, studies::quantile(all_of(runs, quantity), part), title);
    };
    show("free_cm", "tip's error without [cm]", [](const PlantRuns& run) { return 100 * run.planned.free.tip_error; });
    show("braced_cm", "with a brace", [](const PlantRuns& run) { return 100 * run.planned.contact.motion.tip_error; });
    show("free_effort", "effort at the end without [(N m)^2]",
         [](const PlantRuns& run) { return run.planned.free.final_effort(); });
    show("braced_effort", "with", [](const PlantRuns& run) { return run.planned.contact.motion.final_effort(); });
    show("free_spent", "spent without [(N m)^2 s]", [](const PlantRuns& run) { return run.planned.free.spent; });
    show("braced_spent", "with", [](const PlantRuns& run) { return run.planned.contact.motion.spent; });
    show("slip_mm", "slips [mm]", [](const PlantRuns& run) { return 1e3 * run.planned.contact.slip; });
    show("friction_newton", "friction holds [N]",
         [](const PlantRuns& run) { return run.planned.contact.friction_force; });
    table.add(std::move(row));
  };
  for (const PlantRuns& run : results.known) add(run.plant, {run}, 0.5);
  const std::string random = to_text(results.random.size()) + " random plants, ";
  add(random + "median", results.random, 0.5);
  add(random + "90 % are below", results.random, 0.9);
  report.add_table("### With the plan's torques, the brace held by the ball's contact and friction: motions of " +
                       format_number(results.choice.motion.end) + " s",
                   table);
}

bool holds(const BracedMotion& braced, double friction) {
  return braced.held_by[0] > 0 && std::abs(braced.held_by[1]) <= friction * braced.held_by[0];
}

void add_ways(studies::Report& report, const BraceResults& results) {
  const double friction = results.searches.front().scene.friction;
  figures::JsonResults table;
  for (const Way& way : ways()) {
    const auto error = [&](const PlantRuns& run) { return 100 * way.motion(run).tip_error; };
    const std::vector<double> errors = all_of(results.random, error);
    figures::ResultRow row;
    row.set("table", "ways").show("servo", way.servo).show("way", way.name);
    row.show("exact_cm", error(results.known.front()), "tip's error, the model itself [cm]");
    row.show("median_cm", studies::median(errors), "random plants, median");
    row.show("ninety_cm", studies::quantile(errors, 0.9), "90 % are below");
    row.show("close",
             studies::in_words(
                 rate_of(results.random, [&](const PlantRuns& run) { return way.motion(run).tip_error <= close; })),
             "within 1 cm");
    row.show("spent",
             studies::median(all_of(results.random, [&](const PlantRuns& run) { return way.motion(run).spent; })),
             "spent, median [(N m)^2 s]");
    if (way.braced(results.known.front())) {
      row.show("moved_mm",
               studies::quantile(
                   all_of(results.random, [&](const PlantRuns& run) { return 1e3 * way.braced(run)->moved; }), 0.9),
               "brace moves, 90 % are below [mm]", 2);
      row.show("held",
               studies::in_words(
                   rate_of(results.random, [&](const PlantRuns& run) { return holds(*way.braced(run), friction); })),
               "force at the end within friction");
    }
    table.add(std::move(row));
  }
  report.add_table("### All ways, " + to_text(results.random.size()) + " random plants", table);
}

void add_plants(studies::Report& report, const BraceResults& results) {
  for (const auto* runs : {&results.known, &results.random})
    for (const PlantRuns& run : *runs)
      for (const Way& way : ways()) {
        figures::ResultRow row;
        const Motion& motion = way.motion(run);
        row.set("table", "motion").set("plant", run.plant).set("servo", way.servo).set("way", way.name);
        row.set("tip_error", motion.tip_error).set("effort", motion.final_effort()).set("spent", motion.spent);
        row.set("ball_gap", motion.ball_gap).set("fastest", motion.fastest());
        if (const BracedMotion* braced = way.braced(run)) {
          row.set("touched", braced->touched).set("touched_at", braced->touched_at).set("moved", braced->moved);
          row.set("slip", braced->slip).set("friction_force", braced->friction_force);
        }
        report.rows.add(std::move(row));
      }
}

/// Whether an actuator ends at its limit.
bool saturated(const Motion& motion, const Eigen::VectorXd& max_torque) {
  return (motion.torques.rightCols<1>().cwiseAbs().array() >= 0.999 * max_torque.array()).any();
}

studies::Rate starts_of(const PoseResult& found) { return {.successes = found.feasible_starts, .draws = found.starts}; }

/// Of all attempts but the one with that n.
studies::Rate starts_besides(const SceneSearch& search, int n) {
  studies::Rate rate;
  for (const Attempt& attempt : search.attempts) {
    if (attempt.n == n) continue;
    rate.successes += attempt.found.feasible_starts;
    rate.draws += attempt.found.starts;
  }
  return rate;
}

/// Claims on random plants; what they ask for was chosen on plants that the report does not have (docs).
void check_motions(studies::Report& report, const BraceResults& results) {
  const BraceScene& scene = results.searches.front().scene;
  const auto among = [&](const auto& condition, const auto& event) {
    studies::Rate rate;
    for (const PlantRuns& run : results.random)
      if (condition(run)) rate.count(event(run));
    return rate;
  };
  const auto all = [](const PlantRuns&) { return true; };
  const auto at_least = [&](const std::string& words, double share, const auto& condition, const auto& event) {
    report.checks.push_back(studies::at_least(words, among(condition, event), share));
  };
  const auto at_most = [&](const std::string& words, double share, const auto& condition, const auto& event) {
    report.checks.push_back(studies::at_most(words, among(condition, event), share));
  };
  const auto braced = [](const PlantRuns& run) -> const Motion& { return run.planned.contact.motion; };
  const auto nearer = [&](const PlantRuns& run) { return braced(run).tip_error < run.planned.free.tip_error; };
  const auto misses = [](const PlantRuns& run) { return run.planned.free.tip_error > close; };
  at_least("the brace takes at most 0.4 times the effort, of 9 s", 0.9, all,
           [&](const PlantRuns& run) { return braced(run).spent <= 0.4 * run.planned.free.spent; });
  at_least("the same at the end, at most 0.65 times", 0.9, all,
           [&](const PlantRuns& run) { return braced(run).final_effort() <= 0.65 * run.planned.free.final_effort(); });
  at_least("where the tip misses by more than 1 cm without a brace, it is nearer with one", 0.85, misses, nearer);
  at_least("with a brace it is within 1 cm", 0.6, all,
           [&](const PlantRuns& run) { return braced(run).tip_error <= close; });
  at_most("without a brace it is", 0.75, all, [&](const PlantRuns& run) { return !misses(run); });
  at_least(
      "where it is within 0.5 cm without a brace, a correction by what is measured beats the brace", 0.8,
      [](const PlantRuns& run) { return run.planned.free.tip_error <= close / 2; },
      [&](const PlantRuns& run) { return run.corrected.tip_error < braced(run).tip_error; });
  at_least(
      "where that correction misses by more than 1 cm, an actuator is at its limit", 0.85,
      [](const PlantRuns& run) { return run.corrected.tip_error > close; },
      [&](const PlantRuns& run) { return saturated(run.corrected, scene.max_torque); });
  at_least("the ball's friction holds: the skin slips by less than 0.1 mm", 0.9, all,
           [](const PlantRuns& run) { return run.planned.contact.touched && run.planned.contact.slip < 1e-4; });
  at_most("raised damping holds only what friction would", 0.7, all,
          [&](const PlantRuns& run) { return holds(run.planned.damping, scene.friction); });
  at_least("no arm is deeper in the ball than its skin may give way", 0.9, all,
           [&](const PlantRuns& run) { return braced(run).ball_gap >= -scene.allowed_indentation; });
  at_least("all motions are at rest at the end, below 5 mrad/s", 0.9, all, [](const PlantRuns& run) {
    return std::ranges::all_of(ways(), [&](const Way& way) { return way.motion(run).fastest() < 5e-3; });
  });
}

/// Claims on the scenes, for starts of searches at random.
void check_searches(studies::Report& report, const BraceResults& results) {
  const SceneSearch &within = results.searches[0], &steep = results.searches[1], &wet = results.searches[2],
                    &distant = results.searches[3];
  report.checks.push_back(studies::at_least("a start finds a brace at n = 2 within reach, as in Fig. 15",
                                            starts_of(within.attempts[1].found), 0.15));
  report.checks.push_back(studies::at_most("or at n = 1 or 3", starts_besides(within, 2), 0.15));
  report.checks.push_back(studies::at_least("a start finds one on the steep ball while it is dry",
                                            starts_of(steep.attempts[1].found), 0.02));
  report.checks.push_back(studies::at_most("or while it is wet", starts_besides(wet, 0), 0.1));
  report.checks.push_back(studies::at_most("or on the ball out of reach", starts_besides(distant, 0), 0.1));
  const BraceScene& scene = within.scene;
  const Eigen::Vector3d contact = within.brace().pose.contact(within.brace().found.z);
  report.checks.push_back({.claim = "conditions 1 and 2 of the planned brace: Ft / Fn = " +
                                    format_number(std::abs(contact[2]) / contact[1]) + " is at most " +
                                    format_number(scene.used_friction * scene.friction) + ", below the friction of " +
                                    format_number(scene.friction) + "; the skin gives way by " +
                                    format_number(1e3 * contact[1] / scene.radial_stiffness) + " mm, at most " +
                                    format_number(1e3 * scene.allowed_indentation),
                           .holds = std::abs(contact[2]) <= scene.used_friction * scene.friction * contact[1] + 1e-6 &&
                                    contact[1] <= scene.allowed_indentation * scene.radial_stiffness + 1e-6});
}

void add_notes(studies::Report& report, const BraceResults& results) {
  const ServoRuns& exact = results.known.front().planned;
  report.notes.push_back("The model itself: without a brace the plan's torques leave no error (" +
                         format_number(100 * exact.free.tip_error, 2) + " cm), so the brace can only add one (" +
                         format_number(100 * exact.contact.motion.tip_error) +
                         " cm); what it gains in accuracy shows on other plants alone.");
  report.notes.push_back("On random plants the tip is nearer with the brace in " +
                         studies::in_words(rate_of(results.random,
                                                   [](const PlantRuns& run) {
                                                     return run.planned.contact.motion.tip_error <
                                                            run.planned.free.tip_error;
                                                   })) +
                         ".");
  report.notes.push_back("The model touches after " + format_number(exact.contact.touched_at) +
                         " s; the rest of the arm is planned again at " +
                         format_number(results.choice.motion.distal_start) + " s.");
  report.notes.push_back(
      "\"Force at the end within friction\": what the brace has to take at the end lies in its friction cone. Raised "
      "damping holds where no friction would; by contact the "
      "servo, which stands where the arm touched, takes what the skin's shear leaves.");
  const auto median = [&](const BracedMotion PlantRuns::*which) {
    return format_number(100 * studies::median(all_of(results.random, [&](const PlantRuns& run) {
                           return (run.*which).motion.tip_error;
                         })));
  };
  report.notes.push_back(
      "What friction does: it holds " +
      format_number(studies::median(
          all_of(results.random, [](const PlantRuns& run) { return run.planned.contact.friction_force; }))) +
      " N (median). On a ball without friction the skin slips, and the tip's median error is " +
      median(&PlantRuns::frictionless) + " cm: the servo holds the brace then.");
}

}  // namespace

studies::Report report_on(const BraceResults& results) {
  studies::Report report;
  add_comparison(report, results);
  add_ways(report, results);
  for (const SceneSearch& search : results.searches) add_search(report, search);
  add_plants(report, results);
  add_notes(report, results);
  check_motions(report, results);
  check_searches(report, results);
  const bool chosen_for = results.choice.spread == StudyChoice{}.spread;
  for (studies::Check& check : report.checks) check.binding = chosen_for;
  return report;
}

}  // namespace studies::brace
