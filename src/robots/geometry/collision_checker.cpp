// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/collision_checker.hpp"

#include "quoin/util/to_text.hpp"

#include "segment_pairs.hpp"
#include "unchecked_closest.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_index(int index, std::size_t size, const std::string& what, const char* of) {
  if (index < 0 || static_cast<std::size_t>(index) >= size)
    throw std::invalid_argument("CollisionChecker: " + what + " names " + of + " " + to_text(index) + " of " +
                                to_text(size));
}

void require_model(const CollisionModel& model) {
  if (model.points < 0) throw std::invalid_argument("CollisionChecker: " + to_text(model.points) + " points");
  const auto points = static_cast<std::size_t>(model.points);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const auto& body = model.bodies[i];
    const std::string name = "body " + to_text(i);
    require_index(body.first, points, name, "point");
    require_index(body.second, points, name, "point");
    if (!(body.radius >= 0) || !std::isfinite(body.radius))
      throw std::invalid_argument("CollisionChecker: " + name + " has radius " + to_text(body.radius) +
                                  ", it must be finite and not negative");
  }
  for (std::size_t i = 0; i < model.self_pairs.size(); ++i) {
    const auto [one, other] = model.self_pairs[i];
    const std::string name = "self pair " + to_text(i);
    require_index(one, model.bodies.size(), name, "body");
    require_index(other, model.bodies.size(), name, "body");
    if (one == other)
      throw std::invalid_argument("CollisionChecker: " + name + " pairs body " + to_text(one) + " with itself");
  }
  for (std::size_t i = 0; i < model.ignored_pairs.size(); ++i) {
    const auto [body, obstacle] = model.ignored_pairs[i];
    require_index(body, model.bodies.size(), "ignored pair " + to_text(i), "body");
    if (obstacle < 0)
      throw std::invalid_argument("CollisionChecker: ignored pair " + to_text(i) + " names obstacle " +
                                  to_text(obstacle));
  }
}

double squared_distance_to_segment(const Eigen::Vector3d& p, const Eigen::Vector3d& a, const Eigen::Vector3d& d,
                                   double dd) {
  const Eigen::Vector3d w = p - a;
  return (w - (dd > 0 ? detail::clamp01(w.dot(d) / dd) : 0.0) * d).squaredNorm();
}

// The row of J must be zero on entry.
void write_row(const NearPair& near, double margin, const Eigen::Ref<const Eigen::MatrixXd>& point_jacobian,
               Eigen::Index row, Eigen::VectorXd& r, Eigen::MatrixXd& J) {
  r[row] = margin - near.closest.distance;
  for (std::size_t i = 0; i < 4; ++i)
    if (near.weights[i] != 0) {
      const Eigen::RowVector3d by_point = -near.weights[i] * near.closest.normal.transpose();
      J.row(row).noalias() += by_point * point_jacobian.middleRows<3>(3 * near.points[i]);
    }
}

bool overlap(const Eigen::Vector3d& a, const Eigen::Vector3d& d, double radius, const Box& box) {
  const auto& rotation = box.pose.linear();
  const auto pair = detail::nearest_segment_box(rotation.transpose() * (a - box.pose.translation()),
                                                rotation.transpose() * d, box.half_extents);
  return pair.crosses || pair.squared < radius * radius;
}

}  // namespace

// A capsule as a + t d, and the sphere around it.
struct CollisionChecker::Body {
  Eigen::Vector3d a, d, middle;
  double radius;
  double reach;  // of the sphere

  Body() = default;
  Body(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius_)
      : a(from), d(to - from), middle(from + d / 2), radius(radius_), reach(d.norm() / 2 + radius_) {}

