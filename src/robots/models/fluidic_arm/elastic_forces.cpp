// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/detail/elastic_forces.hpp"

#include <cmath>

namespace quoin::fluidic_arm::detail {
namespace {

constexpr double friction_rate = 0.05;  // rad/s, scale of the sign change of friction

}  // namespace

double friction_sign(double rate) { return std::tanh(rate / friction_rate); }

void add_elastic(const ArmDescription& arm, const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Ref<Eigen::VectorXd> forces) {
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const Segment& segment = arm.segments[static_cast<std::size_t>(i)];
    forces[i] += segment.stiffness * q[i] + segment.damping * v[i];
    if (segment.friction > 0) forces[i] += segment.friction * friction_sign(v[i]);
  }
}

void add_elastic_derivatives(const ArmDescription& arm, const Eigen::Ref<const Eigen::VectorXd>& v,
                             Eigen::Ref<Eigen::MatrixXd> dq, Eigen::Ref<Eigen::MatrixXd> dv) {
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const Segment& segment = arm.segments[static_cast<std::size_t>(i)];
    dq(i, i) += segment.stiffness;
    dv(i, i) += segment.damping;
    if (segment.friction > 0) {
      const double slip = friction_sign(v[i]);
      dv(i, i) += segment.friction * (1 - slip * slip) / friction_rate;
    }
  }
}

}  // namespace quoin::fluidic_arm::detail
