// SPDX-License-Identifier: BSD-3-Clause
// Which samples test an estimate, and how far from them what they have tested reaches.
#pragma once

#include "quoin/map/point.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace quoin::kernel_detail {

/// Samples in clusters: those within a radius of a cluster's first belong to it. Points and radius are in units of the
/// length scales.
///
/// A sample with a twin beside it says nothing of errors elsewhere, as the twin predicts it; so clusters are left out
/// whole. And clusters along a line say nothing of what lies beside it: where x is further from the nearest cluster
/// than clusters are from each other, in that direction, nothing has been tested.
template <int Dim>
class SampleClusters {
 public:
  SampleClusters(const std::vector<Point<Dim>>& points, double radius) {
    for (std::size_t s = 0; s < points.size(); ++s) {
      const auto holds = [&](const Point<Dim>& first) { return (first - points[s]).squaredNorm() <= radius * radius; };
      const auto cluster =
          static_cast<std::size_t>(std::find_if(firsts_.begin(), firsts_.end(), holds) - firsts_.begin());
      if (cluster == firsts_.size()) {
        firsts_.push_back(points[s]);
        members_.emplace_back();
      }
      members_[cluster].push_back(static_cast<int>(s));
    }
    Square moments = 1e-12 * Square::Identity();  // along axes without any extent
    for (std::size_t c = 0; c < firsts_.size(); ++c) {
      const Point<Dim> offset = from_nearest(firsts_[c], c);
      moments += offset * offset.transpose() / static_cast<double>(firsts_.size());
    }
    // the factor's type depends on no Dim: it takes long to compile
    const Eigen::LDLT<Eigen::MatrixXd> factor(moments);
    inverse_moments_ = factor.solve(Eigen::MatrixXd::Identity(Dim, Dim));
  }

  /// The numbers of each cluster's samples, ascending.
  const std::vector<std::vector<int>>& members() const { return members_; }
  /// The first sample of each.
  const std::vector<Point<Dim>>& firsts() const { return firsts_; }

  /// Whether x is no further from the nearest cluster than twice what is usual between clusters in that direction.
  bool reach(const Point<Dim>& x) const {
    if (firsts_.size() < 2) return false;
    const Point<Dim> offset = from_nearest(x, firsts_.size());
    return offset.dot(inverse_moments_ * offset) <= 4 * Dim;
  }

 private:
  using Square = Eigen::Matrix<double, Dim, Dim>;

  Point<Dim> from_nearest(const Point<Dim>& x, std::size_t other_than) const {
    Point<Dim> nearest = Point<Dim>::Zero();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < firsts_.size(); ++c) {
      const Point<Dim> offset = x - firsts_[c];
      if (c == other_than || !(offset.squaredNorm() < least)) continue;
      least = offset.squaredNorm();
      nearest = offset;
    }
    return nearest;
  }

  std::vector<Point<Dim>> firsts_;
  std::vector<std::vector<int>> members_;
  Square inverse_moments_;
};

}  // namespace quoin::kernel_detail
