// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/static_pose.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::fluidic_arm {
namespace {

using Eigen::Index;
using Eigen::Matrix2Xd;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("StaticPose: " + what); }

Vector2d turned(const Vector2d& p) { return {-p.y(), p.x()}; }

void check(const FluidicArm& arm, const StaticPoseTask& task) {
  if (task.max_torque.size() != arm.control_size())
    refuse(to_text(task.max_torque.size()) + " limits for " + to_text(arm.control_size()) + " torques");
  const OptionsOf of{"StaticPose"};
  of.not_negative_and_finite("clearance", task.clearance);
  of.one_or_more("points_per_segment", task.points_per_segment);
  for (Index k = 0; k < task.max_torque.size(); ++k)
    of.not_negative("max_torque[" + to_text(k) + "]", task.max_torque[k]);
  of.not_negative("max_angle", task.max_angle);
  if (!(task.min_rotation <= task.max_rotation))
    refuse("a rotation from " + to_text(task.min_rotation) + " to " + to_text(task.max_rotation) + " rad");
  if (task.goal && !task.goal->allFinite()) refuse("the goal is not finite");
  if (task.ball && !task.ball->allFinite()) refuse("the ball is not finite");
  if (!task.brace) return;
  const Brace& brace = *task.brace;
  if (!task.ball) refuse("a brace without a ball");
  if (brace.segment < 0 || brace.segment >= static_cast<int>(arm.coordinates()))
    refuse("a brace at segment " + to_text(brace.segment) + " of " + to_text(arm.coordinates()));
  of.positive_and_finite("brace.distance", brace.distance);
  of.not_negative_and_finite("brace.arm_radius", brace.arm_radius);
  of.not_negative_and_finite("brace.friction", brace.friction);
  of.not_negative("brace.max_tilt", brace.max_tilt);
  of.not_negative("brace.max_offset", brace.max_offset);
  if (!(brace.min_normal_force <= brace.max_normal_force))
    refuse("normal forces from " + to_text(brace.min_normal_force) + " to " + to_text(brace.max_normal_force) + " N");
}

struct Place {
  Vector2d in_plane;  // of the ball's centre
  double offset;      // of the centre from the plane; also the rate of its in-plane x by the rotation
};

Place place_of(const Vector3d& ball, double rotation) {
  const double cosine = std::cos(rotation), sine = std::sin(rotation);
  return {{ball.x() * cosine + ball.y() * sine, ball.z()}, -ball.x() * sine + ball.y() * cosine};
}

}  // namespace

StaticPose::StaticPose(FluidicArm arm, StaticPoseTask task) : arm_(std::move(arm)), task_(std::move(task)) {
  check(arm_, task_);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Index n = arm_.coordinates(), clear = task_.ball ? n * task_.points_per_segment : 0;
  lower_.resize(size());
  upper_.resize(size());
  upper_.head(n).setConstant(task_.max_angle);
  upper_.segment(torques_at(), arm_.control_size()) = task_.max_torque;
  lower_.head(rotation_at()) = -upper_.head(rotation_at());
  lower_[rotation_at()] = task_.min_rotation;
  upper_[rotation_at()] = task_.max_rotation;
  const Index brace_row = n + (task_.goal ? 3 : 0), rows = brace_row + (task_.brace ? 6 : 0) + clear;
  constraint_lower_.setZero(rows);
  constraint_upper_.setZero(rows);
  if (task_.brace) {
    const Brace& brace = *task_.brace;
    const double reach = brace.friction * brace.max_normal_force;
    lower_.tail<3>() << -10, brace.min_normal_force, -reach;
    upper_.tail<3>() << 10, brace.max_normal_force, reach;
    constraint_upper_.segment<4>(brace_row + 2) << brace.max_offset, brace.max_tilt, infinity, infinity;
    constraint_lower_.segment<4>(brace_row + 2) << -brace.max_offset, -brace.max_tilt, 0, 0;
  }
  constraint_upper_.tail(clear).setConstant(infinity);
}

