// SPDX-License-Identifier: BSD-3-Clause
// Three in one file: they share much of what they instantiate.
#include "grid_of_dim.hpp"

namespace quoin::python {

template std::shared_ptr<AnyGrid> make_grid_of<1>(const py::object&, const py::dict&);
template std::shared_ptr<AnyGrid> make_grid_of<2>(const py::object&, const py::dict&);
template std::shared_ptr<AnyGrid> make_grid_of<3>(const py::object&, const py::dict&);

}  // namespace quoin::python
