// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/linear_algebra/semidefinite_root.hpp"
#include "testing/drawn.hpp"
#include "testing/robots/random_matrix.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace quoin::linear_algebra {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

TEST_CASE("the root of a drawn covariance has its rank in any units, and what is none is refused in any") {
  std::mt19937 generator(test::seed_wanted());
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int draw = 0; draw < test::draws_wanted(300); ++draw) {
    const Eigen::Index n = 1 + draw % 6, rank = 1 + draw / 6 % n;
    const MatrixXd A = planning::test::random_matrix(generator, n, rank);
    VectorXd units(n);
    for (double& unit : units) unit = std::pow(10, 8 * uniform(generator));
    const MatrixXd plain = A * A.transpose(), S = units.asDiagonal() * plain * units.asDiagonal();
    const SemidefiniteRoot of(S, "S");
    CAPTURE(draw, n, rank, units.transpose());
    CHECK(of.rank() == rank);
    const MatrixXd back = units.cwiseInverse().asDiagonal() * of.root();
    CHECK((back * back.transpose() - plain).norm() < 1e-10 * plain.norm());
    const MatrixXd through = units.cwiseInverse().asDiagonal() * (S * of.inverse());
    CHECK((through - back).norm() < 1e-6 * back.norm());

    MatrixXd negative = S;
    negative(n - 1, n - 1) *= n > 1 && rank < n ? 0.9 : -1;  // below what the rest leaves to it, or below zero
    CHECK_THROWS_WITH(SemidefiniteRoot(negative, "S"), Catch::StartsWith("S has an eigenvalue of -"));
    if (n == 1) continue;
    MatrixXd askew = S;
    askew(0, n - 1) += 0.01 * std::sqrt(S(0, 0) * S(n - 1, n - 1));
    CHECK_THROWS_WITH(SemidefiniteRoot(askew, "S"), Catch::Contains("differs from its transpose by 0.0"));
  }
}

}  // namespace
}  // namespace quoin::linear_algebra
