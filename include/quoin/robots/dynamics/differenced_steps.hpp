// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differenced.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/step_function.hpp"
#include "quoin/robots/dynamics/step_status.hpp"
#include "quoin/util/resize_strong.hpp"

#include <Eigen/Core>

#include <concepts>
#include <utility>

namespace quoin {

/// What has steps, and no derivatives, as a simulator.
template <class S>
concept Stepping = requires(const S& s, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) {
  { s.state_size() } -> std::convertible_to<Eigen::Index>;
  { s.control_size() } -> std::convertible_to<Eigen::Index>;
  { s.step(x, u, next) } -> std::same_as<StepStatus>;
};

/// Steps with derivatives by differences: a DiscreteDynamics. 1 + 2 (n + m) steps, all from states near x: central, or
/// to one side where there is no step on the other.
///
///   const quoin::Differenced dynamics(quoin::StepFunction(2, 1, [&](const auto& x, const auto& u, auto& next) {
///     next = simulator.advance(x, u, 0.02);
///   }));
template <Stepping S>
class Differenced {
 public:
  /// states, controls: scales of n and m variables. Throws std::invalid_argument as of differenced.
  explicit Differenced(S steps, DifferenceOptions states = {}, DifferenceOptions controls = {})
      : steps_(std::move(steps)), states_(std::move(states)), controls_(std::move(controls)) {
    detail::difference_steps(Eigen::VectorXd::Zero(steps_.state_size()), states_);
    detail::difference_steps(Eigen::VectorXd::Zero(steps_.control_size()), controls_);
  }

  Eigen::Index state_size() const { return steps_.state_size(); }
  Eigen::Index control_size() const { return steps_.control_size(); }
  void hint(const Eigen::MatrixXd& states) const
    requires Hintable<S>
  {
    steps_.hint(states);
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    return steps_.step(x, u, next);
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    const StepStatus status = steps_.step(x, u, next);
    if (status != StepStatus::ok) return status;
    const auto by_state = [&](const Eigen::VectorXd& at, Eigen::VectorXd& y) { return steps_.step(at, u, y); };
    const auto by_control = [&](const Eigen::VectorXd& at, Eigen::VectorXd& y) { return steps_.step(x, at, y); };
    const StepStatus first = differences(x, next, states_, by_state, dnext_dx);
    return first == StepStatus::ok ? differences(u, next, controls_, by_control, dnext_du) : first;
  }

 private:
  template <class At>
  static StepStatus differences(const Eigen::VectorXd& at, const Eigen::VectorXd& middle,
                                const DifferenceOptions& options, const At& step_at, Eigen::MatrixXd& derivatives) {
    const Eigen::VectorXd steps = detail::difference_steps(at, options);
    resize_strong(derivatives, middle.size(), at.size());
    Eigen::VectorXd above, below;
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      Eigen::VectorXd up = at, down = at;
      up[j] += steps[j];
      down[j] -= steps[j];
      const StepStatus upper = step_at(up, above), lower = step_at(down, below);
      if (upper != StepStatus::ok && lower != StepStatus::ok) return upper;
      if (upper != StepStatus::ok) above = middle, up[j] = at[j];
      if (lower != StepStatus::ok) below = middle, down[j] = at[j];
      derivatives.col(j) = (above - below) / (up[j] - down[j]);
    }
    return StepStatus::ok;
  }

  S steps_;
  DifferenceOptions states_, controls_;
};

}  // namespace quoin
