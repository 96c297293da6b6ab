// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"

#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::swimmer {

Swimmer ellipsoid_chain(const EllipsoidChainOptions& options) {
  if (options.links < 1 || !(options.gap >= 0))
    throw std::invalid_argument("ellipsoid_chain: " + to_text(options.links) + " links at a gap of " +
                                to_text(options.gap) + " m");
  const double reach = options.semi_axes.x() + options.gap / 2;
  const Link link{.surface = geodesic_ellipsoid(options.semi_axes, options.mesh), .density = options.density};
  std::vector<Hinge> hinges;
  for (int k = 0; k + 1 < options.links; ++k)
    hinges.push_back({.parent = k,
                      .axis = options.axis,
                      .in_parent = -reach * Eigen::Vector3d::UnitX(),
                      .in_link = reach * Eigen::Vector3d::UnitX()});
  return {std::vector<Link>(static_cast<std::size_t>(options.links), link), std::move(hinges), options.fluid_density};
}

}  // namespace quoin::swimmer
