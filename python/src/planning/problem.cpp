// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"
#include "../read_option.hpp"

namespace quoin::python {

Problem problem_of(const std::shared_ptr<Dynamics>& dynamics, const py::dict& dict) {
  const Eigen::Index n = dynamics->state_size(), m = dynamics->control_size();
  const int horizon = option<int>(dict, "horizon");
  return {.dynamics = {dynamics},
          .residuals = residuals_of(dict["residuals"], n, m, horizon),
          .constraints = residuals_of(dict["constraints"], n, m, horizon),
          .horizon = horizon,
          .initial_state = vector_of(dict["start"], n, "start"),
          .lower_control = any_vector(dict["lower_control"], "lower_control"),
          .upper_control = any_vector(dict["upper_control"], "upper_control"),
          .lower_state = any_vector(dict["lower_state"], "lower_state"),
          .upper_state = any_vector(dict["upper_state"], "upper_state")};
}

py::array_t<double> stacked(const std::vector<Eigen::MatrixXd>& matrices, Eigen::Index rows, Eigen::Index columns) {
  auto array = new_array({static_cast<py::ssize_t>(matrices.size()), rows, columns});
  for (std::size_t i = 0; i < matrices.size(); ++i)
    Eigen::Map<RowMatrix>(array.mutable_data() + static_cast<py::ssize_t>(i) * rows * columns, rows, columns) =
        matrices[i];
  return array;
}

py::array_t<double> stacked(const std::vector<Eigen::MatrixXd>& matrices) {
  if (matrices.empty()) return stacked(matrices, 0, 0);
  return stacked(matrices, matrices[0].rows(), matrices[0].cols());
}

}  // namespace quoin::python
