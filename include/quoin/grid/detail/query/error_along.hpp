// SPDX-License-Identifier: BSD-3-Clause
// What three levels of a grid tell of the errors along a path: GridView::error_along.
#pragma once

#include "quoin/grid/detail/query/error_estimates.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/weighted_norm.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/request.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace quoin::grid_detail {

/// The error of what lies `finer` from a level of which `coarser` lay another: by the ratio that these show, which is
/// above that of the order of convergence where a feature is not resolved yet; below it they are so by chance. size: of
/// what is answered, which errs by no more than twice that where f is not larger.
inline double extrapolated(double finer, double coarser, double size, int order) {
  const double expected = std::exp2(-order), least = std::max(finer, expected * coarser);
  if (least == 0) return 0;
  const double ratio = std::clamp(least / coarser, expected, 0.95);
  return std::min(least * ratio / (1 - ratio), std::max(least, 2 * size));
}

/// The largest norm of a column.
inline double largest_of(const WeightedNorm& norm, const Eigen::MatrixXd& Y) {
  double most = 0;
  for (const auto& y : Y.colwise()) most = std::max(most, norm(y));
  return most;
}

/// The largest differences of a view's values and Jacobians from those one and two levels above.
class LevelDifferences {
 public:
  /// False if one of the levels has no answer of its own at one of the points.
  template <class View>
  bool measure(const View& view, const WeightedNorm& norm, const Eigen::Ref<const Eigen::MatrixXd>& X) {
    std::array<Eigen::MatrixXd, 3> Y, J;
    for (std::size_t above = 0; above < 3; ++above)
      for (const Answer& answer :
           view.at_level(view.level() - static_cast<int>(above)).evaluate_batch(X, Y[above], J[above]))
        if (answer.trust > Trust::unchecked) return false;
    for (std::size_t above = 0; above < 2; ++above) {
      value[above] = largest(norm, Y[above], Y[above + 1]);
      jacobian[above] = largest(norm, J[above], J[above + 1]);
    }
    for (std::size_t above = 0; above < 3; ++above) {
      size = std::max(size, largest_of(norm, Y[above]));
      slope = std::max(slope, largest_of(norm, J[above]));
    }
    return true;
  }

  std::array<double, 2> value, jacobian;
  double size = 0, slope = 0;  ///< of the largest value, and column of a Jacobian

 private:
  static double largest(const WeightedNorm& norm, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return largest_of(norm, a - b);
  }
};

/// The largest of what is said of a level's answers without a call of f; unchecked if nothing is of one of them.
template <class Estimate>
Answer said_along(const Estimate& estimate, int level, const Eigen::Ref<const Eigen::MatrixXd>& X) {
  Answer worst{.trust = Trust::exact, .level = level, .error = 0, .jacobian_error = 0};
  StopCheck stop(64);
  for (const auto& x : X.colwise()) {
    stop();
    const Answer said = estimate(x);
    if (!(said.error >= 0)) return {.trust = Trust::unchecked, .level = level};
    worst.trust = std::max(worst.trust, said.trust);
    worst.error = std::max(worst.error, said.error);
    if (!(said.jacobian_error <= worst.jacobian_error)) worst.jacobian_error = said.jacobian_error;
  }
  return worst;
}

/// Whether what is said of a level's answers at points hardly differs from nothing.
template <class View>
bool is_flat(const View& view, const WeightedNorm& norm, const Eigen::Ref<const Eigen::MatrixXd>& X,
             const Answer& said) {
  if (!(said.error >= 0)) return false;
  Eigen::MatrixXd Y;
  view.evaluate_batch(X, Y);
  return said.error <= flat_part * largest_of(norm, Y);
}

/// View: GridView, whose member this is. estimate(x): what known corners say. checked(X, said, flat): what is said,
/// compared with f where it is time to; flat: the levels hardly differ.
template <class View, class Estimate, class Checked>
Answer error_along(const View& view, const WeightedNorm& norm, const Eigen::Ref<const Eigen::MatrixXd>& X,
                   const Estimate& estimate, const Checked& checked) {
  const Answer said = said_along(estimate, view.level(), X);
  if (view.tolerance() || said.trust <= Trust::certified) return said;
  if (view.level() == 0) return checked(X, said, is_flat(view, norm, X, said));
  if (view.level() == 1) {
    Answer known = said;
    if (said.trust == Trust::unchecked) {
      view.prefetch(X);
      view.at_level(0).prefetch(X);
      known = said_along(estimate, view.level(), X);
    }
    if (!(known.error >= 0)) return known;  // a corner failed
    return checked(X, known, is_flat(view, norm, X, known));
  }
  LevelDifferences levels;
  try {
    if (!levels.measure(view, norm, X)) return {.trust = Trust::unchecked, .level = view.level()};
  } catch (const CornerFailure&) {
    return {.trust = Trust::unchecked, .level = view.level()};
  }
  const int order = 2 * view.jet_order() + 2;
  const Answer said_of_levels{
      .trust = Trust::indicated,
      .level = view.level(),
      .error = extrapolated(levels.value[0], levels.value[1], levels.size, order),
      .jacobian_error = extrapolated(levels.jacobian[0], levels.jacobian[1], levels.slope, order - 1)};
  return checked(X, said_of_levels, std::max(levels.value[0], levels.value[1]) <= flat_part * levels.size);
}

}  // namespace quoin::grid_detail
