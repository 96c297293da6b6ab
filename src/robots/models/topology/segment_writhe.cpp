// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/topology/segment_writhe.hpp"

#include <Eigen/Geometry>

#include <cmath>

namespace quoin::topology {
namespace {

using Eigen::Vector3d;

/// For the triangle x, y, z seen from the origin: tan(angle / 2) = numerator / denominator.
struct SolidAngle {
  const Vector3d &x, &y, &z;
  Vector3d normal = y.cross(z);
  double lx = x.norm(), ly = y.norm(), lz = z.norm();
  double xy = x.dot(y), yz = y.dot(z), zx = z.dot(x);
  double numerator = x.dot(normal);
  double denominator = lx * ly * lz + xy * lz + yz * lx + zx * ly;

  /// Whether the origin lies in the triangle, or on its edge, to rounding.
  bool touches() const { return denominator <= 1e-14 * lx * ly * lz && std::abs(numerator) <= 1e-14 * lx * ly * lz; }
  double value() const { return 2 * std::atan2(numerator, denominator); }
};

/// An edge of the polygon of directions adds p x q / (|p| X) to the derivative by p and p x q / (|q| X) to that
/// by q, with X = |p||q| + p . q: the integral of r x dr / |r|^3 along it (Biot, Savart). Only edges of the
/// polygon itself count: beside their common edge, where segments cross, the derivatives of the two triangles
/// grow without bound and cancel.
void add_edge(const Vector3d& p, const Vector3d& q, Vector3d& by_p, Vector3d& by_q) {
  const double lp = p.norm(), lq = q.norm(), across = lp * lq + p.dot(q);
  if (!(across > 1e-14 * lp * lq)) return;  // an end of one segment lies on the other
  const Vector3d turn = p.cross(q) / across;
  by_p += turn / lp;
  by_q += turn / lq;
}

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
  add_edge(ac, ad, by_ac, by_ad);
  add_edge(ad, bd, by_ad, by_bd);
  add_edge(bd, bc, by_bd, by_bc);
  add_edge(bc, ac, by_bc, by_ac);
  derivatives.col(0) = -by_ac - by_ad;
  derivatives.col(1) = -by_bc - by_bd;
  derivatives.col(2) = by_ac + by_bc;
  derivatives.col(3) = by_ad + by_bd;
  return -(first.value() + second.value());
}

}  // namespace quoin::topology
