// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::identification {

/// A motion of a robot of n joints with its forces: a column for every instant.
struct RobotMotion {
  Eigen::MatrixXd q, qd, qdd;  ///< n x T, rad or m and their rates
  Eigen::MatrixXd tau;         ///< n x T, N m or N, as measured

  Eigen::Index joints() const { return tau.rows(); }
  Eigen::Index instants() const { return tau.cols(); }
  /// The instants from `first` on. Both must lie within the motion.
  RobotMotion columns(Eigen::Index first, Eigen::Index count) const;
  /// These instants, in this order; any may come again.
  RobotMotion at(const std::vector<Eigen::Index>& instants) const;
};

/// Throws std::invalid_argument with the shapes unless all four are alike, not empty, and finite.
void require(const RobotMotion& motion, const char* who);

/// The normalized error of every joint: the mean squared error over the variance of the measurements (NMSE of Sutanto
/// et al. 2020). Infinite where the measurements do not vary. Throws std::invalid_argument for shapes that differ.
Eigen::VectorXd normalized_errors(const Eigen::Ref<const Eigen::MatrixXd>& predicted,
                                  const Eigen::Ref<const Eigen::MatrixXd>& measured);

}  // namespace quoin::identification
