// SPDX-License-Identifier: BSD-3-Clause
// Where corners and centre of a cell tell nothing of how f changes: f may not, or may have the period of an edge.
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// Levels that differ by less than this part of the values hardly differ.
inline constexpr double flat_part = 1e-9;

/// Where the corners of a cell show no change that matters.
struct Flatness {
  bool throughout = false;  ///< nowhere, nor at the centre
  /// Of each output, for each axis: it does not change along it, and is not zero; and then: it is zero.
  std::vector<bool> outputs;
};

/// jets: of the corners; surplus: how far the centre is from what they say; h: edges of the cell; matters: changes from
/// which on somebody minds, in the norm.
template <int Dim>
Flatness flatness(const std::vector<Eigen::MatrixXd>& jets, double surplus, const Point<Dim>& h,
                  const WeightedNorm& norm, double matters) {
  const Eigen::Index rows = jets[0].rows();
  Eigen::ArrayXd size = Eigen::ArrayXd::Zero(rows), change = size;
  Eigen::ArrayXXd slopes = Eigen::ArrayXXd::Zero(rows, Dim);
  for (const Eigen::MatrixXd& jet : jets) {
    size = size.max(jet.col(0).array().abs());
    change = change.max((jet.col(0) - jets[0].col(0)).array().abs());
    for (int j = 0; j < Dim && jet.cols() > 1; ++j)
      slopes.col(j) = slopes.col(j).max(h[j] * jet.col(1 + j).array().abs());
  }
  double largest = std::max(surplus, norm(change.matrix()));
  for (const auto& slope : slopes.colwise()) largest = std::max(largest, norm(slope.matrix()));
  const double nothing = std::max(flat_part * norm(size.matrix()), matters);
  Flatness flat{.throughout = largest <= nothing,
                .outputs = std::vector<bool>(static_cast<std::size_t>(rows * (Dim + 1)))};
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double weight = norm.weights()[i];
    const auto output = flat.outputs.begin() + i * (Dim + 1);
    const bool zero = weight * size[i] <= nothing;
    for (int j = 0; j < Dim; ++j)
      output[j] = !zero && weight * (jets[0].cols() > 1 ? slopes(i, j) : change[i]) <= nothing;
    output[Dim] = zero && weight > 0 && weight * slopes.row(i).maxCoeff() <= nothing;
  }
  return flat;
}

/// The largest value of these jets and the largest term of their series over the edges, in the norm.
template <int Dim>
std::pair<double, double> values_and_terms(const std::vector<Eigen::MatrixXd>& jets, int order, const Point<Dim>& h,
                                           const WeightedNorm& norm) {
  double values = 0, terms = 0;
  const auto indices = graded_multi_indices<Dim>(order);
  for (const Eigen::MatrixXd& jet : jets) {
    values = std::max(values, norm(jet.col(0)));
    for (std::size_t a = 1; a < indices.size(); ++a) {
      double power = 1;
      for (std::size_t j = 0; j < Dim; ++j)
        power *= std::pow(h[static_cast<Eigen::Index>(j)], indices[a][j]) / std::tgamma(1 + indices[a][j]);
      terms = std::max(terms, power * norm(jet.col(static_cast<Eigen::Index>(a))));
    }
  }
  return {values, terms};
}

/// Values below that part of what derivatives say of a cell are those that f rounds to zero.
inline constexpr double rounded_part = 1e-6;

}  // namespace quoin::grid_detail
