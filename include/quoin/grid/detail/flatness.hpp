// SPDX-License-Identifier: BSD-3-Clause
// Where corners and centre of a cell tell nothing of how f changes: f may not, or may have the period of an edge.
#pragma once

#include "quoin/core/multi_index.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// Levels that differ by less than this part of the values hardly differ.
inline constexpr double flat_part = 1e-9;

/// What corners and centre of a cell say, but for rounding and for changes that do not matter.
struct Flatness {
  bool along_an_axis = false;  ///< no output changes along it, and they are not zero
  bool throughout = false;     ///< no output changes at all
};

/// jets: of the corners; centre: the jet there, of the same order; h: edges of the cell; matters: changes from which on
/// somebody minds, in the norm.
template <int Dim>
Flatness flatness(const std::vector<Eigen::MatrixXd>& jets, const Eigen::MatrixXd& centre, const Point<Dim>& h,
                  const WeightedNorm& norm, double matters) {
  double size = norm(centre.col(0)), change = 0;
  Point<Dim> slopes = Point<Dim>::Zero();
  const auto take_slopes = [&](const Eigen::MatrixXd& jet) {
    for (int j = 0; j < Dim && jet.cols() > 1; ++j) slopes[j] = std::max(slopes[j], h[j] * norm(jet.col(1 + j)));
  };
  take_slopes(centre);
  for (const Eigen::MatrixXd& jet : jets) {
    take_slopes(jet);
    size = std::max(size, norm(jet.col(0)));
    change = std::max(change, norm(jet.col(0) - centre.col(0)));
  }
  const double nothing = std::max(flat_part * size, matters);
  const bool unchanged = change <= nothing && slopes.maxCoeff() <= nothing;
  const bool along = centre.cols() == 1 ? unchanged : slopes.minCoeff() <= nothing;
  return {.along_an_axis = along && size > nothing, .throughout = unchanged};
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
