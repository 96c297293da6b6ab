// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "robots/models/rigid_body/general_inertias.hpp"
#include "testing/robots/random_tree.hpp"
#include "testing/taylor.hpp"

#include <catch2/catch.hpp>

#include <complex>

namespace quoin::rigid_body {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using soft_arm::taylor_slope;

struct Motion {
  VectorXd q, qd, qdd;
};

Motion random_motion(int joints, unsigned seed) {
  RandomNumbers random(seed);
  return {random.vector(joints, 2), random.vector(joints, 2), random.vector(joints, 3)};
}

VectorXd forces(NewtonEuler<>& dynamics, const Motion& m) {
  VectorXd tau(m.q.size());
  dynamics.inverse_dynamics(m.q, m.qd, m.qdd, tau);
  return tau;
}

double worst(const MatrixXd& a, const MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("the derivatives of the joint forces leave Taylor remainders of second order, whatever the inertias") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    RigidBodyTree tree(random_links(11, seed));
    if (seed % 2 == 0) tree = with_general_inertias(tree, seed);
    NewtonEuler<> dynamics(tree, {.friction = Friction::viscous_and_coulomb, .friction_velocity = 0.5});
    const int n = tree.joints();
    const Motion m = random_motion(n, 50 + seed), w = random_motion(n, 80 + seed);
    InverseDynamicsDerivatives<double> d;
    dynamics.inverse_dynamics_derivatives(m.q, m.qd, m.qdd, d);
    const VectorXd tau = forces(dynamics, m);
    CHECK(worst(d.tau(), tau) < 1e-11 * tau.norm());
    const auto by_q = [&](double h) {
      return (forces(dynamics, {m.q + h * w.q, m.qd, m.qdd}) - tau - h * (d.dtau_dq() * w.q)).norm();
    };
    const auto by_qd = [&](double h) {
      return (forces(dynamics, {m.q, m.qd + h * w.qd, m.qdd}) - tau - h * (d.dtau_dqd() * w.qd)).norm();
    };
    CAPTURE(seed);
    CHECK(taylor_slope(by_q, 1e-2) == Approx(2).margin(0.15));
    CHECK(taylor_slope(by_qd, 1e-2) == Approx(2).margin(0.15));
    // tau is linear in qdd: no remainder at all
    CHECK((forces(dynamics, {m.q, m.qd, m.qdd + w.qdd}) - tau - d.mass_matrix() * w.qdd).norm() < 1e-10 * tau.norm());
  }
}

TEST_CASE("complex steps through the templates give the derivatives to rounding") {
  using Complex = std::complex<double>;
  const RigidBodyTree tree = with_general_inertias(RigidBodyTree(random_links(9, 4)), 3);
  const int n = tree.joints();
  NewtonEuler<> dynamics(tree);
  NewtonEuler<Complex> complex_dynamics(tree);
  const Motion m = random_motion(n, 7);
  InverseDynamicsDerivatives<double> d;
  dynamics.inverse_dynamics_derivatives(m.q, m.qd, m.qdd, d);
  MatrixXd M(n, n), C(n, n);
  dynamics.mass_matrix(m.q, M);
  CHECK(worst(M, d.mass_matrix()) < 1e-12 * M.norm());
  constexpr double h = 1e-100;
  for (int j = 0; j < n; ++j) {
    Eigen::VectorXcd q = m.q.cast<Complex>(), qd = m.qd.cast<Complex>(), qdd = m.qdd.cast<Complex>(), tau(n);
    const auto column = [&](Eigen::VectorXcd& x) {
      x[j] += Complex(0, h);
      complex_dynamics.inverse_dynamics(q, qd, qdd, tau);
      x[j] = x[j].real();
      return VectorXd(tau.imag() / h);
    };
    CHECK(worst(column(q), d.dtau_dq().col(j)) < 1e-11 * d.dtau_dq().norm());
    CHECK(worst(column(qd), d.dtau_dqd().col(j)) < 1e-11 * d.dtau_dqd().norm());
    CHECK(worst(column(qdd), d.mass_matrix().col(j)) < 1e-11 * M.norm());
  }
}

