// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/discrete.hpp"

#include <Eigen/Core>

#include <functional>
#include <memory>
#include <utility>

namespace quoin {

/// Dynamics of any type, for what is compiled once and for results that keep their dynamics. Itself a DiscreteDynamics;
/// copies share the dynamics.
class AnyDynamics {
 public:
  /// Without any, which is to be replaced before it is asked.
  AnyDynamics() = default;
  /// Holds its own copy of the dynamics.
  template <DiscreteDynamics Dynamics>
  explicit AnyDynamics(Dynamics dynamics) : AnyDynamics(std::make_shared<const Dynamics>(std::move(dynamics))) {}
  /// Shares them with whoever else holds them.
  template <DiscreteDynamics Dynamics>
  explicit AnyDynamics(std::shared_ptr<const Dynamics> of)
      : state_size_(of->state_size()), control_size_(of->control_size()) {
    step_ = [of](const Vector& x, const Vector& u, Vector& next) { return of->step(x, u, next); };
    step_derivatives_ = [of](const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) {
      return of->step(x, u, next, dx, du);
    };
    if constexpr (Hintable<Dynamics>) hint_ = [of](const Matrix& states) { of->hint(states); };
  }

  Eigen::Index state_size() const { return state_size_; }
  Eigen::Index control_size() const { return control_size_; }
  /// Whether it is of use to tell them where steps will be asked.
  bool wants_hints() const { return hint_ != nullptr; }
  /// Steps will be asked at these states (n x M).
  void hint(const Eigen::MatrixXd& states) const {
    if (hint_) hint_(states);
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    return step_(x, u, next);
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    return step_derivatives_(x, u, next, dnext_dx, dnext_du);
  }

 private:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  Eigen::Index state_size_ = 0, control_size_ = 0;
  std::function<StepStatus(const Vector&, const Vector&, Vector&)> step_;
  std::function<StepStatus(const Vector&, const Vector&, Vector&, Matrix&, Matrix&)> step_derivatives_;
  std::function<void(const Matrix&)> hint_;
};

static_assert(DiscreteDynamics<AnyDynamics> && Hintable<AnyDynamics>);

}  // namespace quoin
