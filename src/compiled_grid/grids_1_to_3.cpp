// SPDX-License-Identifier: BSD-3-Clause
// Three in one file: they share much of what they instantiate.
#undef QUOIN_LINKS_COMPILED_GRID  // this component defines what others link
#include "quoin/grid/adaptive_grid.hpp"

namespace quoin {

template class GridView<1>;
template class FrozenView<1>;
template class AdaptiveGrid<1>;
template class GridView<2>;
template class FrozenView<2>;
template class AdaptiveGrid<2>;
template class GridView<3>;
template class FrozenView<3>;
template class AdaptiveGrid<3>;

}  // namespace quoin
