// SPDX-License-Identifier: BSD-3-Clause
#include "posture.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Geometry>

#include <stdexcept>
#include <string>

namespace quoin::fluidic_arm {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

detail::ArmPoint on_segment(const ArmDescription& arm, int segment, double fraction) {
  if (segment < 0 || segment >= static_cast<int>(arm.segments.size()) || !(fraction >= 0 && fraction <= 1))
    throw std::invalid_argument("FluidicArm::point: fraction " + to_text(fraction) + " of segment " + to_text(segment) +
                                " of " + to_text(arm.segments.size()));
  const Segment& at = arm.segments[static_cast<std::size_t>(segment)];
  return {segment, at.dead_length, at.length, fraction};
}

void write_jacobian(const PointDerivatives& at, Eigen::Ref<Eigen::Matrix2Xd> jacobian) {
  jacobian.setZero();
  for (int k = 0; k <= at.segment; ++k) jacobian.col(k) = in_plane(at.d1[k]);
}

}  // namespace

Eigen::Vector2d FluidicArm::point(const VectorXd& q, int segment, double fraction) const {
  check("point", q);
  const Posture posture(description_, q);
  std::vector<Complex> room(posture.room());
  return in_plane(posture.derivatives(on_segment(description_, segment, fraction), room.data()).p);
}

void FluidicArm::point(const VectorXd& q, int segment, double fraction, Eigen::Vector2d& p,
                       Eigen::Matrix2Xd& dp_dq) const {
  check("point", q);
  const Posture posture(description_, q);
  std::vector<Complex> room(posture.room());
  const PointDerivatives at = posture.derivatives(on_segment(description_, segment, fraction), room.data());
  p = in_plane(at.p);
  dp_dq.resize(2, q.size());
  write_jacobian(at, dp_dq);
}

void FluidicArm::point_velocity(const VectorXd& q, const VectorXd& v, int segment, double fraction,
                                Eigen::Vector2d& velocity, Eigen::Matrix2Xd& dvelocity_dq) const {
  check("point_velocity", q, v);
  const Posture posture(description_, q);
  std::vector<Complex> room(posture.room());
  const PointDerivatives at = posture.derivatives(on_segment(description_, segment, fraction), room.data());
  dvelocity_dq.setZero(2, q.size());
  double turn = v.head(segment + 1).sum();
  Complex moved = 0;
  for (int c = segment; c >= 0; --c) {
    turn -= v[c];
    dvelocity_dq.col(c) = in_plane(at.d2[c] * v[c] + imaginary * (at.d1[c] * turn + moved));
    moved += at.d1[c] * v[c];
  }
  velocity = in_plane(moved);
}

void FluidicArm::end_points(const VectorXd& q, Eigen::Matrix2Xd& ends) const {
  check("end_points", q);
  const Posture posture(description_, q);
  std::vector<Complex> room(posture.room());
  ends.resize(2, q.size());
  for (int n = 0; n < q.size(); ++n)
    ends.col(n) = in_plane(posture.derivatives(on_segment(description_, n, 1), room.data()).p);
}

void FluidicArm::end_points(const VectorXd& q, Eigen::Matrix2Xd& ends, Eigen::MatrixXd& jacobian) const {
  check("end_points", q);
  const Posture posture(description_, q);
  std::vector<Complex> room(posture.room());
  ends.resize(2, q.size());
  jacobian.resize(2 * q.size(), q.size());
  for (int n = 0; n < q.size(); ++n) {
    const PointDerivatives at = posture.derivatives(on_segment(description_, n, 1), room.data());
    ends.col(n) = in_plane(at.p);
    Eigen::Matrix2Xd rows(2, q.size());
    write_jacobian(at, rows);
    jacobian.middleRows(2 * n, 2) = rows;
  }
}

Eigen::Matrix2Xd FluidicArm::shape(const VectorXd& q, int points_per_segment) const {
  check("shape", q);
  if (points_per_segment < 1)
    throw std::invalid_argument("FluidicArm::shape: " + to_text(points_per_segment) + " points a segment");
  const Posture posture(description_, q);
  std::vector<Complex> room(posture.room());
  Eigen::Matrix2Xd line(2, 1 + coordinates() * (points_per_segment + 1));
  line.col(0).setZero();
  Index next = 1;
  for (int n = 0; n < q.size(); ++n)
    for (int i = 0; i <= points_per_segment; ++i)
      line.col(next++) = in_plane(
          posture.derivatives(on_segment(description_, n, static_cast<double>(i) / points_per_segment), room.data()).p);
  return line;
}

Eigen::Matrix2Xd FluidicArm::mass_points(const VectorXd& q) const {
  check("mass_points", q);
  const Posture posture(description_, q);
  std::vector<Complex> room(posture.room());
  Eigen::Matrix2Xd points(2, static_cast<Index>(masses_.size()));
  for (Index i = 0; i < points.cols(); ++i)
    points.col(i) = in_plane(posture.derivatives(masses_[static_cast<std::size_t>(i)].point, room.data()).p);
  return points;
}

Eigen::Vector3d FluidicArm::in_space(const Eigen::Vector2d& p) const {
  return Eigen::AngleAxisd(description_.base_rotation, Eigen::Vector3d::UnitZ()) * Eigen::Vector3d(p.x(), 0, p.y());
}

}  // namespace quoin::fluidic_arm
