// SPDX-License-Identifier: BSD-3-Clause
// A function of Python that C++ holds and calls from any thread.
#pragma once

#include "arrays.hpp"
#include "gil.hpp"

#include <memory>
#include <utility>

namespace quoin::python {

/// Copies share one reference, which is given back with the GIL held. Made with the GIL.
class HeldFunction {
 public:
  explicit HeldFunction(py::object f)
      : f_(new py::object(std::move(f)), [](py::object* held) {
          if (!Py_IsInitialized()) return;
          const WithGil gil;
          delete held;
        }) {}

  /// Called with the GIL.
  template <class... Args>
  py::object operator()(Args&&... args) const {
    return call_python(*f_, std::forward<Args>(args)...);
  }

 private:
  std::shared_ptr<py::object> f_;
};

/// Copies what has been checked in Python: an array (size,), and one (rows, cols).
inline void read_vector(py::handle array, Eigen::VectorXd& vector) {
  const auto numbers = as_doubles(array, "vector");
  vector = Eigen::Map<const Eigen::VectorXd>(numbers.data(), numbers.size());
}
inline void read_matrix(py::handle array, Eigen::MatrixXd& matrix) {
  const auto numbers = as_doubles(array, "matrix");
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  matrix = Eigen::Map<const Rows>(numbers.data(), numbers.shape(0), numbers.shape(1));
}

}  // namespace quoin::python
