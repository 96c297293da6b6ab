// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace studies::figures::detail {

/// Width of a text in pixels, set in the widest of the usual sans-serif fonts; UTF-8, no markup.
double text_width(const std::string& text, double font_size);

struct Tick {
  double position;    ///< on the axis: the value, or its log10
  std::string label;  ///< empty: a minor tick
  int exponent = 0;   ///< of a label "10", set above it
  bool power = false;

  /// Width of the label as set.
  double width(double font_size) const;
};

/// One axis: the range that it shows and its pixels. On a logarithmic axis positions are log10 of the values.
struct Axis {
  bool logarithmic = false;
  bool integer = false;
  double low = 0;
  double high = 1;
  double pixel_low = 0;
  double pixel_high = 1;
  std::vector<Tick> ticks = {};
  int exponent = 0;  ///< all labels are to be multiplied by 10^exponent

  /// The value's position; NaN if the axis cannot show it.
  double position(double value) const;
  double pixel(double position_on_axis) const {
    return pixel_low + (position_on_axis - low) / (high - low) * (pixel_high - pixel_low);
  }

  /// Sets the ticks, at least `spacing` pixels apart.
  void set_ticks(double spacing);
};

}  // namespace studies::figures::detail
