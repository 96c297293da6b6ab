// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/detail/block_cholesky.hpp"
#include "quoin/kernel/detail/jet_correlation.hpp"
#include "sampled_kernels.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("a factor grown by blocks is the factor made at once") {
  const kernel_detail::JetCorrelation<3> correlation(Point<3>::Constant(0.8));
  const auto points = points_in_box<3>(12, 5);
  const int q = jet_size(3, 2), n = q * 12;
  Eigen::MatrixXd K(n, n);
  for (int s = 0; s < 12; ++s)
    for (int t = 0; t < 12; ++t)
      correlation.fill(points[s], 2, points[t], 2,
                       [&](Eigen::Index a, Eigen::Index b) -> double& { return K(s * q + a, t * q + b); });
  CHECK((K - K.transpose()).norm() < 1e-13);
  kernel_detail::BlockCholesky at_once(1e-12), grown(1e-12);
  at_once.append(Eigen::MatrixXd(n, 0), K);
  for (int done = 0, blocks[] = {q, 3 * q, 1 * q, 5 * q, 2 * q}; const int m : blocks) {
    grown.append(K.block(done, 0, m, done), K.block(done, done, m, m));
    done += m;
  }
  REQUIRE(grown.size() == n);
  const Eigen::MatrixXd L = grown.factor().triangularView<Eigen::Lower>();
  CHECK((L * L.transpose() - K).norm() < 1e-10);
  Eigen::MatrixXd b = Eigen::MatrixXd::Identity(n, 2), c = b;
  grown.solve(b);
  at_once.solve(c);
  // of condition 1e12
  CHECK((K * (b - c)).norm() < 1e-4);
  CHECK((K * b + 1e-12 * b - Eigen::MatrixXd::Identity(n, 2)).norm() < 1e-4);
  CHECK_THROWS_WITH(grown.append(K.topRows(2), K.topLeftCorner(2, 3)), Catch::Contains("2 x 3"));
}

TEST_CASE("a singular block is factorized with more jitter instead of failing") {
  kernel_detail::BlockCholesky factor(1e-14);
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(3, 3);
  factor.append(Eigen::MatrixXd(3, 0), ones);
  factor.append(ones, ones);
  CHECK(factor.size() == 6);
  CHECK(factor.factor().triangularView<Eigen::Lower>().toDenseMatrix().allFinite());
  CHECK_THROWS_AS(factor.append(Eigen::MatrixXd::Zero(1, 6), Eigen::MatrixXd::Constant(1, 1, NAN)),
                  std::invalid_argument);
}
