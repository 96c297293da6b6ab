// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

namespace quoin::planning {

/// How large states and controls are, where the coordinates of a trajectory, which may all be zero, do not tell:
/// controls as large as the cost pays for, and the states to which one step takes them or, where none does, as large as
/// the cost pays for. So differences are free of units.
class CoordinateSizes {
 public:
  CoordinateSizes(Eigen::Index states, Eigen::Index controls, double cost)
      : cost_(cost),
        control_(Eigen::VectorXd::Zero(controls)),
        state_(Eigen::VectorXd::Zero(states)),
        paid_state_(Eigen::VectorXd::Constant(states, std::numeric_limits<double>::infinity())) {}

  /// Takes in controls, and the diagonal of their cost's second derivative.
  void add_controls(const Eigen::Ref<const Eigen::VectorXd>& u, const Eigen::Ref<const Eigen::VectorXd>& second) {
    for (Eigen::Index i = 0; i < control_.size(); ++i) {
      const double paid = second[i] > 0 ? paid_for(second[i]) : 0;
      control_[i] = std::max({control_[i], std::abs(u[i]), std::isfinite(paid) ? paid : 0});
    }
  }
  /// Takes in a state, and how the step before it depends on the controls, all of which have been taken in.
  void add_state(const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::Ref<const Eigen::MatrixXd>& by_controls) {
    const Eigen::VectorXd moved = by_controls.cwiseAbs() * control_;
    state_ = state_.cwiseMax(x.cwiseAbs()).cwiseMax(moved);
  }
  /// Takes in the diagonal of the second derivative of a stage's cost by the state. The stage that pays least for a
  /// state, such as the one that names the goal, says how far it is meant to go.
  void add_state_cost(const Eigen::Ref<const Eigen::VectorXd>& second) {
    for (Eigen::Index i = 0; i < state_.size(); ++i)
      if (second[i] > 0) paid_state_[i] = std::min(paid_state_[i], paid_for(second[i]));
  }

  /// n + m: 1 where sizes are moderate, and where nothing tells of them; otherwise closer to these.
  Eigen::VectorXd least() const {
    Eigen::VectorXd sizes(state_.size() + control_.size());
    sizes << (state_.array() > 0).select(state_, paid_state_), control_;
    for (double& size : sizes) size = size > 0 && std::isfinite(size) ? std::clamp(1.0, 1e-3 * size, 30 * size) : 1;
    return sizes;
  }

 private:
  double paid_for(double second) const { return std::sqrt(2 * cost_ / second); }

  double cost_;
  Eigen::VectorXd control_, state_, paid_state_;
};

}  // namespace quoin::planning
