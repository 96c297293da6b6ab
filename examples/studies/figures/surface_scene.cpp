// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/surface_scene.hpp"

#include "quoin/util/to_text.hpp"

#include "examples/studies/figures/color_map.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace studies::figures {
namespace {

constexpr int finest_cut = 4;
constexpr double cosine_of_crease = 0.766;  // 40 degrees
constexpr double visible_step = 5;          // of 255: colour difference allowed within a piece

/// Normals of the triangles (towards the viewer in row 2), of length twice the area.
Eigen::Matrix3Xd area_normals(const Eigen::Matrix3Xd& points, const Eigen::Matrix3Xi& triangles) {
  Eigen::Matrix3Xd normals(3, triangles.cols());
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    const Eigen::Vector3d a = points.col(triangles(0, t));
    normals.col(t) = (points.col(triangles(1, t)) - a).cross(points.col(triangles(2, t)) - a);
  }
  return normals;
}

std::vector<std::vector<int>> triangles_around(const Eigen::Matrix3Xi& triangles, Eigen::Index vertices) {
  std::vector<std::vector<int>> around(static_cast<std::size_t>(vertices));
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    for (const int vertex : triangles.col(t)) {
      around[static_cast<std::size_t>(vertex)].push_back(static_cast<int>(t));
    }
  }
  return around;
}

/// The colour of a point with this value (-1 to 1) and normal, seen along z.
unsigned shade(double value, const Eigen::Vector3d& normal) {
  static const Eigen::Vector3d light = Eigen::Vector3d(-0.45, 0.65, 0.75).normalized();
  static const Eigen::Vector3d halfway = (light + Eigen::Vector3d::UnitZ()).normalized();
  const Eigen::Vector3d n = normal.normalized();
  // Light wraps around the body, so that colours on its dark side stay legible.
  const double wrapped = (n.dot(light) + 1) / 2;
  const double gloss = 0.22 * std::pow(std::max(n.dot(halfway), 0.0), 40);
  return detail::lit_color(detail::diverging_color(value), 0.66 + 0.36 * wrapped, gloss);
}

int difference(unsigned a, unsigned b) {
  int largest = 0;
  for (int shift = 0; shift <= 16; shift += 8) {
    largest = std::max(largest, std::abs(static_cast<int>(a >> shift & 0xff) - static_cast<int>(b >> shift & 0xff)));
  }
  return largest;
}

/// A triangle that faces the viewer.
struct Face {
  Eigen::Matrix3d corners;
  Eigen::Matrix3d normals;  // at the corners
  Eigen::Vector3d values;   // -1 to 1
  int contrast;             // largest difference of the corners' colours, of 255
};

void append_faces(const Eigen::Matrix3Xd& points, const Eigen::Matrix3Xi& triangles, const Eigen::VectorXd& values,
                  std::vector<Face>& faces) {
  const Eigen::Matrix3Xd normals = area_normals(points, triangles);
  const std::vector<std::vector<int>> around = triangles_around(triangles, points.cols());
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    const Eigen::Vector3d normal = normals.col(t);
    if (!(normal.z() > 0) || !normal.allFinite() || !points(Eigen::all, triangles.col(t)).allFinite()) {
      continue;
    }
    Face face;
    std::array<unsigned, 3> colors;
    for (int k = 0; k < 3; ++k) {
      const int vertex = triangles(k, t);
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (const int other : around[static_cast<std::size_t>(vertex)]) {
        const Eigen::Vector3d candidate = normals.col(other);
        if (candidate.allFinite() && candidate.dot(normal) >= cosine_of_crease * candidate.norm() * normal.norm()) {
          sum += candidate;
        }
      }
      face.corners.col(k) = points.col(vertex);
      face.normals.col(k) = sum.normalized();
      face.values[k] = values[vertex];
      colors[static_cast<std::size_t>(k)] = shade(values[vertex], face.normals.col(k));
    }
    face.contrast = std::max(
        {difference(colors[0], colors[1]), difference(colors[1], colors[2]), difference(colors[2], colors[0])});
    faces.push_back(face);
  }
}

