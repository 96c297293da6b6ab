// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/frame_rule.hpp"

#include "quoin/robots/models/rigid_body/newton_euler.hpp"

#include <utility>

namespace studies::spheres {

using Eigen::Index;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using rigid_body::TreePoints;

namespace {

struct Landmarks {
  std::vector<TreePoints::Point> points = {};
  std::vector<double> radii = {};  // of the arm at each point
};

/// `per_body` landmarks on each body behind the shoulder, spaced evenly up to its end.
Landmarks landmarks_of(const studies::CapsuleArm& arm, int per_body) {
  rigid_body::NewtonEuler<> dynamics(arm.tree);
  const VectorXd zero = VectorXd::Zero(arm.tree.joints());
  Landmarks landmarks;
  for (const CollisionBody& body : arm.bodies) {
    if (body.first == 0) continue;
    const TreePoints::Point& from = arm.chain[static_cast<std::size_t>(body.first)];
    const TreePoints::Point& to = arm.chain[static_cast<std::size_t>(body.second)];
    const Eigen::Vector3d end = dynamics.pose(zero, from.frame).inverse() * (dynamics.pose(zero, to.frame) * to.place);
    for (int k = 1; k < per_body; ++k)
      landmarks.points.push_back({from.frame, from.place + k * (end - from.place) / per_body});
    landmarks.points.push_back(to);
    landmarks.radii.insert(landmarks.radii.end(), static_cast<std::size_t>(per_body), body.radius);
  }
  return landmarks;
}

std::vector<topology::MeshEdge> edges_of(const FrameRuleOptions& options, const std::vector<double>& radii,
                                         Index spheres, double sphere_radius) {
  const Index K = std::ssize(radii), goal = K;
  std::vector<topology::MeshEdge> edges = topology::full_graph(K, 1 + spheres);
  for (topology::MeshEdge& edge : edges) {
    if (edge.second > goal)
      edge.gap = options.thickness * (radii[static_cast<std::size_t>(edge.first)] + sphere_radius);
  }
  return edges;
}

MatrixXd metric_of(const FrameRuleOptions& options, Index landmarks, Index spheres, Index pairs) {
  std::vector<double> weights;
  const auto add = [&](double weight, Index rows) {
    weights.insert(weights.end(), static_cast<std::size_t>(rows), weight);
  };
  if (options.mesh > 0) {
    add(options.mesh, 3 * (landmarks + 1));
    add(options.mesh_spheres, 3 * spheres);
  }
  if (options.tip > 0) add(options.tip, 3);
  if (options.contact > 0) add(options.contact, pairs);
  return Eigen::Map<const VectorXd>(weights.data(), static_cast<Index>(weights.size())).asDiagonal();
}

}  // namespace

FrameRuleOptions remapping(double mesh, double contact) { return {.carry = 0.9, .mesh = mesh, .contact = contact}; }

FrameRuleOptions inverse_kinematics(double damping, double contact_margin) {
  const double weight = 1 / (damping * damping);
  return {.step = FrameStep::none, .tip = weight, .contact = weight, .contact_margin = contact_margin};
}

FrameRule::FrameRule(const SphereScene& scene, const planning::AicoResult& plan, const FrameRuleOptions& options)
    : scene_(&scene),
      plan_(&plan),
      options_(options),
      tip_(scene.arm.tree, {scene.arm.chain.back()}),
      points_(scene.arm.points()),
      lower_(scene.arm.lower().array() + scene.options.weights.limit_margin),
      upper_(scene.arm.upper().array() - scene.options.weights.limit_margin),
      function_([this](const VectorXd& q, VectorXd& y, MatrixXd* J) { return phi(q, y, J); }),
      landmarks_(3, 1 + scene.centers.cols()),
      world_(scene.obstacles(scene.centers)) {
  const Landmarks landmarks = landmarks_of(scene.arm, options.landmarks);
  const Index K = std::ssize(landmarks.points), S = scene.centers.cols();
  if (options.mesh > 0)
    mesh_.emplace(TreePoints(scene.arm.tree, landmarks.points),
                  topology::InteractionMesh(K, 1 + S, edges_of(options, landmarks.radii, S, scene.options.radius)));
  const MatrixXd metric = metric_of(options, K, S, scene.checker.pair_count(world_));
  targets_.resize(metric.rows(), plan.states.cols());
  if (metric.size() > 0)
    remapper_.emplace(
        scene.start.size(), metric,
        planning::RemapOptions{
            .max_iterations = options.iterations, .tolerance = 1e-6, .keep_descent = options.iterations > 1});
  landmarks_.col(0) = scene.goal;
  see(scene.centers);
  compute_targets();
}

void FrameRule::compute_targets() {
  const Index n = scene_->start.size(), last = targets_.cols() - 1;
  const Index pairs = options_.contact > 0 ? scene_->checker.pair_count(world_) : 0;
  VectorXd y;
  for (Index t = 0; t <= last; ++t) {
    phi(plan_->states.col(t).head(n), y, nullptr);
    y.tail(pairs).setZero();
    targets_.col(t) = y;
  }
  if (!options_.straight || options_.tip == 0) return;
  auto tips = targets_.middleRows<3>(targets_.rows() - pairs - 3);
  const Eigen::Vector3d first = tips.col(0);
  const double way = (scene_->goal - first).norm();
  for (Index t = 0; t <= last; ++t) {
    const Eigen::Vector3d planned = tips.col(t);
    tips.col(t) << scene_->goal - (planned - scene_->goal).norm() / way * (scene_->goal - first);
  }
}

void FrameRule::see(const Matrix3Xd& spheres) {
  landmarks_.rightCols(spheres.cols()) = spheres;
  for (Index s = 0; s < spheres.cols(); ++s)
    world_[static_cast<std::size_t>(s)] = Capsule::sphere(spheres.col(s), scene_->options.radius);
}

bool FrameRule::phi(const VectorXd& q, VectorXd& y, MatrixXd* J) {
  y.resize(targets_.rows());
  if (J) J->resize(targets_.rows(), q.size());
  Index row = 0;
  const auto take = [&] {
    y.segment(row, part_.size()) = part_;
    if (J) J->middleRows(row, part_.size()) = part_J_;
    row += part_.size();
  };
  if (mesh_) {
    J ? mesh_->evaluate(q, landmarks_, part_, part_J_) : mesh_->evaluate(q, landmarks_, part_);
    take();
  }
  if (options_.tip > 0) {
    J ? tip_.evaluate(q, places_, part_J_) : tip_.evaluate(q, places_);
    part_ = places_.col(0);
    take();
  }
  if (options_.contact > 0) {
    if (J) {
      points_.evaluate(q, places_, moved_);
      scene_->checker.margin_residuals(places_, world_, options_.contact_margin, moved_, part_, part_J_);
    } else {
      points_.evaluate(q, places_);
      scene_->checker.margin_residuals(places_, world_, options_.contact_margin, part_);
    }
    take();
  }
  return true;
}

void FrameRule::compute_step(int t, const VectorXd& q, const VectorXd& qd) {
  const Index n = q.size();
  const double dt = scene_->options.dt;
  switch (options_.step) {
    case FrameStep::none: h_.setZero(n); break;
    case FrameStep::planned:
      h_ = (plan_->states.col(t + 1) - plan_->states.col(t)).head(n);
      h_ += options_.carry * dt * (qd - plan_->states.col(t).tail(n));
      break;
    case FrameStep::fed_back:
      state_.resize(2 * n);
      state_ << q, qd;
      h_ = dt * (qd + dt * plan_->control(t, state_));
      break;
  }
}

const VectorXd& FrameRule::next(int t, const VectorXd& q, const VectorXd& qd, const Matrix3Xd& spheres) {
  compute_step(t, q, qd);
  if (remapper_) {
    see(spheres);
    target_ = targets_.col(t + 1);
    next_ = remapper_->remap(q, h_, target_, function_).q;
  } else {
    next_ = q + h_;
  }
  next_ = next_.cwiseMax(lower_).cwiseMin(upper_);
  return next_;
}

MatrixXd follow(FrameRule& rule, const SphereScene& scene, const SpheresAt& spheres, const Push& push) {
  scene.check(push);
  const double dt = scene.options.dt;
  MatrixXd path(scene.start.size(), scene.options.horizon + 1);
  path.col(0) = scene.start;
  VectorXd q = scene.start, qd = VectorXd::Zero(q.size());
  for (int t = 0; t < scene.options.horizon; ++t) {
    const VectorXd& next = rule.next(t, q, qd, spheres(t * dt));
    qd = (next - q) / dt;
    q = next;
    if (t + 1 == push.t) q += push.offset;  // qd is kept
    path.col(t + 1) = q;
  }
  return path;
}

}  // namespace studies::spheres
