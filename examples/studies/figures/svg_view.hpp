// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <string>
#include <vector>

namespace studies::figures::detail {

struct SvgBox {
  double x = 0, y = 0, width = 0, height = 0;

  bool contains(double px, double py) const { return px > x && px < x + width && py > y && py < y + height; }
};

/// From units to pixels, y upwards, the same scale both ways.
struct SvgView {
  Eigen::Vector2d middle = {0, 0};  ///< in units, at the middle of the area
  double pixels_per_unit = 1;
  SvgBox area = {};

  /// Shows the ranges from low to high, or more where the area has another shape.
  SvgView(const SvgBox& area, const Eigen::Vector2d& low, const Eigen::Vector2d& high);

  Eigen::Matrix2Xd to_pixels(const Eigen::Matrix2Xd& points) const;
};

struct Tick {
  double value;
  std::string label;
};

/// Round numbers from low to high, at least three of them, in steps that take at least `spacing` of `length`.
std::vector<Tick> ticks(double low, double high, double length, double spacing);

/// Width of a text in pixels, set in the widest of the usual sans-serif fonts; UTF-8, no markup.
double text_width(const std::string& text, double font_size);

}  // namespace studies::figures::detail
