// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/mppi.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>

using namespace quoin::planning;

namespace {

/// A double integrator in steps of 0.2: position and rate to zero, at a cost of forces.
struct Cart {
  Eigen::Vector2d x{1, 0};

  void step(double force) { x += 0.2 * Eigen::Vector2d(x[1] + 0.1 * force, force); }
  double cost(const Eigen::MatrixXd& forces) const {
    Cart cart = *this;
    double sum = 0;
    for (const double force : forces.reshaped()) {
      cart.step(force);
      sum += 0.5 * (cart.x.squaredNorm() + 0.1 * force * force);
    }
    return sum;
  }
};

/// The minimum of the cart's cost, which is a quadratic form: from its values at 0, e_i and e_i + e_j.
Eigen::VectorXd best_forces(const Cart& cart, int steps) {
  const auto at = [&](const Eigen::VectorXd& u) { return cart.cost(u.transpose()); };
  const Eigen::MatrixXd e = Eigen::MatrixXd::Identity(steps, steps);
  const double none = at(Eigen::VectorXd::Zero(steps));
  Eigen::MatrixXd H(steps, steps);
  Eigen::VectorXd g(steps);
  for (int i = 0; i < steps; ++i)
    for (int j = 0; j < steps; ++j) H(i, j) = at(e.col(i) + e.col(j)) - at(e.col(i)) - at(e.col(j)) + none;
  for (int i = 0; i < steps; ++i) g[i] = at(e.col(i)) - none - 0.5 * H(i, i);
  return -H.llt().solve(g);
}

MppiOptions options_of(double deviation) {
  return {.samples = 400, .deviation = Eigen::VectorXd::Constant(1, deviation), .temperature = 0.02};
}

}  // namespace

TEST_CASE("path integral control comes to the optimum of a linear-quadratic problem") {
  const int steps = 10;
  const Cart cart;
  const Eigen::VectorXd best = best_forces(cart, steps);
  const double least = cart.cost(best.transpose());
  Eigen::MatrixXd U = Eigen::MatrixXd::Zero(1, steps);
  const double first = cart.cost(U);
  MppiOptions options = options_of(0.3);
  for (std::uint64_t update = 0; update < 200; ++update) {
    options.seed = update;
    U = mppi([&](const Eigen::MatrixXd& V) { return cart.cost(V); }, U, options).controls;
  }
  CHECK(first > 1.3 * least);
  CHECK(cart.cost(U) < 1.01 * least);
  CHECK((U.transpose() - best).cwiseAbs().maxCoeff() < 0.2);
}

TEST_CASE("with a receding horizon path integral control leads a cart to rest within its bounds") {
  Cart cart;
  Eigen::MatrixXd U = Eigen::MatrixXd::Zero(1, 15);
  MppiOptions options = options_of(0.5);
  options.lower = Eigen::VectorXd::Constant(1, -0.5);
  options.upper = Eigen::VectorXd::Constant(1, 0.5);
  double largest = 0;
  for (std::uint64_t step = 0; step < 60; ++step) {
    options.seed = step;
    U = mppi([&](const Eigen::MatrixXd& V) { return cart.cost(V); }, U, options).controls;
    largest = std::max(largest, U.cwiseAbs().maxCoeff());
    cart.step(U(0, 0));
    U.leftCols(14) = U.rightCols(14).eval();
    U(0, 14) = 0;
  }
  CHECK(largest <= 0.5);
  CHECK(cart.x.norm() < 0.05);
}

TEST_CASE("the mean of one update is that of the tilted distribution") {
  // For S = b v and no weight on controls the noise N(u, s^2) is tilted to N(u - b s^2 / lambda, s^2). That weight
  // tilts it by -weight u more.
  MppiOptions options{.samples = 200000, .deviation = Eigen::VectorXd::Constant(1, 0.5), .temperature = 2};
  const auto slope = [](const Eigen::MatrixXd& V) { return 1.5 * V(0, 0); };
  const Eigen::MatrixXd start = Eigen::MatrixXd::Constant(1, 1, 0.4);
  CHECK(mppi(slope, start, options).controls(0, 0) == Approx(0.4 - 1.5 * 0.25 / 2).margin(0.005));
  options.control_weight = 0.5;
  CHECK(mppi(slope, start, options).controls(0, 0) == Approx(0.4 - 1.5 * 0.25 / 2 - 0.5 * 0.4).margin(0.005));
}

TEST_CASE("path integral control does not depend on the number of threads, nor on a constant added to the cost") {
  const Cart cart;
  const Eigen::MatrixXd start = Eigen::MatrixXd::Zero(1, 6);
  const MppiOptions one = options_of(0.4);
  MppiOptions three = one;
  three.threads = 3;
  const auto cost = [&](const Eigen::MatrixXd& V) { return cart.cost(V); };
  const MppiResult result = mppi(cost, start, one);
  CHECK(result.controls == mppi(cost, start, three).controls);
  const auto raised = [&](const Eigen::MatrixXd& V) { return 1e3 + cart.cost(V); };
  CHECK((result.controls - mppi(raised, start, one).controls).norm() < 1e-9);
  CHECK(result.effective_samples > 1);
  CHECK(result.effective_samples < 400);
}

TEST_CASE("a cost that is not finite has no weight in path integral control; without any other the start remains") {
  const auto half = [](const Eigen::MatrixXd& V) {
    return V(0, 0) < 0 ? std::numeric_limits<double>::quiet_NaN() : V(0, 0);
  };
  const Eigen::MatrixXd start = Eigen::MatrixXd::Zero(1, 1);
  const MppiResult result = mppi(half, start, options_of(1));
  CHECK(result.controls(0, 0) >= 0);
  CHECK(result.best_cost >= 0);
  const auto nowhere = [](const Eigen::MatrixXd&) { return std::numeric_limits<double>::infinity(); };
  CHECK(mppi(nowhere, start, options_of(1)).controls == start);
  CHECK(mppi(nowhere, start, options_of(1)).effective_samples == 0);
}

TEST_CASE("options that do not fit path integral control are refused") {
  const auto zero = [](const Eigen::MatrixXd&) { return 0.0; };
  const Eigen::MatrixXd start = Eigen::MatrixXd::Zero(1, 3);
  MppiOptions options = options_of(1);
  CHECK_THROWS_WITH(mppi(zero, Eigen::MatrixXd::Zero(2, 3), options), Catch::Contains("deviation of size 1, wanted 2"));
  CHECK_THROWS_WITH(mppi(zero, Eigen::MatrixXd(), options), Catch::Contains("0 x 0"));
  options.lower = Eigen::VectorXd::Zero(2);
  CHECK_THROWS_WITH(mppi(zero, start, options), Catch::Contains("a bound of size 2, wanted 1"));
  options = options_of(1);
  options.temperature = 0;
  CHECK_THROWS_WITH(mppi(zero, start, options), Catch::Contains("temperature 0"));
}
