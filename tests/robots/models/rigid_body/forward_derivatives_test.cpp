// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "robots/models/rigid_body/general_inertias.hpp"
#include "testing/robots/humanoid.hpp"
#include "testing/robots/random_tree.hpp"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <complex>
#include <string>
#include <vector>

namespace quoin::rigid_body {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Complex = std::complex<double>;

/// A state and the forces that act there.
struct Driven {
  VectorXd q, qd, tau;
};

Driven random_state(int joints, unsigned seed) {
  RandomNumbers random(seed);
  return {random.vector(joints, 2), random.vector(joints, 2), random.vector(joints, 5)};
}

ForwardDynamicsDerivatives<double> derivatives(NewtonEuler<>& dynamics, const Driven& at) {
  ForwardDynamicsDerivatives<double> d;
  REQUIRE(dynamics.forward_dynamics_derivatives(at.q, at.qd, at.tau, d) == ForwardStatus::ok);
  return d;
}

/// The largest relative difference to -M^-1 (dtau/dq, dtau/dqd) and M^-1, solved densely.
double difference_to_solved(const RigidBodyTree& tree, const DynamicsOptions& options, unsigned seed) {
  const int n = tree.joints();
  NewtonEuler<> dynamics(tree, options);
  const Driven at = random_state(n, seed);
  const ForwardDynamicsDerivatives<double> d = derivatives(dynamics, at);
  VectorXd qdd(n);
  REQUIRE(dynamics.forward_dynamics(at.q, at.qd, at.tau, qdd) == ForwardStatus::ok);
  CHECK(d.qdd() == qdd);
  InverseDynamicsDerivatives<double> inverse;
  dynamics.inverse_dynamics_derivatives(at.q, at.qd, qdd, inverse);
  const Eigen::FullPivLU<MatrixXd> M(inverse.mass_matrix());
  const auto between = [](const auto& a, const MatrixXd& b) { return (a - b).norm() / (1 + b.norm()); };
  return std::max({between(d.dqdd_dq(), -M.solve(MatrixXd(inverse.dtau_dq()))),
                   between(d.dqdd_dqd(), -M.solve(MatrixXd(inverse.dtau_dqd()))), between(d.dqdd_dtau(), M.inverse())});
}

const DynamicsOptions smooth = {.friction = Friction::viscous_and_coulomb, .friction_velocity = 0.5};

}  // namespace

TEST_CASE(
    "the derivatives of accelerations are those of forces solved with the mass matrix, on trees of 1 to 30 links") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    RigidBodyTree tree(random_links(static_cast<int>(1 + seed % 30), seed));
    if (tree.joints() == 0) continue;
    if (seed % 2 == 0) tree = with_general_inertias(tree, seed);
    CAPTURE(seed, tree.joints());
    CHECK(difference_to_solved(tree, seed % 3 == 0 ? smooth : DynamicsOptions{}, seed) < 1e-11);
  }
}

TEST_CASE("the derivatives of a humanoid's accelerations are exact, and a leg moves nothing that hangs beside it") {
  const RigidBodyTree tree(humanoid_links());
  const int n = tree.joints();
  REQUIRE(n == 29);
  CHECK(difference_to_solved(tree, {}, 3) < 1e-11);
  NewtonEuler<> dynamics(tree);
  const ForwardDynamicsDerivatives<double> d = derivatives(dynamics, random_state(n, 4));
  for (const auto& matrix : {MatrixXd(d.dqdd_dq()), MatrixXd(d.dqdd_dqd()), MatrixXd(d.dqdd_dtau())}) {
    CHECK(matrix.block(6, 0, 23, 6).isZero(0));
    CHECK(matrix.block(12, 6, 17, 6).isZero(0));
    CHECK(matrix.block(0, 12, 12, 17).isZero(0));
    CHECK(matrix.block(22, 15, 7, 7).norm() > 1e-3);  // one arm moves the other through the waist
  }
}

