// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quoin {

/// Values and Jacobians at the points asked for of late, for a planner that comes back to them: a trajectory that was
/// rolled out is linearized at the same points. Every point has one place, which the next one there takes. For one
/// thread.
template <int Dim>
class AnswerMemory {
 public:
  /// What a map answered at a point.
  struct Sample {
    Eigen::VectorXd y;  ///< N
    Eigen::MatrixXd J;  ///< N x Dim
  };

  /// The sample of that owner at x, or null.
  const Sample* find(std::uint64_t owner, const Point<Dim>& x) const {
    if (places_.empty()) return nullptr;
    const Place& place = places_[index_of(x)];
    return place.owner == owner && place.x == x ? &place.sample : nullptr;
  }

  /// Takes the place of what was kept there, for that owner or another.
  void keep(std::uint64_t owner, const Point<Dim>& x, const Sample& sample) {
    if (places_.empty()) {
      const std::size_t each = sizeof(double) * static_cast<std::size_t>(sample.y.size() + sample.J.size());
      places_.resize(std::bit_floor(std::clamp<std::size_t>(bytes / std::max<std::size_t>(each, 1), 16, 1024)));
    }
    Place& place = places_[index_of(x)];
    place.owner = owner;
    place.x = x;
    place.sample = sample;
  }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 22;

  struct Place {
    std::uint64_t owner = 0;  // 0: nobody
    Point<Dim> x;
    Sample sample;
  };

  std::size_t index_of(const Point<Dim>& x) const {
    std::uint64_t hash = 0;
    for (int i = 0; i < Dim; ++i) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(x[i])) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;  // a short number's bits are all at the top
    }
    return hash & (places_.size() - 1);
  }

  std::vector<Place> places_;
};

}  // namespace quoin
