// SPDX-License-Identifier: BSD-3-Clause
// Inertias in forms, and whether they are physical.
#include "motions.hpp"
#include "quoin/robots/identification/inertia_form.hpp"
#include "quoin/robots/identification/physical_consistency.hpp"

#include <cstdint>
#include <optional>

namespace quoin::python {

void bind_inertias(py::module_& module);

namespace {

using namespace identification;

InertiaForm form_of(int number) { return static_cast<InertiaForm>(number); }

// (13,), and (13, numbers) or None
py::tuple linear(int form, const py::object& theta, const py::tuple& floor, bool derivative) {
  const Eigen::VectorXd numbers = any_vector(theta, "theta");
  if (!derivative)
    return py::make_tuple(array_of(linear_parameters(form_of(form), numbers, floor_of(floor))), py::none());
  Eigen::MatrixXd J;
  const LinearParameters parameters = linear_parameters(form_of(form), numbers, floor_of(floor), J);
  return py::make_tuple(array_of(parameters), array_of_matrix(std::move(J)));
}

py::object numbers_of(int form, const py::object& parameters, const py::tuple& floor) {
  const auto theta = theta_of(form_of(form), vector_of(parameters, 13, "parameters"), floor_of(floor));
  return theta ? py::object(array_of(*theta)) : py::none();
}

py::tuple consistency(const py::object& parameters) {
  const auto found = physical_consistency(vector_of(parameters, 13, "parameters"));
  return py::make_tuple(found.mass, found.asymmetry, found.smallest_moment, found.triangle, found.pseudo_inertia,
                        found.consistent);
}

// bodies: (mass, first_moment, extent, damping)
py::tuple random_estimate(int form, Eigen::Index joints, std::uint64_t seed, bool damping, const py::tuple& bodies) {
  const RandomBodies sizes{.mass = bodies[0].cast<double>(),
                           .first_moment = bodies[1].cast<double>(),
                           .extent = bodies[2].cast<double>(),
                           .damping = bodies[3].cast<double>()};
  return tuple_of(RobotEstimate::random(form_of(form), joints, seed, damping, sizes));
}

py::object estimate_from(int form, const py::object& parameters, const py::tuple& floor) {
  const auto estimate = RobotEstimate::of(form_of(form), points_from(parameters, 13, "parameters"), floor_of(floor));
  return estimate ? py::object(tuple_of(*estimate)) : py::none();
}

}  // namespace

void bind_inertias(py::module_& m) {
  m.def("parameter_count", [](int form) { return parameter_count(form_of(form)); });
  m.def("linear_parameters", &linear, py::arg("form"), py::arg("theta"), py::arg("floor"), py::arg("derivative"));
  m.def("theta_of", &numbers_of, py::arg("form"), py::arg("parameters"), py::arg("floor"));
  m.def("physical_consistency", &consistency, py::arg("parameters"));
  m.def("pseudo_inertia_matrix", [](const py::object& parameters) {
    return array_of_matrix(pseudo_inertia_matrix(vector_of(parameters, 13, "parameters")));
  });
  m.def("random_estimate", &random_estimate, py::arg("form"), py::arg("joints"), py::arg("seed"), py::arg("damping"),
        py::arg("bodies"));
  m.def("estimate_of", &estimate_from, py::arg("form"), py::arg("parameters"), py::arg("floor"));
  m.def("estimate_parameters",
        [](const py::tuple& estimate) { return array_of_points(estimate_of(estimate).parameters()); });
}

}  // namespace quoin::python
