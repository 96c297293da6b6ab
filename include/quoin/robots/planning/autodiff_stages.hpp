// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/autodiff.hpp"
#include "quoin/robots/dynamics/status_of_call.hpp"
#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin::planning {

/// Residuals, or constraints, with derivatives from a function that is written for any number: StageResiduals and
/// StageConstraints. f(i, x, u, r) takes a stage and vectors of numbers, and resizes and fills r; where there is none
/// it throws DomainError or CornerFailure, as maps do.
///
///   const quoin::planning::AutodiffStages reach([](int i, const auto& x, const auto& u, auto& r) {
///     if (i < 80) r = 0.1 * u; else r = 30.0 * (x - target);
///   });
template <class F>
class AutodiffStages {
 public:
  explicit AutodiffStages(F f) : f_(std::move(f)) {}

  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    return status_of_call([&] { f_(i, x, u, r); }) == StepStatus::ok;
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const {
    const Eigen::Index count = x.size() + u.size();
    const VectorOf<Dual> states = variables(x, 0, count), controls = variables(u, x.size(), count);
    VectorOf<Dual> duals;
    if (status_of_call([&] { f_(i, states, controls, duals); }) != StepStatus::ok) return false;
    r = values_of(duals);
    dr_dx = derivatives_of(duals, 0, x.size());
    dr_du = derivatives_of(duals, x.size(), u.size());
    return true;
  }

  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h) const {
    return residual(i, x, u, h);
  }
  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h, Eigen::MatrixXd& dh_dx,
                  Eigen::MatrixXd& dh_du) const {
    return residual(i, x, u, h, dh_dx, dh_du);
  }

 private:
  F f_;
};

}  // namespace quoin::planning
