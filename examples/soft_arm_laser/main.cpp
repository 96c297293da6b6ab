// SPDX-License-Identifier: BSD-3-Clause
#include "examples/soft_arm_laser/laser_run.hpp"
#include "examples/soft_arm_laser/pictures.hpp"
#include "examples/soft_arm_laser/program_options.hpp"
#include "examples/soft_arm_laser/report.hpp"
#include "quoin/io/output_folder.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <variant>

namespace {

using namespace quoin;
using namespace quoin::laser;

template <int SpaceDim>
void write_pictures(const ArmResult<SpaceDim>& result, const io::OutputFolder& out, bool quick) {
  write_csv(result, out);
  write_frames(result, out, quick ? 4 : 2);
  draw_arm(result, out, quick ? 5 : 4);
  draw_spots(result, out);
}

int run(const ProgramOptions& options) {
  const io::OutputFolder out(options.out);
  if (!options.json.empty() && !std::ofstream(options.json, std::ios::app))
    throw std::runtime_error("cannot write to '" + options.json.string() + "'; choose another file with --json");

  Report report;
  std::optional<ArmResult<2>> plane;
  std::optional<ArmResult<3>> space;
  int eq2_iterations = 0;
  if (options.plane) {
    plane = run_arm<2>(options, 0);
    report.add(*plane, options.pinned());
    if (const PlannerResult* full = plane->find("eq2"); full && full->plan.finished)
      eq2_iterations = iterations(full->plan);
    write_pictures(*plane, out, options.quick);
    draw_cells(*plane, out);
  }
  if (options.space) {
    space = run_arm<3>(options, eq2_iterations);
    report.add(*space, options.pinned());
    write_pictures(*space, out, options.quick);
    if (space->obstacles) draw_obstacles(*space, out);
  }
  draw_evaluations(plane ? &*plane : nullptr, space ? &*space : nullptr, out);

  std::cout << "\n" << report.text() << "\nPictures and tables are in " << out.path().string() << "/:\n";
  for (const char* dimension : {"2", "3"}) {
    if (dimension[0] == '2' ? !plane : !space) continue;
    std::cout << "  arm_" << dimension << "d.svg, arm_" << dimension
              << "d_moving.svg   the arm, its laser and the plate\n"
              << "  arm_" << dimension << "d.pvd                      the same for ParaView\n"
              << "  spot_" << dimension << "d.svg                     the spot's path against the circle\n";
  }
  std::cout << "  evaluations.svg                 exact evaluations with and without the grid\n";
  if (plane) std::cout << "  cells.svg                       visited cells and iterates of the plane arm\n";
  if (space && space->obstacles) std::cout << "  obstacles.svg                   the second scene\n";
  std::cout << "  *.csv                           controls, alphas and spots of every plan\n";
  if (!options.json.empty()) report.rows().write(options.json);
  return report.passed() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = parse_options(argc, argv);
  if (const int* status = std::get_if<int>(&parsed)) return *status;
  try {
    return run(std::get<ProgramOptions>(parsed));
  } catch (const std::exception& error) {
    std::cerr << "soft_arm_laser: " << error.what() << "\n";
    return 1;
  }
}
