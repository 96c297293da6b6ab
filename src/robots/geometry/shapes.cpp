// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/shapes.hpp"

#include "quoin/map/point.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin {
namespace {}  // namespace

void require_shape(const Capsule& capsule, std::string_view caller) {
  if (capsule.a.allFinite() && capsule.b.allFinite() && capsule.radius >= 0 && std::isfinite(capsule.radius)) return;
  throw std::invalid_argument(std::string(caller) + ": a capsule from " + to_text(capsule.a) + " to " +
                              to_text(capsule.b) + " with radius " + to_text(capsule.radius) +
                              ": ends must be finite, the radius finite and not negative");
}

void require_shape(const Box& box, std::string_view caller) {
  if (!box.half_extents.allFinite() || !(box.half_extents.minCoeff() > 0))
    throw std::invalid_argument(std::string(caller) + ": a box with half extents " + to_text(box.half_extents) +
                                ": they must be positive and finite");
  const Eigen::Vector3d at = box.pose.translation();
  if (!at.allFinite())
    throw std::invalid_argument(std::string(caller) + ": a box at " + to_text(at) + " is not finite");
  const Eigen::Matrix3d rotation = box.pose.linear();
  const double error = (rotation.transpose() * rotation - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(error < 1e-9))
    throw std::invalid_argument(std::string(caller) + ": the pose of a box is no rotation: R^T R differs from 1 by " +
                                to_text(error));
}

}  // namespace quoin
