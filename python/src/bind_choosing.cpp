// SPDX-License-Identifier: BSD-3-Clause
// What to choose before a run.
#include "arrays.hpp"
#include "bindings.hpp"
#include "for_dim.hpp"
#include "quoin/choosing/detail/surrogate_making.hpp"
#include "quoin/choosing/suggest_resolutions.hpp"
#include "read_option.hpp"
#include "surrogate_advice.hpp"

#include <pybind11/stl.h>

#include <stdexcept>
#include <vector>

namespace quoin::python {
namespace {

template <int Dim>
py::list resolutions(const std::vector<Eigen::MatrixXd>& jets, double tolerance, const ResolutionOptions& options) {
  py::list list;
  for (const Resolution<Dim>& r : suggest_resolutions<Dim>(jets, tolerance, options))
    list.append(py::make_tuple(r.order, array_of(r.spacing), r.relative_cost, r.predicted_error));
  return list;
}

py::list suggested(int dim, const py::object& arrays, double tolerance, const py::dict& dict) {
  const auto jets = as_doubles(arrays, "jets");
  if (jets.ndim() != 3)
    throw std::invalid_argument("suggest_resolutions: jets of shape " + shape_of(jets) +
                                ", expected (P, N, derivatives)");
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::vector<Eigen::MatrixXd> matrices;
  for (py::ssize_t p = 0; p < jets.shape(0); ++p)
    matrices.emplace_back(Eigen::Map<const Rows>(jets.data(p), jets.shape(1), jets.shape(2)));
  ResolutionOptions options{.costs = dict["costs"].cast<std::vector<double>>(),
                            .coverage = option<bool>(dict, "box") ? Coverage::box : Coverage::path};
  if (!dict["output_weights"].is_none())
    options.output_weights = vector_of(dict["output_weights"], jets.shape(1), "output_weights");
  if (!dict["proportions"].is_none()) options.proportions = vector_of(dict["proportions"], dim, "proportions");
  return for_dim(dim, "suggest_resolutions",
                 [&](auto constant) { return resolutions<constant>(matrices, tolerance, options); });
}

py::dict advice(int dim, const AnyGrid& grid, const py::object& array, const py::dict& dict) {
  const auto rows = as_doubles(array, "points");
  const Eigen::MatrixXd points = matrix_of(rows, dim, "points");
  SurrogateTask task{.tolerance = option<double>(dict, "tolerance"),
                     .queries = option<double>(dict, "queries"),
                     .coverage = option<bool>(dict, "box") ? Coverage::box : Coverage::path,
                     .costs = dict["costs"].cast<std::vector<double>>(),
                     .samples = option<int>(dict, "samples")};
  if (!dict["output_weights"].is_none()) {
    const auto weights = as_doubles(dict["output_weights"], "output_weights");
    task.output_weights = Eigen::Map<const Eigen::VectorXd>(weights.data(), weights.size());
  }
  return for_dim(dim, "suggest_surrogate",
                 [&](auto constant) { return surrogate_advice<constant>(grid, points, task); });
}

SurrogateOptions surrogate_options(const py::dict& dict) {
  return {.error = option<double>(dict, "error"),
          .most_samples = option<int>(dict, "most_samples"),
          .held_out = option<int>(dict, "held_out")};
}

}  // namespace

void bind_choosing(py::module_& m) {
  m.def("suggest_resolutions", &suggested);
  m.def("suggest_surrogate", &advice);
  m.def("check_surrogate", [](const py::object& lower, const py::object& upper, const py::dict& options) {
    const auto dim = static_cast<int>(as_doubles(lower, "lower").size());
    for_dim(dim, "Surrogate", [&](auto constant) {
      check_surrogate<constant>(vector_of(lower, dim, "lower"), vector_of(upper, dim, "upper"),
                                surrogate_options(options));
    });
  });
  m.def("first_cells", &choosing_detail::first_cells);
  m.def("make_surrogate", [](py::handle map, const AnyGrid& grid, const py::dict& options, bool itself) {
    py::dict made = for_dim(map_of(map).map->dim(), "Surrogate", [&](auto constant) {
      return make_surrogate<constant>(grid, surrogate_options(options), itself);
    });
    warn_of_doubts(map_of(map));
    return made;
  });
}

}  // namespace quoin::python
