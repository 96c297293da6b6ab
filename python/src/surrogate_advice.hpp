// SPDX-License-Identifier: BSD-3-Clause
// suggest_surrogate for a grid that Python holds.
#pragma once

#include "grid.hpp"
#include "quoin/choosing/suggest_surrogate.hpp"

#include <pybind11/pybind11.h>

#include <Eigen/Core>

namespace quoin::python {

/// By the names of quoin.SurrogateAdvice. points: Dim x M. Called with the GIL. Compiled with the kernels, in
/// kernels_1_to_3.cpp and kernels_4_to_6.cpp.
template <int Dim>
py::dict surrogate_advice(const AnyGrid& grid, const Eigen::MatrixXd& points, const SurrogateTask& task);

}  // namespace quoin::python