  // True if the distance is at least the bound despite all rounding.
  bool certainly_beyond(double squared, double other_reach, double bound) const {
    const double sum = reach + other_reach + bound;
    return sum <= 0 || squared > (1 + 1e-12) * sum * sum;
  }
  double distance(const Body& other) const {
    return std::sqrt(detail::nearest_segments(d, other.d, a - other.a).squared) - (radius + other.radius);
  }
  double distance(const Box& box) const { return detail::unchecked_closest(a, d, radius, box).distance; }
  Closest closest(const Body& other) const {
    return detail::unchecked_closest(a, d, radius, other.a, other.d, other.radius);
  }
  Closest closest(const Box& box) const { return detail::unchecked_closest(a, d, radius, box); }
  bool overlaps(const Body& other) const {
    const double sum = radius + other.radius;
    return detail::nearest_segments(d, other.d, a - other.a).squared < sum * sum;
  }
  bool overlaps(const Box& box) const { return overlap(a, d, radius, box); }
};

class CollisionChecker::Bodies {
 public:
  Bodies(const CollisionModel& model, const Eigen::Ref<const Eigen::Matrix3Xd>& points) {
    const std::size_t count = model.bodies.size();
    Body* to = local_;
    if (count > std::size(local_)) {
      many_.resize(count);
      to = many_.data();
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto& body = model.bodies[i];
      to[i] = Body(points.col(body.first), points.col(body.second), body.radius);
    }
    data_ = to;
  }
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;
  const Body& operator[](std::size_t i) const { return data_[i]; }

 private:
  const Body* data_;
  Body local_[64];
  std::vector<Body> many_;
};

CollisionChecker::CollisionChecker(CollisionModel model) : model_(std::move(model)) {
  require_model(model_);
  const std::size_t bodies = model_.bodies.size();
  for (const auto& [body, obstacle] : model_.ignored_pairs) {
    const std::size_t at = static_cast<std::size_t>(obstacle) * bodies + static_cast<std::size_t>(body);
    if (at >= ignored_.size()) ignored_.resize((static_cast<std::size_t>(obstacle) + 1) * bodies, 0);
    ignored_[at] = 1;
  }
}

bool CollisionChecker::ignored(int body, std::size_t obstacle) const {
  const std::size_t at = obstacle * model_.bodies.size() + static_cast<std::size_t>(body);
  return at < ignored_.size() && ignored_[at];
}

void CollisionChecker::require_question(const char* function, const Eigen::Ref<const Eigen::Matrix3Xd>& points,
                                        const Obstacles& obstacles, double margin) const {
  const auto caller = [function] { return "CollisionChecker::" + std::string(function); };
  if (points.cols() != model_.points)
    throw std::invalid_argument(caller() + ": " + to_text(points.cols()) + " points, the model has " +
                                to_text(model_.points));
  if (!points.allFinite())
    for (Eigen::Index i = 0; i < points.cols(); ++i)
      if (!points.col(i).allFinite())
        throw std::invalid_argument(caller() + ": point " + to_text(i) + " = (" + to_text(points(0, i)) + ", " +
                                    to_text(points(1, i)) + ", " + to_text(points(2, i)) + ")");
  for (std::size_t o = 0; o < obstacles.size(); ++o)
    std::visit([](const auto& shape) { require_shape(shape, "CollisionChecker, obstacle"); }, obstacles[o]);
  if (!(margin >= 0) || !std::isfinite(margin))
    throw std::invalid_argument(caller() + ": margin " + to_text(margin) + ", it must be finite and not negative");
}

void CollisionChecker::count(long long pairs) const {
  checks_.value.fetch_add(1, std::memory_order_relaxed);
  pairs_.value.fetch_add(pairs, std::memory_order_relaxed);
}

template <class Visit>
bool CollisionChecker::visit_self(const Bodies& bodies, const double& bound, Visit&& visit) const {
  for (std::size_t k = 0; k < model_.self_pairs.size(); ++k) {
    const auto [one, other] = model_.self_pairs[k];
    const Body& body = bodies[static_cast<std::size_t>(one)];
    const Body& second = bodies[static_cast<std::size_t>(other)];
    if (body.certainly_beyond((body.middle - second.middle).squaredNorm(), second.reach, bound)) continue;
    if (visit(static_cast<int>(k), body, second)) return true;
  }
  return false;
}

