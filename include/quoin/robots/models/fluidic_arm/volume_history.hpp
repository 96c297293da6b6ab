// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/linear_system.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::fluidic_arm {

/// The volumes that the cylinders have moved, at any past time, for delayed actuators: exact at knots about 1 ms apart,
/// cubic in between, zero before time 0.
///
///     VolumeHistory history(cylinders, 0.02);
///     history.advance(u);                     // u, mL, held for 20 ms
///     history.at(0.013, volumes, rates);      // mL, mL/s
class VolumeHistory {
 public:
  /// Cylinders as in FluidicSystem; sample_time, s, > 0.
  VolumeHistory(std::vector<LinearSystem> cylinders, double sample_time);

  /// Goes on by one sample time under these reference volumes, mL (M).
  void advance(const Eigen::VectorXd& reference);
  /// s, to which the volumes are known.
  double time() const { return knot_time_ * static_cast<double>(knots_.size() - 1); }
  /// At a time not later than time(), up to rounding.
  void at(double time, Eigen::VectorXd& volumes, Eigen::VectorXd& rates) const;

 private:
  struct Knot {
    Eigen::VectorXd volumes, before, after;  // rates on both sides: they jump where u does
  };
  Eigen::VectorXd rates(const Eigen::VectorXd& reference) const;
  Eigen::VectorXd volumes() const;

  std::vector<LinearSystem> cylinders_;
  std::vector<LinearSystem> steps_;
  std::vector<Eigen::VectorXd> states_;
  int knots_per_sample_;
  double knot_time_;
  std::vector<Knot> knots_;
};

}  // namespace quoin::fluidic_arm
