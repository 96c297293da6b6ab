// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/plans/plan_words.hpp"
#include "examples/studies/soft_arm_laser/laser_run.hpp"
#include "examples/studies/soft_arm_laser/pictures.hpp"
#include "examples/studies/soft_arm_laser/program_options.hpp"
#include "examples/studies/soft_arm_laser/report.hpp"

#include <optional>
#include <string>

namespace {

using namespace studies;
using namespace studies::laser;

template <int SpaceDim>
void write_pictures(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out, bool quick) {
  write_csv(result, out);
  write_frames(result, out, quick ? 4 : 2);
  draw_arm(result, out, quick ? 5 : 4);
  draw_spots(result, out);
}

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  std::optional<ArmResult<2>> plane;
  std::optional<ArmResult<3>> space;
  int eq2_iterations = 0;
  if (options.plane) {
    plane = run_arm<2>(options, 0);
    if (const PlannerResult* full = plane->find("eq2"); full && full->plan.finished)
      eq2_iterations = iterations(full->plan);
    write_pictures(*plane, out, options.quick);
    draw_cells(*plane, out);
  }
  if (options.space) {
    space = run_arm<3>(options, eq2_iterations);
    write_pictures(*space, out, options.quick);
    if (space->obstacles) draw_obstacles(*space, out);
  }
  draw_evaluations(plane ? &*plane : nullptr, space ? &*space : nullptr, out);

  studies::Report report = report_on(plane, space, options.pinned());
  for (const std::string d : {"2", "3"}) {
    if (d == "2" ? !plane : !space) continue;
    report.files += "  arm_" + d + "d.svg, arm_" + d + "d_moving.svg   the arm, its laser and the plate\n";
    report.files += "  arm_" + d + "d.pvd                      the same for ParaView\n";
    report.files += "  spot_" + d + "d.svg                     the spot's path against the circle\n";
  }
  report.files += "  evaluations.svg                 exact evaluations with and without the grid\n";
  if (plane) report.files += "  cells.svg                       visited cells and iterates of the plane arm\n";
  if (space && space->obstacles) report.files += "  obstacles.svg                   the second scene\n";
  report.files += "  *.csv                           controls, alphas and spots of every plan\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) { return studies::run_example("soft_arm_laser", parse_options(argc, argv), run); }
