// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace studies::figures {
namespace {

using detail::Axis;
using detail::Tick;

void widen(Axis& axis, double units_per_pixel) {
  const double extra = units_per_pixel * std::abs(axis.pixel_high - axis.pixel_low) - (axis.high - axis.low);
  axis.low -= extra / 2;
  axis.high += extra / 2;
}

/// Sets ticks as densely as their labels allow; returns their spacing in pixels.
double set_x_ticks(Axis& axis) {
  double spacing = 56;
  axis.set_ticks(spacing);
  double widest = 0;
  for (const Tick& tick : axis.ticks) {
    widest = std::max(widest, tick.width(svg_tick_size));
  }
  if (widest + 22 > spacing) {
    spacing = widest + 22;
    axis.set_ticks(spacing);
  }
  return spacing;
}

}  // namespace

SvgLayout::SvgLayout(const SvgBox& cell, const SvgPanel& panel) : cell_(cell), panel_(panel) {
  choose_legend_items();
  set_color_ticks();
  const double width = legend_width();
  legend_outside_ = panel_.options_.legend == Legend::outside && !legend_.empty();
  lay_out(legend_outside_ ? width : 0);
  if (!legend_.empty() && !legend_outside_ && !place_legend()) {
    legend_outside_ = true;
    lay_out(width);
  }
  if (legend_outside_) {
    legend_box_ = {area_.x + area_.width + 10 + color_bar_width_, area_.y, width,
                   svg_legend_line * static_cast<double>(legend_.size()) + 8};
  }
  place_color_bar();
}

void SvgLayout::choose_legend_items() {
  for (const Item& item : panel_.items_) {
    const bool known = std::any_of(legend_.begin(), legend_.end(),
                                   [&](const Item* other) { return other->style.label == item.style.label; });
    if (panel_.options_.legend != Legend::none && !item.style.label.empty() && !known) {
      legend_.push_back(&item);
    }
  }
}

double SvgLayout::legend_width() const {
  double width = 0;
  for (const Item* item : legend_) {
    width = std::max(width, detail::text_width(item->style.label, svg_legend_size) + svg_legend_symbol + 24);
  }
  return width;
}

void SvgLayout::set_range(Axis& axis, int row) const {
  const PanelOptions& options = panel_.options_;
  axis.logarithmic = (row == 0 ? options.x_scale : options.y_scale) == AxisScale::logarithmic;
  axis.integer = row == 0 ? options.integer_x : options.integer_y;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Item& item : panel_.items_) {
    const bool counts = item.kind == Kind::curve || item.kind == Kind::area || item.kind == Kind::faces ||
                        item.kind == (row == 0 ? Kind::vertical : Kind::horizontal);
    for (const Eigen::Matrix2Xd& part : item.parts) {
      for (Eigen::Index i = 0; counts && i < part.cols(); ++i) {
        const double position = axis.position(part(row, i));
        low = position < low ? position : low;
        high = position > high ? position : high;
      }
    }
  }
  if (low > high) {
    low = 0;
    high = 1;
  }
  if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high)) || high == low) {
    const double half = axis.logarithmic || low == 0 ? 0.5 : 0.1 * std::abs(low);
    low -= half;
    high += half;
  }
  const double margin = (row == 0 ? 0.03 : 0.06) * (high - low);
  axis.low = low - margin;
  axis.high = high + margin;
  const auto& range = row == 0 ? options.x_range : options.y_range;
  if (range) {
    const double first = axis.position(range->first);
    const double second = axis.position(range->second);
    if (std::isfinite(first) && std::isfinite(second) && first != second) {
      axis.low = std::min(first, second);
      axis.high = std::max(first, second);
    }
  }
}

void SvgLayout::lay_out(double legend_width) {
  const PanelOptions& options = panel_.options_;
  const double top = options.title.empty() ? 18 : 36;
  const double right = 20 + (legend_width > 0 ? legend_width + 6 : 0) + color_bar_width_;
  const double bottom = !options.axes ? 12 : options.x_label.empty() ? 34 : 54;
  // The left margin holds the labels of y. They depend on the range, which with equal aspect depends on the area.
  double labels = 30;
  for (int round = 0; round < 3; ++round) {
    const double left = !options.axes ? 14 : 18 + labels + (options.y_label.empty() ? 4 : 22);
    area_ = {cell_.x + left, cell_.y + top, std::max(cell_.width - left - right, 40.0),
             std::max(cell_.height - top - bottom, 40.0)};
    set_range(x_, 0);
    set_range(y_, 1);
    x_.pixel_low = area_.x;
    x_.pixel_high = area_.x + area_.width;
    y_.pixel_low = area_.y + area_.height;
    y_.pixel_high = area_.y;
    if (options.equal_aspect) {
      const double scale = std::max((x_.high - x_.low) / area_.width, (y_.high - y_.low) / area_.height);
      widen(x_, scale);
      widen(y_, scale);
    }
    if (!options.axes) {
      return;
    }
    const double spacing = set_x_ticks(x_);
    y_.set_ticks(options.equal_aspect ? spacing : 42);  // equal units, equal steps
    labels = 0;
    for (const Tick& tick : y_.ticks) {
      labels = std::max(labels, tick.width(svg_tick_size));
    }
  }
}

