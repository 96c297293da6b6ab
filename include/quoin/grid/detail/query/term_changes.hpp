// SPDX-License-Identifier: BSD-3-Clause
// In the descent of a query to a tolerance: what the corners of a cell show of the error of an interpolant with K >= 2.
#pragma once

#include "quoin/grid/detail/kernels/jet_cell.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// How the interpolant's terms of highest order change over its cell. For |l| = K and a place t in [0, 1]^Dim
///
///   (D_{l_1} x ... x D_{l_Dim}) f = G_l(t) prod_i (t_i (t_i - 1))^{l_i},
///
/// where G_l, which is h^{2l}/(2l)! of the derivative d^{2l} f, is linear along each axis. Its value at a corner is the
/// product over the axes of divided differences of order 2 l_i, of l_i + 1 data at the corner's own end of the edge and
/// l_i at the other. Its mixed difference on a face along the axes i and k is h^m/m! of the derivative d^m f with
/// m = 2l + e_i + e_k: of order 2K + 2, as the error. docs/notes/grid.md has D_l.
template <int Dim>
class TermChanges {
 public:
  static constexpr int corners = 1 << Dim;

  /// jets: of the corners; h: edges of the cell. Keeps a reference to the interpolant.
  TermChanges(const JetCell<Dim>& interpolant, std::vector<Eigen::MatrixXd> jets, const Point<Dim>& h)
      : interpolant_(interpolant), jets_(std::move(jets)), rows_(jets_.front().rows()), h_(h) {}

  /// The largest mixed difference over all l and faces; 0 in one dimension, which has no faces.
  double largest(const WeightedNorm& norm) const {
    double largest = 0;
    Eigen::MatrixXd G(rows_, corners);
    Eigen::VectorXd change(rows_);
    for (const MultiIndex<Dim>& l : interpolant_.indices()) {
      if (Dim == 1 || std::accumulate(l.begin(), l.end(), 0) < interpolant_.order()) continue;
      at_corners(l, G);
      for (int i = 0; i < Dim; ++i)
        for (int k = i + 1; k < Dim; ++k)
          for (int c = 0; c < corners; ++c) {
            const int to_i = 1 << i, to_k = 1 << k;
            if (c & (to_i | to_k)) continue;
            change = G.col(c) - G.col(c | to_i) - G.col(c | to_k) + G.col(c | to_i | to_k);
            largest = std::max(largest, norm(change));
          }
    }
    return largest;
  }

 private:
  // One derivative in G_l of every corner: taken at the corner that lies across the cell along some axes (bits), with
  // a sign that changes for each of the odd ones at whose upper end the corner of G_l lies.
  struct Term {
    int derivative;
    unsigned across, odd;
    double weight;
  };

  void at_corners(const MultiIndex<Dim>& l, Eigen::MatrixXd& G) const {
    G.setZero();
    for (const Term& term : terms(l))
      for (unsigned c = 0; c < corners; ++c) {
        const double weight = std::popcount(c & term.odd) % 2 ? -term.weight : term.weight;
        G.col(c) += weight * jets_[c ^ term.across].col(term.derivative);
      }
  }

  std::vector<Term> terms(const MultiIndex<Dim>& l) const {
    std::vector<Term> terms;
    unsigned axes = 0;
    for (unsigned i = 0; i < Dim; ++i) axes |= static_cast<unsigned>(l[i] > 0) << i;
    for (unsigned across = 0; across < corners; ++across)
      for (int derivative = 0; (across & ~axes) == 0 && derivative < interpolant_.jet_size(); ++derivative) {
        const MultiIndex<Dim>& a = interpolant_.indices()[static_cast<std::size_t>(derivative)];
        Term term{.derivative = derivative, .across = across, .odd = 0, .weight = 1};
        for (unsigned i = 0; i < Dim && term.weight != 0; ++i) {
          term.weight *= divided_difference(l[i], a[i], across >> i & 1);
          for (int n = 1; n <= a[i]; ++n) term.weight *= h_[i] / n;
          term.odd |= static_cast<unsigned>(a[i] % 2) << i;
        }
        if (term.weight != 0) terms.push_back(term);
      }
    return terms;
  }

  // The weight of f^(a)/a! at one end of [0, 1] in the divided difference of f of l + 1 data at 0 and l at 1.
  static double divided_difference(int l, int a, bool at_1) {
    if (a + at_1 > l) return 0;
    if (l == 0) return 1;
    double choose = 1;  // C(2l - 1 - a, l) at 1, C(2l - 1 - a, l - 1) at 0
    for (int n = 1, count = at_1 ? l : l - 1; n <= count; ++n) choose *= (2. * l - 1 - a - count + n) / n;
    return (at_1 ? l - 1 - a : l) % 2 ? -choose : choose;
  }

  const JetCell<Dim>& interpolant_;
  std::vector<Eigen::MatrixXd> jets_;
  Eigen::Index rows_;
  Point<Dim> h_;
};

}  // namespace quoin::grid_detail
