// SPDX-License-Identifier: BSD-3-Clause
#include "potential_flow_body.hpp"

#include "quoin/robots/geometry/surface_mesh.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace quoin::swimmer {
namespace {

constexpr double quarter_over_pi = 0.25 * std::numbers::inv_pi;

using Lanes = Eigen::Array<double, tile_points, 1>;
using TileOf3 = Eigen::Array<double, tile_points, 3>;

/// Memory for the sums of one tile.
class Tile {
 public:
  Tile(const PanelMesh& mesh, int directions)
      : vertices_(static_cast<Eigen::Index>(mesh.x.size())),
        influence_(tile_points, vertices_),
        dinfluence_(tile_points, directions * vertices_),
        scratch_(static_cast<Eigen::Index>(panel_scratch(mesh, directions))) {}

  /// Copies points from `first` on; the last point fills up the last tile.
  Eigen::Index gather(const Eigen::Matrix3Xd& points, Eigen::Index first) {
    const Eigen::Index filled = std::min<Eigen::Index>(tile_points, points.cols() - first);
    for (Eigen::Index i = 0; i < tile_points; ++i)
      points_.row(i) = points.col(first + std::min(i, filled - 1)).transpose().array();
    return filled;
  }

  void sum(const PanelKernels& kernels, const PanelMesh& mesh, int directions, const double* velocities) {
    kernels.sums(mesh, points_.data(), directions, velocities, scratch_.data(),
                 {influence_.data(), u_.data(), winding_.data(), dinfluence_.data(), du_.data()});
  }

  const TileOf3& points() const { return points_; }
  const TileOf3& u() const { return u_; }
  const Lanes& winding() const { return winding_; }
  const Eigen::ArrayXXd& influence() const { return influence_; }

  auto dinfluence(int direction) const { return dinfluence_.middleCols(direction * vertices_, vertices_); }
  auto du(int direction) const { return du_.middleCols<3>(3 * direction); }

 private:
  Eigen::Index vertices_;
  alignas(64) TileOf3 points_;  // aligned to registers
  alignas(64) TileOf3 u_;
  alignas(64) Lanes winding_;
  alignas(64) Eigen::Array<double, tile_points, 9> du_;
  Eigen::ArrayXXd influence_, dinfluence_;
  Eigen::VectorXd scratch_;
};

TileOf3 cross(const TileOf3& a, const TileOf3& b) {
  TileOf3 product;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    product.col(i) = a.col(j) * b.col(k) - a.col(k) * b.col(j);
  }
  return product;
}

}  // namespace

FlowBody::FlowBody(SurfaceMesh mesh, Eigen::Index first_row)
    : surface(std::move(mesh)),
      panels(surface),
      first(first_row),
      count(surface.vertices.cols()),
      longest(0),
      size(surface.vertices.colwise().norm().maxCoeff()),
      own_block(count, count),
      own_layer(count, 6) {
  for (const auto& edge : panels.edges) longest = std::max(longest, edge.length);
  const auto moments = solid_moments(surface);
  gyration = std::sqrt(moments.inertia.trace() / (2 * moments.volume) + moments.centroid.squaredNorm());

  Eigen::VectorXd scratch(static_cast<Eigen::Index>(panel_scratch(panels, 0)));
  Eigen::ArrayXXd influence(tile_points, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    Eigen::Vector3d u;
    panel_sums_at_vertex(panels, static_cast<int>(i), scratch.data(), influence.data(), u.data());
    own_block.row(i) = influence.row(0);
    // A constant potential has no double layer outside a closed surface: row sums give the exterior solid angle.
    own_block(i, i) = 0;
    own_block(i, i) = 1 - own_block.row(i).sum();
    const Eigen::Vector3d x = surface.vertices.col(i);
    own_layer.row(i) << quarter_over_pi * x.cross(u).transpose(), quarter_over_pi * u.transpose();
  }
}

