// SPDX-License-Identifier: BSD-3-Clause
// In the descent of a query to a tolerance: whether f jumps between the corners of a leaf that nothing measures.
#pragma once

#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// The defects of a cell's edges. On an edge from 0 to h the defect of an output is f_h - f_0 - h/2 (f_0' + f_h'), the
/// error of the trapezoidal rule for f'. It is h^3/12 of a third derivative where f is smooth; where f has a kink it is
/// at most h/2 |f_h' - f_0'|, both of which fall with h; and where f jumps it stays as large as the jump.
template <int Dim>
class EdgeDefects {
 public:
  static constexpr int corners = 1 << Dim;

  /// jets: of the corners, of order 1 or more; h: edges of the cell.
  EdgeDefects(std::vector<Eigen::MatrixXd> jets, const Point<Dim>& h)
      : jets_(std::move(jets)), rows_(jets_.front().rows()), h_(h) {}

  /// The largest over the edges, for each output.
  Eigen::VectorXd largest() const {
    Eigen::VectorXd largest = Eigen::VectorXd::Zero(rows_);
    for_each_edge([&](const Edge& edge) {
      for (Eigen::Index row = 0; row < rows_; ++row)
        largest[row] = std::max(largest[row], std::abs(of(edge, row).defect));
    });
    return largest;
  }

  /// The height of the jump that the corners show, 0 if they show none: the largest norm over the edges of those
  /// defects that no kink explains and that did not fall from a coarser cell around this one, whose `largest` is given.
  double jump(const Eigen::VectorXd& coarser, const WeightedNorm& norm) const {
    Eigen::VectorXd jumps(rows_);
    double height = 0;
    for_each_edge([&](const Edge& edge) {
      for (Eigen::Index row = 0; row < rows_; ++row) {
        const auto [defect, by_kink] = of(edge, row);
        const bool jumps_here =
            std::abs(defect) > kink_slack * std::abs(by_kink) && shrinking * std::abs(defect) > coarser[row];
        jumps[row] = jumps_here ? defect : 0;
      }
      height = std::max(height, norm(jumps));
    });
    return height;
  }

 private:
  // Chosen by measurement (docs/notes/accuracy.md).
  static constexpr double kink_slack = 2;  // times what a kink explains
  static constexpr double shrinking = 3;   // factor by which a defect falls at least where f is smooth: 8 in the limit

  struct Edge {
    const Eigen::MatrixXd& from;
    const Eigen::MatrixXd& to;
    int axis;
  };
  struct Defect {
    double defect, by_kink;
  };

  template <class Visit>
  void for_each_edge(const Visit& visit) const {
    for (int axis = 0; axis < Dim; ++axis)
      for (int c = 0; c < corners; ++c)
        if (!(c >> axis & 1))
          visit(Edge{jets_[static_cast<std::size_t>(c)], jets_[static_cast<std::size_t>(c | 1 << axis)], axis});
  }

  Defect of(const Edge& edge, Eigen::Index row) const {
    const double half = h_[edge.axis] / 2, from = edge.from(row, 1 + edge.axis), to = edge.to(row, 1 + edge.axis);
    return {.defect = edge.to(row, 0) - edge.from(row, 0) - half * (to + from), .by_kink = half * (to - from)};
  }

  std::vector<Eigen::MatrixXd> jets_;
  Eigen::Index rows_;
  Point<Dim> h_;
};

}  // namespace quoin::grid_detail