void SvgLayout::set_color_ticks() {
  if (!panel_.color_bar_ || !panel_.color_bar_->shown) {
    return;
  }
  color_box_.width = 12;
  color_box_.height = std::clamp(cell_.height - 110, 40.0, 240.0);
  colors_.low = panel_.color_bar_->low;
  colors_.high = panel_.color_bar_->high;
  colors_.pixel_high = color_box_.height;
  colors_.set_ticks(42);
  double labels = 0;
  for (const Tick& tick : colors_.ticks) {
    labels = std::max(labels, tick.width(svg_tick_size));
  }
  color_bar_width_ = 14 + color_box_.width + 8 + labels + (panel_.color_bar_->label.empty() ? 0 : 24);
}

void SvgLayout::place_color_bar() {
  color_box_.x = area_.x + area_.width + 14;
  color_box_.y = area_.y + (area_.height - color_box_.height) / 2;
  colors_.pixel_low = color_box_.y + color_box_.height;
  colors_.pixel_high = color_box_.y;
}

Eigen::Matrix2Xd SvgLayout::to_pixels(const Eigen::Matrix2Xd& points) const {
  Eigen::Matrix2Xd mapped(2, points.cols());
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    mapped(0, i) = x_.pixel(x_.position(points(0, i)));
    mapped(1, i) = y_.pixel(y_.position(points(1, i)));
  }
  return mapped;
}

/// Puts the legend where it covers nothing; false if there is no such place.
bool SvgLayout::place_legend() {
  const double width = legend_width();
  const double height = svg_legend_line * static_cast<double>(legend_.size()) + 8;
  const double left = area_.x + 8;
  const double right = area_.x + area_.width - width - 8;
  const double upper = area_.y + 6;
  const double lower = area_.y + area_.height - height - 8;
  const double middle = area_.x + (area_.width - width) / 2;
  const double centre = area_.y + (area_.height - height) / 2;
  if (right < left || lower < upper) {
    return false;
  }
  const std::vector<Eigen::Vector2d> samples = sampled_points();
  constexpr double clear = 5;
  const std::array<std::pair<double, double>, 8> places = {{{right, upper},
                                                            {left, upper},
                                                            {right, lower},
                                                            {left, lower},
                                                            {middle, upper},
                                                            {middle, lower},
                                                            {right, centre},
                                                            {left, centre}}};
  for (const auto& [x, y] : places) {
    const SvgBox box{x - clear, y - clear, width + 2 * clear, height + 2 * clear};
    if (std::none_of(samples.begin(), samples.end(),
                     [&](const Eigen::Vector2d& point) { return box.contains(point.x(), point.y()); })) {
      legend_box_ = {x, y, width, height};
      return true;
    }
  }
  return false;
}

/// Points of everything drawn, so close that no box of a legend's size fits between them.
std::vector<Eigen::Vector2d> SvgLayout::sampled_points() const {
  std::vector<Eigen::Vector2d> samples;
  const auto add_segment = [&](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
    if (!a.allFinite() || !b.allFinite()) {
      return;
    }
    const int pieces = std::clamp(static_cast<int>((b - a).norm() / 6), 1, 500);
    for (int k = 0; k <= pieces; ++k) {
      samples.push_back(a + (b - a) * (static_cast<double>(k) / pieces));
    }
  };
  for (const Item& item : panel_.items_) {
    for (const Eigen::Matrix2Xd& part : item.parts) {
      const Eigen::Matrix2Xd points = to_pixels(part);
      if (item.kind == Kind::horizontal) {
        add_segment({x_.pixel_low, points(1, 0)}, {x_.pixel_high, points(1, 0)});
      } else if (item.kind == Kind::vertical) {
        add_segment({points(0, 0), y_.pixel_low}, {points(0, 0), y_.pixel_high});
      } else if (item.kind == Kind::words) {
        const double width = detail::text_width(item.words, item.style.font_size);
        const double shift = item.style.anchor == Anchor::start ? 0
                             : item.style.anchor == Anchor::end ? width
                                                                : width / 2;
        const Eigen::Vector2d start(points(0, 0) - shift, points(1, 0) - 4);
        add_segment(start, start + Eigen::Vector2d(width, 0));
      } else {
        for (Eigen::Index i = 0; i < points.cols(); ++i) {
          const bool closed = item.kind == Kind::area || item.kind == Kind::faces;
          const bool joined = closed || item.style.width > 0;
          const Eigen::Index next = i + 1 < points.cols() ? i + 1 : closed ? 0 : i;
          add_segment(points.col(i), points.col(joined ? next : i));
        }
        // For the inside of an area larger than a legend its centre line suffices, for bands and cells alike.
        for (Eigen::Index i = 0; item.kind == Kind::area && i < points.cols() / 2; ++i) {
          add_segment(points.col(i), points.col(points.cols() - 1 - i));
        }
      }
    }
  }
  return samples;
}

}  // namespace studies::figures