TEST_CASE("the regressor times the parameters is the inverse dynamics, general inertias included") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RigidBodyTree tree(random_links(10, seed));
    if (seed % 2 == 0) tree = with_general_inertias(tree, seed);
    const int n = tree.joints();
    NewtonEuler<> dynamics(tree);
    const Motion m = random_motion(n, seed);
    MatrixXd Y(n, 13 * n);
    dynamics.regressor(m.q, m.qd, m.qdd, Y);
    const VectorXd tau = forces(dynamics, m);
    CHECK((Y * tree.parameters().reshaped() - tau).norm() < 1e-12 * (1 + tau.norm()));

    // other parameters, through the call and through the tree
    const Parameters other = tree.parameters() + 0.1 * Parameters::Random(13, n);
    VectorXd with_others(n);
    dynamics.inverse_dynamics(m.q, m.qd, m.qdd, other, with_others);
    CHECK((Y * other.reshaped() - with_others).norm() < 1e-11 * (1 + tau.norm()));
    NewtonEuler<> rebuilt(tree.with_parameters(other));
    CHECK(worst(forces(rebuilt, m), with_others) < 1e-12 * (1 + tau.norm()));

    const VectorXd w = VectorXd::Random(n);
    Parameters gradient = Parameters::Ones(13, n);
    dynamics.add_parameter_gradient(m.q, m.qd, m.qdd, w, gradient);
    CHECK(((gradient.array() - 1).matrix().reshaped() - Y.transpose() * w).norm() < 1e-12 * (1 + Y.norm()));

    if (seed % 2 == 1)  // ten parameters are enough where inertias are symmetric
      for (int i = 0; i < n; ++i) {
        Eigen::Matrix<double, 10, 1> ten;
        const auto all = tree.parameters().col(i);
        ten << all.head<7>(), all[8], all[9], all[12];
        CHECK((symmetric_embedding() * ten - all).norm() < 1e-14);
      }
  }
}

TEST_CASE("articulated bodies invert Newton-Euler, with friction and with general inertias") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RigidBodyTree tree(random_links(12, seed));
    if (seed % 3 == 0) {
      Parameters slightly = tree.parameters();
      slightly.bottomRows<9>() += 0.02 * Parameters::Random(13, tree.joints()).bottomRows<9>();
      tree = tree.with_parameters(slightly);
    }
    NewtonEuler<> dynamics(tree, {.friction = Friction::viscous_and_coulomb});
    const Motion m = random_motion(tree.joints(), seed);
    VectorXd back(tree.joints());
    REQUIRE(dynamics.forward_dynamics(m.q, m.qd, forces(dynamics, m), back) == ForwardStatus::ok);
    CHECK(worst(back, m.qdd) < 1e-9);
  }
}

TEST_CASE("a joint that moves no mass leaves forward dynamics singular") {
  RandomNumbers random(3);
  std::vector<Link> links{{.name = "arm", .joint = {.type = JointType::revolute}, .inertia = random.inertia()},
                          {.name = "ghost", .parent = "arm", .joint = {.type = JointType::revolute}}};
  links[1].placement = random.placement();
  NewtonEuler<> dynamics{RigidBodyTree(links)};
  VectorXd qdd(2);
  CHECK(dynamics.forward_dynamics(VectorXd::Ones(2), VectorXd::Ones(2), VectorXd::Zero(2), qdd) ==
        ForwardStatus::singular);
}

