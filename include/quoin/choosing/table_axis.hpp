// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// How a Table divides an axis into cells.
enum class AxisScale {
  linear,       ///< equal cells
  logarithmic,  ///< equal cells in the logarithm
  periodic      ///< equal cells, and any turn may be asked: the period is upper - lower
};

/// An axis of a Table, a variable of its function. Made by linear_axis, log_axis and periodic_axis.
struct TableAxis {
  std::string name;                     ///< in messages
  double lower = 0;                     ///< the least that may be asked
  double upper = 1;                     ///< the greatest
  AxisScale scale = AxisScale::linear;  ///< how it is divided
  /// Of level 0: no feature of the function should be narrower than one. 0: the table chooses 1 to 8, as values on four
  /// lines along each axis ask for.
  int cells = 0;

  /// The variable of the grid under the table: the logarithm along a logarithmic axis.
  double in_grid(double x) const { return scale == AxisScale::logarithmic ? std::log(x) : x; }
  /// Back from it, between the bounds but for periodic axes.
  double from_grid(double u) const {
    if (scale == AxisScale::periodic) return u;
    return std::clamp(scale == AxisScale::logarithmic ? std::exp(u) : u, lower, upper);
  }
  /// What is wrong with a value of the variable, in words; empty: nothing.
  std::string complaint(double x) const {
    if (!std::isfinite(x)) return name + " = " + to_text(x) + " is not finite";
    if (scale == AxisScale::periodic) return {};
    if (x < lower) return name + " = " + to_text(x) + " is below lower = " + to_text(lower);
    if (x > upper) return name + " = " + to_text(x) + " is above upper = " + to_text(upper);
    return {};
  }
};

namespace detail {
inline TableAxis checked_axis(TableAxis axis) {
  const std::string who = "axis " + axis.name + ": ";
  if (!std::isfinite(axis.lower) || !std::isfinite(axis.upper) || !(axis.lower < axis.upper))
    throw std::invalid_argument(who + "lower = " + to_text(axis.lower) + ", upper = " + to_text(axis.upper) +
                                ": expected finite bounds, the lower one first");
  if (axis.scale == AxisScale::logarithmic && !(axis.lower > 0))
    throw std::invalid_argument(who + "lower = " + to_text(axis.lower) + " has no logarithm");
  const int least = axis.scale == AxisScale::periodic ? 2 : 1;
  if (axis.cells != 0 && axis.cells < least)
    throw std::invalid_argument(who + "cells = " + to_text(axis.cells) + ", expected at least " + to_text(least) +
                                ", or 0: the table chooses");
  return axis;
}
}  // namespace detail

/// From lower to upper. These three throw std::invalid_argument, with the name, for bounds or cells that are none.
inline TableAxis linear_axis(std::string name, double lower, double upper, int cells = 0) {
  return detail::checked_axis({std::move(name), lower, upper, AxisScale::linear, cells});
}

/// From lower to upper, both above 0.
inline TableAxis log_axis(std::string name, double lower, double upper, int cells = 0) {
  return detail::checked_axis({std::move(name), lower, upper, AxisScale::logarithmic, cells});
}

/// With the period upper - lower: any turn may be asked, and costs the calls of one.
inline TableAxis periodic_axis(std::string name, double lower, double upper, int cells = 0) {
  return detail::checked_axis({std::move(name), lower, upper, AxisScale::periodic, cells});
}

}  // namespace quoin