int cuts(const Face& face, double step) {
  return std::clamp(static_cast<int>(std::ceil(face.contrast / step)), 1, finest_cut);
}

}  // namespace

SurfaceScene::SurfaceScene(SurfaceSceneOptions options) : options_(std::move(options)) {
  const Eigen::Vector3d towards = options_.from.normalized();
  const Eigen::Vector3d right = options_.up.normalized().cross(towards);
  if (!(right.norm() > 1e-6)) {
    throw std::invalid_argument("SurfaceScene: the viewer's direction and up must not be parallel, zero or not finite");
  }
  view_.row(0) = right.normalized();
  view_.row(1) = towards.cross(right.normalized());
  view_.row(2) = towards;
  if (options_.range && !(options_.range->first < options_.range->second &&
                          std::isfinite(options_.range->second - options_.range->first))) {
    throw std::invalid_argument("SurfaceScene: the range of colours goes from " +
                                quoin::to_text(options_.range->first) + " to " +
                                quoin::to_text(options_.range->second));
  }
}

void SurfaceScene::surface(const quoin::SurfaceMesh& mesh, const Eigen::Matrix3Xd& positions, const Values& field) {
  if (field.size() != positions.cols()) {
    throw std::invalid_argument("SurfaceScene::surface: " + quoin::to_text(field.size()) + " values for " +
                                quoin::to_text(positions.cols()) + " vertices");
  }
  if (mesh.triangles.size() > 0 && (mesh.triangles.minCoeff() < 0 || mesh.triangles.maxCoeff() >= positions.cols())) {
    throw std::invalid_argument("SurfaceScene::surface: triangles name vertices " +
                                quoin::to_text(mesh.triangles.minCoeff()) + " to " +
                                quoin::to_text(mesh.triangles.maxCoeff()) + ", but there are " +
                                quoin::to_text(positions.cols()) + " positions");
  }
  bodies_.push_back({mesh.triangles, view_ * positions, field.vector()});
}

std::pair<double, double> SurfaceScene::range() const {
  if (options_.range) {
    return *options_.range;
  }
  double largest = 0;
  for (const Body& body : bodies_) {
    for (const double value : body.field) {
      largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    }
  }
  largest = largest > 0 ? largest : 1;
  return {-largest, largest};
}

std::vector<SurfaceScene::Piece> SurfaceScene::pieces() const {
  const auto [low, high] = range();
  const double middle = low / 2 + high / 2;
  const double half = high / 2 - low / 2;
  std::vector<Face> faces;
  for (const Body& body : bodies_) {
    append_faces(body.seen, body.triangles, (body.field.array() - middle) / half, faces);
  }

  // Find the finest step of colours that stays within the number of pieces.
  double step = visible_step;
  const auto pieces_at = [&](double candidate) {
    return std::accumulate(faces.begin(), faces.end(), 0.0,
                           [&](double sum, const Face& face) { return sum + std::pow(cuts(face, candidate), 2); });
  };
  while (step < 256 && pieces_at(step) > options_.most_pieces) {
    step *= 1.1;
  }

  std::vector<Piece> pieces;
  for (const Face& face : faces) {
    const int n = cuts(face, step);
    const auto add = [&](const Eigen::Matrix3d& weights) {
      const Eigen::Matrix3d points = face.corners * weights / n;
      const Eigen::Vector3d centre = weights.rowwise().mean() / n;
      pieces.push_back(
          {points.row(2).mean(), points.topRows<2>(), shade(face.values.dot(centre), face.normals * centre)});
    };
    const Eigen::Vector3d along_i(-1, 1, 0);
    const Eigen::Vector3d along_j(-1, 0, 1);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; i + j < n; ++j) {
        const Eigen::Vector3d at(n - i - j, i, j);
        Eigen::Matrix3d weights;
        weights << at, at + along_i, at + along_j;
        add(weights);
        if (i + j + 1 < n) {
          weights << at + along_i, at + along_i + along_j, at + along_j;
          add(weights);
        }
      }
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& c) { return a.depth < c.depth; });
  return pieces;
}

}  // namespace studies::figures
