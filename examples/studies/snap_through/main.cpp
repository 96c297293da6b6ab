// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "examples/studies/snap_through/arch.hpp"
#include "examples/studies/snap_through/branch_report.hpp"
#include "examples/studies/snap_through/buckled_arm.hpp"
#include "examples/studies/snap_through/plot_data.hpp"
#include "examples/studies/snap_through/report.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace studies;
using namespace studies::branches;

Setup arch_setup(const Arch& arch) {
  Eigen::RowVectorXd crown = Eigen::RowVectorXd::Zero(arch.output_size());
  crown[arch.options().segments + 1] = 1;
  return {.key = "arch",
          .name = "arch",
          .axes = {"force on the crown [N]", "force on the quarter point [N]"},
          .observable = crown,
          .observable_name = "height of the crown [m]",
          .branches = {Branch{1, "up"}, Branch{-1, "down"}},
          .lower = {-8, -4},
          .upper = {16, 4},
          .spacing = {2, 2},
          .jump_axis = 0,
          .line_at = 1.3,
          .fold_step = 0.05};
}

template <int SpaceDim>
Setup arm_setup(const BuckledArm<SpaceDim>& arm) {
  Setup setup{.observable = arm.arm().tip_rows().row(0),
              .observable_name = "tip, to the right [m]",
              .branches = {Branch{1, "right"}, Branch{-1, "left"}},
              .jump_axis = 1};
  if constexpr (SpaceDim == 2) {
    setup.key = "arm";
    setup.name = "loaded arm, plane";
    setup.axes = {"left line u\u2081", "right line u\u2082"};
    setup.lower = {0, 0};
    setup.upper = {2, 2};
    setup.spacing = {0.5, 0.5};
    setup.line_at = 0.8;
    setup.fold_step = 0.05;
  } else {
    setup.key = "pushed_arm";
    setup.name = "pushed arm, space";
    setup.axes = {"push of all lines", "difference of left and right"};
    setup.lower = {2.25, -0.5};
    setup.upper = {3.25, 0.5};
    setup.spacing = {0.25, 0.25};
    setup.line_at = 2.6;
    setup.line_points = 100;
    setup.queries = 150;
    setup.curve_points = 5;
  }
  return setup;
}

ShapeLines arch_lines() {
  return [](const Eigen::VectorXd& y) {
    return Eigen::Matrix2Xd(Eigen::Map<const Eigen::Matrix2Xd>(y.data(), 2, y.size() / 2));
  };
}

/// The edges of the mesh in the plane; in space the lines alone, from the front.
template <int SpaceDim>
ShapeLines arm_lines(const BuckledArm<SpaceDim>& arm) {
  std::vector<std::vector<int>> chains = arm.arm().mesh().lines;
  if constexpr (SpaceDim == 2) {
    std::set<std::vector<int>> edges;
    for (const auto& element : arm.arm().mesh().elements.colwise())
      for (int k = 0; k < 3; ++k) {
        const auto [least, most] = std::minmax({element[k], element[(k + 1) % 3]});
        edges.insert({least, most});
      }
    chains.assign(edges.begin(), edges.end());
  }
  return [chains](const Eigen::VectorXd& y) {
    std::size_t count = 0;
    for (const std::vector<int>& chain : chains) count += chain.size() + 1;
    Eigen::Matrix2Xd points = Eigen::Matrix2Xd::Constant(2, static_cast<Eigen::Index>(count), std::nan(""));
    Eigen::Index next = 0;
    for (const std::vector<int>& chain : chains) {
      for (const int vertex : chain) points.col(next++) << y[SpaceDim * vertex], y[SpaceDim * (vertex + 1) - 1];
      ++next;
    }
    return points;
  };
}

void present(const Result& result, const ShapeLines& lines, const figures::OutputFolder& out, studies::Report& report) {
  add(report, result);
  write_csv(result, out);
  write_plot_data(result, lines, out);
}

}  // namespace

int main(int argc, char** argv) {
  CommonOptions options;
  StudyCommandLine line(
      "snap_through",
      "Functions with branches under a grid: an arch that snaps through and a soft arm pushed past its buckling, with "
      "the branches' labels and without; the arch's branches, its hysteresis on them, and a plan across its snaps. "
      "Prints "
      "what each answer was worth; draws pictures.",
      "Under a minute: without the arm of space, fewer queries", options);
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    studies::Report report;
    const auto prepared = [&](Setup setup) {
      if (options.quick) {
        setup.queries = 500;
        setup.curve_points = 17;
      }
      return setup;
    };
    const Arch arch;
    present(branches::study(arch, prepared(arch_setup(arch))), arch_lines(), out, report);
    Setup swept = arch_setup(arch);
    swept.level = 1;
    const History history = sweep(arch, swept, 0.25, 1e-9);
    add(report, history);
    write_csv(history, out);
    const ArchBranches branches(arch, swept);
    const BranchResult on_branches = study_branches(branches);
    add(report, on_branches);
    write_sheets(branches, on_branches, out);

    const BuckledArm<2> loaded = loaded_arm();
    present(branches::study(loaded, prepared(arm_setup(loaded))), arm_lines(loaded), out, report);
    if (!options.quick) {
      const BuckledArm<3> pushed = pushed_arm();
      present(branches::study(pushed, arm_setup(pushed)), arm_lines(pushed), out, report);
    }

    report.tables = tables(report.rows);
    report.files = "  *.csv, *.json      all of it in numbers\n";
    report.pictures =
        "  *_branches.svg     both branches along a line of loads, and what grids make of them\n"
        "  *_errors.svg       errors along that line\n"
        "  *_cells.svg        cells, corners and their labels in the plane of the loads\n"
        "  arch_history.svg   an arch that follows its loads, through grids\n"
        "  arch_sheets.svg    the arch's two branches: its hysteresis, and a plan across its snaps\n";
    return report;
  });
}