TEST_CASE("M - 2 C is skew along a motion, C qd + g is the force without acceleration, and g the one at rest") {
  const RigidBodyTree tree(random_links(9, 12));
  const int n = tree.joints();
  NewtonEuler<> dynamics(tree, {.friction = Friction::none});
  const Motion m = random_motion(n, 5);
  MatrixXd C(n, n), M(n, n), ahead(n, n), behind(n, n);
  dynamics.coriolis_matrix(m.q, m.qd, C);
  const double h = 1e-5;
  dynamics.mass_matrix(m.q + h * m.qd, ahead);
  dynamics.mass_matrix(m.q - h * m.qd, behind);
  const MatrixXd skew = (ahead - behind) / (2 * h) - 2 * C;
  CHECK((skew + skew.transpose()).norm() < 1e-7 * C.norm());
  VectorXd g(n);
  dynamics.gravity(m.q, g);
  CHECK(worst(g, forces(dynamics, {m.q, VectorXd::Zero(n), VectorXd::Zero(n)})) < 1e-13 * g.norm());
  CHECK((C * m.qd + g - forces(dynamics, {m.q, m.qd, VectorXd::Zero(n)})).norm() < 1e-11 * g.norm());
  dynamics.mass_matrix(m.q, M);
  CHECK(dynamics.energy(m.q, m.qd).kinetic == Approx(0.5 * m.qd.dot(M * m.qd)).epsilon(1e-12));
  // g is the gradient of the potential energy.
  const auto remainder = [&](double s) {
    return std::abs(dynamics.energy(m.q + s * m.qd, m.qd).potential - dynamics.energy(m.q, m.qd).potential -
                    s * g.dot(m.qd));
  };
  CHECK(taylor_slope(remainder, 1e-2) == Approx(2).margin(0.2));
}

