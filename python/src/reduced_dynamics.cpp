// SPDX-License-Identifier: BSD-3-Clause
// quoin::ReducedDynamics over maps of any number of variables.
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "bindings.hpp"
#include "dynamics.hpp"
#include "for_dim.hpp"
#include "map_of_dim.hpp"
#include "read_option.hpp"

#include <Eigen/Core>

#include <memory>

namespace quoin::python {
namespace {

// Its outputs: coordinates in which the mass matrix is the identity, then a length for each variable.
std::shared_ptr<Dynamics> reduced(const py::object& map, Eigen::Index coordinates, const py::dict& dict) {
  const auto of = map_of(map).map;
  ReducedDynamicsOptions options{.time_step = option<double>(dict, "time_step"),
                                 .force_scale = option<double>(dict, "force_scale"),
                                 .stiffness_damping = option<double>(dict, "stiffness_damping"),
                                 .mass_damping = option<double>(dict, "mass_damping")};
  const auto scale = option<double>(dict, "control_scale");
  options.tolerance *= scale;
  options.stall_tolerance *= scale;
  options.difference_step *= scale;
  if (option<bool>(dict, "exact_derivatives")) options.derivative = StepDerivative::exact;
  return for_dim(of->dim(), "ReducedDynamics", [&](auto dim) {
    return dynamics_from(ReducedDynamics<dim, MapOf<dim>>(MapOf<dim>(of), coordinates, options));
  });
}

}  // namespace

void bind_reduced_dynamics(py::module_& m) { m.def("reduced_dynamics", &reduced); }

}  // namespace quoin::python
