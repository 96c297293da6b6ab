// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <concepts>

namespace quoin {

/// The outcome of one time step.
enum class StepStatus {
  ok,
  outside_domain,  ///< the next state leaves the domain of the map under the dynamics
  map_failed,      ///< the map under the dynamics has no answer where the step needs it
  not_converged,   ///< the step's equations were not solved to their tolerance
  singular         ///< the reduced mass (or the step's Jacobian) is singular
};

constexpr const char* to_string(StepStatus status) {
  switch (status) {
    case StepStatus::ok: return "ok";
    case StepStatus::outside_domain: return "outside domain";
    case StepStatus::map_failed: return "map failed";
    case StepStatus::not_converged: return "not converged";
    case StepStatus::singular: return "singular";
  }
  return "unknown";
}

/// Time-discrete dynamics x' = g(x, u), with derivatives. The outputs are resized where they must be; unless the status
/// is ok they are unspecified. A step never throws for numerical reasons.
template <class D>
concept DiscreteDynamics = requires(const D& d, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                    Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx, Eigen::MatrixXd& dnext_du) {
  { d.state_size() } -> std::convertible_to<Eigen::Index>;
  { d.control_size() } -> std::convertible_to<Eigen::Index>;
  { d.step(x, u, next) } -> std::same_as<StepStatus>;
  { d.step(x, u, next, dnext_dx, dnext_du) } -> std::same_as<StepStatus>;
};

}  // namespace quoin
