// SPDX-License-Identifier: BSD-3-Clause
// Three in one file: they share much of what they instantiate.
#include "grid_of_dim.hpp"

namespace quoin::python {

template std::shared_ptr<AnyGrid> make_grid_of<1>(const py::object&, const py::dict&);
template void check_grid_options_of<1>(const py::dict&);
template std::shared_ptr<AnyGrid> make_grid_of<2>(const py::object&, const py::dict&);
template void check_grid_options_of<2>(const py::dict&);
template std::shared_ptr<AnyGrid> make_grid_of<3>(const py::object&, const py::dict&);
template void check_grid_options_of<3>(const py::dict&);

template std::shared_ptr<AnyGrid> grid_of<2>(std::shared_ptr<AdaptiveGrid<2>>);
template const GridView<2>& grid_view_of<2>(const Map&);
template std::shared_ptr<AnyView> view_beside<2>(const Map&, GridView<2>);

}  // namespace quoin::python
