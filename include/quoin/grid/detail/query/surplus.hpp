// SPDX-License-Identifier: BSD-3-Clause
// In the descent of a query to a tolerance: how far a cell's interpolant is from f at its centre.
#pragma once

#include "quoin/grid/detail/kernels/jet_cell.hpp"
#include "quoin/grid/detail/kernels/sweep.hpp"
#include "quoin/grid/detail/query/edge_series.hpp"
#include "quoin/grid/detail/query/term_changes.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// The distance of a cell's interpolant from the function at points inside, in the weighted norm: of the value and of
/// the Jacobian's largest column, each the largest over the points. Infinite if the function failed at one of them, or
/// lies on another branch there.
struct Surplus {
  double value = 0;
  double jacobian = 0;
  double scaled_jacobian = 0;  ///< largest h_j / 8 times that of column j: as an error of the value
  double seen_by_corners = 0;  ///< what the corners alone show of the value's error: may be blind, never accepts
  double scale = 0;            ///< norm that outputs as large as the largest |f| at the points would have
  double magnitude = 0;        ///< norm of f, the largest over the points
};

/// Measures the surplus of one cell.
template <int Dim>
class CellSurplus {
 public:
  static constexpr int corners = 1 << Dim;

  /// jets: of the corners; h: edges of the cell. Keeps references.
  CellSurplus(const JetCell<Dim>& interpolant, const PackedJets& jets, const Point<Dim>& h, const WeightedNorm& norm)
      : interpolant_(interpolant), jets_(jets), h_(h), norm_(norm) {}

  /// Adds the jet of f (rows x derivatives) at the place t in [0, 1]^Dim.
  void add(const Point<Dim>& t, const Eigen::MatrixXd& jet, Surplus& surplus) const {
    const Eigen::MatrixXd answer = interpolated(t);
    const auto larger = [](double& least, double candidate) {  // a number that is not finite counts as larger
      if (!(candidate <= least)) least = std::isfinite(candidate) ? candidate : std::numeric_limits<double>::infinity();
    };
    larger(surplus.scale, norm_.of_ones() * jet.col(0).template lpNorm<Eigen::Infinity>());
    larger(surplus.magnitude, norm_(jet.col(0)));
    larger(surplus.value, norm_(jet.col(0) - answer.col(0)));
    for (int j = 0; j < Dim && jet.cols() > 1; ++j) {
      const double slope = norm_(jet.col(1 + j) - answer.col(1 + j));
      larger(surplus.jacobian, slope);
      larger(surplus.scaled_jacobian, h_[j] / 8 * slope);
    }
  }

  /// Value and Jacobian (rows x (1 + Dim)) that the cell answers at the place t.
  Eigen::MatrixXd interpolated(const Point<Dim>& t) const {
    std::vector<double> weights(interpolant_.weight_count());
    interpolant_.weights(t, h_, weights.data());
    return sums(weights, 1 + Dim);
  }

  /// The value's error as far as the corners alone show it. It may be blind (to x^2 y^2 around its centre), and so
  /// may only reject. K = 1: along an edge T = 2 (f_0 - f_1) + h (f_0' + f_1') is h^3/6 of a third derivative;
  /// between opposite edges it changes by h^4/6 of a fourth, which for smooth f is a few times the error, and for a
  /// kink that clips a corner shows what the centre does not. K >= 2: the same of all terms of highest order
  /// (TermChanges), with a factor that falls as the leading error at the centre does, as 4^-(K + 1); and from the last
  /// two terms of the interpolant's sum there.
  double of_corners_alone() const {
    const int order = interpolant_.order();
    if (order == 0) return 0;
    if (order == 1) return edge_factor * change_between_edges();
    const double changes = TermChanges<Dim>(interpolant_, unpacked(jets_), h_).largest(norm_);
    return std::max(edge_factor * std::exp2(2 * (1 - order)) * changes, extrapolated_terms());
  }

