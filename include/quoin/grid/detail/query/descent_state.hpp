// SPDX-License-Identifier: BSD-3-Clause
// Where leaf_search.hpp is on its way down, and what it may do there.
#pragma once

#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/detail/query/refinement.hpp"
#include "quoin/map/point.hpp"

namespace quoin::grid_detail {

/// A search on its way down.
template <int Dim>
struct DescentState {
  Point<Dim> x;  ///< the query point, or the nearest point of the domain
  int level;
  CellPosition<Dim> position;
  bool certified = false;
  int first_mixed = -1;   ///< level of the first cell with two branches
  int first_failed = -1;  ///< level of the first cell with a failed corner
  Refinement::Learnt learnt = {};
  bool aside = false;    ///< it was in a cell on another side of a face, not in those that others descent through
  bool wanting = false;  ///< it has arrived without a measurement, or errors along edges, that it needs
};

/// Where a descent has measurements from: from those that were made, from known corners, too, or from f as well.
struct Means {
  bool ready = false;      ///< only what was measured
  bool* called = nullptr;  ///< not null: f may be called, and this is set if it was
  bool edges = true;       ///< by errors along edges, too
};

}  // namespace quoin::grid_detail
