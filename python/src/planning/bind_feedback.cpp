// SPDX-License-Identifier: BSD-3-Clause
// Linear feedback along a plan, and the estimate that it acts on.
#include "../dynamics.hpp"
#include "../gil.hpp"
#include "../matrices.hpp"
#include "problem.hpp"
#include "quoin/robots/planning/time_varying_lqr.hpp"

#include <pybind11/stl.h>

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace quoin::python {

void bind_feedback(py::module_& module);

namespace {

using namespace planning;

// One matrix (rows, cols) for all, or one each (count, rows, cols).
std::vector<Eigen::MatrixXd> unstacked(py::handle object, Eigen::Index size, Eigen::Index count, const char* what) {
  const auto array = as_doubles(object, what);
  if (array.ndim() == 2) return {matrix_from(object, size, size, what)};
  if (array.ndim() != 3 || array.shape(0) != count || array.shape(1) != size || array.shape(2) != size)
    throw std::invalid_argument(std::string(what) + ": shape " + shape_of(array) + ", expected (" +
                                std::to_string(size) + ", " + std::to_string(size) + "), or " + std::to_string(count) +
                                " of these");
  std::vector<Eigen::MatrixXd> matrices;
  for (Eigen::Index i = 0; i < count; ++i)
    matrices.emplace_back(Eigen::Map<const RowMatrix>(array.data(i), size, size));
  return matrices;
}

// (A, B, largest_defect, failed_step, status)
std::shared_ptr<LinearizedMotion> linearized(const std::shared_ptr<Dynamics>& dynamics, py::handle states,
                                             py::handle controls) {
  const Eigen::MatrixXd x = points_from(states, dynamics->state_size(), "states");
  const Eigen::MatrixXd u = points_from(controls, dynamics->control_size(), "controls");
  const WithoutGil release;
  return std::make_shared<LinearizedMotion>(linearize_along(DynamicsOf{dynamics}, x, u));
}

py::tuple gains(const LinearizedMotion& motion, py::handle Q, py::handle R, py::handle final) {
  const auto steps = static_cast<Eigen::Index>(motion.A.size());
  const Eigen::Index n = steps > 0 ? motion.A[0].rows() : 0, m = steps > 0 ? motion.B[0].cols() : 0;
  const LqrWeights weights{unstacked(Q, n, steps, "state"), unstacked(R, m, steps, "control"),
                           matrix_from(final, n, n, "final")};
  const TimeVaryingLqr lqr = time_varying_lqr(motion, weights);
  return py::make_tuple(stacked(lqr.gains), stacked(lqr.cost_to_go));
}

}  // namespace

void bind_feedback(py::module_& m) {
  py::class_<LinearizedMotion, std::shared_ptr<LinearizedMotion>>(m, "LinearizedMotion", "Under quoin.planning's.")
      .def_property_readonly("A", [](const LinearizedMotion& motion) { return stacked(motion.A); })
      .def_property_readonly("B", [](const LinearizedMotion& motion) { return stacked(motion.B); })
      .def_readonly("failed_step", &LinearizedMotion::failed_step)
      .def_property_readonly("status", [](const LinearizedMotion& motion) { return static_cast<int>(motion.status); })
      .def_readonly("largest_defect", &LinearizedMotion::largest_defect);
  m.def("linearize_along", &linearized);
  m.def("time_varying_lqr", &gains);
  py::class_<TrajectoryFilter>(m, "TrajectoryFilter", "Under quoin.planning's.")
      .def(py::init([](const LinearizedMotion& motion, py::handle covariance, py::handle initial) {
        return TrajectoryFilter(motion, matrix_from(covariance, -1, -1, "covariance"), any_vector(initial, "initial"));
      }))
      .def("update",
           [](TrajectoryFilter& filter, py::handle C, py::handle dy, py::handle V) {
             filter.update(matrix_from(C, -1, -1, "C"), any_vector(dy, "dy"), matrix_from(V, -1, -1, "V"));
           })
      .def("predict", [](TrajectoryFilter& filter, py::handle du,
                         py::handle W) { filter.predict(any_vector(du, "du"), matrix_from(W, -1, -1, "W")); })
      .def("ahead",
           [](const TrajectoryFilter& filter, py::handle pending) {
             const Eigen::MatrixXd inputs = matrix_from(pending, -1, -1, "pending").transpose();
             return array_of(filter.ahead(inputs));
           })
      .def_property_readonly("step", &TrajectoryFilter::step)
      .def_property_readonly("estimate", [](const TrajectoryFilter& filter) { return array_of(filter.estimate()); })
      .def_property_readonly("covariance",
                             [](const TrajectoryFilter& filter) { return array_of_matrix(filter.covariance()); });
}

}  // namespace quoin::python
