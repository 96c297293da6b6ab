// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "quoin/storage/sample_file.hpp"

#include <string>

namespace quoin::python {

namespace py = pybind11;

namespace {
struct Enough {};

// The number of derivatives of the first sample that did not fail; 0 if there is none.
Eigen::Index derivatives_in(storage::SampleFile& file) {
  Eigen::Index derivatives = 0;
  try {
    file.for_each([&](const storage::StoredSample& sample) {
      derivatives = sample.jet.cols();
      if (derivatives > 0) throw Enough();
    });
  } catch (const Enough&) {
  }
  return derivatives;
}
}  // namespace

void bind_storage(py::module_& m) {
  // (dim, outputs, derivatives) of a file of samples
  m.def("stored_form", [](const std::string& path) {
    storage::SampleFile file(path);
    return py::make_tuple(file.header().dim, file.header().output_size, derivatives_in(file));
  });
}

}  // namespace quoin::python
