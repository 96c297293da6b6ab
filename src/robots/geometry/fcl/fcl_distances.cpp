// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/fcl/fcl_distances.hpp"

#include "quoin/robots/geometry/closest.hpp"
#include "quoin/util/to_text.hpp"
#include "robots/geometry/fcl/fcl_shape.hpp"

#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using fcl_detail::Placed;

// The relative change of the squared distance that ends GJK: the default of 1e-6 leaves errors of 6e-5 m. The signed
// distances that FCL offers instead end in assertions of Debian's library where shapes only just overlap.
constexpr double tolerance = 1e-12;

/// Capsules and boxes in the world, as `closest` takes them.
Capsule moved(const Capsule& capsule, const Isometry3d& pose) {
  return {pose * capsule.a, pose * capsule.b, capsule.radius};
}
Box moved(const Box& box, const Isometry3d& pose) { return {pose * box.pose, box.half_extents}; }

std::optional<FclNearPair> in_closed_form(const FclShape& first, const Isometry3d& first_pose, const FclShape& second,
                                          const Isometry3d& second_pose) {
  const Capsule* capsules[] = {std::get_if<Capsule>(&first), std::get_if<Capsule>(&second)};
  const Box* boxes[] = {std::get_if<Box>(&first), std::get_if<Box>(&second)};
  Closest found;
  if (capsules[0] && capsules[1])
    found = closest(moved(*capsules[0], first_pose), moved(*capsules[1], second_pose));
  else if (capsules[0] && boxes[1])
    found = closest(moved(*capsules[0], first_pose), moved(*boxes[1], second_pose));
  else if (boxes[0] && capsules[1])
    found = closest(moved(*boxes[0], first_pose), moved(*capsules[1], second_pose));
  else
    return std::nullopt;
  return FclNearPair{0, found.distance, found.on_first, found.on_second, found.normal};
}

/// FCL's order: a mesh stands first, or its closest points come exchanged.
FclNearPair by_fcl(const Placed& first, const fcl::Transform3d& first_pose, const Placed& second,
                   const fcl::Transform3d& second_pose) {
  fcl::DistanceRequestd request(true, false, 0, 0, tolerance);
  fcl::DistanceResultd result;
  const double distance =
      fcl::distance(first.geometry.get(), first_pose, second.geometry.get(), second_pose, request, result);
  const Vector3d &one = result.nearest_points[0], &other = result.nearest_points[1];
  const Vector3d between = one - other;
  if (distance > 0) return {0, distance, one, other, between.normalized()};
  if (first.mesh || second.mesh) return {0, 0, Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};

  fcl::CollisionRequestd overlap(1, true);
  fcl::CollisionResultd contacts;
  fcl::collide(first.geometry.get(), first_pose, second.geometry.get(), second_pose, overlap, contacts);
  if (contacts.numContacts() == 0) return {0, 0, Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
  const fcl::Contactd& contact = contacts.getContact(0);
  return {0, -contact.penetration_depth, contact.pos, contact.pos, -contact.normal};
}

FclNearPair between(const Placed& first, const Isometry3d& first_pose, const Placed& second,
                    const Isometry3d& second_pose) {
  if (std::optional<FclNearPair> known = in_closed_form(first.shape, first_pose, second.shape, second_pose))
    return *known;
  const fcl::Transform3d one = first_pose * first.placement, other = second_pose * second.placement;
  if (first.mesh || !second.mesh) return by_fcl(first, one, second, other);
  FclNearPair pair = by_fcl(second, other, first, one);
  std::swap(pair.on_first, pair.on_second);
  pair.normal *= -1;
  return pair;
}

void require_poses(const char* what, const std::vector<Isometry3d>& poses, std::size_t wanted) {
  if (poses.size() != wanted)
    throw std::invalid_argument("FclDistances: " + to_text(poses.size()) + " poses of " + what + " for " +
                                to_text(wanted));
  for (std::size_t k = 0; k < wanted; ++k)
    if (!poses[k].matrix().allFinite())
      throw std::invalid_argument("FclDistances: the pose of " + std::string(what) + ' ' + to_text(k) +
                                  " is not finite");
}

void require_index(const char* what, int index, std::size_t count) {
  if (index < 0 || static_cast<std::size_t>(index) >= count)
    throw std::invalid_argument("FclDistances: " + std::string(what) + ' ' + to_text(index) + " of " + to_text(count));
}

}  // namespace

