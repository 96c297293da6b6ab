// SPDX-License-Identifier: BSD-3-Clause
// Beside a query's third step: the weights of the interpolant's second derivatives.
#pragma once

#include "quoin/grid/detail/kernels/cell_weights.hpp"
#include "quoin/grid/detail/kernels/jet_cell.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace quoin::grid_detail {

/// The second derivatives of the weights of a JetCell, of the value's by the place, in closed form for each K. They are
/// packed [corner][derivative][pair of axes], pairs in graded lexicographic order.
///
///   SecondWeights<2>(cell).at(t, h, -1, w);
///   // d_1 d_2 I f = sum over corners c, derivatives a of w[(c * 3 + a) * 3 + 1] * jet(c, a)
template <int Dim>
class SecondWeights {
 public:
  using Cell = JetCell<Dim>;
  static constexpr int pairs = second_derivative_count(Dim);

  explicit SecondWeights(const Cell& cell) : cell_(cell) {}

  std::size_t count() const { return static_cast<std::size_t>(cell_.jet_size()) * Cell::corners * pairs; }

  /// t: place in the cell, h: its edges; nearest_corner: the corner whose Taylor polynomial answers alone, or -1; w:
  /// count() numbers. Never inlined, for the reason of JetCell::weights.
  [[gnu::noinline]] void at(const Point<Dim>& t, const Point<Dim>& h, int nearest_corner, double* w) const {
    if (nearest_corner >= 0)
      taylor(nearest_corner, t, h, w);
    else if (cell_.order() == 1)
      cubic(t, h, w);
    else
      general(t, h, w);
  }

  /// The definition, for any K: products over the axes of the basis functions' series, of which that of an axis is
  /// differentiated as often as the axis stands in the pair.
  void general(const Point<Dim>& t, const Point<Dim>& h, double* w) const {
    const auto order = static_cast<unsigned>(cell_.order());
    Ends basis;
    for (unsigned i = 0; i < Dim; ++i)
      for (const bool upper : {false, true}) basis[i][upper] = one_dimensional(order, upper, t[i], h[i]);
    for (unsigned c = 0; c < Cell::corners; ++c)
      for (const MultiIndex<Dim>& a : cell_.indices())
        for (std::size_t j = 0; j < Dim; ++j)
          for (std::size_t k = j; k < Dim; ++k) *w++ = product(basis, c, a, j, k);
  }

 private:
  // The D_l of one axis for the derivatives at one end, [a][l]; not differentiated, once, twice.
  using Table = std::array<std::array<double, most_order + 1>, most_order + 1>;
  using Differentiated = std::array<Table, 3>;
  using Ends = std::array<std::array<Differentiated, 2>, std::size_t{Dim}>;
  using Numbers = std::array<double, std::size_t{Dim}>;

  // EndFunction, (+-h)^a q^l (at_end - fall s), with q' = 1 - 2 s and q'' = -2.
  static Differentiated one_dimensional(unsigned order, bool upper, double t, double h) {
    const double s = upper ? 1 - t : t, q = t * (1 - t), turn = 1 - 2 * s;
    const double inwards = upper ? -h : h;
    Differentiated all{};
    double scale = 1;  // inwards^a
    for (unsigned a = 0; a <= order; ++a, scale *= inwards)
      for (unsigned l = a; l <= order; ++l) {
        const EndFunction f = end_functions[a][l];
        const double line = f.at_end - f.fall * s;
        const double power = std::pow(q, l), once = l > 0 ? l * std::pow(q, l - 1) : 0;
        const double twice = l > 1 ? l * (l - 1) * std::pow(q, l - 2) : 0;
        all[0][a][l] = scale * power * line;
        all[1][a][l] = scale / inwards * (once * turn * line - power * f.fall);
        all[2][a][l] = scale / (h * h) * (twice * turn * turn * line - 2 * once * (line + turn * f.fall));
      }
    return all;
  }

