// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <string>

namespace quoin {

/// What GridView::check has seen of a map's errors: at n of the points given, chosen by chance, f itself was called.
struct ErrorCheck {
  Eigen::MatrixXd points;           ///< Dim x n: those given, but for the rounding to the finest lattice
  Eigen::VectorXd errors;           ///< n: of the values, in the weighted norm of the outputs
  Eigen::VectorXd jacobian_errors;  ///< n: of the worst column of the Jacobians; empty if f gives none
  Eigen::VectorXd stated;           ///< n: what the answers say of their errors; NaN where they say nothing
  double largest = 0;               ///< of the errors; NaN if n = 0
  double root_mean_square = 0;      ///< of the errors; NaN if n = 0
  /// At least this share of all points given errs by no more than `largest`, with a confidence of 95 %: 0.05^(1/n).
  double share = 0;
  int told = 0;         ///< how many answers state an error,
  int within = 0;       ///< and how many of these err by no more than that
  int failed = 0;       ///< how many further points were chosen at which f failed, or the map has no answer
  std::string message;  ///< the same in a sentence
};

}  // namespace quoin
