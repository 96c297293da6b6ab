// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/identify_iiwa/arm_results.hpp"
#include "examples/studies/identify_iiwa/identification_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace studies::iiwa {
namespace {

using namespace figures;

const char* color_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::given: return palette::grey;
    case ModelKind::mlp: return palette::vermilion;
    case ModelKind::standardized_mlp: return "#8a3b00";
    case ModelKind::delan: return palette::orange;
    case ModelKind::nostr: return palette::purple;
    case ModelKind::symm: return palette::black;
    case ModelKind::spd: return palette::sky;
    case ModelKind::tri: return palette::green;
    case ModelKind::cov: return palette::blue;
    case ModelKind::least_squares: return palette::light;
  }
  return palette::black;
}

void draw_convergence(const IdentificationStudy& study, const std::string& title, const figures::OutputFolder& out,
                      const std::string& name) {
  double most_epochs = 1;
  for (const Trial& trial : study.trials)
    most_epochs = std::max(most_epochs, static_cast<double>(trial.model.epochs()));
  SvgPlot plot({.panel_width = 620, .panel_height = 400});
  SvgPanel& panel = plot.panel({.title = title,
                                .x_label = "epoch",
                                .y_label = "NMSE of tau, worst joint",
                                .x_scale = AxisScale::logarithmic,
                                .y_scale = AxisScale::logarithmic,
                                .x_range = {{0.8, most_epochs * 1.2}},
                                .legend = figures::Legend::outside});
  figures::CsvWriter csv(out / (name + ".csv"), {"model", "seed", "epoch", "worst_nmse", "mean_nmse"});
  for (const ModelKind kind : learned_kinds) {
    if (!learns_in_steps(kind)) continue;
    bool first = true;
    for (const Trial* trial : study.of(kind)) {
      const Eigen::MatrixXd& errors = trial->model.course.errors;
      std::vector<double> epochs, worst;
      for (Eigen::Index e = 0; e < errors.cols(); ++e) {
        if (e > 0) {
          epochs.push_back(static_cast<double>(e));
          worst.push_back(errors.col(e).maxCoeff());
        }
        csv.row({static_cast<double>(kind), static_cast<double>(trial->model.seed), static_cast<double>(e),
                 errors.col(e).maxCoeff(), errors.col(e).mean()});
      }
      panel.line(epochs, worst,
                 {.color = color_of(kind),
                  .label = first ? to_string(kind) : "",
                  .width = 1.6,
                  .marker = figures::Marker::circle,
                  .marker_size = 3.5});
      first = false;
    }
  }
  panel.horizontal_line(0.1, {.color = palette::grey, .width = 1, .dash = "5 4"});
  plot.write(out / (name + ".svg"));
  csv.close();
}

void draw_reaching(const IdentificationStudy& study, const std::string& title, const figures::OutputFolder& out,
                   const std::string& name) {
  constexpr double period = 0.004;  // s
  SvgPlot plot({.panel_width = 760, .panel_height = 400});
  SvgPanel& panel = plot.panel({.title = title,
                                .x_label = "time [s]",
                                .y_label = "error of the end effector [m]",
                                .y_scale = AxisScale::logarithmic,
                                .legend = figures::Legend::outside});
  std::vector<ModelKind> kinds(learned_kinds.begin(), learned_kinds.end());
  kinds.push_back(ModelKind::given);
  for (const ModelKind kind : kinds) {
    const std::vector<const Trial*> trials = study.of(kind);
    if (trials.empty()) continue;
    const ReachingRun& run = trials.front()->reaching;
    std::vector<double> times, errors;
    for (Eigen::Index k = 0; k < run.path.cols(); k += 10) {
      times.push_back(static_cast<double>(k) * period);
      errors.push_back(std::max(1e-7, (run.path.col(k) - run.wanted.col(k)).norm()));
    }
    panel.line(times, errors,
               {.color = color_of(kind),
                .label = kind == ModelKind::given ? "given" : to_string(kind),
                .width = 1.4,
                .dash = kind == ModelKind::given ? "5 4" : ""});
  }
  plot.write(out / (name + ".svg"));
}

