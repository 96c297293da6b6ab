// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/task_maps/task_map.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <concepts>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// A task map in a fixed environment, as a DifferentiableMap of the joint coordinates alone. See task_map_in.
template <int Dim, class Map, class Environment>
  requires TaskMap<Map, Environment>
class TaskMapIn {
 public:
  /// Holds its own copies of both.
  TaskMapIn(Map map, Environment environment, FunctionTraits traits)
      : map_(std::move(map)), environment_(std::move(environment)), traits_(traits) {}

  Eigen::Index output_size() const { return map_.output_size(environment_); }
  FunctionTraits traits() const { return traits_; }
  /// The one that it was fixed in.
  const Environment& environment() const { return environment_; }
  /// Of the task map and the environment, if that is points.
  Fingerprint fingerprint() const
    requires Fingerprinted<Map> && std::convertible_to<const Environment&, const Eigen::Matrix3Xd&>
  {
    return Fingerprint("task_map_in").add("map", map_.fingerprint()).add_rounded("environment", environment_);
  }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    map_.evaluate(q, environment_, y);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    map_.evaluate(q, environment_, y, J);
    if (J.cols() != Dim)
      throw std::invalid_argument("task_map_in<" + to_text(Dim) + ">: the task map has a derivative by " +
                                  to_text(J.cols()) + " joint coordinates");
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  Map map_;
  Environment environment_;
  FunctionTraits traits_;
};

/// Fixes the environment of a task map, which makes it a function of the joints alone, as grids over joints need:
///
///   auto writhe = task_map_in<7>(topology::WritheMap(arm, options), pole);   // pole: 3 x L, copied
///   AdaptiveGrid<2> grid(restrict_to(writhe, std::array{0, 3}, q), options);  // q: all seven coordinates
///
/// The values that a grid over it stores belong to this one environment. Dim: the number of the robot's joints. The map
/// itself refuses a wrong number, or an environment that does not fit, at the first evaluation.
///
/// For one thread only, unless `traits` says otherwise: a task map may hold the workspace of its kinematics
/// (rigid_body::TreePoints does). A grid then calls its own copy from one thread at a time; give other threads copies.
template <int Dim, class Map, class Environment>
  requires TaskMap<Map, Environment>
auto task_map_in(Map map, Environment environment, FunctionTraits traits = {}) {
  return TaskMapIn<Dim, Map, Environment>(std::move(map), std::move(environment), traits);
}

}  // namespace quoin
