// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "bindings.hpp"
#include "for_dim.hpp"
#include "kernel.hpp"

#include <utility>

namespace quoin::python {

void bind_kernel(py::module_& m) {
  py::class_<AnyKernel, std::shared_ptr<AnyKernel>>(m, "Kernel", "The kernel under KernelInterpolant.")
      .def("size", &AnyKernel::size)
      .def("jet_order", &AnyKernel::jet_order)
      .def("local", &AnyKernel::local)
      .def("length_scale", [](const AnyKernel& kernel) { return array_of(kernel.length_scale()); })
      .def("samples", &AnyKernel::samples)
      .def("deviation", &AnyKernel::deviation)
      .def("add", &AnyKernel::add)
      .def("insert", &AnyKernel::insert)
      .def("refine_at", &AnyKernel::refine_at)
      .def("interleave", &AnyKernel::interleave);
  m.def("make_kernel", [](int dim, const py::object& sampler, const py::dict& options) {
    return for_dim(dim, "KernelInterpolant", [&](auto constant) { return make_kernel_of<constant>(sampler, options); });
  });
  m.def("show_kernel", [](PyMap& map, const AnyKernel& kernel, const py::object& source) {
    map.map = kernel.view();
    map.source = source;
  });
  m.def("kernel_functional", [](const py::object& map, const py::object& array) {
    const PyMap& held = map_of(map);
    const auto rows = as_doubles(array, "C");
    const Eigen::MatrixXd C = matrix_of(rows, held.map->output_size(), "C").transpose();
    return for_dim(held.map->dim(), "functional", [&](auto constant) -> PyMap {
      return {kernel_functional_of<constant>(*held.map, C), held.source};
    });
  });
}

}  // namespace quoin::python
