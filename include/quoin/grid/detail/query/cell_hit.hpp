// SPDX-License-Identifier: BSD-3-Clause
// A query's third step: what the descent hands to the weights and to the sweep.
#pragma once

#include "quoin/grid/detail/corners/jet_field.hpp"
#include "quoin/grid/detail/kernels/jet_cell.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

namespace quoin::grid_detail {

/// The source of an answer: a cell, or (by policy) a call of f.
template <int Dim>
struct CellHit {
  Answer answer;
  Point<Dim> x;  ///< the query point, or the nearest point of the domain
  const typename JetField<Dim>::Cell* cell = nullptr;
  Point<Dim> t;               ///< place in the cell
  int nearest_corner = -1;    ///< of the cell, if its jet alone answers
  Eigen::MatrixXd exact_jet;  ///< jet of f at x, if f was called there

  /// True if one sweep over the cell's corners gives the answer.
  bool plain() const { return cell != nullptr && answer.trust != Trust::extended; }
};

/// The weights of place t in a cell with edges h; nearest_corner: as in CellHit. w: weight_count() numbers.
template <int Dim>
void weights_at(const JetCell<Dim>& cell, const Point<Dim>& h, const Point<Dim>& t, int nearest_corner, double* w) {
  if (nearest_corner >= 0)
    cell.taylor_weights(nearest_corner, t, h, w);
  else
    cell.weights(t, h, w);
}

}  // namespace quoin::grid_detail
