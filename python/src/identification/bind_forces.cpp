// SPDX-License-Identifier: BSD-3-Clause
// Inertias from joint forces: by least squares, and by Adam.
#include "../gil.hpp"
#include "../observer.hpp"
#include "../read_option.hpp"
#include "../rigid_body/options.hpp"
#include "forces.hpp"
#include "motions.hpp"
#include "quoin/robots/identification/fit.hpp"
#include "quoin/robots/identification/force_regression.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace quoin::python {

void bind_forces(py::module_& module);

namespace {

using namespace identification;
using namespace py::literals;

FitOptions fit_options_of(const py::dict& dict) {
  FitOptions options{.weights = any_vector(dict["weights"], "weights")};
  read(dict, "epochs", options.epochs);
  read(dict, "batch", options.batch);
  read(dict, "learning_rate", options.learning_rate);
  read(dict, "target", options.target);
  read(dict, "improvement", options.improvement);
  read(dict, "shuffled", options.shuffled);
  read(dict, "seed", options.seed);
  return options;
}

// (estimate, stop, errors (epochs + 1, n), updates)
py::tuple fitted_forces(Forces& model, const py::tuple& arrays, const py::tuple& start, const py::dict& dict) {
  const RobotMotion motion = motion_of(arrays);
  const RobotEstimate begin = estimate_of(start);
  const FitOptions options = fit_options_of(dict);
  const Observer observer(dict["observer"]);
  Fit fit;
  {
    const WithoutGil release;
    fit = fit_forces(model, motion, begin, options, [&](const FitUpdate& update, const RobotEstimate& now) {
      return observer(
          [&] { return std::make_tuple(py::make_tuple(update.epoch, update.update, update.loss), tuple_of(now)); });
    });
  }
  return py::make_tuple(tuple_of(fit.estimate), static_cast<int>(fit.stop), array_of_points(std::move(fit.errors)),
                        fit.updates);
}

// adam: (first_moment, second_moment, updates). (loss or None, estimate, adam)
py::tuple stepped(Forces& model, const py::tuple& arrays, double rate, const py::tuple& fields,
                  const py::tuple& moments, const py::object& weights) {
  const RobotMotion batch = motion_of(arrays);
  RobotEstimate estimate = estimate_of(fields);
  Adam adam{.first_moment = any_vector(moments[0], "adam.first_moment"),
            .second_moment = any_vector(moments[1], "adam.second_moment"),
            .updates = moments[2].cast<long>()};
  const Eigen::Index numbers = estimate.theta.size() + estimate.damping_root.size();
  if (adam.updates > 0 && (adam.first_moment.size() != numbers || adam.second_moment.size() != numbers))
    throw std::invalid_argument("adam: moments of " + to_text(adam.first_moment.size()) + " and " +
                                to_text(adam.second_moment.size()) + " numbers, expected " + to_text(numbers));
  const Eigen::VectorXd weighed = any_vector(weights, "weights");
  std::optional<double> loss;
  {
    const WithoutGil release;
    require(batch, "fit_step");
    loss = fit_step(model, batch, rate, estimate, adam, weighed);
  }
  return py::make_tuple(loss, tuple_of(estimate),
                        py::make_tuple(array_of(adam.first_moment), array_of(adam.second_moment), adam.updates));
}

py::array_t<double> predicted(Forces& model, const py::tuple& fields, const py::tuple& arrays) {
  const RobotEstimate estimate = estimate_of(fields);
  const RobotMotion motion = motion_of(arrays);
  Eigen::MatrixXd tau;
  {
    const WithoutGil release;
    require(motion, "predicted_forces");
    identification::detail::require(estimate, motion.joints(), "predicted_forces");
    tau = predicted_forces(model, estimate, motion);
  }
  return array_of_points(std::move(tau));
}

ForceRegression regression_of(Eigen::Index joints, bool damping, const py::object& weights) {
  return ForceRegression(joints, {.damping = damping, .weights = any_vector(weights, "weights")});
}

void add(ForceRegression& regression, Forces& model, const py::tuple& arrays) {
  const RobotMotion motion = motion_of(arrays);
  const WithoutGil release;
  ForceRegression more = regression;  // what a model throws leaves the regression as it was
  more.add(model, motion);
  regression = std::move(more);
}

// (rank, singular values, base, others, combination)
py::tuple identifiability(const ForceRegression& regression, double tolerance) {
  Identifiability known;
  {
    const WithoutGil release;
    known = regression.identifiability(tolerance);
  }
  return py::make_tuple(known.rank, array_of(known.singular_values), known.base, known.others,
                        array_of_matrix(std::move(known.combination)));
}

// (columns, parameters, damping, residual)
py::tuple solution(const ForceRegression& regression, const py::object& prior, double tolerance) {
  const Eigen::VectorXd from = vector_of(prior, regression.columns(), "prior");
  RegressionSolution found;
  {
    const WithoutGil release;
    found = regression.solve(from, tolerance);
  }
  return py::make_tuple(array_of(found.columns), array_of_points(found.parameters), array_of(found.damping),
                        found.residual);
}

// (estimate, residual, iterations, stop)
py::tuple form_fitted(const ForceRegression& regression, const py::tuple& start, int iterations) {
  const RobotEstimate begin = estimate_of(start);
  FormFit fit;
  {
    const WithoutGil release;
    fit = fit_form(regression, begin, iterations);
  }
  return py::make_tuple(tuple_of(fit.estimate), fit.residual, fit.iterations, static_cast<int>(fit.stop));
}

}  // namespace

