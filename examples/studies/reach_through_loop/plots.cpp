// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/reach_through_loop/pictures.hpp"
#include "quoin/robots/models/topology/writhe.hpp"

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
  for (const double part : {1.0, 0.5, -0.5, -1.0})  // under the squares, for the legend
    panel.rectangle(0.6, 0.6, 1.4, 1.4,
                    {.color = palette::light,
                     .fill = part < 0 ? palette::vermilion : palette::blue,
                     .label = figures::format_number(part * largest, 2) + " turns",
                     .width = 1,
                     .fill_opacity = std::abs(part)});
  panel.rectangle(0.6, 0.6, 1.4, 1.4, {.color = "white", .fill = "white", .width = 1, .fill_opacity = 1});
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
                results.first().scores, what);
  };
  draw_against("every setting, boxes to choose by", "iterations, median", &Score::median_iterations);
  draw_against("what it costs in collision checks", "collision checks a plan, mean", &Score::checks);
  figures::SvgPanel& reached = plot.panel({.title = "the chosen ones, other boxes",
                                           .x_label = "iterations",
                                           .y_label = "boxes reached into so soon [%]",
                                           .x_range = {{0, 60}},
                                           .y_range = {{0, 104}},
                                           .legend = figures::Legend::automatic});
  for (const ChosenSide& chosen : results.first().chosen) {
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

namespace {

/// Shares in per cent over x, with their intervals as bars.
void draw_rates(figures::SvgPanel& panel, const std::vector<double>& x, const std::vector<Rate>& rates,
                const char* color, const char* label) {
  std::vector<double> share;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const RateInterval possible = interval(rates[i]);
    panel.line({x[i], x[i]}, {100 * possible.least, 100 * possible.most}, {.color = color, .width = 1});
    share.push_back(100 * rates[i].share());
  }
  panel.line(x, share, {.color = color, .label = label, .marker = figures::Marker::circle});
}

}  // namespace

void draw_mouths(const StudyResults& results, const figures::OutputFolder& out) {
  figures::SvgPlot plot({.panel_width = 680, .panel_height = 380});
  figures::SvgPanel& panel = plot.panel({.title = "the chosen settings, on other boxes; bars: 95 % intervals",
                                         .x_label = "side of the mouth [cm]",
                                         .y_label = "boxes reached into [%]",
                                         .y_range = {{0, 104}},
                                         .legend = figures::Legend::outside});
  double aside = -0.5;  // cm, so that no bar hides another
  for (const Side side : all_sides) {
    std::vector<double> x;
    std::vector<Rate> rates;
    for (const MouthResults& mouth : results.mouths) {
      x.push_back(100 * mouth.side + aside);
      rates.push_back(mouth.of(side).tested.success());
    }
    draw_rates(panel, x, rates, color_of(side), to_string(side));
    aside += 0.2;
  }
  plot.write(out / "mouths.svg");
}

void draw_moving(const StudyResults& results, const figures::OutputFolder& out) {
  figures::SvgPlot plot({.columns = 3, .panel_width = 400, .panel_height = 320});
  double most_error = 0;
  for (const ChaseScore& score : results.chases) most_error = std::max(most_error, 100 * score.tip_error);
  const auto row = [&](const std::string& x_label, auto shown, auto place) {
    const auto panel = [&](const std::string& title, const std::string& y_label, double most, figures::Legend legend) {
      return &plot.panel(
          {.title = title, .x_label = x_label, .y_label = y_label, .y_range = {{0, most}}, .legend = legend});
    };
    figures::SvgPanel* success = panel("success", "motions [%]", 104, figures::Legend::none);
    figures::SvgPanel* free = panel("free of collision", "motions [%]", 104, figures::Legend::none);
    figures::SvgPanel* error = panel("the tip, once it is there", "distance from the goal [cm]", 1.05 * most_error,
                                     figures::Legend::automatic);
    for (const Follower follower : all_followers) {
      std::vector<double> x, errors;
      std::vector<Rate> successes, free_ones;
      for (const MotionSize& size : sizes) {
        if (!shown(size)) continue;
        const ChaseScore& score = results.of(follower, size);
        x.push_back(place(size));
        successes.push_back(score.success());
        free_ones.push_back({.successes = score.free, .draws = score.motions});
        errors.push_back(100 * score.tip_error);
      }
      draw_rates(*success, x, successes, color_of(follower), to_string(follower));
      draw_rates(*free, x, free_ones, color_of(follower), to_string(follower));
      error->line(x, errors,
                  {.color = color_of(follower), .label = to_string(follower), .marker = figures::Marker::circle});
    }
  };
  row(
      "the box moves by up to [cm]", [](const MotionSize& size) { return size.turn == 0; },
      [](const MotionSize& size) { return 100 * size.amplitude; });
  row(
      "it moves by up to 10 cm and turns by up to [rad]",
      [](const MotionSize& size) { return size.amplitude == most_turned.amplitude; },
      [](const MotionSize& size) { return size.turn; });
  plot.write(out / "moving.svg");
}

void draw_writhe(const StudyResults& results, const figures::OutputFolder& out) {
  const Eigen::MatrixXd path = results.first().of(Side::topology).trials.front().plan.path();
  const Eigen::Matrix3Xd rim = results.first().poses.boxes.front().rim();
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
    figures::SvgPanel& panel = plot.panel({.title = end == 0 ? "writhe matrix at the start" : "in the end",
                                           .x_label = "side of the rim",
                                           .y_label = "segment of the arm, from the base",
                                           .x_range = {{0.5, 4.5}},
                                           .y_range = {{0.5, 5.5}},
                                           .integer_x = true,
                                           .integer_y = true,
                                           .legend = figures::Legend::outside});
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
