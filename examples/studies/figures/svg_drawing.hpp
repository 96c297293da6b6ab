// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/svg_panel.hpp"

#include <deque>
#include <filesystem>
#include <string>

namespace studies::figures {

struct SvgDrawingOptions {
  std::string title = {};
  int columns = 0;           ///< of panels; 0: all panels in one row
  double panel_width = 460;  ///< pixels, including margins
  double panel_height = 340;
  double frame_seconds = 0.05;  ///< of an animated figure
  int still_frame = -1;         ///< frame shown where animations do not run (print, thumbnails); -1: the last
};

/// Scenes in one or several panels without axes, written as one SVG file that browsers, READMEs and papers show as it
/// is. What has axes is drawn by pictures.py.
///
///     SvgDrawing drawing({.title = "Unwinding"});
///     SvgPanel& panel = drawing.panel();
///     panel.scene(scene);
///     panel.line(scene.project(path), {.color = palette::blue, .label = "tip"});
///     drawing.write("out/unwinding.svg");
///
/// The background is white, so that the figure is legible on dark pages as well; the legend stands once, below all
/// panels. Items whose style names a frame make the figure an animation that repeats forever, in every browser (SMIL).
class SvgDrawing {
 public:
  explicit SvgDrawing(SvgDrawingOptions options = {}) : options_(std::move(options)) {}

  /// Adds a panel to the right of the last one or below. The reference stays valid.
  SvgPanel& panel(PanelOptions options = {}) { return panels_.emplace_back(std::move(options)); }

  std::string to_svg() const;
  /// Throws std::runtime_error if the file cannot be written.
  void write(const std::filesystem::path& file) const;

 private:
  friend class SvgRenderer;

  SvgDrawingOptions options_;
  std::deque<SvgPanel> panels_;
};

}  // namespace studies::figures
