// SPDX-License-Identifier: BSD-3-Clause
// A query's third step: the weights with which the corners of the cell found are summed up.
#pragma once

#include "quoin/grid/detail/kernels/cell_weights.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace quoin::grid_detail {

/// The interpolant of one cell: Hermite interpolation from the jets of order K at its 2^Dim corners.
///
/// In one dimension let H_l be two-point Hermite interpolation of degree 2l + 1 from derivatives 0..l, D_0 = H_0 and
/// D_l = H_l - H_{l-1}. Then I_K f = sum over |l| <= K of (D_{l_1} x ... x D_{l_Dim}) f. It uses only derivatives of
/// total order up to K, reproduces all polynomials of total degree 2K + 1, is continuous across cells, and is of order
/// 2K + 2 in the value and 2K + 1 in the Jacobian. K = 0 is multilinear, K = 1 the reduced Hermite cubic (Adini's
/// space), whose leading value error is at most Dim (3 Dim - 2)/384 h^4 max |fourth derivative|. docs/notes/grid.md
/// derives it.
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

  explicit JetCell(int order) : order_(order), indices_(graded_multi_indices<Dim>(order)) {}

  int order() const { return order_; }
  const std::vector<MultiIndex<Dim>>& indices() const { return indices_; }
  int jet_size() const { return static_cast<int>(indices_.size()); }
  std::size_t weight_count() const { return indices_.size() * corners * outputs; }

  /// t: place in the cell, in [0, 1]^Dim; h: the cell's edges; w: weight_count() numbers.
  /// set: for tests; any gives the same up to rounding.
  void weights(const Point<Dim>& t, const Point<Dim>& h, double* w, InstructionSet set = instruction_set()) const {
    cell_weights<Dim>({order_, indices_.data(), jet_size()}, t, h, w, set);
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

 private:
  int order_;
  std::vector<MultiIndex<Dim>> indices_;
};

}  // namespace quoin::grid_detail
