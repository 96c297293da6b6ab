// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/inertial_parameters.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::rigid_body {
namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// a . b 1 - (a b^T + b a^T) / 2: what a change of the reference point adds to the inertia, per unit of mass.
Eigen::Matrix3d shift(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return a.dot(b) * Eigen::Matrix3d::Identity() - 0.5 * (a * b.transpose() + b * a.transpose());
}

BodyParameters assemble(double mass, const Eigen::Vector3d& h, const Eigen::Matrix3d& about_origin) {
  BodyParameters parameters;
  parameters[0] = mass;
  parameters.segment<3>(1) = h;
  Eigen::Map<RowMajor>(parameters.data() + 4) = about_origin;
  return parameters;
}

}  // namespace

BodyParameters body_parameters(const Inertia& inertia) {
  return assemble(inertia.mass, inertia.mass * inertia.centre,
                  inertia.about_centre + inertia.mass * shift(inertia.centre, inertia.centre));
}

Inertia inertia_of(const BodyParameters& parameters) {
  const double mass = parameters[0];
  if (!(mass > 0))
    throw std::invalid_argument("inertia_of: mass " + to_text(mass) + " kg has no centre: it must be positive");
  const Eigen::Vector3d centre = parameters.segment<3>(1) / mass;
  const Eigen::Matrix3d about_origin = Eigen::Map<const RowMajor>(parameters.data() + 4);
  return {.mass = mass, .centre = centre, .about_centre = about_origin - mass * shift(centre, centre)};
}

BodyParameters transformed(const BodyParameters& parameters, const Eigen::Isometry3d& placement) {
  const Eigen::Matrix3d R = placement.linear();
  const Eigen::Vector3d p = placement.translation();
  const double mass = parameters[0];
  const Eigen::Vector3d turned = R * parameters.segment<3>(1);
  const Eigen::Matrix3d about_origin = Eigen::Map<const RowMajor>(parameters.data() + 4);
  return assemble(mass, turned + mass * p,
                  R * about_origin * R.transpose() + 2 * shift(p, turned) + mass * shift(p, p));
}

Eigen::Matrix<double, 13, 10> symmetric_embedding() {
  Eigen::Matrix<double, 13, 10> map = Eigen::Matrix<double, 13, 10>::Zero();
  map.topLeftCorner<4, 4>().setIdentity();
  constexpr int entry[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) map(4 + 3 * row + column, entry[row][column]) = 1;
  return map;
}

}  // namespace quoin::rigid_body
