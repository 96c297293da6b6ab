// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/moving_box.hpp"

#include "examples/studies/arm7/path_verification.hpp"
#include "examples/studies/program/statistics.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/robots/models/topology/interaction_mesh_map.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "quoin/robots/planning/aico/remapping.hpp"
#include "quoin/robots/planning/aico/task_sum.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"
#include "quoin/util/parallel_for.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

namespace studies::loop {
namespace {

constexpr double limit_metric = 100;  // rad^-2

/// phi of a follower relative to the box at its present position, and phi of the limits of the joints.
class FollowedMap {
 public:
  FollowedMap(const ReachScene& scene, Follower follower)
      : follower_(follower),
        tip_(scene.tip()),
        writhe_(scene.rod(), rod_writhe()),
        mesh_(scene.rod(), rod_mesh()),
        limits_(planning::limit_residual(scene.arm.lower(), scene.arm.upper(), 0.02)),
        x_(scene.state_at_start()) {}

  Eigen::VectorXd weights(double metric) const {
    const HollowBox box;
    const Eigen::Index writhes = has_topology() ? writhe_.output_size(box.rim()) : 0;
    const Eigen::Index coordinates = has_topology() ? mesh_.output_size(box.rim_landmarks()) : 0;
    const Eigen::Index places = has_tip() ? 3 : 0, joints = x_.size() / 2;
    Eigen::VectorXd all(writhes + coordinates + places + joints);
    all << Eigen::VectorXd::Constant(writhes, metric / 10), Eigen::VectorXd::Constant(coordinates, metric),
        Eigen::VectorXd::Constant(places, 10 * metric), Eigen::VectorXd::Constant(joints, limit_metric);
    return all;
  }

  void see(const HollowBox& box) {
    goal_ = box.goal();
    rim_ = box.rim();
    landmarks_ = box.rim_landmarks();
  }

  /// What y becomes when arm and box turn together: writhe stays, the vectors of mesh and tip turn.
  void turn(const Eigen::Matrix3d& by, Eigen::VectorXd& y) const {
    auto vectors = y.segment(w_.size(), m_.size() + p_.size());
    vectors = (by * vectors.reshaped(3, vectors.size() / 3)).reshaped().eval();
  }

  void evaluate(const Eigen::VectorXd& q, Eigen::VectorXd& y, Eigen::MatrixXd* J) {
    if (has_topology()) {
      J ? writhe_.evaluate(q, rim_, w_, writhe_by_q_) : writhe_.evaluate(q, rim_, w_);
      J ? mesh_.evaluate(q, landmarks_, m_, mesh_by_q_) : mesh_.evaluate(q, landmarks_, m_);
    }
    if (has_tip()) {
      J ? tip_.evaluate(q, goal_, p_, tip_by_q_) : tip_.evaluate(q, goal_, p_);
    }
    x_.head(q.size()) = q;
    limits_(0, x_, l_, limits_by_q_);
    y.resize(w_.size() + m_.size() + p_.size() + l_.size());
    y << w_, m_, p_, l_;
    if (!J) return;
    J->resize(y.size(), q.size());
    if (has_topology()) {
      J->topRows(w_.size()) = writhe_by_q_;
      J->middleRows(w_.size(), m_.size()) = mesh_by_q_;
    }
    if (has_tip()) J->middleRows(w_.size() + m_.size(), p_.size()) = tip_by_q_;
    J->bottomRows(l_.size()) = limits_by_q_.leftCols(q.size());
  }

 private:
  bool has_tip() const { return follower_ != Follower::topology; }
  bool has_topology() const { return follower_ != Follower::tip; }

