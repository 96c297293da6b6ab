// SPDX-License-Identifier: BSD-3-Clause
// Whether task maps should be cached: writhe and mesh coordinates over two, three and four joints on grids,
// against calls of the maps themselves in the same run; and how a grid handles the writhe where the robot
// touches what it is wound around.
#include "benchmarks/robots/task_map_grid/contact.hpp"
#include "benchmarks/robots/task_map_grid/measure.hpp"
#include "benchmarks/robots/task_map_grid/scenes.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/robots/models/topology/interaction_mesh_map.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;

constexpr double worth = 1;      // s that 1e5 queries in one world must save
constexpr double margin = 1.25;  // for errors at other points than those that chose the spacing

std::string number(double value) { return studies::figures::format_number(value, 2); }

/// From the least to the largest.
struct Range {
  double least = std::numeric_limits<double>::infinity(), largest = -std::numeric_limits<double>::infinity();

  void add(double value) {
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  std::string text() const { return number(least) + " to " + number(largest); }
};

/// The verdict over `joints` joints, at the finer error.
std::string verdict_over(int joints, const std::vector<TaskRow>& rows) {
  Range faster, pays, in_plan, in_many;
  for (const TaskRow& row : rows) {
    if (row.joints != joints || row.wanted > 1e-4) continue;
    faster.add(row.faster);
    pays.add(row.pays_from);
    in_plan.add(1e3 * row.saved_in_plan);
    in_many.add(row.saved_in_many);
  }
  const std::string answer = in_many.least >= worth ? "yes" : in_many.largest >= worth ? "some of them" : "no";
  return "- Over " + to_text(joints) + " joints **" + answer + "**: a query with Jacobian is " + faster.text() +
         " times as fast as a call, and the grid pays from " + pays.text() + " queries. A plan of " + number(one_plan) +
         " queries saves " + in_plan.text() + " ms, 1e5 queries " + in_many.text() + " s.\n";
}

double min_clearance() {
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&]<int n>(const TaskScene<n>& scene) {
    const auto box = QueryBox<4>::around(Point<4>(scene.held(scene.joints)), scene.reach);
    Eigen::Matrix3Xd points;
    for (const Point<4>& x : random_points(box, 2000)) {
      Eigen::VectorXd q = scene.held;
      q(scene.joints) = x;
      scene.robot.evaluate(q, points);
      least = std::min(least, clearance(points, scene.environment));
    }
  };
  look(arm_beside_pipe());
  look(rope_around_pole());
  look(arm_beside_crate());
  return least;
}

std::vector<Check> contact_checks(const std::vector<ContactRow>& rows) {
  double blind = std::numeric_limits<double>::infinity(), other_side = 0, safest = 0, away = 0;
  bool called = true;
  for (const ContactRow& row : rows) {
    if (row.away)
      away = std::max(away, row.worst);
    else if (!row.labelled)
      blind = std::min(blind, row.worst);
    if (!row.calls_map) continue;
    called = called && row.calls > 0;
    other_side = std::max(other_side, row.other_side);
    if (row.to_tolerance) safest = std::max(safest, row.worst);
  }
  const bool has_all =
      std::ranges::any_of(rows, &ContactRow::away) && std::ranges::any_of(rows, &ContactRow::calls_map);
  return {{"a grid that knows nothing of contact is off by half a turn at least: " + number(blind), blind > 0.5},
          {"with labels, the map called in cells of two branches, no answer passes on the other side: " +
               number(other_side),
           has_all && called && other_side == 0},
          {"if a tolerance of 1e-3 is asked for as well, every answer is right to 3e-3: " + number(safest),
           has_all && called && safest < 3e-3},
          {"kept away from contact, every answer is right to 1e-3: " + number(away), has_all && away < 1e-3}};
}

