// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "robots/models/rigid_body/general_inertias.hpp"
#include "testing/robots/humanoid.hpp"
#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

#include <complex>

namespace quoin::rigid_body {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Column j of M is the force that accelerates joint j alone, at rest and without gravity.
MatrixXd by_inverse_dynamics(const RigidBodyTree& tree, const VectorXd& q) {
  const int n = tree.joints();
  NewtonEuler<> dynamics(tree, {.gravity = Eigen::Vector3d::Zero()});
  const VectorXd rest = VectorXd::Zero(n);
  MatrixXd M(n, n);
  for (int j = 0; j < n; ++j) dynamics.inverse_dynamics(q, rest, VectorXd::Unit(n, j), M.col(j));
  return M;
}

}  // namespace

TEST_CASE("each column of the mass matrix is the force that accelerates its joint, on trees of 1 to 30 links") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    RigidBodyTree tree(random_links(static_cast<int>(1 + seed % 30), seed));
    if (seed % 2 == 0 && tree.joints() > 0) tree = with_general_inertias(tree, seed);
    const int n = tree.joints();
    const VectorXd q = RandomNumbers(seed).vector(n, 2);
    NewtonEuler<> dynamics(tree);
    MatrixXd M(n, n);
    dynamics.mass_matrix(q, M);
    CAPTURE(seed, n);
    CHECK((M - by_inverse_dynamics(tree, q)).norm() <= 1e-12 * M.norm());

    // the same as a block of another matrix, whose other entries stay
    MatrixXd larger = MatrixXd::Constant(n + 3, n + 2, 7);
    dynamics.mass_matrix(q, larger.block(2, 1, n, n));
    CHECK(larger.block(2, 1, n, n) == M);
    larger.block(2, 1, n, n).setConstant(7);
    CHECK((larger.array() == 7).all());
  }
}

TEST_CASE("the mass matrix of a humanoid is that of its inverse dynamics, also at complex coordinates") {
  const RigidBodyTree tree(humanoid_links());
  const int n = tree.joints();
  const VectorXd q = RandomNumbers(2).vector(n, 2);
  NewtonEuler<std::complex<double>> dynamics(tree);
  Eigen::MatrixXcd M(n, n);
  dynamics.mass_matrix(q.cast<std::complex<double>>(), M);
  CHECK((M - by_inverse_dynamics(tree, q)).norm() < 1e-12 * M.norm());
  NewtonEuler<> real(tree);
  MatrixXd wrong(n, n - 1);
  CHECK_THROWS_WITH(real.mass_matrix(q, wrong), Catch::Contains("columns of M is of size 28 instead of 29"));
}

}  // namespace quoin::rigid_body
