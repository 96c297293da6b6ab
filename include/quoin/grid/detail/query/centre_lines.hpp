// SPDX-License-Identifier: BSD-3-Clause
// Where a cell is measured: whether the values there change as the Jacobians say.
#pragma once

#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace quoin::grid_detail {

/// The lines from the corners of a cell through its centre to the corners across, at whose three points values and
/// Jacobians are known: a, m, b. With G = the Jacobian along the whole line, half of it changes the value by
///
///   A = f_m - f_a - (5 G_a + 8 G_m - G_b)/24,   B = f_b - f_m - (-G_a + 8 G_m + 5 G_b)/24
///
/// more than the parabola through the three G does. Where f is smooth A + B, the error of Simpson's rule, is far below
/// C = |G_a - 2 G_m + G_b|/3, and A is about -B; a kink gives at most C, wherever it lies; a jump lies in A or in B.
/// A Jacobian that is not that of the values gives both, half of its error each; values that are not smooth at the
/// size of the cell give either, at random.
template <int Dim>
class CentreLines {
 public:
  static constexpr std::size_t lines = std::size_t{1} << (Dim - 1);

  /// What the lines of one output say.
  struct Sums {
    double common = 0;    ///< of A and B what they have in common, if they have the same sign
    double apart = 0;     ///< | |A| - |B| |, or |A| + |B| if not
    double smaller = 0;   ///< min(|A|, |B|)
    double all = 0;       ///< |A| + |B|
    double bend = 0;      ///< C
    double change = 0;    ///< of the value along the whole line, as the values or the Jacobians have it
    double moved = 0;     ///< largest change of a value from a point to the next
    double rounding = 0;  ///< as large as A and B may be by rounding
    std::array<double, std::size_t{Dim}> unsaid{};  ///< mean over the lines of A + B, along each axis
    double squares = 0;                             ///< of A + B, summed
    std::array<double, std::size_t{Dim}> said{};    ///< change along each axis as the Jacobian at the centre has it
  };

  /// jets: of the corners; centre: the jet there; both of order 1 or more; h: edges of the cell; rounding: relative, of
  /// all numbers beside that of doubles; repeatable_to: of values, relative to the largest. Keeps references.
  CentreLines(const std::vector<Eigen::MatrixXd>& jets, const Eigen::MatrixXd& centre, const Point<Dim>& h,
              double rounding, double repeatable_to)
      : jets_(jets),
        centre_(centre),
        h_(h),
        rounding_(64 * std::numeric_limits<double>::epsilon() + 8 * rounding),
        repeats_(repeatable_to == 0 ? 0 : 4 * repeatable_to * centre.col(0).template lpNorm<Eigen::Infinity>()) {}

  Sums of(Eigen::Index row) const {
    Sums sums;
    const double f_m = centre_(row, 0);
    for (std::size_t c = 0; c < lines; ++c) {
      const Eigen::MatrixXd &a = jets_[c], &b = jets_[2 * lines - 1 - c];
      double G_a = 0, G_m = 0, G_b = 0;
      for (int j = 0; j < Dim; ++j) {
        const double step = c >> j & 1 ? -h_[j] : h_[j];
        G_a += step * a(row, 1 + j);
        G_m += step * centre_(row, 1 + j);
        G_b += step * b(row, 1 + j);
      }
      const double A = f_m - a(row, 0) - (5 * G_a + 8 * G_m - G_b) / 24;
      const double B = b(row, 0) - f_m - (-G_a + 8 * G_m + 5 * G_b) / 24;
      const double smaller = std::min(std::abs(A), std::abs(B));
      sums.smaller += smaller;
      sums.all += std::abs(A) + std::abs(B);
      if ((A > 0) == (B > 0)) {
        sums.common += 2 * smaller;
        sums.apart += std::abs(std::abs(A) - std::abs(B));
      } else {
        sums.apart += std::abs(A) + std::abs(B);
      }
      sums.bend += std::abs(G_a - 2 * G_m + G_b) / 3;
      sums.change += std::max({std::abs(b(row, 0) - a(row, 0)), std::abs(G_a), std::abs(G_m), std::abs(G_b)});
      sums.moved = std::max({sums.moved, std::abs(f_m - a(row, 0)), std::abs(b(row, 0) - f_m)});
      sums.rounding += std::max({std::abs(a(row, 0)), std::abs(f_m), std::abs(b(row, 0))});
      sums.squares += (A + B) * (A + B);
      for (int j = 0; j < Dim; ++j)
        sums.unsaid[static_cast<std::size_t>(j)] += (c >> j & 1 ? -1. : 1.) * (A + B) / lines;
    }
    sums.rounding = rounding_ * (sums.rounding + sums.change) + lines * repeats_;
    for (int j = 0; j < Dim; ++j) sums.said[static_cast<std::size_t>(j)] = h_[j] * centre_(row, 1 + j);
    return sums;
  }

  /// The part of the squares of A + B that a constant error of the Jacobian along some axes explains.
  static double explained(const Sums& sums) {
    double of_axes = 0;
    for (const double unsaid : sums.unsaid) of_axes += unsaid * unsaid;
    return sums.squares > 0 ? lines * of_axes / sums.squares : 0;
  }

 private:
  const std::vector<Eigen::MatrixXd>& jets_;
  const Eigen::MatrixXd& centre_;
  Point<Dim> h_;
  double rounding_, repeats_;
};

}  // namespace quoin::grid_detail
