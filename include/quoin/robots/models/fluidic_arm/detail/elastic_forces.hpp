// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/fluidic_arm/arm_description.hpp"

#include <Eigen/Core>

namespace quoin::fluidic_arm::detail {

/// The part of its Coulomb friction that a segment bending at this rate, rad/s, feels: a smooth sign.
double friction_sign(double rate);

/// Add k q + b v + friction of every segment, and the derivatives, which are diagonal; sizes are not checked.
void add_elastic(const ArmDescription& arm, const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Ref<Eigen::VectorXd> forces);
void add_elastic_derivatives(const ArmDescription& arm, const Eigen::Ref<const Eigen::VectorXd>& v,
                             Eigen::Ref<Eigen::MatrixXd> dq, Eigen::Ref<Eigen::MatrixXd> dv);

}  // namespace quoin::fluidic_arm::detail
