// SPDX-License-Identifier: BSD-3-Clause
#include "robots/geometry/fcl/fcl_shape.hpp"

#include "quoin/util/to_text.hpp"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>

#include <stdexcept>

namespace quoin::fcl_detail {
namespace {

using Eigen::Index;
using Eigen::Vector3d;

Placed placed(const Capsule& capsule, const std::string& who) {
  require_shape(capsule, who);
  const Vector3d along = capsule.b - capsule.a, middle = 0.5 * (capsule.a + capsule.b);
  Eigen::Isometry3d placement = Eigen::Isometry3d::Identity();
  placement.linear() = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), along).toRotationMatrix();
  placement.translation() = middle;
  return {capsule,   std::make_shared<fcl::Capsuled>(capsule.radius, along.norm()),
          placement, false,
          middle,    0.5 * along.norm() + capsule.radius};
}

Placed placed(const Box& box, const std::string& who) {
  require_shape(box, who);
  return {box,
          std::make_shared<fcl::Boxd>(2 * box.half_extents),
          box.pose,
          false,
          box.pose.translation(),
          box.half_extents.norm()};
}

Placed around(const FclShape& shape, std::shared_ptr<const fcl::CollisionGeometryd> geometry, bool mesh,
              const SurfaceMesh& surface) {
  const Vector3d low = surface.vertices.rowwise().minCoeff(), high = surface.vertices.rowwise().maxCoeff();
  const Vector3d centre = 0.5 * (low + high);
  const double radius = (surface.vertices.colwise() - centre).colwise().norm().maxCoeff();
  return {shape, std::move(geometry), Eigen::Isometry3d::Identity(), mesh, centre, radius};
}

void require_convex(const SurfaceMesh& surface, const std::string& who) {
  require_closed_surface(surface, who);
  const Eigen::Matrix3Xd& v = surface.vertices;
  const double size = (v.rowwise().maxCoeff() - v.rowwise().minCoeff()).norm();
  for (Index t = 0; t < surface.triangles.cols(); ++t) {
    const Vector3d corner = v.col(surface.triangles(0, t));
    const Vector3d out = (v.col(surface.triangles(1, t)) - corner).cross(v.col(surface.triangles(2, t)) - corner);
    Index farthest = 0;
    const double above = (out.normalized().transpose() * (v.colwise() - corner)).maxCoeff(&farthest);
    if (above > 1e-6 * size)
      throw std::invalid_argument(who + ": a polytope is not convex: its vertex " + to_text(farthest) + " is " +
                                  to_text(above) + " m outside of triangle " + to_text(t));
  }
}

Placed placed(const Polytope& polytope, const std::string& who) {
  const SurfaceMesh& surface = polytope.surface;
  require_convex(surface, who);
  const auto vertices = std::make_shared<std::vector<Vector3d>>();
  const auto faces = std::make_shared<std::vector<int>>();
  for (Index i = 0; i < surface.vertices.cols(); ++i) vertices->push_back(surface.vertices.col(i));
  for (Index t = 0; t < surface.triangles.cols(); ++t) {
    faces->push_back(3);
    for (Index k = 0; k < 3; ++k) faces->push_back(surface.triangles(k, t));
  }
  return around(polytope, std::make_shared<fcl::Convexd>(vertices, static_cast<int>(surface.triangles.cols()), faces),
                false, surface);
}

Placed placed(const SurfaceMesh& surface, const std::string& who) {
  const Index count = surface.vertices.cols();
  if (surface.triangles.cols() == 0 || !surface.vertices.allFinite() || surface.triangles.minCoeff() < 0 ||
      surface.triangles.maxCoeff() >= count)
    throw std::invalid_argument(who + ": a mesh of " + to_text(surface.triangles.cols()) + " triangles and " +
                                to_text(count) + " vertices: it needs triangles, finite vertices and valid indices");
  const auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  std::vector<Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  for (Index i = 0; i < count; ++i) vertices.push_back(surface.vertices.col(i));
  for (Index t = 0; t < surface.triangles.cols(); ++t)
    triangles.emplace_back(surface.triangles(0, t), surface.triangles(1, t), surface.triangles(2, t));
  if (model->beginModel() != fcl::BVH_OK || model->addSubModel(vertices, triangles) != fcl::BVH_OK ||
      model->endModel() != fcl::BVH_OK)
    throw std::invalid_argument(who + ": FCL does not take a mesh of " + to_text(triangles.size()) + " triangles");
  return around(surface, model, true, surface);
}

}  // namespace

Placed placed(const FclShape& shape, const std::string& who) {
  return std::visit([&](const auto& one) { return placed(one, who); }, shape);
}

}  // namespace quoin::fcl_detail
