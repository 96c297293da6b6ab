// SPDX-License-Identifier: BSD-3-Clause
// The arm itself: kinematics, dynamics, equilibria.
#include "../bindings.hpp"
#include "../dynamics.hpp"
#include "../gil.hpp"
#include "../matrices.hpp"
#include "../read_option.hpp"
#include "arms.hpp"
#include "quoin/robots/models/fluidic_arm/arm_response.hpp"
#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "quoin/robots/models/fluidic_arm/static_pose.hpp"

#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::python {

using namespace fluidic_arm;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ArmDescription arm_description_of(const py::dict& dict) {
  ArmDescription arm{.mass_model = static_cast<MassModel>(option<int>(dict, "mass_model")),
                     .gravity = option<double>(dict, "gravity"),
                     .base_angle = option<double>(dict, "base_angle"),
                     .base_rotation = option<double>(dict, "base_rotation"),
                     .passive_segments = option<int>(dict, "passive_segments")};
  for (const py::handle item : dict["segments"]) {
    const auto segment = item.cast<std::vector<double>>();
    arm.segments.push_back({segment[0], segment[1], segment[2], segment[3], segment[4], segment[5]});
  }
  return arm;
}

namespace {

VectorXd angles(const FluidicArm& arm, py::handle array, const char* what = "q") {
  return vector_of(array, arm.coordinates(), what);
}

void check_point(const FluidicArm& arm, int segment, double fraction) {
  if (segment < 0 || segment >= arm.coordinates() || !(fraction >= 0 && fraction <= 1))
    throw std::invalid_argument("point: at " + std::to_string(fraction) + " of segment " + std::to_string(segment) +
                                " of " + std::to_string(arm.coordinates()));
}

// (2,) and (2, N)
py::tuple point(const FluidicArm& arm, py::handle q, int segment, double fraction) {
  check_point(arm, segment, fraction);
  Eigen::Vector2d p;
  Eigen::Matrix2Xd dp_dq;
  arm.point(angles(arm, q), segment, fraction, p, dp_dq);
  return py::make_tuple(array_of(p), array_of_matrix(dp_dq));
}

py::tuple point_velocity(const FluidicArm& arm, py::handle q, py::handle v, int segment, double fraction) {
  check_point(arm, segment, fraction);
  Eigen::Vector2d velocity;
  Eigen::Matrix2Xd by_q;
  arm.point_velocity(angles(arm, q), angles(arm, v, "v"), segment, fraction, velocity, by_q);
  return py::make_tuple(array_of(velocity), array_of_matrix(by_q));
}

// (N, 2) and (2 N, N)
py::tuple end_points(const FluidicArm& arm, py::handle q) {
  Eigen::Matrix2Xd ends;
  MatrixXd J;
  arm.end_points(angles(arm, q), ends, J);
  return py::make_tuple(array_of_points(ends), array_of_matrix(std::move(J)));
}

py::array_t<double> shape(const FluidicArm& arm, py::handle q, int points) {
  if (points < 0) throw std::invalid_argument("shape: " + std::to_string(points) + " points a segment");
  return array_of_points(arm.shape(angles(arm, q), points));
}

py::array_t<double> in_space(const FluidicArm& arm, py::handle points) {
  const MatrixXd plane = points_from(points, 2, "points");
  MatrixXd space(3, plane.cols());
  for (Eigen::Index m = 0; m < plane.cols(); ++m) space.col(m) = arm.in_space(plane.col(m));
  return array_of_points(std::move(space));
}

py::array_t<double> inverse_dynamics(const FluidicArm& arm, py::handle q, py::handle v, py::handle a) {
  VectorXd forces;
  arm.inverse_dynamics(angles(arm, q), angles(arm, v, "v"), angles(arm, a, "a"), forces);
  return array_of(forces);
}

py::tuple inverse_dynamics_derivatives(const FluidicArm& arm, py::handle q, py::handle v, py::handle a) {
  VectorXd forces;
  MatrixXd dq, dv, da;
  arm.inverse_dynamics(angles(arm, q), angles(arm, v, "v"), angles(arm, a, "a"), forces, dq, dv, da);
  return py::make_tuple(array_of(forces), array_of_matrix(std::move(dq)), array_of_matrix(std::move(dv)),
                        array_of_matrix(std::move(da)));
}

py::tuple static_forces(const FluidicArm& arm, py::handle q) {
  VectorXd forces;
  MatrixXd J;
  arm.static_forces(angles(arm, q), forces, J);
  return py::make_tuple(array_of(forces), array_of_matrix(std::move(J)));
}

py::tuple equilibrium(const FluidicArm& arm, py::handle torques, py::handle guess, double tolerance, int iterations) {
  const VectorXd tau = vector_of(torques, arm.control_size(), "torques"), from = angles(arm, guess, "guess");
  Equilibrium rest;
  {
    const WithoutGil release;
    rest = find_equilibrium(arm, tau, from, {.tolerance = tolerance, .max_iterations = iterations});
  }
  return py::make_tuple(array_of(rest.q), rest.residual, rest.iterations, rest.converged);
}

py::array_t<double> angles_from_ends(const FluidicArm& arm, py::handle ends, double limit) {
  const MatrixXd points = matrix_from(ends, arm.coordinates(), 2, "ends").transpose();
  VectorXd q;
  {
    const WithoutGil release;
    q = angles_of_ends(arm, points.reshaped(), limit);
  }
  return array_of(q);
}

py::array_t<double> contact_force(const FluidicArm& arm, py::handle q, py::handle torques, int segment, double phi,
                                  double arm_radius) {
  check_point(arm, segment, 1);
  return array_of(
      holding_force(arm, angles(arm, q), vector_of(torques, arm.control_size(), "torques"), segment, phi, arm_radius));
}

}  // namespace