  /// An estimate from the corners alone, of an interpolant with K >= 2, also where terms of its sum vanish in the
  /// middle or change along no face.
  Surplus estimated_by_corners() const {
    std::vector<Eigen::MatrixXd> jets = unpacked(jets_);
    Surplus surplus;
    for (const Eigen::MatrixXd& jet : jets) {
      surplus.scale = std::max(surplus.scale, norm_.of_ones() * jet.col(0).template lpNorm<Eigen::Infinity>());
      surplus.magnitude = std::max(surplus.magnitude, norm_(jet.col(0)));
    }
    surplus.seen_by_corners =
        std::max(of_corners_alone(), EdgeSeries<Dim>(interpolant_, std::move(jets), h_).error(norm_));
    return surplus;
  }

 private:
  static constexpr double edge_factor = 0.1, terms_factor = 0.5;

  // Weighted sums over the corners, up to eight. weights: [corner][derivative][column].
  Eigen::MatrixXd sums(const std::vector<double>& weights, int columns) const {
    Eigen::MatrixXd result(jets_.rows, columns);
    double* out[max_sweep_outputs];
    for (int p = 0; p < columns; ++p) out[p] = result.col(p).data();
    sweep(jets_, weights.data(), columns, out);
    return result;
  }

  double change_between_edges() const {
    const int size = interpolant_.jet_size();
    const int columns = std::min(max_sweep_outputs, Dim * (Dim - 1) * corners / 4);
    std::vector<double> weights;
    double largest = 0;
    int filled = 0;
    const auto take_largest = [&] {
      if (filled == 0) return;
      const Eigen::MatrixXd changes = sums(weights, columns);
      for (int p = 0; p < filled; ++p) largest = std::max(largest, norm_(changes.col(p)));
      filled = 0;
    };
    for (int i = 0; i < Dim; ++i)
      for (int k = 0; k < Dim; ++k)
        for (int c = 0; c < corners; ++c) {
          if (k == i || (c >> i & 1) || (c >> k & 1)) continue;
          if (filled == 0) weights.assign(static_cast<std::size_t>(corners * size * columns), 0.0);
          for (const int corner : {c, c | 1 << i, c | 1 << k, c | 1 << i | 1 << k}) {
            const double sign = corner >> k & 1 ? -1 : 1;
            double* w = &weights[static_cast<std::size_t>(corner * size * columns + filled)];
            w[0] = sign * (corner >> i & 1 ? -2 : 2);
            w[(1 + i) * columns] = sign * h_[i];
          }
          if (++filled == columns) take_largest();
        }
    take_largest();
    return largest;
  }

  // D_K = I_K - I_{K-1}; the next term of a geometric series is D_K^2 / D_{K-1}, and the error is 0.2 to 0.8 of it.
  double extrapolated_terms() const {
    const int size = interpolant_.jet_size();
    std::vector<double> weights(static_cast<std::size_t>(corners * size * 3), 0.0), lower_weights;
    for (int less = 0; less < 3; ++less) {
      const JetCell<Dim> lower(interpolant_.order() - less);
      lower_weights.resize(lower.weight_count());
      lower.weights(Point<Dim>::Constant(0.5), h_, lower_weights.data());
      for (int c = 0; c < corners; ++c)
        for (int a = 0; a < lower.jet_size(); ++a)
          weights[static_cast<std::size_t>((c * size + a) * 3 + less)] =
              lower_weights[static_cast<std::size_t>((c * lower.jet_size() + a) * (1 + Dim))];
    }
    const Eigen::MatrixXd at_centre = sums(weights, 3);
    const double last = norm_(at_centre.col(0) - at_centre.col(1));
    const double before = norm_(at_centre.col(1) - at_centre.col(2));
    return before > last ? terms_factor * last / before * last : terms_factor * last;
  }

  const JetCell<Dim>& interpolant_;
  PackedJets jets_;
  Point<Dim> h_;
  const WeightedNorm& norm_;
};

}  // namespace quoin::grid_detail
