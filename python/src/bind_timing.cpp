// SPDX-License-Identifier: BSD-3-Clause
// What queries cost without Python, for benchmarks of the binding.
#include "arrays.hpp"
#include "bindings.hpp"
#include "map.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace quoin::python {
namespace {

template <class Body>
double fastest_of(int rounds, Body&& body) {
  double least = std::numeric_limits<double>::infinity();
  for (int r = 0; r < rounds; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

}  // namespace

void bind_timing(py::module_& m) {
  // Seconds of the fastest of some rounds over all points, one by one.
  m.def("time_queries", [](const py::object& object, const py::object& array, bool jacobian, int rounds) {
    const auto map = map_of(object).map;
    const auto points = as_doubles(array, "X");
    const auto X = matrix_of(points, map->dim(), "X");
    const Query running(*map);
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    return fastest_of(rounds, [&] {
      for (Eigen::Index i = 0; i < X.cols(); ++i)
        jacobian ? map->evaluate(X.col(i).data(), y, J) : map->evaluate(X.col(i).data(), y);
    });
  });
  // The same as a batch, into matrices that are made each time, as Python's are.
  m.def("time_batch", [](const py::object& object, const py::object& array, bool jacobian, int rounds) {
    const auto map = map_of(object).map;
    const auto points = as_doubles(array, "X");
    const auto X = matrix_of(points, map->dim(), "X");
    const Query running(*map);
    return fastest_of(rounds, [&] {
      Eigen::MatrixXd Y(map->output_size(), X.cols()), J;
      if (!jacobian) {
        map->evaluate_batch(X, Y);
        return;
      }
      J.resize(map->output_size(), X.cols() * map->dim());
      map->evaluate_batch(X, Y, J);
    });
  });
}

}  // namespace quoin::python
