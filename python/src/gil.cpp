// SPDX-License-Identifier: BSD-3-Clause
#include "gil.hpp"

#include <unistd.h>

#include <exception>

namespace quoin::python {

void stay_for_ever() noexcept {
  for (;;) ::pause();
}

WithGil::WithGil() {
  try {
    gil_.emplace();
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    stay_for_ever();
  }
}

py::object call_with(py::handle f, const py::tuple& arguments) {
  PyObject* answer = nullptr;
  try {
    answer = PyObject_Call(f.ptr(), arguments.ptr(), nullptr);
  } catch (...) {
    stay_for_ever();
  }
  if (answer == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(answer);
}

}  // namespace quoin::python