void draw_online(const std::vector<OnlineCurve>& curves, const figures::OutputFolder& out) {
  SvgPlot plot({.panel_width = 620, .panel_height = 400});
  SvgPanel& panel = plot.panel({.title = "Learning online, batches of 256 in the order of time",
                                .x_label = "batch",
                                .y_label = "NMSE of tau over the whole motion",
                                .y_scale = AxisScale::logarithmic,
                                .legend = figures::Legend::outside});
  figures::CsvWriter csv(out / "online.csv", {"model", "seed", "batch", "mean_nmse"});
  for (const ModelKind kind : learned_kinds) {
    std::vector<double> batches, mean, least, greatest;
    double count = 0;
    for (const OnlineCurve& curve : curves) {
      if (curve.kind != kind) continue;
      if (count == 0) {
        batches = curve.batches;
        mean.assign(batches.size(), 0);
        least = greatest = curve.errors;
      }
      ++count;
      for (std::size_t i = 0; i < std::min(batches.size(), curve.errors.size()); ++i) {
        mean[i] += std::log(curve.errors[i]);
        least[i] = std::min(least[i], curve.errors[i]);
        greatest[i] = std::max(greatest[i], curve.errors[i]);
        csv.row({static_cast<double>(kind), static_cast<double>(curve.seed), curve.batches[i], curve.errors[i]});
      }
    }
    if (count == 0) continue;
    for (double& value : mean) value = std::exp(value / count);
    panel.band(batches, least, greatest, {.color = color_of(kind), .width = 0, .fill_opacity = 0.15});
    panel.line(batches, mean, {.color = color_of(kind), .label = to_string(kind), .width = 2});
  }
  plot.write(out / "online.svg");
  csv.close();
}

/// Both panels on one scale; dashed the greatest error that the paper's table would print as what it has there.
void draw_feedback(const std::vector<FeedbackLevel>& levels, const figures::OutputFolder& out) {
  SvgPlot plot({.columns = 2, .panel_width = 420, .panel_height = 340});
  figures::CsvWriter csv(out / "feedback.csv", {"model", "seed", "frequency", "q", "qd", "x", "xd"});
  for (const FeedbackLevel& level : levels)
    for (const Trial& trial : level.study.trials)
      csv.row({static_cast<double>(trial.model.kind), static_cast<double>(trial.model.seed), level.frequency, trial.q,
               trial.qd, trial.x, trial.xd});
  csv.close();
  const auto draw_in = [&](figures::PanelOptions options, double Trial::*error, double printed) {
    options.x_label = "natural frequency of the feedback [rad/s]";
    options.y_label = "NMSE on the sines, mean";
    options.y_scale = AxisScale::logarithmic;
    options.y_range = {{1e-13, 3}};  // with room for the legend
    SvgPanel& panel = plot.panel(std::move(options));
    for (const ModelKind kind : {ModelKind::given, ModelKind::mlp, ModelKind::delan, ModelKind::cov}) {
      std::vector<double> at, mean;
      for (const FeedbackLevel& level : levels) {
        const Spread spread(
            level.study.of(kind), [&](const Trial& trial) { return trial.*error; },
            [](const Trial& trial) { return trial.sines_stable; });
        if (spread.count == 0) continue;
        at.push_back(level.frequency);
        mean.push_back(spread.mean);
      }
      if (at.empty()) continue;
      panel.line(at, mean,
                 {.color = color_of(kind),
                  .label = kind == ModelKind::given ? "ground truth" : to_string(kind),
                  .width = 1.8,
                  .marker = figures::Marker::circle,
                  .marker_size = 4});
    }
    panel.horizontal_line(printed,
                          {.color = palette::grey, .label = "paper's networks, as printed", .width = 1, .dash = "5 4"});
  };
  draw_in({.title = "q", .legend = figures::Legend::none}, &Trial::q, 0.0005);
  draw_in({.title = "dq/dt", .legend = figures::Legend::automatic}, &Trial::qd, 0.0015);
  plot.write(out / "feedback.svg");
}

