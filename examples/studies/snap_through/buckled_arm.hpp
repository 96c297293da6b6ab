// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/snap_through/equilibria.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace studies::branches {

/// The standard soft arm beyond buckling, at rest bent to one side or to the other, as a function of two coordinates x
/// of its controls u = C x. See loaded_arm and pushed_arm. Immutable; copies share the arm; safe from many threads.
template <int SpaceDim>
class BuckledArm {
 public:
  using Controls = typename soft_arm::Statics<SpaceDim>::Controls;
  using ControlMap = Eigen::Matrix<double, soft_arm::line_count<SpaceDim>, 2>;

  /// starts: controls under which an arm without dead load bends to one side and to the other.
  BuckledArm(soft_arm::SoftArm<SpaceDim> arm, const ControlMap& controls, const std::vector<Controls>& starts);

  const soft_arm::SoftArm<SpaceDim>& arm() const { return statics_.arm(); }
  Eigen::Index output_size() const { return statics_.output_size(); }  ///< f_s: coordinates, then lengths of lines
  const std::vector<Eigen::VectorXd>& starts() const { return starts_; }

  /// See Multistable. The branch is that of branch_of.
  std::optional<Equilibrium> settle(const Eigen::VectorXd& start, const Point<2>& x) const;

  /// In the plane, the side of the tip, 1 or -1. In space, the side to which every other vertex of the lines is out of
  /// line: the tip may change sides on one branch with the lines' difference.
  int branch_of(const Eigen::VectorXd& y) const;

 private:
  soft_arm::Statics<SpaceDim> statics_;
  ControlMap controls_;
  std::vector<Eigen::VectorXd> starts_;
  Eigen::RowVectorXd side_;
};

/// The plane arm upright under a payload at its tip that it cannot bear straight (10 N; it buckles under about half of
/// that): x are the pulls of its two lines. A small gravity to the right, 0.3 m/s^2, breaks the symmetry.
BuckledArm<2> loaded_arm(double payload = 10);

/// The arm in space whose lines push, u = -(x_0 + x_1), -(x_0 - x_1), -(x_0 - x_1), -(x_0 + x_1): beyond x_0 = 1.77 its
/// lines fold in a zigzag to one side or to the other. A small gravity to the right, 0.05 m/s^2, breaks the symmetry.
BuckledArm<3> pushed_arm();

extern template class BuckledArm<2>;
extern template class BuckledArm<3>;

}  // namespace studies::branches
