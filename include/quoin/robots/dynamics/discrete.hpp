// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <concepts>

namespace quoin {

/// Time-discrete dynamics x' = g(x, u), with derivatives. Outputs are resized as needed; they are unspecified unless
/// the status is ok. Numerical failures are never thrown. Dynamics over a grid may be Hintable: planners tell them the
/// states (n x M) at which they will soon ask for steps.
template <class D>
concept DiscreteDynamics = requires(const D& d, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                    Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx, Eigen::MatrixXd& dnext_du) {
  { d.state_size() } -> std::convertible_to<Eigen::Index>;
  { d.control_size() } -> std::convertible_to<Eigen::Index>;
  { d.step(x, u, next) } -> std::same_as<StepStatus>;
  { d.step(x, u, next, dnext_dx, dnext_du) } -> std::same_as<StepStatus>;
};

}  // namespace quoin
