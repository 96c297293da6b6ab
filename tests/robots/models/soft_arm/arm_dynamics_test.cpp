// SPDX-License-Identifier: BSD-3-Clause
// The reduced dynamics on the finite-element arm, against the full ones.
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/full_dynamics.hpp"
#include "quoin/robots/models/soft_arm/mass_scaled_map.hpp"
#include "quoin/robots/models/soft_arm/shape_basis.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "small_arm.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

using Exact = MassScaledMap<2, Statics<2>>;
using Reduced = ReducedDynamics<2, Exact>;

Reduced reduced(const Statics<2>& statics, ReducedDynamicsOptions options = {}) {
  options.force_scale = statics.arm().line_force();
  const Exact exact(statics, statics.arm().mass());
  return Reduced(exact, exact.coordinates(), options);
}

// A linear map of another map's outputs, as a functional of a grid is.
struct Functional {
  Statics<2> map;
  Eigen::MatrixXd rows;
  Eigen::Index output_size() const { return rows.rows(); }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y) const {
    Eigen::VectorXd f;
    const Answer answer = map.evaluate(x, f);
    y = rows * f;
    return answer;
  }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::VectorXd f;
    Eigen::MatrixXd df;
    const Answer answer = map.evaluate(x, f, df);
    y = rows * f;
    J = rows * df;
    return answer;
  }
};

Eigen::Vector2d ramp(double t, double duration) {
  const double s = std::clamp(t / duration, 0.0, 1.0);
  return Eigen::Vector2d(1.2, 0.4) * (s * s * (3 - 2 * s));
}

}  // namespace

TEST_CASE("projected forces of the finite-element arm equal C (u - alpha)") {
  const Statics<2> statics(small_arm<2>());
  const auto& arm = statics.arm();
  std::mt19937 random(11);
  std::uniform_real_distribution<double> draw(0, 2.5);
  for (int i = 0; i < 10; ++i) {
    const Eigen::Vector2d alpha(draw(random), draw(random)), u(draw(random), draw(random));
    Eigen::VectorXd y, gradient;
    Eigen::MatrixXd J;
    REQUIRE(statics.evaluate(alpha, y, J).has_value());
    const Eigen::VectorXd x = y.head(arm.size());
    arm.gradient(x, u, gradient);
    Eigen::MatrixXd free(arm.free_size(), 2);
    for (int k = 0; k < 2; ++k) free.col(k) = arm.free_part(J.col(k).head(arm.size()));
    const Eigen::Vector2d literal = -free.transpose() * gradient;
    const Eigen::Vector2d identity = -arm.line_force() * J.bottomRows(2) * (u - alpha);
    CHECK((literal - identity).norm() < 1e-11 * literal.norm());
  }
}

TEST_CASE("a step of the exact reduced arm solves Eq. 8 as printed") {
  const Statics<2> statics(small_arm<2>());
  const auto& arm = statics.arm();
  const auto dynamics = reduced(statics);
  const Eigen::Index n = arm.size();
  Eigen::VectorXd x = dynamics.rest_state({0, 0}), next, y[3], gradient;
  Eigen::MatrixXd J[3];
  for (int k = 0; k < 20; ++k) {
    const Eigen::Vector2d u(1 + 0.5 * std::sin(0.4 * k), 0.3);
    REQUIRE(dynamics.step(x, u, next) == StepStatus::ok);
    statics.evaluate(next.head(2), y[0], J[0]);
    statics.evaluate(x.head(2), y[1], J[1]);
    statics.evaluate(x.tail(2), y[2], J[2]);
    arm.gradient(y[0].head(n), u, gradient);
    const Eigen::VectorXd inertia =
        arm.free_part(arm.mass().cwiseProduct((y[0] - 2 * y[1] + y[2]).head(n))) / (0.02 * 0.02);
    for (int i = 0; i < 2; ++i) {
      const Eigen::VectorXd column = arm.free_part(J[0].col(i).head(n));
      CHECK(std::abs(column.dot(inertia + gradient)) < 1e-8 * std::abs(column.dot(inertia)) + 1e-10);
    }
    x = next;
  }
}

TEST_CASE("the undriven reduced arm's energy never grows in 220 steps") {
  const Statics<2> statics(small_arm<2>());
  const auto& arm = statics.arm();
  const FullDynamics<2> full(arm);  // for its energy
  for (double damping : {0.0, 0.05}) {
    const auto dynamics = reduced(statics, {.stiffness_damping = damping});
    const Eigen::Vector2d u(0.2, 0.2);
    Eigen::VectorXd x = dynamics.rest_state({1.2, 0}), next, y, before;
    REQUIRE(statics.evaluate(x.head(2), before).has_value());
    const double start = full.energy(before.head(arm.size()), before.head(arm.size()), u);
    double energy = start;
    for (int k = 0; k < 220; ++k) {
      REQUIRE(dynamics.step(x, u, next) == StepStatus::ok);
      statics.evaluate(next.head(2), y);
      const double now = full.energy(y.head(arm.size()), before.head(arm.size()), u);
      REQUIRE(now <= energy + 1e-10);
      energy = now;
      before = y;
      x = next;
    }
    CHECK(start - energy > 1e-3);
  }
}

