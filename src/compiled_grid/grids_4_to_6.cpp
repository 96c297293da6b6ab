// SPDX-License-Identifier: BSD-3-Clause
// Three in one file: they share much of what they instantiate.
#undef QUOIN_LINKS_COMPILED_GRID  // this component defines what others link
#include "quoin/grid/adaptive_grid.hpp"

namespace quoin {

template class GridView<4>;
template class FrozenView<4>;
template class AdaptiveGrid<4>;
template class GridView<5>;
template class FrozenView<5>;
template class AdaptiveGrid<5>;
template class GridView<6>;
template class FrozenView<6>;
template class AdaptiveGrid<6>;

}  // namespace quoin
