// SPDX-License-Identifier: BSD-3-Clause
// A query's second step: how the point correlates with the samples.
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace quoin::kernel_detail {

/// Correlations between jets under the Gaussian kernel k(x, x') = exp(-|r|^2 / 2), r_i = (x_i - x'_i) / length_i:
///
///   cov(D^a f(x), D^b f(x')) = prod_i (-1)^{a_i} He_{a_i + b_i}(r_i) k / sqrt(a! b!),   D^a = length^a d^a / sqrt(a!),
///
/// with Hermite's polynomials He (He_{n+1} = r He_n - n He_{n-1}). Orders 0 to 3 on either side. Without the factorials
/// the variances of D^a would grow with its order; with them they stay between 1 and 2.5.
template <int Dim>
class JetCorrelation {
 public:
  static constexpr int largest_order = 3;

  explicit JetCorrelation(const Point<Dim>& length_scale) : length_(length_scale) {
    double factorial = 1;
    for (int n = 0; n <= largest_order; ++n) {
      root_factorial_[n] = std::sqrt(factorial);
      factorial *= n + 1;
    }
  }

  const Point<Dim>& length_scale() const { return length_; }
  static const std::vector<MultiIndex<Dim>>& indices(int order) {
    static_cast<void>(indices_at_load);
    return all_indices()[static_cast<std::size_t>(order)];
  }

  /// |x - x'|^2, in units of the length scales.
  double distance2(const Point<Dim>& x, const Point<Dim>& other) const {
    return (x - other).cwiseQuotient(length_).squaredNorm();
  }

  /// D^a / d^a: the factor that normalizes column a of a jet of plain derivatives.
  double scale(const MultiIndex<Dim>& a) const {
    double s = 1;
    Eigen::Index i = 0;
    for (const int n : a) s *= std::pow(length_[i++], n) / root_factorial_[n];
    return s;
  }

  /// out(row, column) = cov(D^a f(x), D^b f(x')), for a up to order `order_x` and b up to `order`.
  template <class Block>
  void fill(const Point<Dim>& x, int order_x, const Point<Dim>& other, int order, Block&& out) const {
    // signs and factorials are shared out beforehand: left[i][a][b] is one factor of the product
    double left[std::size_t{Dim}][largest_order + 1][largest_order + 1];
    double k = 0;
    for (int i = 0; i < Dim; ++i) {
      const double r = (x[i] - other[i]) / length_[i];
      k += r * r;
      double hermite[2 * largest_order + 1] = {1, r};
      for (int n = 1; n < order_x + order; ++n) hermite[n + 1] = r * hermite[n] - n * hermite[n - 1];
      for (int a = 0; a <= order_x; ++a)
        for (int b = 0; b <= order; ++b)
          left[i][a][b] = (a % 2 ? -1 : 1) * hermite[a + b] / (root_factorial_[a] * root_factorial_[b]);
    }
    k = std::exp(-k / 2);
    const auto& rows = indices(order_x);
    const auto& columns = indices(order);
    for (std::size_t b = 0; b < columns.size(); ++b)
      for (std::size_t a = 0; a < rows.size(); ++a) {
        double product = k;
        for (std::size_t i = 0; i < rows[a].size(); ++i) product *= left[i][rows[a][i]][columns[b][i]];
        out(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = product;
      }
  }

 private:
  using Indices = std::array<std::vector<MultiIndex<Dim>>, largest_order + 1>;
  // Never destroyed: threads may still ask while the program ends.
  static const Indices& all_indices() {
    static const Indices& all = *new Indices{graded_multi_indices<Dim>(0), graded_multi_indices<Dim>(1),
                                             graded_multi_indices<Dim>(2), graded_multi_indices<Dim>(3)};
    return all;
  }
  // Made before main: if one thread made them while another forks, the child would wait for them for ever.
  static inline const Indices& indices_at_load = all_indices();

  Point<Dim> length_;
  double root_factorial_[largest_order + 1];
};

}  // namespace quoin::kernel_detail
