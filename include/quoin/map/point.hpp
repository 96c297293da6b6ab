// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <string>

namespace quoin {

/// A point of the low-dimensional space over which an expensive function is tabulated.
template <int Dim>
using Point = Eigen::Matrix<double, Dim, 1>;

/// The point as messages show it: "(0.5, -1)".
template <int Dim>
std::string to_text(const Point<Dim>& x) {
  std::string text = "(";
  for (int i = 0; i < Dim; ++i) text += (i ? ", " : "") + to_text(x[i]);
  return text + ")";
}

}  // namespace quoin
