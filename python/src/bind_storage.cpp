// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "for_dim.hpp"
#include "python_error.hpp"
#include "quoin/storage/sample_file.hpp"
#include "store.hpp"

#include <memory>
#include <string>

namespace quoin::python {

void bind_storage(py::module_& m) {
  const auto make = [](int dim, const std::string& path, const std::string& fingerprint, bool durable, bool at_once,
                       bool read_only) {
    return for_dim(dim, "AdaptiveGrid", [&](auto constant) -> std::shared_ptr<AnyStore> {
      return std::make_shared<Store<constant>>(
          path, fingerprint, storage::FileOptions{.durable = durable, .at_once = at_once, .read_only = read_only});
    });
  };
  py::class_<AnyStore, std::shared_ptr<AnyStore>>(m, "Store", "The file of samples under a grid.")
      .def(py::init(make), py::arg("dim"), py::arg("path"), py::arg("fingerprint"), py::arg("durable"),
           py::arg("at_once"), py::arg("read_only"))
      .def("open", &AnyStore::open)
      .def("flush", &AnyStore::flush)
      .def_readwrite("interrupted", &AnyStore::interrupted)
      .def("status", [](const AnyStore& store) {
        const storage::FileStatus s = store.status();
        return py::make_tuple(s.samples, s.unwritten, s.damaged, text_of(s.error), text_of(s.note));
      });
  // of a file of samples
  m.def("stored_outputs", [](const std::string& path) {
    const WithoutGil release;
    return storage::SampleFile(path).header().output_size;
  });
}

}  // namespace quoin::python
