// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/scene.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace studies::laser {
namespace {

using figures::Marker;
using figures::SvgPanel;
using figures::SvgStyle;
namespace palette = figures::palette;

constexpr const char* soft_color = "#9ecae8";
constexpr const char* stiff_color = "#2f6f9f";
constexpr const char* beam_color = "#e0301e";

/// The outer faces of a mesh and the elements that they belong to; in the plane, the elements themselves.
template <int SpaceDim>
std::pair<Eigen::Matrix3Xi, std::vector<int>> surface(const SimplexMesh<SpaceDim>& mesh) {
  std::vector<int> owners;
  if constexpr (SpaceDim == 2) {
    for (int e = 0; e < mesh.elements.cols(); ++e) owners.push_back(e);
    return {mesh.elements, owners};
  } else {
    // In a tetrahedron of positive volume these are counter-clockwise from outside.
    const std::array<std::array<int, 3>, 4> corners = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
    std::map<std::array<int, 3>, int> count;
    const auto face_of = [&](int e, int f) {
      return std::array<int, 3>{mesh.elements(corners[f][0], e), mesh.elements(corners[f][1], e),
                                mesh.elements(corners[f][2], e)};
    };
    const auto sorted = [](std::array<int, 3> face) {
      std::sort(face.begin(), face.end());
      return face;
    };
    for (int e = 0; e < mesh.elements.cols(); ++e)
      for (int f = 0; f < 4; ++f) ++count[sorted(face_of(e, f))];
    Eigen::Matrix3Xi faces(3, 4 * mesh.elements.cols());
    for (int e = 0; e < mesh.elements.cols(); ++e)
      for (int f = 0; f < 4; ++f) {
        const auto face = face_of(e, f);
        if (count[sorted(face)] > 1) continue;
        faces.col(static_cast<Eigen::Index>(owners.size())) << face[0], face[1], face[2];
        owners.push_back(e);
      }
    return {faces.leftCols(static_cast<Eigen::Index>(owners.size())), owners};
  }
}

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) { return a[0] * b[1] - a[1] * b[0]; }

}  // namespace

template <int SpaceDim>
Scene<SpaceDim>::Scene(const Arm<SpaceDim>& arm)
    : setup_(arm.setup), tip_rows_(arm.body.tip_rows().leftCols(arm.body.size())), lines_(arm.body.mesh().lines) {
  const auto& mesh = arm.body.mesh();
  const double softest = *std::min_element(mesh.young.begin(), mesh.young.end());
  const auto [faces, owners] = surface<SpaceDim>(mesh);
  faces_ = faces;
  for (const int element : owners) stiff_.push_back(mesh.young[static_cast<std::size_t>(element)] > 1.5 * softest);
  axes_.setIdentity();
  to_viewer_.setZero();
  if constexpr (SpaceDim == 3) {
    const double turn = 0.35, rise = 0.38;
    const Eigen::Vector3d right(std::cos(turn), std::sin(turn), 0);
    to_viewer_ << std::sin(turn) * std::cos(rise), -std::cos(turn) * std::cos(rise), std::sin(rise);
    axes_.row(0) = right;
    axes_.row(1) = to_viewer_.cross(right);
  }
}

template <int SpaceDim>
Eigen::Matrix2Xd Scene<SpaceDim>::project(const Points& points) const {
  return axes_ * points;
}

template <int SpaceDim>
double Scene<SpaceDim>::nearness(const Eigen::Matrix<double, SpaceDim, 1>& point) const {
  return to_viewer_.dot(point);
}

template <int SpaceDim>
typename Scene<SpaceDim>::Points Scene<SpaceDim>::on_plate(const Eigen::MatrixXd& spots) const {
  Points points(SpaceDim, spots.cols());
  points.topRows(SpaceDim - 1) = spots;
  points.row(SpaceDim - 1).setConstant(setup_.plate);
  return points;
}

template <int SpaceDim>
void Scene<SpaceDim>::draw_plate(SvgPanel& panel, const std::string& target_label) const {
  const double half = 1.25 * setup_.radius;
  if constexpr (SpaceDim == 3) {
    Eigen::MatrixXd square(2, 4);
    square << -half, half, half, -half, -half, -half, half, half;
    panel.polygon(project(on_plate(square)), {.color = palette::grey, .fill = "#eceff2", .width = 0.8});
    const int count = setup_.steps - setup_.approach;
    Eigen::MatrixXd circle(2, count + 1);
    for (int i = 0; i <= count; ++i) circle.col(i) = target<3>(setup_, setup_.approach + i);
    panel.line(project(on_plate(circle)), {.color = "#b4bcc4", .label = target_label, .width = 5});
  } else {
    const Eigen::RowVector2d height = Eigen::RowVector2d::Constant(setup_.plate);
    panel.line((Eigen::Matrix2d() << -half, half, height).finished(), {.color = palette::grey, .width = 3});
    panel.line((Eigen::Matrix2d() << -setup_.radius, setup_.radius, height).finished(),
               {.color = palette::light, .label = target_label, .width = 8});
  }
}

