// SPDX-License-Identifier: BSD-3-Clause
#include "../gil.hpp"
#include "../matrices.hpp"
#include "../read_option.hpp"
#include "arms.hpp"
#include "quoin/robots/models/soft_arm/full_dynamics.hpp"

#include <memory>
#include <utility>

namespace quoin::python {
namespace {

using namespace soft_arm;

FullDynamicsOptions full_dynamics_options_of(const py::dict& dict) {
  return {.time_step = option<double>(dict, "time_step"),
          .stiffness_damping = option<double>(dict, "stiffness_damping"),
          .mass_damping = option<double>(dict, "mass_damping"),
          .tolerance = option<double>(dict, "tolerance"),
          .max_iterations = option<int>(dict, "max_iterations"),
          .adjoint_tolerance = option<double>(dict, "adjoint_tolerance")};
}

/// The motion without its frame of arrays, which a sensitivity needs again.
using Motion = std::shared_ptr<const FullTrajectory>;

template <int SpaceDim>
Motion rollout(const FullDynamics<SpaceDim>& full, const py::object& now, const py::object& before,
               const py::object& controls) {
  const Eigen::Index size = full.arm().size();
  const Eigen::VectorXd x = vector_of(now, size, "x"), x_before = vector_of(before, size, "x_before");
  const Eigen::MatrixXd u = points_from(controls, FullDynamics<SpaceDim>::lines, "controls");
  const WithoutGil release;
  return std::make_shared<FullTrajectory>(full.rollout(x, x_before, u));
}

template <int SpaceDim>
py::tuple sensitivity(const FullDynamics<SpaceDim>& full, const Motion& motion, const py::object& rows, int threads) {
  const Eigen::MatrixXd matrix = matrix_from(rows, -1, full.arm().size(), "rows");
  FullSensitivity found;
  {
    const WithoutGil release;
    found = full.sensitivity(*motion, matrix, threads);
  }
  return py::make_tuple(static_cast<int>(found.status), array_of_matrix(std::move(found.jacobian)));
}

template <int SpaceDim>
void bind_full_dynamics_in(py::module_& m) {
  using Full = FullDynamics<SpaceDim>;
  py::class_<Full>(m, in_space<SpaceDim>("FullDynamics").c_str(), "The dynamics under the class FullDynamics.")
      .def(py::init([](const SoftArm<SpaceDim>& arm, const py::dict& options) {
             return Full(arm, full_dynamics_options_of(options));
           }),
           py::arg("arm"), py::arg("options"))
      .def("rollout", &rollout<SpaceDim>, py::arg("x"), py::arg("x_before"), py::arg("controls"))
      .def("sensitivity", &sensitivity<SpaceDim>, py::arg("motion"), py::arg("rows"), py::arg("threads"));
}

}  // namespace

void bind_full_dynamics(py::module_& m) {
  py::class_<FullTrajectory, std::shared_ptr<FullTrajectory>>(m, "FullMotion", "The motion under FullMotion.")
      .def("status", [](const FullTrajectory& motion) { return static_cast<int>(motion.status); })
      .def("steps", [](const FullTrajectory& motion) { return motion.steps; })
      .def("positions", [](const FullTrajectory& motion) { return array_of_points(motion.positions); });
  bind_full_dynamics_in<2>(m);
  bind_full_dynamics_in<3>(m);
}

}  // namespace quoin::python
