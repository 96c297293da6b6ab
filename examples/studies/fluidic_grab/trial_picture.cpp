// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/fluidic_grab/identify_parts.hpp"

namespace studies::grab {

void draw_trial(const TrialWords& words, double rate, const MatrixXd& reference, const MatrixXd& measured,
                const std::vector<MatrixXd>& predicted, const figures::OutputFolder& out) {
  const VectorXd times = VectorXd::LinSpaced(measured.cols(), 0, rate * static_cast<double>(measured.cols() - 1));
  std::vector<std::string> header = {"t", "reference", "measured"};
  header.insert(header.end(), words.predictions.begin(), words.predictions.end());
  figures::CsvWriter csv(out / (words.file + ".csv"), header);
  for (Index i = 0; i < measured.cols(); ++i) {
    std::vector<double> row = {times[i], reference(0, i), measured(0, i)};
    for (const MatrixXd& one : predicted) row.push_back(one(0, i));
    csv.row(row);
  }
  csv.close();

  figures::SvgPlot plot({.title = words.title, .columns = 1, .panel_width = 640, .panel_height = 260});
  auto& top = plot.panel(
      {.title = words.curves, .x_label = "time [s]", .y_label = words.y_label, .legend = figures::Legend::none});
  top.line(times, measured, {.color = figures::palette::vermilion, .width = 3});
  top.line(times, predicted[0], {.color = figures::palette::blue, .width = 1.5});
  if (predicted.size() > 1)
    top.line(times, predicted[1], {.color = figures::palette::black, .width = 1, .dash = "4 3"});
  plot.panel({.x_label = "time [s]", .y_label = "reference [mL]"})
      .line(times, reference, {.color = figures::palette::black, .width = 1.5});
  plot.write(out / (words.file + ".svg"));
}

}  // namespace studies::grab
