// SPDX-License-Identifier: BSD-3-Clause
// suggest_surrogate, and the making of a Surrogate, for a grid that Python holds.
#pragma once

#include "grid.hpp"
#include "quoin/choosing/suggest_surrogate.hpp"
#include "quoin/choosing/surrogate_report.hpp"

#include <pybind11/pybind11.h>

#include <Eigen/Core>

namespace quoin::python {

/// By the names of quoin.SurrogateAdvice. points: Dim x M. Called with the GIL. Compiled with the kernels, in
/// kernels_1_to_3.cpp and kernels_4_to_6.cpp.
template <int Dim>
py::dict surrogate_advice(const AnyGrid& grid, const Eigen::MatrixXd& points, const SurrogateTask& task);

/// By the names of quoin.Surrogate. itself: f may answer. Called with the GIL. Compiled there, too.
template <int Dim>
py::dict make_surrogate(const AnyGrid& grid, const SurrogateOptions& options, bool itself);

/// Throws std::invalid_argument for a box and options that no surrogate can have. lower, upper: Dim numbers.
template <int Dim>
void check_surrogate(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, const SurrogateOptions& options);

}  // namespace quoin::python
