// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/capsule_around.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace quoin {
namespace {

using Eigen::ArrayXd;
using Eigen::Vector3d;

/// Part of an axis, and the radius around it.
struct Core {
  double low, high, radius;

  double volume() const { return M_PI * radius * radius * (high - low + 4.0 / 3.0 * radius); }
};

/// The shortest core of this radius that reaches all points, which stand at `along` the axis, `off` away from it.
Core core_of(const ArrayXd& along, const ArrayXd& off, double radius) {
  const ArrayXd reach = (radius * radius - off.square()).max(0).sqrt();
  const double low = (along + reach).minCoeff(), high = (along - reach).maxCoeff();
  // Where they cross, a ball around any point between them reaches all
  return low <= high ? Core{low, high, radius} : Core{0.5 * (low + high), 0.5 * (low + high), radius};
}

/// A thicker core is shorter: between the least radius and that of a ball the volume has one minimum.
Core smallest_core(const ArrayXd& along, const ArrayXd& off) {
  const double middle = 0.5 * (along.minCoeff() + along.maxCoeff());
  double thin = off.maxCoeff(), thick = ((along - middle).square() + off.square()).maxCoeff();
  thick = std::sqrt(thick);
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  double inner = thick - golden * (thick - thin), outer = thin + golden * (thick - thin);
  for (int i = 0; i < 60; ++i) {
    if (core_of(along, off, inner).volume() <= core_of(along, off, outer).volume()) {
      thick = outer;
      outer = inner;
      inner = thick - golden * (thick - thin);
    } else {
      thin = inner;
      inner = outer;
      outer = thin + golden * (thick - thin);
    }
  }
  return core_of(along, off, 0.5 * (thin + thick));
}

}  // namespace

Capsule capsule_around(const Eigen::Matrix3Xd& points) {
  if (points.cols() == 0 || !points.allFinite())
    throw std::invalid_argument("capsule_around: " + to_text(points.cols()) +
                                " points; there must be some, all of them finite");
  const Vector3d mean = points.rowwise().mean();
  const Eigen::Matrix3Xd centred = points.colwise() - mean;
  const Eigen::Matrix3d axes =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(centred * centred.transpose()).eigenvectors();
  const Eigen::Matrix3Xd turned = axes.transpose() * centred;
  const Vector3d middle = 0.5 * (turned.rowwise().minCoeff() + turned.rowwise().maxCoeff());

  Capsule best;
  double least = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const int one = (axis + 1) % 3, other = (axis + 2) % 3;
    const ArrayXd off =
        ((turned.row(one).array() - middle[one]).square() + (turned.row(other).array() - middle[other]).square())
            .sqrt();
    const Core core = smallest_core(turned.row(axis).array(), off);
    if (!(core.volume() < least)) continue;
    least = core.volume();
    Vector3d a = middle, b = middle;
    a[axis] = core.low;
    b[axis] = core.high;
    best = {mean + axes * a, mean + axes * b, core.radius};
  }
  // A millionth of a millionth more, so that rounding leaves no point outside
  best.radius += 1e-12 * (best.radius + points.cwiseAbs().maxCoeff());
  return best;
}

Capsule capsule_around_cylinder(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double radius) {
  require_shape(Capsule{a, b, radius}, "capsule_around_cylinder");
  const double length = (b - a).norm();
  const Core core = smallest_core(Eigen::Array2d(0, length), Eigen::Array2d::Constant(radius));
  const Vector3d axis = length > 0 ? Vector3d((b - a) / length) : Vector3d::UnitZ();
  return {a + core.low * axis, a + core.high * axis, core.radius};
}

}  // namespace quoin
