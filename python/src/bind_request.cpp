// SPDX-License-Identifier: BSD-3-Clause
// Requests of grids, handed to the threads that evaluate for them.
#include "bindings.hpp"
#include "quoin/core/request.hpp"

#include <cstdint>

namespace quoin::python {

namespace py = pybind11;

void bind_request(py::module_& m) {
  // As a number: the request lives as long as its query, which waits for the thread.
  m.def("current_request", [] { return reinterpret_cast<std::uintptr_t>(Request::current()); });
  m.def("on_behalf_of", [](std::uintptr_t request, const py::function& f, const py::args& args) -> py::object {
    const Request::Scope scope(reinterpret_cast<const Request*>(request));
    return f(*args);
  });
}

}  // namespace quoin::python
