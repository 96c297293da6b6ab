// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "gil.hpp"
#include "quoin/evaluation/worker_pool.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

namespace quoin::python {

namespace py = pybind11;

void bind_workers(py::module_& m) {
  const auto start = [](int variables, std::vector<std::string> command, int count, std::vector<std::string> launcher,
                        double time_limit, int attempts, const std::string& log) {
    const WithoutGil release;
    return std::make_shared<WorkerPool>(variables, WorkerOptions{.command = std::move(command),
                                                                 .count = count,
                                                                 .launcher = std::move(launcher),
                                                                 .time_limit = time_limit,
                                                                 .attempts = attempts,
                                                                 .log = log});
  };
  py::class_<WorkerPool, std::shared_ptr<WorkerPool>>(m, "WorkerPool", "The processes under Workers.")
      .def(py::init(start), py::arg("variables"), py::arg("command"), py::arg("count"), py::arg("launcher"),
           py::arg("time_limit"), py::arg("attempts"), py::arg("log"))
      .def("outputs", [](const WorkerPool& pool) { return pool.function().output_size; })
      .def("order", [](const WorkerPool& pool) { return pool.function().jet_order; })
      .def("fingerprint", [](const WorkerPool& pool) { return pool.function().fingerprint; })
      .def("restarts", &WorkerPool::restarts);
}

}  // namespace quoin::python
