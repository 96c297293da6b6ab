// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/robots/dynamics/any_dynamics.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"

#include <Eigen/Core>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace quoin::planning {

/// A body that moves among its rest shapes, and those of its outputs that shall follow a path; types erased. Made by
/// tracked_body.
struct TrackedBody {
  AnyDynamics dynamics;      ///< states begin with the pulls under which the body would rest as it is: m of n numbers
  double time_step = 0;      ///< seconds
  Eigen::Index outputs = 0;  ///< N
  /// Of pulls u (m): y (N), J (N x m). Throws where there are none.
  std::function<void(const Eigen::VectorXd& u, Eigen::VectorXd& y, Eigen::MatrixXd& J)> output;
  /// The same; false where there are none.
  std::function<bool(const Eigen::VectorXd& u, Eigen::VectorXd& y, Eigen::MatrixXd& J)> try_output;
  /// How the lengths along which pulls u (m) act change with these: m x m, a row for each. The same; empty: not told.
  std::function<bool(const Eigen::VectorXd& u, Eigen::MatrixXd& slopes)> length_slopes = {};

  /// The state (n) of the body at rest under the pulls u (m).
  Eigen::VectorXd rest_state(const Eigen::VectorXd& u) const {
    return u.replicate(dynamics.state_size() / dynamics.control_size(), 1);
  }
};

/// The model, and a map from its pulls to N outputs: others of the map that the model has, as a functional of a grid.
/// Keeps copies of both.
template <int Lines, class Map, class Output>
  requires DifferentiableMap<Output, Lines>
TrackedBody tracked_body(const ReducedDynamics<Lines, Map>& model, Output output) {
  const auto of = std::make_shared<const Output>(std::move(output));
  return {.dynamics = AnyDynamics(model),
          .time_step = model.options().time_step,
          .outputs = of->output_size(),
          .output = [of](const Eigen::VectorXd& u, Eigen::VectorXd& y,
                         Eigen::MatrixXd& J) { of->evaluate(Point<Lines>(u), y, J); },
          .try_output =
              [of](const Eigen::VectorXd& u, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
                return quoin::try_evaluate<Lines>(*of, Point<Lines>(u), y, J).has_value();
              },
          .length_slopes =
              [model](const Eigen::VectorXd& u, Eigen::MatrixXd& slopes) {
                Eigen::VectorXd y;
                Eigen::MatrixXd J;
                if (!quoin::try_evaluate<Lines>(model.map(), Point<Lines>(u), y, J).has_value()) return false;
                slopes = J.middleRows<Lines>(model.coordinates());
                return true;
              }};
}

/// The outputs of a body shall be where a path is, at each time step.
struct TrackingTask {
  TrackedBody body;                     ///< what moves
  Eigen::MatrixXd path;                 ///< N x (K+1), the body's time steps apart; where it begins, the body rests
  Eigen::VectorXd lower_control;        ///< m, the least pulls
  Eigen::VectorXd upper_control;        ///< m, the greatest
  Eigen::VectorXd control_rate = {};    ///< m, how fast pulls may change, a second; empty: at once
  std::optional<double> accuracy = {};  ///< the deviation that counts, in the outputs' unit; none: a thousandth of the
                                        ///< path's extent
  double smoothness = 1;  ///< what a change of a pull through its whole range, within a step, counts beside it
};

}  // namespace quoin::planning
