// SPDX-License-Identifier: BSD-3-Clause
// For models that bring a grid of their own: from the library's grids and views to Python's, and back. Compiled in
// grids_1_to_3.cpp and grids_4_to_6.cpp for the dimensions that models have.
#pragma once

#include "grid.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/grid_view.hpp"

#include <memory>

namespace quoin::python {

/// The pointer may be one into what owns the grid.
template <int Dim>
std::shared_ptr<AnyGrid> grid_of(std::shared_ptr<AdaptiveGrid<Dim>> grid);

/// The view that a map is. Throws std::invalid_argument for a map that is no view of a grid of Dim variables.
template <int Dim>
const GridView<Dim>& grid_view_of(const Map& map);

/// Another view of the grid that `map` is a view of. Throws as grid_view_of.
template <int Dim>
std::shared_ptr<AnyView> view_beside(const Map& map, GridView<Dim> view);

}  // namespace quoin::python
