// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/point.hpp"
#include "quoin/grid/jet_field.hpp"

#include <Eigen/Core>

namespace quoin {

/// Where an answer comes from: a cell, or (by policy) a call of f.
template <int Dim>
struct Place {
  Answer answer;
  Point<Dim> x;  ///< the query point, or the nearest point of the domain
  const typename JetField<Dim>::Cell* cell = nullptr;
  Point<Dim> t;             ///< place in the cell
  int nearest_corner = -1;  ///< of the cell, if its jet alone answers
  Eigen::MatrixXd called;   ///< jet of f at x, if f was called there

  /// One sweep over the cell's corners gives the answer.
  bool plain() const { return cell != nullptr && answer.trust != Trust::extended; }
};

}  // namespace quoin