void StaticPose::constraints(const VectorXd& z, VectorXd& c, MatrixXd& J) const {
  if (z.size() != size()) refuse(to_text(z.size()) + " variables instead of " + to_text(size()));
  const Index n = arm_.coordinates();
  const VectorXd q = angles(z);
  const double rotation = this->rotation(z);
  c.setZero(constraint_size());
  J.setZero(constraint_size(), size());

  VectorXd forces;
  MatrixXd stiffness;
  arm_.static_forces(q, forces, stiffness);
  c.head(n) = forces - arm_.actuation() * torques(z);
  J.topLeftCorner(n, n) = stiffness;
  J.block(0, torques_at(), n, arm_.control_size()) = -arm_.actuation();
  Index row = n;

  Vector2d p;
  Matrix2Xd dp;
  if (task_.goal) {
    arm_.point(q, static_cast<int>(n) - 1, 1, p, dp);
    const double cosine = std::cos(rotation), sine = std::sin(rotation);
    c.segment<3>(row) = Vector3d(cosine * p.x(), sine * p.x(), p.y()) - *task_.goal;
    J.block(row, 0, 1, n) = cosine * dp.row(0);
    J.block(row + 1, 0, 1, n) = sine * dp.row(0);
    J.block(row + 2, 0, 1, n) = dp.row(1);
    J(row, rotation_at()) = -sine * p.x();
    J(row + 1, rotation_at()) = cosine * p.x();
    row += 3;
  }
  if (!task_.ball) return;
  const auto [center, offset] = place_of(*task_.ball, rotation);
  if (task_.brace) {
    const Brace& brace = *task_.brace;
    const Index at = contact_at(), bends = brace.segment + 1;
    const double phi = z[at], normal_force = z[at + 1], friction_force = z[at + 2];
    const Vector2d normal(std::cos(phi), std::sin(phi)), tangent = turned(normal);
    const Vector2d force = normal_force * normal + friction_force * tangent;
    arm_.point(q, brace.segment, 1, p, dp);
    c.head(n) -= dp.transpose() * force;
    c.head(bends).array() += brace.arm_radius * friction_force;
    Vector2d velocity;
    Matrix2Xd ddp;
    for (Index k = 0; k < bends; ++k) {
      arm_.point_velocity(q, VectorXd::Unit(n, k), brace.segment, 1, velocity, ddp);
      J.col(k).head(n) -= ddp.transpose() * force;
    }
    J.col(at).head(n) -= dp.transpose() * turned(force);
    J.col(at + 1).head(n) -= dp.transpose() * normal;
    J.col(at + 2).head(n) -= dp.transpose() * tangent;
    J.col(at + 2).head(bends).array() += brace.arm_radius;

    c.segment<2>(row) = center + brace.distance * normal - p;
    J.block(row, 0, 2, n) = -dp;
    J.block<2, 1>(row, at) = brace.distance * tangent;
    J(row, rotation_at()) = offset;
    c[row + 2] = offset;
    J(row + 2, rotation_at()) = -center.x();
    const double along = arm_.description().base_angle + q.head(bends).sum();
    const Vector2d heading(std::sin(along), -std::cos(along));
    c[row + 3] = normal.dot(heading);
    J.block(row + 3, 0, 1, bends).setConstant(normal.dot(turned(heading)));
    J(row + 3, at) = tangent.dot(heading);
    for (const double sign : {-1., 1.}) {
      const Index cone = row + (sign < 0 ? 4 : 5);
      c[cone] = brace.friction * normal_force + sign * friction_force;
      J(cone, at + 1) = brace.friction;
      J(cone, at + 2) = sign;
    }
    row += 6;
  }
  const double scale = 1 / (2 * std::max(task_.clearance, 1e-3));
  for (int s = 0; s < n; ++s) {
    for (int i = 1; i <= task_.points_per_segment; ++i, ++row) {
      arm_.point(q, s, static_cast<double>(i) / task_.points_per_segment, p, dp);
      const Vector2d apart = p - center;
      c[row] = scale * (apart.squaredNorm() + offset * offset - task_.clearance * task_.clearance);
      J.block(row, 0, 1, n) = 2 * scale * apart.transpose() * dp;
      J(row, rotation_at()) = 2 * scale * (-apart.x() * offset - offset * center.x());
    }
  }
}

double StaticPose::violation(const VectorXd& z) const {
  VectorXd c;
  MatrixXd J;
  constraints(z, c, J);
  return std::max({(constraint_lower_ - c).maxCoeff(), (c - constraint_upper_).maxCoeff(), (lower_ - z).maxCoeff(),
                   (z - upper_).maxCoeff(), 0.});
}

Vector2d holding_force(const FluidicArm& arm, const VectorXd& q, const VectorXd& torques, int segment, double phi,
                       double arm_radius) {
  VectorXd forces;
  MatrixXd stiffness;
  arm.static_forces(q, forces, stiffness);
  const Index bends = segment + 1;
  const Vector2d normal(std::cos(phi), std::sin(phi));
  Vector2d p;
  Matrix2Xd dp;
  arm.point(q, segment, 1, p, dp);
  MatrixXd felt(bends, 2);
  felt << dp.leftCols(bends).transpose() * normal,
      (dp.leftCols(bends).transpose() * turned(normal)).array() - arm_radius;
  const VectorXd missing = (forces - arm.actuation() * torques).head(bends);
  return felt.completeOrthogonalDecomposition().solve(missing);
}

}  // namespace quoin::fluidic_arm