TEST_CASE("complex steps through forward dynamics give its derivatives to rounding, whatever the inertias") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    RigidBodyTree tree(random_links(12, seed));
    if (seed % 2 == 0) tree = with_general_inertias(tree, seed);
    const int n = tree.joints();
    NewtonEuler<> dynamics(tree, smooth);
    NewtonEuler<Complex> complex_dynamics(tree, smooth);
    const Driven at = random_state(n, seed);
    const ForwardDynamicsDerivatives<double> d = derivatives(dynamics, at);
    constexpr double h = 1e-100;
    Eigen::VectorXcd q = at.q.cast<Complex>(), qd = at.qd.cast<Complex>(), tau = at.tau.cast<Complex>(), qdd(n);
    const auto column = [&](Eigen::VectorXcd& x, int j) {
      x[j] += Complex(0, h);
      REQUIRE(complex_dynamics.forward_dynamics(q, qd, tau, qdd) == ForwardStatus::ok);
      x[j] = x[j].real();
      return VectorXd(qdd.imag() / h);
    };
    CAPTURE(seed);
    for (int j = 0; j < n; ++j) {
      CHECK((column(q, j) - d.dqdd_dq().col(j)).norm() < 1e-11 * d.dqdd_dq().norm());
      CHECK((column(qd, j) - d.dqdd_dqd().col(j)).norm() < 1e-11 * d.dqdd_dqd().norm());
      CHECK((column(tau, j) - d.dqdd_dtau().col(j)).norm() < 1e-11 * d.dqdd_dtau().norm());
    }
    // the derivatives' own template at complex numbers
    ForwardDynamicsDerivatives<Complex> complex_d;
    REQUIRE(complex_dynamics.forward_dynamics_derivatives(q, qd, tau, complex_d) == ForwardStatus::ok);
    CHECK((complex_d.dqdd_dq() - d.dqdd_dq()).norm() < 1e-11 * d.dqdd_dq().norm());
    CHECK((complex_d.dqdd_dtau() - d.dqdd_dtau()).norm() < 1e-11 * d.dqdd_dtau().norm());
  }
}

TEST_CASE("derivatives of forward dynamics do not depend on what was asked before") {
  const RigidBodyTree tree(random_links(20, 5));
  NewtonEuler<> fresh(tree), used(tree);
  const Driven first = random_state(tree.joints(), 1), second = random_state(tree.joints(), 2);
  derivatives(used, first);
  ForwardDynamicsDerivatives<double> overflown;
  (void)used.forward_dynamics_derivatives(first.q, 1e200 * first.qd, first.tau, overflown);
  const ForwardDynamicsDerivatives<double> a = derivatives(fresh, second), b = derivatives(used, second);
  CHECK(a.dqdd_dq() == b.dqdd_dq());
  CHECK(a.dqdd_dqd() == b.dqdd_dqd());
  CHECK(a.dqdd_dtau() == b.dqdd_dtau());
}

TEST_CASE("derivatives of forward dynamics report a joint that moves no mass, and refuse sizes with the numbers") {
  RandomNumbers random(5);
  const std::vector<Link> links = {
      {.name = "arm", .joint = {.type = JointType::revolute}, .inertia = random.inertia()},
      {.name = "ghost", .parent = "arm", .joint = {.type = JointType::revolute}, .placement = random.placement()}};
  NewtonEuler<> dynamics{RigidBodyTree(links)};
  ForwardDynamicsDerivatives<double> d;
  const VectorXd ones = VectorXd::Ones(2), wrong = VectorXd::Ones(5);
  CHECK(dynamics.forward_dynamics_derivatives(ones, ones, ones, d) == ForwardStatus::singular);
  CHECK_THROWS_WITH(dynamics.forward_dynamics_derivatives(wrong, ones, ones, d),
                    Catch::Contains("forward_dynamics_derivatives: q is of size 5 instead of 2"));
  CHECK_THROWS_WITH(dynamics.forward_dynamics_derivatives(ones, wrong, ones, d), Catch::Contains("qd is of size 5"));
  CHECK_THROWS_WITH(dynamics.forward_dynamics_derivatives(ones, ones, wrong, d), Catch::Contains("tau is of size 5"));
}

}  // namespace quoin::rigid_body
