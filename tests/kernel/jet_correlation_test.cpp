// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/detail/jet_correlation.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;

TEST_CASE("correlations of derivatives are derivatives of the correlation") {
  const kernel_detail::JetCorrelation<2> correlation(Point<2>(0.7, 1.9));
  const Point<2> x(0.3, -0.4), other(-0.2, 0.5);
  const int q = jet_size(2, 3);
  Eigen::MatrixXd here(q, q), ahead(q, q), behind(q, q);
  const auto fill = [&](const Point<2>& at, Eigen::MatrixXd& out) {
    correlation.fill(at, 3, other, 3, [&](Eigen::Index a, Eigen::Index b) -> double& { return out(a, b); });
  };
  fill(x, here);
  CHECK(here(0, 0) == Approx(std::exp(-0.5 * (std::pow(0.5 / 0.7, 2) + std::pow(0.9 / 1.9, 2)))).epsilon(1e-14));
  const auto& indices = kernel_detail::JetCorrelation<2>::indices(3);
  const double h = 1e-5;
  for (int axis = 0; axis < 2; ++axis) {
    fill(x + h * Point<2>::Unit(axis), ahead);
    fill(x - h * Point<2>::Unit(axis), behind);
    for (int a = 0; a < q; ++a) {
      MultiIndex<2> raised = indices[a];
      ++raised[axis];
      for (int up = 0; up < q; ++up) {
        if (indices[up] != raised) continue;
        const double ratio = correlation.scale(raised) / correlation.scale(indices[a]);
        for (int b = 0; b < q; ++b) CHECK(ratio * (ahead - behind)(a, b) / (2 * h) == Approx(here(up, b)).margin(1e-8));
      }
    }
  }
  // symmetric under exchange of the two points
  Eigen::MatrixXd exchanged(q, q);
  correlation.fill(other, 3, x, 3, [&](Eigen::Index a, Eigen::Index b) -> double& { return exchanged(a, b); });
  CHECK((exchanged.transpose() - here).norm() < 1e-14);
}
