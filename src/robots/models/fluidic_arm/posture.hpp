// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/fluidic_arm/arm_description.hpp"
#include "quoin/robots/models/fluidic_arm/detail/mass_point.hpp"

#include <Eigen/Core>

#include <complex>
#include <vector>

namespace quoin::fluidic_arm {

using Complex = std::complex<double>;
inline constexpr Complex imaginary(0, 1);

/// A point P = (down) + i (sideways) on segment n, and its derivatives by bend angles: d1[k], d2[k], d3[k] are the pure
/// ones by theta_k, k <= n; all others are zero. A mixed derivative whose most distal index c occurs m times is
/// i^(number of the other indices) times dm[c].
struct PointDerivatives {
  int segment = 0;
  Complex p;
  const Complex *d1 = nullptr, *d2 = nullptr, *d3 = nullptr;
};

/// Positions of an arm's points at bend angles q: one pass from base to tip, then O(N) per point.
class Posture {
 public:
  Posture(const ArmDescription& arm, const Eigen::VectorXd& q);

  /// Size of what `derivatives` writes for one point.
  std::size_t room() const { return 3 * angles_.size(); }
  PointDerivatives derivatives(const detail::ArmPoint& point, Complex* room) const;

 private:
  /// The base of a segment and the derivatives of its whole arc, in the orientation of the segment.
  struct Joint {
    Complex position, tangent, d1, d2, d3;
  };
  std::vector<Joint> joints_;  // N + 1: the last is the tip
  std::vector<double> angles_;
};

inline Eigen::Vector2d in_plane(Complex p) { return {p.imag(), -p.real()}; }

}  // namespace quoin::fluidic_arm
