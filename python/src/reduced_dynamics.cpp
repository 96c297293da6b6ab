// SPDX-License-Identifier: BSD-3-Clause
// quoin::ReducedDynamics over maps of any number of variables.
#include "quoin/dynamics/reduced_dynamics.hpp"
#include "bindings.hpp"
#include "dynamics.hpp"
#include "for_dim.hpp"
#include "map_of_dim.hpp"

#include <Eigen/Core>

#include <memory>

namespace quoin::python {
namespace {

// Its outputs: coordinates in which the mass matrix is the identity, then a length for each variable.
std::shared_ptr<Dynamics> reduced(const py::object& map, Eigen::Index coordinates, const py::dict& dict) {
  const auto of = map_of(map).map;
  ReducedDynamicsOptions options{.time_step = dict["time_step"].cast<double>(),
                                 .force_scale = dict["force_scale"].cast<double>(),
                                 .stiffness_damping = dict["stiffness_damping"].cast<double>(),
                                 .mass_damping = dict["mass_damping"].cast<double>()};
  const auto scale = dict["control_scale"].cast<double>();
  options.tolerance *= scale;
  options.stall_tolerance *= scale;
  options.difference_step *= scale;
  if (dict["exact_derivatives"].cast<bool>()) options.derivative = StepDerivative::exact;
  return for_dim(of->dim(), "ReducedDynamics", [&](auto dim) {
    return dynamics_from(ReducedDynamics<dim, MapOf<dim>>(MapOf<dim>(of), coordinates, options));
  });
}

}  // namespace

void bind_reduced_dynamics(py::module_& m) { m.def("reduced_dynamics", &reduced); }

}  // namespace quoin::python