void bind_forces(py::module_& m) {
  py::class_<Forces, std::shared_ptr<Forces>>(m, "Forces", "Joint forces, linear in the parameters of the bodies.");
  m.def("tree_forces", [](const rigid_body::RigidBodyTree& tree, const py::dict& options) {
    return std::shared_ptr<Forces>(std::make_shared<TreeForces>(tree, tree_options_of(options)));
  });
  m.def("called_forces",
        [](const py::object& call) { return std::shared_ptr<Forces>(std::make_shared<CalledForces>(call)); });
  m.def("fit_forces", &fitted_forces, py::arg("model"), py::arg("motion"), py::arg("start"), py::arg("options"));
  m.def("fit_step", &stepped, py::arg("model"), py::arg("batch"), py::arg("learning_rate"), py::arg("estimate"),
        py::arg("adam"), py::arg("weights"));
  m.def("predicted_forces", &predicted, py::arg("model"), py::arg("estimate"), py::arg("motion"));
  m.def("normalizing_weights",
        [](const py::tuple& motion) { return array_of(normalizing_weights(motion_of(motion))); });
  py::class_<ForceRegression>(m, "ForceRegression", "The triangle under the class ForceRegression.")
      .def(py::init(&regression_of), py::arg("joints"), py::arg("damping"), py::arg("weights"))
      .def("add", &add, py::arg("model"), py::arg("motion"))
      .def("columns", &ForceRegression::columns)
      .def("instants", &ForceRegression::instants)
      .def("R", [](const ForceRegression& of) { return array_of_matrix(of.R()); })
      .def("c", [](const ForceRegression& of) { return array_of(of.c()); })
      .def("rest", &ForceRegression::rest)
      .def(
          "columns_of",
          [](const ForceRegression& of, const py::object& parameters, const py::object& damping) {
            return array_of(of.columns_of(points_from(parameters, 13, "parameters"), any_vector(damping, "damping")));
          },
          py::arg("parameters"), py::arg("damping"))
      .def(
          "parameters_of",
          [](const ForceRegression& of, const py::object& columns) {
            return array_of_points(of.parameters_of(vector_of(columns, of.columns(), "columns")));
          },
          py::arg("columns"))
      .def("identifiability", &identifiability, py::arg("tolerance"))
      .def("solve", &solution, py::arg("prior"), py::arg("tolerance"))
      .def(
          "residual",
          [](const ForceRegression& of, const py::object& columns) {
            return of.residual(vector_of(columns, of.columns(), "columns"));
          },
          py::arg("columns"))
      .def("fit_form", &form_fitted, py::arg("start"), py::arg("iterations"));
}

}  // namespace quoin::python
