// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/soft_arm.hpp"

#include <Eigen/Core>

#include <random>

/// A beam of few elements.
template <int SpaceDim>
quoin::soft_arm::SoftArm<SpaceDim> small_arm() {
  using namespace quoin::soft_arm;
  return SoftArm<SpaceDim>(make_beam<SpaceDim>({.cells_across = 2, .cells_along = 10}));
}

inline Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}
