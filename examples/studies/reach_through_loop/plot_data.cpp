// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/reach_through_loop/pictures.hpp"
#include "quoin/robots/models/topology/writhe.hpp"

#include <string>
#include <vector>

namespace studies::loop {
namespace {

using figures::ResultRow;

/// Sets a rate in per cent, and the interval that its draws leave possible.
void tell(ResultRow& row, const std::string& key, const Rate& rate) {
  const RateInterval possible = interval(rate);
  row.set(key, 100 * rate.share()).set(key + "_least", 100 * possible.least).set(key + "_most", 100 * possible.most);
}

/// scores.json: every setting on the boxes to choose by. iterations.json: those that the chosen settings took.
void write_sweep(const StudyResults& results, const figures::OutputFolder& out) {
  figures::JsonResults scores, iterations;
  for (const Score& score : results.first().scores)
    scores.add(ResultRow()
                   .set("side", to_string(score.side))
                   .set("success", 100.0 * score.successes / score.boxes)
                   .set("median_iterations", score.median_iterations)
                   .set("checks", score.checks));
  scores.write(out / "scores.json");
  for (const ChosenSide& chosen : results.first().chosen) {
    std::vector<double> of_successes;
    for (const Trial& trial : chosen.trials)
      if (trial.verdict.success()) of_successes.push_back(trial.plan.result.iterations);
    iterations.add(ResultRow()
                       .set("side", to_string(chosen.tuned.side))
                       .set("boxes", chosen.trials.size())
                       .set("iterations_of_successes", of_successes));
  }
  iterations.write(out / "iterations.json");
}

/// mouths.json: success of the chosen settings by the side of the mouth.
void write_mouths(const StudyResults& results, const figures::OutputFolder& out) {
  figures::JsonResults rows;
  for (const Side side : all_sides)
    for (const MouthResults& mouth : results.mouths) {
      ResultRow row = ResultRow().set("side", to_string(side)).set("mouth_cm", 100 * mouth.side);
      tell(row, "success", mouth.of(side).tested.success());
      rows.add(row);
    }
  rows.write(out / "mouths.json");
}

/// moving.json: how plans follow boxes that move and turn.
void write_moving(const StudyResults& results, const figures::OutputFolder& out) {
  figures::JsonResults rows;
  for (const Follower follower : all_followers)
    for (const MotionSize& size : sizes) {
      const ChaseScore& score = results.of(follower, size);
      ResultRow row = ResultRow()
                          .set("follower", to_string(follower))
                          .set("moved_cm", 100 * size.amplitude)
                          .set("turned_rad", size.turn)
                          .set("tip_error_cm", 100 * score.tip_error);
      tell(row, "success", score.success());
      tell(row, "free", {.successes = score.free, .draws = score.motions});
      rows.add(row);
    }
  rows.write(out / "moving.json");
}

/// writhe_matrices.csv: of each pair of segments at the start and in the end. writhe.csv: of each segment over time.
void write_writhe(const StudyResults& results, const figures::OutputFolder& out) {
  const Eigen::MatrixXd path = results.first().of(Side::topology).trials.front().plan.path();
  const Eigen::Matrix3Xd rim = results.first().poses.boxes.front().rim();
  const rigid_body::TreePoints chain = results.scene.arm.chain_points();
  figures::CsvWriter matrices(out / "writhe_matrices.csv", {"time", "segment", "side_of_rim", "turns"});
  figures::CsvWriter over_time(out / "writhe.csv",
                               {"time", "segment1", "segment2", "segment3", "segment4", "segment5"});
  Eigen::Matrix3Xd points;
  for (Eigen::Index t = 0; t < path.cols(); ++t) {
    const double time = time_step * static_cast<double>(t);
    chain.evaluate(path.col(t), points);
    const Eigen::MatrixXd matrix = topology::writhe_matrix(points, rim);
    Eigen::VectorXd row(matrix.rows() + 1);
    row << time, matrix.rowwise().sum();
    over_time.row(row);
    if (t > 0 && t + 1 < path.cols()) continue;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        matrices.row({time, static_cast<double>(i + 1), static_cast<double>(j + 1), matrix(i, j)});
  }
  matrices.close();
  over_time.close();
}

}  // namespace

void write_data(const StudyResults& results, const figures::OutputFolder& out) {
  write_sweep(results, out);
  write_mouths(results, out);
  write_moving(results, out);
  write_writhe(results, out);
}

}  // namespace studies::loop
