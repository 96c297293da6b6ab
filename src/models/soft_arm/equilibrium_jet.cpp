// SPDX-License-Identifier: BSD-3-Clause
#include "equilibrium_jet.hpp"

#include "graded.hpp"

#include <array>

namespace quoin::soft_arm {

template <int D>
HigherDerivatives higher_derivatives(const SoftArm<D>& arm, SearchWorkspace& w, const Point<line_count<D>>& alpha,
                                     int order) {
  constexpr int lines = line_count<D>;
  using Table = Graded<lines>;
  const int higher = Table::count[2] + (order == 3 ? Table::count[3] : 0);
  TaylorRows known = TaylorRows::Zero(arm.free_size(), padded_to_eight(lines + higher)), residual;
  known.leftCols(lines) = w.tangent.leftCols(lines);
  for (int degree = 2, first = lines; degree <= order; first += Table::count[degree], ++degree) {
    const int count = Table::count[degree];
    arm.taylor_residual(w.x, alpha, degree, known, residual);
    w.cholesky.solve_rows(residual.leftCols(count));
    known.middleCols(first, count) = -residual.leftCols(count);
  }
  Eigen::MatrixXd lengths;
  arm.taylor_lengths(w.x, order, known, lengths);

  auto derivatives = std::make_shared<Eigen::MatrixXd>(arm.size() + lines, higher);
  const auto& free = arm.free_dofs();
  for (int m = 0; m < higher; ++m) {
    const double factorial =
        m < Table::count[2] ? graded<lines>.second_factorial[m] : graded<lines>.third_factorial[m - Table::count[2]];
    auto column = derivatives->col(m);
    column.setZero();
    for (std::size_t i = 0; i < free.size(); ++i) column[free[i]] = factorial * known(i, lines + m);
    column.tail(lines) = factorial * lengths.col(1 + lines + m);
  }
  return derivatives;
}

template HigherDerivatives higher_derivatives(const SoftArm<2>&, SearchWorkspace&, const Point<2>&, int);
template HigherDerivatives higher_derivatives(const SoftArm<3>&, SearchWorkspace&, const Point<4>&, int);

}  // namespace quoin::soft_arm