struct FclDistances::Shapes {
  FclModel model;
  std::vector<Placed> bodies, obstacles;
  std::vector<char> ignored;  // obstacle-major
};

FclDistances::FclDistances(FclModel model) {
  auto shapes = std::make_shared<Shapes>();
  const std::size_t count = model.bodies.size();
  for (std::size_t b = 0; b < count; ++b) {
    require_index("a body of frame", model.bodies[b].frame, static_cast<std::size_t>(std::max(model.frames, 0)));
    shapes->bodies.push_back(fcl_detail::placed(model.bodies[b].shape, "FclDistances: body " + to_text(b)));
  }
  for (std::size_t o = 0; o < model.obstacles.size(); ++o)
    shapes->obstacles.push_back(fcl_detail::placed(model.obstacles[o], "FclDistances: obstacle " + to_text(o)));
  for (const auto& [one, other] : model.self_pairs) {
    require_index("a pair with body", one, count);
    require_index("a pair with body", other, count);
    if (one == other) throw std::invalid_argument("FclDistances: body " + to_text(one) + " is paired with itself");
  }
  shapes->ignored.assign(count * model.obstacles.size(), 0);
  for (const auto& [body, obstacle] : model.ignored_pairs) {
    require_index("an ignored pair with body", body, count);
    require_index("an ignored pair with obstacle", obstacle, model.obstacles.size());
    shapes->ignored[static_cast<std::size_t>(obstacle) * count + static_cast<std::size_t>(body)] = 1;
  }
  shapes->model = std::move(model);
  shapes_ = std::move(shapes);
}

int FclDistances::pair_count() const {
  return static_cast<int>(shapes_->model.self_pairs.size() + shapes_->bodies.size() * shapes_->obstacles.size());
}

const FclModel& FclDistances::model() const { return shapes_->model; }

void FclDistances::near_pairs(const std::vector<Isometry3d>& frames, const std::vector<Isometry3d>& obstacles,
                              double margin, std::vector<FclNearPair>& near) const {
  const FclModel& model = shapes_->model;
  require_poses("frames", frames, static_cast<std::size_t>(model.frames));
  require_poses("obstacles", obstacles, model.obstacles.size());
  if (!(margin >= 0)) throw std::invalid_argument("FclDistances: a margin of " + to_text(margin));
  near.clear();
  const auto pose_of = [&](std::size_t body) -> const Isometry3d& {
    return frames[static_cast<std::size_t>(model.bodies[body].frame)];
  };
  const auto look = [&](int number, const Placed& first, const Isometry3d& first_pose, const Placed& second,
                        const Isometry3d& second_pose) {
    const double centres = (first_pose * first.centre - second_pose * second.centre).norm();
    if (centres - first.radius - second.radius >= margin) return;
    FclNearPair pair = between(first, first_pose, second, second_pose);
    if (!(pair.distance < margin)) return;
    pair.pair = number;
    near.push_back(pair);
  };
  int number = 0;
  for (const auto& [one, other] : model.self_pairs) {
    const auto first = static_cast<std::size_t>(one), second = static_cast<std::size_t>(other);
    look(number++, shapes_->bodies[first], pose_of(first), shapes_->bodies[second], pose_of(second));
  }
  for (std::size_t o = 0; o < obstacles.size(); ++o)
    for (std::size_t b = 0; b < shapes_->bodies.size(); ++b, ++number)
      if (!shapes_->ignored[o * shapes_->bodies.size() + b])
        look(number, shapes_->bodies[b], pose_of(b), shapes_->obstacles[o], obstacles[o]);
}

}  // namespace quoin
