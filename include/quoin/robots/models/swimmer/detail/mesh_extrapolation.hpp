// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/swimmer/motion.hpp"
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"

#include <Eigen/Core>

namespace quoin::swimmer::detail {

/// Richardson's extrapolation of SwimmerFlow::added_mass, whose error is proportional to the area of the panels, hence
/// to one over their number.
class MeshExtrapolation {
 public:
  MeshExtrapolation(SwimmerFlow coarse, SwimmerFlow fine);

  const SwimmerFlow& coarse() const { return coarse_; }
  const SwimmerFlow& fine() const { return fine_; }

  /// As SwimmerFlow::added_mass. Throws std::domain_error unless links and water together have a positive energy.
  void added_mass(const Eigen::VectorXd& q, Motion motion, Eigen::VectorXd& y, Eigen::MatrixXd* J) const;

 private:
  void require_positive_energy(const Eigen::VectorXd& q, Motion motion, const Eigen::VectorXd& added) const;

  SwimmerFlow coarse_, fine_;
  double weight_;  // of the difference of the two meshes
};

}  // namespace quoin::swimmer::detail
