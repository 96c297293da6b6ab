// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/svg_panel.hpp"

#include <deque>
#include <filesystem>
#include <string>

namespace studies::figures {

struct SvgPlotOptions {
  std::string title = {};
  int columns = 0;           ///< of panels; 0: all panels in one row
  double panel_width = 460;  ///< pixels, including margins and labels
  double panel_height = 340;
  double frame_seconds = 0.05;  ///< of an animated figure
  int still_frame = -1;         ///< frame shown where animations do not run (print, thumbnails); -1: the last
};

/// A figure of one or several panels, written as one SVG file that browsers, READMEs and papers show as it is.
///
///     SvgPlot plot({.title = "Planning through the grid"});
///     SvgPanel& cost = plot.panel({.x_label = "iteration", .y_label = "cost", .y_scale = AxisScale::logarithmic});
///     cost.line(iterations, exact, {.label = "exact"});
///     cost.line(iterations, surrogate, {.label = "grid", .marker = Marker::circle});
///     plot.write("out/cost.svg");
///
/// The background is white, so that the figure is legible on dark pages as well. Items whose style names a frame make
/// the figure an animation that repeats forever, in every browser (SMIL). One path per series: 1e5 points take 1 MB.
class SvgPlot {
 public:
  explicit SvgPlot(SvgPlotOptions options = {}) : options_(std::move(options)) {}

  /// Adds a panel to the right of the last one or below. The reference stays valid.
  SvgPanel& panel(PanelOptions options = {}) { return panels_.emplace_back(std::move(options)); }

  std::string to_svg() const;
  /// Throws std::runtime_error if the file cannot be written.
  void write(const std::filesystem::path& file) const;

 private:
  friend class SvgRenderer;

  SvgPlotOptions options_;
  std::deque<SvgPanel> panels_;
};

}  // namespace studies::figures
