// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/unwrap/report.hpp"
#include "quoin/robots/models/topology/writhe.hpp"

#include <string>

namespace studies::unwrap {
namespace {

using figures::CsvWriter;
using figures::ResultRow;

ResultRow told(const Trial& trial) {
  return ResultRow()
      .set("planner", trial.planner)
      .set("winding", trial.winding)
      .set("seed", trial.seed)
      .set("blocked", trial.blocked)
      .set("success", trial.success)
      .set("checks", trial.checks)
      .set("seconds", trial.seconds)
      .set("cost", trial.cost);
}

/// precisions.json: the trials at each precision of the writhe.
void write_precisions(const StudyResults& results, const figures::OutputFolder& out) {
  figures::JsonResults rows;
  for (const SweptPrecision& swept : results.sweep)
    for (const Trial& trial : swept.trials) rows.add(told(trial).set("precision", swept.precision));
  rows.write(out / "precisions.json");
}

/// writhe.csv: of each segment over time, as wanted in writhe space and of the plan. writhe_matrices.csv: of the
/// segments and the pole's pieces at the start and in the end.
void write_writhe(const Shown& shown, const figures::OutputFolder& out) {
  const auto chain = shown.scene.arm.chain_points();
  CsvWriter over_time(out / "writhe.csv", {"step", "segment", "wanted", "planned"});
  CsvWriter matrices(out / "writhe_matrices.csv", {"step", "segment", "piece", "turns"});
  const Eigen::Index last = shown.plan.q.cols() - 1;
  Eigen::Matrix3Xd points;
  Eigen::VectorXd w;
  for (Eigen::Index t = 0; t <= last; ++t) {
    const auto step = static_cast<double>(t);
    chain.evaluate(shown.plan.q.col(t), points);
    topology::writhe(points, shown.scene.pole, {}, w);
    for (Eigen::Index i = 0; i < w.size(); ++i)
      over_time.row({step, static_cast<double>(i + 1), shown.plan.y(i, t), w[i]});
    if (t > 0 && t < last) continue;
    const Eigen::MatrixXd matrix = topology::writhe_matrix(points, shown.scene.pole);
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        matrices.row({step, static_cast<double>(i + 1), static_cast<double>(j + 1), matrix(i, j)});
  }
  over_time.close();
  matrices.close();
}

}  // namespace

void write_data(const StudyResults& results, const figures::OutputFolder& out) {
  figures::JsonResults trials;
  for (const Trial& trial : results.trials) trials.add(told(trial));
  trials.write(out / "trials.json");
  if (!results.sweep.empty()) write_precisions(results, out);
  if (results.shown) write_writhe(*results.shown, out);
}

}  // namespace studies::unwrap
