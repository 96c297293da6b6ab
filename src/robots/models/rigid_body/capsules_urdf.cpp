// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/urdf.hpp"

#include "document_urdf.hpp"

#include "quoin/map/point.hpp"
#include "quoin/robots/geometry/capsule_around.hpp"
#include "quoin/util/files.hpp"
#include "quoin/util/to_text.hpp"

#include <urdf_model/link.h>

#include <cmath>
#include <stdexcept>

namespace quoin::rigid_body {
namespace {

Eigen::Matrix3Xd corners_of(const Eigen::Vector3d& size) {
  Eigen::Matrix3Xd corners(3, 8);
  for (int i = 0; i < 8; ++i)
    corners.col(i) = 0.5 * size.cwiseProduct(Eigen::Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  return corners;
}

/// Around a shape in its own frame. Throws std::invalid_argument with the reason.
Capsule capsule_of(const urdf::Geometry& shape, const UrdfMeshes& meshes) {
  const auto require = [](double size, const char* what) {
    if (!(size >= 0) || !std::isfinite(size))
      throw std::invalid_argument(std::string(what) + ' ' + to_text(size) + " m is negative or not finite");
  };
  switch (shape.type) {
    case urdf::Geometry::SPHERE: {
      const double radius = static_cast<const urdf::Sphere&>(shape).radius;
      require(radius, "the radius of a sphere,");
      return Capsule::sphere(Eigen::Vector3d::Zero(), radius);
    }
    case urdf::Geometry::CYLINDER: {
      const auto& cylinder = static_cast<const urdf::Cylinder&>(shape);
      require(cylinder.radius, "the radius of a cylinder,");
      require(cylinder.length, "the length of a cylinder,");
      const Eigen::Vector3d end(0, 0, 0.5 * cylinder.length);
      return capsule_around_cylinder(-end, end, cylinder.radius);
    }
    case urdf::Geometry::BOX: {
      const Eigen::Vector3d size = vector_of(static_cast<const urdf::Box&>(shape).dim);
      for (const double edge : size) require(edge, "the edge of a box,");
      return capsule_around(corners_of(size));
    }
    case urdf::Geometry::MESH: {
      const auto& mesh = static_cast<const urdf::Mesh&>(shape);
      if (!meshes) throw std::invalid_argument("the mesh '" + mesh.filename + "' needs a function that loads it");
      return capsule_around(vector_of(mesh.scale).asDiagonal() * meshes(mesh.filename));
    }
  }
  throw std::invalid_argument("its shape is not known");
}

}  // namespace

std::vector<LinkCapsule> parse_urdf_capsules(const std::string& text, const UrdfMeshes& meshes,
                                             const std::string& name) {
  const UrdfDocument document = parse_document(text, name);
  std::vector<LinkCapsule> capsules;
  const auto add = [&](const std::string& link) {
    for (const urdf::CollisionSharedPtr& collision : document.model->getLink(link)->collision_array) {
      if (!collision || !collision->geometry) continue;
      const Eigen::Isometry3d pose = pose_of(collision->origin);
      try {
        const Capsule capsule = capsule_of(*collision->geometry, meshes);
        capsules.push_back({link, {pose * capsule.a, pose * capsule.b, capsule.radius}});
        require_shape(capsules.back().capsule, "its collision");
      } catch (const std::invalid_argument& error) {
        refuse_urdf(name, document.elements.lines.at("link " + link), "link", link, error.what());
      }
    }
  };
  add(document.elements.root);
  for (const std::string& joint : document.elements.joints) add(document.model->getJoint(joint)->child_link_name);
  return capsules;
}

std::vector<LinkCapsule> read_urdf_capsules(const std::filesystem::path& file, const UrdfMeshes& meshes) {
  return parse_urdf_capsules(read_file(file, longest_urdf), meshes, file.string());
}

}  // namespace quoin::rigid_body
