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
  const Eigen::Index columns = std::min<Eigen::Index>(jets[0].cols(), 1 + Dim);
  Eigen::VectorXd change = Eigen::VectorXd::Zero(rows);
  // Of the value, and of what slopes make of it over an edge.
  Eigen::MatrixXd sizes = Eigen::MatrixXd::Zero(rows, 1 + Dim);
  const auto larger = [](double& least, double candidate) { least = std::max(least, std::abs(candidate)); };
  for (const Eigen::MatrixXd& jet : jets)
    for (Eigen::Index i = 0; i < rows; ++i) {
      larger(change[i], jet(i, 0) - jets[0](i, 0));
      larger(sizes(i, 0), jet(i, 0));
      for (Eigen::Index j = 1; j < columns; ++j) larger(sizes(i, j), h[j - 1] * jet(i, j));
    }
  double largest = std::max(surplus, norm(change));
  for (int j = 1; j <= Dim; ++j) largest = std::max(largest, norm(sizes.col(j)));
  const double nothing = std::max(flat_part * norm(sizes.col(0)), matters);
  Flatness flat{.throughout = largest <= nothing,
                .outputs = std::vector<bool>(static_cast<std::size_t>(rows * (Dim + 1)))};
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double weight = norm.weights()[i];
    const auto output = flat.outputs.begin() + i * (Dim + 1);
    const bool zero = weight * sizes(i, 0) <= nothing;
    double steepest = 0;
    for (int j = 0; j < Dim; ++j) {
      output[j] = !zero && weight * (columns > 1 ? sizes(i, 1 + j) : change[i]) <= nothing;
      steepest = std::max(steepest, sizes(i, 1 + j));
    }
    output[Dim] = zero && weight > 0 && weight * steepest <= nothing;
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
