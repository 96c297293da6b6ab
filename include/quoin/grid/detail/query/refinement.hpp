// SPDX-License-Identifier: BSD-3-Clause
// In the descent of a query to a tolerance: whether a cell is accepted, or how much deeper to look.
#pragma once

#include "quoin/util/requirements.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace quoin::grid_detail {

/// An error of the value and one of the Jacobian, measured or predicted.
struct ErrorEstimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double jacobian = std::numeric_limits<double>::quiet_NaN();
  double repeatable = 0;  ///< of the value: to which f repeats its answers there, whatever the cell's size

  friend ErrorEstimate operator*(double factor, const ErrorEstimate& error) {
    return {.value = factor * error.value, .jacobian = factor * error.jacobian, .repeatable = error.repeatable};
  }
};

/// The decisions of tolerance mode from measured errors: whether a cell answers, or how much deeper to look.
///
/// A cell is accepted on a measurement only, never on what its corners look like (x^2 y^2 looks like a constant to the
/// corners around its centre): on the surplus at its own centre, or on those of two ancestors, if they fell from one to
/// the other as the order of the interpolant predicts and their prediction for this cell is well below the tolerance.
/// From a cell that is not accepted the search goes down by as many levels at once as the order suggests. The constants
/// were chosen by measurement (docs/notes/accuracy.md).
class Refinement {
 public:
  /// order: of the jets, K; the value's error falls as 2^-(2K + 2) from level to level. by_ancestors: as the option.
  Refinement(double tolerance, int order, bool by_ancestors)
      : tolerance_(tolerance), exponent_(2 * order + 2), by_ancestors_(by_ancestors) {}

  /// The last measurement of a search on its way down.
  struct Learnt {
    int level = -1;         ///< of the last measurement; -1: none yet
    ErrorEstimate error;    ///< there
    bool of_order = false;  ///< it fell from the one before as the order of the interpolant predicts
  };

  /// The error that the last measurement predicts for a level below it.
  ErrorEstimate predicted(const Learnt& learnt, int level) const {
    const double depth = level - learnt.level;
    return {.value = learnt.error.value * std::exp2(-exponent_ * depth),
            .jacobian = learnt.error.jacobian * std::exp2(-(exponent_ - 1) * depth),
            .repeatable = learnt.error.repeatable};
  }

  /// The error of a cell that needs no measurement of its own; empty if it needs one.
  std::optional<ErrorEstimate> accept_unmeasured(const Learnt& learnt, int level) const {
    if (!by_ancestors_ || !learnt.of_order) return std::nullopt;
    const ErrorEstimate error = safety * predicted(learnt, level);
    if (!(error.value <= tolerance_)) return std::nullopt;
    return error;
  }

  /// The error of a cell that can be neither measured nor split: the predicted one if the order was seen, otherwise
  /// that of the last measurement, which was not accepted.
  ErrorEstimate without_measurement(const Learnt& learnt, int level) const {
    if (!learnt.of_order) return learnt.error;
    return safety * predicted(learnt, level);
  }

  /// Throws std::invalid_argument for a tolerance below what f can repeat there. dim: of the grid.
  void require_repeatable(const ErrorEstimate& measured, int dim) const {
    if (tolerance_ < measured.repeatable)
      throw std::invalid_argument("AdaptiveGrid<" + to_text(dim) + ">: tolerance " + to_text(tolerance_) +
                                  " is below " + to_text(measured.repeatable) +
                                  ", to which f can repeat its answers here (FunctionTraits::repeatable_to)");
  }

  /// True if a cell with this measured error answers. floor: the rounding error, which no depth can reduce.
  bool accept(const ErrorEstimate& measured, double floor) const {
    return measured.value <= std::max(tolerance_, floor);
  }

  /// Takes in a measured error that was not accepted and says how many levels deeper to look.
  int deeper(Learnt& learnt, int level, const ErrorEstimate& measured, double floor) const {
    if (!std::isfinite(measured.value)) {  // f failed, or changes its branch: nothing is learnt of the order
      learnt = {};
      return 1;
    }
    const bool of_order = learnt.level >= 0 && measured.value <= order_slack * predicted(learnt, level).value;
    learnt = {.level = level, .error = measured, .of_order = of_order};
    const double levels = std::ceil(std::log2(measured.value / std::max(tolerance_, floor)) / exponent_);
    return static_cast<int>(std::clamp(levels, 1.0, of_order ? 64.0 : static_cast<double>(first_jump)));
  }

  static constexpr double safety = 3;       // of what an ancestor predicts
  static constexpr double order_slack = 4;  // factor by which two measurements may fall less than by the order
  static constexpr int first_jump = 2;      // levels, as long as the order has not been seen

 private:
  double tolerance_;
  int exponent_;
  bool by_ancestors_;
};

}  // namespace quoin::grid_detail
