// SPDX-License-Identifier: BSD-3-Clause
#include "branch_prediction.hpp"

#include "graded.hpp"

namespace quoin::soft_arm {
namespace {

// The monomials of degree 1 to `order`, padded with zeros.
template <int Lines>
Eigen::VectorXd monomials(const Point<Lines>& change, int order, Eigen::Index padded) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(padded);
  result.head(Lines) = change;
  int at = Lines;
  for (int i = 0; i < Lines; ++i)
    for (int j = i; j < Lines; ++j, ++at) result[at] = change[i] * change[j];
  if (order == 3)
    for (int m = 0; m < Graded<Lines>::count[3]; ++m)
      result[at + m] = change[graded<Lines>.axis[m]] * result[Lines + graded<Lines>.rest[m]];
  return result;
}

// Terms of the polynomial in s of the branch through an equilibrium along a direction: columns 0 to 2, or to 3.
template <int D>
Eigen::MatrixXd along(const SoftArm<D>& arm, const KnownEquilibrium<D>& known, const Point<line_count<D>>& direction) {
  constexpr int lines = line_count<D>;
  using Table = Graded<lines>;
  const BranchTaylor& taylor = *known.taylor;
  const Eigen::VectorXd products = monomials<lines>(direction, taylor.order, taylor.x.cols());
  Eigen::MatrixXd terms(arm.free_size(), taylor.order + 1);
  terms.col(0) = arm.free_part(known.equilibrium->y.head(arm.size()));
  for (int degree = 1, first = 0; degree <= taylor.order; first += Table::count[degree], ++degree)
    terms.col(degree).noalias() =
        taylor.x.middleCols(first, Table::count[degree]) * products.segment(first, Table::count[degree]);
  return terms;
}

}  // namespace

template <int D>
Eigen::VectorXd taylor_change(const BranchTaylor& taylor, const Point<line_count<D>>& change) {
  return taylor.x * monomials<line_count<D>>(change, taylor.order, taylor.x.cols());
}

template <int D>
BranchPrediction<D> predict_branch(const SoftArm<D>& arm, const KnownEquilibrium<D>& a, const KnownEquilibrium<D>& b,
                                   const Point<line_count<D>>& alpha) {
  BranchPrediction<D> result;
  const Point<line_count<D>> way = alpha - a.equilibrium->alpha;
  const double s = result.distance = way.norm();
  result.direction = way / s;
  const Eigen::MatrixXd from_a = along(arm, a, result.direction);
  const Eigen::Index order = from_a.cols() - 1;
  Eigen::VectorXd value, weights(order + 1), slopes(order + 1);
  if (!b.equilibrium) {
    weights[0] = 1;
    slopes[0] = 0;
    for (Eigen::Index k = 1; k <= order; ++k) {
      weights[k] = weights[k - 1] * s;
      slopes[k] = static_cast<double>(k) * weights[k - 1];
    }
    value = from_a * weights;
    result.slope = from_a * slopes;
    result.error_growth = static_cast<double>(order + 1) / s;
  } else {
    // Quintic Hermite polynomials in t = s / L, with Taylor coefficients in the place of second derivatives.
    const double L = result.direction.dot(b.equilibrium->alpha - a.equilibrium->alpha), t = s / L;
    const Eigen::MatrixXd from_b = along(arm, b, result.direction);
    const double t2 = t * t, t3 = t2 * t, t4 = t2 * t2, t5 = t4 * t;
    const Eigen::Vector3d at_a(1 - 10 * t3 + 15 * t4 - 6 * t5, L * (t - 6 * t3 + 8 * t4 - 3 * t5),
                               L * L * (t2 - 3 * t3 + 3 * t4 - t5));
    const Eigen::Vector3d at_b(10 * t3 - 15 * t4 + 6 * t5, L * (-4 * t3 + 7 * t4 - 3 * t5), L * L * (t3 - 2 * t4 + t5));
    const Eigen::Vector3d slope_a((-30 * t2 + 60 * t3 - 30 * t4) / L, 1 - 18 * t2 + 32 * t3 - 15 * t4,
                                  L * (2 * t - 9 * t2 + 12 * t3 - 5 * t4));
    const Eigen::Vector3d slope_b((30 * t2 - 60 * t3 + 30 * t4) / L, -12 * t2 + 28 * t3 - 15 * t4,
                                  L * (3 * t2 - 8 * t3 + 5 * t4));
    value = from_a.leftCols<3>() * at_a + from_b.leftCols<3>() * at_b;
    result.slope = from_a.leftCols<3>() * slope_a + from_b.leftCols<3>() * slope_b;
    result.error_growth = 3 / s + 3 / (s - L);
  }
  result.moved = (value - from_a.col(0)).norm();
  result.x = a.equilibrium->y.head(arm.size());
  arm.set_free(value, result.x);
  return result;
}

template Eigen::VectorXd taylor_change<2>(const BranchTaylor&, const Point<2>&);
template Eigen::VectorXd taylor_change<3>(const BranchTaylor&, const Point<4>&);
template BranchPrediction<2> predict_branch(const SoftArm<2>&, const KnownEquilibrium<2>&, const KnownEquilibrium<2>&,
                                            const Point<2>&);
template BranchPrediction<3> predict_branch(const SoftArm<3>&, const KnownEquilibrium<3>&, const KnownEquilibrium<3>&,
                                            const Point<4>&);

}  // namespace quoin::soft_arm
