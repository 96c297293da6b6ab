// SPDX-License-Identifier: BSD-3-Clause
// In level mode, beside TermChanges: what the corners of a cell show of the error along each axis.
#pragma once

#include "quoin/grid/detail/kernels/jet_cell.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// The next term of f's series along the edges of a cell of an interpolant with K >= 2. The 2K + 2 data at the ends of
/// an edge belong to a polynomial p in t in [0, 1], whose derivatives, as large as they are at the ends, are about h^n
/// times those of f. Any of them may vanish there by chance, but where f is smooth not two in a row: so
///
///   s = max_n max(|p^(n)|, |p^(n+1)|) / max(|p^(n-2)|, |p^(n-1)|),  n = 3, ..., 2K,
///
/// is how much faster each grows than the last but one. Of a function with a pole, whose derivatives are as large as
/// n!, this grows with n too: where there is one axis it is taken (2K + 2)/(2K - 2) times as large. The first
/// derivative that p does not have, of which the error is 4^-(K+1)/(2K+2)! in the middle, is then at most
/// max(s |p^(2K)|, sqrt(s) |p^(2K+1)|).
template <int Dim>
class EdgeSeries {
 public:
  /// jets: of the corners; h: edges of the cell. Keeps a reference to the interpolant.
  EdgeSeries(const JetCell<Dim>& interpolant, std::vector<Eigen::MatrixXd> jets, const Point<Dim>& h)
      : interpolant_(interpolant), jets_(std::move(jets)), h_(h) {}

  /// The sum over the axes of the largest error of an edge, as the next term has it.
  double error(const WeightedNorm& norm) const {
    double sum = 0;
    Eigen::VectorXd terms(jets_.front().rows());
    for (int axis = 0; axis < Dim; ++axis) {
      const Columns columns = derivatives_along(axis);
      double largest = 0;
      for (std::size_t c = 0; c < jets_.size(); ++c) {
        if (c >> axis & 1) continue;
        for (Eigen::Index row = 0; row < terms.size(); ++row)
          terms[row] = next_term(ends(jets_[c], row, columns, axis), ends(jets_[c | 1u << axis], row, columns, axis));
        largest = std::max(largest, norm(terms));
      }
      sum += largest;
    }
    double in_the_middle = std::exp2(-2 * (order() + 1));
    for (int n = 2; n <= 2 * order() + 2; ++n) in_the_middle /= n;
    return in_the_middle * sum;
  }

 private:
  static constexpr std::size_t most = 8;      // data of an edge, K = 3
  using Columns = std::array<int, most / 2>;  // of the derivatives of order 0 to K
  using Ends = std::array<double, most / 2>;  // h^n/n! times these, at an end of an edge
  using Series = std::array<double, most>;

  int order() const { return interpolant_.order(); }

  Columns derivatives_along(int axis) const {
    Columns columns{};
    for (std::size_t a = 0; a < interpolant_.indices().size(); ++a) {
      const MultiIndex<Dim>& l = interpolant_.indices()[a];
      const int along = l[static_cast<std::size_t>(axis)];
      if (std::accumulate(l.begin(), l.end(), 0) == along)
        columns[static_cast<std::size_t>(along)] = static_cast<int>(a);
    }
    return columns;
  }

  Ends ends(const Eigen::MatrixXd& jet, Eigen::Index row, const Columns& columns, int axis) const {
    Ends values{};
    double scale = 1;
    for (int n = 0; n <= order(); ++n) {
      values[static_cast<std::size_t>(n)] = scale * jet(row, columns[static_cast<std::size_t>(n)]);
      scale *= h_[axis] / (n + 1);
    }
    return values;
  }

  double next_term(const Ends& from, const Ends& to) const {
    const auto K = static_cast<std::size_t>(order());
    const Series size = derivatives_of(from, to);
    double growth = 0;
    for (std::size_t n = 3; n <= 2 * K; ++n) {
      const double now = std::max(size[n], size[n + 1]), before = std::max(size[n - 2], size[n - 1]);
      if (now > 0) growth = std::max(growth, before > 0 ? now / before : std::numeric_limits<double>::infinity());
    }
    growth *= growth_of_growth();
    return growth == 0 ? 0 : std::max(growth * size[2 * K], std::sqrt(growth) * size[2 * K + 1]);
  }
  // With one axis alone; with more, the errors along the others make up for it (docs/notes/accuracy.md).
  double growth_of_growth() const { return Dim > 1 ? 1 : (2. * order() + 2) / (2. * order() - 2); }

  // The largest at the two ends of |p^(n)|, n < 2K + 2.
  Series derivatives_of(const Ends& from, const Ends& to) const {
    const std::size_t half = static_cast<std::size_t>(order()) + 1, count = 2 * half;
    Series newton{};  // divided differences of p at 0, ..., 0, 1, ..., 1
    for (std::size_t i = 0; i < count; ++i) newton[i] = i < half ? from[0] : to[0];
    for (std::size_t k = 1; k < count; ++k)
      for (std::size_t i = count - 1; i >= k; --i)
        newton[i] = i < half ? from[k] : i - k >= half ? to[k] : newton[i] - newton[i - 1];
    Series power{};  // of t; from t^half (t - 1)^j
    for (std::size_t i = 0; i < half; ++i) power[i] = newton[i];
    Series factor{1};  // (t - 1)^j
    for (std::size_t j = 0; j < half; ++j) {
      for (std::size_t b = 0; b <= j; ++b) power[half + b] += newton[half + j] * factor[b];
      for (std::size_t b = j + 1; b > 0; --b) factor[b] = factor[b - 1] - factor[b];
      factor[0] = -factor[0];
    }
    Series size{};
    for (std::size_t n = 0; n < count; ++n) {
      double at_0 = 0, at_1 = 0;
      for (std::size_t a = count; a-- > n;) {
        double derived = power[a];  // times a!/(a - n)!
        for (std::size_t m = 0; m < n; ++m) derived *= static_cast<double>(a - m);
        at_0 = derived;
        at_1 += derived;
      }
      size[n] = std::max(std::abs(at_0), std::abs(at_1));
    }
    return size;
  }

  const JetCell<Dim>& interpolant_;
  std::vector<Eigen::MatrixXd> jets_;
  Point<Dim> h_;
};

}  // namespace quoin::grid_detail
