// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/sphere_motion.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace studies::spheres {

using Eigen::Index;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;

namespace {

/// A random point in a ball, the same on every platform: std::mt19937_64 is specified to
/// the bit, distributions are not.
Vector3d in_ball(std::mt19937_64& random) {
  while (true) {
    Vector3d point;
    for (double& x : point) x = 2 * std::ldexp(static_cast<double>(random() >> 11U), -53) - 1;
    if (point.squaredNorm() <= 1) return point;
  }
}

}  // namespace

SphereMotion::SphereMotion(Matrix3Xd centers, const SphereMotionOptions& options, std::uint64_t seed)
    : centers_(std::move(centers)), options_(options) {
  if (!(options.seconds > 0) || options.pieces < 1 || !(options.amplitude >= 0))
    throw std::invalid_argument("SphereMotion: " + to_text(options.seconds) + " s, " + to_text(options.pieces) +
                                " pieces, amplitude " + to_text(options.amplitude));
  std::mt19937_64 random(seed);
  for (Index s = 0; s < centers_.cols(); ++s) {
    Matrix3Xd& controls = controls_.emplace_back(Matrix3Xd::Zero(3, options.pieces + 3));
    // Three equal control points make the spline start there, at rest.
    for (Index k = 3; k < controls.cols(); ++k) controls.col(k) = in_ball(random);
    double furthest = 0;
    constexpr int samples = 400;
    for (int k = 0; k <= samples; ++k)
      furthest = std::max(furthest, displacement(s, options.seconds * k / samples).norm());
    controls *= options.amplitude / furthest;
  }
}

Vector3d SphereMotion::displacement(Index sphere, double time) const {
  const double along = std::clamp(time / options_.seconds, 0.0, 1.0) * options_.pieces;
  const Index piece = std::min(static_cast<Index>(along), static_cast<Index>(options_.pieces) - 1);
  const double t = along - static_cast<double>(piece), r = 1 - t;
  const Eigen::Vector4d weights(r * r * r, 3 * t * t * t - 6 * t * t + 4, 3 * r * r * r - 6 * r * r + 4, t * t * t);
  return controls_[static_cast<std::size_t>(sphere)].middleCols<4>(piece) * weights / 6;
}

Matrix3Xd SphereMotion::at(double time) const {
  Matrix3Xd places = centers_;
  for (Index s = 0; s < places.cols(); ++s) places.col(s) += displacement(s, time);
  return places;
}

}  // namespace studies::spheres
