// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/error_norm.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace quoin {

/// How Newton's corrections with one factorization went on.
struct NewtonCorrectionOptions {
  /// Each correction is at most this part of the one before, the second at most half of the first, or the guess is too
  /// far away.
  double contraction = 0.8;
  double remainder = 0.02;  ///< what is expected to be missing at the end, relative to the sum of the corrections
  int residuals = 8;        ///< at most
  double rounding = 1e-12;  ///< corrections below this, relative to the guess, are rounding and are not compared
};

namespace detail {

/// What a step is of the one before in half of the outputs that the norm does not see, at most; 0 if it sees all. It is
/// the median because it has no unit, and because a step may be small by chance in an output that others move.
inline double unseen_contraction(const ErrorNorm& norm, const Eigen::VectorXd& rounding, const Eigen::VectorXd& before,
                                 const Eigen::VectorXd& step) {
  std::vector<double> ratios;
  for (Eigen::Index i = 0; i < step.size(); ++i)
    if (norm.weights()[i] == 0)
      ratios.push_back(std::abs(step[i]) <= rounding[i] ? 0 : std::abs(step[i]) / std::abs(before[i]));
  if (ratios.empty()) return 0;
  const auto median = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), median, ratios.end());
  return *median;
}

}  // namespace detail

/// For models that are Verifiable: the sum dy of Newton's corrections of a guess y of R(y) = 0 with one factorization
/// of K = dR/dy at the guess (simplified Newton's method),
///
///     step_k = -K^-1 R(y + step_1 + ... + step_{k-1}),   dy = step_1 + ... + step_n.
///
///     return newton_correction([&](const Eigen::VectorXd& dy, Eigen::VectorXd& step) {
///       residual(guess + dy, step);                                 // step and dy: as long as the guess
///       step = -factorization.solve(step);
///     }, guess, norm, dy);
///
/// Outputs that R does not determine, but others, belong to the step too: with what they are at its end.
///
/// The first step alone measures an error to the second order in it, but says nothing of how far that holds. The ratio
/// theta of two steps does (Deuflhard 2004, Newton Methods for Nonlinear Problems, Sect. 2.1.2): as it bounds the next
/// one, theta / (1 - theta) of the last step is expected to be missing. Steps are compared in the norm in which the
/// error is stated, so that the outputs' units do not matter, and what is missing is estimated output by output:
///
/// - The first ratio counts twice: where R is quadratic it is h / 2 if the following ones are h.
/// - theta of an output is its own ratio, at most 1/2, or that of the norm if it is larger: where its step is small, it
///   may contract less than the others and end far from it. Its last step counts as no less than the norm's ratio of
///   the one before: it may be small by chance.
/// - Outputs that the norm does not see may move those that it does: the norm's ratio is at least the median of theirs.
///   If these contract, those need not from the first step to the second.
///
/// Returns true once that is small; at the second residual, if the equation is nearly linear between guess and
/// solution. Returns false, with dy in any state, where the steps do not contract, do not get there in time, or are not
/// finite. Throws std::invalid_argument for options that mean nothing.
template <class Step>
bool newton_correction(Step&& step_from, const Eigen::VectorXd& guess, const ErrorNorm& norm, Eigen::VectorXd& dy,
                       const NewtonCorrectionOptions& options = {}) {
  const OptionsOf of{"newton_correction"};
  of.positive("contraction", options.contraction);
  of.not_negative("remainder", options.remainder);
  of.one_or_more("residuals", options.residuals);
  of.not_negative("rounding", options.rounding);
  const Eigen::VectorXd roundings = options.rounding * guess.cwiseAbs();
  const double rounding = norm.of_each(roundings);
  const bool sees_all = (norm.weights().array() > 0).all();
  Eigen::VectorXd step, before, missing(guess.size());
  double length_before = 0;
  dy.setZero(guess.size());
  for (int k = 0; k < options.residuals; ++k) {
    step_from(std::as_const(dy), step);
    if (!step.allFinite()) return false;
    const double length = norm.of_each(step);
    const bool rounded = length <= rounding;
    const double unseen = sees_all ? 0 : k == 0 ? 1 : detail::unseen_contraction(norm, roundings, before, step);
    const double largest = k == 1 ? 0.5 : options.contraction;
    const bool contracts = rounded || length <= largest * length_before;
    // The first step in a few outputs may be small by chance, if others that contract move them.
    const bool by_others = k == 1 && !sees_all && unseen <= largest;
    if (k > 0 && !contracts && !by_others) return false;
    dy += step;
    if (rounded && unseen <= 0.5) return true;
    if (k > 0) {
      const double ratio = std::max(unseen, length / length_before);
      const double growth = k == 1 ? 2 : 1;
      for (Eigen::Index i = 0; i < step.size(); ++i) {
        const double own = std::min(0.5, growth * std::abs(step[i] / before[i]));
        const double theta = std::max(own, std::min(options.contraction, growth * ratio));
        const double last = std::max(std::abs(step[i]), ratio * std::abs(before[i]));
        missing[i] = std::copysign(theta / (1 - theta) * last, step[i]);
      }
      // Within a functional the estimates of two outputs may cancel by chance, or those of many may add up.
      if (std::max(norm.of_each(missing), norm(missing)) <= options.remainder * norm(dy)) return true;
    }
    before.swap(step);
    length_before = length;
  }
  return false;
}

}  // namespace quoin
