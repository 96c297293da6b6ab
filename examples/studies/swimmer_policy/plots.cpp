// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_policy/pictures.hpp"

#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/swimming/swim_frames.hpp"
#include "examples/studies/swimming/swim_pictures.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace studies::stroke {
namespace {

using namespace figures;

constexpr std::array<const char*, joints> joint_colors = {palette::blue, palette::vermilion, palette::green};
constexpr std::array<const char*, joints> angle_names = {"q\u2081 head", "q\u2082 middle", "q\u2083 tail"};

std::vector<double> times(const Fish& fish, Eigen::Index count) {
  std::vector<double> result;
  for (Eigen::Index i = 0; i < count; ++i) result.push_back(static_cast<double>(i) * fish.setup.time_step);
  return result;
}

/// A number of each iteration over all seeds: mean, least, greatest.
struct Spread {
  std::vector<double> iterations, mean, least, greatest;

  Spread(const std::vector<SeedResult>& seeds, const std::function<double(const LearningIteration&)>& number) {
    std::size_t count = seeds.front().learned.log.size();
    for (const SeedResult& seed : seeds) count = std::min(count, seed.learned.log.size());
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0, low = number(seeds.front().learned.log[i]), high = low;
      for (const SeedResult& seed : seeds) {
        const double value = number(seed.learned.log[i]);
        sum += value;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      iterations.push_back(static_cast<double>(seeds.front().learned.log[i].ppo.iteration));
      mean.push_back(sum / static_cast<double>(seeds.size()));
      least.push_back(low);
      greatest.push_back(high);
    }
  }

