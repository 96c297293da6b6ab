// SPDX-License-Identifier: BSD-3-Clause
// Kernel interpolants of any dimension, as Python holds them.
#pragma once

#include "map.hpp"

#include <pybind11/pybind11.h>

#include <Eigen/Core>

#include <memory>

namespace quoin::python {

/// A KernelInterpolant<Dim>, or a KernelSurrogate<Dim> that samples a view. Called with the GIL.
class AnyKernel {
 public:
  virtual ~AnyKernel() = default;

  /// The map in its present state.
  virtual std::shared_ptr<Map> view() const = 0;
  virtual int size() const = 0;
  virtual int jet_order() const = 0;
  /// KernelInterpolant::local.
  virtual bool local() const = 0;
  virtual Eigen::VectorXd length_scale() const = 0;
  virtual py::dict samples() const = 0;
  /// (value, gradient)
  virtual py::tuple deviation(const py::object& x) const = 0;

  /// jet: (N, derivatives)
  virtual void add(const py::object& x, const py::object& jet) = 0;
  virtual py::dict insert(const py::dict& samples) = 0;

  /// Of a surrogate; an interpolant throws std::logic_error.
  virtual py::dict refine_at(const py::object& X, double value, double gradient, const py::object& allowed) = 0;
  virtual py::dict interleave(const py::object& solve, const py::object& guess, const py::dict& options,
                              const py::object& show) = 0;
};

/// options: by the names of quoin.KernelOptions, and outputs, jet_order for an interpolant. sampler: a view of a grid,
/// or None.
template <int Dim>
std::shared_ptr<AnyKernel> make_kernel_of(const py::object& sampler, const py::dict& options);
template <int Dim>
std::shared_ptr<Map> kernel_functional_of(const Map& view, const Eigen::MatrixXd& C);

}  // namespace quoin::python
