// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <concepts>

namespace quoin::planning {

/// The cost of a trajectory: the sum over i = 0..horizon of 1/2 |r_i(x_i, u_i)|^2. At i = horizon, the last state, u
/// has size 0 and dr_du no columns. The number of residuals may change with i (zero is fine) but not from call to call.
/// The outputs are resized where they must be. False means "cannot be computed here" (outside of a map's domain, say):
/// a line search then shortens its step. Weights go into r, as square roots.
template <class R>
concept StageResiduals = requires(const R& residuals, int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                  Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx, Eigen::MatrixXd& dr_du) {
  { residuals.residual(i, x, u, r) } -> std::same_as<bool>;                // r: any number of rows
  { residuals.residual(i, x, u, r, dr_dx, dr_du) } -> std::same_as<bool>;  // dr_dx: rows x n, dr_du: rows x m
};

/// The constraints of a trajectory: h_i(x_i, u_i) <= 0 in every component, i = 0..horizon, with the same rules as for
/// residuals. Scale h such that a violation of `constraint_tolerance` is harmless.
template <class H>
concept StageConstraints = requires(const H& constraints, int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                    Eigen::VectorXd& h, Eigen::MatrixXd& dh_dx, Eigen::MatrixXd& dh_du) {
  { constraints.constraint(i, x, u, h) } -> std::same_as<bool>;
  { constraints.constraint(i, x, u, h, dh_dx, dh_du) } -> std::same_as<bool>;
};

/// No constraints but the bounds.
struct NoConstraints {
  bool constraint(int, const Eigen::VectorXd&, const Eigen::VectorXd&, Eigen::VectorXd& h) const {
    h.resize(0);
    return true;
  }
  bool constraint(int, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h, Eigen::MatrixXd& dh_dx,
                  Eigen::MatrixXd& dh_du) const {
    h.resize(0);
    dh_dx.resize(0, x.size());
    dh_du.resize(0, u.size());
    return true;
  }
};

}  // namespace quoin::planning