Report run(bool quick) {
  using namespace topology;
  Report report;
  std::vector<TaskRow> rows;
  const TaskScene<7> pipe = arm_beside_pipe(), crate = arm_beside_crate();
  const TaskScene<20> rope = rope_around_pole();
  measure_all("writhe, iiwa and pipe", pipe, WritheMap(pipe.robot), quick, report.results, rows);
  measure_all("writhe, rope and pole", rope, WritheMap(rope.robot), quick, report.results, rows);
  const Eigen::Index landmarks = crate.robot.point_count(), corners = crate.environment.cols();
  measure_all("mesh, iiwa and crate", crate,
              InteractionMeshMap(crate.robot, InteractionMesh(landmarks, corners, full_graph(landmarks, corners))),
              quick, report.results, rows);
  const std::vector<ContactRow> contact = contact_rows(quick);
  for (const ContactRow& row : contact) report.further_rows.push_back(to_result(row));

  double worst_error = 0, least_faster = std::numeric_limits<double>::infinity();
  bool derivatives_hold = true;
  for (const TaskRow& row : rows) {
    worst_error = std::max(worst_error, row.error / row.wanted);
    least_faster = std::min(least_faster, row.faster);
    derivatives_hold &= row.derivatives_hold;
  }
  const double kept = min_clearance();

  report.columns = {{"map"},
                    {"wanted", "wanted error", 1},
                    {"joints"},
                    {"outputs"},
                    {"spacing", "spacing [rad]", 2},
                    {"corners", "corners of the box"},
                    {"error", "error", 2},
                    {"jacobian_error", "of the Jacobian", 2},
                    {"worst_jacobian_error", "its worst", 2},
                    {"call_us", "call [us]"},
                    {"query_us", "query [us]"},
                    {"call_jacobian_us", "call with Jacobian [us]"},
                    {"query_jacobian_us", "query with Jacobian [us]"},
                    {"pays_from", "pays from"},
                    {"saved_in_plan_ms", "saved in 1000 queries [ms]"},
                    {"saved_ms", "saved in 1e5 queries [ms]"}};
  report.notes =
      "One thread, cells of K = 1. iiwa 7: seven points along the arm; joints 4 and 1; also 2; also 6, within 0.4 rad "
      "of their middle, the others held. Beside it a pipe of 24 segments, or the eight corners and the centre of a "
      "crate in one full graph with the points. Rope: 20 rods around a straight pole; joints 5 and 10; also 13; also "
      "8, "
      "within 0.3 rad. The robot stays " +
      number(100 * kept) +
      " cm clear at least. The widest spacing that keeps the error of the value, relative and in the mean over 256 "
      "random points; errors are of 1024 others. Times are medians over rounds of calls and queries in turn, warm. "
      "'Pays "
      "from': queries after which the grid has been cheaper, all corners of the box paid for at the measured cost of a "
      "corner. 'Saved': with the Jacobian, less the corners that so many queries can meet. A call takes up to three "
      "times "
      "as long where what it works on lies badly in memory; of eight layouts the best for "
      "calls, and for corners.\n\n**Should "
      "a task map be cached**, where 1e5 queries are asked in one world and must save a second? At errors of 1e-4\n\n" +
      verdict_over(2, rows) + verdict_over(3, rows) + verdict_over(4, rows) +
      "\nA grid belongs to one world: where anything moves, it starts again from no corner.\n\n"
      "Contact: the iiwa sweeps its forearm across a straight pole, 16 cells along every edge (with a tolerance: 8, "
      "four "
      "levels deep), random points; errors in turns.\n\n" +
      contact_table(contact);

  report.checks = {
      {"Jacobians of all slices leave Taylor remainders of second order", derivatives_hold},
      {"grids over smooth boxes have 5 cm of clearance; least: " + number(100 * kept) + " cm", kept >= 0.05},
      {"every grid meets its error within a quarter at other points than it was chosen by; worst, of what was "
       "wanted: " +
           number(worst_error),
       worst_error <= margin},
      {"a query with Jacobian costs less than a call everywhere; least ratio: " + number(least_faster),
       least_faster > 1}};
  for (const Check& check : contact_checks(contact)) report.checks.push_back(check);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(
      argc, argv, "task_map_grid",
      "Whether the writhe or the mesh coordinates of a robot should be kept on a grid over some of its "
      "joints, and what contact does to it.",
      run);
}
