// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace quoin {

/// Number of derivatives of order 0 to `order` in `dim` variables: C(dim + order, order).
constexpr int jet_size(int dim, int order) {
  int size = 1;
  for (int i = 1; i <= order; ++i) size = size * (dim + i) / i;
  return size;
}

/// Number of second derivatives in `dim` variables: dim (dim + 1) / 2.
constexpr int second_derivative_count(int dim) { return dim * (dim + 1) / 2; }

/// Place, from 0, of d^2/dx_j dx_k among the second derivatives in graded lexicographic order, as in a jet: d_1 d_1,
/// d_1 d_2, ..., d_dim d_dim.
constexpr int second_derivative_index(int dim, int j, int k) {
  return j > k ? second_derivative_index(dim, k, j) : j * dim - j * (j - 1) / 2 + k - j;
}

/// Orders of differentiation, one per axis.
template <int Dim>
using MultiIndex = std::array<int, std::size_t{Dim}>;

/// All multi-indices of total order at most `order`, in graded lexicographic order: 0; e_1, ..., e_Dim; 2 e_1,
/// e_1 + e_2, ..., 2 e_Dim; and so on. This is the order of the columns of a jet.
template <int Dim>
std::vector<MultiIndex<Dim>> graded_multi_indices(int order) {
  std::vector<MultiIndex<Dim>> indices;
  MultiIndex<Dim> index{};
  const auto append = [&](auto&& self, std::size_t axis, int rest) -> void {
    if (axis == index.size() - 1) {
      index[axis] = rest;
      indices.push_back(index);
      return;
    }
    for (int a = rest; a >= 0; --a) {
      index[axis] = a;
      self(self, axis + 1, rest - a);
    }
  };
  for (int grade = 0; grade <= order; ++grade) append(append, 0, grade);
  return indices;
}

}  // namespace quoin
