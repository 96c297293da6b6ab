// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace quoin::soft_arm {

/// Indices of the monomials of one degree in Dim variables, in graded lexicographic order: of degree 1, i; of degree 2,
/// second[i][j]; of degree 3, third[i][second[j][k]].
template <int Dim>
struct Graded {
  static constexpr std::array<int, 4> count = {1, Dim, Dim*(Dim + 1) / 2, Dim*(Dim + 1) * (Dim + 2) / 6};

  std::array<std::array<int, Dim>, Dim> second{};
  std::array<std::array<int, count[2]>, Dim> third{};
  /// The inverse of third: without[m][i] is monomial m of degree 3 divided by variable i, or -1
  /// if i is no factor of it.
  std::array<std::array<int, Dim>, count[3]> without{};
  /// A monomial of degree 3 as its first variable (axis) times a monomial of degree 2 (rest); power: of that variable.
  std::array<int, count[3]> axis{}, rest{}, power{};
  /// The product of the factorials of the powers: the ratio of a derivative to its Taylor coefficient.
  std::array<double, count[2]> second_factorial{};
  std::array<double, count[3]> third_factorial{};

  constexpr Graded() {
    for (int i = 0, at = 0; i < Dim; ++i)
      for (int j = i; j < Dim; ++j, ++at) {
        second[i][j] = second[j][i] = at;
        second_factorial[at] = i == j ? 2 : 1;
      }
    for (int i = 0, at = 0; i < Dim; ++i)
      for (int j = i; j < Dim; ++j)
        for (int k = j; k < Dim; ++k, ++at) {
          third[i][second[j][k]] = third[j][second[i][k]] = third[k][second[i][j]] = at;
          without[at].fill(-1);
          without[at][i] = second[j][k];
          without[at][j] = second[i][k];
          without[at][k] = second[i][j];
          axis[at] = i;
          rest[at] = second[j][k];
          power[at] = 1 + (j == i) + (k == i);
          third_factorial[at] = i == k ? 6 : i == j || j == k ? 2 : 1;
        }
  }
};

template <int Dim>
inline constexpr Graded<Dim> graded{};

}  // namespace quoin::soft_arm