  Follower follower_;
  PointOffsets<rigid_body::TreePoints> tip_;
  topology::WritheMap<rigid_body::TreePoints> writhe_;
  topology::InteractionMeshMap<rigid_body::TreePoints> mesh_;
  Eigen::Matrix3Xd goal_, rim_, landmarks_;
  planning::TaskResidual limits_;
  Eigen::VectorXd x_, w_, m_, p_, l_;
  Eigen::MatrixXd writhe_by_q_, mesh_by_q_, tip_by_q_, limits_by_q_;
};

/// The plan between its columns: x at a frame, held at rest after the end.
Eigen::VectorXd planned(const Plan& plan, int frame) {
  const int t = std::min(frame / frames_per_step, horizon);
  if (t == horizon) {
    Eigen::VectorXd x = plan.result.states.col(horizon);
    x.tail(x.size() / 2).setZero();
    return x;
  }
  const double s = static_cast<double>(frame % frames_per_step) / frames_per_step;
  return (1 - s) * plan.result.states.col(t) + s * plan.result.states.col(t + 1);
}

/// The step of one frame under the plan's feedback: accelerations for the duration of the frame. None after the end.
Eigen::VectorXd step_of_plan(const Plan& plan, int frame, const Eigen::VectorXd& q, const Eigen::VectorXd& velocity) {
  const int t = frame / frames_per_step;
  if (t >= horizon) return Eigen::VectorXd::Zero(q.size());
  Eigen::VectorXd x(2 * q.size());
  x << q, velocity;
  const Eigen::VectorXd u =
      plan.result.controls.col(t) + plan.result.gains[static_cast<std::size_t>(t)] * (x - planned(plan, frame));
  return frame_time * (velocity + frame_time * u);
}

/// A motion computed frame by frame.
struct Walk {
  Eigen::MatrixXd path;  ///< 7 x (frames + 1)
  std::vector<double> frame_seconds = {};
  double evaluations = 0, fastest = 0;  ///< as in Chase
};

Walk follow(const ReachScene& scene, const HollowBox& box, const Plan& plan, const BoxMotion& motion, Follower follower,
            double metric) {
  const Eigen::Index d = scene.start.size();
  const Eigen::VectorXd lower = scene.arm.lower(), upper = scene.arm.upper();
  FollowedMap phi(scene, follower);
  planning::Remapper remapper(d, phi.weights(metric).asDiagonal().toDenseMatrix(),
                              {.max_iterations = 5, .tolerance = 1e-5});
  const auto box_at = [&](double frame) { return motion.of(box, frame * frame_time); };
  Walk walk{.path = Eigen::MatrixXd(d, frames + 1)};
  walk.path.col(0) = scene.start;
  Eigen::VectorXd q = scene.start, velocity = Eigen::VectorXd::Zero(d), target;
  long evaluations = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const studies::Stopwatch watch;
    Eigen::VectorXd next = planned(plan, frame + 1).head(d);
    if (follower != Follower::none) {
      phi.see(box);
      phi.evaluate(next, target, nullptr);
      // A plan at a limit, or slightly beyond it, must not hold the arm there.
      target.tail(d).setZero();
      const HollowBox now = box_at(frame);
      phi.turn(now.pose.linear() * box.pose.linear().transpose(), target);
      phi.see(now);
      const auto& result = remapper.remap(q, step_of_plan(plan, frame, q, velocity), target,
                                          [&](const Eigen::VectorXd& at, Eigen::VectorXd& y, Eigen::MatrixXd* J) {
                                            phi.evaluate(at, y, J);
                                            return true;
                                          });
      next = result.q.cwiseMax(lower).cwiseMin(upper);
      evaluations += result.evaluations;
    }
    walk.frame_seconds.push_back(watch.seconds());
    velocity = (next - q) / frame_time;
    walk.fastest = std::max(walk.fastest, velocity.cwiseAbs().maxCoeff());
    q = next;
    walk.path.col(frame + 1) = q;
  }
  walk.evaluations = static_cast<double>(evaluations) / frames;
  return walk;
}

}  // namespace

