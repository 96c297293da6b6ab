// SPDX-License-Identifier: BSD-3-Clause
// A query's third step: the weights with which the corners of the cell found are summed up.
#pragma once

#include "quoin/core/multi_index.hpp"
#include "quoin/core/point.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace quoin::grid_detail {

/// The interpolant of one cell: Hermite interpolation from the jets of order K at its 2^Dim corners.
///
/// In one dimension let H_l be two-point Hermite interpolation of degree 2l + 1 from derivatives 0..l, D_0 = H_0 and
/// D_l = H_l - H_{l-1}. Then I_K f = sum over |l| <= K of (D_{l_1} x ... x D_{l_Dim}) f. It uses only derivatives of
/// total order up to K, reproduces all polynomials of total degree 2K + 1, is continuous across cells, and is of order
/// 2K + 2 in the value and 2K + 1 in the Jacobian. K = 0 is multilinear, K = 1 the reduced Hermite cubic (Adini's
/// space), whose leading value error is at most Dim (3 Dim - 2)/384 h^4 max |fourth derivative|. docs/grid.md derives
/// it.
///
///   JetCell<2> cell(1);
///   cell.weights(t, h, w);  // value = sum over corners c, derivatives a of w[(c * 3 + a) * 3] * jet(c, a)
///
/// Weights are packed [corner][derivative][output], output 0 the value and output 1 + j the derivative along axis j;
/// corner c is the upper one along axis i if bit i of c is set.
template <int Dim>
class JetCell {
 public:
  static constexpr int corners = 1 << Dim;
  static constexpr int outputs = 1 + Dim;
  static constexpr int max_order = 3;

  /// The basis functions of D_l for derivative a at one end of one axis, [a][l], zero for l < a; already times h^a,
  /// slopes and bends with respect to x.
  struct Basis {
    using Table = std::array<std::array<double, max_order + 1>, max_order + 1>;
    Table value{}, slope{};
  };

  explicit JetCell(int order) : order_(order), indices_(graded_multi_indices<Dim>(order)) {}

  int order() const { return order_; }
  const std::vector<MultiIndex<Dim>>& indices() const { return indices_; }
  int jet_size() const { return static_cast<int>(indices_.size()); }
  std::size_t weight_count() const { return indices_.size() * corners * outputs; }

  /// t: place in the cell, in [0, 1]^Dim; h: the cell's edges; w: weight_count() numbers.
  /// Never inlined: each place of inlining may contract multiply-adds in its own way, and every kind of query must find
  /// the same weights to the bit.
  [[gnu::noinline]] void weights(const Point<Dim>& t, const Point<Dim>& h, double* w) const {
    if (order_ == 1)
      cubic_weights(t, h, w);
    else
      general_weights(t, h, w);
  }

  /// The Taylor polynomial of one corner's jet, in the same form; all other corners weigh nothing.
  void taylor_weights(int corner, const Point<Dim>& t, const Point<Dim>& h, double* w) const {
    std::fill_n(w, weight_count(), 0.0);
    w += static_cast<std::size_t>(corner) * indices_.size() * outputs;
    std::array<double, std::size_t{Dim}> from;  // the corner to the point
    for (unsigned i = 0; i < Dim; ++i) from[i] = h[i] * (t[i] - (corner >> i & 1));
    const auto monomial = [&from](MultiIndex<Dim> a, std::size_t output) {
      double product = 1;
      for (std::size_t i = 0; i < Dim; ++i) {
        if (1 + i == output && a[i]-- == 0) return 0.0;
        for (int n = 1; n <= a[i]; ++n) product *= from[i] / n;
      }
      return product;
    };
    for (const MultiIndex<Dim>& a : indices_)
      for (std::size_t output = 0; output < outputs; ++output) *w++ = monomial(a, output);
  }

  /// The definition above, for any K.
  void general_weights(const Point<Dim>& t, const Point<Dim>& h, double* w) const {
    const auto order = static_cast<unsigned>(order_);
    std::array<std::array<Basis, 2>, std::size_t{Dim}> basis;
    for (unsigned i = 0; i < Dim; ++i)
      for (const bool upper : {false, true}) basis[i][upper] = one_dimensional(order, upper, t[i], h[i]);

    for (unsigned c = 0; c < corners; ++c) {
      std::array<const Basis*, std::size_t{Dim}> at;
      for (std::size_t i = 0; i < Dim; ++i) at[i] = &basis[i][c >> i & 1];
      for (const MultiIndex<Dim>& a : indices_) {
        switch (order_ - std::accumulate(a.begin(), a.end(), 0)) {
          case 0: weights_of<0>(at, a, w); break;
          case 1: weights_of<1>(at, a, w); break;
          case 2: weights_of<2>(at, a, w); break;
          default: weights_of<3>(at, a, w); break;
        }
        w += outputs;
      }
    }
  }

