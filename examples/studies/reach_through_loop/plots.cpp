// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/reach_through_loop/pictures.hpp"
#include "quoin/models/topology/writhe.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace studies::loop {
namespace {

namespace palette = figures::palette;

const char* color_of(Side side) {
  switch (side) {
    case Side::topology: return palette::blue;
    case Side::topology_line: return palette::sky;
    case Side::collision: return palette::vermilion;
    case Side::collision_way: return palette::orange;
    case Side::way: return palette::green;
    default: return palette::grey;
  }
}

const char* color_of(Follower follower) {
  switch (follower) {
    case Follower::none: return palette::grey;
    case Follower::tip: return palette::vermilion;
    case Follower::topology: return palette::sky;
    default: return palette::blue;
  }
}

void draw_scores(figures::SvgPanel& panel, const std::vector<Score>& scores, double Score::*across) {
  for (const Side side : all_sides) {
    std::vector<double> x, y;
    for (const Score& score : scores) {
      if (score.side != side) continue;
      x.push_back(score.*across);
      y.push_back(100.0 * score.successes / score.boxes);
    }
    panel.markers(x, y, {.color = color_of(side), .label = to_string(side), .opacity = 0.6, .marker_size = 5});
  }
}

/// Draws a square per pair of segments: white where they are not wound around each other.
void draw_matrix(figures::SvgPanel& panel, const Eigen::MatrixXd& writhe, double largest) {
  for (Eigen::Index i = 0; i < writhe.rows(); ++i)
    for (Eigen::Index j = 0; j < writhe.cols(); ++j) {
      const double x = static_cast<double>(j) + 1, y = static_cast<double>(i) + 1;
      panel.rectangle(x - 0.5, y - 0.5, x + 0.5, y + 0.5,
                      {.color = palette::light,
                       .fill = writhe(i, j) < 0 ? palette::vermilion : palette::blue,
                       .width = 1,
                       .fill_opacity = std::min(1.0, std::abs(writhe(i, j)) / largest)});
    }
}

}  // namespace

void draw_sweep(const StudyResults& results, const figures::OutputFolder& out) {
  figures::SvgPlot plot({.panel_width = 430, .panel_height = 380});
  const auto draw_against = [&](const std::string& title, const std::string& x_label, double Score::*what) {
    draw_scores(plot.panel({.title = title,
                            .x_label = x_label,
                            .y_label = "success [%]",
                            .y_range = {{0, 104}},
                            .legend = figures::Legend::none}),
                results.scores, what);
  };
  draw_against("every setting, boxes to choose by", "iterations, median", &Score::median_iterations);
  draw_against("what it costs in collision checks", "collision checks a plan, mean", &Score::checks);
  figures::SvgPanel& reached = plot.panel({.title = "the chosen ones, other boxes",
                                           .x_label = "iterations",
                                           .y_label = "boxes reached into so soon [%]",
                                           .x_range = {{0, 60}},
                                           .y_range = {{0, 104}},
                                           .legend = figures::Legend::automatic});
  for (const ChosenSide& chosen : results.chosen) {
    std::vector<double> sorted;
    for (const Trial& trial : chosen.trials)
      if (trial.verdict.success()) sorted.push_back(trial.plan.result.iterations);
    std::ranges::sort(sorted);
    std::vector<double> x{0}, y{0};
    for (std::size_t i = 0; i < sorted.size(); ++i)
      for (const std::size_t count : {i, i + 1}) {
        x.push_back(sorted[i]);
        y.push_back(100.0 * static_cast<double>(count) / static_cast<double>(chosen.trials.size()));
      }
    reached.line(x, y, {.color = color_of(chosen.tuned.side), .label = to_string(chosen.tuned.side)});
  }
  plot.write(out / "sweep.svg");
}

void draw_moving(const StudyResults& results, const figures::OutputFolder& out) {
  figures::SvgPlot plot({.panel_width = 400, .panel_height = 340});
  const auto add = [&](const std::string& title, const std::string& y_label, auto value, bool share,
                       figures::Legend legend) {
    figures::PanelOptions options{
        .title = title, .x_label = "the box moves by up to [cm]", .y_label = y_label, .legend = legend};
    if (share) options.y_range = {{0, 104}};
    figures::SvgPanel& panel = plot.panel(options);
    for (const Follower follower : all_followers) {
      std::vector<double> x, y;
      for (const double amplitude : amplitudes) {
        x.push_back(100 * amplitude);
        y.push_back(value(results.of(follower, amplitude)));
      }
      panel.line(x, y, {.color = color_of(follower), .label = to_string(follower), .marker = figures::Marker::circle});
    }
  };
  const auto percent = [](int part, int all) { return 100.0 * part / all; };
  add(
      "success", "motions [%]", [&](const ChaseScore& s) { return percent(s.successes, s.motions); }, true,
      figures::Legend::none);
  add(
      "free of collision", "motions [%]", [&](const ChaseScore& s) { return percent(s.free, s.motions); }, true,
      figures::Legend::automatic);
  add(
      "the tip, once it is there", "distance from the goal [cm]", [](const ChaseScore& s) { return 100 * s.tip_error; },
      false, figures::Legend::none);
  plot.write(out / "moving.svg");
}

void draw_writhe(const StudyResults& results, const figures::OutputFolder& out) {
  const Eigen::MatrixXd path = results.of(Side::topology).trials.front().plan.path();
  const Eigen::Matrix3Xd rim = results.poses.boxes.front().rim();
  const rigid_body::TreePoints chain = results.scene.arm.chain_points();
  const char* const names[] = {"base to shoulder", "upper arm", "forearm", "wrist to flange", "rod"};
  Eigen::MatrixXd by_segment(5, path.cols());
  std::vector<Eigen::MatrixXd> ends;
  Eigen::Matrix3Xd points;
  for (Eigen::Index t = 0; t < path.cols(); ++t) {
    chain.evaluate(path.col(t), points);
    const Eigen::MatrixXd matrix = topology::writhe_matrix(points, rim);
    by_segment.col(t) = matrix.rowwise().sum();
    if (t == 0 || t == path.cols() - 1) ends.push_back(matrix);
  }
  figures::SvgPlot plot({.panel_width = 380, .panel_height = 320});
  const double largest = ends.back().cwiseAbs().maxCoeff();
  for (const std::size_t end : {0U, 1U}) {
    figures::SvgPanel& panel =
        plot.panel({.title = end == 0 ? "writhe matrix at the start"
                                      : "in the end; full blue " + figures::format_number(largest, 2),
                    .x_label = "side of the rim",
                    .y_label = "segment of the arm, from the base",
                    .x_range = {{0.5, 4.5}},
                    .y_range = {{0.5, 5.5}},
                    .integer_x = true,
                    .integer_y = true,
                    .legend = figures::Legend::none});
    draw_matrix(panel, ends[end], largest);
  }
  figures::SvgPanel& panel = plot.panel({.title = "over the plan",
                                         .x_label = "time [s]",
                                         .y_label = "turns around the rim",
                                         .legend = figures::Legend::automatic});
  const Eigen::VectorXd time = Eigen::VectorXd::LinSpaced(path.cols(), 0, time_step * horizon);
  for (Eigen::Index i = 0; i < by_segment.rows(); ++i)
    panel.line(time, by_segment.row(i).transpose().eval(), {.label = names[i]});
  panel.line(time, by_segment.colwise().sum().transpose().eval(),
             {.color = palette::black, .label = "all of the arm", .dash = "6 4"});
  plot.write(out / "writhe.svg");
}

}  // namespace studies::loop
