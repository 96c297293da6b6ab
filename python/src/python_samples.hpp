// SPDX-License-Identifier: BSD-3-Clause
// Samples as the fields of quoin.Samples.
#pragma once

#include "arrays.hpp"
#include "python_error.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/util/to_text.hpp"
#include "read_option.hpp"

#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::python {

/// points (M, dim) and jets (M, N, derivatives) own the samples' memory.
template <int Dim>
py::dict dict_of(Samples<Dim>&& samples) {
  using namespace py::literals;
  const Eigen::Index count = samples.size(), rows = samples.output_size(), derivatives = samples.derivatives();
  py::list reasons;
  for (const std::string& reason : samples.reasons) reasons.append(text_of(reason));
  return py::dict(
      "points"_a = owning_array(Eigen::MatrixXd(samples.points), {count, Dim}, {Dim, 1}),
      "jets"_a = owning_array(std::move(samples.jets), {count, rows, derivatives}, {rows * derivatives, 1, rows}),
      "jet_order"_a = samples.jet_order, "difference_gradients"_a = samples.difference_gradients,
      "branches"_a = samples.branches, "reasons"_a = reasons, "retry"_a = samples.retry, "seconds"_a = samples.seconds);
}

/// Shapes are checked here, the rest where they are used.
template <int Dim>
Samples<Dim> samples_of(const py::dict& dict) {
  Samples<Dim> samples{.jet_order = option<int>(dict, "jet_order"),
                       .difference_gradients = option<bool>(dict, "difference_gradients")};
  if (samples.jet_order < 0 || samples.jet_order > 3)
    throw std::invalid_argument("samples of jet order " + to_text(samples.jet_order) + ", expected 0 to 3");
  const auto points = as_doubles(dict["points"], "points");
  samples.points = matrix_of(points, Dim, "points");
  const auto jets = as_doubles(dict["jets"], "jets");
  const Eigen::Index count = samples.size(), derivatives = samples.derivatives();
  if (jets.ndim() != 3 || jets.shape(0) != count || jets.shape(2) != derivatives)
    throw std::invalid_argument("jets: shape " + shape_of(jets) + ", expected (" + to_text(count) + ", N, " +
                                to_text(derivatives) + ")");
  const Eigen::Index rows = jets.shape(1);
  samples.jets.resize(rows, count * derivatives);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (Eigen::Index m = 0; m < count; ++m)
    samples.jet(m) = Eigen::Map<const Rows>(jets.data() + m * rows * derivatives, rows, derivatives);
  samples.branches = dict["branches"].cast<std::vector<int>>();
  samples.reasons = dict["reasons"].cast<std::vector<std::string>>();
  samples.retry = dict["retry"].cast<std::vector<bool>>();
  samples.seconds = dict["seconds"].cast<std::vector<double>>();
  return samples;
}

inline py::dict dict_of(const InsertedSamples& use) {
  using namespace py::literals;
  return py::dict("used"_a = use.used, "known"_a = use.known, "off_lattice"_a = use.off_lattice,
                  "of_lower_order"_a = use.of_lower_order, "to_retry"_a = use.to_retry, "failed"_a = use.failed);
}

}  // namespace quoin::python