template <class Visit>
bool CollisionChecker::visit_obstacles(const Bodies& bodies, const Obstacles& obstacles, const double& bound,
                                       Visit&& visit) const {
  const int count = static_cast<int>(model_.bodies.size());
  int number = static_cast<int>(model_.self_pairs.size());
  for (std::size_t o = 0; o < obstacles.size(); ++o) {
    if (const auto* capsule = std::get_if<Capsule>(&obstacles[o])) {
      const Body second(capsule->a, capsule->b, capsule->radius);
      const double dd = second.d.squaredNorm();
      for (int b = 0; b < count; ++b, ++number) {
        const Body& body = bodies[static_cast<std::size_t>(b)];
        const double squared = squared_distance_to_segment(body.middle, second.a, second.d, dd);
        if (body.certainly_beyond(squared, second.radius, bound) || ignored(b, o)) continue;
        if (visit(number, body, second)) return true;
      }
    } else {
      const Box& box = std::get<Box>(obstacles[o]);
      const Eigen::Matrix3d to_box = box.pose.linear().transpose();
      for (int b = 0; b < count; ++b, ++number) {
        const Body& body = bodies[static_cast<std::size_t>(b)];
        const double squared =
            detail::beyond(to_box * (body.middle - box.pose.translation()), box.half_extents).squaredNorm();
        // A body with its middle within the box may be deep in it, whatever its reach.
        if ((squared > 0 && body.certainly_beyond(squared, 0, bound)) || ignored(b, o)) continue;
        if (visit(number, body, box)) return true;
      }
    }
  }
  return false;
}

bool CollisionChecker::collides(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles) const {
  require_question("collides", points, obstacles, 0);
  const Bodies bodies(model_, points);
  long long pairs = 0;
  const auto overlaps = [&](int, const Body& body, const auto& other) {
    ++pairs;
    return body.overlaps(other);
  };
  const double bound = 0;
  const bool found = visit_obstacles(bodies, obstacles, bound, overlaps) || visit_self(bodies, bound, overlaps);
  count(pairs);
  return found;
}

LeastDistance CollisionChecker::min_distance(const Eigen::Ref<const Eigen::Matrix3Xd>& points,
                                             const Obstacles& obstacles) const {
  require_question("min_distance", points, obstacles, 0);
  const Bodies bodies(model_, points);
  long long pairs = 0;
  LeastDistance least{infinity, -1};
  const auto compare = [&](int number, const Body& body, const auto& other) {
    ++pairs;
    if (const double distance = body.distance(other); distance < least.distance) least = {distance, number};
    return false;
  };
  visit_obstacles(bodies, obstacles, least.distance, compare);
  visit_self(bodies, least.distance, compare);
  count(pairs);
  return least;
}

void CollisionChecker::distances(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles,
                                 Eigen::VectorXd& distances) const {
  require_question("distances", points, obstacles, 0);
  const Bodies bodies(model_, points);
  distances.setConstant(pair_count(obstacles), infinity);
  long long pairs = 0;
  const auto note = [&](int number, const Body& body, const auto& other) {
    ++pairs;
    distances[number] = body.distance(other);
    return false;
  };
  visit_self(bodies, infinity, note);
  visit_obstacles(bodies, obstacles, infinity, note);
  count(pairs);
}

