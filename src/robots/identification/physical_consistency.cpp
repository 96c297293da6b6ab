// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/physical_consistency.hpp"

#include <Eigen/Eigenvalues>

#include <limits>

namespace quoin::identification {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d inertia(const LinearParameters& parameters) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(parameters.data() + 4);
}

}  // namespace

Eigen::Matrix4d pseudo_inertia_matrix(const LinearParameters& parameters) {
  const Matrix3d I = inertia(parameters), symmetric = 0.5 * (I + I.transpose());
  Eigen::Matrix4d P;
  P.topLeftCorner<3, 3>() = 0.5 * symmetric.trace() * Matrix3d::Identity() - symmetric;
  P.topRightCorner<3, 1>() = parameters.segment<3>(1);
  P.bottomLeftCorner<1, 3>() = parameters.segment<3>(1).transpose();
  P(3, 3) = parameters[0];
  return P;
}

PhysicalConsistency physical_consistency(const LinearParameters& parameters) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const Matrix3d I = inertia(parameters);
  const Vector3d h = parameters.segment<3>(1);
  PhysicalConsistency result{.mass = parameters[0],
                             .asymmetry = (I - I.transpose()).cwiseAbs().maxCoeff(),
                             .smallest_moment = nothing,
                             .triangle = nothing,
                             .pseudo_inertia = nothing};
  if (!parameters.allFinite()) return result;
  if (result.mass != 0) {
    const Matrix3d central =
        0.5 * (I + I.transpose()) - (h.squaredNorm() * Matrix3d::Identity() - h * h.transpose()) / result.mass;
    const Vector3d J = Eigen::SelfAdjointEigenSolver<Matrix3d>(central, Eigen::EigenvaluesOnly).eigenvalues();
    result.smallest_moment = J[0];
    result.triangle = J[0] + J[1] - J[2];
  }
  result.pseudo_inertia =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(pseudo_inertia_matrix(parameters), Eigen::EigenvaluesOnly)
          .eigenvalues()[0];
  result.consistent = result.asymmetry <= 1e-9 * I.cwiseAbs().maxCoeff() && result.pseudo_inertia > 0;
  return result;
}

}  // namespace quoin::identification
