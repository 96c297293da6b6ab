// SPDX-License-Identifier: BSD-3-Clause
#include "posture.hpp"

#include "quoin/robots/models/fluidic_arm/arc_moments.hpp"

namespace quoin::fluidic_arm {

Posture::Posture(const ArmDescription& arm, const Eigen::VectorXd& q)
    : joints_(arm.segments.size() + 1), angles_(q.data(), q.data() + q.size()) {
  double angle = arm.base_angle;
  joints_[0].position = 0;
  for (std::size_t k = 0; k < angles_.size(); ++k) {
    Joint& joint = joints_[k];
    const Segment& segment = arm.segments[k];
    joint.tangent = std::polar(1., angle);
    const ArcMoments moments = arc_moments(angles_[k]);
    const Complex arc = segment.length * joint.tangent;
    joint.d1 = imaginary * arc * moments.f1;
    joint.d2 = -arc * moments.f2;
    joint.d3 = -imaginary * arc * moments.f3;
    joints_[k + 1].position = joint.position + segment.dead_length * joint.tangent + arc * moments.f0;
    angle += angles_[k];
  }
}

PointDerivatives Posture::derivatives(const detail::ArmPoint& point, Complex* room) const {
  const auto n = static_cast<std::size_t>(point.segment);
  Complex *d1 = room, *d2 = d1 + angles_.size(), *d3 = d2 + angles_.size();
  const Joint& base = joints_[n];
  const double s = point.fraction;
  const ArcMoments moments = arc_moments(s * angles_[n]);
  const Complex arc = point.scale * s * base.tangent;
  const Complex p = base.position + point.straight * base.tangent + arc * moments.f0;
  d1[n] = s * imaginary * arc * moments.f1;
  d2[n] = -s * s * arc * moments.f2;
  d3[n] = -s * s * s * imaginary * arc * moments.f3;
  for (std::size_t k = 0; k < n; ++k) {
    const Complex beyond = p - joints_[k + 1].position;  // turns as a whole with theta_k
    d1[k] = joints_[k].d1 + imaginary * beyond;
    d2[k] = joints_[k].d2 - beyond;
    d3[k] = joints_[k].d3 - imaginary * beyond;
  }
  return {point.segment, p, d1, d2, d3};
}

}  // namespace quoin::fluidic_arm