template <class Take>
void CollisionChecker::visit_near(const Bodies& bodies, const Obstacles& obstacles, double margin, Take&& take) const {
  long long pairs = 0;
  const auto note = [&](int number, const Body& body, const auto& other) {
    ++pairs;
    const Closest closest = body.closest(other);
    if (closest.distance >= margin) return false;
    const CheckedPair ends = pair(number);
    const auto& first = model_.bodies[static_cast<std::size_t>(ends.body)];
    const double t = closest.first_parameter, u = closest.second_parameter;
    NearPair near{number, {first.first, first.second, first.first, first.second}, {1 - t, t, 0, 0}, closest};
    if (!ends.with_obstacle) {
      const auto& second = model_.bodies[static_cast<std::size_t>(ends.other)];
      near.points[2] = second.first;
      near.points[3] = second.second;
      near.weights[2] = u - 1;
      near.weights[3] = -u;
    }
    take(near);
    return false;
  };
  visit_self(bodies, margin, note);
  visit_obstacles(bodies, obstacles, margin, note);
  count(pairs);
}

void CollisionChecker::near_pairs(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles,
                                  double margin, std::vector<NearPair>& near) const {
  require_question("near_pairs", points, obstacles, margin);
  near.clear();
  visit_near(Bodies(model_, points), obstacles, margin, [&](const NearPair& pair) { near.push_back(pair); });
}

void CollisionChecker::margin_residuals(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles,
                                        double margin, Eigen::VectorXd& r) const {
  require_question("margin_residuals", points, obstacles, margin);
  const Bodies bodies(model_, points);
  r.setZero(pair_count(obstacles));
  long long pairs = 0;
  const auto note = [&](int number, const Body& body, const auto& other) {
    ++pairs;
    r[number] = std::max(0.0, margin - body.distance(other));
    return false;
  };
  visit_self(bodies, margin, note);
  visit_obstacles(bodies, obstacles, margin, note);
  count(pairs);
}

void CollisionChecker::margin_residuals(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles,
                                        double margin, const Eigen::Ref<const Eigen::MatrixXd>& point_jacobian,
                                        Eigen::VectorXd& r, Eigen::MatrixXd& J) const {
  if (point_jacobian.rows() != 3 * static_cast<Eigen::Index>(model_.points))
    throw std::invalid_argument("CollisionChecker::margin_residuals: point_jacobian has " +
                                to_text(point_jacobian.rows()) + " rows, 3 for each of " + to_text(model_.points) +
                                " points are needed");
  require_question("margin_residuals", points, obstacles, margin);
  r.setZero(pair_count(obstacles));
  J.setZero(r.size(), point_jacobian.cols());
  visit_near(Bodies(model_, points), obstacles, margin,
             [&](const NearPair& near) { write_row(near, margin, point_jacobian, near.pair, r, J); });
}

int CollisionChecker::pair_count(const Obstacles& obstacles) const {
  return static_cast<int>(model_.self_pairs.size() + obstacles.size() * model_.bodies.size());
}

CheckedPair CollisionChecker::pair(int number) const {
  const int self = static_cast<int>(model_.self_pairs.size());
  if (number < 0 || (number >= self && model_.bodies.empty()))
    throw std::invalid_argument("CollisionChecker::pair: there is no pair " + to_text(number));
  if (number < self) {
    const auto [one, other] = model_.self_pairs[static_cast<std::size_t>(number)];
    return {one, other, false};
  }
  const int bodies = static_cast<int>(model_.bodies.size());
  return {(number - self) % bodies, (number - self) / bodies, true};
}

CollisionCounts CollisionChecker::counts() const { return {checks_.value.load(), pairs_.value.load()}; }

void CollisionChecker::reset_counts() {
  checks_.value = 0;
  pairs_.value = 0;
}

void margin_rows(const std::vector<NearPair>& near, double margin,
                 const Eigen::Ref<const Eigen::MatrixXd>& point_jacobian, Eigen::VectorXd& r, Eigen::MatrixXd& J) {
  const Eigen::Index rows = static_cast<Eigen::Index>(near.size());
  r.resize(rows);
  J.setZero(rows, point_jacobian.cols());
  for (Eigen::Index row = 0; row < rows; ++row)
    write_row(near[static_cast<std::size_t>(row)], margin, point_jacobian, row, r, J);
}

}  // namespace quoin
