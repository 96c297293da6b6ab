// SPDX-License-Identifier: BSD-3-Clause
#include "equilibrium_jet.hpp"

#include "graded.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace quoin::soft_arm {

template <int D>
std::shared_ptr<const BranchTaylor> branch_taylor(const SoftArm<D>& arm, SearchWorkspace& w,
                                                  const Point<line_count<D>>& alpha, int order) {
  constexpr int lines = line_count<D>;
  using Table = Graded<lines>;
  const int monomials = lines + Table::count[2] + (order == 3 ? Table::count[3] : 0);
  auto taylor = std::make_shared<BranchTaylor>();
  taylor->order = order;
  TaylorRows& x = taylor->x;
  x.resize(arm.free_size(), padded_to_eight(monomials));
  x.leftCols(lines) = w.tangent.leftCols(lines);
  x.rightCols(x.cols() - lines).setZero();
  for (int degree = 2, first = lines; degree <= order; first += Table::count[degree], ++degree) {
    const int count = Table::count[degree];
    TaylorRows& residual = degree == 2 ? w.quadratic : w.cubic;
    arm.taylor_residual(w.x, alpha, degree, x, residual);
    for (Eigen::Index vertex = 0; vertex < residual.rows(); ++vertex)
      for (int i = 0; i < D; ++i) {
        const double* const from = &residual(vertex, i * count);
        std::transform(from, from + count, &x(D * vertex + i, first), std::negate<>());
      }
    w.cholesky.solve_rows(x.middleCols(first, count));
  }
  arm.taylor_lengths(w.x, order, x, taylor->lengths);
  return taylor;
}

template <int D>
void higher_derivatives(const SoftArm<D>& arm, const BranchTaylor& taylor, Eigen::Ref<Eigen::MatrixXd> derivatives) {
  constexpr int lines = line_count<D>;
  constexpr int second = Graded<lines>::count[2];
  const auto factorial = [](Eigen::Index m) {
    return m < second ? graded<lines>.second_factorial[m] : graded<lines>.third_factorial[m - second];
  };
  const auto& free = arm.free_dofs();
  constexpr std::size_t together = 64;  // rows transposed to columns while they are in the cache
  for (std::size_t first = 0; first < free.size(); first += together)
    for (Eigen::Index m = 0; m < derivatives.cols(); ++m) {
      double* const column = derivatives.col(m).data();
      const double* const x = taylor.x.data() + lines + m;
      for (std::size_t i = first; i < std::min(first + together, free.size()); ++i)
        column[free[i]] = factorial(m) * x[i * taylor.x.cols()];
    }
  for (const int vertex : arm.mesh().clamped) derivatives.middleRows<D>(D * vertex).setZero();
  for (Eigen::Index m = 0; m < derivatives.cols(); ++m)
    derivatives.col(m).tail(lines) = factorial(m) * taylor.lengths.col(1 + lines + m);
}

template std::shared_ptr<const BranchTaylor> branch_taylor(const SoftArm<2>&, SearchWorkspace&, const Point<2>&, int);
template std::shared_ptr<const BranchTaylor> branch_taylor(const SoftArm<3>&, SearchWorkspace&, const Point<4>&, int);
template void higher_derivatives(const SoftArm<2>&, const BranchTaylor&, Eigen::Ref<Eigen::MatrixXd>);
template void higher_derivatives(const SoftArm<3>&, const BranchTaylor&, Eigen::Ref<Eigen::MatrixXd>);

}  // namespace quoin::soft_arm