  // Sum over l >= a, |l| <= K, of the product over the axes, differentiated along j and k.
  double product(const Ends& basis, unsigned c, const MultiIndex<Dim>& a, std::size_t j, std::size_t k) const {
    const auto rest = static_cast<std::size_t>(cell_.order() - std::accumulate(a.begin(), a.end(), 0));
    std::array<double, most_order + 1> series{1.0};  // coefficient e belongs to all l with |l| = |a| + e
    for (std::size_t i = 0; i < Dim; ++i) {
      const auto from = static_cast<std::size_t>(a[i]);
      const auto& factor = basis[i][c >> i & 1][std::size_t{i == j} + std::size_t{i == k}][from];
      for (std::size_t e = rest + 1; e-- > 0;) {
        double sum = 0;
        for (std::size_t l = 0; l <= e; ++l) sum += series[e - l] * factor[from + l];
        series[e] = sum;
      }
    }
    return std::accumulate(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(rest + 1), 0.0);
  }

  // K = 1, in the words of JetCell: I f = sum_c L p with L = prod s_i, linear in each s_i, and p a sum of functions of
  // one s_i each, so that d_j d_k (L p) = L_jk p + L_j p_k + L_k p_j, and d_j d_j (L p) = 2 L_j p_j + L p_jj.
  static void cubic(const Point<Dim>& t, const Point<Dim>& h, double* w) {
    for (unsigned c = 0; c < Cell::corners; ++c) {
      Numbers s, e, alpha;  // e_i = d s_i/d x_i
      double S = 1;
      for (unsigned i = 0; i < Dim; ++i) {
        const bool upper = c >> i & 1;
        s[i] = upper ? t[i] : 1 - t[i];
        e[i] = (upper ? 1 : -1) / h[i];
        alpha[i] = -s[i] * (1 - s[i]) / e[i];
        S += (1 - s[i]) * (2 * s[i] - 1);
      }
      const auto without = [&s](unsigned j, unsigned k) {
        double product = 1;
        for (unsigned i = 0; i < Dim; ++i) product *= i == j || i == k ? 1 : s[i];
        return product;
      };
      std::array<double, std::size_t{pairs}> bent;  // L_jk, and L where j = k
      Numbers slope;                                // L_j
      double* pair = bent.data();
      for (unsigned j = 0; j < Dim; ++j) {
        const double others = without(j, j);
        slope[j] = e[j] * others;
        *pair++ = s[j] * others;
        for (unsigned k = j + 1; k < Dim; ++k) *pair++ = e[j] * e[k] * without(j, k);
      }
      const auto put = [&](double p, const Numbers& p_slope, const Numbers& p_bend) {
        pair = bent.data();
        for (unsigned j = 0; j < Dim; ++j) {
          *w++ = 2 * slope[j] * p_slope[j] + *pair++ * p_bend[j];
          for (unsigned k = j + 1; k < Dim; ++k) *w++ = *pair++ * p + slope[j] * p_slope[k] + slope[k] * p_slope[j];
        }
      };
      Numbers p_slope, p_bend;
      for (unsigned j = 0; j < Dim; ++j) {
        p_slope[j] = e[j] * (3 - 4 * s[j]);
        p_bend[j] = -4 * e[j] * e[j];
      }
      put(S, p_slope, p_bend);
      for (unsigned i = 0; i < Dim; ++i) {
        p_slope.fill(0);
        p_bend.fill(0);
        p_slope[i] = 2 * s[i] - 1;
        p_bend[i] = 2 * e[i];
        put(alpha[i], p_slope, p_bend);
      }
    }
  }

  // The second derivatives of the corner's Taylor polynomial; all other corners weigh nothing.
  void taylor(int corner, const Point<Dim>& t, const Point<Dim>& h, double* w) const {
    std::fill_n(w, count(), 0.0);
    w += static_cast<std::size_t>(corner) * cell_.indices().size() * pairs;
    Numbers from;  // the corner to the point
    for (unsigned i = 0; i < Dim; ++i) from[i] = h[i] * (t[i] - (corner >> i & 1));
    const auto monomial = [&from](MultiIndex<Dim> a, std::size_t j, std::size_t k) {
      if (a[j]-- == 0 || a[k]-- == 0) return 0.0;
      double product = 1;
      for (std::size_t i = 0; i < Dim; ++i)
        for (int n = 1; n <= a[i]; ++n) product *= from[i] / n;
      return product;
    };
    for (const MultiIndex<Dim>& a : cell_.indices())
      for (std::size_t j = 0; j < Dim; ++j)
        for (std::size_t k = j; k < Dim; ++k) *w++ = monomial(a, j, k);
  }

  const Cell& cell_;
};

}  // namespace quoin::grid_detail