void bind_arm(py::module_& m) {
  using py::arg;
  py::class_<FluidicArm>(m, "FluidicArm", "The arm under the class FluidicArm.")
      .def(py::init([](const py::dict& description) { return FluidicArm(arm_description_of(description)); }),
           arg("description"))
      .def("length", &FluidicArm::length)
      .def("point", &point, arg("q"), arg("segment"), arg("fraction"))
      .def("point_velocity", &point_velocity, arg("q"), arg("v"), arg("segment"), arg("fraction"))
      .def("end_points", &end_points, arg("q"))
      .def("shape", &shape, arg("q"), arg("points_per_segment"))
      .def(
          "mass_points",
          [](const FluidicArm& arm, py::handle q) { return array_of_points(arm.mass_points(angles(arm, q))); },
          arg("q"))
      .def("in_space", &in_space, arg("points"))
      .def("actuation", [](const FluidicArm& arm) { return array_of_matrix(arm.actuation()); })
      .def("inverse_dynamics", &inverse_dynamics, arg("q"), arg("v"), arg("a"))
      .def("inverse_dynamics_derivatives", &inverse_dynamics_derivatives, arg("q"), arg("v"), arg("a"))
      .def(
          "mass_matrix",
          [](const FluidicArm& arm, py::handle q) { return array_of_matrix(arm.mass_matrix(angles(arm, q))); },
          arg("q"))
      .def(
          "coriolis_matrix",
          [](const FluidicArm& arm, py::handle q, py::handle v) {
            return array_of_matrix(arm.coriolis_matrix(angles(arm, q), angles(arm, v, "v")));
          },
          arg("q"), arg("v"))
      .def(
          "gravity_forces",
          [](const FluidicArm& arm, py::handle q) { return array_of(arm.gravity_forces(angles(arm, q))); }, arg("q"))
      .def("static_forces", &static_forces, arg("q"))
      .def(
          "energy",
          [](const FluidicArm& arm, py::handle q, py::handle v) {
            const VectorXd at = angles(arm, q);
            return py::make_tuple(arm.kinetic_energy(at, angles(arm, v, "v")), arm.potential_energy(at));
          },
          arg("q"), arg("v"))
      .def(
          "regressor",
          [](const FluidicArm& arm, py::handle q, py::handle v, py::handle a) {
            return array_of_matrix(arm.regressor(angles(arm, q), angles(arm, v, "v"), angles(arm, a, "a")));
          },
          arg("q"), arg("v"), arg("a"))
      .def("rates", [](const FluidicArm& arm) { return rates_from(arm); });
  m.def("find_equilibrium", &equilibrium);
  m.def("angles_of_ends", &angles_from_ends);
  m.def("holding_force", &contact_force);
}

void bind_fluidic_arm(py::module_& m) {
  bind_arm(m);
  bind_arm_maps(m);
  bind_arm_over_map(m);
  bind_fluidic_system(m);
}

}  // namespace quoin::python
