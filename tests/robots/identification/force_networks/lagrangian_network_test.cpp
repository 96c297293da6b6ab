// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_networks/lagrangian_network.hpp"

#include <Eigen/Eigenvalues>

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin::identification;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr Eigen::Index n = 4;

VectorXd normal_vector(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return VectorXd::NullaryExpr(n, [&] { return normal(random); });
}

/// Weights that are far from random's, so that every term counts.
LagrangianNetwork lively(std::uint64_t seed = 1) {
  LagrangianNetwork delan = LagrangianNetwork::random(n, seed, {10, 12, 8});
  delan.inertia.weights *= 3;
  delan.potential.weights *= 3;
  delan.inertia_scale = VectorXd::LinSpaced(n, 0.5, 1.5);
  return delan;
}

VectorXd forces(const LagrangianNetwork& delan, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  MatrixXd tau(n, 1);
  delan.inverse_dynamics(q, qd, qdd, tau);
  return tau;
}

/// A path with its rates.
struct Path {
  VectorXd a = normal_vector(11), b = normal_vector(12), c = normal_vector(13), d = normal_vector(14);
  VectorXd q(double t) const { return a + t * (b + t * (c + t * d)); }
  VectorXd qd(double t) const { return b + t * (2 * c + t * 3 * d); }
  VectorXd qdd(double t) const { return 2 * c + t * 6 * d; }
};

template <class F>
auto central(F f, double h) {
  using Value = std::decay_t<decltype(f(h))>;
  return Value((f(h) - f(-h)) / (2 * h));
}

}  // namespace

TEST_CASE("DeLaN's forces are the equation of Euler and Lagrange of its own energy: differences err by second order",
          "[networks]") {
  const LagrangianNetwork delan = lively();
  const Path path;
  const VectorXd tau = forces(delan, path.q(0), path.qd(0), path.qdd(0));
  const VectorXd q = path.q(0), qd = path.qd(0);
  const auto lagrangian = [&](const VectorXd& at) {
    return delan.energy(at, qd) - 2 * delan.energy(at, VectorXd::Zero(n));  // T - V of T + V
  };
  const auto error = [&](double h) {
    VectorXd by_differences = central([&](double t) { return VectorXd(delan.mass_matrix(path.q(t)) * path.qd(t)); }, h);
    for (Eigen::Index k = 0; k < n; ++k)
      by_differences[k] -= central([&](double s) { return lagrangian(q + s * VectorXd::Unit(n, k)); }, h);
    return (by_differences - tau).norm();
  };
  const double order = std::log2(error(2e-3) / error(1e-3));
  INFO("order " << order << ", error " << error(1e-3) << " of " << tau.norm());
  CHECK(order > 1.9);
  CHECK(order < 2.1);
  CHECK(error(1e-4) < 1e-5 * tau.norm());
}

TEST_CASE("what DeLaN's joints are given is what its energy gains, and what friction takes", "[networks]") {
  LagrangianNetwork delan = lively();
  const Path path;
  const auto power = [&] { return path.qd(0).dot(forces(delan, path.q(0), path.qd(0), path.qdd(0))); };
  const double lossless = power();
  const auto error = [&](double h) {
    return std::abs(central([&](double t) { return delan.energy(path.q(t), path.qd(t)); }, h) - lossless);
  };
  const double order = std::log2(error(2e-3) / error(1e-3));
  INFO("order " << order << ", error " << error(1e-3) << " of " << lossless);
  CHECK(order > 1.9);
  CHECK(order < 2.1);

  delan.damping_root = VectorXd::LinSpaced(n, -0.5, 1);
  const double lost = path.qd(0).dot(delan.damping().cwiseProduct(path.qd(0)));
  CHECK(delan.damping().minCoeff() >= 0);
  CHECK(power() == Approx(lossless + lost).epsilon(1e-12));
}

