// SPDX-License-Identifier: BSD-3-Clause
#undef QUOIN_LINKS_COMPILED_GRID  // what others link is made here
#include "quoin/grid/adaptive_grid.hpp"

namespace quoin {

template class GridView<1>;
template class AdaptiveGrid<1>;

}  // namespace quoin
