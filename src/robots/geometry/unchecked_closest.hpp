// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/closest.hpp"

namespace quoin::detail {

/// `closest` of capsules given as a + t d, for shapes known to be sound.
Closest unchecked_closest(const Eigen::Vector3d& a, const Eigen::Vector3d& d, double radius, const Eigen::Vector3d& b,
                          const Eigen::Vector3d& e, double other_radius);
Closest unchecked_closest(const Eigen::Vector3d& a, const Eigen::Vector3d& d, double radius, const Box& box);

}  // namespace quoin::detail