TEST_CASE("a free swing by the classical Runge-Kutta scheme keeps its energy to fourth order and better") {
  const RigidBodyTree tree(random_links(6, 21));
  const int n = tree.joints();
  NewtonEuler<> dynamics(tree);
  const auto drift = [&](double dt) {
    VectorXd q = VectorXd::Constant(n, 0.3), qd = VectorXd::Constant(n, 0.1), a1(n), a2(n), a3(n), a4(n);
    const VectorXd none = VectorXd::Zero(n);
    const auto start = dynamics.energy(q, qd);
    const auto accelerate = [&](const VectorXd& at, const VectorXd& rate, VectorXd& a) {
      REQUIRE(dynamics.forward_dynamics(at, rate, none, a) == ForwardStatus::ok);
    };
    for (int k = 0; k < static_cast<int>(std::lround(0.6 / dt)); ++k) {
      accelerate(q, qd, a1);
      const VectorXd v2 = qd + 0.5 * dt * a1, v3_q = q + 0.5 * dt * qd;
      accelerate(v3_q, v2, a2);
      const VectorXd v3 = qd + 0.5 * dt * a2;
      accelerate(q + 0.5 * dt * v2, v3, a3);
      const VectorXd v4 = qd + dt * a3;
      accelerate(q + dt * v3, v4, a4);
      q += dt / 6 * (qd + 2 * v2 + 2 * v3 + v4);
      qd += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    const auto end = dynamics.energy(q, qd);
    return std::abs(end.kinetic + end.potential - start.kinetic - start.potential);
  };
  std::vector<double> drifts;
  for (double dt = 0.02; dt > 0.001; dt /= 2) drifts.push_back(drift(dt));
  const double order = std::log2(drifts.front() / drifts.back()) / static_cast<double>(drifts.size() - 1);
  CAPTURE(drifts);
  CHECK(order > 3.7);  // the scheme's order is 4; of the energy it may be 5
  CHECK(order < 5.5);
}

TEST_CASE("a tree that floats on three prismatic joints without gravity keeps its linear momentum") {
  std::vector<Link> links;
  for (int k = 0; k < 3; ++k) {
    Link cart{.name = "cart " + std::to_string(k), .parent = k ? "cart " + std::to_string(k - 1) : ""};
    cart.joint = {.type = JointType::prismatic, .axis = Eigen::Vector3d::Unit(k)};
    links.push_back(cart);
  }
  RandomNumbers random(9);
  links.back().inertia = random.inertia();
  for (Link link : random_links(6, 31)) {
    if (link.parent.empty()) link.parent = "cart 2";
    links.push_back(link);
  }
  const RigidBodyTree tree(links);
  const int n = tree.joints();
  NewtonEuler<> dynamics(tree, {.gravity = Eigen::Vector3d::Zero()});
  const Motion m = random_motion(n, 3);
  VectorXd tau = random.vector(n, 5), qdd(n);
  tau.head(3).setZero();  // whatever forces act in the joints, none acts on the base
  REQUIRE(dynamics.forward_dynamics(m.q, m.qd, tau, qdd) == ForwardStatus::ok);
  // d/dt momentum by a complex step along the motion
  NewtonEuler<std::complex<double>> complex_dynamics(tree, {.gravity = Eigen::Vector3d::Zero()});
  const std::complex<double> ih(0, 1e-100);
  const auto momentum = complex_dynamics.momentum(m.q.cast<std::complex<double>>() + ih * m.qd,
                                                  m.qd.cast<std::complex<double>>() + ih * qdd);
  CHECK((momentum.imag().head<3>() / 1e-100).norm() < 1e-10);
  CHECK(momentum.real().head<3>().norm() > 0.1);
  // the first three of M qd are that momentum
  MatrixXd M(n, n);
  dynamics.mass_matrix(m.q, M);
  CHECK(worst((M * m.qd).head(3), momentum.real().head<3>()) < 1e-12 * M.norm());
}

TEST_CASE("Jacobians and bias accelerations of points are the derivatives of their poses") {
  const RigidBodyTree tree(random_links(12, 17));
  const int n = tree.joints();
  NewtonEuler<> dynamics(tree);
  NewtonEuler<std::complex<double>> complex_dynamics(tree);
  const Motion m = random_motion(n, 8);
  const Eigen::Vector3d point(0.1, -0.2, 0.3);
  for (int i = 0; i < 12; ++i) {
    const Frame frame = tree.frame("link " + std::to_string(i));  // fixed links among them
    MatrixXd J(6, n);
    dynamics.jacobian(m.q, frame, point, J);
    const std::complex<double> ih(0, 1e-100);
    const auto moved = complex_dynamics.pose(m.q.cast<std::complex<double>>() + ih * m.qd, frame);
    const Eigen::Vector3cd at = moved * Eigen::Vector3cd(point.cast<std::complex<double>>());
    CHECK((at.imag() / 1e-100 - (J * m.qd).head<3>()).norm() < 1e-12);
    const Eigen::Matrix3d turning = (moved.linear().imag() / 1e-100) * moved.linear().real().transpose();
    CHECK((Eigen::Vector3d(turning(2, 1), turning(0, 2), turning(1, 0)) - (J * m.qd).tail<3>()).norm() < 1e-12);
    // d/dt (J qd) at constant qd
    Eigen::MatrixXcd J_ahead(6, n);
    complex_dynamics.jacobian(m.q.cast<std::complex<double>>() + ih * m.qd, frame, point, J_ahead);
    const VectorXd bias = J_ahead.imag() / 1e-100 * m.qd;
    CHECK((dynamics.bias_acceleration(m.q, m.qd, frame, point) - bias).norm() < 1e-11);
  }
}

TEST_CASE("arguments of another size are refused with the numbers") {
  NewtonEuler<> dynamics{RigidBodyTree(random_links(4, 2))};
  VectorXd wrong(9), tau(dynamics.tree().joints());
  CHECK_THROWS_WITH(dynamics.inverse_dynamics(wrong, tau, tau, tau),
                    Catch::Contains("q is of size 9 instead of " + std::to_string(tau.size())));
  CHECK_THROWS_AS(dynamics.gravity(tau, wrong), std::invalid_argument);
  CHECK_THROWS_AS(NewtonEuler<>(dynamics.tree(), {.friction_velocity = -1}), std::invalid_argument);
}

}  // namespace quoin::rigid_body