  void draw(SvgPanel& panel, const std::string& color, const std::string& label) const {
    panel.band(iterations, least, greatest, {.color = color, .width = 0, .fill_opacity = 0.2});
    panel.line(iterations, mean, {.color = color, .label = label, .width = 2.2});
  }
};

void draw_returns(const PolicyResult& result, const figures::OutputFolder& out) {
  SvgPlot plot({.panel_width = 560, .panel_height = 380});
  const std::string of_seeds =
      result.seeds.size() == 1 ? std::string() : ", mean and range of " + to_text(result.seeds.size()) + " seeds";
  SvgPanel& swum = plot.panel({.title = "Swum in 4 s" + of_seeds,
                               .x_label = "iteration (16384 steps)",
                               .y_label = "way forward [m]",
                               .integer_x = true});
  Spread(result.seeds, [](const LearningIteration& it) { return it.distance; }).draw(swum, palette::blue, "learned");
  const auto finite = [](double distance) { return std::isfinite(distance); };
  if (result.searched && std::ranges::any_of(result.searched->distances, finite)) {
    std::vector<double> iterations;
    for (std::size_t i = 1; i <= result.searched->distances.size(); ++i) iterations.push_back(static_cast<double>(i));
    swum.line(iterations, result.searched->distances,
              {.color = palette::vermilion, .label = "cross-entropy", .width = 1.6});
  }
  swum.horizontal_line(result.planned.distance,
                       {.color = palette::black, .label = "planned stroke", .width = 1.2, .dash = "6 5"});
  SvgPanel& returns = plot.panel({.title = "Return while learning" + of_seeds,
                                  .x_label = "iteration (16384 steps)",
                                  .y_label = "return",
                                  .integer_x = true});
  Spread(result.seeds, [](const LearningIteration& it) { return it.ppo.mean_return; }).draw(returns, palette::blue, "");
  plot.write(out / "returns.svg");
}

void draw_evaluations(const PolicyResult& result, const figures::OutputFolder& out) {
  SvgPlot plot({.panel_width = 560, .panel_height = 380});
  SvgPanel& so_far = plot.panel({.title = "Exact evaluations of the added mass",
                                 .x_label = "iteration (16384 steps)",
                                 .y_label = "evaluations so far",
                                 .y_scale = AxisScale::logarithmic,
                                 .integer_x = true});
  const Spread with(result.seeds, [](const LearningIteration& it) { return static_cast<double>(it.evaluations); });
  with.draw(so_far, palette::blue, "through the grid");
  std::vector<double> without;
  for (const double iteration : with.iterations) without.push_back(iteration * result.cost.exact_evaluations());
  so_far.line(with.iterations, without,
              {.color = palette::vermilion, .label = "without, four a step", .width = 1.8, .dash = "6 5"});
  SvgPanel& worth = plot.panel({.title = "What they buy",
                                .x_label = "exact evaluations so far",
                                .y_label = "way forward in 4 s [m]",
                                .x_scale = AxisScale::logarithmic});
  bool first = true;
  for (const SeedResult& seed : result.seeds) {
    std::vector<double> spent, would, swum;
    for (const LearningIteration& it : seed.learned.log) {
      spent.push_back(static_cast<double>(it.evaluations));
      would.push_back(static_cast<double>(it.ppo.iteration) * result.cost.exact_evaluations());
      swum.push_back(it.distance);
    }
    worth.line(spent, swum, {.color = palette::blue, .label = first ? "through the grid" : "", .width = 1.4});
    worth.line(would, swum,
               {.color = palette::vermilion, .label = first ? "the same without" : "", .width = 1.4, .dash = "6 5"});
    first = false;
  }
  plot.write(out / "evaluations.svg");
}

void draw_gait(const PolicyResult& result, const figures::OutputFolder& out) {
  struct Shown {
    const Swim& swim;
    std::string name, color;
  };
  const std::array<Shown, 2> gaits = {Shown{result.middle().swim, "learned", palette::blue},
                                      Shown{result.planned, "planned", palette::vermilion}};
  SvgPlot plot({.columns = 2, .panel_width = 560, .panel_height = 300});
  for (const Shown& gait : gaits) {
    SvgPanel& angles = plot.panel({.title = "Angles, " + gait.name,
                                   .x_label = "time [s]",
                                   .y_label = "angle [rad]",
                                   .legend = figures::Legend::outside});
    for (const double limit : {-result.fish.setup.joint_limit, result.fish.setup.joint_limit})
      angles.horizontal_line(limit, {.color = palette::grey, .width = 1, .dash = "3 4"});
    for (std::size_t k = 0; k < joints; ++k)
      angles.line(times(result.fish, gait.swim.states.cols()), gait.swim.states.row(static_cast<Eigen::Index>(k)),
                  {.color = joint_colors[k], .label = angle_names[k], .width = 2});
  }
  SvgPanel& loops = plot.panel({.title = "Loops of the outer joints",
                                .x_label = "q\u2081 [rad]",
                                .y_label = "q\u2083 [rad]",
                                .equal_aspect = true,
                                .legend = figures::Legend::outside});
  SvgPanel& forward = plot.panel({.title = "Way of the centre of mass",
                                  .x_label = "time [s]",
                                  .y_label = "forward [m]",
                                  .legend = figures::Legend::outside});
  for (const Shown& gait : gaits) {
    loops.line(gait.swim.states.row(0), gait.swim.states.row(2),
               {.color = gait.color, .label = gait.name, .width = 1.6});
    const Eigen::Matrix3Xd path = locus(result.fish, gait.swim.states);
    forward.line(times(result.fish, path.cols()), path.row(0).array() - path(0, 0),
                 {.color = gait.color, .label = gait.name, .width = 2.2});
  }
  if (result.searched_swim && !result.searched_swim->failed) {
    const Eigen::Matrix3Xd path = locus(result.fish, result.searched_swim->states);
    forward.line(times(result.fish, path.cols()), path.row(0).array() - path(0, 0),
                 {.color = palette::grey, .label = "cross-entropy", .width = 1.6});
  }
  plot.write(out / "gait.svg");
}

}  // namespace

void write_csv(const PolicyResult& result, const figures::OutputFolder& out) {
  for (const SeedResult& seed : result.seeds) {
    figures::CsvWriter csv(
        out / ("learning_" + to_text(seed.seed) + ".csv"),
        {"iteration", "level", "evaluations", "seconds", "mean_return", "failed_share", "distance", "divergence",
         "clipped_share", "explained_variance", "seconds_acting", "seconds_advantages", "seconds_updating"});
    for (const LearningIteration& it : seed.learned.log)
      csv.row(std::vector<double>{
          static_cast<double>(it.ppo.iteration), static_cast<double>(it.level), static_cast<double>(it.evaluations),
          it.seconds, it.ppo.mean_return, it.ppo.failed_share, it.distance, it.ppo.divergence, it.ppo.clipped_share,
          it.ppo.explained_variance, it.ppo.seconds_acting, it.ppo.seconds_advantages, it.ppo.seconds_updating});
    csv.close();
  }
  for (const auto& [swim, name] :
       {std::pair{&result.middle().swim, "gait_learned.csv"}, {&result.planned, "gait_planned.csv"}})
    write_swim(result.fish, swim->torques, swim->states.leftCols(swim->torques.cols()), out / name);
}

void draw_plots(const PolicyResult& result, bool learned, const figures::OutputFolder& out) {
  draw_gait(result, out);
  if (!learned) return;
  draw_returns(result, out);
  draw_evaluations(result, out);
}

}  // namespace studies::stroke
