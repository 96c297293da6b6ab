// SPDX-License-Identifier: BSD-3-Clause
#include <quoin/grid/detail/kernels/jet_cell.hpp>
#include <quoin/grid/detail/kernels/sweep.hpp>
#include <quoin/grid/detail/query/term_changes.hpp>
#include <quoin/map/multi_index.hpp>
#include <quoin/map/weighted_norm.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace quoin;
using namespace quoin::grid_detail;

namespace {

constexpr double lower = 0.3;  // of the cell, along each axis

/// What the corners of a cell show of the monomial x^m.
template <int Dim>
double largest_change(int order, const MultiIndex<Dim>& m, const Point<Dim>& h) {
  const JetCell<Dim> cell(order);
  std::vector<Eigen::MatrixXd> jets(std::size_t{1} << Dim, Eigen::MatrixXd(1, cell.jet_size()));
  for (unsigned c = 0; c < jets.size(); ++c)
    for (int at = 0; at < cell.jet_size(); ++at) {
      const MultiIndex<Dim>& a = cell.indices()[static_cast<std::size_t>(at)];
      double derivative = 1;
      for (unsigned i = 0; i < Dim; ++i) {
        const double x = lower + (c >> i & 1) * h[i];
        for (int n = 0; n < a[i]; ++n) derivative *= m[i] - n;
        derivative *= std::pow(x, std::max(m[i] - a[i], 0));
      }
      jets[c](0, at) = derivative;
    }
  return TermChanges<Dim>(cell, std::move(jets), h).largest(WeightedNorm(1, {}, "test"));
}

double power(const Point<3>& h, const MultiIndex<3>& m) {
  return std::pow(h[0], m[0]) * std::pow(h[1], m[1]) * std::pow(h[2], m[2]);
}

}  // namespace

TEST_CASE("The terms of highest order do not change on polynomials that are reproduced") {
  const Point<3> h(0.5, 0.8, 1.25);
  for (const int order : {1, 2, 3})
    for (const MultiIndex<3>& m : graded_multi_indices<3>(2 * order + 1)) {
      CAPTURE(order, m[0], m[1], m[2]);
      CHECK(largest_change<3>(order, m, h) < 1e-12);
    }
}

TEST_CASE(
    "Where two exponents are odd the terms of highest order change by h^m on the monomial x^m of the next degree") {
  const Point<3> h(0.5, 0.8, 1.25);
  for (const int order : {1, 2, 3})
    for (const MultiIndex<3>& m : graded_multi_indices<3>(2 * order + 2)) {
      if (m[0] + m[1] + m[2] < 2 * order + 2) continue;
      const int odd = m[0] % 2 + m[1] % 2 + m[2] % 2;
      CAPTURE(order, m[0], m[1], m[2]);
      CHECK(largest_change<3>(order, m, h) == Approx(odd == 2 ? power(h, m) : 0).epsilon(1e-9).margin(1e-11));
    }
}