TEST_CASE("exact step derivatives of the finite-element arm leave a remainder of second order") {
  const Statics<2> statics(small_arm<2>());
  ReducedDynamicsOptions options{.stiffness_damping = 0.03, .tolerance = 1e-12};
  options.difference_step = 1e-4;
  options.derivative = StepDerivative::exact;
  const auto dynamics = reduced(statics, options);
  const Eigen::Vector2d u(1.5, 0.2), du(1, -1);
  const Eigen::Vector4d x(0.9, 0.3, 0.8, 0.35), dx(-0.5, 0.5, -0.4, 0.6);
  Eigen::VectorXd next, moved;
  Eigen::MatrixXd a, b;
  REQUIRE(dynamics.step(x, u, next, a, b) == StepStatus::ok);
  std::vector<double> remainders;
  for (double h : {1e-1, 1e-2, 1e-3}) {
    REQUIRE(dynamics.step(x + h * dx, u + h * du, moved) == StepStatus::ok);
    remainders.push_back((moved - next - h * (a * dx + b * du)).norm());
  }
  for (int i = 0; i < 2; ++i) {
    const double slope = std::log10(remainders[i] / remainders[i + 1]);
    CHECK(slope > 1.85);
    CHECK(slope < 2.15);
  }
}

TEST_CASE("a basis from corners chosen by address holds every shape, and its dynamics are the exact ones to it") {
  const Statics<2> statics(small_arm<2>());
  const auto& arm = statics.arm();
  Eigen::Matrix<double, 2, Eigen::Dynamic> corners(2, 25);
  for (int i = 0; i < 25; ++i) corners.col(i) << -0.5 + 0.5 * (i % 5), -0.5 + 0.5 * (i / 5);
  const auto basis = make_shape_basis<2>(statics, corners, Point<2>(0.5, 0.5), arm.mass(), arm.rest(), 1e-8);
  CHECK(basis.size() > 5);
  CHECK(basis.size() < 40);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> draw(-0.5, 1.5);
  Eigen::VectorXd y;
  for (int i = 0; i < 30; ++i) {
    statics.evaluate({draw(random), draw(random)}, y);
    CHECK(basis.remainder(y.head(arm.size())) < 1e-5);
  }

  const auto exact = reduced(statics);
  const ReducedDynamics<2, Functional> truncated({statics, basis.functional(2)}, basis.size(),
                                                 {.force_scale = arm.line_force()});
  Eigen::VectorXd x = exact.rest_state({0, 0}), z = x, next;
  for (int k = 0; k < 50; ++k) {
    const Eigen::Vector2d u(1 + 0.3 * std::sin(0.2 * k), 0.2);
    REQUIRE(exact.step(x, u, next) == StepStatus::ok);
    x = next;
    REQUIRE(truncated.step(z, u, next) == StepStatus::ok);
    z = next;
    CHECK((x - z).norm() < 1e-5);
  }
}

TEST_CASE("the reduced arm's first frequency is above the full arm's, by less than half") {
  const Statics<2> statics(small_arm<2>());
  const auto& arm = statics.arm();
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  statics.evaluate({0, 0}, y, J);
  auto hessian = arm.hessian_pattern();
  arm.hessian(arm.rest(), Eigen::Vector2d::Zero(), hessian);
  const Eigen::MatrixXd stiffness = Eigen::MatrixXd(hessian).selfadjointView<Eigen::Lower>();
  const Eigen::MatrixXd mass = arm.free_part(arm.mass()).asDiagonal();
  using Eigensolver = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>;
  const double full = Eigensolver(stiffness, mass, Eigen::EigenvaluesOnly).eigenvalues()[0];
  const Eigen::MatrixXd shapes = J.topRows(arm.size());
  const Eigen::Matrix2d reduced_mass = shapes.transpose() * arm.mass().asDiagonal() * shapes;
  const Eigen::Matrix2d compliance = -arm.line_force() * J.bottomRows(2);
  const Eigen::Matrix2d symmetric = (compliance + compliance.transpose()) / 2;
  const double projected = Eigensolver(symmetric, reduced_mass, Eigen::EigenvaluesOnly).eigenvalues()[0];
  // Galerkin's eigenvalues are upper bounds (Rayleigh-Ritz).
  CHECK(projected > full);
  CHECK(std::sqrt(projected / full) < 1.5);
}

TEST_CASE("in slow motion the reduced arm follows the full one: the deviation shrinks with the ramp's duration") {
  const Statics<2> statics(small_arm<2>());
  const auto& arm = statics.arm();
  const FullDynamics<2> full(arm, {.stiffness_damping = 0.02});
  const auto dynamics = reduced(statics, {.stiffness_damping = 0.02});
  const Eigen::MatrixXd tip = arm.tip_rows().topLeftCorner(2, arm.size());
  std::vector<double> deviations;
  for (double duration : {0.5, 1.0, 2.0, 4.0}) {
    const int steps = static_cast<int>(duration / 0.02) + 20;
    Eigen::MatrixXd controls(2, steps);
    for (int k = 0; k < steps; ++k) controls.col(k) = ramp(0.02 * (k + 1), duration);
    const auto motion = full.rollout(arm.rest(), arm.rest(), controls);
    REQUIRE(motion.status == StepStatus::ok);
    Eigen::VectorXd x = dynamics.rest_state({0, 0}), next, y;
    double deviation = 0;
    for (int k = 0; k < steps; ++k) {
      REQUIRE(dynamics.step(x, controls.col(k), next) == StepStatus::ok);
      x = next;
      statics.evaluate(x.head(2), y);
      deviation = std::max(deviation, (tip * (y.head(arm.size()) - motion.position(k + 1))).norm());
    }
    deviations.push_back(deviation);
  }
  INFO(deviations[0] << " " << deviations[1] << " " << deviations[2] << " " << deviations[3]);
  CHECK(deviations[0] > 0);
  CHECK(deviations[1] < 0.7 * deviations[0]);
  CHECK(deviations[2] < 0.5 * deviations[1]);
  CHECK(deviations[3] < 0.5 * deviations[2]);
  CHECK(deviations[3] < 0.01 * 0.5);
}