template <int SpaceDim>
void Scene<SpaceDim>::draw_arm(SvgPanel& panel, const Eigen::VectorXd& positions, const SvgStyle& style) const {
  const Points points = positions.reshaped(SpaceDim, positions.size() / SpaceDim);
  const Eigen::Matrix2Xd flat = project(points);
  std::vector<std::pair<double, Eigen::Index>> order[2];  // faces towards the viewer, soft and stiff
  std::vector<bool> visible(static_cast<std::size_t>(flat.cols()), false);
  for (Eigen::Index f = 0; f < faces_.cols(); ++f) {
    const auto corner = [&](int c) { return flat.col(faces_(c, f)); };
    if (cross(corner(1) - corner(0), corner(2) - corner(0)) <= 0) continue;
    order[stiff_[static_cast<std::size_t>(f)]].emplace_back(nearness(points.col(faces_(0, f))), f);
    for (int c = 0; c < 3; ++c) visible[static_cast<std::size_t>(faces_(c, f))] = true;
  }
  for (int stiff = 0; stiff < 2; ++stiff) {
    std::sort(order[stiff].begin(), order[stiff].end());
    Eigen::Matrix3Xi shown(3, static_cast<Eigen::Index>(order[stiff].size()));
    for (Eigen::Index f = 0; f < shown.cols(); ++f)
      shown.col(f) = faces_.col(order[stiff][static_cast<std::size_t>(f)].second);
    const char* color = stiff ? stiff_color : soft_color;
    if (shown.cols() > 0)
      panel.triangles(flat, shown,
                      {.color = stiff ? "#2a628c" : "#7fb3d6", .fill = color, .width = 0.35, .frame = style.frame});
  }
  for (const std::vector<int>& chain : lines_) {
    Eigen::Matrix2Xd path(2, static_cast<Eigen::Index>(chain.size()));
    for (Eigen::Index p = 0; p < path.cols(); ++p) {
      const int vertex = chain[static_cast<std::size_t>(p)];
      path.col(p) = visible[static_cast<std::size_t>(vertex)] ? Eigen::Vector2d(flat.col(vertex))
                                                              : Eigen::Vector2d::Constant(std::nan(""));
    }
    panel.line(path, {.color = palette::black, .width = 1.1, .frame = style.frame});
  }
}

template <int SpaceDim>
void Scene<SpaceDim>::draw_beam(SvgPanel& panel, const Eigen::VectorXd& positions, bool laser_on,
                                const SvgStyle& style) const {
  const Beam<SpaceDim> ray = beam(positions);
  Points ends(SpaceDim, 2);
  ends.col(0) = ray.tip;
  ends.col(1) << ray.spot(setup_.plate), setup_.plate;
  const Eigen::Matrix2Xd flat = project(ends);
  panel.line(flat, {.color = laser_on ? beam_color : palette::grey,
                    .label = style.label,
                    .width = laser_on ? 1.3 : 0.9,
                    .dash = laser_on ? "" : "4 4",
                    .frame = style.frame});
  if (laser_on) panel.markers(flat.rightCols<1>(), {.color = beam_color, .marker_size = 7, .frame = style.frame});
}

template <int SpaceDim>
void Scene<SpaceDim>::draw_path(SvgPanel& panel, const Eigen::MatrixXd& spots, const SvgStyle& style) const {
  panel.line(project(on_plate(spots)), style);
}

template <int SpaceDim>
void Scene<SpaceDim>::draw_ball(SvgPanel& panel, const Ball& ball) const {
  if constexpr (SpaceDim == 3) {
    const Eigen::Vector2d centre = axes_ * ball.centre;
    const auto disc = [&](const Eigen::Vector2d& middle, double radius) {
      Eigen::Matrix2Xd edge(2, 60);
      for (int p = 0; p < 60; ++p) {
        const double angle = 2 * std::numbers::pi * p / 60;
        edge.col(p) = middle + radius * Eigen::Vector2d(std::cos(angle), std::sin(angle));
      }
      return edge;
    };
    // Smaller and brighter discs towards the light make it look like a ball.
    const std::array<const char*, 4> shades = {"#b27a00", "#d18f00", "#e6a91f", "#f3c861"};
    for (int s = 0; s < 4; ++s)
      panel.polygon(
          disc(centre + 0.11 * s * ball.radius * Eigen::Vector2d(-1, 1), (1 - 0.24 * s) * ball.radius),
          {.color = shades[static_cast<std::size_t>(s)], .fill = shades[static_cast<std::size_t>(s)], .width = 0});
  }
}

template class Scene<2>;
template class Scene<3>;

}  // namespace studies::laser
