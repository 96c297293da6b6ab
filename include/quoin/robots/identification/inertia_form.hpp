// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <array>
#include <optional>

namespace quoin::identification {

/// Parametrizations of a body's inertia by numbers theta that may take any value, so that a search without
/// constraints keeps the properties that the form guarantees (Sutanto et al. 2020, section 3). Each guarantees
/// what those above it do.
enum class InertiaForm {
  unstructured,       ///< NoStr, 13 numbers: m, h, I_C row by row. Guarantees nothing
  symmetric,          ///< Symm, 10: sqrt(m), h, I_C. Guarantees m > 0 and a symmetric I_C
  positive_definite,  ///< SPD, 10: sqrt(m), h, the Cholesky factor of I_C. Guarantees I_C > 0
  /// Tri, 10: sqrt(m), h, principal axes, two principal moments, and the angle between them as sides of a triangle
  /// whose third side is the third moment. Guarantees the triangle inequality: some body has this inertia.
  triangular,
  covariance  ///< Cov, 10: sqrt(m), h, the Cholesky factor of tr(I_C)/2 1 - I_C. Guarantees the same
};
/// From the least to the most that is guaranteed.
inline constexpr std::array all_inertia_forms = {InertiaForm::unstructured, InertiaForm::symmetric,
                                                 InertiaForm::positive_definite, InertiaForm::triangular,
                                                 InertiaForm::covariance};

/// "NoStr", "Symm", "SPD", "Tri", "Cov", as in the paper.
const char* to_string(InertiaForm form);

/// The lower bound of what must be positive: the paper's b.
struct InertiaFloor {
  double mass = 1e-6;    ///< kg
  double moment = 1e-8;  ///< of principal moments, or of those of the covariance, kg m^2
};

/// 13 or 10.
Eigen::Index parameter_count(InertiaForm form);

/// m, h_x, h_y, h_z, and the inertia about the origin of the link's frame row by row: the numbers in which the
/// equations of motion are linear. I = I_C + (|h|^2 1 - h h^T) / m.
using LinearParameters = Eigen::Matrix<double, 13, 1>;

/// The linear parameters of theta (Eqs. 3 to 16 of the paper). Not finite where an unstructured mass is zero. Throws
/// std::invalid_argument for a theta of another size.
LinearParameters linear_parameters(InertiaForm form, const Eigen::Ref<const Eigen::VectorXd>& theta,
                                   const InertiaFloor& floor = {});

/// With the derivative, 13 x parameter_count(form). theta = 0 is a stationary point of the squares (the derivative of
/// the mass vanishes there): do not begin at it.
LinearParameters linear_parameters(InertiaForm form, const Eigen::Ref<const Eigen::VectorXd>& theta,
                                   const InertiaFloor& floor, Eigen::MatrixXd& derivative);

/// A theta of these linear parameters, where one exists: nothing if they lack the properties that the form guarantees,
/// by the floor. Only the unstructured form has a theta for the antisymmetric part of I: the others return nothing if
/// it is more than 1e-9 of I.
std::optional<Eigen::VectorXd> theta_of(InertiaForm form, const LinearParameters& parameters,
                                        const InertiaFloor& floor = {});

}  // namespace quoin::identification
