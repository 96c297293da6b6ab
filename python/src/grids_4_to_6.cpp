// SPDX-License-Identifier: BSD-3-Clause
// Three in one file: they share much of what they instantiate.
#include "grid_of_dim.hpp"

namespace quoin::python {

template std::shared_ptr<AnyGrid> make_grid_of<4>(const py::object&, const py::dict&);
template std::shared_ptr<AnyGrid> make_grid_of<5>(const py::object&, const py::dict&);
template std::shared_ptr<AnyGrid> make_grid_of<6>(const py::object&, const py::dict&);

}  // namespace quoin::python