Sway::Sway(double largest, double seconds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * std::generate_canonical<double, 53>(random);
  };
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k < 2; ++k) {
      forth_(axis, k) = between(-1, 1);
      rate_(axis, k) = 2 * std::numbers::pi / between(4, 10);
    }
  double farthest = 0;
  for (int i = 0; i <= 1000; ++i) farthest = std::max(farthest, unscaled(seconds * i / 1000).norm());
  scale_ = largest / farthest;
}

Eigen::Vector3d Sway::unscaled(double seconds) const {
  // Sines alone would begin with a jump of the velocity.
  const double begun = 1 - std::exp(-seconds * seconds);
  return begun * (forth_.array() * (rate_.array() * seconds).sin()).rowwise().sum();
}

Eigen::Vector3d Sway::at(double seconds) const { return scale_ * unscaled(seconds); }

const char* to_string(Follower follower) {
  switch (follower) {
    case Follower::none: return "as planned";
    case Follower::tip: return "tip remapped";
    case Follower::topology: return "writhe + mesh remapped";
    case Follower::topology_tip: return "writhe + mesh + tip remapped";
  }
  return "";
}

Chase chase(const ReachScene& scene, const HollowBox& box, const Plan& plan, const BoxMotion& motion, Follower follower,
            double metric) {
  Walk walk = follow(scene, box, plan, motion, follower, metric);
  Chase run{.path = std::move(walk.path), .evaluations = walk.evaluations, .fastest = walk.fastest};
  const auto box_at = [&](double frame) { return motion.of(box, frame * frame_time); };
  run.clearance = studies::verify_path(
                      scene.arm, run.path, [&](double frame) { return box_at(frame).obstacles(); }, 4)
                      .clearance;
  const rigid_body::TreePoints chain = scene.arm.chain_points();
  Eigen::Matrix3Xd points;
  run.linked = true;
  for (int frame = horizon * frames_per_step; frame <= frames; ++frame) {
    const HollowBox now = box_at(frame);
    chain.evaluate(run.path.col(frame), points);
    run.tip_error.push_back((points.rightCols<1>() - now.goal()).norm());
    run.linked = run.linked && crossings(points, now) == 1;
  }
  return run;
}

std::vector<double> frame_seconds(const ReachScene& scene, const HollowBox& box, const Plan& plan,
                                  const BoxMotion& motion, Follower follower, double metric) {
  return follow(scene, box, plan, motion, follower, metric).frame_seconds;
}

ChaseScore chase_boxes(const ReachScene& scene, const std::vector<HollowBox>& boxes, const std::vector<Plan>& plans,
                       Follower follower, double metric, const MotionSize& size, std::uint64_t seed, int threads) {
  std::vector<Chase> runs(boxes.size());
  const auto motion = [&](std::size_t i) { return BoxMotion(size, frames * frame_time, seed + i); };
  parallel_for(boxes.size(), static_cast<std::size_t>(threads),
               [&](std::size_t i) { runs[i] = chase(scene, boxes[i], plans[i], motion(i), follower, metric); });
  ChaseScore score{.follower = follower, .size = size, .metric = metric, .motions = static_cast<int>(runs.size())};
  std::vector<double> errors, evaluations, speeds;
  for (const Chase& run : runs) {
    score.successes += run.success();
    score.free += run.clearance > 0;
    score.linked += run.linked;
    score.there += run.tip_error.back() < 0.02;
    errors.push_back(std::accumulate(run.tip_error.begin(), run.tip_error.end(), 0.0) /
                     static_cast<double>(run.tip_error.size()));
    evaluations.push_back(run.evaluations);
    speeds.push_back(run.fastest);
  }
  score.tip_error = studies::median(errors);
  score.evaluations = studies::median(evaluations);
  score.fastest = studies::median(speeds);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < std::min<std::size_t>(timed_motions, boxes.size()); ++i)
    std::ranges::copy(frame_seconds(scene, boxes[i], plans[i], motion(i), follower, metric),
                      std::back_inserter(seconds));
  score.frame_us = 1e6 * studies::median(seconds);
  return score;
}

}  // namespace studies::loop