TEST_CASE("DeLaN's mass matrix is symmetric and positive definite whatever the weights, and what accelerations meet",
          "[networks]") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const double size : {1e-3, 1.0, 30.0})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      LagrangianNetwork delan = LagrangianNetwork::random(n, seed, {10, 12, 8});
      for (double& weight : delan.inertia.weights) weight = size * normal(random);
      const VectorXd q = normal_vector(seed), qd = normal_vector(seed + 100), qdd = normal_vector(seed + 200);
      const MatrixXd H = delan.mass_matrix(q);
      const double rounding = 1e-13 * H.norm();
      CHECK((H - H.transpose()).norm() == 0);
      CHECK(Eigen::SelfAdjointEigenSolver<MatrixXd>(H).eigenvalues().minCoeff() > delan.floor - rounding);
      const VectorXd resting = forces(delan, q, qd, VectorXd::Zero(n));
      CHECK((forces(delan, q, qd, qdd) - resting - H * qdd).norm() < 1e-12 * (1 + resting.norm() + H.norm()));
    }
}

TEST_CASE("DeLaN's answer for one state is its column of the answer for many", "[networks]") {
  const LagrangianNetwork delan = lively();
  const Eigen::Index T = 300;
  MatrixXd q(n, T), qd(n, T), qdd(n, T), tau(n, T);
  for (Eigen::Index t = 0; t < T; ++t) {
    const auto seed = static_cast<std::uint64_t>(t);
    q.col(t) = normal_vector(seed);
    qd.col(t) = normal_vector(seed + 1000);
    qdd.col(t) = normal_vector(seed + 2000);
  }
  delan.inverse_dynamics(q, qd, qdd, tau);
  for (const Eigen::Index t : {0, 255, 256, 299})
    CHECK((forces(delan, q.col(t), qd.col(t), qdd.col(t)) - tau.col(t)).norm() < 1e-12 * tau.norm());
}

TEST_CASE("rows of L begin smaller where a motion's forces could not give its accelerations to a unit of inertia",
          "[networks]") {
  const VectorXd wave = VectorXd::LinSpaced(100, 0, 6).array().sin();
  RobotMotion motion{.q = MatrixXd::Zero(2, 100), .qd = MatrixXd::Zero(2, 100), .qdd = MatrixXd(2, 100), .tau = {}};
  motion.qdd << 4 * wave.transpose(), wave.transpose();
  motion.tau = motion.qdd;
  motion.tau.row(0) /= 100;
  motion.tau.row(1) *= 30;
  const LagrangianNetwork delan = LagrangianNetwork::random(motion, 1);
  CHECK(delan.inertia_scale[0] == Approx(0.1).epsilon(1e-12));
  CHECK(delan.inertia_scale[1] == 1);
}

TEST_CASE("a DeLaN of one joint, or of no hidden layers, is one too", "[networks]") {
  const LagrangianNetwork one = LagrangianNetwork::random(1, 3);
  const VectorXd x = VectorXd::Constant(1, 0.4);
  MatrixXd tau(1, 1), without(1, 1);
  one.inverse_dynamics(x, x, x, tau);
  one.inverse_dynamics(x, x, 0 * x, without);
  CHECK(tau(0, 0) - without(0, 0) == Approx(0.4 * one.mass_matrix(x)(0, 0)).epsilon(1e-12));

  const LagrangianNetwork linear = LagrangianNetwork::random(n, 3, {});
  const VectorXd q = normal_vector(1);
  CHECK(forces(linear, q, 0 * q, 0 * q) == linear.potential.weights.head(n));  // the slope of V
}

TEST_CASE("a DeLaN of the wrong shape says so with the numbers", "[networks]") {
  LagrangianNetwork delan = lively();
  MatrixXd tau(n, 2);
  const MatrixXd two = MatrixXd::Zero(n, 2);
  CHECK_THROWS_WITH(delan.inverse_dynamics(two, two, two.leftCols(1), tau), Catch::Contains("qdd 4 x 1, tau 4 x 2"));
  CHECK_THROWS_WITH(delan.mass_matrix(VectorXd::Zero(3)), Catch::Contains("wanted 3 inputs"));
  CHECK_THROWS_WITH(LagrangianNetwork::random(0, 1), Catch::Contains("0 joints"));
  delan.damping_root = VectorXd::Zero(2);
  CHECK_THROWS_WITH(delan.inverse_dynamics(two, two, two, tau), Catch::Contains("damping of 2 joints"));
  delan = lively();
  delan.inertia_scale.conservativeResize(3);
  CHECK_THROWS_WITH(delan.inverse_dynamics(two, two, two, tau), Catch::Contains("3 scales of inertia, wanted 4"));
  delan = lively();
  delan.floor = 0;
  CHECK_THROWS_WITH(delan.inverse_dynamics(two, two, two, tau), Catch::Contains("floor 0"));
}
