// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/options_of.hpp"
#include "quoin/core/requirements.hpp"

#include <Eigen/Core>

#include <cmath>

namespace quoin {

/// How Newton's corrections with one factorization went on.
struct NewtonCorrectionOptions {
  double contraction = 0.5;  ///< each correction is at most this part of the one before, or the guess is too far away
  double remainder = 0.02;   ///< what is expected to be missing at the end, relative to the sum of the corrections
  int residuals = 8;         ///< at most
  double rounding = 1e-12;   ///< corrections below this, relative to the guess, are rounding and are not compared
};

/// For models that are Verifiable: the sum of Newton's corrections of a guess y of R(y) = 0 with one factorization of
/// K = dR/dy at the guess (simplified Newton's method),
///
///     step_k = -K^-1 R(y + step_1 + ... + step_{k-1}),   total = step_1 + ... + step_n.
///
///     total.resize(y.size());
///     newton_correction([&](const Eigen::VectorXd& total, Eigen::VectorXd& step) {
///       residual(y + total, step);                                  // step and total: as long as y
///       step = -factorization.solve(step);
///     }, y.norm(), total);
///
/// The first step alone measures an error to the second order in it, but says nothing of how far that holds. The ratio
/// theta of two steps does (Deuflhard 2004, Newton Methods for Nonlinear Problems, Sect. 2.1.2): as it bounds the next
/// one, theta / (1 - theta) of the last step is expected to be missing. Returns true once that is small; at the second
/// residual, if the equation is nearly linear between guess and solution. Returns false, with total in any state, where
/// the steps do not contract, do not get there in time, or are not finite. scale: a norm of the guess itself. Throws
/// std::invalid_argument for options that mean nothing.
template <class Step>
bool newton_correction(Step&& step_from, double scale, Eigen::VectorXd& total,
                       const NewtonCorrectionOptions& options = {}) {
  const OptionsOf of{"newton_correction"};
  of.positive("contraction", options.contraction);
  of.not_negative("remainder", options.remainder);
  of.one_or_more("residuals", options.residuals);
  of.not_negative("rounding", options.rounding);
  Eigen::VectorXd step;
  total.setZero(total.size());
  double before = 0;
  for (int k = 0; k < options.residuals; ++k) {
    step_from(total, step);
    const double length = step.norm();
    if (!std::isfinite(length)) return false;
    const bool rounded = length <= options.rounding * scale;
    if (k > 0 && !rounded && !(length <= options.contraction * before)) return false;
    total += step;
    if (rounded) return true;
    const double theta = length / before;
    if (k > 0 && theta / (1 - theta) * length <= options.remainder * total.norm()) return true;
    before = length;
  }
  return false;
}

}  // namespace quoin
