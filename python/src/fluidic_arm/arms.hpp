// SPDX-License-Identifier: BSD-3-Clause
// What the files of the fluidic arm's bindings share.
#pragma once

#include "../map.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <pybind11/pybind11.h>

#include <Eigen/Core>

#include <exception>

namespace quoin::python {

void bind_arm(py::module_& module);
void bind_arm_maps(py::module_& module);
void bind_arm_over_map(py::module_& module);
void bind_fluidic_system(py::module_& module);

fluidic_arm::ArmDescription arm_description_of(const py::dict& dict);

/// A map of as many variables as its model says, in closed form: one function answers all.
class ModelMap : public Map {
 public:
  explicit ModelMap(Eigen::Index dim) : dim_(static_cast<int>(dim)) {}

  int dim() const override { return dim_; }
  Answer evaluate(const double* x, Eigen::VectorXd& y) const override {
    Eigen::MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    answer(Eigen::Map<const Eigen::VectorXd>(x, dim_), y, J);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    try {
      return evaluate(x, y, J);
    } catch (const std::exception&) {
      return {.trust = Trust::failed};
    }
  }

 protected:
  virtual void answer(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const = 0;

 private:
  int dim_;
};

}  // namespace quoin::python
