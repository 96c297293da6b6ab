// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/link.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace quoin::rigid_body {

/// The 13 parameters of one body in which the joint forces are linear (Sutanto et al. 2020, section 2):
///
///     m, h_x, h_y, h_z, I_xx, I_xy, I_xz, I_yx, I_yy, I_yz, I_zx, I_zy, I_zz
///
/// in the axes of its link: the mass, h = m c with the centre of mass c, and the inertia about the origin of the link's
/// frame, NOT about the centre of mass, row by row: I = I_c + (|h|^2 1 - h h^T) / m. I need not be symmetric: the
/// equations of motion are linear in all nine entries ("NoStr" of the paper, section 3.1).
template <class Scalar>
using BodyParametersOf = Eigen::Matrix<Scalar, 13, 1>;
/// Of doubles.
using BodyParameters = BodyParametersOf<double>;

/// One column for every moving joint, in the order of the joints: its link with all links fixed to it.
template <class Scalar>
using ParametersOf = Eigen::Matrix<Scalar, 13, Eigen::Dynamic>;
/// Of doubles.
using Parameters = ParametersOf<double>;

/// Of a body with this inertia, in the axes of its link.
BodyParameters body_parameters(const Inertia& inertia);

/// The inverse. The part of I that is not symmetric is kept. Throws std::invalid_argument unless the mass is positive.
Inertia inertia_of(const BodyParameters& parameters);

/// The same body in another frame: `placement` maps coordinates of the parameters' frame to coordinates of the new one.
BodyParameters transformed(const BodyParameters& parameters, const Eigen::Isometry3d& placement);

/// 13 x 10: maps the parameters of a symmetric inertia, m, h_x, h_y, h_z, I_xx, I_xy, I_xz,
/// I_yy, I_yz, I_zz, to all 13.
Eigen::Matrix<double, 13, 10> symmetric_embedding();

}  // namespace quoin::rigid_body