Eigen::VectorXd assemble_pair(const PanelKernels& kernels, const FlowBody& source, const Eigen::Matrix3Xd& points,
                              Eigen::Ref<Eigen::MatrixXd> block, Eigen::Ref<Eigen::MatrixXd> layer) {
  Tile tile(source.panels, 0);
  Eigen::VectorXd winding(points.cols());
  for (Eigen::Index first = 0; first < points.cols(); first += tile_points) {
    const auto filled = tile.gather(points, first);
    tile.sum(kernels, source.panels, 0, nullptr);
    if (filled == tile_points)
      block.middleRows<tile_points>(first) = tile.influence().matrix();
    else
      block.middleRows(first, filled) = tile.influence().topRows(filled).matrix();
    layer.middleRows(first, filled).leftCols<3>() =
        quarter_over_pi * cross(tile.points(), tile.u()).topRows(filled).matrix();
    layer.middleRows(first, filled).rightCols<3>() = quarter_over_pi * tile.u().topRows(filled).matrix();
    winding.segment(first, filled) = tile.winding().head(filled).matrix();
  }
  return winding;
}

void subtract_pair_derivatives(const PanelKernels& kernels, const FlowBody& source, const Eigen::Matrix3Xd& points,
                               const std::vector<RelativeMotion>& motions,
                               const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& phi,
                               Eigen::Index first_row, Eigen::Index layer_column, Eigen::MatrixXd& rhs) {
  // Sums are differentiated along each motion, or along the axes and then combined, whichever needs fewer directions.
  const int count = static_cast<int>(motions.size());
  const bool along_axes = count > 3;
  const int directions = along_axes ? 3 : count;
  const int vertices = static_cast<int>(source.count), columns = static_cast<int>(phi.cols());
  Tile tile(source.panels, directions);
  std::vector<TileOf3> moving(static_cast<std::size_t>(count));  // velocity of each point, by motion
  Eigen::Array<double, tile_points, 9> velocities;
  Eigen::ArrayXXd combined(tile_points, along_axes ? vertices : 0), product(tile_points, columns);
  velocities.setZero();
  if (along_axes)
    for (int axis = 0; axis < 3; ++axis) velocities.col(3 * axis + axis).setOnes();

  for (Eigen::Index first = 0; first < points.cols(); first += tile_points) {
    const auto filled = tile.gather(points, first);
    for (int k = 0; k < count; ++k) {
      const auto& motion = motions[static_cast<std::size_t>(k)];
      auto& w = moving[static_cast<std::size_t>(k)];
      w = cross(motion.angular.transpose().replicate<tile_points, 1>().array(), tile.points());
      w.rowwise() += motion.linear.transpose().array();
      if (!along_axes) velocities.middleCols<3>(3 * k) = w;
    }
    tile.sum(kernels, source.panels, directions, velocities.data());
    for (int k = 0; k < count; ++k) {
      const auto& w = moving[static_cast<std::size_t>(k)];
      TileOf3 du;
      const double* influence;
      if (along_axes) {
        combined = tile.dinfluence(0).colwise() * w.col(0) + tile.dinfluence(1).colwise() * w.col(1) +
                   tile.dinfluence(2).colwise() * w.col(2);
        du = tile.du(0).colwise() * w.col(0) + tile.du(1).colwise() * w.col(1) + tile.du(2).colwise() * w.col(2);
        influence = combined.data();
      } else {
        du = tile.du(k);
        influence = tile.dinfluence(k).data();
      }
      auto rows =
          rhs.block(first_row + first, motions[static_cast<std::size_t>(k)].parameter * phi.cols(), filled, columns);
      product.setZero();
      kernels.contract(influence, phi.data(), vertices, columns, product.data());
      rows -= product.topRows(filled).matrix();
      rows.middleCols<3>(layer_column) -=
          quarter_over_pi * (cross(w, tile.u()) + cross(tile.points(), du)).topRows(filled).matrix();
      rows.middleCols<3>(layer_column + 3) -= quarter_over_pi * du.topRows(filled).matrix();
    }
  }
}

}  // namespace quoin::swimmer
