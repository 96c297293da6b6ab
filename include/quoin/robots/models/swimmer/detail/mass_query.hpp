// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

namespace quoin::swimmer::detail {

// A map of the mass with its type erased, so that a step is compiled once for all maps. Refers to the map.
template <int Dim>
class MassQuery {
 public:
  template <class MassMap>
  explicit MassQuery(const MassMap& map)
      : map_(&map), call_([](const void* self, const Point<Dim>& q, Eigen::VectorXd& packed, Eigen::MatrixXd& dpacked) {
          return quoin::try_evaluate<Dim>(*static_cast<const MassMap*>(self), q, packed, dpacked);
        }) {
    if constexpr (TwiceDifferentiableMap<MassMap, Dim>)
      second_ = [](const void* self, const Point<Dim>& q, Eigen::VectorXd& packed, Eigen::MatrixXd& dpacked,
                   Eigen::MatrixXd& d2packed) {
        return static_cast<const MassMap*>(self)->try_evaluate(q, packed, dpacked, d2packed);
      };
  }

  Answer operator()(const Point<Dim>& q, Eigen::VectorXd& packed, Eigen::MatrixXd& dpacked) const {
    return call_(map_, q, packed, dpacked);
  }

  // Whether the map has second derivatives, and the same query with them.
  bool has_second() const { return second_ != nullptr; }
  Answer second(const Point<Dim>& q, Eigen::VectorXd& packed, Eigen::MatrixXd& dpacked,
                Eigen::MatrixXd& d2packed) const {
    return second_(map_, q, packed, dpacked, d2packed);
  }

 private:
  const void* map_;
  Answer (*call_)(const void*, const Point<Dim>&, Eigen::VectorXd&, Eigen::MatrixXd&);
  Answer (*second_)(const void*, const Point<Dim>&, Eigen::VectorXd&, Eigen::MatrixXd&, Eigen::MatrixXd&) = nullptr;
};

}  // namespace quoin::swimmer::detail
