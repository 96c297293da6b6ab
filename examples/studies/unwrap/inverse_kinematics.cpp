// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/inverse_kinematics.hpp"

#include "examples/studies/program/stopwatch.hpp"
#include "quoin/robots/geometry/collision_checker.hpp"
#include "quoin/robots/geometry/margin_map.hpp"
#include "quoin/robots/planning/aico/remapping.hpp"
#include "quoin/robots/planning/aico/task_sum.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"

#include <algorithm>

namespace studies::unwrap {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using rigid_body::TreePoints;

/// phi = (palm, tips, margins, limits): all but the hand should vanish.
class HandAndContacts {
 public:
  HandAndContacts(const Scene& scene, const CollisionChecker& checker, double margin)
      : scene_(scene),
        palm_(scene.palm()),
        tips_(scene.tips()),
        margins_(scene.arm.points(), checker, margin),
        limits_(planning::limit_residual(scene.arm.lower(), scene.arm.upper(), 0.02)),
        x_(VectorXd::Zero(2 * scene.joints())) {}

  VectorXd weights(const InverseKinematicsOptions& options) const {
    const Eigen::Index hand = scene_.palm_goals.size() + scene_.tip_goals.size();
    const Eigen::Index pairs = margins_.output_size(scene_.obstacles), joints = scene_.joints();
    VectorXd all(hand + pairs + joints);
    all << VectorXd::Constant(hand, options.hand), VectorXd::Constant(pairs, options.contact),
        VectorXd::Constant(joints, options.limits);
    return all;
  }

  /// The hand's part at q, m from its goals.
  VectorXd hand(const VectorXd& q) const {
    VectorXd palm, tips;
    palm_.evaluate(q, scene_.palm_goals, palm);
    tips_.evaluate(q, scene_.tip_goals, tips);
    VectorXd both(palm.size() + tips.size());
    both << palm, tips;
    return both;
  }

  void evaluate(const VectorXd& q, VectorXd& y, MatrixXd& J) {
    palm_.evaluate(q, scene_.palm_goals, p_, Jp_);
    tips_.evaluate(q, scene_.tip_goals, t_, Jt_);
    margins_.evaluate(q, scene_.obstacles, m_, Jm_);
    x_.head(q.size()) = q;
    limits_(0, x_, l_, Jl_);
    y.resize(p_.size() + t_.size() + m_.size() + l_.size());
    y << p_, t_, m_, l_;
    J.resize(y.size(), q.size());
    J << Jp_, Jt_, Jm_, Jl_.leftCols(q.size());
  }

 private:
  const Scene& scene_;
  PointOffsets<TreePoints> palm_, tips_;
  MarginMap<TreePoints> margins_;
  planning::TaskResidual limits_;
  VectorXd x_, p_, t_, m_, l_;
  MatrixXd Jp_, Jt_, Jm_, Jl_;
};

}  // namespace

FollowedPath follow_by_inverse_kinematics(const Scene& scene, const InverseKinematicsOptions& options) {
  const studies::Stopwatch clock;
  const CollisionChecker checker(scene.arm.collision_model());
  HandAndContacts phi(scene, checker, options.margin);
  const VectorXd weights = phi.weights(options), first = phi.hand(scene.start);
  planning::Remapper remapper(scene.joints(), weights.asDiagonal().toDenseMatrix(),
                              {.max_iterations = 1, .keep_descent = false});
  const VectorXd stand = VectorXd::Zero(scene.joints()), lower = scene.arm.lower(), upper = scene.arm.upper();
  VectorXd target = VectorXd::Zero(weights.size());
  FollowedPath path{.q = scene.start.replicate(1, 2 * options.frames + 1)};
  for (int frame = 1; frame < path.q.cols(); ++frame) {
    target.head(first.size()) = std::max(0.0, 1 - static_cast<double>(frame) / options.frames) * first;
    path.q.col(frame) = remapper
                            .remap(path.q.col(frame - 1), stand, target,
                                   [&](const VectorXd& q, VectorXd& y, MatrixXd* J) {
                                     phi.evaluate(q, y, *J);
                                     return true;
                                   })
                            .q.cwiseMax(lower)
                            .cwiseMin(upper);
  }
  path.checks = checker.counts().checks;
  path.seconds = clock.seconds();
  return path;
}

}  // namespace studies::unwrap