  /// h_{l,a}(t) = t^a/a! (1-t)^{l+1} sum_{k <= l-a} C(l+k, k) t^k is the Hermite basis of degree 2l+1 for derivative a
  /// at the lower end; the upper end mirrors it. bend: second derivatives, if they are wanted.
  static Basis one_dimensional(unsigned order, bool upper, double t, double h, typename Basis::Table* bend = nullptr) {
    const double s = upper ? 1 - t : t;
    std::array<double, max_order + 2> power{1.0}, rest{1.0};  // of s and of 1 - s
    for (std::size_t k = 1; k <= max_order + 1; ++k) {
      power[k] = power[k - 1] * s;
      rest[k] = rest[k - 1] * (1 - s);
    }
    Basis basis;
    double scale = 1;  // (+-h)^a / a!
    for (unsigned a = 0; a <= order; ++a) {
      if (a > 0) scale *= (upper ? -h : h) / a;
      double lower_value = 0, lower_slope = 0, lower_bend = 0;
      for (unsigned l = a; l <= order; ++l) {
        double sum = 0, sum_slope = 0, choose = 1;
        for (unsigned k = 0; k <= l - a; ++k) {
          if (k > 0) choose *= static_cast<double>(l + k) / k;
          sum += choose * power[a + k];
          if (a + k > 0) sum_slope += choose * (a + k) * power[a + k - 1];
        }
        const double value = scale * rest[l + 1] * sum;
        const double slope = scale * (rest[l + 1] * sum_slope - (l + 1) * rest[l] * sum) * (upper ? -1 : 1) / h;
        basis.value[a][l] = value - lower_value;
        basis.slope[a][l] = slope - lower_slope;
        lower_value = value;
        lower_slope = slope;
        if (bend == nullptr) continue;
        double sum_bend = 0;
        choose = 1;
        for (unsigned k = 0; k <= l - a; ++k) {
          if (k > 0) choose *= static_cast<double>(l + k) / k;
          if (a + k > 1) sum_bend += choose * (a + k) * (a + k - 1) * power[a + k - 2];
        }
        const double twice = l > 0 ? (l + 1) * l * rest[l - 1] * sum : 0;
        const double bent = scale * (rest[l + 1] * sum_bend - 2 * (l + 1) * rest[l] * sum_slope + twice) / (h * h);
        (*bend)[a][l] = bent - lower_bend;
        lower_bend = bent;
      }
    }
    return basis;
  }

 private:
  // Coefficient e belongs to all l with |l| = |a| + e.
  template <int Rest>
  using Series = std::array<double, std::size_t{Rest + 1}>;

  template <int Rest>
  static Series<Rest> product(const Series<Rest>& x, const Series<Rest>& y) {
    Series<Rest> z{};
    for (std::size_t e = 0; e <= Rest; ++e)
      for (std::size_t k = 0; k <= e; ++k) z[e] += x[k] * y[e - k];
    return z;
  }
  template <int Rest>
  static double sum(const Series<Rest>& x) {
    double total = 0;
    for (const double coefficient : x) total += coefficient;
    return total;
  }

  // The weights of one derivative at one corner, K = |a| + Rest: sums over l >= a with |l| <= K of products over the
  // axes, as truncated products of series; for d_j one factor is a slope.
  template <int Rest>
  static void weights_of(const std::array<const Basis*, std::size_t{Dim}>& basis, const MultiIndex<Dim>& a, double* w) {
    std::array<Series<Rest>, std::size_t{Dim}> factor, slope;
    std::array<Series<Rest>, std::size_t{Dim + 1}> before;
    before[0] = {1.0};
    for (std::size_t i = 0; i < Dim; ++i) {
      const auto derivative = static_cast<std::size_t>(a[i]);
      for (std::size_t e = 0; e <= Rest; ++e) {
        factor[i][e] = basis[i]->value[derivative][derivative + e];
        slope[i][e] = basis[i]->slope[derivative][derivative + e];
      }
      before[i + 1] = product<Rest>(before[i], factor[i]);
    }
    w[0] = sum<Rest>(before[Dim]);
    Series<Rest> after{1.0};
    for (std::size_t j = Dim; j-- > 0;) {
      w[1 + j] = sum<Rest>(product<Rest>(product<Rest>(before[j], slope[j]), after));
      after = product<Rest>(after, factor[j]);
    }
  }

  // K = 1 in closed form. With s_i = t_i, sigma_i = +1 at the upper end, s_i = 1 - t_i, sigma_i = -1 at the lower:
  // L = prod s_i, S = 1 + sum (1 - s_i)(2 s_i - 1), alpha_i = -sigma_i h_i s_i (1 - s_i), p = S f + sum alpha_i g_i,
  // I f = sum_c L p.
  static void cubic_weights(const Point<Dim>& t, const Point<Dim>& h, double* w) {
    for (int c = 0; c < corners; ++c) {
      std::array<double, std::size_t{Dim}> s, sigma, alpha;
      double S = 1;
      for (unsigned i = 0; i < Dim; ++i) {
        const bool upper = c >> i & 1;
        s[i] = upper ? t[i] : 1 - t[i];
        sigma[i] = upper ? 1 : -1;
        alpha[i] = -sigma[i] * h[i] * s[i] * (1 - s[i]);
        S += (1 - s[i]) * (2 * s[i] - 1);
      }
      std::array<double, std::size_t{Dim + 1}> before{1.0};  // before[i] = s_0 ... s_{i-1}
      for (std::size_t i = 0; i < Dim; ++i) before[i + 1] = before[i] * s[i];
      std::array<double, std::size_t{Dim}> others;  // product of all s but s_i
      double after = 1;
      for (std::size_t i = Dim; i-- > 0; after *= s[i]) others[i] = before[i] * after;
      const double L = before[Dim];

      *w++ = L * S;
      for (unsigned j = 0; j < Dim; ++j) *w++ = sigma[j] / h[j] * (others[j] * S + L * (3 - 4 * s[j]));
      for (unsigned i = 0; i < Dim; ++i) {
        *w++ = L * alpha[i];
        for (unsigned j = 0; j < Dim; ++j)
          *w++ = sigma[j] / h[j] * others[j] * alpha[i] - (i == j ? L * (1 - 2 * s[j]) : 0);
      }
    }
  }

  int order_;
  std::vector<MultiIndex<Dim>> indices_;
};

}  // namespace quoin::grid_detail
