// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/swimmer/swimmer.hpp"

#include <Eigen/Core>

namespace quoin::swimmer {

/// The sizes of an ellipsoid_chain.
struct EllipsoidChainOptions {
  int links = 4;                                    ///< at least one
  Eigen::Vector3d semi_axes{0.1, 0.02, 0.05};       ///< along the body, lateral, vertical; m
  double gap = 0.02;                                ///< between tips of neighbours, m; the hinge is in its middle
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< of all hinges
  /// n: 10 n^2 + 2 vertices per link. The added mass of n = 6 is 1 to 5 % too small (discs: 9 %), its error falls as
  /// 1/n^2 and its time grows as n^4 to n^6. ExtrapolatedAddedMass of n = 4 and 6 is within 0.3 % (discs: 2 %) at 1.2
  /// times the time, of n = 3 and 4 within 1.3 % (discs: 6 %) at 0.2 times.
  int mesh = 6;
  double density = 1000;        ///< of the links, kg/m^3
  double fluid_density = 1000;  ///< kg/m^3
};

/// Equal ellipsoids in a row (Jia, Pan, Manocha 2019, Fig. 2). The head is link 0, with its frame at its centre; the
/// others follow along -x, so that the swimmer looks towards +x. A positive angle bends the tail to the right of the
/// head for the axis +z (towards -y).
Swimmer ellipsoid_chain(const EllipsoidChainOptions& options = {});

}  // namespace quoin::swimmer