void draw_payload(const PayloadTrial& trial, const figures::OutputFolder& out) {
  const std::map<Adaptation, const char*> colors = {{Adaptation::none, palette::grey},
                                                    {Adaptation::covariance, palette::blue},
                                                    {Adaptation::unstructured, palette::purple},
                                                    {Adaptation::least_squares, palette::vermilion}};
  SvgPlot plot({.columns = 1, .panel_width = 760, .panel_height = 270});
  const auto panel_of = [&](figures::PanelOptions options) -> SvgPanel& {
    options.x_label = "time [s]";
    options.legend = figures::Legend::outside;
    SvgPanel& panel = plot.panel(std::move(options));
    for (const double time : {trial.choice.picked_up, trial.choice.put_down})
      panel.vertical_line(time, {.color = palette::light, .width = 1.5});
    return panel;
  };
  SvgPanel& tracking = panel_of({.title = "Tracking, a payload between the lines",
                                 .y_label = "rms error of q [rad]",
                                 .y_scale = AxisScale::logarithmic});
  SvgPanel& prediction = panel_of({.title = "The model's torques",
                                   .y_label = "rms error of tau [N m]",
                                   .y_scale = AxisScale::logarithmic,
                                   .y_range = {{1e-3, 30}}});
  SvgPanel& bodies = panel_of({.title = "Bodies of the estimate that cannot be", .y_label = "of 7"});
  figures::CsvWriter csv(out / "payload.csv", {"adaptation", "time", "tracking", "prediction", "impossible_bodies"});
  for (const PayloadRun& run : trial.runs) {
    const figures::SvgStyle style = {
        .color = colors.at(run.adaptation), .label = to_string(run.adaptation), .width = 1.8};
    tracking.line(run.time, run.tracking, style);
    prediction.line(run.time, run.prediction, style);
    bodies.line(run.time, run.impossible, style);
    for (std::size_t i = 0; i < run.time.size(); ++i)
      csv.row(
          {static_cast<double>(run.adaptation), run.time[i], run.tracking[i], run.prediction[i], run.impossible[i]});
  }
  plot.write(out / "payload.svg");
  csv.close();
}

}  // namespace

std::string draw(const ArmResults& results, const figures::OutputFolder& out) {
  std::string files;
  if (results.simulation) {
    draw_convergence(*results.simulation, "Simulation: learning to 0.1 in every joint", out, "convergence");
    draw_reaching(*results.simulation, "Simulation: five reaches, first seed", out, "tracking");
    files +=
        "  convergence.svg            normalized errors while learning, all seeds\n"
        "  tracking.svg               the end effector's error on five reaches\n";
  }
  if (!results.feedback.empty()) {
    draw_feedback(results.feedback, out);
    files += "  feedback.svg               errors on the sines under other feedback of the joints\n";
  }
  if (results.harder) {
    draw_convergence(*results.harder, "Harder plant: learning until it converges", out, "convergence_harder");
    draw_reaching(*results.harder, "Harder plant: five reaches, first seed", out, "tracking_harder");
    files += "  *_harder.svg               the same on the harder plant\n";
  }
  if (!results.online.empty()) {
    draw_online(results.online, out);
    files += "  online.svg                 learning in the order of time (Fig. 1)\n";
  }
  if (!results.payload.empty()) {
    draw_payload(results.payload.front(), out);
    files += "  payload.svg                the first payload, picked up and put down\n";
  }
  return files + "  *.csv                      the numbers behind them\n";
}

}  // namespace studies::iiwa
