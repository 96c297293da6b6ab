// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/topology/segment_writhe.hpp"

#include <Eigen/Geometry>

#include <cmath>

namespace quoin::topology {
namespace {

using Eigen::Vector3d;

/// Of the triangle x, y, z seen from the origin: tan(angle / 2) = numerator / denominator.
struct SolidAngle {
  const Vector3d &x, &y, &z;
  Vector3d normal = y.cross(z);
  double lx = x.norm(), ly = y.norm(), lz = z.norm();
  double xy = x.dot(y), yz = y.dot(z), zx = z.dot(x);
  double numerator = x.dot(normal);
  double denominator = lx * ly * lz + xy * lz + yz * lx + zx * ly;

  /// The origin lies in the triangle, or on its edge, to rounding.
  bool touches() const { return denominator <= 1e-14 * lx * ly * lz && std::abs(numerator) <= 1e-14 * lx * ly * lz; }
  double value() const { return 2 * std::atan2(numerator, denominator); }

  void add_derivatives(Vector3d& by_x, Vector3d& by_y, Vector3d& by_z) const {
    const double scale = 2 / (numerator * numerator + denominator * denominator);
    const double d = scale * denominator, n = scale * numerator;
    by_x += d * normal - n * ((ly * lz + yz) / lx * x + lz * y + ly * z);
    by_y += d * z.cross(x) - n * ((lz * lx + zx) / ly * y + lx * z + lz * x);
    by_z += d * x.cross(y) - n * ((lx * ly + xy) / lz * z + ly * x + lx * y);
  }
};

}  // namespace

double segment_writhe(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  const Vector3d ac = c - a, ad = d - a, bc = c - b, bd = d - b;
  const SolidAngle first{ac, ad, bd}, second{ac, bd, bc};
  return first.touches() || second.touches() ? 0 : -(first.value() + second.value());
}

double segment_writhe(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d,
                      Eigen::Matrix<double, 3, 4>& derivatives) {
  const Vector3d ac = c - a, ad = d - a, bc = c - b, bd = d - b;
  const SolidAngle first{ac, ad, bd}, second{ac, bd, bc};
  if (first.touches() || second.touches()) {
    derivatives.setZero();
    return 0;
  }
  Vector3d by_ac = Vector3d::Zero(), by_ad = by_ac, by_bc = by_ac, by_bd = by_ac;
  first.add_derivatives(by_ac, by_ad, by_bd);
  second.add_derivatives(by_ac, by_bd, by_bc);
  derivatives.col(0) = by_ac + by_ad;
  derivatives.col(1) = by_bc + by_bd;
  derivatives.col(2) = -by_ac - by_bc;
  derivatives.col(3) = -by_ad - by_bd;
  return -(first.value() + second.value());
}

}  // namespace quoin::topology
