// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "elements_urdf.hpp"

#include <urdf_model/model.h>
#include <urdf_world/types.h>
#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cstddef>
#include <string>

namespace quoin::rigid_body {

inline constexpr std::size_t longest_urdf = std::size_t{1}
                                            << 22;  // bytes; parsing takes a hundred times as much memory

/// A URDF as urdfdom reads it, and as its XML says it.
struct UrdfDocument {
  urdf::ModelInterfaceSharedPtr model;
  UrdfElements elements;
};

/// Throws std::runtime_error, with `file` in front, for what is no URDF that check_elements and urdfdom accept.
UrdfDocument parse_document(const std::string& text, const std::string& file);

Eigen::Vector3d vector_of(const urdf::Vector3& v);
Eigen::Isometry3d pose_of(const urdf::Pose& pose);

}  // namespace quoin::rigid_body
