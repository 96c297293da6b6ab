// SPDX-License-Identifier: BSD-3-Clause
// What three levels of a grid tell of the errors along a path: GridView::error_along.
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/request.hpp"
#include "quoin/core/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace quoin::grid_detail {

/// The error of what lies `finer` from a level of which `coarser` lay another: by this order of convergence where the
/// differences have shown at least half of it, else by the ratio that they have shown.
inline double extrapolated(double finer, double coarser, int order) {
  if (finer == 0) return 0;
  const double shown = finer / coarser, expected = std::exp2(-order);
  const double ratio = shown <= std::sqrt(expected) ? expected : std::min(shown, 0.95);
  return finer * ratio / (1 - ratio);
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
    return true;
  }

  std::array<double, 2> value, jacobian;

 private:
  static double largest(const WeightedNorm& norm, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    double most = 0;
    for (Eigen::Index i = 0; i < a.cols(); ++i) most = std::max(most, norm(a.col(i) - b.col(i)));
    return most;
  }
};

/// The largest of what a view says of its answers without a call of f; unchecked if it says nothing of one of them.
template <class View>
Answer said_along(const View& view, const Eigen::Ref<const Eigen::MatrixXd>& X) {
  Answer worst{.trust = Trust::exact, .level = view.level(), .error = 0, .jacobian_error = 0};
  StopCheck stop(64);
  for (const auto& x : X.colwise()) {
    stop();
    const Answer said = view.error_estimate(x);
    if (!(said.error >= 0)) return {.trust = Trust::unchecked, .level = view.level()};
    worst.trust = std::max(worst.trust, said.trust);
    worst.error = std::max(worst.error, said.error);
    if (!(said.jacobian_error <= worst.jacobian_error)) worst.jacobian_error = said.jacobian_error;
  }
  return worst;
}

/// View: GridView, whose member this is.
template <class View>
Answer error_along(const View& view, const WeightedNorm& norm, const Eigen::Ref<const Eigen::MatrixXd>& X) {
  const Answer said = said_along(view, X);
  if (view.tolerance() || view.level() == 0 || said.trust <= Trust::certified) return said;
  if (view.level() == 1) {
    if (said.trust != Trust::unchecked) return said;
    view.prepare(X);
    view.at_level(0).prepare(X);
    return said_along(view, X);
  }
  LevelDifferences levels;
  try {
    if (!levels.measure(view, norm, X)) return {.trust = Trust::unchecked, .level = view.level()};
  } catch (const CornerFailure&) {
    return {.trust = Trust::unchecked, .level = view.level()};
  }
  const int order = 2 * view.jet_order() + 2;
  return {.trust = Trust::indicated,
          .level = view.level(),
          .error = extrapolated(levels.value[0], levels.value[1], order),
          .jacobian_error = extrapolated(levels.jacobian[0], levels.jacobian[1], order - 1)};
}

}  // namespace quoin::grid_detail
