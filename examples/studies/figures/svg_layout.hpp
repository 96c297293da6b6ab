// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/svg_axis.hpp"
#include "examples/studies/figures/svg_panel.hpp"

#include <Eigen/Core>

#include <vector>

namespace studies::figures {

inline constexpr double svg_tick_size = 11.5;  ///< of the labels of ticks, pixels
inline constexpr double svg_legend_size = 12;  ///< of the text of a legend
inline constexpr double svg_legend_line = 18;  ///< height of a line of a legend
inline constexpr double svg_legend_symbol = 24;

struct SvgBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  bool contains(double px, double py) const { return px > x && px < x + width && py > y && py < y + height; }
};

/// The layout of one panel: axes with their ticks, the area of the data, the legend.
class SvgLayout {
 public:
  using Item = SvgPanel::Item;

  SvgLayout(const SvgBox& cell, const SvgPanel& panel);

  /// Points of the data in pixels; NaN where an axis cannot show them.
  Eigen::Matrix2Xd to_pixels(const Eigen::Matrix2Xd& points) const;

  const detail::Axis& x() const { return x_; }
  const detail::Axis& y() const { return y_; }
  const SvgBox& area() const { return area_; }
  const std::vector<const Item*>& legend() const { return legend_; }
  const SvgBox& legend_box() const { return legend_box_; }
  /// The gradient of the colour bar, whose ticks are those of `colors`; meaningless if there is none.
  const SvgBox& color_box() const { return color_box_; }
  const detail::Axis& colors() const { return colors_; }
  bool legend_outside() const { return legend_outside_; }

 private:
  using Kind = SvgPanel::Kind;

  void choose_legend_items();
  double legend_width() const;
  void set_range(detail::Axis& axis, int row) const;
  void lay_out(double legend_width);
  void set_color_ticks();
  void place_color_bar();
  bool place_legend();
  std::vector<Eigen::Vector2d> sampled_points() const;

  const SvgBox cell_;
  const SvgPanel& panel_;
  detail::Axis x_;
  detail::Axis y_;
  SvgBox area_;
  detail::Axis colors_;
  SvgBox color_box_;
  double color_bar_width_ = 0;  // with its ticks and label
  std::vector<const Item*> legend_;
  SvgBox legend_box_;
  bool legend_outside_ = false;
};

}  // namespace studies::figures
