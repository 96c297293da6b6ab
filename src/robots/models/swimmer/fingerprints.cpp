// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/detail/fingerprints.hpp"

#include <vector>

namespace quoin::swimmer::detail {

void add_hinges(const Swimmer& swimmer, Fingerprint& fingerprint) {
  std::vector<int> parents;
  Eigen::Matrix3Xd axes(3, swimmer.hinges()), points(3, 2 * swimmer.hinges());
  for (int k = 0; k < swimmer.hinges(); ++k) {
    const Hinge& hinge = swimmer.hinge(k);
    parents.push_back(hinge.parent);
    axes.col(k) = hinge.axis;
    points.col(2 * k) = hinge.in_parent;
    points.col(2 * k + 1) = hinge.in_link;
  }
  fingerprint.add("parents", parents).add_rounded("axes", axes).add_rounded("points", points);
}

void add_masses(const Swimmer& swimmer, Fingerprint& fingerprint) {
  Eigen::Matrix4Xd masses(4, swimmer.links());  // and first moments, whose zeros are then told from rounding
  Eigen::Matrix3Xd inertias(3, 3 * swimmer.links());
  for (int b = 0; b < swimmer.links(); ++b) {
    const LinkInertia& link = swimmer.inertia(b);
    masses.col(b) << link.mass, link.mass * link.centre;
    inertias.middleCols<3>(3 * b) = link.inertia;
  }
  fingerprint.add_rounded("masses", masses).add_rounded("inertias", inertias);
}

}  // namespace quoin::swimmer::detail
