// SPDX-License-Identifier: BSD-3-Clause
// Three in one file: they share much of what they instantiate.
#include "grid_of_dim.hpp"

namespace quoin::python {

template std::shared_ptr<AnyGrid> make_grid_of<4>(const py::object&, const py::dict&);
template void check_grid_options_of<4>(const py::dict&);
template std::shared_ptr<AnyGrid> make_grid_of<5>(const py::object&, const py::dict&);
template void check_grid_options_of<5>(const py::dict&);
template std::shared_ptr<AnyGrid> make_grid_of<6>(const py::object&, const py::dict&);
template void check_grid_options_of<6>(const py::dict&);

template std::shared_ptr<AnyGrid> grid_of<4>(std::shared_ptr<AdaptiveGrid<4>>);
template const GridView<4>& grid_view_of<4>(const Map&);
template std::shared_ptr<AnyView> view_beside<4>(const Map&, GridView<4>);

}  // namespace quoin::python
