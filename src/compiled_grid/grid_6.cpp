// SPDX-License-Identifier: BSD-3-Clause
#undef QUOIN_LINKS_COMPILED_GRID  // this component defines what others link
#include "quoin/grid/adaptive_grid.hpp"

namespace quoin {

template class GridView<6>;
template class AdaptiveGrid<6>;

}  // namespace quoin
